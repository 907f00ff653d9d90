"""A page is valid, says everything once, and lets nothing in or out."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from sparsam.report.page._html import html, summary


def test_it_is_well_formed_and_its_ids_are_unique(pages, read_html):
    page = read_html(html(pages(variants=2)))
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[:2] == [1, 2]
    assert set(levels) == {1, 2, 3}


def test_landmarks_and_tables_can_be_heard(pages, read_html):
    page = read_html(html(pages(variants=1)))
    tags = [tag for tag, _ in page.elements]
    assert {"main", "header", "nav", "section"} <= set(tags)
    assert ("a", {"class": "skip", "href": "#first"}) in page.elements
    assert tags.count("table") == tags.count("caption")
    assert all("scope" in attributes for tag, attributes in page.elements if tag == "th")
    stacked = [a for tag, a in page.elements if tag == "table" and "stacked" in a["class"]]
    assert stacked
    assert all(attributes["role"] == "table" for attributes in stacked)


def test_words_from_outside_stay_words(pages, read_html):
    page = html(pages(variants=1))
    assert "<script>alert" not in page
    assert "</script><script>" not in page.replace("\n", "").split("<script type")[0]
    assert "{{ 7*7 }}" in page
    read = read_html(page)
    assert [a.get("type") for tag, a in read.elements if tag == "script"] == [
        "text/plain",
        "text/plain",
        None,
    ]


@pytest.mark.parametrize("variants", [0, 2])
def test_it_loads_nothing_and_runs_only_our_own_script(pages, read_html, variants):
    page = html(pages("a", variants))
    assert not re.search(r"https?://|url\(|@import|javascript:", page)
    read = read_html(page)
    assert not any(name.startswith("on") for _, attributes in read.elements for name in attributes)
    rules = next(a["content"] for _, a in read.elements if a.get("http-equiv"))
    assert rules.startswith("default-src 'none'")
    assert ("script-src 'sha256-" in rules) == bool(variants)


def test_lines_that_variants_share_are_written_once(pages):
    two, twenty = (html(pages("a fairly long sentence " * 20, count)) for count in (2, 20))
    assert len(twenty) < 1.5 * len(two)
    index = re.search(r'id="variants">(.*?)</script>', twenty, re.S)[1].splitlines()
    lines = re.search(r'id="lines">(.*?)</script>', twenty, re.S)[1].split("\n")
    places = next(line.split()[2:] for line in index if line.startswith("7 verdict "))
    first, _, last = places[0].partition("-")
    assert "way 7" in "\n".join(lines[int(first, 36) : int(last or first, 36) + 1])


def test_columns_that_are_drawn_and_long_lists(pages, read_html):
    page = html(pages("a"))
    assert '<th scope="col" role="columnheader" class="axis"><span>0 %</span>' in page
    assert "and 9 more" in page
    assert "what is in which bucket" in page
    assert 'style="width:12.0%"' in page


def test_a_notebook_shows_the_head(pages, read_html):
    fragment = summary(pages())
    assert read_html(fragment).open == []
    for words in ("Title", "Needs", "Costs little.", "x · y", 'report.save("report.html")'):
        assert words in fragment.replace("&#34;", '"')
    assert "<script>alert" not in fragment


def test_the_policy_allows_our_script_by_its_hash(pages, read_html):
    page = html(pages("a", 1))
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    rules = next(a["content"] for _, a in read_html(page).elements if a.get("http-equiv"))
    assert f"script-src 'sha256-{digest}';" in rules
    assert script.count("\n") < 90


def _colours(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", css))


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(first: str, second: str) -> float:
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(pages, scheme):
    css = re.search(r"<style>(.*?)</style>", html(pages()), re.DOTALL).group(1)
    light, rest = css.split("@media screen and (prefers-color-scheme: dark)")
    colours = _colours(light)
    if scheme == "dark":
        colours |= _colours(rest[: rest.index("*, *::before")])
    for ink in ("ink", "soft", "accent", "risk"):
        for ground in ("paper", "sheet", "accent-soft"):
            assert _contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
