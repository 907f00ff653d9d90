"""Tables that are not what they seem: every command reads the cells, and quotes none of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sparsam.anonymise import Anonymiser, Mondrian
from sparsam.data import columns_of, write_columns


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_folders_that_look_like_cells(run, tmp_path: Path, ending: str):
    release = tmp_path / "age=30" / "sex=f" / f"people.{ending}"
    release.parent.mkdir(parents=True)
    alike = pd.DataFrame({"age": [30] * 40, "sex": ["f"] * 40})
    method = Anonymiser(Mondrian(), quasi_identifiers=["age", "sex"], k=5)
    made = method.fit_transform(alike)
    method.certificate_.save(tmp_path / "certificate.json")
    people = pd.DataFrame({"age": range(20, 60), "sex": ["f", "m"] * 20})
    write_columns(columns_of(people.astype(made.dtypes), ["age", "sex"]), release)

    assert "age  numeric, 40 values" in run("describe", release).stdout
    checked = run("verify", release, tmp_path / "certificate.json")
    assert checked.exit_code == 1
    assert "NO: every combination of quasi-identifiers is shared by at least 5" in checked.stdout


LATIN = "M\xfcllerin".encode("latin-1")  # a person's value, and no UTF-8
CANARIES = ("llerin", "canary")
ROLES = """
[attributes.age]
kind = "numeric"
low = 0
high = 99

[attributes.education]
kind = "categorical"
categories = ["low", "middle", "high"]
"""


def _latin_parquet(people: pd.DataFrame, path: Path) -> None:
    texts = [text.encode() for text in people["education"]]
    texts[7] = LATIN
    bad = pa.array(texts, pa.binary()).view(pa.string())
    table = pa.Table.from_pandas(people, preserve_index=False)
    place = people.columns.get_loc("education")
    pq.write_table(table.set_column(place, "education", bad), path)


def _broken_parquet(people: pd.DataFrame, path: Path) -> None:
    pq.write_table(pa.Table.from_pandas(people, preserve_index=False), path, compression="snappy")
    start = pq.ParquetFile(path).metadata.row_group(0)
    whole = bytearray(path.read_bytes())
    for place in range(start.num_columns):
        at = start.column(place).data_page_offset
        whole[at : at + 40] = b"canary55" * 5
    path.write_bytes(whole)


def _latin_csv(people: pd.DataFrame, path: Path) -> None:
    text = people.to_csv(index=False).encode().splitlines()
    text[8] = text[8].replace(people["education"][7].encode(), LATIN)
    path.write_bytes(b"\n".join(text) + b"\n")


def _broken_gzip(people: pd.DataFrame, path: Path) -> None:
    packed = gzip.compress(people.to_csv(index=False).encode())
    path.write_bytes(packed[: len(packed) - 20])


HOSTILE = {
    "latin.parquet": _latin_parquet,
    "broken.parquet": _broken_parquet,
    "latin.csv": _latin_csv,
    "broken.csv.gz": _broken_gzip,
}


@pytest.fixture(scope="module", params=HOSTILE)
def hostile(request, make_people, tmp_path_factory) -> Path:
    people = make_people(300)
    people["zip"] = [f"canary{place:03d}" for place in range(300)]
    path = tmp_path_factory.mktemp("hostile") / request.param
    HOSTILE[request.param](people, path)
    return path


@pytest.fixture(scope="module")
def certificate(make_people, tmp_path_factory) -> Path:
    method = Anonymiser(Mondrian(), quasi_identifiers=["age", "education"], k=5)
    method.fit_transform(make_people(300))
    path = tmp_path_factory.mktemp("certificate") / "certificate.json"
    method.certificate_.save(path)
    return path


COMMANDS = {
    "describe": ("describe", "DATA"),
    "apply": ("apply", "ARTIFACT", "DATA", "-o", "OUT.csv"),
    "attack": ("attack", "ARTIFACT", "DATA"),
    "assess": ("assess", "ARTIFACT", "DATA"),
    "minimise": ("minimise", "DATA", "--target", "works", "-o", "OUT.json"),
    "anonymise": ("anonymise", "DATA", "--quasi-identifiers", "age,education", "-o", "OUT.csv"),
    "individual": ("individual", "DATA", "--target", "works", "--keep", "0.2", "-o", "OUT.npz"),
    "verify": ("verify", "DATA", "CERTIFICATE"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_cannot_be_read_is_refused_without_a_cell(
    run, hostile, artifact, certificate, tmp_path, command
):
    places = {"DATA": hostile, "ARTIFACT": artifact, "CERTIFICATE": certificate}
    arguments = [places.get(a, tmp_path / a if "OUT" in a else a) for a in COMMANDS[command]]
    result = run(*arguments)
    assert result.exit_code == 2
    assert hostile.name in result.output
    assert not [canary for canary in CANARIES if canary in result.output]
    assert not list(tmp_path.iterdir())


def test_exploring_is_answered_or_refused_before_it_is_charged(run, hostile, tmp_path):
    pytest.importorskip("opendp", reason="exploring needs the extra 'dp'")
    (tmp_path / "roles.toml").write_text(ROLES, encoding="utf-8")
    book = tmp_path / "book.ledger"
    made = run("ledger", "create", book, hostile, "--domains", tmp_path / "roles.toml",
               "--epsilon", "8", "-q")  # fmt: skip
    answered = hostile.name.startswith("latin")
    assert made.exit_code == (0 if answered else 2)
    if answered:
        result = run("explore", "run", hostile, "--ledger", book, "--epsilon", "1",
                     "--purpose", "a look")  # fmt: skip
        assert result.exit_code == 0, result.output
        assert "education" in result.output
        output = made.output + result.output
    else:
        assert not book.exists()
        output = made.output
    assert not [canary for canary in CANARIES if canary in output]
