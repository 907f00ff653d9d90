"""The uniform minimiser: equal shares for all, the same for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam import load_example
from sparsam._errors import ParameterError
from sparsam.data import Attribute, NumericDomain, Roles, Table, Task, resolve
from sparsam.minimise import Uniform


@given(st.data())
@settings(deadline=None)
def test_every_attribute_gets_as_many_buckets_as_it_can(any_task: Any, data: st.DataObject) -> None:
    task = data.draw(any_task(most_values=8))
    buckets = data.draw(st.integers(1, 6))
    fitted = Uniform(buckets=buckets, random_state=data.draw(st.integers(0, 99))).fit_task(task)
    for attribute in task.table.attributes:
        n_buckets = fitted.generalization_[attribute.name].n_buckets
        assert 1 <= n_buckets <= buckets
        if not attribute.ordered:
            assert n_buckets == min(buckets, attribute.size)
        elif not attribute.numeric and not attribute.missing:
            assert n_buckets == min(buckets, attribute.n_values)


def test_numbers_are_cut_into_equal_widths() -> None:
    task = resolve({"age": np.arange(100)}, Roles(numeric=["age"]), y=np.arange(100) % 2)
    assert Uniform(buckets=4).fit_task(task).generalization_["age"].cuts == (25, 50, 75)


def test_widths_that_no_float_holds() -> None:
    ends = np.array([-1.7e308, -8e307, 8e307, 1.7e308])
    table = Table(
        (Attribute("n", NumericDomain(ends[0], ends[-1]), ends, ends),),
        np.arange(4, dtype=np.uint16)[:, None],
    )
    task = Task(table, np.array([0, 1, 0, 1]), ("no", "yes"), "target", (), (), Roles())
    assert Uniform(buckets=2).fit_task(task).generalization_["n"].cuts == (0,)


def test_ordered_categories_form_runs_of_equal_length() -> None:
    grades = [f"g{i}" for i in range(9)]
    roles = Roles(ordered={"grade": grades})
    task = resolve({"grade": grades * 2}, roles, y=[0, 1] * 9)
    groups = Uniform(buckets=3).fit_task(task).generalization_["grade"].groups
    assert groups == tuple(tuple(grades[i : i + 3]) for i in (0, 3, 6))


def test_groups_of_categories_are_of_equal_size() -> None:
    names = [f"c{i}" for i in range(9)]
    task = resolve({"c": names * 6}, Roles(), y=[0, 1] * 27)
    groups = Uniform(buckets=4).fit_task(task).generalization_["c"].groups
    assert sorted(map(len, groups)) == [2, 2, 2, 3]


def test_same_seed_same_groups() -> None:
    task = resolve(load_example(), Roles("employed"))
    first, again, other = (
        Uniform(random_state=seed).fit_task(task).generalization_ for seed in (3, 3, 4)
    )
    assert first == again
    assert first.partitions != other.partitions
    assert first.about["parameters"]["random_state"] == 3


def test_looks_at_nothing_but_the_domains() -> None:
    people = load_example()
    domains = {a.name: a.domain for a in people.attributes if a.name != "employed"}
    task = resolve(people, Roles("employed", domains=domains))
    fewer = task.take(np.arange(50))
    learned = [Uniform().fit_task(t).generalization_.partitions for t in (task, fewer)]
    assert learned[0] == learned[1]


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("buckets", 0),
        ("buckets", True),
        ("buckets", 1.5),
        ("random_state", None),
        ("random_state", -1),
    ],
)
def test_bad_parameters(parameter: str, value: Any, people: Any) -> None:
    with pytest.raises(
        ParameterError, match=f"The '{parameter}' parameter of Uniform must be an int"
    ):
        Uniform(Roles("hired"), **{parameter: value}).fit(people)
