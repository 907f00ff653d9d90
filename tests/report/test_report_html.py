"""The page: self-contained, escaped, readable without a script."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from sparsam.report import Report

VOID = {"meta", "link", "input", "br", "wbr"}


class _Page(HTMLParser):
    """Collects elements, and checks that they close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture
def html(make_data):
    return Report(make_data()).to_html()


def _panels(html: str) -> list[dict[str, str | None]]:
    return [attributes for _, attributes in _Page(html).elements if "data-point" in attributes]


def test_well_formed_and_in_english(html):
    page = _Page(html)
    assert page.named("html") == [{"lang": "en"}]
    assert len(page.named("h1")) == 1
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_nothing_is_loaded_from_anywhere(html):
    assert not re.search(r"https?://|//[a-z]+\.|@import|url\(", html)
    page = _Page(html)
    assert [link["href"] for link in page.named("link")] == ["data:,"]
    assert not page.named("img")
    assert not page.named("iframe")
    assert not any("src" in attributes for _, attributes in page.elements)


def test_policy_allows_only_our_own_script(html):
    policy = _Page(html).named("meta")[1]["content"]
    script = re.search(r"<script>(.*?)</script>", html, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith("default-src 'none';")
    assert f"script-src 'sha256-{digest}';" in policy
    assert "img-src data:" in policy


def test_names_are_escaped(html):
    page = _Page(html)
    assert len(page.named("script")) == 1
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "{{ 7*7 }}" in html
    assert "日本語のラベル" in html


def test_hostile_words_everywhere(make_data):
    data = make_data()
    evil = "</style></script></title><script>alert(9)</script>\"'><b onclick=x>"
    data["title"] = data["task"]["target"] = data["reproduce"]["command"] = evil
    data["requirement"]["words"] = data["reproduce"]["input"]["name"] = evil
    data["meaning"][0] = {"heading": evil, "text": evil}
    data["reproduce"]["settings"] = {evil: [evil]}
    data["task"]["classes"] = [evil, evil]
    for point in data["points"]:
        point["label"] = point["risk"]["adversary"] = point["utility"]["model"] = evil
    page = _Page(Report(data).to_html())
    assert len(page.named("script")) == 1
    assert not any("onclick" in attributes for _, attributes in page.elements)


def test_chosen_point_shows_without_a_script(html, make_data):
    chosen = str(make_data()["chosen"])
    shown = [panel for panel in _panels(html) if "hidden" not in panel]
    assert [panel["data-point"] for panel in shown] == [chosen] * 4
    assert len(_panels(html)) == 4 * 14


def test_each_point_of_the_front_is_a_radio_button_and_a_dot(html):
    page = _Page(html)
    values = [attributes["value"] for attributes in page.named("input")]
    dots = [attributes["data-dot"] for _, attributes in page.elements if "data-dot" in attributes]
    assert sorted(values * 2) == sorted(dots)
    assert sum("checked" in attributes for attributes in page.named("input")) == 1


def test_sections_in_order(html):
    headings = ["What to collect", "The trade-off", "What someone could still learn"]
    headings += ["What these numbers do not mean", "How to reproduce"]
    places = [html.index(f"</span> {heading}</h2>") for heading in headings]
    assert places == sorted(places)


def test_risk_is_sorted_by_what_is_recovered(make_data):
    html = Report(make_data(front=1, other=0)).to_html()
    table = html[html.index('<table class="risks"') : html.index('<p class="legend"')]
    shares = [float(share.replace("−", "-")) for share in re.findall(r"<b>([−\d.]+)", table)]
    assert len(shares) == 15
    assert shares == sorted(shares, reverse=True)


def test_one_point(make_data):
    html = Report(make_data(front=1, other=0)).to_html()
    assert len(_panels(html)) == 4
    assert "Pick a dot" not in html


def test_no_requirement(make_data):
    assert '<p class="requirement' not in Report(make_data() | {"requirement": None}).to_html()


def test_requirement_not_met_says_so(make_data):
    html = Report(make_data() | {"requirement": {"words": "w", "met": False}}).to_html()
    assert "✗ Requirement not met" in html


def test_nothing_collected(make_data):
    html = Report(make_data(chosen=13)).to_html()
    assert "Nothing needs to be collected" in html
    assert "none of the 16 attributes" in html


def test_gaps_everywhere(make_data):
    data = make_data()
    for limit in data["limits"].values():
        limit |= {"error": None, "interval": None, "model": None}
    for point in data["points"]:
        for part in (point["utility"], point["risk"], *point["risk"]["attributes"]):
            numbers = [key for key in part if "error" in key or "interval" in key]
            numbers += ["value", "loss", "recovered", "baseline", "model"]
            part |= {key: None for key in numbers if key in part}
        point["information_loss"] = None
    data["reproduce"] |= {"command": None, "seed": None}
    report = Report(data)
    for text in (report.to_html(), report.to_markdown()):
        assert "None" not in text
        assert "nan" not in text.lower().replace("finance", "")
    _Page(report.to_html())


def test_points_without_details_can_still_be_shown(make_data):
    data = make_data(front=2, other=3)
    for point in data["points"]:
        del point["attributes"], point["risk"]["attributes"], point["risk"]["confident"]
    html = Report(data).to_html()
    _Page(html)
    assert data["points"][0]["label"] in html


def test_level_of_intervals_is_named_where_known(make_data):
    assert "95\u202f% interval" in Report(make_data() | {"confidence": 0.95}).to_html()


def test_many_buckets_fold(html):
    assert "<summary>and 48 more</summary>" in html
    assert "occupation group 60" in html


def test_script_is_small(html):
    script = re.search(r"<script>(.*?)</script>", html, re.DOTALL).group(1)
    assert script.count("\n") < 60


def _colours(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", css))


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(html, scheme):
    css = re.search(r"<style>(.*?)</style>", html, re.DOTALL).group(1)
    light, rest = css.split("@media screen and (prefers-color-scheme: dark)")
    colours = _colours(light)
    if scheme == "dark":
        colours |= _colours(rest[: rest.index("*, *::before")])
    for ink in ("ink", "soft", "accent", "risk"):
        for ground in ("paper", "sheet", "accent-soft"):
            assert _contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
