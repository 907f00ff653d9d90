"""The automaton asks what interviews ask, and ends where they end."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.collect import AnswerTable, Questionnaire, _automaton
from sparsam.collect._automaton import Automaton
from sparsam.generalization import Recoding
from sparsam.generalization.recoding._tree import Leaf

from .recodings import example, random_recoding


def walked(automaton: Automaton, codes: dict[str, int]) -> tuple[dict[str, tuple[int, ...]], int]:
    """The answers of a person, in the order of the questions, and the end."""
    answers: dict[str, tuple[int, ...]] = {}
    number = 0 if automaton.nodes else -1
    while number >= 0:
        name, ways = automaton.nodes[number]
        assert name not in answers
        [(answers[name], number)] = [way for way in ways if codes[name] in way[0]]
    return answers, number


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from(["fewest", "cost", "list"]))
def test_an_automaton_asks_what_interviews_ask(seed: int, order: str) -> None:
    recoding, rng = random_recoding(seed), random.Random(seed)
    g = recoding.generalization
    costs = {name: rng.choice([0.5, 1.0, 2.0]) for name in g.names}
    kind = list(g.names) if order == "list" else order
    asks = Questionnaire(recoding, order=kind, costs=costs)  # type: ignore[arg-type]
    sent = Automaton.of(asks, predicts=False)
    settled = all(leaf.prediction is not None for leaf in recoding.leaves.values())
    shown = Automaton.of(asks, predicts=True) if settled else None
    for row in product(*(range(part.n_buckets) for part in g)):
        codes = dict(zip(g.names, row, strict=True))
        interview = asks.start()
        while (name := interview.next) is not None:
            interview = interview.answer(name, g[name].labels[codes[name]])
        expected = {name: choice.buckets for name, choice in interview.answers.items()}
        answers, _ = walked(sent, codes)
        assert answers == expected
        assert list(answers) == list(expected)
        if shown is not None:
            answers, end = walked(shown, codes)
            assert answers == expected
            assert shown.ends[-1 - end] == interview.prediction


def test_alike_states_are_one_node() -> None:
    automaton = Automaton.of(Questionnaire(example()), predicts=False)
    assert automaton.ends == (None,)
    assert automaton.names == {"age", "sex", "town", "hours"}
    assert [name for name, _ in automaton.nodes] == ["age", "sex", "hours", "town"]


def test_ends_that_only_the_model_can_answer() -> None:
    recoding = example()
    with pytest.raises(ParameterError, match="only the model can answer"):
        Automaton.of(Questionnaire(recoding), predicts=True)
    table = AnswerTable.of(
        lambda people: ["yes" if hours > 15 else "no" for hours in people["hours"]],
        recoding.generalization,
        takes=recoding,
    )
    automaton = Automaton.of(Questionnaire(recoding), predicts=True, answers=table)
    names = recoding.generalization.names
    for row in product(*(range(part.n_buckets) for part in recoding.generalization)):
        codes = dict(zip(names, row, strict=True))
        _, end = walked(automaton, codes)
        collected = [codes[name] for name in recoding.generalization.collected]
        assert automaton.ends[-1 - end] == table.answer(collected)


def test_a_table_of_something_else_is_refused() -> None:
    recoding = example()
    other = AnswerTable.of(
        lambda people: list(people["sex"]), recoding.generalization, takes="codes"
    )
    with pytest.raises(ParameterError, match="does not ask for"):
        Automaton.of(Questionnaire(recoding), predicts=True, answers=other)
    fewer = random_recoding(3)
    table = AnswerTable.of(lambda people: list(people["a0"]), fewer.generalization, takes="codes")
    with pytest.raises(ParameterError, match="another generalization"):
        Automaton.of(Questionnaire(recoding), predicts=True, answers=table)


def test_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_automaton, "_MOST_REGIONS", 2)
    with pytest.raises(ParameterError, match="at most 2 states"):
        Automaton.of(Questionnaire(example()), predicts=False)


def test_an_open_leaf_of_many_questions_is_a_chain() -> None:
    g = example().generalization
    means = example().representatives
    asked = ("age", "sex", "town", "hours")
    leaf = Leaf(asked, {"height": 1.7, "idle": "x"})
    automaton = Automaton.of(Questionnaire(Recoding(g, means, [leaf])), predicts=False)
    assert len(automaton.nodes) == 4
