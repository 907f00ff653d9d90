"""Every finished interview has a number, and nothing else has one."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.collect import Questionnaire
from sparsam.collect._interviews import Interviews, Unfinished
from sparsam.collect._runs import runs
from sparsam.generalization import Recoding
from sparsam.generalization.recoding._tree import Leaf

from .recodings import census, example, random_recoding


def interviewed(asks: Questionnaire, codes: dict[str, int]) -> dict[str, tuple[int, ...]]:
    """The answers of a person, by an interview."""
    interview = asks.start()
    while (name := interview.next) is not None:
        part = asks.recoding.generalization[name]
        interview = interview.answer(name, part.labels[codes[name]])
    return {name: choice.buckets for name, choice in interview.answers.items()}


def sent(answers: dict[str, tuple[int, ...]]) -> dict[str, str]:
    return {name: runs(buckets) for name, buckets in answers.items()}


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_numbers_and_interviews_are_one_to_one(seed: int) -> None:
    recoding = random_recoding(seed)
    asks = Questionnaire(recoding)
    g, interviews = recoding.generalization, Interviews(asks)
    met = set()
    for row in product(*(range(part.n_buckets) for part in g)):
        codes = dict(zip(g.names, row, strict=True))
        answers = interviewed(asks, codes)
        number = interviews.number(sent(answers))
        assert interviews.answers(number) == answers
        assert list(interviews.answers(number)) == list(answers)
        assert interviews.reduced({name: codes[name] for name in interviews.names}) == number
        whole = dict(zip(g.collected, interviews.cell(number), strict=True))
        assert interviewed(asks, {**codes, **whole}) == answers
        assert asks.resume(sent(answers)).done
        met.add(number)
    assert met == set(range(interviews.total))


def mangled(rng: random.Random, answers: dict[str, str], names: tuple[str, ...]) -> dict[str, str]:
    """Answers with one absent, one more, one finer, coarser or otherwise written."""
    changed = dict(answers)
    kind = rng.choice(["absent", "more", "other", "written", "finer"])
    name = rng.choice(list(changed) or list(names) or ["x"])
    if kind == "absent":
        changed.pop(name, None)
    elif kind == "more":
        changed[rng.choice([*names, "unknown"])] = rng.choice(["0", "1", "0-1"])
    elif kind == "other":
        changed[name] = runs(sorted(rng.sample(range(6), rng.randint(1, 4))))
    elif kind == "finer":
        changed[name] = str(rng.randrange(4))
    else:
        changed[name] = rng.choice(["", "00", "0-0", "1.0", "-1", "0,1", " 0", "0 ", "0-", "x"])
    return changed


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_nothing_else_has_a_number(seed: int) -> None:
    asks, rng = Questionnaire(random_recoding(seed)), random.Random(seed)
    interviews = Interviews(asks)
    every = [sent(interviews.answers(number)) for number in range(interviews.total)]
    for _ in range(40):
        changed = mangled(rng, rng.choice(every), interviews.names)
        if changed in every:
            assert every[interviews.number(changed)] == changed
            continue
        with pytest.raises(Unfinished) as refused:
            interviews.number(changed)
        assert refused.value.name in {*interviews.names, *changed}


def test_what_is_offered_is_told() -> None:
    interviews = Interviews(Questionnaire(example()))
    assert interviews.total == 6
    for answers, name, offered in [
        ({}, "age", ("0", "1-3")),
        ({"age": "1"}, "age", ("0", "1-3")),
        ({"age": "1-3", "sex": "0"}, "town", ("0.2", "1")),
        ({"age": "0", "sex": "0"}, "sex", ()),
    ]:
        with pytest.raises(Unfinished) as refused:
            interviews.number(answers)
        assert (refused.value.name, refused.value.offered) == (name, offered)
    with pytest.raises(Unfinished):
        interviews.reduced({"age": 1, "sex": 2, "town": 0, "hours": 0})
    assert interviews.choices["town"] == ((0, 2), (1,))
    assert interviews.longest == len("1-3" + "0" + "0.2")


def test_more_interviews_than_anybody_can_list() -> None:
    asks = Questionnaire(census(14, 60, seed=1))
    interviews = Interviews(asks)
    assert interviews.total > 10**6
    rng = random.Random(0)
    for number in [0, interviews.total - 1, *(rng.randrange(interviews.total) for _ in range(50))]:
        answers = interviews.answers(number)
        assert interviews.number(sent(answers)) == number
        assert len("".join(sent(answers).values())) <= interviews.longest
        assert asks.resume(sent(answers)).done


def test_nothing_to_ask() -> None:
    g, means = example().generalization, example().representatives
    settled = Leaf((), {name: values[0] for name, values in means.items()}, "no")
    interviews = Interviews(Questionnaire(Recoding(g, means, [settled])))
    assert interviews.total == 1
    assert interviews.number({}) == 0
    assert interviews.answers(0) == {}
    assert interviews.longest == 0
