"""A release is checked from its cells; a broken promise is refused."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import sparsam
from sparsam._errors import DataError, ParameterError, RoleError, SparsamWarning
from sparsam.anonymise._classes import Classes
from sparsam.anonymise._privacy_models import (
    AllOf,
    DistinctDiversity,
    KAnonymity,
)
from sparsam.anonymise._publish import publish
from sparsam.anonymise.proof._cells import shared_records
from sparsam.anonymise.proof._certificate import (
    Certificate,
    DistinctDiversityTerms,
    KAnonymityTerms,
)
from sparsam.anonymise.proof._verify import Finding, ReleaseError, certify, verify
from sparsam.data import columns_of, read, write_columns
from sparsam.data.source import stored_cells

FOLDER = Path(sparsam.__file__).parent / "anonymise" / "proof"
CHECKS = sorted(path.name for path in FOLDER.glob("_*.py") if path.name != "__init__.py")
K2 = [KAnonymityTerms(k=2)]


def shared_sizes(release: Any, names: list[str]) -> NDArray[np.int64]:
    """The rows that share each published record."""
    cells = stored_cells(release)
    return np.bincount(shared_records([cells[name] for name in names]))


def people(n: int = 40, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": np.repeat(rng.integers(20, 80, n // 4), 4),
            "city": np.repeat(rng.choice(["Ulm", "Bonn"], n // 4), 4),
            "ill": rng.choice(["flu", "cold", None], n),
            "pay": rng.normal(30, 5, n).round(1),
        }
    )


def test_a_release_is_checked_where_its_rows_are(
    engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = pl.from_pandas(people()).drop("pay")
    paper = certify(rows, ["age"], K2)
    release = engine(rows, parts=3)
    if engine.name in ("spark", "connect"):  # their driver has no room for all cells
        monkeypatch.setattr("sparsam.anonymise.proof._verify.stored_cells", pytest.fail)
    assert verify(release, paper).ok
    assert certify(release, ["age"], K2).sha256 == paper.sha256
    changed = engine(rows.with_columns(ill=pl.lit("flu")), parts=3)
    assert not verify(changed, paper).ok


@pytest.mark.parametrize("module", CHECKS)
def test_the_check_shares_nothing_with_what_it_checks(module: str) -> None:
    for node in ast.walk(ast.parse((FOLDER / module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            parts = node.module.split(".")
            assert parts[:2] != ["sparsam", "counting"]
            assert parts[:2] != ["sparsam", "anonymise"] or parts[2] == "proof"


def test_a_release_that_keeps_its_promise_is_certified() -> None:
    release = people()
    losses = {"tight GCP": 0.1}
    paper = certify(
        release, ["age", "city"], K2, suppressed=2, information_loss=losses, parameters={"k": 2}
    )
    assert paper.n_rows == 40
    assert paper.suppressed == 5
    assert paper.smallest >= 4
    assert paper.columns == ("age", "city", "ill", "pay")
    assert paper.information_loss == losses
    verification = verify(release, paper)
    assert verification.ok
    assert verification.complete
    assert len(verification.findings) == 8
    assert verification.to_dict()["ok"]
    assert verification.to_dict()["quasi_identifiers"] == ["age", "city"]
    assert verification.to_dict()["published_as_they_are"] == ["ill", "pay"]
    assert str(verification).count("yes: ") == 8


def test_a_broken_promise_is_refused() -> None:
    release = people()
    release.loc[0, "age"] = 99
    with pytest.raises(ReleaseError, match=r"1 records, 1 rows break it, and nothing was released"):
        certify(release, ["age", "city"], K2)
    with pytest.raises(ReleaseError) as error:
        certify(release, ["age"], K2)
    assert "99" not in str(error.value)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda r: r.assign(age=r["age"].where(r.index != 3, 21)),
        lambda r: r.assign(ill=r["ill"].where(r.index != 3, "plague")),
        lambda r: r.iloc[1:],
        lambda r: r.drop(columns="pay"),
        lambda r: r.assign(name="x"),
        lambda r: r.rename(columns={"age": "years"}),
        lambda r: r[["city", "age", "ill", "pay"]],
    ],
)
def test_a_changed_release_is_found_out(spoil: Any) -> None:
    release = people()
    paper = certify(release, ["age", "city"], K2)
    assert not verify(spoil(release), paper).ok


def test_a_false_certificate_is_found_out() -> None:
    release = {"age": np.array([1, 1, 1, 2, 2])}
    paper = certify(release, ["age"], K2)
    forged = Certificate.from_json(paper.to_json().replace('"k": 2', '"k": 3'))
    verification = verify(release, forged)
    # with a larger k, other rows are shared by fewer than k
    assert [f.held for f in verification.findings] == [True] * 5 + [False] * 2
    assert verification.findings[-1].detail == "1 records, 2 rows"
    bigger = Certificate.from_json(paper.to_json().replace('"smallest": 2', '"smallest": 9'))
    wrong = [f for f in verify(release, bigger).findings if f.held is False]
    assert [f.detail for f in wrong] == ["9 stated, 2 found"]


@pytest.mark.parametrize("how", ["mean", "ranges", "mode"])
@pytest.mark.parametrize("ending", ["csv", "parquet", "csv.gz"])
def test_a_file_is_checked_like_the_frame_it_was_written_from(
    tmp_path: Path, how: Any, ending: str
) -> None:
    raw = people(80)
    raw["zip"] = np.repeat(["01069", "01099"], 40)
    raw["flag"] = np.tile([True, False], 40)
    raw["when"] = pd.Timestamp("2024-05-06") + pd.to_timedelta(np.arange(80) * 100, unit="ms")
    raw.loc[::7, "age"] = np.nan
    raw["pay"] = raw["pay"].astype(np.float32)
    raw.loc[3, "ill"] = "1.50"
    classes = Classes(np.arange(80) // 8, 10)
    table = read(raw[["age", "city", "zip"]])
    release = publish(raw, table, classes, how, keep=["ill", "pay", "flag", "when"])
    paper = certify(release, ["age", "city", "zip"], [KAnonymityTerms(k=8)])
    path = tmp_path / f"release.{ending}"
    write_columns(columns_of(release, paper.columns), path)
    paper.save(tmp_path / "certificate.json")
    verification = verify(path, tmp_path / "certificate.json")
    assert verification.ok, str(verification)
    assert certify(path, paper.quasi_identifiers, paper.demands).sha256 == paper.sha256


def test_texts_of_a_file_that_tell_people_apart_are_found(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_text("age,pay\n30,1\n30,2\n30.0,3\n30,4\n", encoding="utf-8")
    assert sorted(shared_sizes(path, ["age"]).tolist()) == [1, 3]
    with pytest.raises(ReleaseError, match="1 records, 1 rows"):
        certify(path, ["age"], K2)
    frame = {"age": np.array([30, 30, 30, 30]), "pay": np.array([1, 2, 3, 4])}
    paper = certify(frame, ["age"], K2)
    verification = verify(path, paper)
    assert not verification.ok
    assert not verification.findings[2].held  # the number is the same, and the cell is not
    with pytest.raises(ReleaseError):
        certify({"age": np.array(["30", "30 "]), "pay": np.array([1, 2])}, ["age"], K2)


def test_all_libraries_give_one_hash() -> None:
    release = people()
    plain = {name: release[name].tolist() for name in release.columns}
    frames = [release, pl.from_pandas(release), pa.Table.from_pandas(release), plain]
    assert len({certify(frame, ["age"], K2).sha256 for frame in frames}) == 1


def test_people_are_counted_and_not_published() -> None:
    release = {"age": np.array([1, 1, 1, 2, 2, 2])}
    terms = [KAnonymityTerms(k=2, entity="who")]
    who = {"who": np.array(["a", "a", "b", "c", "d", None], dtype=object)}
    paper = certify(release, ["age"], terms, unpublished=who)
    assert paper.smallest == 3
    assert paper.smallest_people == 2
    blind = verify(release, paper)
    assert blind.ok
    assert not blind.complete
    assert "not checked" in str(blind)
    assert verify(release, paper, unpublished=who).complete
    alone = {"who": np.array(["a", "a", "a", "c", "d", "e"])}
    assert not verify(release, paper, unpublished=alone).ok
    with pytest.raises(ReleaseError, match="people"):
        certify(release, ["age"], terms, unpublished=alone)
    with pytest.raises(RoleError, match="'who' is not a column that the promise"):
        certify(release, ["age"], terms)
    with pytest.raises(DataError, match="each of the 6 published rows"):
        certify(release, ["age"], terms, unpublished={"who": np.arange(3)})
    short = verify(release, paper, unpublished={"who": np.arange(3)})
    assert not short.complete
    with pytest.warns(SparsamWarning, match="links the rows of one person"):
        certify({**release, **who}, ["age"], terms)


def test_cells_are_told_apart_as_finely_as_anyone_could() -> None:
    release = pd.DataFrame({"a": [None, None, "x", "x"], "b": [np.nan, np.nan, 1.0, 1.0]})
    assert sorted(shared_sizes(release, ["a", "b"]).tolist()) == [2, 2]
    mixed = {"a": np.array([None, np.nan, pd.NA, pd.NaT, "", None], dtype=object)}
    assert sorted(shared_sizes(mixed, ["a"]).tolist()) == [1, 1, 1, 1, 2]
    other = {"a": np.array([1, 1.0, True, "1", 1], dtype=object)}
    assert sorted(shared_sizes(other, ["a"]).tolist()) == [1, 1, 1, 2]
    holes = pl.DataFrame({"a": [1.0, None, float("nan"), None, 0.0, -0.0]})
    assert sorted(shared_sizes(holes, ["a"]).tolist()) == [1, 1, 1, 1, 2]
    assert sorted(shared_sizes(holes.to_arrow(), ["a"]).tolist()) == [1, 1, 1, 1, 2]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_order_of_rows_does_not_matter(tmp_path: Path, ending: str) -> None:
    release, path = people(), tmp_path / f"release.{ending}"
    paper = certify(release, ["age", "city"], K2)
    for shuffled in (release.iloc[::-1], release.sample(frac=1, random_state=1)):
        write_columns(columns_of(shuffled, paper.columns), path)
        verification = verify(path, paper)
        assert verification.ok, str(verification)
    swapped = release.assign(pay=release["pay"].to_numpy()[::-1])  # the same cells, other rows
    assert not verify(swapped, paper).ok


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("flu", "flu "),
        ("1.5", "1.50"),
        ("1.5", "01.5"),
        ("2.0", "2"),
        ("2.0", "2.0 "),
        ("flu", '"flu"'),
        ("cold\n", "cold\r\n"),
        ("7", "07"),
        ("7", "+7"),
        ("7", "7.0"),
    ],
)
def test_nothing_can_be_hidden_in_how_a_cell_is_written(tmp_path: Path, old: str, new: str) -> None:
    """A person's number fits into trailing blanks and zeros."""
    text = "age,n,pay,ill\n30,7,1.5,flu\n30,7,2.0,flu\n30,8,1.5,cold\n30,7,2.5,cold\n"
    path = tmp_path / "release.csv"
    path.write_bytes(text.encode())
    paper = certify(path, ["age"], K2)
    assert verify(path, paper).same_file
    path.write_bytes(text.replace(old, new, 1).encode())
    verification = verify(path, paper)
    assert not verification.ok
    assert not verification.same_file
    assert verification.findings[2] == Finding(
        "no cell was changed since the certificate was made", False
    )


@pytest.mark.parametrize("how", ["named", "unnamed", "texts"])
def test_row_labels_are_seen(tmp_path: Path, how: str) -> None:
    """The number of a patient on every row, where most readers do not look."""
    release, path = people(), tmp_path / "release.parquet"
    paper = certify(release, ["age", "city"], K2)
    labels: Any = pd.Index(1000 + np.arange(len(release)), name="patient")
    labels = {"named": labels, "unnamed": labels.rename(None), "texts": labels.astype(str)}[how]
    labelled = release.set_index(labels)
    labelled.to_parquet(path)
    for one in (path, labelled):
        verification = verify(one, paper)
        assert not verification.ok
        assert verification.findings[0].detail.startswith("not certified: ")
    with pytest.raises(ReleaseError, match="no row labels"):
        certify(labelled, ["age", "city"], K2)
    release.to_parquet(path)
    assert verify(path, paper).ok


def test_values_that_differ_by_a_blank_are_no_two_values(tmp_path: Path) -> None:
    release = {"age": [1, 1, 1], "ill": ["flu", "flu ", " flu"]}
    with pytest.raises(ReleaseError):
        certify(release, ["age"], [DistinctDiversityTerms(l=2, sensitive="ill")])
    with pytest.raises(ReleaseError):
        certify(release, ["age"], [KAnonymityTerms(k=2, entity="ill")])


def test_bad_requests_are_refused() -> None:
    release = {"a": [1, 1]}
    with pytest.raises(RoleError, match="'b' is not a column"):
        certify(release, ["b"], K2)
    with pytest.raises(ParameterError, match="at least one quasi-identifier"):
        certify(release, [], K2)
    with pytest.raises(ParameterError, match="promise something"):
        certify(release, ["a"], [])
    with pytest.raises(ParameterError, match="at least 0"):
        certify(release, ["a"], K2, suppressed=-1)
    with pytest.raises(DataError, match="must have rows"):
        certify({"a": np.array([], int)}, ["a"], K2, suppressed=3)


def test_several_promises_at_once() -> None:
    release = people(400)
    table = read(release)
    model = AllOf(KAnonymity(4), DistinctDiversity(2, "ill")).bound(table)
    groups = release.groupby(["age", "city"]).indices.values()
    single = [rows for rows in groups if not model.holds(np.sort(rows))]
    kept = release.drop(index=[row for rows in single for row in rows]).reset_index(drop=True)
    terms = [part.terms for part in model.parts]
    paper = certify(kept, ["age", "city"], terms, suppressed=len(release) - len(kept))
    assert len(paper.demands) == 2
    if single:
        with pytest.raises(ReleaseError):
            certify(release, ["age", "city"], terms)
