r"""How the numbers of a text file are written: decimal points or commas, signs between thousands.

A column is read as numbers only where every cell agrees, and where there is one way to read it: in
"1,234" the comma may stand before decimals or between thousands. What settles it is a cell of the
same column that can be read in one way alone ("3,14", "1,234.50"), or else such cells of other
columns: a file is written by one hand. Whatever stays open stays text, and a remark says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sparsam.data.source._format import FileFormat

_SIGNS = {",": ",", ".": r"\.", " ": "[ \u00a0\u202f]", "'": "['\u2019]"}
_WHOLE = "0|[1-9][0-9]{0,14}"
_SPECIAL = "|[nN]a[nN]|[+-]?(inf|Inf|INF|Infinity|infinity)"
_NAMES = {",": "commas", ".": "points", " ": "blanks", "'": "apostrophes"}
# What a text must look like to be worth a closer look.
# A number that is written so is a code, which is a text.
LEADING_ZERO = re.compile(r"\s*[+-]?0[0-9]+\s*")
_LOOSE = re.compile("\\s*[+-]?[0-9][0-9.,'\u2019 \u00a0\u202f]*([eE][+-]?[0-9]+)?\\s*")
_SIGNED = re.compile(
    "\\s*[$€£¥]?\\s*[+-]?[0-9][0-9.,'\u2019 \u00a0\u202f]*\\s*"
    "(%|‰|[$€£¥]|EUR|USD|GBP|CHF|kg|km|cm|mm|m|g)?\\s*"
)
# Texts by which nobody is meant: marks that programs write for a missing value.
MARKS = (
    *("NA", "N/A", "n/a", "na", "null", "NULL", "Null", "None", "none", "nil", "missing", "NaN"),
    *("#N/A", "?", "-", "--", ".", "..", "*", "x", "X", "unknown", "Unknown"),
)


class NumberForm(NamedTuple):
    """One way to write numbers.

    Attributes
    ----------
    decimal : {".", ","}
        What stands before the decimals.
    thousands : {"", ",", ".", " ", "'"}
        What stands between groups of three digits.
    """

    decimal: str = "."
    thousands: str = ""

    @property
    def whole(self) -> str:
        """A pattern for whole numbers; a leading zero marks a code, which is text."""
        return rf"\s*[+-]?({self._whole})\s*"

    @property
    def number(self) -> str:
        """A pattern for numbers."""
        point = _SIGNS[self.decimal]
        exponent = "([eE][+-]?[0-9]{1,3})?"
        digits = f"({self._whole})({point}[0-9]*)?|{point}[0-9]+"
        return rf"\s*([+-]?({digits}){exponent}{_SPECIAL})\s*"

    @property
    def _whole(self) -> str:
        # whole numbers of at most 15 digits are exact as floats
        if not self.thousands:
            return _WHOLE
        return f"{_WHOLE}|[1-9][0-9]{{0,2}}({_SIGNS[self.thousands]}[0-9]{{3}}){{1,4}}"

    def plain(self, cell: str) -> str:
        """Return the SQL that writes a cell as everybody does: no groups, a decimal point."""
        cell = f"trim({cell})"
        if self.thousands:
            cell = f"regexp_replace({cell}, {sql_text(_SIGNS[self.thousands])}, '', 'g')"
        return cell if self.decimal == "." else f"replace({cell}, ',', '.')"

    def in_words(self) -> str:
        """Return in words how numbers are written, if not as everybody does.

        Examples
        --------
        >>> NumberForm(",", ".").in_words()
        'numbers with decimal commas, and points between thousands'
        """
        parts = ["decimal commas"] * (self.decimal == ",")
        if self.thousands:
            parts.append(f"{_NAMES[self.thousands]} between thousands")
        return f"numbers with {', and '.join(parts)}"


PLAIN = NumberForm()


class Evidence(NamedTuple):
    """What all cells of a column say about how its numbers are written.

    Attributes
    ----------
    fits : tuple of NumberForm
        The forms in which every cell is a number.
    comma, point : bool
        Whether a cell can be read with a decimal comma, or with a decimal point, alone.
    varied : bool
        Whether the cells differ in length: codes such as "110 001" do not.
    dotted : bool
        Whether a cell has a point.
    """

    fits: tuple[NumberForm, ...]
    comma: bool
    point: bool
    varied: bool
    dotted: bool


def base_form(form: FileFormat) -> NumberForm:
    """Return the form that numbers have until something else is known."""
    decimal = form.decimal or ("," if form.thousands == "." else ".")
    return NumberForm(decimal, form.thousands or "")


def other_forms(form: FileFormat) -> tuple[NumberForm, ...]:
    """Return the forms that numbers may have beside the first, given what is said of the file.

    Examples
    --------
    >>> other_forms(FileFormat(decimal=",", thousands=""))
    ()
    """
    base = base_form(form)
    decimals = (form.decimal,) if form.decimal is not None else (".", ",")
    groups = (form.thousands,) if form.thousands is not None else ("", ",", ".", " ", "'")
    forms = (NumberForm(decimal, group) for decimal in decimals for group in groups)
    return tuple(known for known in forms if known.decimal != known.thousands and known != base)


def worth_a_look(cells: Iterable[str]) -> bool:
    """Whether the first cells of a column may all be numbers, written in some way."""
    return all(_LOOSE.fullmatch(cell) for cell in cells)


def evidence_sql(cell: str, forms: Sequence[NumberForm]) -> str:
    """Return the SQL of what `evidence` takes, for one column.

    Parameters
    ----------
    cell : str
        The SQL of a cell.
    forms : sequence of NumberForm
    """
    text = f"trim({cell})"
    fits = [f"bool_and(regexp_full_match({text}, {sql_text(form.number)}))" for form in forms]
    proofs = [
        f"bool_or(regexp_full_match({text}, {sql_text(_proof(sign))}))" for sign in (",", ".")
    ]
    varied = f"min(length({text})) < max(length({text}))"
    return ", ".join([*fits, *proofs, varied, f"bool_or(contains({text}, '.'))"])


def evidence(answers: Sequence[bool | None], forms: Sequence[NumberForm]) -> Evidence:
    """Return what a column says, from the answers to `evidence_sql`."""
    fits = tuple(form for form, answer in zip(forms, answers, strict=False) if answer)
    return Evidence(fits, *map(bool, answers[len(forms) :]))


def _proof(decimal: str) -> str:
    """A pattern for what can be read in one way alone, with this sign before the decimals."""
    sign, other = (",", r"\.") if decimal == "," else (r"\.", ",")
    return (
        f"[+-]?([0-9].*{sign}([0-9]{{1,2}}|[0-9]{{4,}})"  # no group has two digits, or four
        f"|0?{sign}[0-9]+"
        f"|[0-9]{{4,}}{sign}[0-9]+"
        f"|.*[{other} '\u2019\u00a0\u202f][0-9]{{3}}{sign}[0-9]+"  # other groups before it
        f"|.*{other}[0-9]{{3}}{other}[0-9]{{3}}([^0-9].*)?)"  # two of the other, hence groups
        f"([eE][+-]?[0-9]+)?"
    )


def chosen_form(
    found: Evidence, file: tuple[bool, bool], delimiter: str, form: FileFormat
) -> NumberForm | None:
    """Decide how a column's numbers are written; None where that stays open.

    Parameters
    ----------
    found : Evidence
        Of this column.
    file : tuple of bool
        Whether any column proves decimal commas, and any decimal points.
    delimiter : str
        A file whose fields are divided by semicolons has commas inside its numbers.
    form : FileFormat
        What is said of the file.
    """
    fits = found.fits
    if found.comma != found.point:
        fits = tuple(known for known in fits if (known.decimal == ",") == found.comma)
    grouped = {known.thousands for known in fits} - {"", ",", "."}
    if grouped and len(grouped) == len({known.thousands for known in fits}):
        # only blanks or apostrophes: the decimal sign does not occur, but a code may look so
        clear = found.varied or form.thousands is not None or found.comma or found.point
        return fits[0] if clear else None
    decimals = {known.decimal for known in fits}
    if len(decimals) > 1:
        comma, point = file
        if comma == point:
            comma, point = delimiter == ";" and not point, False
        if comma == point:
            return None
        fits = tuple(known for known in fits if (known.decimal == ",") == comma)
    return min(fits, key=lambda known: len(known.thousands)) if fits else None


def remark_on(cells: Sequence[str], open_form: bool) -> str:
    """Return what a column of texts may be instead, without telling any of them.

    Parameters
    ----------
    cells : sequence of str
        Some of its cells.
    open_form : bool
        Whether every cell is a number in more than one way of writing.
    """
    if open_form:
        return (
            "numbers that can be read in two ways, so taken for text; say which with --decimal or "
            "--thousands"
        )
    plain = re.compile(PLAIN.number)
    numbers = sum(plain.fullmatch(cell) is not None for cell in cells)
    if cells and numbers == len(cells):
        return "numbers with decimal points, which is not what was said, so taken for text"
    others = {cell for cell in cells if not plain.fullmatch(cell)}
    if 2 * numbers > len(cells) and others and not any(map(LEADING_ZERO.fullmatch, others)):
        if others <= set(MARKS):
            marks = " and ".join(f"'{mark}'" for mark in sorted(others))
            return f"numbers but for {marks}, so taken for text; if that means missing, --missing"
        return (
            "mostly numbers, but some texts, so taken for text; if they mean missing, say which "
            "with --missing"
        )
    if (
        cells
        and not numbers
        and all(_SIGNED.fullmatch(c) and not _LOOSE.fullmatch(c) for c in cells)
    ):
        return "numbers with a sign or a unit, so taken for text; take it out to have numbers"
    return ""


def sql_text(text: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"
