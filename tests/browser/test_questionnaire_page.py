"""The questionnaire in a browser: it asks what an interview asks, and sends once, at the end."""

from __future__ import annotations

import importlib.util
import random
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest

from sparsam.collect import AnswerTable, Form, Questionnaire
from sparsam.collect._runs import runs
from sparsam.generalization import Branch, Leaf, NumericPartition, Partition, Recoding

from .people import (
    BY_HAND,
    act,
    act_quickly,
    answer,
    decide,
    everything,
    mark,
    person,
    send,
)
from .test_form_page import BOTH, TYPED, Visit, check, left

ASKED = "[...document.querySelectorAll('fieldset [name]')].map(field => field.name)"


@cache
def recodings() -> ModuleType:
    """The recodings that other tests ask about."""
    place = Path(__file__).resolve().parents[1] / "collect" / "recodings.py"
    spec = importlib.util.spec_from_file_location("recodings", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def values(part: Partition) -> list[Any]:
    """A value of each bucket; the first one's where none of the domain is in it."""
    if isinstance(part, NumericPartition):
        of_buckets: list[Any] = [part.domain.low, *part.cuts]
    else:
        of_buckets = [group[0] for group in part.groups]
    others = range(len(of_buckets), part.n_buckets)
    return [*of_buckets, *(None if b == part.missing else of_buckets[0] for b in others)]


def large() -> Recoding:
    """Lists of many answers, merged and not, and oddly named attributes; some leaves are open."""
    g = everything()
    means = {part.name: values(part) for part in g}

    def leaf(*asks: str, prediction: str | None = None) -> Leaf:
        return Leaf(
            asks, {name: means[name][0] for name in g.names if name not in asks}, prediction
        )

    return Recoding(
        g,
        means,
        [
            Branch("age", (1,), 1, 2),
            Branch("elements", (3, 4, 5, 9), 3, 4),
            Branch("dataset", (0, 7), 5, 6),
            leaf("dataset", "submit"),
            leaf(prediction="no"),
            leaf("état civil", "reset", 'relation "to" & <head>', "action"),
            Branch("querySelector", (0, 2), 7, 8),
            leaf("elements"),
            leaf(prediction="yes"),
        ],
    )


def interviewed(asks: Questionnaire, record: dict[str, Any]) -> Any:
    """The interview of one person."""
    interview = asks.start()
    while (name := interview.next) is not None:
        part = asks.recoding.generalization[name]
        interview = interview.answer(name, part.labels[part.bucket(record[name])])
    return interview


@pytest.mark.parametrize("which", ["small", "large"])
def test_a_page_asks_and_sends_what_an_interview_does(
    visit: Visit, site: Any, n_people: int, which: str
) -> None:
    asks = Questionnaire(large() if which == "large" else recodings().example())
    g, rng = asks.recoding.generalization, random.Random(17)
    page = visit(asks.form().html)
    told = set()
    for number in range(n_people):
        quickly = number >= BY_HAND
        record = person(g, rng)
        interview = interviewed(asks, record)
        expected = list(interview.answers)
        steps = [
            (decide(g[name], record[name], rng, assisted=True), g[name].bucket(record[name]))
            for name in expected
        ]
        if quickly:
            shown = act_quickly(page, steps)
        else:
            shown = []
            for step in steps:
                assert not page.get_by_role("button").is_visible()
                act(page, *step)
                shown.append(list(dict.fromkeys(page.evaluate(ASKED))))
        assert shown == [expected[: place + 1] for place in range(1, len(expected))] + [expected]
        region = {name: runs(choice.buckets) for name, choice in interview.answers.items()}
        assert page.text_content(".sent code") == urlencode(region)
        request = send(page, site, quickly=quickly)
        assert (request.method, request.path) == ("POST", "/records")
        assert request.body == urlencode(region).encode()
        assert asks.resume(dict(parse_qsl(request.body.decode()))) == interview
        told.add(frozenset({**request.headers, "content-length": ""}.items()))
        page.goto(f"{site.address}/")
    [headers] = map(dict, told)
    assert not {"cookie", "referer"} & headers.keys()
    assert set(page.asked_for) == {f"{site.address}/", f"{site.address}/records"}
    assert page.complaints == []


@pytest.mark.parametrize("which", ["small", "large"])
def test_without_javascript_everything_is_asked(
    visit: Visit, site: Any, n_people: int, which: str
) -> None:
    asks = Questionnaire(large() if which == "large" else recodings().example())
    g, rng = asks.recoding.generalization, random.Random(18)
    page = visit(asks.form().html, javascript=False)
    assert "would ask you fewer questions" in page.locator("noscript p:visible").first.inner_text()
    for number in range(n_people):
        quickly = number >= BY_HAND
        record = person(g, rng)
        codes = {name: g[name].bucket(record[name]) for name in asks.names}
        steps = [
            (decide(g[name], record[name], rng, assisted=False), codes[name]) for name in asks.names
        ]
        if quickly:
            act_quickly(page, steps)
        else:
            for step in steps:
                act(page, *step)
        request = send(page, site, quickly=quickly)
        assert request.body == urlencode(codes).encode()
        sent = asks.resume(dict(parse_qsl(request.body.decode())))
        assert sent == interviewed(asks, record)
        page.goto(f"{site.address}/")


def test_random_questionnaires_show_what_interviews_predict(
    visit: Visit, site: Any, n_people: int
) -> None:
    settled = [
        recoding
        for recoding in map(recodings().random_recoding, range(400))
        if all(leaf.prediction is not None for leaf in recoding.leaves.values())
        and len(Questionnaire(recoding).start().needed) > 1
    ]
    for seed, recoding in enumerate(settled[: max(3, n_people // 10)]):
        asks = Questionnaire(recoding)
        g, rng = recoding.generalization, random.Random(seed)
        page = visit(asks.form(action=None).html)
        site.requests.clear()
        for _ in range(3):
            record = person(g, rng)
            interview = interviewed(asks, record)
            for name in interview.answers:
                answer(page, g[name], record[name], rng, assisted=True)
            assert page.locator(".sent").inner_text() == f"The answer: {interview.prediction}"
        assert site.requests == []
        assert page.complaints == []
        page.context.close()


def test_the_model_answers_in_the_page(visit: Visit, site: Any) -> None:
    recoding = recodings().example()
    g = recoding.generalization
    table = AnswerTable.of(
        lambda people: ["much" if hours > 15 else "little" for hours in people["hours"]],
        g,
        takes=recoding,
    )
    page = visit(Form(Questionnaire(recoding), answers=table).html)
    site.requests.clear()
    for hours, said in ((5, "little"), (38, "much")):
        mark(page, "age", 2)
        mark(page, "sex", 1)
        assert not page.locator(".sent").is_visible()
        page.get_by_label(TYPED).last.fill(str(hours))
        assert page.locator(".sent").inner_text() == f"The answer: {said}"
        page.keyboard.press("Enter")
        mark(page, "age", 0)  # and begin again
        assert page.locator(".sent").inner_text() == "The answer: little"
    assert site.requests == []


def test_people_change_their_minds(visit: Visit, site: Any) -> None:
    page = visit(Questionnaire(recodings().example()).form().html)
    mark(page, "age", 2)
    mark(page, "sex", 0)
    mark(page, "town", 1)
    assert page.get_by_role("button").is_visible()
    mark(page, "sex", 1)  # men are asked something else
    assert list(dict.fromkeys(page.evaluate(ASKED))) == ["age", "sex", "hours"]
    assert page.locator(".sent code").inner_text() == "age=1-3&sex=1"
    site.requests.clear()
    page.keyboard.press("Enter")  # too early: nothing happens
    page.wait_for_timeout(100)
    assert site.requests == []
    page.get_by_label(TYPED).first.fill("12")  # nothing more is needed of children
    assert page.evaluate(ASKED) == ["age", "age"]
    assert page.get_by_role("button").is_visible()
    page.get_by_label(TYPED).first.fill("")
    assert not page.get_by_role("button").is_visible()
    mark(page, "age", 0)
    page.get_by_role("button").click()
    page.get_by_text("Thanks.").wait_for()
    assert site.requests[0].body == b"age=0"


def test_on_paper_everything_is_asked(visit: Visit) -> None:
    page = visit(Questionnaire(recodings().example()).form().html)
    page.evaluate("window.counts = []")
    page.evaluate(
        """addEventListener("beforeprint",
             () => counts.push(document.querySelectorAll("fieldset").length))"""
    )
    page.pdf()
    assert page.locator("fieldset").count() == 1
    mark(page, "age", 2)
    page.pdf()
    assert page.evaluate("counts") == [4, 2]
    assert page.locator("[name=age]:checked").count() == 1


@BOTH
def test_nothing_is_left_after_going_back(visit: Visit, site: Any, javascript: bool) -> None:
    page = visit(Questionnaire(recodings().example()).form().html, javascript)
    for name, bucket in (("age", 1), ("sex", 0), ("town", 1)):
        mark(page, name, bucket)
    if not javascript:
        mark(page, "hours", 0)
    page.get_by_role("button").click()
    page.get_by_text("Thanks.").wait_for()
    page.go_back()
    page.locator("form > div > *").first.wait_for()
    assert left(page) == []
    assert page.locator("form > div > *").count() == (1 if javascript else 4)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_screen_reader_stumbles_over_nothing(visit: Visit, axe: str, scheme: str) -> None:
    size = {"width": 360, "height": 800}
    form = Questionnaire(large()).form()
    page = visit(form.html, color_scheme=scheme, viewport=size, bypass_csp=True)
    page.evaluate(axe)
    mark(page, "age", 0)
    mark(page, "dataset", 7)
    mark(page, "reset", 1)
    check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
