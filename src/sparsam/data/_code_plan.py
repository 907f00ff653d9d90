"""How an engine codes a column as it was encoded here."""

from __future__ import annotations

import datetime
import math
from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.data._attribute import Attribute
from sparsam.data._calendar import date_of, time_of
from sparsam.data._domain import NumericDomain
from sparsam.data.source._column import Column
from sparsam.data.source.lazy import ColumnPlan


def code_plan(
    place: str, kind: Any, column: Column, attribute: Attribute, codes: NDArray[np.uint16]
) -> ColumnPlan:
    """The code that each value of a column gets.

    Parameters
    ----------
    place : str
        The column of the engine's frame.
    kind : str
        What it holds there.
    column : Column
        Its distinct values as they came.
    attribute : Attribute
        What they were encoded as.
    codes : ndarray of uint16
        The code of each of the values.
    """
    gone = attribute.n_values
    missing = gone if attribute.missing else None
    mask, known = np.ma.getmaskarray(column.values), _known(column.values)
    declared = (codes == gone) & known & ~mask
    if isinstance(attribute.domain, NumericDomain) and not declared.any():
        cuts = _cuts(attribute, attribute.domain, kind)
        if cuts is not None:
            on = attribute.domain.age_on
            born = None if on is None else datetime.date.fromisoformat(on)
            return ColumnPlan(place, kind, cuts=cuts, missing=missing, age_on=born)
    members: dict[int, list[Any]] = defaultdict(list)
    for value, code in zip(
        column.values[known & ~mask].tolist(), codes[known & ~mask], strict=True
    ):
        members[int(code)].append(value if kind == "text" else float(value))
    return ColumnPlan(place, kind, groups=sorted(members.items()), missing=missing)


def _known(values: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype.kind == "f":
        return np.asarray(~np.isnan(np.ma.getdata(values)))
    if values.dtype.kind == "M":
        return np.asarray(~np.isnat(np.ma.getdata(values)))
    if values.dtype.kind == "O":
        known = (v is not None and not (isinstance(v, float) and math.isnan(v)) for v in values)
        return np.fromiter(known, bool, len(values))
    return np.ones(len(values), dtype=bool)


def _cuts(attribute: Attribute, domain: NumericDomain, kind: Any) -> list[Any] | None:
    """Where the codes begin, but for the first; None where values must be looked up."""
    if domain.age_on is not None:
        return attribute.lows[1:].tolist() if kind in ("date", "moment") else None
    if domain.unit == "date":
        return [date_of(low) for low in attribute.lows[1:]] if kind in ("date", "moment") else None
    if domain.unit == "time":
        return [time_of(low) for low in attribute.lows[1:]] if kind == "time" else None
    return attribute.lows[1:].tolist() if kind == "number" else None
