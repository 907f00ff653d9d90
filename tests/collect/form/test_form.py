"""The page: what is in it, what it may do, and what is refused."""

from __future__ import annotations

import json
import re
import warnings
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import sparsam
from sparsam._errors import ParameterError, SparsamWarning
from sparsam.collect import AnswerTable, Form, Questionnaire, Target
from sparsam.collect._runs import runs
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

from .. import golden
from ..recodings import census, example, random_recoding

AGES = NumericDomain(0, 99, integer=True)
WAYS = CategoricalDomain(("car", "bus", "train", "tram", "bike", "foot"))
PEOPLE = Generalization(
    [
        numeric_partition("age", AGES, [17, 62]),
        categorical_partition("way", WAYS, [["car"], list(WAYS.categories[1:])]),
        numeric_partition("height", NumericDomain(0.5, 2.5), []),
    ],
    {"target": "employed"},
)


class Fields(HTMLParser):
    """Every element of a page, and what can be sent."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    @property
    def sent(self) -> dict[str, set[str | None]]:
        """For every name the values that it can be sent with."""
        values: dict[str, set[str | None]] = {}
        name = ""
        for tag, facts in self.elements:
            if "name" in facts and tag in ("input", "select", "textarea", "button"):
                name = str(facts["name"])
                values.setdefault(name, set())
                if tag == "input":
                    values[name].add(facts["value"])
            elif tag == "option" and facts.get("value"):
                values[name].add(facts["value"])
        return values


@pytest.mark.parametrize("g", [PEOPLE, golden.generalization()], ids=["people", "golden"])
@pytest.mark.parametrize("code", ["en", "de", "es", "fr", "it"])
def test_nothing_but_buckets_can_be_sent(g: Generalization, code: str) -> None:
    sendable = [part for part in g if "\n" not in part.name]
    g = Generalization(sendable)
    page = Fields(g.form(language=code).html)
    assert page.sent == {
        name: {str(bucket) for bucket in range(g[name].n_buckets)} for name in g.collected
    }
    typed = [(t, f) for t, f in page.elements if f.get("form") is not None]
    assert typed
    for _, facts in typed:  # what is typed has no name and belongs to no form
        assert "name" not in facts
        assert facts["form"] == ""
        assert facts["autocomplete"] == "off"


def test_a_page_is_one_file_that_loads_nothing() -> None:
    form = PEOPLE.form()
    assert len(form.html.encode()) < 12_000
    for tag, facts in Fields(form.html).elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "a")
        assert not {"src", "href", "style", "onclick"} & facts.keys()
    assert "http://" not in form.html
    assert "https://" not in form.html
    assert re.findall("localStorage|sessionStorage|indexedDB|cookie|fetch|XMLHttp", form.html) == []


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "it"])
def test_many_answers_are_a_small_page(language: str) -> None:
    form = Form(census(16, 60, seed=1).generalization, language=language)
    assert len(form.questions) == 16
    assert sum(len(question.options) for question in form.questions) == 123
    assert len(form.html.encode()) <= 12_000


def test_the_longest_questions_become_lists_where_a_page_would_be_large() -> None:
    def letters(name: str, n_answers: int) -> Any:
        signs = tuple(f"{sign} of {name}" for sign in "abcdefghij"[:n_answers])
        return categorical_partition(name, CategoricalDomain(signs), [[sign] for sign in signs])

    few = [letters(f"few {i}", 3) for i in range(15)]
    many = [letters(f"many {i}", 6 + i) for i in range(5)]
    listed = [question.name for question in Form(Generalization(many)).questions if question.picks]
    assert listed == []
    form = Form(Generalization([*few, *many]), target=Target("last", ("no", "yes")))
    listed = [question.name for question in form.questions if question.picks]
    assert listed == [f"many {i}" for i in range(5 - len(listed), 5)]
    assert 0 < len(listed) < 5
    assert len(form.html.encode()) <= 12_000
    # what has few answers stays as it is, though the page is larger then
    large = Form(Generalization([letters(f"few {i}", 3) for i in range(50)]))
    assert not any(question.picks for question in large.questions)
    assert len(large.html.encode()) > 12_000


def test_no_question_becomes_a_list_that_is_longer() -> None:
    places = CategoricalDomain(tuple(f"place {i}" for i in range(600)))
    groups = [list(places.categories[start::6]) for start in range(6)]
    form = Form(Generalization([categorical_partition("place", places, groups)]))
    assert not form.questions[0].picks


def test_the_policy_allows_our_own_script_and_one_place() -> None:
    form = PEOPLE.form()
    policy = form.content_security_policy
    assert f'content="{policy}"' in form.html
    assert re.fullmatch(
        r"default-src 'none'; script-src 'sha256-[\w+/=]{44}'; style-src 'sha256-[\w+/=]{44}'; "
        r"form-action 'self'; base-uri 'none'",
        policy,
    )
    far = PEOPLE.form(action="https://collect.example:8443/records?form=2")
    assert "form-action https://collect.example:8443;" in far.content_security_policy
    here = PEOPLE.form(action="http://localhost:8080/records")
    assert "form-action http://localhost:8080;" in here.content_security_policy


@pytest.mark.parametrize(
    "action",
    [
        "",
        "//evil.example/records",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://a.example;script-src *",
        "https://user@a.example/",
        "ftp://a.example/",
        "/records here",
        "/records\n",
        "mailto:a@b.example",
    ],
)
def test_an_action_that_is_no_place_to_send_to(action: str) -> None:
    with pytest.raises(ParameterError, match="'action' of a form must be"):
        PEOPLE.form(action=action)


def test_sending_in_the_clear_warns() -> None:
    with pytest.warns(SparsamWarning, match="without encryption to http://collect.example"):
        PEOPLE.form(action="http://collect.example/records")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PEOPLE.form(action="http://[::1]:8080/records")
        PEOPLE.form(action="records")


@pytest.mark.parametrize("hostile", ["</script><script>x", "<img src=x onerror=x>", "\"'><b>", "&"])
def test_names_and_labels_are_text_and_nothing_else(hostile: str) -> None:
    domain = CategoricalDomain(("a", "b", "c", "d", hostile))
    parts = [
        categorical_partition(hostile, domain, [["a"], ["b", "c", "d", hostile]]),
        numeric_partition("age", AGES, [17]),
    ]
    own = {hostile: {"question": hostile, "help": hostile}, "title": hostile}
    plain = {"x": {"question": "x", "help": "x"}, "title": "x"}
    harmless = [
        categorical_partition(
            "x", CategoricalDomain(tuple("abcde")), [["a"], ["b", "c", "d", "e"]]
        ),
        numeric_partition("age", AGES, [17]),
    ]
    tags = [tag for tag, _ in Fields(Generalization(parts).form(labels=own).html).elements]
    expected = Generalization(harmless).form(labels=plain).html
    assert tags == [tag for tag, _ in Fields(expected).elements]


def test_the_target_is_asked_too() -> None:
    target = Target("employed", ("no", "yes"))
    labels = {"employed": {"question": "Do you work?", "buckets": {"yes": "I do"}}}
    form = Form(PEOPLE, target=target, labels=labels)
    assert Fields(form.html).sent["employed"] == {"0", "1"}
    assert form.questions[-1].text == "Do you work?"
    assert [option.label for option in form.questions[-1].options] == ["no", "I do"]
    with pytest.raises(ParameterError, match="also a collected attribute"):
        Form(PEOPLE, target=Target("age", ("no", "yes")))
    table = AnswerTable.of(lambda people: people["age"], PEOPLE, takes="codes")
    for sends_nothing in ({"answers": table}, {"action": None}):
        with pytest.raises(ParameterError, match="only a form that is sent"):
            Form(PEOPLE, target=target, **sends_nothing)


def test_a_questionnaire_asks_for_the_target_last() -> None:
    target = Target("employed", ("no", "yes"))
    labels = {"employed": {"question": "Do you work?", "buckets": {"yes": "I do"}}}
    form = Form(Questionnaire(example()), target=target, labels=labels)
    assert Fields(form.html).sent["employed"] == {"0", "1"}
    assert form.questions[-1].text == "Do you work?"
    nodes, labels, ends, *_ = walk(form.html)
    assert nodes == "0:4,1:1-3;1:3,2;3:4;2:4:0.2;4:-1"
    assert labels[-1] == {}
    assert ends == [None]
    with pytest.raises(ParameterError, match="only a form that is sent"):
        Form(Questionnaire(example()), target=target, action=None)


def test_answers_are_shown_and_nothing_is_sent() -> None:
    table = AnswerTable.of(
        lambda people: [age == 1 for age in people["age"]], PEOPLE, takes="codes"
    )
    form = Form(PEOPLE, answers=table, language="de")
    assert "form-action 'none'" in form.content_security_policy
    assert "method=dialog" in form.html
    assert "<button" not in form.html
    [facts] = [facts for _, facts in Fields(form.html).elements if "data-answers" in facts]
    assert json.loads(str(facts["data-answers"])) == {
        "names": ["age", "way"],
        "shape": [3, 2],
        "answers": [0, 0, 1, 1, 0, 0],
        "classes": ["nein", "ja"],
    }
    named = Form(PEOPLE, answers=table, labels={"employed": {"buckets": {"true": "works"}}})
    assert '"works"' in named.html
    with pytest.raises(ParameterError, match="Give 'answers' too"):
        Form(PEOPLE, action=None)
    other = Generalization([numeric_partition("age", AGES, [17])])
    with pytest.raises(ParameterError, match="another generalization"):
        Form(other, answers=table)


def walk(html: str) -> Any:
    """What the script of a page walks through."""
    return json.loads(re.findall(r"<script type=application/json>(.*?)</script>", html)[0])


def test_a_questionnaire_can_send_its_buckets_only() -> None:
    asks = Questionnaire(example())
    form = asks.form()
    g = asks.recoding.generalization
    assert Fields(form.html).sent == {
        name: {str(bucket) for bucket in range(g[name].n_buckets)}
        for name in ("age", "sex", "town", "hours")
    }
    nodes, labels, ends, *_ = walk(form.html)
    assert ends == [None]  # the model's answers are not told where they are not shown
    assert nodes == "0:-1,1:1-3;1:3,2;3:-1;2:-1:0.2"
    assert labels == [{"1-3": "17 and over"}, {}, {}, {}]


def test_the_page_leads_where_the_questionnaire_does() -> None:
    for recoding in [example(), census(9, 30), *map(random_recoding, range(60))]:
        asks = Questionnaire(recoding)
        if not asks.automaton.nodes:
            continue
        form = Form(asks)
        written = walk(form.html)[0].split(";")
        assert len(written) == len(asks.automaton.nodes)
        for text, (name, ways) in zip(written, asks.automaton.nodes, strict=True):
            place, leads, several = f"{text}:".split(":")[:3]
            question = form.questions[int(place)]
            assert question.name == name
            apart = {pick.value for pick in question.picks or question.options}
            shared = [buckets for buckets, _ in ways if len(buckets) > 1]
            assert several == " ".join(map(runs, shared))
            alone = [each for each, _ in ways if len(each) == 1]
            held = {str(bucket) for buckets in shared for bucket in buckets}
            assert apart - held == {str(bucket) for (bucket,) in alone}  # and so need not be told
            assert [buckets[0] for buckets, _ in ways] == sorted(buckets[0] for buckets, _ in ways)
            afters: list[str] = []
            for after in leads.split(","):
                afters.append(after or afters[-1])
            afters += afters[-1:] * (len(ways) - len(afters))
            assert list(map(int, afters)) == [after for _, after in ways]


@pytest.mark.parametrize("size", [(9, 60), (16, 60)], ids=["9 questions", "16 questions"])
def test_a_questionnaire_is_a_small_page(size: tuple[int, int]) -> None:
    asks = Questionnaire(census(*size, seed=1))
    for language in ("en", "de", "es", "fr", "it"):
        form = Form(asks, language=language)
        assert len(form.questions) == size[0]
        assert sum(len(question.options) for question in form.questions) > 95
        assert len(form.html.encode()) < 15_000


def test_a_questionnaire_that_shows_its_answer() -> None:
    settled = next(
        recoding
        for recoding in map(random_recoding, range(100))
        if all(leaf.prediction is not None for leaf in recoding.leaves.values())
        and len(recoding.leaves) > 3
    )
    form = Questionnaire(settled).form(action=None)
    assert "form-action 'none'" in form.content_security_policy
    assert sorted(walk(form.html)[2]) == ["no", "yes"]


def test_nothing_to_ask() -> None:
    nothing = Generalization([numeric_partition("age", AGES, [])])
    with pytest.raises(ParameterError, match="nothing to ask for"):
        nothing.form()


def test_wrong_labels_are_named() -> None:
    with pytest.raises(ParameterError, match="'hat' is none"):
        PEOPLE.form(labels={"hat": {"question": "Which?"}})


def test_saving(tmp_path: Path) -> None:
    form: Any = PEOPLE.form()
    form.save(tmp_path / "form.html")
    assert (tmp_path / "form.html").read_text(encoding="utf-8") == form.html
    assert repr(form) == f"<Form: 2 questions, 5 answers, {len(form.html.encode()):,} bytes>"
    assert sparsam.collect.Form is type(form)
