"""Declared columns whose rows stay in an engine, which puts them into cells."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sparsam._errors import DataError
from sparsam.data._calendar import day_of
from sparsam.data.source.declared._cells import read_number, text_of
from sparsam.data.source.declared._columns import DeclaredColumns, Wanted, wrong_type
from sparsam.data.source.lazy import ColumnPlan, LazyFrame, LazyKind

# From here on not every whole number is a 64-bit float.
_EXACT = float(1 << 53)


class EngineColumns(DeclaredColumns):
    """Columns that an engine puts into cells.

    Parameters
    ----------
    frame : LazyFrame
    places : mapping of str to str
        For each column that is wanted, what the frame calls it.
    wanted : sequence of Wanted
    missing : collection of str
        Texts that mean missing.
    """

    def __init__(
        self,
        frame: LazyFrame,
        places: Mapping[str, str],
        wanted: Sequence[Wanted],
        missing: Collection[str],
    ) -> None:
        super().__init__(wanted, missing)
        self.frame, self._places = frame, places
        for name, lookup in self.lookups.items():
            check_texts(name, lookup)
        self._kinds = {column.name: self._kind(column) for column in wanted}

    @staticmethod
    def takes(frame: LazyFrame, place: str, wanted: Wanted) -> bool:
        """Whether an engine reads a column as it would be read in memory."""
        kind = frame.kind(place)
        if wanted.members is None and kind in ("date", "moment", "time"):
            raise wrong_type(wanted.name, "dates or times")
        return kind in ("number", "truth", "text", "date")

    def n_rows(self) -> int:
        """Count the rows."""
        return self.frame.n_rows()

    def number_plan(self, name: str, inner: Sequence[float], missing: int) -> ColumnPlan:
        """Tell the engine the cells of numbers.

        Parameters
        ----------
        name : str
        inner : sequence of float
            Ascending. The cell of a number is how many of them are at most it.
        missing : int
            The cell of missing values, and of what is no number.
        """
        place, kind = self._places[name], self._kinds[name]
        return ColumnPlan(place, kind, cuts=inner, missing=missing, gone=self.gone(name))

    def place_plan(self, name: str, cells: Sequence[int]) -> ColumnPlan:
        """Tell the engine the cells of categories.

        Parameters
        ----------
        name : str
        cells : sequence of int
            The cell of each member, then that of unseen and that of missing values.
        """
        *of_members, unseen, gone = map(int, cells)
        cell_of = {text: of_members[at] for text, at in self.lookups[name].items()}
        cell_of |= dict.fromkeys(self.texts(name), gone)
        members: dict[int, list[Any]] = defaultdict(list)
        for text, cell in cell_of.items():
            value = self._value(name, text)
            if value is not None:
                members[cell].append(value)
        groups = sorted(members.items())
        place, kind = self._places[name], self._kinds[name]
        return ColumnPlan(place, kind, groups=groups, missing=gone, outside=unseen)

    def _kind(self, column: Wanted) -> LazyKind:
        kind = self.frame.kind(self._places[column.name])
        if column.members is None:
            return "written" if kind == "text" else kind
        large = (abs(read_number(text)) >= _EXACT for text in self.lookups[column.name])
        whole = kind == "number" and self.frame.whole(self._places[column.name])
        return "text" if whole and any(large) else kind

    def _value(self, name: str, text: str) -> str | float | None:
        """Return what an engine compares for a text; None where no value is written so."""
        kind = self._kinds[name]
        if kind == "text":
            return text
        if kind == "truth":
            return {"true": 1.0, "false": 0.0}.get(text)
        if kind == "date":
            return _day(text)
        number = read_number(text)
        return number if text_of(number) == text else None


def check_texts(name: str, texts: Collection[str]) -> None:
    """Refuse categories that no engine can be told."""
    try:
        for text in texts:
            text.encode()
    except UnicodeError:
        msg = f"The categories of '{name}' must be texts in UTF-8. One is not."
        raise DataError(msg) from None


def _day(text: str) -> float | None:
    try:
        date = datetime.date.fromisoformat(text)
    except ValueError:
        return None
    return float(day_of(date)) if date.isoformat() == text else None
