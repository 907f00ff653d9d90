"""Rotations: folds that take turns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError
from sparsam.data import Roles, resolve, rotations


def task_of(n_rows):
    people = {"number": list(range(n_rows)), "y": ["no", "yes"] * n_rows}
    return resolve({"number": people["number"], "y": people["y"][:n_rows]}, Roles("y"))


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
