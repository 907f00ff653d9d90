"""A release is in its place only as it was read again, in an order that says nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import ParameterError, ReleaseError
from sparsam.anonymise import Anonymiser, Certificate, DistinctDiversity, verify
from sparsam.anonymise._release import _ranks, row_order
from sparsam.data import columns_of, write_columns

ROWS = {"age": np.repeat([30, 40, 50], 20), "job": np.array(list("abcde") * 12, object)}


@given(st.permutations(range(12)), st.integers(0, 3))
def test_the_order_depends_on_what_is_published_and_the_seed_alone(
    order: list[int], seed: int
) -> None:
    """Whoever knows the seed must not be able to find the raw order again."""
    cells = {
        "n": np.array([1.5, np.nan, 1.5, 2, 2, 2, 0, -1, np.nan, 3, 3, 3]),
        "t": np.array(["a", None, "b", "b", "a", "a", "c", "c", None, "d", "d", "e"], object),
    }
    turned = {name: values[list(order)] for name, values in cells.items()}
    written = [
        [values[row_order(one, seed)].tolist() for values in one.values()]
        for one in (cells, turned)
    ]
    assert repr(written[0]) == repr(written[1])


def test_rows_are_mixed_and_none_is_lost() -> None:
    order = row_order(ROWS, 1)
    assert sorted(order.tolist()) == list(range(60))
    assert abs(np.corrcoef(order, np.arange(60))[0, 1]) < 0.5
    assert row_order(ROWS, 2).tolist() != order.tolist()


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table, dict])
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_what_is_in_place_was_read_again(library: Any, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"people{ending}"
    anonymiser = Anonymiser(k=5, quasi_identifiers=["age"], keep=["job"])
    release = anonymiser.fit_release(library(ROWS), path=path)
    assert release.path == path
    assert release.certificate_path == tmp_path / "people.certificate.json"
    assert Certificate.load(release.certificate_path) == release.certificate
    assert anonymiser.certificate_ is release.certificate
    checked = verify(path, release.certificate)
    assert (checked.ok, checked.complete, checked.same_file) == (True, True, True)
    cells = columns_of(path, ["age", "job"])
    assert cells["age"].tolist() != ROWS["age"].tolist()
    listed = [[str(value) for value in values] for values in cells.values()]
    assert sorted(zip(*listed, strict=True)) == sorted(
        (str(age), job) for age, job in zip(*ROWS.values(), strict=True)
    )
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "people.certificate.json",
        path.name,
    ]


def test_new_people_are_released_too(tmp_path: Path) -> None:
    anonymiser = Anonymiser(k=5, quasi_identifiers=["age"], publish="ranges").fit(ROWS)
    new = {"age": np.repeat([31, 49], 6), "job": np.array(list("abcdef") * 2)}
    paper = tmp_path / "paper.json"
    release = anonymiser.release(new, path=tmp_path / "new.csv", certificate_path=paper)
    assert verify(release.path, paper).ok
    assert release.certificate.n_rows == 12


def test_columns_that_are_not_published_are_in_the_order_of_the_file(tmp_path: Path) -> None:
    people = {**ROWS, "ill": np.array(["flu", "cold"] * 30), "who": np.arange(60) // 2}
    anonymiser = Anonymiser(
        k=5, quasi_identifiers=["age"], privacy=DistinctDiversity(2, "ill"), entity="who"
    )
    release = anonymiser.fit_release(people, path=tmp_path / "people.csv")
    assert sorted(release.unpublished) == ["ill", "who"]
    assert "cold" not in repr(release)
    assert not verify(release.path, release.certificate).complete
    checked = verify(release.path, release.certificate, unpublished=release.unpublished)
    assert (checked.ok, checked.complete) == (True, True)


def test_nothing_is_left_where_the_file_has_other_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writing may change a cell: what was there before stays, and no draft is left."""
    path, paper = tmp_path / "people.csv", tmp_path / "people.certificate.json"
    path.write_text("old")

    def write_worse(columns: Any, place: Any) -> None:
        write_columns({**columns, "age": np.full(60, 30)}, place)

    monkeypatch.setattr("sparsam.anonymise._release.write_columns", write_worse)
    anonymiser = Anonymiser(k=5, quasi_identifiers=["age"], keep=["job"])
    with pytest.raises(ReleaseError, match="the cells that were checked"):
        anonymiser.fit_release(ROWS, path=path)
    assert path.read_text() == "old"
    assert not paper.exists()
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(ReleaseError, match="must not make rows unique"):
        Anonymiser(k=5, quasi_identifiers=["age"], keep=["name"]).fit_release(
            {**ROWS, "name": np.arange(60)}, path=path
        )
    assert list(tmp_path.iterdir()) == [path]


def test_a_release_that_is_safe_for_spreadsheets(tmp_path: Path) -> None:
    people = {"age": np.repeat([30, 40], 5), "job": np.array(["=1+1"] * 5 + ["cook"] * 5)}
    anonymiser = Anonymiser(k=5, quasi_identifiers=["age"], keep=["job"])
    release = anonymiser.fit_release(people, path=tmp_path / "p.csv", spreadsheet_safe=True)
    assert "'=1+1" in release.path.read_text()
    assert verify(release.path, release.certificate).ok
    with pytest.raises(ParameterError, match=r"must be a \.csv or \.tsv file"):
        anonymiser.fit_release(people, path=tmp_path / "p.parquet", spreadsheet_safe=True)


def test_places_that_cannot_be_are_refused_before_any_work(tmp_path: Path) -> None:
    anonymiser = Anonymiser(k=5)
    with pytest.raises(ParameterError, match="must end in one of"):
        anonymiser.fit_release(ROWS, path=tmp_path / "people.xlsx")
    with pytest.raises(ParameterError, match="must be two files"):
        anonymiser.fit_release(
            ROWS, path=tmp_path / "people.csv", certificate_path=tmp_path / "people.csv"
        )
    assert not hasattr(anonymiser, "partition_")


@pytest.mark.parametrize(
    "values",
    [
        ["b", None, "a", "None", "b", "é", "A", ""],
        ["b", 1, True, 1.0, None, float("nan"), "1"],
        [None, None],
        [],
    ],
)
def test_ranks_are_those_of_types_and_texts(values):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    texts = [f"{type(value).__name__} {value}" for value in values]
    assert _ranks(column).tolist() == [sorted(set(texts)).index(text) for text in texts]
