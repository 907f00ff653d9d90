"""A real browser, a server that notes every byte that reaches it, and people who answer.

Chromium is the system's own, driven by Playwright (extra `browser`); without either the tests are
skipped, and say why. SPARSAM_PEOPLE sets how many people walk
through each page: the first ten with mouse and keyboard, the others by a script that clicks.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PEOPLE = int(os.environ.get("SPARSAM_PEOPLE", "6"))
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
THANKS = '<!doctype html><title>Thanks</title><link rel="icon" href="data:,"><p>Thanks.'


def _chromium() -> str:
    names = ("chromium", "chromium-browser", "google-chrome")
    places = [place for name in names if (place := shutil.which(name)) is not None]
    if not places:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    return places[0]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Callable[..., Any]]:
    """Start Chromium with further options; all are closed at the end."""
    api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed (extra 'browser')"
    )
    program = _chromium()
    with api.sync_playwright() as playwright:
        started = []

        def start(**options: Any) -> Any:
            browser = playwright.chromium.launch(executable_path=program, args=QUIET, **options)
            started.append(browser)
            return browser

        yield start
        for browser in started:
            browser.close()


@pytest.fixture(scope="session")
def browser(chromium: Callable[..., Any]) -> Any:
    """One browser for all tests."""
    return chromium()


class Request(NamedTuple):
    """What reached the server."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Site:
    """A server on this machine that shows pages and notes all that it is sent."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.requests: list[Request] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._note(b"")
                page = site.pages.get(self.path)
                self._answer(404 if page is None else 200, page or "")

            def do_POST(self) -> None:
                self._note(self.rfile.read(int(self.headers["Content-Length"])))
                self._answer(200, THANKS)

            def _note(self, body: bytes) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                site.requests.append(Request(self.command, self.path, headers, body))

            def _answer(self, code: int, page: str) -> None:
                text = page.encode()
                self.send_response(code)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *args: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def site() -> Iterator[Site]:
    """A server of one test's own."""
    server = Site()
    yield server
    server.close()


@pytest.fixture
def visit(browser: Any, site: Site) -> Iterator[Callable[..., Any]]:
    """Open a page as a new visitor; whatever it complains of is in `page.complaints`."""
    contexts = []

    def open_page(html: str, javascript: bool = True, **options: Any) -> Any:
        site.pages["/"] = html
        context = browser.new_context(java_script_enabled=javascript, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5_000)
        page.asked_for = []
        page.complaints = []
        context.on("request", lambda request: page.asked_for.append(request.url))
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(f"{site.address}/")
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, which finds what a screen reader would stumble over."""
    file = ROOT / ".axe" / "axe.min.js"
    if not file.is_file():
        pytest.skip("axe-core is not here: run tools/fetch_axe.sh")
    return file.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def n_people() -> int:
    """How many people walk through each page."""
    return PEOPLE
