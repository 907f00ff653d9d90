"""The XLSForm, as ODK's own reader takes it."""

from __future__ import annotations

import io
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from tests.collect.exports.asked import ODD_NAMES, PEOPLE, odd

from sparsam._errors import DataError
from sparsam.collect._target import Target
from sparsam.collect.exports._xlsform import spreadsheet

WORKS = Target("works", ("no", "yes"))


def converted(form: Any) -> tuple[ElementTree.Element, list[str]]:
    """The XForm that pyxform makes of a form, and what it warns of."""
    convert = pytest.importorskip("pyxform.xls2xform", reason="pyxform is not here").convert
    warnings: list[str] = []
    return ElementTree.fromstring(convert(xlsform=form, warnings=warnings).xform), warnings


def choices_in(form: ElementTree.Element) -> dict[str, list[tuple[str, str]]]:
    """The values and labels of each question, in the order of the form."""
    space = "{http://www.w3.org/2002/xforms}"
    lists = {
        str(instance.get("id")): [
            (str(item.findtext(f"{space}name")), str(item.findtext(f"{space}label")))
            for item in instance.iter(f"{space}item")
        ]
        for instance in form.iter(f"{space}instance")
        if instance.get("id") is not None
    }
    asked = [
        str(select.get("ref")).removeprefix("/data/") for select in form.iter(f"{space}select1")
    ]
    return {name: lists[name] for name in asked}


def test_it_asks_for_buckets_and_nothing_else() -> None:
    sheets = PEOPLE.to_xlsform(target=WORKS, title="Survey")
    form, warnings = converted(sheets)
    assert warnings == []
    asked = choices_in(form)
    assert list(asked) == ["age", "way_to_work", "works"]
    assert asked["age"] == [
        ("0", "under 17"),
        ("1", "17–61"),
        ("2", "62 and over"),
        ("3", "no answer"),
    ]
    assert asked["works"] == [("0", "no"), ("1", "yes")]
    space = "{http://www.w3.org/2002/xforms}"
    bound = {bind.get("nodeset"): bind for bind in form.iter(f"{space}bind")}
    fields = {f"/data/{name}" for name in asked}
    assert set(bound) == fields | {"/data/meta/instanceID"}  # no time, place, device or audit
    assert all(bound[field].get("required") == "true()" for field in fields)
    inputs = [*form.iter(f"{space}input"), *form.iter(f"{space}upload")]
    assert inputs == []


def test_the_same_form_is_written_as_a_spreadsheet(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl", reason="openpyxl is not here")
    path = tmp_path / "form.xlsx"
    sheets = PEOPLE.to_xlsform(target=WORKS, path=path)
    form, warnings = converted(str(path))
    assert warnings == []
    assert choices_in(form) == choices_in(converted(sheets)[0])


def test_odd_names_and_labels(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not here")
    sheets = odd().to_xlsform()
    assert [row["attribute"] for row in sheets["survey"]] == list(ODD_NAMES)
    form, _ = converted(sheets)
    assert len(choices_in(form)) == len(ODD_NAMES)
    book = openpyxl.load_workbook(io.BytesIO(spreadsheet(sheets)))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells if cell.value is not None} == {"s"}
    assert book.sheetnames == ["survey", "choices", "settings"]


def test_many_buckets_are_a_list_to_open() -> None:
    survey = odd().to_xlsform()["survey"]
    assert {row["appearance"] for row in survey} == {"minimal"}
    assert {row["appearance"] for row in PEOPLE.to_xlsform()["survey"]} == {""}


def test_without_openpyxl(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(DataError, match=r"pip install 'sparsam\[excel\]'"):
        PEOPLE.to_xlsform(path=tmp_path / "form.xlsx")
    assert not list(tmp_path.iterdir())
    assert PEOPLE.to_xlsform()["survey"]


def test_words_of_the_user() -> None:
    labels = {"title": "Über Sie", "age": {"question": "Wie alt?", "help": "In Jahren."}}
    sheets = PEOPLE.to_xlsform(language="de", labels=labels)
    form, warnings = converted(sheets)
    assert warnings == []
    texts = [element.text for element in form.iter()]
    assert {"Über Sie", "Wie alt?", "In Jahren.", "unter 17"} <= set(texts)
    assert PEOPLE.to_fhir(language="de", labels=labels)["item"][0]["text"] == "Wie alt? In Jahren."
