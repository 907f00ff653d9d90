"""Tables that are not what they seem: every command reads the cells, and quotes none of them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from sparsam.anonymise import Mondrian
from sparsam.data import columns_of, write_columns


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_folders_that_look_like_cells(run, tmp_path: Path, ending: str):
    release = tmp_path / "age=30" / "sex=f" / f"people.{ending}"
    release.parent.mkdir(parents=True)
    alike = pd.DataFrame({"age": [30] * 40, "sex": ["f"] * 40})
    method = Mondrian(quasi_identifiers=["age", "sex"], k=5)
    made = method.fit_transform(alike)
    method.certificate_.save(tmp_path / "certificate.json")
    people = pd.DataFrame({"age": range(20, 60), "sex": ["f", "m"] * 20})
    write_columns(columns_of(people.astype(made.dtypes), ["age", "sex"]), release)

    assert "age  numeric, 40 values" in run("describe", release).stdout
    checked = run("verify", release, tmp_path / "certificate.json")
    assert checked.exit_code == 1
    assert "NO: every published record is shared by at least 5 rows" in checked.stdout
