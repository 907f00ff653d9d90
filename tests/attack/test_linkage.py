"""A7: partial records of the same people are linked through the generalized table."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.attack import Linkage, wilson_interval
from sparsam.attack._linkage import _linked, _Side, _Trial
from sparsam.data import CategoricalDomain, Split
from sparsam.generalization import Generalization, categorical_partition

Make = Callable[..., Any]


def _trial(seed: int, n_people: int = 12, n_known: int = 30) -> _Trial:
    """Random values; the bucket is the value halved."""
    rng = np.random.default_rng(seed)

    def side(size: int) -> _Side:
        value, known = rng.integers(0, size, n_people), rng.integers(0, size, n_known)
        return _Side(value, value // 2, known, known // 2)

    return _Trial(side(6), side(5))


def _paper(trial: _Trial) -> float:
    """The chance to draw the right value of A, person by person and count by count."""
    a, b = trial.first.bucket, trial.second.bucket
    n_people, total = len(a), 0.0
    for person in range(n_people):
        like_b = [z for z in range(n_people) if b[z] == b[person]]
        for value in set(trial.first.value.tolist()):
            of_value = [i for i in range(n_people) if trial.first.value[i] == value]
            bucket = a[of_value[0]]
            share = sum(a[z] == bucket for z in like_b) / len(like_b)
            within = len(of_value) / sum(a == bucket)
            total += share * within * (value == trial.first.value[person])
    return total / n_people


@pytest.mark.parametrize("seed", range(20))
def test_value_matched_is_the_papers_formula(seed: int) -> None:
    trial = _trial(seed)
    value = trial.first.value
    matched, by_chance = trial.value_matched()
    assert matched == pytest.approx(_paper(trial))
    pairs = itertools.product(value.tolist(), repeat=2)
    assert by_chance == pytest.approx(np.mean([one == other for one, other in pairs]))


@pytest.mark.parametrize("seed", range(20))
def test_beliefs_are_counts_with_back_off(seed: int) -> None:
    trial = _trial(seed)
    first, second = trial.first, trial.second
    n_people, known = len(first.value), list(range(len(first.known_value)))
    expected = np.empty((n_people, n_people))
    for i, j in np.ndindex(n_people, n_people):
        same_a = [k for k in known if first.known_value[k] == first.value[i]]
        near = [k for k in known if second.known_bucket[k] == second.bucket[j]]
        exact = [k for k in known if second.known_value[k] == second.value[j]]
        share = (len(same_a) + 1) / (len(known) + n_people)
        for people in (near, exact):
            share = (len({*same_a} & {*people}) + 20 * share) / (len(people) + 20)
        expected[i, j] = share
    np.testing.assert_allclose(trial.believed(), expected / expected.sum(axis=0))


ids = st.integers(0, 4)


@given(st.data(), st.integers(2, 12), st.integers(0, 20))
def test_weights_are_chances(data: st.DataObject, n_people: int, n_known: int) -> None:
    def side() -> _Side:
        bucket_of = data.draw(st.lists(ids, min_size=5, max_size=5))
        value = np.array(data.draw(st.lists(ids, min_size=n_people, max_size=n_people)))
        known = np.array(data.draw(st.lists(ids, min_size=n_known, max_size=n_known)), np.int64)
        return _Side(value, np.array(bucket_of)[value], known, np.array(bucket_of)[known])

    trial = _Trial(side(), side())
    for weights in (trial.weights(trial.believed()), trial.believed()):
        assert (weights >= 0).all()
        np.testing.assert_allclose(weights.sum(axis=0), 1.0)
    # The table rules no true pair out, and every pair of buckets that nobody has.
    weights = trial.weights(trial.believed())
    assert (np.diag(weights) > 0).all()
    seen = {*zip(trial.first.bucket.tolist(), trial.second.bucket.tolist(), strict=True)}
    for i, j in np.ndindex(n_people, n_people):
        possible = (int(trial.first.bucket[i]), int(trial.second.bucket[j])) in seen
        assert (weights[i, j] > 0) == possible


@pytest.fixture(scope="module")
def unique_people(make_split: Make) -> Split:
    """Everyone has a value of A and one of B that nobody else has, in no order."""
    rng = np.random.default_rng(0)
    data: Split = make_split({"a": rng.permutation(300), "b": rng.permutation(300)}, ["a"])
    # A split puts every value into training; here half of them must be new.
    train, test = np.split(rng.permutation(data.train.n_rows), 2)
    return replace(data, train=data.train.take(train), test=data.train.take(test))


def test_unique_people_are_all_linked(unique_people: Split) -> None:
    whole = Generalization.identity(unique_people.train.table)
    risk = Linkage().attack(whole, unique_people)
    assert risk.value == 0.0
    assert risk.baseline > 0.9
    assert risk.details["value_matched"] == 1.0
    assert risk.interval == pytest.approx(wilson_interval(0, risk.n))
    assert (risk.details["first"], risk.details["second"]) == (["a"], ["b"])


def test_nothing_collected_is_chance(unique_people: Split) -> None:
    nothing = Generalization.nothing(unique_people.train.table)
    risk = Linkage().attack(nothing, unique_people)
    assert risk.details["value_matched"] == pytest.approx(risk.details["value_matched_by_chance"])
    assert risk.value == pytest.approx(1 - 1 / risk.n, abs=0.04)
    assert risk.recovered == 0.0
    assert risk.details["advantage_interval"] == [0.0, 0.0]


def test_ties_are_not_favoured(make_split: Make) -> None:
    # All alike: whoever is linked to the own record is so by chance, one in each group on average.
    data = make_split({"a": np.zeros(4000), "b": np.zeros(4000)}, ["a"])
    nothing = Generalization.nothing(data.train.table)
    hits = [
        (1 - Linkage(people=20, groups=50, random_state=seed).attack(nothing, data).value) * 20
        for seed in range(4)
    ]
    assert np.mean(hits) == pytest.approx(1.0, abs=3.5 / np.sqrt(200))


def test_ties_within_weights() -> None:
    # Pairs of twins: half of them are linked, whichever order they stand in.
    weights = np.kron(np.eye(20), np.ones((2, 2)))
    rng = np.random.default_rng(0)

    def orders() -> tuple[np.ndarray, np.ndarray]:
        return rng.permutation(40), rng.permutation(40)

    rates = [_linked(weights, orders()).mean() for _ in range(100)]
    assert np.mean(rates) == pytest.approx(0.5, abs=0.06)
    assert _linked(np.eye(40), orders()).all()


def test_order_of_rows_does_not_matter(make_split: Make, make_generalization: Make) -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 30, 900)
    columns = {"a": a, "b": np.where(rng.random(900) < 0.5, a, rng.integers(0, 30, 900))}
    data = make_split(columns, ["a"])
    generalization = make_generalization(data, a=np.arange(30) // 2, b=np.arange(30) // 2)
    by_a = data.test.take(np.argsort(data.test.codes[:, 0], kind="stable"))
    n_test = data.test.n_rows
    adversary = Linkage(people=n_test)
    errors = [
        np.mean(
            [replace(adversary, random_state=s).attack(generalization, d).value for s in (1, 2)]
        )
        for d in (data, replace(data, test=by_a))
    ]
    assert errors[0] == pytest.approx(errors[1], abs=0.05)
    values = [adversary.attack(generalization, d) for d in (data, replace(data, test=by_a))]
    # With everyone in one group the paper's figure has no chance in it.
    assert values[0].details["value_matched"] == pytest.approx(values[1].details["value_matched"])


def test_a_table_that_tells_nothing_of_b_does_no_harm(
    make_split: Make, make_generalization: Make
) -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 40, 3000)
    b = np.where(rng.random(3000) < 0.9, a, rng.integers(0, 40, 3000))
    data = make_split({"a": a, "b": b}, ["a"])
    for collected in ({"a": range(40)}, {"b": range(40)}):
        risk = Linkage(people=100).attack(make_generalization(data, **collected), data)
        assert risk.baseline < 0.8  # what the training part tells of A and B is much
        assert risk.value == risk.baseline


def test_finer_tables_link_more(make_split: Make, make_generalization: Make) -> None:
    rng = np.random.default_rng(0)
    data = make_split({"a": rng.integers(0, 64, 3000), "b": rng.integers(0, 64, 3000)}, ["a"])
    risks = [
        Linkage(people=200).attack(
            make_generalization(data, a=np.arange(64) // width, b=np.arange(64) // width), data
        )
        for width in (64, 16, 4, 1)
    ]
    matched = [risk.details["value_matched"] for risk in risks]
    errors = [risk.value for risk in risks]
    assert matched == sorted(matched)
    assert errors == sorted(errors, reverse=True)
    # Of a value that three people have, nobody can say whose it is.
    assert errors[-1] < 0.95 < errors[0]


def test_buckets_beyond_the_codes_of_the_table(make_split: Make) -> None:
    # Three values in the table, the last of them in the fifth bucket of the generalization.
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(0, 3, 400) for name in "nma"}
    data = make_split(columns, ["a"])
    whole = Generalization.identity(data.train.table)
    finer = []
    for name in "nm":
        known = [f"{name}000", f"{name}001", "new", "newer", f"{name}002"]
        finer.append(
            categorical_partition(name, CategoricalDomain(tuple(known)), [[c] for c in known])
        )
    same = Generalization([*finer, whole["a"]])
    assert same["n"].lookup(data.train.table.attributes[0]).tolist() == [0, 1, 4]
    for sides in ((["n", "m"], ["a"]), (["a"], ["n", "m"])):
        adversary = Linkage(*sides, people=50)
        assert adversary.attack(same, data) == adversary.attack(whole, data)


def test_sides_may_overlap(make_split: Make, make_generalization: Make) -> None:
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(0, 12, 600) for name in "abc"}
    data = make_split(columns, ["a"])
    nothing = Generalization.nothing(data.train.table)
    apart = Linkage(["a"], ["b"], people=50).attack(nothing, data)
    shared = Linkage(["a", "c"], ["c", "b"], people=50).attack(nothing, data)
    same = Linkage(["a", "b", "c"], ["a", "b", "c"], people=50).attack(
        make_generalization(data, **{name: range(12) for name in "abc"}), data
    )
    assert shared.value < apart.value
    assert same.value < 0.1


def test_default_sides_and_groups(make_split: Make) -> None:
    rng = np.random.default_rng(0)
    data = make_split({name: rng.integers(0, 3, 500) for name in "abc"}, ["a"])
    nothing = Generalization.nothing(data.train.table)
    risk = Linkage(people=40, groups=3).attack(nothing, data)
    assert (risk.details["first"], risk.details["second"]) == (["a", "c"], ["b"])
    assert (risk.n, risk.details["people_at_once"]) == (120, 40)
    assert (risk.adversary, risk.attribute, risk.split) == ("A7 linkability", None, "test")
    few = Linkage(people=10_000, groups=3).attack(nothing, data, "validation")
    assert few.n == few.details["people_at_once"] == data.validation.n_rows
    assert few.split == "validation"


def test_same_seed_same_answer(make_split: Make, make_generalization: Make) -> None:
    rng = np.random.default_rng(0)
    data = make_split({"a": rng.integers(0, 9, 500), "b": rng.integers(0, 9, 500)}, ["a"])
    generalization = make_generalization(data, a=np.arange(9) // 2)
    first, again, other = (
        Linkage(people=50, random_state=seed).attack(generalization, data) for seed in (3, 3, 4)
    )
    assert first == again
    assert first.random_state == 3
    assert other.details != first.details


def test_too_few_people_or_attributes(make_split: Make) -> None:
    data = make_split({"a": np.arange(5) % 2, "b": np.arange(5) % 2}, ["a"])
    nothing = Generalization.nothing(data.train.table)
    assert data.validation.n_rows == 1
    with pytest.raises(DataError, match=r"at least two people\. Got 1"):
        Linkage().attack(nothing, data, "validation")
    alone = make_split({"a": np.arange(30) % 2}, ["a"])
    with pytest.raises(DataError, match="at least one attribute on each side"):
        Linkage().attack(Generalization.nothing(alone.train.table), alone)
    with pytest.raises(DataError, match="at least one attribute on each side"):
        Linkage(first=[]).attack(nothing, data)


@pytest.mark.parametrize(
    ("adversary", "message"),
    [
        (Linkage(first=["nobody"]), "'nobody' is none"),
        (Linkage(second="bb"), "'b' is none"),
        (Linkage(["a"], ["c"], people=1), "'people' parameter of Linkage must be an int >= 2"),
        (Linkage(["a"], ["c"], people=0), "'people' parameter of Linkage must be an int >= 2"),
        (Linkage(["a"], ["c"], groups=0), "'groups' parameter of Linkage must be an int >= 1"),
    ],
)
def test_bad_parameters(adversary: Linkage, message: str, make_split: Make) -> None:
    data = make_split({"a": np.arange(30) % 2, "c": np.arange(30) % 2}, ["a"])
    with pytest.raises(ParameterError, match=message):
        adversary.attack(Generalization.nothing(data.train.table), data)


def test_bad_part(make_split: Make) -> None:
    data = make_split({"a": np.arange(30) % 2, "c": np.arange(30) % 2}, ["a"])
    with pytest.raises(ParameterError, match="'part' parameter of the attack must be one of"):
        Linkage().attack(Generalization.nothing(data.train.table), data, "elsewhere")
