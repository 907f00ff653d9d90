"""Classes whose records lie together: what is published for each, and what is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise._publish import Form
from sparsam.anonymise._published_values import (
    Missing,
    Tally,
    averages,
    draws,
    hierarchy_labels,
    ranges,
    values_of,
)
from sparsam.anonymise._tight_loss import ClassSpans, TightVariant, class_costs
from sparsam.anonymise.kernels._packed_rows import Cells
from sparsam.data import Attribute
from sparsam.generalization import Levels

Ints = NDArray[np.int64]
_AT_ONCE = 200_000  # classes whose values are put into words at once
LOW, HIGH, DISTINCT, GONE, PEOPLE, MEDIAN, MODE, KNOWN = range(8)


@dataclass(frozen=True, eq=False, repr=False)
class ClassRuns:
    """Classes of records.

    Attributes
    ----------
    cells : ndarray of shape (n_records, n_columns)
        Codes; the records of a class lie together.
    weights : ndarray of int
        How many people have each record.
    starts, stops : ndarray of int
        Where the records of each class begin, and where they end.
    """

    cells: Cells
    weights: NDArray[np.uint32]
    starts: Ints
    stops: Ints

    def __len__(self) -> int:
        return len(self.starts)

    def summary(self, place: int, attribute: Attribute) -> Ints:
        """Look at one attribute of every class, see `summarise`.

        Parameters
        ----------
        place : int
            Its column.
        attribute : Attribute
        """
        from sparsam.anonymise.kernels._weighted_kernels import summarise

        out = np.empty((8, len(self)), np.int64)
        size, missing = attribute.size, attribute.n_values
        summarise(self.cells, self.weights, self.starts, self.stops, place, size, missing, out)
        return out

    def tally(self, place: int, attribute: Attribute, summary: Ints, part: slice) -> Tally:
        """Count the values of one attribute in some classes.

        Parameters
        ----------
        place : int
        attribute : Attribute
        summary : ndarray
        part : slice
            Of the classes.
        """
        from sparsam.anonymise.kernels._weighted_kernels import tally_classes

        distinct = summary[DISTINCT, part]
        out = np.empty((3, int(distinct.sum())), np.int64)
        starts, stops = self.starts[part], self.stops[part]
        tally_classes(self.cells, self.weights, starts, stops, place, attribute.size, out)
        begins = np.cumsum(distinct) - distinct
        return Tally(out[0], out[1], out[2], begins, attribute.n_values)


class PublishedColumn:
    """The values of one attribute that are published, and which of them each class has.

    Parameters
    ----------
    attribute : Attribute
    how : str
        See `publish`.
    missing : {"own", "known"}
    levels : sequence of sequence, optional
        For "hierarchy".
    """

    def __init__(
        self, attribute: Attribute, how: Form, missing: Missing, levels: Levels | None
    ) -> None:
        self.attribute, self.how, self.missing, self.levels = attribute, how, missing, levels
        averaged = how == "mean" and attribute.numeric
        self.coded = how in ("median", "mode", "mean") and not averaged
        self.values: list[Any] = values_of(attribute) if self.coded else []
        self._place: dict[Any, int] = {}

    def of(
        self, runs: ClassRuns, place: int, summary: Ints, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return the number of the value of every class.

        Parameters
        ----------
        runs : ClassRuns
        place : int
            The column of the attribute.
        summary : ndarray
            See `ClassRuns.summary`.
        rng : numpy Generator
            For "draw".
        """
        if self.coded:
            return self._middle(summary)
        number = np.empty(len(runs), np.int64)
        for start in range(0, len(runs), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            tally = runs.tally(place, self.attribute, summary, part)
            number[part] = self._numbered(self._words(tally, rng))
        return number

    def _middle(self, summary: Ints) -> NDArray[np.int64]:
        if self.how == "mode" or not self.attribute.ordered:
            modes: Ints = summary[KNOWN if self.missing == "known" else MODE]
            return modes
        known = summary[PEOPLE] - summary[GONE]
        lacking = known == 0 if self.missing == "known" else summary[GONE] > known
        return np.where(lacking, self.attribute.n_values, summary[MEDIAN])

    def _words(self, tally: Tally, rng: np.random.Generator) -> Sequence[Any]:
        if self.how == "ranges":
            return ranges(self.attribute, tally)
        if self.how == "draw":
            return draws(self.attribute, tally, self.missing, rng)
        if self.how == "hierarchy":
            assert self.levels is not None
            return hierarchy_labels(self.attribute, tally, self.levels)
        return averages(self.attribute, tally, "mean", self.missing)

    def _numbered(self, values: Sequence[Any]) -> list[int]:
        numbers = []
        for value in values:
            number = self._place.get(value)
            if number is None:
                number = self._place[value] = len(self.values)
                self.values.append(value)
            numbers.append(number)
        return numbers


def lost_rows(
    summary: Ints, attribute: Attribute, variants: Sequence[TightVariant]
) -> Mapping[TightVariant, float]:
    """Add up what every person loses of one attribute, in several definitions.

    Parameters
    ----------
    summary : ndarray
        See `ClassRuns.summary`.
    attribute : Attribute
    variants : sequence of str
        See `tight_loss`.
    """
    spans = ClassSpans.of(summary, attribute)
    return {
        variant: float((class_costs(spans, attribute, variant) * summary[PEOPLE]).sum())
        for variant in variants
    }
