"""What is to become of the columns of a frame that lives in an engine, in plain data."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sparsam.data._calendar import day_of

Members = Sequence[str] | Sequence[float]
LazyKind = Literal["number", "text", "truth", "date", "moment", "time", "written", "other"]
_LARGEST_KEY = 2**62
Edge = float | datetime.date | datetime.time
# What is a number where one is written, without the white space around it.
WRITTEN = r"(?i)^[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?)$"


@dataclass(frozen=True)
class ColumnPlan:
    """What becomes of one column, in plain data.

    Every value has a *slot*: its bucket, or a reason why it has none, which is ``n_buckets`` for a
    missing value and ``n_buckets + 1`` for one outside.

    Parameters
    ----------
    name : str
        The column.
    kind : {"number", "text", "truth", "date", "moment", "time", "written"}
        How its values are compared: as 64-bit floats, as text, as the numbers 0 and 1, or as
        dates (a moment as its date) and minutes of the day. Numbers that are written in a column
        of texts are read first; a text that is none is missing.
    cuts : sequence of float, date or time
        Intervals ``[cuts[i - 1], cuts[i])`` are the buckets, unless there are groups.
    groups : sequence of (int, members) or None
        Bucket and members of every group.
    bounds : (low, high) or None
        Numbers, dates and times outside are refused.
    age_on : date or None
        Where dates are compared by the age that a person born then has on this day.
    gone : tuple of float
        Numbers that mean missing.
    missing, outside : int or None
        Bucket of missing values and of values in no group; None refuses them.
    labels : sequence of str or None
        Labels to give out instead of bucket numbers.
    """

    name: str
    kind: LazyKind
    cuts: Sequence[Edge] = ()
    groups: Sequence[tuple[int, Members]] | None = None
    bounds: tuple[Edge, Edge] | None = None
    missing: int | None = None
    outside: int | None = None
    labels: Sequence[str] | None = None
    age_on: datetime.date | None = None
    gone: tuple[float, ...] = ()

    @cached_property
    def n_buckets(self) -> int:
        """How many buckets there are."""
        last = (
            len(self.cuts) if self.groups is None else max((b for b, _ in self.groups), default=0)
        )
        return max(last, self.missing or 0, self.outside or 0) + 1

    @property
    def missing_slot(self) -> int:
        """The slot of a missing value."""
        return self.n_buckets if self.missing is None else self.missing

    @property
    def outside_slot(self) -> int:
        """The slot of a value in no group, or out of bounds."""
        return self.n_buckets + 1 if self.outside is None else self.outside

    @property
    def refuses(self) -> bool:
        """Whether any value has no bucket."""
        strict = self.bounds is not None if self.groups is None else self.outside is None
        return strict or self.missing is None

    @property
    def dtype(self) -> type[np.uint8] | type[np.uint16]:
        """The smallest unsigned type that holds every slot."""
        n_slots = self.n_buckets + 2 * self.refuses
        return np.uint8 if n_slots <= 256 else np.uint16

    @cached_property
    def steps(self) -> tuple[list[float], list[int]]:
        """Ascending numbers, and the slot below the first, between them and from the last on.

        Days are counted from 1970-01-01, times of day in minutes.
        """
        numbers, slots = [_number(cut) for cut in self.cuts], list(range(len(self.cuts) + 1))
        if self.bounds is not None:
            low, high = map(_number, self.bounds)
            numbers = [low, *numbers, math.nextafter(high, math.inf)]
            slots = [self.outside_slot, *slots, self.outside_slot]
        return numbers, slots

    @cached_property
    def slot_of(self) -> dict[Any, int]:
        """The bucket of every member of a group, in ascending order of the members."""
        return dict(sorted((m, bucket) for bucket, listed in self.groups or () for m in listed))

    @property
    def own_labels(self) -> bool:
        """Whether every text is its own label, and everything else is refused.

        Examples
        --------
        >>> ColumnPlan("sex", "text", groups=[(0, ["f"]), (1, ["m"])], labels=["f", "m"]).own_labels
        True
        """
        members = {text: bucket for bucket, text in enumerate(self.labels or ())}
        refuses = self.missing is None and self.outside is None
        return self.kind == "text" and refuses and bool(members) and members == self.slot_of

    def check(self) -> ColumnPlan:
        """Return a plan that tells refused values apart, and nothing else: all others are bucket 0.

        Examples
        --------
        >>> ColumnPlan("age", "number", cuts=[17, 62], missing=None).check().cuts
        ()
        """
        missing = None if self.missing is None else 0
        if self.groups is None:
            return replace(self, cuts=(), missing=missing, labels=None)
        members: list[Any] = [] if self.outside is not None else list(self.slot_of)
        outside = None if self.outside is None else 0
        groups = [(0, members)]
        return replace(self, groups=groups, missing=missing, outside=outside, labels=None)


@dataclass(frozen=True)
class RecordPlan:
    """How the buckets of several columns become a few whole numbers, equal for equal records.

    Parameters
    ----------
    columns : tuple of ColumnPlan
        No value of theirs is refused.
    """

    columns: tuple[ColumnPlan, ...]

    @cached_property
    def keys(self) -> tuple[tuple[int, ...], ...]:
        """For each whole number the columns that go into it, the first most significant."""
        keys: list[list[int]] = []
        span = 1
        for place, plan in enumerate(self.columns):
            if not keys or span * plan.n_buckets > _LARGEST_KEY:
                keys.append([])
                span = 1
            keys[-1].append(place)
            span *= plan.n_buckets
        return tuple(map(tuple, keys))

    def packed(self, key: tuple[int, ...], slots: Callable[[int], Any]) -> Any:
        """One of the whole numbers, from the buckets of each column."""
        number = slots(key[0])
        for place in key[1:]:
            number = number * self.columns[place].n_buckets + slots(place)
        return number

    def unpacked(self, numbers: Sequence[NDArray[np.int64]]) -> NDArray[np.uint16]:
        """The records that such numbers stand for, one in each line."""
        records = np.empty((len(numbers[0]), len(self.columns)), dtype=np.uint16, order="F")
        for key, packed in zip(self.keys, numbers, strict=True):
            left = np.asarray(packed, dtype=np.int64)
            for place in reversed(key):
                left, records[:, place] = np.divmod(left, self.columns[place].n_buckets)
        return records


@dataclass(frozen=True)
class RecordRange:
    """Records between two others, in their order.

    Parameters
    ----------
    sizes : tuple of int
        How many buckets each of the first columns has: these are compared.
    low, high : int or None
        Whole numbers that records are packed into; those from the first up to the second, which is
        not one of them, are in the range.
    """

    sizes: tuple[int, ...]
    low: int | None = None
    high: int | None = None

    def holds(self, slots: Callable[[int], Any]) -> Any:
        """Tell which records are in the range, from the buckets of each column.

        Examples
        --------
        >>> records = np.array([[0, 0], [0, 2], [1, 0], [1, 1]])
        >>> RecordRange((2, 3), 2, 4).holds(lambda place: records[:, place]).tolist()
        [False, True, True, False]
        """
        number = slots(0)
        for place, size in enumerate(self.sizes[1:], 1):
            number = number * size + slots(place)
        above = number >= (0 if self.low is None else self.low)
        return above if self.high is None else above & (number < self.high)


def slot_name(i: int) -> str:
    """Return what the column with the slots of the i-th plan is called."""
    return f"sparsam slot {i}"


def _number(edge: Edge) -> float:
    if isinstance(edge, datetime.date):
        return float(day_of(edge))
    if isinstance(edge, datetime.time):
        return float(edge.hour * 60 + edge.minute)
    return float(edge)
