"""What answers leave open is exact: nothing is asked that cannot matter, and nothing left out."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DocumentError, ParameterError
from sparsam.collect._questionnaire import Interview, Questionnaire
from sparsam.data import NumericDomain
from sparsam.generalization import Generalization, numeric_partition
from sparsam.generalization.recoding._recoding import Recoding
from sparsam.generalization.recoding._tree import Branch, Leaf, Node

from .recodings import AGES, random_recoding


class Oracle:
    """All full records and their outcomes, by brute force."""

    def __init__(self, recoding: Recoding) -> None:
        g = recoding.generalization
        self.names = g.names
        every = itertools.product(*(range(part.n_buckets) for part in g))
        self.outcome = {row: self._outcome(recoding, row) for row in every}

    def _outcome(self, recoding: Recoding, row: tuple[int, ...]) -> Any:
        leaf = recoding.leaves[int(recoding.leaf_of(np.array([row]))[0])]
        if leaf.prediction is not None:
            return "settled", leaf.prediction
        fed = recoding.represent_record(dict(zip(self.names, row, strict=True)), input="codes")
        return "fed", tuple(fed.items())

    def rows(self, interview: Interview) -> list[tuple[int, ...]]:
        """All completions of the answers so far."""
        left = {name: set(choice.buckets) for name, choice in interview.answers.items()}
        return [
            row
            for row in self.outcome
            if all(b in left.get(n, {b}) for n, b in zip(self.names, row, strict=True))
        ]

    def classes(self, interview: Interview, name: str) -> set[tuple[int, ...]]:
        """Buckets with the same outcomes, whatever else is answered."""
        place = self.names.index(name)
        seen: dict[int, dict[Any, Any]] = {}
        for row in self.rows(interview):
            rest = row[:place] + row[place + 1 :]
            seen.setdefault(row[place], {})[rest] = self.outcome[row]
        groups: dict[Any, list[int]] = {}
        for bucket, outcomes in seen.items():
            groups.setdefault(tuple(sorted(outcomes.items(), key=repr)), []).append(bucket)
        return {tuple(sorted(group)) for group in groups.values()}


def check_step(interview: Interview, oracle: Oracle) -> None:
    classes = {name: oracle.classes(interview, name) for name in oracle.names}
    assert set(interview.needed) == {name for name, found in classes.items() if len(found) > 1}
    for name in interview.needed:
        assert {choice.buckets for choice in interview.choices(name)} == classes[name]
        labels = [choice.label for choice in interview.choices(name)]
        assert len(set(labels)) == len(labels)
    assert interview.done == (len({oracle.outcome[row] for row in oracle.rows(interview)}) == 1)


@settings(max_examples=120)
@given(st.integers(0, 10**6))
def test_any_order_of_answers_ends_in_the_outcome_of_the_recoding(seed: int) -> None:
    recoding, rng = random_recoding(seed), random.Random(seed)
    questionnaire, oracle = Questionnaire(recoding), Oracle(recoding)
    rows = list(oracle.outcome)
    for row in rng.sample(rows, min(6, len(rows))):
        buckets = dict(zip(oracle.names, row, strict=True))
        interview = questionnaire.start()
        while not interview.done:
            check_step(interview, oracle)
            before = set(interview.needed)
            name = rng.choice(interview.needed)
            label = recoding.generalization[name].labels[buckets[name]]
            chosen = [c for c in interview.choices(name) if buckets[name] in c.buckets]
            interview = interview.answer(name, rng.choice([label, chosen[0]]))
            assert set(interview.needed) < before
            assert name not in interview.needed
        check_step(interview, oracle)
        kind, outcome = oracle.outcome[row]
        fed = interview.record()
        if kind == "fed":
            assert tuple(fed.items()) == outcome
            assert interview.prediction is None
        else:
            assert interview.prediction == outcome
            settled = [leaf for leaf in recoding.leaves.values() if leaf.prediction == outcome]
            assert fed in [leaf.record for leaf in settled]


def all_asked(depth: int) -> Recoding:
    """A tree whose every leaf has an outcome of its own."""
    names = [f"a{i}" for i in range(depth)]
    g = Generalization(numeric_partition(name, AGES, [50]) for name in names)
    nodes: list[Node] = [
        Branch(f"a{(k + 1).bit_length() - 1}", (0,), 2 * k + 1, 2 * k + 2)
        for k in range(2**depth - 1)
    ]
    nodes += [Leaf((), dict.fromkeys(names, 1), k) for k in range(2**depth)]
    return Recoding(g, {name: [1, 60] for name in names}, nodes)


def test_too_many_outcomes_to_compare_are_refused_at_once() -> None:
    recoding = all_asked(12)
    with pytest.raises(ParameterError, match="4,096 of them"):
        Questionnaire(recoding)
    inner = json.loads(recoding.to_json())
    text = json.dumps({"format": "sparsam/questionnaire", "version": 1, "recoding": inner})
    with pytest.raises(DocumentError, match="fewer leaves") as caught:
        Questionnaire.from_json(text)
    assert caught.value.path == "$.recoding.nodes"
    assert Questionnaire(all_asked(8)).start().needed == tuple(f"a{i}" for i in range(8))


def test_one_leaf_may_ask_tens_of_thousands_of_buckets() -> None:
    n = 60_000
    g = Generalization([numeric_partition("x", NumericDomain(0, n, integer=True), range(1, n))])
    q = Questionnaire(Recoding(g, {"x": list(range(n))}, [Leaf(("x",), {})]))
    interview = q.start()
    assert len(interview.choices("x")) == n
    assert interview.answer("x", 777).record() == {"x": 777}
