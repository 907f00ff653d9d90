"""The first line of a CSV file: real headers pass, a person's record is refused and not told."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from sparsam._errors import DataError
from sparsam.data import column_names, columns_of, read
from sparsam.data.source.csv_files._header import _records, header_of, looks_like_data

PEOPLE = [
    ["34", "female", "Berlin", "52000.17", "2024-01-03", "Anna Schmidt"],
    ["51", "male", "Wien", "31000.00", "2023-11-20", "Bert Maier"],
    ["28", "female", "Wien", "", "2023-02-11", "Cora Wolf"],
    ["44", "male", "Berlin", "48000.50", "2022-07-01", "Dora Fuchs"],
    ["39", "female", "Graz", "27500.25", "?", "Emil Hahn"],
]
NUMBERS = [["5", "300", "7.5"], ["6", "280", "8.25"], ["7", "310", "6.0"]]
HEADERS = [
    (["age", "sex", "city", "pay", "since", "name"], PEOPLE),
    (["country", "2019", "2020", "2021"], [["DE", "5", "6", "7"], ["AT", "1", "2", "3"]]),
    (["2019", "2020", "2021"], NUMBERS),
    (["0", "1", "2"], NUMBERS),
    (["id", "1", "2"], [["7", "1", "2"], ["8", "2", "1"]]),
    (["400", "410.5", "421"], NUMBERS),
    (["place", "1/22/20", "1/23/20", "1/24/20"], [["DE", "5", "6", "7"], ["AT", "1", "2", "3"]]),
    (["id", "Coffee", "Tea", "Milk"], [["1", "Coffee", "", ""], ["2", "", "Tea", "Milk"]]),
    (["ICD10", "sex", "group"], [["F32.1", "f", "sex"], ["F33.0", "m", "a"]]),
    (["q1", "q2", "q3"], NUMBERS),
    (["other"], [["none"], ["some"]]),
    (["only"], [["1"], [""], ["3"]]),
    (["Male", "age", "works"], [["Male", "30", "yes"], ["Female", "41", "no"]]),
]
RECORDS = [
    (PEOPLE[0], PEOPLE[1:]),
    (["Anna Schmidt", "Berlin", "34"], [["Bert", "Wien", "51"], ["Cora", "Graz", "28"]]),
    (NUMBERS[0], NUMBERS[1:]),
    (["5"], [["6"], ["7"]]),
    (["1980", "2004", "Berlin"], [["1975", "2001", "Wien"], ["1990", "2010", "Berlin"]]),
    (["female", "low", "yes"], [["male", "low", "no"], ["female", "high", "yes"]]),
    (["female"], [["male"], ["female"]]),
    (["0", "0", "1", "yes"], [["1", "0", "0", "no"], ["0", "1", "1", "yes"]]),
    (["P0001", "x y", "z"], [["P0002", "a", "b"], ["P0003", "c", "d"]]),
    (["anna@example.org", "Anna"], [["bert@example.org", "Bert"], ["c@example.org", "Cora"]]),
    (["01234", "Anna"], [["01099", "Bert"], ["10117", "Cora"]]),
]


@pytest.mark.parametrize(("names", "below"), HEADERS)
def test_real_headers_pass(names: list[str], below: list[list[str]]) -> None:
    assert not looks_like_data(names, below)
    assert not looks_like_data(names, [])
    assert not looks_like_data(names)


@pytest.mark.parametrize(("names", "below"), RECORDS)
def test_records_are_suspected(names: list[str], below: list[list[str]]) -> None:
    assert looks_like_data(names, below)


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz"])
@pytest.mark.parametrize("place", range(len(RECORDS)))
def test_no_cell_of_a_record_is_told(tmp_path: Path, place: int, ending: str) -> None:
    names, below = RECORDS[place]
    between = "\t" if ending == "tsv" else ","
    text = "".join(between.join(row) + "\n" for row in [names, *below]).encode()
    path = tmp_path / f"people.{ending}"
    path.write_bytes(gzip.compress(text) if ending.endswith("gz") else text)
    for entry in (read, column_names, lambda file: columns_of(file, ["age"])):
        with pytest.raises(DataError, match=r"first line of 'people\..*looks like data") as caught:
            entry(path)
        assert not [name for name in names if len(name) > 2 and name in str(caught.value)]


def test_names_that_repeat_are_told_by_their_places(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("x,Anna,y,Anna\n1,a,2,b\n3,c,4,d\n")
    with pytest.raises(DataError, match=r"Columns 2 and 4 have the same\."):
        read(path)


def test_the_names_alone_can_be_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("female,low,yes\nfemale,low,no\n")
    assert header_of(path, rows=0)[:2] == (",", ("female", "low", "yes"))
    path.write_text("34,female,52000.17\n")
    with pytest.raises(DataError, match="looks like data"):
        header_of(path, rows=0)


def test_real_tables_with_and_without_their_headers(shared_data: Path) -> None:
    chosen = random.Random(0)
    for path in sorted(shared_data.glob("*.csv.gz")):
        delimiter, names = header_of(path)[:2]
        assert header_of(path, rows=0).names == names
        rows = _records(path, delimiter, 300)
        for at in chosen.sample(range(1, 200), 10):
            assert looks_like_data(rows[at], rows[at + 1 :]), path.name
