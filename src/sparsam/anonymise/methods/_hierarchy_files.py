"""Hierarchies of labels in files, one line a value: ARX's format, read and written."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from sparsam._documents import decode_text, read_bytes
from sparsam._errors import DataError, DocumentError, ParameterError
from sparsam._writing import write_text
from sparsam.anonymise.publish._labels import Levels
from sparsam.data import Attribute, CategoricalDomain

# Texts that stand for a missing value in the first column.
MISSING_TEXTS = ("", "NULL")
DELIMITERS = (";", ",", "\t")


@dataclass(frozen=True, repr=False)
class Hierarchy:
    """What each value is called on every level, from fine to coarse.

    Values with one label on a level have one label on all coarser levels too.

    Parameters
    ----------
    rows : tuple of tuple
        For each value its labels, the value itself first.

    Examples
    --------
    >>> places = Hierarchy((("Bonn", "D", "*"), ("Ulm", "D", "*"), ("Wien", "A", "*")))
    >>> places
    Hierarchy(3 values, 3 levels)
    >>> from sparsam.data import read
    >>> places.levels(read({"place": ["Wien", "Bonn"]}).attributes[0])
    [['Bonn', 'Wien'], ['D', 'A'], ['*', '*']]
    """

    rows: tuple[tuple[Any, ...], ...]

    def __post_init__(self) -> None:
        rows = tuple(tuple(row) for row in self.rows)
        object.__setattr__(self, "rows", rows)
        if not rows or not rows[0]:
            raise DataError("A hierarchy must have at least one value. Got none.")
        _check_lengths(rows)
        _check_values(rows)
        _check_coarsening(rows)

    @classmethod
    def from_levels(cls, levels: Levels) -> Hierarchy:
        """Make a hierarchy from its levels, the first of which holds the values.

        Parameters
        ----------
        levels : sequence of sequence
            For each level, from fine to coarse, the label of every value.

        Examples
        --------
        >>> Hierarchy.from_levels([["Bonn", "Wien"], ["D", "A"]]).rows
        (('Bonn', 'D'), ('Wien', 'A'))
        """
        lengths = sorted({len(level) for level in levels})
        if len(lengths) != 1:
            raise DataError(
                "Every level must have a label for each value, and there must be a level. "
                f"Got levels of the lengths {lengths}."
            )
        return cls(tuple(zip(*levels, strict=True)))

    @property
    def n_levels(self) -> int:
        """The number of levels, that of the values counted."""
        return len(self.rows[0])

    def levels(self, attribute: Attribute) -> list[list[Any]]:
        """Return the label of every code of an attribute on each level, missing last.

        Categories are found by their text, numbers by value. An empty text and NULL are missing.

        Parameters
        ----------
        attribute : Attribute

        Raises
        ------
        DataError
            The hierarchy does not cover all values of the attribute.
        """
        found, unknown = self._matched(attribute)
        if unknown:
            raise DataError(
                f"The hierarchy of '{attribute.name}' must cover all of its {attribute.n_values:,} "
                f"values. Got none of {len(unknown):,} of them in its first column."
                "\n\nHint: `uncovered(attribute)` lists them."
            )
        if attribute.missing:
            gone = [row for row in self.rows if row[0] is None or row[0] in MISSING_TEXTS]
            if not gone:
                raise DataError(
                    f"Values of '{attribute.name}' may be missing, so its hierarchy must say what "
                    "they are called. Got no line for them.\n\nHint: add a line whose first column "
                    "is empty or NULL."
                )
            found.append((None, *gone[0][1:]))
        return [list(level) for level in zip(*found, strict=True)]

    def uncovered(self, attribute: Attribute) -> list[Any]:
        """List the values of an attribute that the hierarchy does not have.

        Parameters
        ----------
        attribute : Attribute
        """
        return self._matched(attribute)[1]

    def _matched(self, attribute: Attribute) -> tuple[list[tuple[Any, ...]], list[Any]]:
        place: dict[Any, tuple[Any, ...]]
        if isinstance(attribute.domain, CategoricalDomain):
            place = {str(row[0]): row for row in self.rows}
            keys: list[Any] = [str(category) for category in attribute.domain.categories]
        else:
            if attribute.binned:
                raise DataError(
                    f"A hierarchy of values needs a code for every number of '{attribute.name}'. "
                    f"Its numbers were cut into {attribute.n_values:,} bins instead."
                    "\n\nHint: round the numbers before reading, or give the labels of the bins."
                )
            place = {}
            for row in self.rows:
                other = place.setdefault(_number(row[0]), row)
                if _number(row[0]) is not None and other[1:] != row[1:]:
                    raise DataError(
                        f"A number must have one label on each level of a hierarchy. "
                        f"{row[0]!r} and {other[0]!r} are the same number and have several."
                    )
            keys = attribute.lows.tolist()
        found = [place[key] for key in keys if key in place]
        return found, [key for key in keys if key not in place]

    def __repr__(self) -> str:
        return f"Hierarchy({len(self.rows):,} values, {self.n_levels} levels)"


def read_hierarchy(path: str | PathLike[str], *, delimiter: str | None = None) -> Hierarchy:
    """Read a hierarchy from a file as ARX writes it.

    The file has no header. Every line holds a value and its labels, from fine to coarse, as in
    ``Bonn;Germany;*``.

    Parameters
    ----------
    path : str or path
        UTF-8 text.
    delimiter : str, optional
        What stands between labels. By default the first of semicolon, comma and tab that the first
        line has outside quotes.

    Returns
    -------
    Hierarchy

    Raises
    ------
    DataError
        Lines have different lengths, a value occurs twice, or values with one label on a level have
        several on the next.
    """
    file = Path(path)
    try:
        text = decode_text(read_bytes(file), "Text", separators=(*DELIMITERS, "\n"))
    except DocumentError as error:
        raise DataError(f"'{file.name}' must be a hierarchy in UTF-8. {error}") from None
    if delimiter is None:
        wider = (one for one in DELIMITERS if len(next(_parsed(text, one, file), ())) > 1)
        delimiter = next(wider, DELIMITERS[0])
    elif len(delimiter) != 1:
        raise ParameterError(
            "The 'delimiter' parameter of read_hierarchy must be None or one character. "
            f"Got {delimiter!r} instead."
        )
    try:
        return Hierarchy(tuple(_parsed(text, delimiter, file)))
    except DataError as error:
        raise DataError(f"'{file.name}': {error}") from None


def write_hierarchy(hierarchy: Hierarchy | Levels, path: str | PathLike[str]) -> None:
    """Write a hierarchy to a file that ARX reads.

    Parameters
    ----------
    hierarchy : Hierarchy or sequence of sequence
        Levels, from fine to coarse, have the label of every value; the first holds the values.
    path : str or path
    """
    if not isinstance(hierarchy, Hierarchy):
        hierarchy = Hierarchy.from_levels(hierarchy)
    lines = [";".join(_quoted(label) for label in row) + "\n" for row in hierarchy.rows]
    write_text(path, "".join(lines))


def _parsed(text: str, delimiter: str, file: Path) -> Iterator[tuple[str, ...]]:
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        yield from (tuple(row) for row in reader if row)
    except csv.Error:
        raise DataError(
            f"'{file.name}' must hold one value a line, with its labels. "
            "Got quotes that do not match, or a label that is too long."
        ) from None


def _quoted(label: Any) -> str:
    text = "" if label is None else str(label)
    special = any(sign in text for sign in (*DELIMITERS, '"', "\r", "\n", "\ufeff"))
    return '"' + text.replace('"', '""') + '"' if special or not text else text


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _check_lengths(rows: Sequence[tuple[Any, ...]]) -> None:
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise DataError(
                f"Every value must have a label on each of the {len(rows[0])} levels of the first "
                f"row. Row {number} has {len(row)}."
            )


def _check_values(rows: Sequence[tuple[Any, ...]]) -> None:
    seen: dict[str, int] = {}
    for number, row in enumerate(rows, 1):
        first = seen.setdefault(str(row[0]), number)
        if first != number:
            raise DataError(
                f"A value must occur once. {row[0]!r} stands in the rows {first} and {number}."
            )


def _check_coarsening(rows: Sequence[tuple[Any, ...]]) -> None:
    for level in range(1, len(rows[0]) - 1):
        upper: dict[Any, Any] = {}
        for row in rows:
            if upper.setdefault(row[level], row[level + 1]) != row[level + 1]:
                raise DataError(
                    f"Values with one label on a level must have one label on the next. "
                    f"{row[level]!r} on level {level} has {upper[row[level]]!r} and "
                    f"{row[level + 1]!r}."
                )
