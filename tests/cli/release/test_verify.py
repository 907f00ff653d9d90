"""`sparsam verify`: a release is checked without the raw data."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import sparsam as sp
from sparsam.anonymise import Anonymiser, Mondrian, certify
from sparsam.anonymise.proof._certificate import KAnonymityTerms
from sparsam.data import columns_of, write_columns

NAMES = ["age", "sex"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A release in two formats, and its certificate."""
    place = tmp_path_factory.mktemp("verify")
    people = sp.load_example().take(range(400)).to_frame("pandas")
    method = Anonymiser(Mondrian(), quasi_identifiers=NAMES, k=5, keep=["employed"])
    release = method.fit_transform(people)
    for name in ("release.csv", "release.parquet"):
        write_columns(columns_of(release, list(release.columns)), place / name)
    method.certificate_.save(place / "certificate.json")
    return place


@pytest.mark.parametrize("name", ["release.csv", "release.parquet"])
def test_an_untouched_release(run, place, name):
    result = run("verify", place / name, place / "certificate.json")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "The release is what its certificate says."
    assert lines[1:3] == ["Quasi-identifiers: age, sex", "Published as they are: employed"]
    assert lines[3].startswith("Unique whole rows: ")
    assert lines[4].startswith("One value of employed in a whole class: ")
    assert all(line.startswith("yes: ") for line in lines[6:])
    assert len(lines) == 6 + 8
    assert "yes: every combination of quasi-identifiers is shared by at least 5 rows" in lines


def test_a_changed_cell(run, place, tmp_path):
    for column, value in (("age", 200), ("employed", "perhaps")):
        release = pd.read_csv(place / "release.csv")
        release.loc[17, column] = value
        release.to_csv(tmp_path / "changed.csv", index=False)
        result = run("verify", tmp_path / "changed.csv", place / "certificate.json")
        assert result.exit_code == 1
        assert "NO: no cell was changed" in result.stdout
        broken = "NO: every combination of quasi-identifiers is shared by at least 5 rows"
        assert (broken in result.stdout) == (column == "age")
        assert "NOT what its certificate says" in result.stdout.splitlines()[0]
        assert str(value) not in result.output


def test_other_rows_and_columns(run, place, tmp_path):
    release = pd.read_csv(place / "release.csv")
    release.head(390).to_csv(tmp_path / "fewer.csv", index=False)
    release.drop(columns="sex").to_csv(tmp_path / "narrow.csv", index=False)
    for name, said in (("fewer.csv", "400 stated, 390 found"), ("narrow.csv", "NO: the columns")):
        result = run("verify", tmp_path / name, place / "certificate.json")
        assert result.exit_code == 1
        assert said in result.stdout


def test_json(run, place, tmp_path):
    found = run("verify", place / "release.csv", place / "certificate.json", "--json")
    plain = json.loads(found.stdout)
    assert plain["ok"] is True
    assert plain["complete"] is True
    assert plain["quasi_identifiers"] == NAMES
    assert plain["published_as_they_are"] == ["employed"]
    assert len(plain["findings"]) == 8
    pd.read_csv(place / "release.csv").head(9).to_csv(tmp_path / "o.csv", index=False)
    broken = run("verify", tmp_path / "o.csv", place / "certificate.json", "--json")
    assert broken.exit_code == 1
    assert json.loads(broken.stdout)["ok"] is False


def test_quiet(run, place):
    result = run("verify", place / "release.csv", place / "certificate.json", "-q")
    assert (result.exit_code, result.output) == (0, "")


def test_what_is_not_published_is_not_checked(run, place, tmp_path):
    people = sp.load_example().take(range(400)).to_frame("pandas").assign(whose=range(400))
    method = Anonymiser(Mondrian(), quasi_identifiers=NAMES, k=5, entity="whose")
    release = method.fit_transform(people)
    write_columns(columns_of(release, NAMES), tmp_path / "r.csv")
    method.certificate_.save(tmp_path / "c.json")
    result = run("verify", tmp_path / "r.csv", tmp_path / "c.json")
    assert result.exit_code == 1
    assert result.stdout.startswith("NOT everything was checked: 1 promise was not")
    assert "not checked: every combination of quasi-identifiers" in result.stdout
    assert run("verify", tmp_path / "r.csv", tmp_path / "c.json", "-q").exit_code == 1
    plain = json.loads(run("verify", tmp_path / "r.csv", tmp_path / "c.json", "--json").stdout)
    assert (plain["ok"], plain["complete"]) == (True, False)


def test_too_few_rows_are_too_few_people(run, place, tmp_path):
    """Whose row it is need not be known to see that three rows are not five people."""
    people = sp.load_example().take(range(400)).to_frame("pandas").assign(whose=range(400))
    method = Anonymiser(Mondrian(), quasi_identifiers=NAMES, k=5, entity="whose")
    release = method.fit_transform(people)
    release.loc[:2, "age"] = 111
    write_columns(columns_of(release, NAMES), tmp_path / "r.csv")
    method.certificate_.save(tmp_path / "c.json")
    result = run("verify", tmp_path / "r.csv", tmp_path / "c.json")
    assert result.exit_code == 1
    assert "NO: every combination of quasi-identifiers is shared by at least 5 people" in (
        result.stdout
    )


def test_rows_in_another_order(run, place, tmp_path):
    release = pd.read_csv(place / "release.csv").sample(frac=1, random_state=0)
    release.to_csv(tmp_path / "turned.csv", index=False)
    release.to_parquet(tmp_path / "turned.parquet", index=False)
    for name in ("turned.csv", "turned.parquet"):
        result = run("verify", tmp_path / name, place / "certificate.json")
        assert result.exit_code == 0, result.output


def test_row_labels_in_a_file(run, place, tmp_path):
    """The number of a patient beside every row, where most readers do not look."""
    release = pd.read_parquet(place / "release.parquet")
    for labels in ([f"p{i}" for i in range(400)], pd.RangeIndex(70_000, 70_400)):
        release.set_index(pd.Index(labels)).to_parquet(tmp_path / "r.parquet")
        result = run("verify", tmp_path / "r.parquet", place / "certificate.json")
        assert result.exit_code == 1
        assert "NO: the columns are those of the certificate" in result.stdout
        assert "not certified: " in result.stdout


def test_a_folder_says_nothing_about_the_cells(run, place, tmp_path):
    """40 different people in a folder that is called age=30 are not one class of 40."""
    folder = tmp_path / "age=30" / "sex=f"
    folder.mkdir(parents=True)
    same = pd.DataFrame({"age": [30] * 40, "sex": ["f"] * 40})
    certify(same, NAMES, [KAnonymityTerms(k=5)]).save(tmp_path / "c.json")
    pd.DataFrame({"age": range(40), "sex": ["f", "m"] * 20}).to_parquet(folder / "r.parquet")
    result = run("verify", folder / "r.parquet", tmp_path / "c.json")
    assert result.exit_code == 1
    assert "NO: every combination" in result.stdout


def test_files_that_cannot_be_used(run, place, tmp_path):
    (tmp_path / "c.json").write_text("{}", encoding="utf-8")
    (tmp_path / "r.xlsx").write_text("x", encoding="utf-8")
    for release, paper in (
        (place / "release.csv", tmp_path / "c.json"),
        (place / "release.csv", place / "release.csv"),
        (tmp_path / "r.xlsx", place / "certificate.json"),
        (tmp_path / "none.csv", place / "certificate.json"),
    ):
        result = run("verify", release, paper)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr
