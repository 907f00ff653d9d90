"""What was read, wherever the rows are: brought home to be compared."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.data.source import EngineColumns


def places(opened: Any, name: str) -> NDArray[Any]:
    """Each row's place in the list of members; then one for unseen, one for missing."""
    if not isinstance(opened, EngineColumns):
        rows: NDArray[Any] = opened.places(name)
        return rows
    n_members = len(opened.wanted[name].members or ())
    plan = opened.place_plan(name, list(range(n_members + 2)))
    batches = [batch[0] for batch in opened.frame.codes([plan])]
    return np.concatenate([np.empty(0, np.uint8), *batches])


def numbers(opened: Any, name: str, known: Any) -> NDArray[np.float64]:
    """Each row's number, which must be one of those that are known."""
    if not isinstance(opened, EngineColumns):
        rows: NDArray[np.float64] = opened.numbers(name)
        return rows
    finite = sorted({float(n) for n in known if math.isfinite(n)})
    cuts = [cut for n in finite for cut in (n, math.nextafter(n, math.inf))]
    plan = opened.number_plan(name, [*cuts, math.inf], len(cuts) + 2)
    slots = np.concatenate([batch[0] for batch in opened.frame.codes([plan])])
    between = [[number, 1e300] for number in finite]  # 1e300: a number that is not known
    meant = [-math.inf, *(n for pair in between for n in pair), math.inf, math.nan]
    return np.array(meant)[slots]
