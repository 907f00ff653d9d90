"""The iterative minimiser: takes away what the task can spare, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam import load_example, sweep
from sparsam._errors import DataError, ParameterError
from sparsam.data import Roles, Task, resolve, split
from sparsam.minimise import Constraints, Iterative
from sparsam.minimise._groupings import Groupings, logistic_scores
from sparsam.minimise._iterative import HeldOut
from sparsam.minimise._partitions import full_resolution


@pytest.fixture(scope="module")
def example() -> Task:
    return resolve(load_example(), Roles("employed")).take(np.arange(4000))


def _made_up(n_rows: int = 3000, *, n_classes: int = 2) -> Task:
    """Colour and age decide, shape does not."""
    rng = np.random.default_rng(1)
    colour = rng.integers(0, 6, n_rows)
    age = rng.integers(0, 80, n_rows)
    odd, old = colour % 2, (age >= 40).astype(int)
    wanted = odd * old if n_classes == 2 else odd + old
    columns = {
        "colour": np.array([f"c{c}" for c in colour], dtype=object),
        "age": age,
        "shape": np.array([f"s{s}" for s in rng.integers(0, 5, n_rows)], dtype=object),
    }
    return resolve(columns, Roles(), y=[f"class {w}" for w in wanted])


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_never_more_buckets_than_the_start_and_constraints_hold(
    any_task: Any, data: st.DataObject
) -> None:
    task = data.draw(any_task(most_values=8))
    first, last = task.names[0], task.names[-1]
    demands = data.draw(
        st.sampled_from(
            [
                Constraints(),
                Constraints(must_drop=[first]),
                Constraints(must_keep=[first]),
                Constraints(max_buckets={last: 2}),
            ]
        )
    )
    buckets, loss = data.draw(st.integers(1, 5)), data.draw(st.sampled_from([0.0, 0.1, 1.0]))
    fitted = Iterative(buckets=buckets, max_utility_loss=loss, constraints=demands).fit_task(task)
    for attribute in task.table.attributes:
        n_buckets = fitted.generalization_[attribute.name].n_buckets
        most = 1 if attribute.name in demands.must_drop else buckets
        most = min(most, demands.max_buckets.get(attribute.name, most))
        if attribute.name in demands.must_keep:
            assert n_buckets == attribute.size
            assert attribute.name not in fitted.order_
        else:
            assert n_buckets <= (1 if loss == 1 else most)


@given(st.data())
@settings(deadline=None, max_examples=30)
def test_buckets_of_ordered_attributes_are_runs(any_task: Any, data: st.DataObject) -> None:
    task = data.draw(any_task(most_values=8))
    groupings = Groupings(task, Constraints(), 4)
    for a, attribute in enumerate(task.table.attributes):
        for most in range(1, 6):
            buckets = groupings.at_most(a, most)
            assert np.unique(buckets).tolist() == list(range(buckets.max() + 1))
            assert buckets.max() < most
            if attribute.ordered:
                assert (np.diff(buckets[: attribute.n_values]) >= 0).all()


def test_only_what_decides_is_collected() -> None:
    fitted = Iterative().fit_task(_made_up())
    generalization = fitted.generalization_
    assert generalization.collected == ("colour", "age")
    assert {frozenset(g) for g in generalization["colour"].groups} == {
        frozenset(["c0", "c2", "c4"]),
        frozenset(["c1", "c3", "c5"]),
    }
    assert fitted.order_[0] == "shape"
    assert fitted.utility_loss_ <= 0.01


def test_stops_where_one_bucket_fewer_costs_too_much_even_if_two_fewer_would_not() -> None:
    task = _made_up()
    # Old is from 40 of 80: two and four quantiles cut there, three do not.
    four, two = (Iterative(buckets=k).fit_task(task).generalization_["age"] for k in (4, 2))
    assert (four.n_buckets, two.n_buckets) == (4, 2)


def test_three_classes_are_scored_along_the_line_that_parts_them() -> None:
    fitted = Iterative(max_utility_loss=0.02).fit_task(_made_up(n_classes=3))
    assert fitted.generalization_["colour"].n_buckets == 2
    assert "shape" not in fitted.generalization_.collected


def test_one_class_only_has_no_scores() -> None:
    task = _made_up(60)
    alone = task.take(np.flatnonzero(task.target == 0))
    scores = logistic_scores(alone, [full_resolution(a) for a in alone.table.attributes])
    assert not any(score.any() for score in scores)


def test_all_loss_permitted_collects_nothing_and_none_permitted_something(example: Task) -> None:
    none, all_of_it = (
        Iterative(max_utility_loss=loss).fit_task(example).generalization_ for loss in (0, 1)
    )
    assert none.collected
    assert not all_of_it.collected


def test_loss_stays_within_what_is_permitted(example: Task) -> None:
    for loss in (0.01, 0.05):
        fitted = Iterative(max_utility_loss=loss).fit_task(example)
        held_out = HeldOut(example, 0)
        lookups = [fitted.generalization_[a.name].lookup(a) for a in example.table.attributes]
        full = [full_resolution(a) for a in example.table.attributes]
        error = held_out.classification_error(lookups)
        assert error - held_out.classification_error(full) <= loss + 1e-9
        assert fitted.utility_loss_ <= loss + 1e-9


def test_a_start_that_costs_too_much_is_only_reduced_for_free() -> None:
    rng = np.random.default_rng(0)
    number = rng.integers(0, 64, 4000)
    noise = rng.integers(0, 9, 4000)
    # No four quantiles follow a target that turns at every step.
    task = resolve({"number": number, "noise": noise}, Roles(), y=number % 2)
    fitted = Iterative(max_utility_loss=0.05).fit_task(task)
    assert fitted.utility_loss_ > 0.3


def test_missing_values_have_a_bucket_of_their_own() -> None:
    rng = np.random.default_rng(3)
    age = rng.integers(0, 50, 2000).astype(float)
    age[rng.random(2000) < 0.3] = np.nan
    task = resolve({"age": age}, Roles(), y=np.isnan(age))
    partition = Iterative().fit_task(task).generalization_["age"]
    assert partition.n_buckets > 1
    shared = [partition.bucket(value) for value in (0.0, 25.0, 49.0)]
    assert partition.bucket(None) not in shared


def test_missing_values_join_the_more_similar_of_two_runs() -> None:
    age = np.tile([*range(50), *[np.nan] * 20], 10)
    task = resolve({"age": age}, Roles(), y=np.nan_to_num(age, nan=49) > 24)
    buckets = Groupings(task, Constraints(), 4).at_most(0, 2)
    assert buckets.tolist() == [0] * 25 + [1] * 26


def test_quantiles_hold_equally_many_people() -> None:
    age = np.repeat(np.arange(8), [100, 1, 1, 1, 1, 1, 1, 294])
    task = resolve({"age": age}, Roles(), y=np.arange(400) % 2)
    assert Groupings(task, Constraints(), 4).at_most(0, 2).tolist() == [0] * 7 + [1]


def test_a_hierarchy_gives_the_buckets() -> None:
    ancestors = {f"c{c}": ["odd" if c % 2 else "even"] for c in range(6)}
    demands = Constraints(hierarchies={"colour": ancestors}, must_keep=["shape"])
    generalization = Iterative(constraints=demands).fit_task(_made_up()).generalization_
    assert generalization["colour"].groups == (("c0", "c2", "c4"), ("c1", "c3", "c5"))
    assert generalization["shape"].n_buckets == 5


def test_an_attribute_in_full_resolution_is_known_and_others_count_by_weight() -> None:
    task = _made_up()
    held_out = HeldOut(task, 0)
    full = [full_resolution(a) for a in task.table.attributes]
    assert held_out.adversary_error(full) == 0
    without = [full[0], full[1], full[2] * 0]
    # Shape is one of two personal attributes, and nothing tells which of its five values it is.
    assert held_out.adversary_error(without) == pytest.approx(0.8 / 2, abs=0.03)


def test_same_seed_same_answer(example: Task) -> None:
    first, again, other = (Iterative(random_state=seed).fit_task(example) for seed in (3, 3, 4))
    assert first.generalization_ == again.generalization_
    assert first.utility_loss_ == again.utility_loss_ != other.utility_loss_
    assert first.generalization_.about["parameters"]["random_state"] == 3


def test_path_is_the_same_as_single_fits(example: Task) -> None:
    iterative = Iterative(buckets=3)
    path = iterative.path(example, (0.0, 0.1, 0.5))
    losses = [generalization.about["parameters"]["max_utility_loss"] for generalization in path]
    assert losses == sorted(set(losses))
    for loss, generalization in zip(losses, path, strict=True):
        alone = Iterative(buckets=3, max_utility_loss=loss).fit_task(example)
        assert alone.generalization_ == generalization


def test_in_a_sweep_by_name(example: Task) -> None:
    front = sweep(split(example.take(np.arange(900))), minimisers=["iterative"], n_jobs=1)
    assert {point.candidate.minimiser for point in front.points} == {"iterative"}
    assert all("max utility loss" in point.candidate.label for point in front.points)


def test_two_rows_cannot_be_held_out_from() -> None:
    with pytest.raises(DataError, match="at least 3 rows"):
        Iterative().fit(np.array([[0.0], [1.0]]), [0, 1])


@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        ("buckets", 0, "an int >= 1"),
        ("buckets", True, "an int >= 1"),
        ("max_utility_loss", -0.1, r"a float in \[0, 1\]"),
        ("max_utility_loss", "small", r"a float in \[0, 1\]"),
        ("max_utility_loss", float("nan"), r"a float in \[0, 1\]"),
        ("random_state", None, "an int >= 0"),
        ("unseen", "guess", "one of"),
    ],
)
def test_bad_parameters(parameter: str, value: Any, expected: str, people: Any) -> None:
    with pytest.raises(
        ParameterError, match=f"The '{parameter}' parameter of Iterative must be {expected}"
    ):
        Iterative(Roles("hired"), **{parameter: value}).fit(people)
