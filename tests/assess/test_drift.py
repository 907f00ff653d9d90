"""A generalization that was learned once, in later periods."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam._errors import DataError, ParameterError, RoleError
from sparsam.assess import drift
from sparsam.data import Roles
from sparsam.minimise import PrivacyTree

TREE = PrivacyTree(max_leaves=4, min_leaf=20)
ROLES = Roles("works")


@pytest.fixture(scope="module")
def years(make_people):
    people = make_people(900)
    people["year"] = np.repeat([2015, 2016, 2017], 300)
    return people


def test_nothing_changes_where_nothing_drifts(years):
    result = drift(years, ROLES, "year", TREE)
    assert list(result.assessments) == ["2015", "2016", "2017"]
    for utility, risk in result.changes().values():
        assert abs(utility) < 0.12
        assert abs(risk) < 0.12
    assert result.changes()["2015"] == (0.0, 0.0)
    assert not hasattr(TREE, "generalization_")


def test_a_changed_population_shows(years):
    later = years.copy()
    turned = later["year"] == 2017
    later.loc[turned, "works"] = later.loc[turned, "works"].map({"yes": "no", "no": "yes"})
    change, _ = drift(later, ROLES, "year", TREE).changes()["2017"]
    assert change > 0.3


def test_all_periods_share_one_generalization(years):
    assessments = drift(years, ROLES, "year", TREE).assessments.values()
    assert len({assessment.generalization for assessment in assessments}) == 1
    assert "year" not in next(iter(assessments)).generalization


def test_one_period_is_not_enough(years):
    with pytest.raises(DataError, match="at least two periods"):
        drift(years[years["year"] == 2015], ROLES, "year", TREE)


def test_unknown_and_unusable_periods(years):
    with pytest.raises(RoleError, match="Did you mean 'year'"):
        drift(years, ROLES, "yaer", TREE)
    with pytest.raises(ParameterError, match="tells the periods apart"):
        drift(years, Roles("works", identifiers=["year"]), "year", TREE)


def test_massachusetts_does_not_drift(shared_data):
    duckdb = pytest.importorskip("duckdb")
    table = shared_data / "acs_employment_MA_2015_2018.parquet"
    frame = duckdb.sql(f"select * from '{table}' using sample 30000 (reservoir, 0)")
    numeric = ("AGEP", "SCHL")
    categorical = [name for name in frame.columns if name not in (*numeric, "year")]
    roles = Roles("employed", numeric=numeric, categorical=categorical)
    changes = drift(frame, roles, "year", PrivacyTree(max_leaves=10, privacy=0.7)).changes()
    assert all(abs(utility) < 0.03 and abs(risk) < 0.015 for utility, risk in changes.values())
