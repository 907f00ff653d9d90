from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, RoleError
from sparsam.data import Roles, Target, read, resolve

numbers = st.floats(-1e9, 1e9)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("employed", Target("employed")),
        ("income>50000", Target("income", ">", (50000.0,))),
        (" income  >= -1.5e3 ", Target("income", ">=", (-1500.0,))),
        ("income < .5", Target("income", "<", (0.5,))),
        ("the income<=50_000", Target("the income", "<=", (50000.0,))),
        ("income in bins(20000,50000)", Target("income", "bins", (20000.0, 50000.0))),
        ("income in bins ( 1 )", Target("income", "bins", (1.0,))),
    ],
)
def test_parse(text: str, target: Target):
    assert Target.parse(text) == target


@pytest.mark.parametrize(
    "text",
    ["income>", "income>many", "income in bins()", "income in bins(2,1)", "income in bins(1,x)"],
)
def test_unreadable_expressions(text: str):
    with pytest.raises(RoleError, match="target"):
        Target.parse(text)


@settings(deadline=None)
@given(st.lists(numbers, min_size=1, max_size=40), numbers, st.sampled_from([">", ">=", "<", "<="]))
def test_a_comparison_is_exact_on_the_values(values: list[float], edge: float, sign: str):
    target = Target.parse(f"x{sign}{edge!r}")
    found = target.segments(np.array(values)) == 1
    above = {">": np.greater, "<=": np.greater, ">=": np.greater_equal, "<": np.greater_equal}
    assert found.tolist() == above[sign](values, edge).tolist()


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("x>5", ("x <= 5", "x > 5")),
        ("x<=5", ("x <= 5", "x > 5")),
        ("x>=5.5", ("x < 5.5", "x >= 5.5")),
        ("x in bins(1,3)", ("x under 1", "x 1 to under 3", "x 3 and over")),
        ("x", ()),
    ],
)
def test_classes(text: str, classes: tuple[str, ...]):
    assert Target.parse(text).classes == classes


def test_many_values_are_cut_where_the_target_is():
    values = np.random.default_rng(0).permutation(200_000) / 3
    source = {"x": values, "y": np.tile([0, 1], 100_000)}
    roles = Roles("x>1234.5")
    task = resolve(read(source, roles=roles), roles)
    assert task.target.tolist() == (values > 1234.5).astype(int).tolist()
    with pytest.raises(DataError, match=r"(?s)'x' was cut into bins.*Hint: read the table with"):
        resolve(read(source), roles)


def test_an_expression_needs_a_number():
    with pytest.raises(RoleError, match="'sex' to be numeric"):
        resolve({"sex": ["f", "m"], "age": [1, 2]}, Roles("sex>3"))


def test_a_column_may_be_named_like_an_expression():
    task = resolve({"x>3": ["a", "b"], "x": [1, 2]}, Roles("x>3"))
    assert (task.classes, task.names) == (("a", "b"), ("x",))


def test_dates_and_times_to_compare_with() -> None:
    target = Target.parse("birth in bins(1960-01-01, 1970-01-01)")
    assert [str(edge) for edge in target.edges] == ["1960-01-01", "1970-01-01"]
    assert target.classes[0] == "birth under 1960-01-01"
    assert Target.parse("arrival>=8:30").classes == ("arrival < 08:30", "arrival >= 08:30")
    with pytest.raises(RoleError, match="A target must be"):
        Target.parse("birth>1960-02-30")
