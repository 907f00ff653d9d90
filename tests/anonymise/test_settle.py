"""Classes that break a promise are left out, or join the nearest class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError, ReleaseError
from sparsam.anonymise._classes import Classes
from sparsam.anonymise._privacy_models import (
    AllOf,
    Closeness,
    DistinctDiversity,
    KAnonymity,
    PrivacyModel,
)
from sparsam.anonymise._sample import Layout, Sample
from sparsam.anonymise._settle import broken, settle, suppress
from sparsam.anonymise._tight_loss import tight_loss
from sparsam.anonymise.proof._verify import certify
from sparsam.data import Table, read


def sample_of(codes: Any, attributes: Any, demand: AllOf) -> Sample:
    names = tuple(attribute.name for attribute in attributes)
    layout = Layout(names, names, (), None, (), demand)
    return Sample(layout, None, Table(attributes, codes), {}, demand)


def divided(seed: int, n_rows: int, n_classes: int) -> Classes:
    rng = np.random.default_rng(seed)
    of_row = np.minimum(rng.geometric(0.3, n_rows) - 1, n_classes - 1)
    of_row[rng.random(n_rows) < 0.1] = -1
    return Classes(of_row, n_classes)


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 100_000),
    n_rows=st.integers(2, 70),
    k=st.integers(2, 9),
    budget=st.sampled_from([0.3, 0.6, 1.0]),
)
def test_every_class_keeps_the_promise_or_nothing_is_released(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int, budget: float
) -> None:
    codes, attributes = random_codes(seed, n_rows)
    before = divided(seed, n_rows, 8)
    sample = sample_of(codes, attributes, AllOf(KAnonymity(k)))
    kept = n_rows - before.n_suppressed
    if before.n_suppressed > budget * n_rows:
        with pytest.raises(ReleaseError, match="may be suppressed"):
            settle(before, sample, budget)
        return
    small = [size for size in before.sizes().tolist() if 0 < size < k]
    room = budget * n_rows - before.n_suppressed
    if kept < k and (sum(small) > room or kept == sum(small)) and small:
        with pytest.raises(ReleaseError, match="rows together do not"):
            settle(before, sample, budget)
        return
    after = settle(before, sample, budget)
    sizes = after.classes.sizes()
    assert all(size == 0 or size >= k for size in sizes.tolist())
    assert after.classes.n_suppressed <= budget * n_rows
    if sum(small) <= room and sum(small) < kept:
        assert after.n_merged == 0
        assert after.classes.n_suppressed == before.n_suppressed + sum(small)
    else:
        assert after.n_merged == sum(small)
        assert after.classes.n_suppressed == before.n_suppressed
        # nobody was parted: joining only makes classes larger
        for rows in before.rows():
            assert len(set(after.classes.of_row[rows].tolist())) <= 1


def test_a_class_joins_the_one_with_which_it_loses_least(
    random_codes: Callable[..., Any],
) -> None:
    for seed in range(40):
        codes, attributes = random_codes(seed, 60)
        of_row = np.repeat(np.arange(6), 10)
        of_row[of_row == 3] = np.array([3, 3, 0, 0, 1, 1, 2, 2, 4, 4])
        before = Classes(of_row, 6)
        after = settle(before, sample_of(codes, attributes, AllOf(KAnonymity(5))), 0.0).classes
        losses = {}
        for other in (0, 1, 2, 4, 5):
            joined = Classes(np.where(of_row == 3, other, of_row), 6)
            losses[other] = tight_loss(joined, codes, attributes).overall
        assert tight_loss(after, codes, attributes).overall == pytest.approx(min(losses.values()))


def test_values_are_looked_at_where_the_demand_does() -> None:
    hidden = {"illness": ["flu", "flu", "flu", "cold", "none", "flu"]}
    table = read({"age": [20, 21, 30, 31, 40, 41]})
    demand = AllOf(KAnonymity(2), DistinctDiversity(2, "illness")).bound(read(hidden))
    before = Classes(np.array([0, 0, 1, 1, 2, 2]), 3)
    assert broken(before, demand) == [0]
    sample = sample_of(table.codes, table.attributes, demand)
    assert settle(before, sample, 0.0).classes.of_row.tolist() == [1, 1, 1, 1, 2, 2]
    assert settle(before, sample, 0.34).classes.of_row.tolist() == [-1, -1, 1, 1, 2, 2]


def test_what_is_left_after_suppression_is_judged_anew() -> None:
    hidden = read({"illness": ["a"] * 4 + ["b"] * 4 + ["a"] * 2})
    table = read({"age": list(range(10))})
    demand = AllOf(KAnonymity(4), Closeness(0.45, "illness")).bound(hidden)
    before = Classes(np.array([0] * 2 + [1] * 2 + [0] * 2 + [1] * 2 + [2] * 2), 3)
    after = settle(before, sample_of(table.codes, table.attributes, demand), 0.2)
    assert after.classes.of_row.tolist()[-2:] == [-1, -1]
    assert broken(after.classes, demand.among(np.arange(8))) == []


ROWS = st.lists(
    st.tuples(st.integers(-1, 4), st.sampled_from(["a", "b", "c"])), min_size=1, max_size=40
)
MODELS: list[PrivacyModel] = [
    KAnonymity(4),
    AllOf(KAnonymity(2), DistinctDiversity(2, "s")),
    Closeness(0.25, "s"),
    AllOf(KAnonymity(3), Closeness(0.2, "s")),
]


@pytest.mark.parametrize("model", MODELS, ids=["k", "k and l", "t", "k and t"])
@given(ROWS)
def test_what_is_left_may_be_published(model: PrivacyModel, rows: Any) -> None:
    values = np.array([row[1] for row in rows])
    classes = Classes(np.array([row[0] for row in rows]), 5)
    bound = model.bound(read({"s": values}))
    rest = suppress(classes, bound)
    kept = rest.of_row >= 0
    assert (rest.of_row[kept] == classes.of_row[kept]).all()
    assert rest.n_suppressed >= classes.n_suppressed
    if kept.any():
        release = {"q": rest.of_row[kept], "s": values[kept]}
        certify(release, ["q"], [part.terms for part in bound.parts], suppressed=0)
    assert suppress(rest, bound).of_row.tolist() == rest.of_row.tolist()


def test_rows_that_others_trees_put_together_are_suppressed_and_counted() -> None:
    """The paper's protocol leaves 8 % of the released rows in classes below k."""
    classes = Classes(np.array([0] * 10 + [1] * 3 + [2] * 12), 3)
    rest = suppress(classes, KAnonymity(10))
    assert rest.n_suppressed == 3
    assert rest.sizes().tolist() == [10, 0, 12]
    assert suppress(classes, KAnonymity(10), budget=0.12).n_suppressed == 3
    with pytest.raises(DataError, match=r"At most 10.0% of the 25 rows .* It would take 3"):
        suppress(classes, KAnonymity(10), budget=0.1)


@pytest.mark.parametrize("budget", [-0.1, 1.5, float("nan")])
def test_a_budget_is_a_share(budget: float) -> None:
    with pytest.raises(ParameterError, match="'budget' parameter"):
        suppress(Classes(np.array([0, 0]), 1), KAnonymity(2), budget)
