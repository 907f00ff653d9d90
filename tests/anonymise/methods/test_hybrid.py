"""Hybrid: guided cuts first, then cuts that save detail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.anonymise._tight_loss import tight_loss
from sparsam.anonymise.methods._greedy import Greedy
from sparsam.anonymise.methods._guided import Guided
from sparsam.anonymise.methods._hybrid import Hybrid
from sparsam.anonymise.privacy._privacy_models import KAnonymity
from sparsam.data import read


def as_sets(tree: Any) -> set[frozenset[int]]:
    return {frozenset(rows.tolist()) for rows in tree.classes.rows()}


@settings(max_examples=60)
@given(seed=st.integers(0, 100_000), n_rows=st.integers(2, 90), k=st.integers(2, 9))
def test_without_worthwhile_answers_it_is_greedy(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int
) -> None:
    codes, attributes = random_codes(seed, max(n_rows, k))
    answers = np.random.default_rng(seed).integers(0, 2, len(codes))
    greedy = as_sets(Greedy().part(codes, attributes, KAnonymity(k)))
    unmoved = Hybrid(least_gain=np.inf).part(codes, attributes, KAnonymity(k), answers)
    alike = Hybrid(least_gain=0).part(codes, attributes, KAnonymity(k), np.zeros(len(codes), int))
    assert as_sets(unmoved) == greedy
    assert as_sets(alike) == greedy


@settings(max_examples=60)
@given(
    seed=st.integers(0, 100_000),
    n_rows=st.integers(2, 90),
    k=st.integers(2, 9),
    least_gain=st.sampled_from([0.0, 3.0, 20.0]),
)
def test_k_holds_and_nobody_is_lost(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int, least_gain: float
) -> None:
    codes, attributes = random_codes(seed, max(n_rows, k))
    answers = codes[:, 0] % 2
    tree = Hybrid(least_gain=least_gain).part(codes, attributes, KAnonymity(k), answers)
    assert tree.classes.sizes().min() >= k
    assert tree.classes.sizes().sum() == len(codes)
    assert tree.route(codes).tolist() == tree.classes.of_row.tolist()


@settings(max_examples=60)
@given(seed=st.integers(0, 100_000), n_rows=st.integers(4, 90))
def test_it_goes_on_where_guided_stops(
    random_codes: Callable[..., Any], seed: int, n_rows: int
) -> None:
    codes, attributes = random_codes(seed, n_rows)
    # Two labels that one cut of the first attribute tells apart: guided stops there.
    answers = (codes[:, 0] == codes[0, 0]).astype(int)
    guided = Guided().part(codes, attributes, KAnonymity(2), answers)
    hybrid = Hybrid(least_gain=0).part(codes, attributes, KAnonymity(2), answers)
    losses = [tight_loss(t.classes, codes, attributes).overall for t in (guided, hybrid)]
    assert hybrid.n_classes >= guided.n_classes
    assert losses[1] <= losses[0] + 1e-12


def test_chance_differences_are_not_followed() -> None:
    rng = np.random.default_rng(0)
    table = read({f"x{j}": rng.integers(0, 20, 2000) for j in range(4)})
    answers = rng.integers(0, 2, 2000)
    losses = {}
    for name, learner in (("all", Hybrid(least_gain=0)), ("some", Hybrid())):
        tree = learner.part(table.codes, table.attributes, KAnonymity(5), answers)
        losses[name] = tight_loss(tree.classes, table.codes, table.attributes).overall
    greedy = Greedy().part(table.codes, table.attributes, KAnonymity(5))
    lowest = tight_loss(greedy.classes, table.codes, table.attributes).overall
    assert losses["some"] < (lowest + losses["all"]) / 2


def test_a_clear_difference_is_followed_first() -> None:
    rng = np.random.default_rng(0)
    table = read({"wide": rng.integers(0, 99, 400), "sex": rng.choice(["f", "m"], 400)})
    answers = table.column("sex")
    tree = Hybrid().part(table.codes, table.attributes, KAnonymity(10), answers)
    assert tree.nodes.attribute[0] == 1


@pytest.mark.parametrize("least_gain", [-1.0, float("nan")])
def test_bad_gains_are_refused(least_gain: float) -> None:
    table = read({"age": [20, 21, 40]})
    with pytest.raises(ParameterError, match="'least_gain' parameter of Hybrid"):
        Hybrid(least_gain=least_gain).part(
            table.codes, table.attributes, KAnonymity(2), np.zeros(3, int)
        )
