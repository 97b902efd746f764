"""manage.py load_folder: each sub-folder is a document, its files are its versions."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from console.folder import FolderDocument, day_in, title_of
from console.graph import graph_store
from console.models import Project
from reaffirm import ids
from reaffirm.knowledge import Graph
from reaffirm.knowledge.evidence import span_id
from reaffirm.knowledge.models import DocumentVersion
from tests.knowledge.files import docx, pdf, word

MARKDOWN, PLAIN = "text/markdown", "text/plain"
HOURS = "# Opening hours\n\nThe desk is open from {} to 17:00.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "hours/v01-2024-02-01.md": HOURS.format("08:00"),
        "hours/v02-2025-02-01.md": HOURS.format("09:00"),
        "hours/v03-2026-02-01.md": HOURS.format("10:00"),
        "keys/a.txt": "Keys\n====\n\nTwo persons hold a key.\n",
        "keys/b.rst": "Keys and cards\n==============\n\nThree persons hold a key.\n",
        "keys/picture.png": "no text",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def load(folder: Path, *words: str) -> list[str]:
    out = StringIO()
    call_command("load_folder", "claims", str(folder), *words, stdout=out, stderr=StringIO())
    return out.getvalue().splitlines()


def refused(folder: Path, *words: str) -> tuple[str, str]:
    """What stands on standard error, and why the command gave up."""
    err = StringIO()
    with pytest.raises(CommandError) as raised:
        call_command("load_folder", "claims", str(folder), *words, stdout=StringIO(), stderr=err)
    assert raised.value.returncode == 1
    return err.getvalue(), str(raised.value)


def versions(key: str) -> tuple[DocumentVersion, ...]:
    return Graph(graph_store()).versions(key)


def test_files_become_versions_in_the_order_of_their_names(project: Project, console_graph: str, folder: Path) -> None:
    assert load(folder) == [
        "claims/hours: 3 loaded, 0 there already, 0 decisions flagged",
        "claims/keys: 2 loaded, 0 there already, 0 decisions flagged",
    ]

    assert len(versions("claims/hours")) == 3
    text = Graph(graph_store()).text("claims/hours")
    assert text is not None
    assert "10:00" in text
    found = Graph(graph_store()).search("persons key").hits
    assert found[0].title == "Keys and cards"


def test_a_second_run_adds_nothing(project: Project, console_graph: str, folder: Path) -> None:
    load(folder)
    before = versions("claims/hours"), versions("claims/keys")

    assert load(folder)[0] == "claims/hours: 0 loaded, 3 there already, 0 decisions flagged"
    assert (versions("claims/hours"), versions("claims/keys")) == before


def test_upto_stops_early_and_the_rest_follows(project: Project, console_graph: str, folder: Path) -> None:
    assert load(folder, "--upto", "1")[0] == "claims/hours: 1 loaded, 0 there already, 0 decisions flagged"
    assert load(folder)[0] == "claims/hours: 2 loaded, 1 there already, 0 decisions flagged"
    # What came later stays, whatever is asked for.
    assert load(folder, "--upto", "1")[0] == "claims/hours: 0 loaded, 1 there already, 0 decisions flagged"
    assert len(versions("claims/hours")) == 3


def test_a_text_that_comes_back_is_a_version(project: Project, console_graph: str, folder: Path) -> None:
    (folder / "hours" / "v04-2026-03-01.md").write_text(HOURS.format("08:00"))
    load(folder)
    load(folder)
    assert len(versions("claims/hours")) == 4


def test_a_file_that_cannot_be_read_is_named_and_the_others_go_on(
    project: Project, console_graph: str, folder: Path
) -> None:
    (folder / "hours" / "v02-2025-02-01.md").write_bytes(b"caf\xe9")
    (folder / "keys" / "a.txt").write_text(" \n")

    complaints, reason = refused(folder)

    assert "claims/hours: v02-2025-02-01.md: is not UTF-8" in complaints
    assert "claims/keys: a.txt: is empty" in complaints
    assert "2 faults" in reason
    assert len(versions("claims/hours")) == 2
    assert len(versions("claims/keys")) == 1


def test_files_of_every_format_are_versions(project: Project, console_graph: str, tmp_path: Path) -> None:
    """The same words in another format are no new version, and what cannot be read is named."""
    files = {
        "v01-2026-01-01.html": b"<!doctype html><title>Opening hours</title><p>From 08:00 to 17:00.</p>",
        "v02-2026-02-01.pdf": pdf(["From 08:00 to 17:00."]),
        "v03-2026-03-01.docx": docx(word("From 09:00 to 17:00.")),
        "v04-2026-04-01.pdf": pdf([""]),
        "v05-2026-05-01.docx": docx(word("From 10:00 to 17:00."))[:200],
        "v06-2026-06-01.htm": b"<p>caf\xe9",
    }
    (tmp_path / "hours").mkdir()
    for name, data in files.items():
        (tmp_path / "hours" / name).write_bytes(data)
    complaints, reason = refused(tmp_path)
    assert "v04-2026-04-01.pdf: holds no text on its 1 pages" in complaints
    assert "v05-2026-05-01.docx: is not a whole DOCX file" in complaints
    assert "v06-2026-06-01.htm: is not valid UTF-8" in complaints
    assert "3 faults" in reason
    assert len(versions("claims/hours")) == 2
    graph = Graph(graph_store())
    assert graph.text("claims/hours") == "From 09:00 to 17:00."
    document, head = ids.document_id("claims/hours"), str(versions("claims/hours")[0].content_hash)
    (first,) = graph.fetch([span_id(document, head, 0, 4)])
    assert first.text == "From"
    refused(tmp_path)
    assert len(versions("claims/hours")) == 2


def test_no_folder(project: Project, tmp_path: Path) -> None:
    assert "is not a folder" in refused(tmp_path / "nowhere")[1]


def test_an_empty_folder(project: Project, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "no sub-folder with files" in refused(tmp_path)[1]


def test_an_unknown_project(db: None, folder: Path) -> None:
    assert "There is no project claims" in refused(folder)[1]


def test_upto_none(project: Project, folder: Path) -> None:
    assert "--upto 0" in refused(folder, "--upto", "0")[1]


def test_a_store_that_is_down(project: Project, graph_down: None, folder: Path) -> None:
    assert refused(folder)[1]


@pytest.mark.parametrize(
    ("text", "media_type", "title"),
    [
        ("\n## Rules ##\n\ntext", MARKDOWN, "Rules"),
        ("no heading", MARKDOWN, None),
        ("=====\nRules\n=====\n\ntext", PLAIN, "Rules"),
        ("Rules\n-----\ntext", PLAIN, "Rules"),
        ("Number: 8\nTitle: Style of\n letters\nStatus: Active\n\nIntroduction\n====\n", PLAIN, "Style of"),
        ("\nIntroduction\n====\n\ntext\n\nRules\n====\n\ntext\n", PLAIN, None),
        ("====\nAll\n====\n\nRules\n====\n\ntext\n", PLAIN, "All"),
        ("Rules\n====\n\nOne\n---\n\nTwo\n---\n", PLAIN, "Rules"),
        ("# Introduction\n\n# Rules\n", MARKDOWN, None),
        ("Just words.\n\nTitle: not a field\n", PLAIN, None),
    ],
)
def test_titles(text: str, media_type: str, title: str | None) -> None:
    assert title_of(text, media_type) == title


@pytest.mark.parametrize(
    ("name", "day"),
    [("v03-2006-03-02", "2006-03-02"), ("2024-13-01", None), ("v12", None), ("1-2024-02-30-2024-03-01", "2024-03-01")],
)
def test_days(name: str, day: str | None) -> None:
    assert day_in(name) == day


def test_what_is_new(folder: Path) -> None:
    document = FolderDocument.read("k", folder / "hours")
    one, two, three = (version.content_hash for version in document.versions)
    names = {
        known: len(document.new_after(known))
        for known in [(), (one,), (one, two), (two,), (one, None), (one, two, three), (one, "x" * 64), (three, one)]
    }
    assert names == {
        (): 3,
        (one,): 2,
        (one, two): 1,
        (two,): 1,
        (one, None): 2,
        (one, two, three): 0,
        (one, "x" * 64): 2,
        (three, one): 2,
    }
