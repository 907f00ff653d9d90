"""Bodies: what is a finished interview, and what is none."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.collect import Questionnaire
from sparsam.collect._interviews import Interviews
from sparsam.collect._runs import runs
from sparsam.collect.door._interview import InterviewShape
from sparsam.collect.door._record import Refused

from ..recodings import census, example
from .stand_in import WORKS

pytest.importorskip("starlette")

INTERVIEWS = Interviews(Questionnaire(example()))
SHAPE = InterviewShape(INTERVIEWS)
JUDGED = InterviewShape(INTERVIEWS, WORKS)
NAMES = {"age": 4, "sex": 2, "town": 3, "hours": 3}


def refused(body: bytes, form: bool = False, shape: InterviewShape = SHAPE) -> Refused:
    with pytest.raises(Refused) as caught:
        shape.from_form(body) if form else shape.from_json(body)
    return caught.value


def written(number: int) -> dict[str, int | str]:
    answers = INTERVIEWS.answers(number)
    return {name: b[0] if len(b) == 1 else runs(b) for name, b in answers.items()}


@pytest.mark.parametrize("number", range(6))
def test_every_interview_is_taken(number: int) -> None:
    record = written(number)
    assert SHAPE.from_json(json.dumps(record).encode()) == (number,)
    assert SHAPE.from_form(urlencode(record).encode()) == (number,)
    turned = dict(reversed(record.items()))
    assert SHAPE.from_json(json.dumps(turned).encode()) == (number,)
    for works in (0, 1):
        judged = {**record, "works": works}
        assert JUDGED.from_json(json.dumps(judged).encode()) == (number, works)
        assert JUDGED.from_form(urlencode(judged).encode()) == (number, works)


def test_without_scripts_everything_is_asked_and_only_the_interview_is_left() -> None:
    assert SHAPE.from_form(b"age=0&sex=1&town=1&hours=2") == (0,)
    assert SHAPE.from_form(b"age=3&sex=0&town=2&hours=2") == (1,)
    assert SHAPE.from_form(b"age=2&sex=1&town=2&hours=0") == (3,)
    assert JUDGED.from_form(b"age=2&sex=1&town=2&hours=0&works=1") == (3, 1)
    # a program has no such excuse
    body = b'{"age": 2, "sex": 1, "town": 2, "hours": 0}'
    assert refused(body).attributes == {"age": "must come once, as one of 0, 1-3"}
    assert list(refused(b"age=4&sex=1&town=2&hours=0", form=True).attributes) == ["age"]
    assert list(refused(b"age=1&sex=0&town=2", form=True).attributes) == ["age"]


def test_what_is_offered_is_named() -> None:
    assert refused(b"{}").attributes == {"age": "must come once, as one of 0, 1-3"}
    missing = refused(b'{"age": "1-3", "sex": 0}')
    assert missing.attributes == {"town": "must come once, as one of 0.2, 1"}
    more = refused(b'{"age": 0, "sex": 1}')
    assert list(more.attributes) == ["sex"]
    assert "must not come" in more.attributes["sex"]
    twice = refused(b'{"age": 0, "age": 0}')
    assert twice.attributes == {"age": "must come once"}
    unknown = refused(b'{"age": 0, "race": 1}')
    assert "others came as well" in str(unknown)
    assert unknown.attributes == {}
    judged = refused(b'{"age": 0}', shape=JUDGED)
    assert judged.attributes == {"works": "must come once, as a whole number from 0 to 1"}


@pytest.mark.parametrize(
    "value",
    ["1", "2", "4", "-1", "1.0", "0.0", "true", "false", "null", '"0"', '"1"', '"1-2"', '"1-4"',
     '"1.2.3"', '"1-2.3"', '"1-1"', '"01-3"', '"1-3 "', '" 1-3"', '"1–3"', '""', "[1,2,3]", "{}",
     "NaN", "1e0", "9" * 4000, '"' + "1." * 500 + '1"', '"\\ud800"'],
)  # fmt: skip
def test_an_answer_is_written_in_one_way(value: str) -> None:
    body = b'{"age": %s, "sex": 0, "town": 1}' % value.encode()
    refusal = refused(body)
    assert (refusal.status, list(refusal.attributes)) == (422, ["age"])
    assert "4" not in str(refusal) + str(refusal.attributes)


@pytest.mark.parametrize("value", ["1", "1-2", "0-3", "1.2.3", "1-3+", "%311-3", "1%2D3%00", ""])
def test_an_answer_in_a_form_is_written_in_one_way(value: str) -> None:
    refusal = refused(f"age={value}&sex=0&town=1".encode(), form=True)
    assert (refusal.status, list(refusal.attributes)) == (422, ["age"])


def test_many_answers_are_not_listed() -> None:
    shape = InterviewShape(Interviews(Questionnaire(census(14, 60, seed=1))))
    known, shown = {}, ""
    while "answers that /schema offers" not in shown and known is not None:
        (name, shown), *_ = refused(json.dumps(known).encode(), shape=shape).attributes.items()
        if "one of the" not in shown:
            first = shown.removeprefix("must come once, as one of ").split(", ")[0]
            known[name] = int(first) if first.isdigit() else first
    assert "as one of the" in shown


def test_the_longest_interview_can_be_sent() -> None:
    for number in range(INTERVIEWS.total):
        assert len(urlencode({**written(number), "works": 1})) <= JUDGED.longest


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 5) | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
) | st.sampled_from(["1-3", "0.2", "0-1", "1-2", "0", "1"])


@settings(max_examples=200)
@given(st.dictionaries(st.sampled_from([*NAMES, "race"]), json_values))
def test_whatever_is_accepted_is_an_interview(record: dict[str, Any]) -> None:
    every = [written(number) for number in range(6)]
    same = [n for n, known in enumerate(every) if _alike(known, record)]
    body = json.dumps(record).encode()
    if same:
        assert SHAPE.from_json(body) == (same[0],)
    else:
        assert refused(body).status == 422


def _alike(known: dict[str, Any], record: dict[str, Any]) -> bool:
    return known == record and all(type(known[name]) is type(record[name]) for name in known)


@given(st.binary(max_size=60))
def test_noise_is_refused(body: bytes) -> None:
    assert refused(body).status in (400, 422)
    assert refused(body, form=True).status in (400, 422)
