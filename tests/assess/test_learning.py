"""A large training part: few learn, everyone is counted and judged."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam.assess import _learning, assess_generalization
from sparsam.assess._learning import learning_part
from sparsam.data import Roles, read, resolve, split
from sparsam.generalization import Generalization


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    columns = {"a": rng.integers(0, 4, 900), "b": rng.choice(["x", "y", "z"], 900)}
    roles = Roles("y", categorical=("a",))
    return split(resolve(read({**columns, "y": columns["a"] > 1}, roles=roles), roles))


def test_a_small_part_is_learned_from_as_it_is(data):
    assert learning_part(data) is data


def test_of_a_large_part_some_are_drawn(data, monkeypatch):
    monkeypatch.setattr(_learning, "MOST_PEOPLE", 100)
    learned = learning_part(data)
    assert learned.train.n_rows == 100
    assert (learned.validation, learned.test) == (data.validation, data.test)
    assert learning_part(data) is learned


def test_everyone_is_counted_and_judged(data, monkeypatch):
    everything = Generalization.identity(data.train.table)
    whole = assess_generalization(everything, data)
    monkeypatch.setattr(_learning, "MOST_PEOPLE", 100)
    some = assess_generalization(everything, data)
    assert some.class_sizes == whole.class_sizes
    assert some.information_loss == whole.information_loss
    assert some.utility.n_records == whole.utility.n_records == data.test.n_rows
