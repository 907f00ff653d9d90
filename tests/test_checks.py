"""Parameters are refused with what was expected and what came."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam._checks import check_choice, check_names, check_share, check_whole
from sparsam._errors import ParameterError, RoleError


@pytest.mark.parametrize("value", [1, np.int64(3), 10**30])
def test_whole_numbers_pass(value: object) -> None:
    check_whole("Tree", "leaves", value, 1)


@pytest.mark.parametrize("value", [0, -1, 1.0, "1", None, True, float("nan")])
def test_other_numbers_do_not(value: object) -> None:
    with pytest.raises(ParameterError) as caught:
        check_whole("Tree", "leaves", value, 1)
    expected = f"The 'leaves' parameter of Tree must be an int >= 1. Got {value!r} instead."
    assert str(caught.value) == expected


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.25)])
def test_shares_pass(value: object) -> None:
    check_share("Tree", "privacy", value)


@pytest.mark.parametrize("value", [-0.1, 1.1, "0.5", None, True, float("nan"), float("inf")])
def test_other_shares_do_not(value: object) -> None:
    with pytest.raises(ParameterError, match=r"must be a float in \[0, 1\]\. Got"):
        check_share("Tree", "privacy", value)


@pytest.mark.parametrize("value", ["c", None, 1, ["a"]])
def test_only_the_choices_pass(value: object) -> None:
    check_choice("Tree", "by", "a", ("a", "b"))
    with pytest.raises(ParameterError, match=r"must be one of \('a', 'b'\)\. Got"):
        check_choice("Tree", "by", value, ("a", "b"))


def test_known_names_pass():
    check_names(["a", "b"], ["b", "a"])


@pytest.mark.parametrize(
    ("known", "message"),
    [
        (["age", "sex"], "'agee' is not a column. Did you mean 'age'?"),
        (["x", "y"], "'agee' is not a column. There are 'x', 'y'."),
        ([f"c{i}" for i in range(12)], "and 2 more"),
        ([], "There is none"),
    ],
)
def test_unknown_names(known: list[str], message: str):
    with pytest.raises(RoleError) as error:
        check_names(["agee"], known)
    assert message in str(error.value)


def test_the_role_is_named():
    with pytest.raises(RoleError, match="role 'sensitive'"):
        check_names(["q"], ["a"], "sensitive")
