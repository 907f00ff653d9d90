from __future__ import annotations

import re

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.data.source import FileFormat
from sparsam.data.source._number_forms import (
    PLAIN,
    NumberForm,
    base_form,
    chosen_form,
    evidence,
    evidence_sql,
    other_forms,
    remark_on,
    worth_a_look,
)

FORMS = (PLAIN, *other_forms(FileFormat()))


def written(number: float, form: NumberForm) -> str:
    return f"{number:,.2f}".translate({ord(","): form.thousands, ord("."): form.decimal})


def found(cells: list[str], form: FileFormat = FileFormat()):  # noqa: B008
    forms = other_forms(form)
    query = f"SELECT {evidence_sql('c', forms)} FROM (SELECT unnest(?) AS c)"
    return evidence(duckdb.execute(query, [cells]).fetchall()[0], forms)


@settings(max_examples=40)
@given(st.sampled_from(FORMS), st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=5))
def test_what_is_written_in_a_form_is_read_in_it(form: NumberForm, numbers: list[float]) -> None:
    cells = [written(number, form) for number in numbers]
    assert all(re.fullmatch(form.number, cell) for cell in cells)
    rows = duckdb.execute(
        f"SELECT CAST({form.plain('c')} AS DOUBLE) FROM (SELECT unnest(?) AS c)", [cells]
    ).fetchall()
    assert [cell for (cell,) in rows] == [float(f"{number:.2f}") for number in numbers]
    known = found(cells)
    chosen = chosen_form(known, (False, False), ",", FileFormat())
    # two decimals leave no doubt about the decimal sign
    assert form == PLAIN or (form in known.fits and chosen is not None)
    assert chosen is None or chosen.decimal == form.decimal


@pytest.mark.parametrize(
    ("cells", "form"),
    [
        (["3,14", "2"], NumberForm(",")),
        (["1.234,5", "7"], NumberForm(",", ".")),
        (["1.234.567", "12"], NumberForm(",", ".")),
        (["1,234.5"], NumberForm(".", ",")),
        (["1,234,567"], NumberForm(".", ",")),
        (["1 234", "12 000"], NumberForm(".", " ")),
        (["1'234.50", "12'000"], NumberForm(".", "'")),
        (["1,234", "2,500"], None),
        (["110 001", "560 034"], None),
        (["1,5", "1.5"], None),
        (["12.05.2021"], None),
        (["00,5"], None),
    ],
)
def test_what_a_column_alone_can_tell(cells: list[str], form: NumberForm | None) -> None:
    assert worth_a_look(cells)
    assert chosen_form(found(cells), (False, False), ",", FileFormat()) == form


@pytest.mark.parametrize(
    ("file", "delimiter", "form"),
    [
        ((True, False), ",", NumberForm(",")),
        ((False, True), ";", NumberForm(".", ",")),
        ((False, False), ";", NumberForm(",")),
        ((True, True), ";", None),
        ((False, False), "\t", None),
    ],
)
def test_what_other_columns_tell(
    file: tuple[bool, bool], delimiter: str, form: NumberForm | None
) -> None:
    assert chosen_form(found(["1,234", "2,500"]), file, delimiter, FileFormat()) == form


def test_what_is_said_settles_it() -> None:
    for said, form in (
        (FileFormat(decimal=","), NumberForm(",")),
        (FileFormat(thousands=","), NumberForm(".", ",")),
    ):
        assert base_form(said) == form
        assert form not in other_forms(said)


def test_no_remark_tells_a_cell() -> None:
    assert "'NA'" in remark_on(["1", "2", "3", "NA"], False)
    assert "Anna" not in remark_on(["1", "2", "3", "Anna"], False)
    assert "--decimal" in remark_on(["1,234"], True)
    assert remark_on(["a", "b"], False) == ""
    assert remark_on(["84667", "10115", "99999", "01067"], False) == ""  # codes, not numbers
