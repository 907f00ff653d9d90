"""The form for field work: an XLSForm, which ODK and KoboToolbox take."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from sparsam._errors import DataError
from sparsam._writing import write_bytes
from sparsam.collect.exports._questions import Questions, field_names, fingerprint
from sparsam.generalization import Generalization

if TYPE_CHECKING:
    from sparsam.collect._target import Target

Sheets = dict[str, list[dict[str, str]]]
"""The rows of every sheet, each by the titles of its columns."""

_NAMES = re.compile("[A-Za-z][A-Za-z0-9_]*")
_TAKEN = ("meta", "instanceid", "instancename")
_MOST_RADIOS = 12
_LONGEST = 32_767  # signs in a cell of a spreadsheet


def to_xlsform(
    generalization: Generalization,
    *,
    target: Target | None = None,
    title: str | None = None,
    language: str = "en",
    labels: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    path: str | os.PathLike[str] | None = None,
) -> Sheets:
    """Return an XLSForm that asks for the collected attributes, in their buckets.

    What is sent is the number of the bucket. Nothing else is asked for: no time, no place, no
    device, no audit log; what a server adds by itself is to be switched off there.

    Parameters
    ----------
    generalization : Generalization
    target : Target, optional
        Is asked last.
    title : str, optional
        That of the language or of the labels when left out.
    language, labels
        As for `Form`.
    path : path, optional
        Where to write the form, as a spreadsheet (.xlsx), too.

    Returns
    -------
    dict of str to list of dict
        The rows of the sheets "survey", "choices" and "settings". In "survey" the column
        "attribute" has the name in the generalization; tools pass over it.

    Raises
    ------
    ParameterError
        There is nothing to ask.
    DataError
        A spreadsheet cannot be written, as openpyxl is not there.
    """
    questions = Questions.of(generalization, target, language, labels)
    asked = questions.asked
    names = field_names(asked, _NAMES, _TAKEN)
    survey, choices = [], []
    for question, name in zip(asked, names, strict=True):
        survey.append(
            {
                "type": f"select_one {name}",
                "name": name,
                "label": _text(question.words),
                "hint": _text(question.help),
                "required": "yes",
                "appearance": "minimal" if len(question.choices) > _MOST_RADIOS else "",
                "attribute": question.name,
            }
        )
        choices += [
            {"list_name": name, "name": str(bucket), "label": _text(label)}
            for bucket, label in enumerate(question.choices)
        ]
    version = fingerprint(generalization)
    called = _text(questions.title if title is None else title)
    settings = [{"form_title": called, "form_id": f"sparsam_{version}", "version": version}]
    sheets = {"survey": survey, "choices": choices, "settings": settings}
    if path is not None:
        write_bytes(path, spreadsheet(sheets))
    return sheets


def spreadsheet(sheets: Mapping[str, Sequence[Mapping[str, str]]]) -> bytes:
    """Return sheets as a spreadsheet (.xlsx), in which every cell is a text and none a formula.

    Parameters
    ----------
    sheets : mapping of str to sequence of mappings
        Each with the same columns in all of its rows.
    """
    try:
        import openpyxl
        from openpyxl.cell import WriteOnlyCell
    except ImportError:
        raise DataError(
            "openpyxl is needed to write an Excel file.\n\nHint: pip install 'sparsam[excel]'."
        ) from None
    book = openpyxl.Workbook(write_only=True)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        heads = list(rows[0])
        for row in [dict(zip(heads, heads, strict=True)), *rows]:
            cells = [WriteOnlyCell(sheet, value=_storable(row[head])) for head in heads]
            for cell in cells:
                cell.data_type = "s"  # what begins with = is a text here
            sheet.append(cells)
    content = BytesIO()
    book.save(content)
    return content.getvalue()


def _text(text: str) -> str:
    """A label; a name in ${…} would be taken for a reference to another answer."""
    return text.replace("${", "$ {")[:_LONGEST]


def _storable(text: str) -> str:
    # XML has no sign for these, nor has a spreadsheet
    return re.sub("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]", "\ufffd", text)[:_LONGEST]
