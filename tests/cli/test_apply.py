"""`sparsam apply`: the same as the artifact does, on files."""

from __future__ import annotations

import subprocess
import sys

import duckdb
import pandas as pd
import pytest

from sparsam.cli._apply import ENDINGS
from sparsam.data import CategoricalDomain, Roles
from sparsam.data.source._write import FORMATS
from sparsam.generalization import Generalization, categorical_partition
from sparsam.minimise import Uniform


@pytest.fixture(scope="module")
def people(make_people):
    return make_people(700)


@pytest.mark.parametrize("source", ["people.csv", "people.csv.gz", "people.parquet"])
def test_the_same_as_the_artifact(run, artifact, folder, people, tmp_path, source):
    expected = Generalization.load(artifact).apply(people).astype(str)
    files = [tmp_path / f"out{ending}" for ending in (".csv", ".parquet", ".csv.gz", ".tsv")]
    for file in files:
        result = run("apply", artifact, folder / source, "-o", file)
        assert result.exit_code == 0
        assert result.stdout == ""
        assert f"Wrote 700 records to {file.name}." in result.stderr
    found = [
        pd.read_csv(files[0]),
        pd.read_parquet(files[1]),
        pd.read_csv(files[2]),
        pd.read_csv(files[3], sep="\t"),
    ]
    for frame in found:
        assert list(frame.columns) == list(expected.columns)
        assert frame.to_numpy().tolist() == expected.to_numpy().tolist()


def test_codes_and_columns_to_keep(run, artifact, folder, people, tmp_path):
    result = run("apply", artifact, folder / "people.csv", "-o", tmp_path / "o.parquet", "--codes",
                 "--keep", "works")  # fmt: skip
    assert result.exit_code == 0
    found = pd.read_parquet(tmp_path / "o.parquet")
    expected = Generalization.load(artifact).apply(people, output="codes", keep="works")
    assert found.to_numpy().tolist() == expected.to_numpy().tolist()


def test_rows_of_files_and_databases_are_written_where_they_are(
    run, artifact, people, tmp_path, monkeypatch
):
    folder = tmp_path / "parts"
    folder.mkdir()
    people[:300].to_parquet(folder / "a.parquet")
    people[300:].to_parquet(folder / "b.parquet")
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        connection.execute("CREATE TABLE people AS SELECT * FROM people")

    def refuse(*_, **__):
        raise AssertionError("rows came home")

    expected = Generalization.load(artifact).apply(people, keep="works").astype(str)
    monkeypatch.setattr("sparsam.data.source._source.Source.columns", refuse)
    for source in (folder, folder / "*.parquet", f"{tmp_path}/people.duckdb#people"):
        for file in (tmp_path / "o.parquet", tmp_path / "o.csv"):
            result = run("apply", artifact, source, "-o", file, "--keep", "works")
            assert result.exit_code == 0, result.output
            assert "Wrote 700 records" in result.stderr
            read = pd.read_parquet if file.suffix == ".parquet" else pd.read_csv
            assert read(file).astype(str).to_numpy().tolist() == expected.to_numpy().tolist()


def test_a_large_csv_file_is_not_loaded(run, artifact, people, tmp_path, monkeypatch):
    """With texts that mean missing, numbers written otherwise, and a column kept as text."""
    table = people.astype(str)
    table["code"] = [f"{row:04}" if row % 7 else "n/a" for row in range(len(table))]
    table["share"] = "0,5"
    table.to_csv(tmp_path / "people.csv", index=False, sep=";")
    options = (
        "--missing",
        "n/a",
        "--keep",
        "code",
        "--keep",
        "share",
        "-o",
        tmp_path / "o.parquet",
    )
    loaded = run("apply", artifact, tmp_path / "people.csv", *options)
    expected = pd.read_parquet(tmp_path / "o.parquet")

    def refuse(*_, **__):
        raise AssertionError("rows came home")

    monkeypatch.setattr("sparsam.data.source._source.Source.columns", refuse)
    monkeypatch.setattr("sparsam.data.source._source.LARGE_FILE", 0)
    in_place = run("apply", artifact, tmp_path / "people.csv", *options)
    assert (in_place.exit_code, in_place.exception) == (loaded.exit_code, None), in_place.output
    found = pd.read_parquet(tmp_path / "o.parquet")
    pd.testing.assert_frame_equal(found.astype(str), expected.astype(str))
    assert found["code"].isna().sum() == len(table[::7])
    assert found["share"].tolist() == [0.5] * len(table)
    assert "share: numbers with decimal commas" in " ".join(in_place.stderr.split())
    assert "code: " not in in_place.stderr


def test_nothing_is_written_where_a_value_has_no_bucket(run, artifact, people, tmp_path):
    table = people.copy()
    table["region"] = "nowhere at all"
    table.to_parquet(tmp_path / "p.parquet")
    regions = CategoricalDomain(tuple(sorted(set(people["region"].dropna()))))
    each = [[region] for region in regions.categories]
    strict = categorical_partition("region", regions, each, missing=0)
    Generalization([strict]).save(tmp_path / "strict.json")
    result = run(
        "apply", tmp_path / "strict.json", tmp_path / "p.parquet", "-o", tmp_path / "o.parquet"
    )
    assert result.exit_code == 2
    assert not (tmp_path / "o.parquet").exists()
    assert "nowhere" not in result.output


def test_what_is_left_out_is_named(run, artifact, folder, tmp_path):
    result = run("apply", artifact, folder / "people.csv", "-o", tmp_path / "o.csv")
    assert "Not to be collected, left out: sex, region, zip." in result.stderr
    assert "Left out: works (--keep passes a column through)." in result.stderr
    quiet = run("apply", artifact, folder / "people.csv", "-o", tmp_path / "o.csv", "-q")
    assert quiet.output == ""


def test_text_that_looks_like_numbers_and_missing_values(run, make_people, tmp_path):
    people = make_people(200)
    people["zip"] = people["zip"].map({"01": "1", "02": "2", "10": "10"})
    people.loc[::9, "education"] = None
    people = people.astype({"age": "Int64"})
    people.loc[::7, "age"] = pd.NA
    artifact = Uniform(Roles("works"), buckets=2).fit(people).generalization_
    artifact.save(tmp_path / "g.json")
    people.to_csv(tmp_path / "p.csv", index=False)
    people.to_csv(tmp_path / "q.csv", index=False, na_rep="?")
    people.to_parquet(tmp_path / "p.parquet")
    expected = artifact.apply(people).astype(str).to_numpy().tolist()
    for name, more in (("p.csv", ()), ("p.parquet", ()), ("q.csv", ("--missing", "?"))):
        result = run("apply", tmp_path / "g.json", tmp_path / name, "-o", tmp_path / "o.csv", *more)
        assert result.exit_code == 0, result.stderr
        assert pd.read_csv(tmp_path / "o.csv", dtype=str).to_numpy().tolist() == expected


def test_values_without_a_bucket_are_counted_not_shown(run, artifact, people, tmp_path):
    people.assign(education="secret").to_csv(tmp_path / "p.csv", index=False)
    result = run("apply", artifact, tmp_path / "p.csv", "-o", tmp_path / "o.csv")
    assert result.exit_code == 2
    assert "700 values of 'education' are outside the domain" in result.stderr
    assert "secret" not in result.output
    assert not (tmp_path / "o.csv").exists()


def test_names_are_not_markup(run, artifact, people, tmp_path):
    people.assign(**{"[/b]": 1}).to_csv(tmp_path / "p.csv", index=False)
    result = run("apply", artifact, tmp_path / "p.csv", "-o", tmp_path / "o.csv")
    assert "[/b]" in result.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-o", "out.xlsx"], "must end in .parquet"),
        (["-o", "none/out.csv"], "There is no folder"),
        ([], "Missing option"),
        (["-o", "out.csv", "--keep", "wroks"], "Did you mean 'works'"),
        (["-o", "out.csv", "--keep", "age"], "must not be kept"),
        (["-o", "out.csv", "--keep", "sex"], "must not be kept"),
    ],
)
def test_wrong_usage(run, artifact, folder, tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    result = run("apply", artifact, folder / "people.csv", *options)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.replace("│", " ").split())
    assert not list(tmp_path.iterdir())


def test_nothing_to_write(run, people, folder, tmp_path):
    from sparsam.data import read

    Generalization.nothing(read(people)).save(tmp_path / "g.json")
    result = run("apply", tmp_path / "g.json", folder / "people.csv", "-o", tmp_path / "o.csv")
    assert result.exit_code == 2
    assert "nothing is collected and nothing kept" in result.stderr


def test_endings_are_those_that_can_be_written():
    assert set(ENDINGS) == set(FORMATS)


@pytest.mark.parametrize("arguments", [["--help"], ["apply", "--help"], ["apply"]])
def test_answers_without_scikit_learn(artifact, folder, tmp_path, arguments):
    if arguments == ["apply"]:
        files = [artifact, folder / "people.csv", "-o", tmp_path / "o.csv"]
        arguments = ["apply", *map(str, files)]
    code = (
        "import sys\n"
        f"sys.argv = ['sparsam', *{arguments!r}]\n"
        "from sparsam.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "heavy = {'sklearn', 'scipy', 'numba', 'pandas', 'polars', 'joblib'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_texts_that_a_spreadsheet_would_run(run, artifact, folder, tmp_path):
    people = pd.read_csv(folder / "people.csv")
    people["note"] = "=1+1"
    people.to_csv(tmp_path / "p.csv", index=False)
    ask = ("apply", artifact, tmp_path / "p.csv", "--keep", "note", "--spreadsheet-safe", "-o")
    assert run(*ask, tmp_path / "o.csv").exit_code == 0
    assert set(pd.read_csv(tmp_path / "o.csv")["note"]) == {"'=1+1"}
    refused = run(*ask, tmp_path / "o.parquet")
    assert refused.exit_code == 2
    assert "must be a .csv or .tsv file" in refused.output
    assert not (tmp_path / "o.parquet").exists()
