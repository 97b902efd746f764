"""Fixtures that all tests share: two real stores, a real browser, and an environment of the tests' own.

Nothing is started for a test that does not ask for it, and nothing that a test asks for is ever skipped.
"""

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.debian import ProgramMissing
from tests.servers.neo4j import ServerNotStarted, neo4j_server

# Before anything reads the settings. The developer's own graph, database and broker must never meet the tests.
_HOME = Path(tempfile.mkdtemp(prefix="reaffirm-tests-"))
os.environ.update(
    GRAPH_URL=f"embedded:{_HOME}/graph?graph=console",
    DATABASE_URL=f"sqlite:///{_HOME}/console.sqlite3",
    CELERY_BROKER_URL="memory://",
    SECRET_KEY="only-for-tests",
    DEBUG="0",
    VAR_DIR=str(_HOME),
)
os.environ["DJANGO_SETTINGS_MODULE"] = "console.settings"

STORES = ("falkordb", "neo4j")
# In batches: one transaction over everything would need memory for everything.
EMPTY = "MATCH (n) WITH n LIMIT 10000 DETACH DELETE n RETURN count(n) AS gone"
_names = itertools.count(1)


def pytest_configure() -> None:
    from django.conf import settings

    # Files straight from static/, without collectstatic before a run; and sign-ins that take no half second each.
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.WHITENOISE_AUTOREFRESH = settings.WHITENOISE_USE_FINDERS = True
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def pytest_unconfigure() -> None:
    from reaffirm.store import embedded

    if (_HOME / "graph").exists():
        embedded.stop(_HOME / "graph")
    shutil.rmtree(_HOME, ignore_errors=True)


# Stores


@pytest.fixture(scope="session")
def falkordb_folder() -> Path:
    """The folder of the run's embedded FalkorDB. It starts with the first store that is opened there."""
    return _HOME / "graph"


@pytest.fixture(scope="session")
def neo4j_base_url() -> Iterator[str]:
    """The run's Neo4j: NEO4J_TEST_URL, or one that is started for the run."""
    try:
        with neo4j_server() as url:
            yield url
    except (ProgramMissing, ServerNotStarted) as error:
        pytest.exit(f"{error}\nOr set NEO4J_TEST_URL to a server whose database may be emptied.", returncode=3)


@pytest.fixture
def falkordb_url(falkordb_folder: Path) -> str:
    """An empty FalkorDB graph, its schema in place."""
    return _emptied(f"embedded:{falkordb_folder}?graph=tests")


@pytest.fixture
def neo4j_url(neo4j_base_url: str) -> str:
    """The Neo4j database, emptied, its schema in place."""
    return _emptied(neo4j_base_url)


@pytest.fixture(params=STORES)
def store_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty graph with its schema, once on each store."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def store(store_url: str) -> Iterator[Any]:
    """An open store on an empty graph with its schema, once on each store."""
    yield from _opened(store_url)


@pytest.fixture
def falkordb_store(falkordb_url: str) -> Iterator[Any]:
    """The same, FalkorDB only."""
    yield from _opened(falkordb_url)


@pytest.fixture
def neo4j_store(neo4j_url: str) -> Iterator[Any]:
    """The same, Neo4j only."""
    yield from _opened(neo4j_url)


@pytest.fixture(params=STORES)
def blank_store_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """A graph with neither data nor schema, once on each store, for tests of the schema and of other programs."""
    if request.param == "falkordb":
        folder = request.getfixturevalue("falkordb_folder")
        name = f"blank-{next(_names)}"
        yield f"embedded:{folder}?graph={name}"
        _forget_falkordb_graph(folder, name)
        return
    url = request.getfixturevalue("neo4j_base_url")
    _blank_neo4j(url)
    yield url
    _blank_neo4j(url)


def _opened(url: str) -> Iterator[Any]:
    from reaffirm.store import open_store

    opened = open_store(url)
    yield opened
    opened.close()


def _emptied(url: str) -> str:
    from reaffirm.store import open_store

    cleaner = open_store(url)
    try:
        while cleaner.write(EMPTY)[0]["gone"]:
            pass
        report = cleaner.ensure_schema()
        assert not report.problems, report.problems
    finally:
        cleaner.close()
    return url


def _forget_falkordb_graph(folder: Path, name: str) -> None:
    from reaffirm.store import embedded

    client = embedded.ensure(folder).client()
    client.delete(name)
    client.close()


def _blank_neo4j(url: str) -> None:
    from neo4j import GraphDatabase

    address, _, database = url.rpartition("/")
    with GraphDatabase.driver(address, notifications_min_severity="OFF") as driver:
        driver.execute_query("SHOW CONSTRAINTS YIELD name RETURN name", database_=database)
        with driver.session(database=database) as session:
            session.run("MATCH (n) CALL { WITH n DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS").consume()
            for name in session.run("SHOW CONSTRAINTS YIELD name").value():
                session.run(f"DROP CONSTRAINT `{name}`").consume()
            for name in session.run("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name").value():
                session.run(f"DROP INDEX `{name}`").consume()


# Browser

PageMaker = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One Chromium for a module, and not for the run: while it is there, no test in this thread can run asyncio."""
    from playwright.sync_api import sync_playwright

    from tests.servers.browser import launch

    # Playwright runs an event loop in this thread, which makes Django refuse its own synchronous calls here.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        try:
            chromium = launch(playwright)
        except ProgramMissing as error:
            pytest.exit(str(error), returncode=3)
        yield chromium
        chromium.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def new_browser_page(browser: Any) -> Iterator[PageMaker]:
    """Make pages, each with its own cookies: `new_browser_page(java_script_enabled=False, color_scheme="dark")`.

    Takes what Playwright's `new_context` takes. A console error or warning, a CSP violation, a script error, a missing
    file or a 500 in any of them fails the test.
    """
    from tests.servers.browser import Complaints

    complaints = Complaints()
    contexts = []

    def make(**options: Any) -> Any:
        context = browser.new_context(**{"reduced_motion": "reduce", "locale": "en-GB", **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        complaints.watch(page)
        return page

    yield make
    for context in contexts:
        context.close()
    assert not complaints.lines, "the page complained:\n" + "\n".join(complaints.lines)


@pytest.fixture
def browser_page(new_browser_page: PageMaker) -> Any:
    """A page in a fresh Chromium profile; see new_browser_page."""
    return new_browser_page()


# Django


@pytest.fixture
def console_graph(store_url: str, settings: Any) -> Iterator[str]:
    """Point the console of this process at an empty graph with its schema, once on each store; gives its URL."""
    from console.graph import graph_close

    graph_close()
    settings.GRAPH_URL = store_url
    yield store_url
    graph_close()


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """A file instead of SQLite's memory: tests with threads and a live server need what production has."""
    from django.conf import settings

    settings.DATABASES["default"].setdefault("TEST", {})["NAME"] = str(_HOME / "tests.sqlite3")
