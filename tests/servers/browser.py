"""A real Chromium for the page tests, and what it must not complain about."""

import os
import re
import shutil
from dataclasses import dataclass, field

from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, Response

from tests.servers.debian import need

# Beyond what Playwright passes: run as root, and reach for no other host.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Chromium's own line for an answer that a test may well be after (a 409 panel, say). Missing files are caught below.
_STATUS_LINE = re.compile(r"^Failed to load resource: the server responded with a status of (4\d\d|503)")
_ASSETS = {"stylesheet", "script", "font", "image"}


def chromium_path() -> str:
    """CHROMIUM, else Debian's, installed when it is missing and we are root.

    Raises:
        ProgramMissing: With what to do.
    """
    if path := os.environ.get("CHROMIUM"):
        return path
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    need(("chromium",), ("chromium",), "The tests of the pages (or CHROMIUM=/path/to/chromium)")
    return shutil.which("chromium") or "chromium"


def launch(playwright: Playwright) -> Browser:
    """Start Chromium without a window."""
    return playwright.chromium.launch(executable_path=chromium_path(), headless=True, args=list(FLAGS))


@dataclass
class Complaints:
    """What a page's console, scripts and requests had to complain about. CSP violations are console errors."""

    lines: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Listen to one page."""
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.lines.append(f"script error: {error}"))
        page.on("response", self._answered)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not _STATUS_LINE.match(message.text):
            self.lines.append(f"console {message.type}: {message.text}")

    def _answered(self, response: Response) -> None:
        broken_asset = response.status >= 400 and response.request.resource_type in _ASSETS
        if broken_asset or response.status == 500:
            self.lines.append(f"{response.status} for {response.url}")
