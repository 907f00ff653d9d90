"""Which columns are what, and how new rows are read as the fitted ones were."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparsam._errors import ParameterError, RoleError
from sparsam.anonymise._privacy_models import AllOf, DistinctDiversity, KAnonymity
from sparsam.anonymise._sample import Layout, routing_codes
from sparsam.data import Roles

PEOPLE = {
    "age": np.array([20, 30, 40, 50]),
    "town": np.array(["Bonn", "Ulm", "Ulm", None], dtype=object),
    "ill": np.array(["flu", "?", "cold", "flu"]),
    "who": np.array([1, 1, 2, 3]),
}
PROMISE = AllOf(KAnonymity(2, entity="who"), DistinctDiversity(2, "ill"))


def layout(roles: Roles | None = None, **more: Any) -> Layout:
    settings = {"quasi_identifiers": None, "keep": (), "promise": PROMISE, **more}
    return Layout.of(list(PEOPLE), roles or Roles(), **settings)


def test_quasi_identifiers_are_all_that_is_nothing_else() -> None:
    columns = layout()
    assert columns.quasi_identifiers == ("age", "town")
    assert (columns.sensitive, columns.entity) == (("ill",), "who")
    assert layout(Roles(target="town")).quasi_identifiers == ("age",)
    assert layout(Roles(quasi_identifiers=["town"])).quasi_identifiers == ("town",)
    assert layout(quasi_identifiers=["town", "age"]).quasi_identifiers == ("age", "town")


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"quasi_identifiers": ["age", "ill"]}, ParameterError, "must not be sensitive"),
        ({"quasi_identifiers": ["who"]}, ParameterError, "must not be entity"),
        ({"quasi_identifiers": ["age"], "keep": ["age"]}, ParameterError, "must not be kept"),
        ({"quasi_identifiers": []}, ParameterError, "at least one quasi-identifier"),
        ({"keep": ["tow"]}, RoleError, "Did you mean 'town'"),
    ],
)
def test_a_column_has_one_part_to_play(more: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        layout(**more)


def test_a_sample_knows_what_promises_speak_about() -> None:
    roles = Roles(missing_values=["?"])
    sample = layout(roles).sample(PEOPLE, roles)
    assert sample.table.names == ("age", "town")
    assert sample.others["ill"].tolist() == ["flu", None, "cold", "flu"]
    assert sample.demand.holds(np.array([0, 2]))
    assert not sample.demand.holds(np.array([0, 1]))
    without = sample.without("age", keep=True)
    assert without.table.names == ("town",)
    assert without.layout.keep == ("age",)
    assert sample.demanding(3).demand.least_rows == 3


def test_new_rows_are_coded_as_the_fitted_ones_were() -> None:
    fitted = layout().sample(PEOPLE, Roles())
    new = {
        **PEOPLE,
        "age": np.array([21, 48, 99, 20]),
        "town": np.array(["Ulm", "Graz", "Bonn", None], object),
    }
    sample = layout().sample(new, Roles())
    codes, unseen = routing_codes(fitted.table.attributes, fitted.most_common(), sample)
    assert unseen == 1
    assert codes[:, 0].tolist() == [0, 3, 3, 0]
    names = ["Bonn", "Ulm", None]
    assert [names[code] for code in codes[:, 1]] == ["Ulm", "Ulm", "Bonn", None]
