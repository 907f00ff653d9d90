from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from sparsam.data import Roles, open_as, open_source, read

ROLES = Roles(missing_values=["?"], missing_in={"age": ["-9"], "sex": ["N", "9"]})
ROWS = {"age": [30, -9, 41, 9], "sex": ["f", "N", "?", "9"], "pay": [1.5, -9.0, 2.5, 3.5]}


@pytest.mark.parametrize("kind", ["csv", "parquet", "pandas", "mapping", "array of one type"])
def test_the_same_is_missing_however_the_table_comes(tmp_path: Path, kind: str):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ROWS)
    source: object = frame
    if kind == "csv":
        source = tmp_path / "people.csv"
        frame.to_csv(source, index=False)
    elif kind == "parquet":
        source = tmp_path / "people.parquet"
        frame.to_parquet(source)
    elif kind == "mapping":
        source = ROWS
    elif kind == "array of one type":
        source = {name: np.array(values) for name, values in ROWS.items()}
    columns = open_as(source, ROLES).columns(["age", "sex", "pay"])
    assert [None if a != a else a for a in columns["age"].tolist()] == [30, None, 41, 9]
    assert columns["sex"].tolist() == ["f", None, None, None]
    assert columns["pay"].tolist() == ROWS["pay"]  # -9 means missing in age alone
    table = read(source, roles=ROLES)
    assert table.attribute("age").numeric
    assert table.attribute("age").lows.tolist() == [9, 30, 41]
    assert [attribute.missing for attribute in table.attributes] == [True, True, False]


def test_categories_in_a_dictionary_and_odd_numbers():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"sex": pd.Categorical(["f", "N", "m"], ["N", "f", "m"], ordered=True)})
    table = read(frame, roles=Roles(missing_values=["N"]))
    assert table.attributes[0].domain.categories == ("f", "m")
    assert table.attributes[0].missing
    odd = {"x": [Decimal(-9), True, 3, None]}
    kept = open_as(odd, Roles(missing_values=["-9", "1"])).columns(["x"])["x"]
    assert kept.tolist() == [None, True, 3, None]


def test_what_says_nothing_of_missing_opens_the_table_as_it_is():
    opened = open_source(ROWS)
    assert open_as(opened, Roles()) is opened
    once = open_as(opened, ROLES)
    assert open_as(once, Roles(missing_values=["f"])) is once
    assert (once.names, once.n_rows) == (("age", "sex", "pay"), 4)
