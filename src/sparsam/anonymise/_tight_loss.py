"""How much detail the classes lose, measured as tightly as their people allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_choice
from sparsam._errors import DataError
from sparsam.anonymise._classes import Classes, checked_codes
from sparsam.data import Attribute

TightVariant = Literal["range", "share", "values"]
_VARIANTS = {
    "range": "tight GCP: (max - min) / range, for categories (distinct - 1) / (values - 1), inside "
    "the class; mean over rows and attributes; suppressed rows lose 1",
    "share": "tight NCP after Goldsteen et al. 2021 eq. 1-2: (max - min) / range, for categories "
    "distinct / values (0 where all are alike), inside the class; mean over rows and attributes; "
    "suppressed rows lose 1",
    "values": "tight GCP after Staab et al. 2024 section 2.2: values from min to max / values (0 "
    "where all are alike), for categories distinct / values, inside the class; mean over rows and "
    "attributes; suppressed rows lose 1",
}
LOSS_DEFINITIONS = {f"tight ({variant})": words for variant, words in _VARIANTS.items()}
"""What the names under which a certificate states losses mean."""


@dataclass(frozen=True)
class TightLoss:
    """How much detail is lost, from 0 (nothing) to 1 (everything).

    Parameters
    ----------
    overall : float
        The mean over the attributes.
    per_attribute : dict of str to float
        The mean over the rows, for each attribute.
    variant : {"range", "share", "values"}
        The definition that was used.
    """

    overall: float
    per_attribute: dict[str, float]
    variant: TightVariant

    @property
    def name(self) -> str:
        """The name under which a certificate states it."""
        return f"tight ({self.variant})"

    @property
    def definition(self) -> str:
        """The definition in words."""
        return _VARIANTS[self.variant]


def tight_loss(
    classes: Classes,
    codes: NDArray[np.uint16],
    attributes: Sequence[Attribute],
    variant: TightVariant = "range",
) -> TightLoss:
    """Measure how much detail is lost when every class is published as the span of its people.

    The span is that of the people in the class, not of the cuts that led to it: what is published
    as wider ranges loses more. A class in which some numbers, or ordered categories, are missing
    and others are not loses all of that attribute; among categories missing is one more value. The
    range is that of the values which have codes, and a number in a bin counts as the whole bin.

    Parameters
    ----------
    classes : Classes
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    attributes : sequence of Attribute
        The quasi-identifiers.
    variant : {"range", "share", "values"}, default="range"
        "NCP" means several things; these differ, so each has a name. Ordered categories count as
        numbers, by rank.

    Returns
    -------
    TightLoss

    Examples
    --------
    >>> from sparsam.data import read
    >>> table = read({"age": [20, 25, 30, 40], "sex": ["f", "f", "f", "m"]})
    >>> found = tight_loss(Classes(np.array([0, 0, 1, 1]), 2), table.codes, table.attributes)
    >>> found.per_attribute, found.overall
    ({'age': 0.375, 'sex': 0.5}, 0.4375)
    """
    check_choice("tight_loss", "variant", variant, _VARIANTS)
    return tight_losses(classes, codes, attributes, (variant,))[variant]


def tight_losses(
    classes: Classes,
    codes: NDArray[np.uint16],
    attributes: Sequence[Attribute],
    variants: Sequence[TightVariant],
) -> dict[TightVariant, TightLoss]:
    """Measure the same by several definitions, of which the classes are looked at once.

    Parameters
    ----------
    classes, codes, attributes
        As for `tight_loss`.
    variants : sequence of str
    """
    codes = checked_codes(codes, tuple(attribute.size for attribute in attributes))
    if len(codes) != len(classes) or not len(codes):
        raise DataError(
            f"There must be one class for each row, and at least one row. "
            f"Got {len(classes):,} classes of rows and {len(codes):,} rows."
        )
    people = classes.sizes()
    order = np.argsort(classes.of_row, kind="stable")[classes.n_suppressed :]
    lost: dict[TightVariant, dict[str, float]] = {variant: {} for variant in variants}
    for column, attribute in enumerate(attributes):
        spans = _spans(codes[order, column], people, attribute)
        for variant in variants:
            total = float((class_costs(spans, attribute, variant) * people).sum())
            lost[variant][attribute.name] = (total + classes.n_suppressed) / len(classes)
    return {
        variant: TightLoss(float(np.mean(list(each.values()))), each, variant)
        for variant, each in lost.items()
    }


def _spans(
    codes: NDArray[np.uint16], people: NDArray[np.int64], attribute: Attribute
) -> ClassSpans:
    """Return what each class spans of one attribute; the codes of a class lie together."""
    from sparsam.anonymise.kernels._weighted_kernels import summarise

    stops = np.cumsum(people)
    summary = np.empty((8, len(people)), np.int64)
    each = np.ones(len(codes), np.uint32)
    cells = np.ascontiguousarray(codes[:, np.newaxis])
    missing = attribute.n_values
    summarise(cells, each, stops - people, stops, 0, attribute.size, missing, summary)
    return ClassSpans.of(summary, attribute)


@dataclass(frozen=True, eq=False, repr=False)
class ClassSpans:
    """What the codes of one attribute span in every class.

    Attributes
    ----------
    low, high : ndarray of int
        The first and the last code that is known.
    distinct : ndarray of int
        Different codes, missing one of them.
    has_missing : ndarray of bool
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    distinct: NDArray[np.int64]
    has_missing: NDArray[np.bool_]

    @classmethod
    def of(cls, summary: NDArray[np.int64], attribute: Attribute) -> ClassSpans:
        """Make them from what `summarise` finds, where a class may have no code that is known.

        Parameters
        ----------
        summary : ndarray of shape (8, n_classes)
        attribute : Attribute
        """
        low, high, distinct, n_missing = summary[:4]
        high = np.maximum(high, 0)
        gone = n_missing > 0 if attribute.ordered else np.zeros(len(high), bool)
        return cls(np.minimum(low, high), high, distinct, gone)


def class_costs(
    spans: ClassSpans, attribute: Attribute, variant: TightVariant
) -> NDArray[np.float64]:
    """Return what each class loses of one attribute, from 0 to 1.

    Parameters
    ----------
    spans : ClassSpans
    attribute : Attribute
    variant : {"range", "share", "values"}
        See `tight_loss`.
    """
    if not attribute.ordered:
        if variant == "range":
            return np.maximum(spans.distinct - 1, 0) / max(1, attribute.size - 1)
        return np.where(spans.distinct > 1, spans.distinct / attribute.size, 0.0)
    mixed = spans.has_missing & (spans.distinct > 1)
    widths = _widths(spans.low, spans.high, attribute, variant)
    return np.where(mixed, 1.0, np.where(spans.has_missing, 0.0, widths))


def _widths(
    low: NDArray[np.int64], high: NDArray[np.int64], attribute: Attribute, variant: TightVariant
) -> NDArray[np.float64]:
    if variant == "values":
        return np.where(high > low, (high - low + 1) / attribute.size, 0.0)
    if not attribute.numeric:
        steps: NDArray[np.float64] = (high - low) / max(1, attribute.n_values - 1)
        return steps
    # halves keep the difference of two huge numbers finite
    lows, highs = attribute.lows / 2, attribute.highs / 2
    width = highs[-1] - lows[0]
    if not width > 0:
        return np.zeros(len(low))
    shares: NDArray[np.float64] = np.clip((highs[high] - lows[low]) / width, 0.0, 1.0)
    return shares
