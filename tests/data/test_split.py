"""Parts at random, and rotations: folds that take turns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.data import Roles, Task, load_example, resolve, rotations, split


def make(seed: int, n_rows: int, *sizes: int, numeric: int = 0) -> Task:
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {
        f"c{i}": (rng.geometric(2 / size, n_rows) % size).astype(str)
        for i, size in enumerate(sizes)
    }
    if numeric:
        columns["n"] = rng.integers(0, numeric, n_rows)
    y = rng.integers(0, 3, n_rows)
    y[:2] = [0, 1]
    return resolve(columns, Roles(), y=y)


@pytest.mark.parametrize("seed", range(3))
def test_the_parts_are_plain_random_samples(seed: int):
    """Nobody is moved because of what they have: the rows depend on their number alone."""
    rare = resolve(
        {"w": [f"w{max(i, 1)}" for i in range(600)]}, Roles(categorical=["w"]), y=[0, 1] * 300
    )
    common = resolve({"w": ["a", "b"] * 300}, Roles(), y=[0] * 599 + [1])
    for one, other in zip(
        split(rare, random_state=seed).rows, split(common, random_state=seed).rows, strict=True
    ):
        np.testing.assert_array_equal(one, other)
    by_chance = np.random.default_rng(seed).permutation(600)[:360]
    assert set(split(rare, random_state=seed).rows[0]) == set(by_chance)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 300), st.integers(0, 99))
def test_the_parts_are_a_partition(seed: int, n_rows: int, random_state: int):
    task = make(seed, n_rows, 3, numeric=1000)
    parts = split(task, random_state=random_state)
    assert sorted(np.concatenate(parts.rows).tolist()) == list(range(n_rows))
    for part, rows in zip((parts.train, parts.validation, parts.test), parts.rows, strict=True):
        assert part.n_rows == len(rows) > 0
        assert (np.diff(rows) > 0).all()
        np.testing.assert_array_equal(part.codes, task.codes[rows])
        np.testing.assert_array_equal(part.target, task.target[rows])


def test_every_part_has_a_row():
    assert [len(rows) for rows in split(make(0, 3, 2)).rows] == [1, 1, 1]
    assert [len(rows) for rows in split(make(0, 6, 2)).rows] == [4, 1, 1]


def test_same_seed_same_parts():
    task = make(1, 500, 4, 7)
    one, two, other = split(task), split(task), split(task, random_state=1)
    for a, b in zip(one.rows, two.rows, strict=True):
        np.testing.assert_array_equal(a, b)
    assert one.rows[0].tolist() != other.rows[0].tolist()
    assert (one.random_state, other.random_state) == (0, 1)


def test_sizes_on_the_example():
    parts = split(resolve(load_example(), Roles("employed")))
    assert [len(rows) for rows in parts.rows] == [12_000, 2_000, 6_000]
    assert repr(parts) == "Split(12,000 / 2,000 / 6,000 rows, random_state=0)"


def test_other_fractions():
    parts = split(make(0, 1000, 4), fractions=(0.8, 0.1, 0.1))
    assert [len(rows) for rows in parts.rows] == [800, 100, 100]
    assert parts.fractions == (0.8, 0.1, 0.1)


@pytest.mark.parametrize(
    "fractions", [(0.5, 0.5), (0.6, 0.1, 0.4), (1.0, 0.0, 0.0), (1.2, -0.1, -0.1)]
)
def test_fractions_are_checked(fractions: tuple[float, ...]):
    with pytest.raises(ParameterError, match="fractions"):
        split(make(0, 50, 4), fractions=fractions)


@pytest.mark.parametrize("random_state", [-1, 0.5, None, True])
def test_the_seed_is_checked(random_state: Any):
    with pytest.raises(ParameterError, match="random_state"):
        split(make(0, 50, 4), random_state=random_state)


def test_too_few_rows():
    with pytest.raises(DataError, match="at least 3 rows"):
        split(make(0, 50, 4).take([0, 1]))


def task_of(n_rows):
    people = {"number": list(range(n_rows)), "y": ["no", "yes"] * n_rows}
    return resolve(
        {"number": people["number"], "y": people["y"][:n_rows]}, Roles("y", numeric=["number"])
    )


@settings(deadline=None)
@given(st.integers(3, 60), st.data())
def test_everyone_has_each_turn_once(n_rows, data):
    folds = data.draw(st.integers(3, n_rows))
    turns = rotations(task_of(n_rows), folds, random_state=data.draw(st.integers(0, 9)))
    everyone = list(range(n_rows))
    assert len(turns) == folds
    for part in (1, 2):
        assert sorted(np.concatenate([turn.rows[part] for turn in turns]).tolist()) == everyone
    for turn in turns:
        assert sorted(np.concatenate(turn.rows).tolist()) == everyone
        sizes = [len(rows) for rows in turn.rows]
        assert sizes[0] >= 1
        assert abs(sizes[1] - sizes[2]) <= 1


def test_parts_are_the_rows_they_say():
    task = task_of(20)
    for turn in rotations(task, 4):
        for rows, part in zip(turn.rows, (turn.train, turn.validation, turn.test), strict=True):
            np.testing.assert_array_equal(part.codes, task.codes[rows])
            np.testing.assert_array_equal(part.target, task.target[rows])
        assert sum(turn.fractions) == pytest.approx(1)


def test_the_next_fold_validates():
    turns = rotations(task_of(20), 4)
    for turn, after in zip(turns, [*turns[1:], turns[0]], strict=True):
        np.testing.assert_array_equal(turn.rows[1], after.rows[2])


def test_the_seed_decides():
    first, again, other = (rotations(task_of(30), 3, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first[0].rows[2], again[0].rows[2])
    assert not np.array_equal(first[0].rows[2], other[0].rows[2])


@pytest.mark.parametrize("folds", [0, 2, 11])
def test_too_few_or_too_many_folds(folds):
    with pytest.raises(DataError, match=rf"from 3 to the number of rows, 10\. Got {folds}"):
        rotations(task_of(10), folds)
