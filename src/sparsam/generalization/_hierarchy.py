"""What the values of an attribute are called from fine to coarse: labels, levels and groups."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import wrong_parameter
from sparsam._documents import decode_text, read_bytes
from sparsam._errors import DataError, DocumentError
from sparsam._writing import write_text
from sparsam.data import Attribute, CategoricalDomain, Category

Levels = Sequence[Sequence[Any]]

# Texts that stand for a missing value in the first column.
MISSING_TEXTS = ("", "NULL")
DELIMITERS = (";", ",", "\t")


@dataclass(frozen=True, repr=False)
class Hierarchy:
    """What each value is called, from fine to coarse, and so which values belong together.

    Values with one label on a level have one label on all coarser levels too. Where all values have
    equally many labels, the hierarchy has levels, and a table can be published on one of them.

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
    >>> place = read({"place": ["Wien", "Bonn"]}).attributes[0]
    >>> places.levels(place)
    [['Bonn', 'Wien'], ['D', 'A'], ['*', '*']]
    >>> places.tree(place).at_most(1, place.size)
    array([0, 0])
    """

    rows: tuple[tuple[Any, ...], ...]

    def __post_init__(self) -> None:
        rows = tuple(tuple(row) for row in self.rows)
        object.__setattr__(self, "rows", rows)
        if not rows or not rows[0]:
            raise DataError("A hierarchy must have at least one value. Got none.")
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

    @classmethod
    def from_ancestors(cls, ancestors: Mapping[Category, Sequence[str]]) -> Hierarchy:
        """Make a hierarchy from the groups that each category belongs to.

        Parameters
        ----------
        ancestors : mapping of category to sequence of str
            For each category its groups, from the nearest to the farthest; as many as it has.

        Examples
        --------
        >>> Hierarchy.from_ancestors({"Bonn": ["D", "Europe"], "Malta": ["Europe"]}).rows
        (('Bonn', 'D', 'Europe'), ('Malta', 'Europe'))
        """
        return cls(tuple((category, *groups) for category, groups in ancestors.items()))

    @classmethod
    def load(cls, path: str | PathLike[str], *, delimiter: str | None = None) -> Hierarchy:
        """Read a hierarchy from a file as ARX writes it.

        The file has no header. Every line holds a value and its labels, from fine to coarse, as in
        ``Bonn;Germany;*``.

        Parameters
        ----------
        path : str or path
            UTF-8 text.
        delimiter : str, optional
            What stands between labels. By default the first of semicolon, comma and tab that the
            first line has outside quotes.

        Returns
        -------
        Hierarchy

        Raises
        ------
        DataError
            Lines have different lengths, a value occurs twice, or values with one label on a level
            have several on the next.
        """
        file = Path(path)
        try:
            text = decode_text(read_bytes(file), "Text", separators=(*DELIMITERS, "\n"))
        except DocumentError as error:
            raise DataError(f"'{file.name}' must be a hierarchy in UTF-8. {error}") from None
        if delimiter is None:
            wider = (sign for sign in DELIMITERS if len(next(_parsed(text, sign, file), ())) > 1)
            delimiter = next(wider, DELIMITERS[0])
        elif len(delimiter) != 1:
            raise wrong_parameter("Hierarchy.load", "delimiter", "None or one character", delimiter)
        try:
            rows = tuple(_parsed(text, delimiter, file))
            _check_lengths(rows)
            return cls(rows)
        except DataError as error:
            raise DataError(f"'{file.name}': {error}") from None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the hierarchy to a file that ARX reads.

        Parameters
        ----------
        path : str or path
        """
        _check_lengths(self.rows)
        lines = [";".join(_quoted(label) for label in row) + "\n" for row in self.rows]
        write_text(path, "".join(lines))

    @property
    def n_levels(self) -> int:
        """The most labels that a value has, the value itself counted."""
        return max(len(row) for row in self.rows)

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
        _check_lengths(self.rows)
        rows = self._rows_of(attribute)
        if attribute.missing:
            missing = self._missing_row()
            if missing is None:
                raise DataError(
                    f"Values of '{attribute.name}' may be missing, so its hierarchy must say what "
                    "they are called. Got no line for them.\n\nHint: add a line whose first column "
                    "is empty or NULL."
                )
            rows.append((None, *missing[1:]))
        return [list(level) for level in zip(*rows, strict=True)]

    def tree(self, attribute: Attribute) -> CodeTree:
        """Return the tree of groups above the codes of an attribute.

        A missing value stands directly below the root, unless the hierarchy has a line for it.

        Parameters
        ----------
        attribute : Attribute

        Raises
        ------
        DataError
            The hierarchy does not cover all values of the attribute.
        """
        rows = self._rows_of(attribute)
        if attribute.missing:
            rows.append(self._missing_row() or (None,))
        return CodeTree.above([row[1:] for row in rows])

    def uncovered(self, attribute: Attribute) -> list[Any]:
        """List the values of an attribute that the hierarchy does not have.

        Parameters
        ----------
        attribute : Attribute
        """
        return self._matched(attribute)[1]

    def _rows_of(self, attribute: Attribute) -> list[tuple[Any, ...]]:
        """The row of every value of an attribute, in the order of the codes."""
        rows, unknown = self._matched(attribute)
        if unknown:
            raise DataError(
                f"The hierarchy of '{attribute.name}' must cover all of its {attribute.n_values:,} "
                f"values. Got none of {len(unknown):,} of them in its first column."
                "\n\nHint: `uncovered(attribute)` lists them."
            )
        return rows

    def _missing_row(self) -> tuple[Any, ...] | None:
        return next((row for row in self.rows if row[0] is None or row[0] in MISSING_TEXTS), None)

    def _matched(self, attribute: Attribute) -> tuple[list[tuple[Any, ...]], list[Any]]:
        place: dict[Any, tuple[Any, ...]]
        if isinstance(attribute.domain, CategoricalDomain):
            place = {str(row[0]): row for row in self.rows}
            keys: list[Any] = [str(category) for category in attribute.domain.categories]
        else:
            if attribute.domain.unit is not None:
                raise DataError(
                    f"A hierarchy needs numbers or categories. '{attribute.name}' holds "
                    f"{attribute.domain.unit}s, which are told apart by the calendar as they are."
                    "\n\nHint: leave the hierarchy out, or declare the column categorical."
                )
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
        rows = [place[key] for key in keys if key in place]
        return rows, [key for key in keys if key not in place]

    def __repr__(self) -> str:
        return f"Hierarchy({len(self.rows):,} values, {self.n_levels} levels)"


@dataclass(frozen=True, eq=False, repr=False)
class CodeTree:
    """A group of codes of one attribute, and the groups inside it; the root holds all codes.

    Parameters
    ----------
    codes : list of int
        The codes of the group, in the order in which its parts came.
    children : tuple of CodeTree
        Its parts; none where it is a single code.
    """

    codes: list[int]
    children: tuple[CodeTree, ...] = ()

    @classmethod
    def above(cls, groups: Sequence[Sequence[Any]]) -> CodeTree:
        """Return the tree above all codes.

        Parameters
        ----------
        groups : sequence of sequence
            For each code the names of its groups, from the nearest to the farthest.
        """
        return cls._of([(code, list(names)) for code, names in enumerate(groups)])

    @classmethod
    def _of(cls, members: list[tuple[int, list[Any]]]) -> CodeTree:
        parts: dict[Any, list[tuple[int, list[Any]]]] = {}
        for code, names in members:
            key = ("group", names[-1]) if names else ("code", code)
            parts.setdefault(key, []).append((code, names[:-1]))
        children = tuple(
            cls._of(inside) if kind == "group" else cls([inside[0][0]])
            for (kind, _), inside in parts.items()
        )
        return cls([code for child in children for code in child.codes], children)

    def order(self, score: Callable[[list[int]], float]) -> list[int]:
        """Return all codes, sorted by score level by level, so that each group stays together.

        Parameters
        ----------
        score : callable
            A number for the codes of a group.
        """
        if not self.children:
            return self.codes
        children = sorted(self.children, key=lambda child: score(child.codes))
        return [code for child in children for code in child.order(score)]

    def coarsest(self, one_bucket: Callable[[list[int]], bool], size: int) -> NDArray[np.int64]:
        """Return buckets that are groups of the tree, each as high up as allowed.

        Parameters
        ----------
        one_bucket : callable
            Whether the codes of a group may be one bucket.
        size : int
            The number of codes.
        """
        waiting, closed = [self], list[CodeTree]()
        while waiting:
            group = waiting.pop()
            if not group.children or one_bucket(group.codes):
                closed.append(group)
            else:
                waiting.extend(reversed(group.children))
        return _numbered(closed, size)

    def at_most(self, most: int, size: int) -> NDArray[np.int64]:
        """Return buckets that are groups of the tree, opened from the top while there is room.

        Parameters
        ----------
        most : int
            The most buckets that are allowed.
        size : int
            The number of codes.
        """
        waiting, closed = [self], list[CodeTree]()
        while waiting:
            widest = max(waiting, key=lambda group: len(group.codes))
            waiting.remove(widest)
            room = most - len(waiting) - len(closed)
            if widest.children and len(widest.children) <= room:
                waiting.extend(widest.children)
            else:
                closed.append(widest)
        return _numbered(closed, size)


def _numbered(groups: Sequence[CodeTree], size: int) -> NDArray[np.int64]:
    """Number the codes of each group, the groups in the order of their first codes."""
    buckets = np.empty(size, dtype=np.int64)
    for number, group in enumerate(sorted(groups, key=lambda group: min(group.codes))):
        buckets[group.codes] = number
    return buckets


def _parsed(text: str, delimiter: str, file: Path) -> Iterator[tuple[str, ...]]:
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        yield from (tuple(row) for row in reader if row)
    except csv.Error:
        raise DataError(
            f"'{file.name}' must hold one value on each line, with its labels. "
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
    upper: dict[tuple[int, Any], Any] = {}
    for row in rows:
        for level, (label, above) in enumerate(pairwise((*row[1:], None)), 1):
            known = upper.setdefault((level, label), above)
            if known != above:
                raise DataError(
                    f"Values with one label on a level must have one label on the next. "
                    f"{label!r} on level {level} has {known!r} and {above!r}."
                )
