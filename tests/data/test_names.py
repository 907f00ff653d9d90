from __future__ import annotations

import pytest

from sparsam._errors import RoleError
from sparsam.data._names import check_names


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
