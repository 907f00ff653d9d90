"""The site as its readers see it: every page in a real browser, from a server on this machine.

`make docs` builds it; `make test-docs` builds it and runs these tests.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urldefrag, urljoin

import pytest

from .test_form_page import check

BUILT = Path(__file__).resolve().parents[2] / "docs" / "_build" / "html"
NARROW = {"width": 360, "height": 740}
WIDE = {"width": 1280, "height": 900}
# Pages of every kind: words, tables, diagrams, code, glossary, names, commands, pictures.
LOOKED_AT = (
    "index.html",
    "start.html",
    "officers.html",
    "engineers.html",
    "glossary.html",
    "papers.html",
    "guide/explore.html",
    "guide/collect.html",
    "api.html",
    "api/sparsam.assess.sweep.html",
    "commands/minimise.html",
    "examples/index.html",
)
# The theme says what it does, which is no complaint.
COMPLAINTS = ("error", "warning")


class Seen(NamedTuple):
    """What a browser found on a page."""

    links: set[str]
    anchors: set[str]
    asked_for: list[str]
    complaints: list[str]
    overflow: int


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        return


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server of the built site."""
    if not (BUILT / "index.html").is_file():
        pytest.skip("the site is not built: run `make docs`")
    handler = functools.partial(_Quiet, directory=str(BUILT))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def _pages() -> list[str]:
    """Every page; what the theme keeps beside them are pieces of pages."""
    names = (path.relative_to(BUILT).as_posix() for path in BUILT.rglob("*.html"))
    return sorted(name for name in names if not name.startswith("_"))


LINKS = """() => [...document.querySelectorAll("a[href], area[href]")].map((link) => link.href)"""
ANCHORS = """() => [...document.querySelectorAll("[id]")].map((one) => one.id)"""
# How far the page is wider than the screen; what scrolls inside itself does not count.
OVERFLOW = "() => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"


@pytest.fixture(scope="module")
def seen(address: str, browser: Any) -> dict[str, Seen]:
    """Every page, opened once on a narrow screen."""
    context = browser.new_context(viewport=NARROW)
    page = context.new_page()
    asked_for: list[str] = []
    complaints: list[str] = []
    context.on("request", lambda request: asked_for.append(request.url))
    page.on(
        "console", lambda said: complaints.append(said.text) if said.type in COMPLAINTS else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    found = {}
    for name in _pages():
        asked_for.clear()
        complaints.clear()
        page.goto(f"{address}/{name}")
        found[name] = Seen(
            set(page.evaluate(LINKS)),
            set(page.evaluate(ANCHORS)),
            list(asked_for),
            list(complaints),
            page.evaluate(OVERFLOW),
        )
    context.close()
    return found


def test_there_are_pages_of_every_kind(seen: dict[str, Seen]) -> None:
    assert set(LOOKED_AT) <= seen.keys()
    assert len([name for name in seen if name.startswith("api/")]) > 100
    assert len([name for name in seen if name.startswith("commands/")]) >= 18


def test_nothing_is_asked_of_another_host(seen: dict[str, Seen], address: str) -> None:
    elsewhere = {
        f"{name}: {url}"
        for name, page in seen.items()
        for url in page.asked_for
        if not url.startswith((f"{address}/", "data:", "blob:"))
    }
    assert not elsewhere


def test_nothing_links_to_another_host(seen: dict[str, Seen], address: str) -> None:
    """We own no host, so that no link leads to one."""
    elsewhere = {
        f"{name}: {url}"
        for name, page in seen.items()
        for url in page.links
        if not url.startswith((f"{address}/", "javascript:"))
    }
    assert not elsewhere


def test_every_link_leads_to_a_page_and_to_a_place_in_it(
    seen: dict[str, Seen], address: str
) -> None:
    broken = set()
    for name, page in seen.items():
        for url in page.links:
            target, place = urldefrag(urljoin(f"{address}/{name}", url))
            file = target.removeprefix(f"{address}/") or "index.html"
            if not (BUILT / file).is_file():
                broken.add(f"{name}: {url}")
            elif place and file in seen and place not in seen[file].anchors:
                broken.add(f"{name}: {url} has no such place")
    assert not broken


def test_no_page_complains(seen: dict[str, Seen]) -> None:
    assert not {name: page.complaints for name, page in seen.items() if page.complaints}


def test_a_narrow_screen_does_not_scroll_sideways(seen: dict[str, Seen]) -> None:
    assert not {name: page.overflow for name, page in seen.items() if page.overflow > 0}


@pytest.mark.parametrize(
    ("scheme", "size"),
    [("light", WIDE), ("dark", WIDE), ("dark", NARROW)],
    ids=["light", "dark", "dark and narrow"],
)
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_screen_reader_stumbles_over_nothing(
    address: str, browser: Any, axe: str, name: str, size: dict[str, int], scheme: str
) -> None:
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{address}/{name}")
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    page.evaluate(axe)
    check(page)
    context.close()


def test_the_search_finds_without_a_server(address: str, browser: Any) -> None:
    """What is searched in comes with the site."""
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    asked_for: list[str] = []
    context.on("request", lambda request: asked_for.append(request.url))
    page.goto(f"{address}/search.html?q=questionnaire")
    page.locator("#search-results li a").first.wait_for(timeout=10_000)
    assert page.locator("#search-results li a").count() > 3
    assert all(url.startswith(f"{address}/") for url in asked_for)
    context.close()


def test_code_in_a_sentence_leads_to_what_it_names(address: str, browser: Any) -> None:
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    page.goto(f"{address}/guide/attack.html")
    page.get_by_role("link", name="Risk", exact=True).first.click()
    assert page.url.endswith("/api/sparsam.attack.Risk.html")
    page.go_back()
    page.get_by_role("link", name="sp.anonymise_model").first.click()
    assert page.locator("h1").inner_text().startswith("anonymise_model")
    context.close()


def test_diagrams_can_be_read_aloud(address: str, browser: Any) -> None:
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    for name, title in (("index", "The flow of sparsam"), ("guide/explore", "How a ledger pays")):
        page.goto(f"{address}/{name}.html")
        drawing = page.get_by_role("img", name=title)
        assert drawing.is_visible()
        assert len(drawing.locator("desc").text_content()) > 100
    context.close()
