from __future__ import annotations

import pytest

from sparsam.explore import declared
from sparsam.explore.queries._pairs import spearman_query
from sparsam.explore.queries._query import Payment

pytest.importorskip("opendp", reason="the extra 'dp' is not installed")


def test_zero_has_a_cell_of_its_own_among_many_whole_numbers() -> None:
    domains = declared(
        {"gain": (0, 99_999, "integer"), "year": (1900, 2020, "integer"), "few": (0, 5, "integer")}
    )
    cut = spearman_query(domains, ("gain", "year"), Payment.of({"epsilon": 1})).details["edges"]
    assert cut["gain"][:2] == [0, 1]
    assert len(cut["gain"]) == len(cut["year"]) == 9
    few = spearman_query(domains, ("gain", "few"), Payment.of({"epsilon": 1})).details["edges"][
        "few"
    ]
    assert few == [0, 1, 2, 3, 4, 5, 6]
