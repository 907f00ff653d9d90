"""Synthetic rows from a graphical model of many noisy tables, through the library mbi."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import MissingExtraError, ParameterError
from sparsam.explore._exploration import Exploration
from sparsam.explore.synthetic._synthetic import cell_values, pair_bins, strongest_pairs


def graphical_rows(
    exploration: Exploration,
    n: int | None = None,
    *,
    most_cells: int = 1_000_000,
    iterations: int = 1_000,
    random_state: int = 0,
) -> dict[str, NDArray[Any]]:
    """Draw rows from a graphical model of the noisy tables; that costs nothing.

    Unlike the tree of `Exploration.synthetic`, the model takes in every pair that depends and
    that it can hold (McKenna, Sheldon and Miklau 2019): as good as AIM's model, and slow. Needs
    mbi, which needs jax.

    Parameters
    ----------
    exploration : Exploration
        A planned one.
    n : int, optional
        How many rows; by default as many as the table has, as well as is known.
    most_cells : int, default=1_000_000
        How many cells the model's largest table may have.
    iterations : int, default=1_000
        Of the fit.
    random_state : int, default=0

    Returns
    -------
    dict of str to ndarray
    """
    released = exploration.released
    if released is None:
        raise ParameterError("Synthetic rows need the tables of a planned exploration.")
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 1):
        raise ParameterError(f"The number of rows must be an int >= 1. Got {n!r} instead.")
    mbi = _mbi()
    bins = pair_bins(released)
    sizes = {name: own.size for name, own in bins.items()}
    pairs = choose_pairs(sizes, strongest_pairs(released), most_cells)
    measured = []
    for name, margin in released.margins.items():
        own = margin.joined(bins[name])
        spread = float(np.sqrt(np.mean(own.deviations**2)))
        measured.append(mbi.LinearMeasurement(own.counts, (name,), max(spread, 1e-3)))
    for pair in pairs:
        table = released.pairs[pair]
        spread = float(np.sqrt(table.variance))
        measured.append(mbi.LinearMeasurement(table.counts.ravel(), pair, spread))
    domain = mbi.Domain(tuple(sizes), tuple(sizes.values()))
    total = max(released.total[0], 1.0)
    model = mbi.estimation.MirrorDescent().estimate(
        domain, measured, known_total=total, iters=iterations
    )
    columns = _drawn(model, round(total) if n is None else n, random_state)
    rng = np.random.default_rng(random_state)
    return {
        name: cell_values(margin, bins[name], np.asarray(columns[name], dtype=np.int64), rng)
        for name, margin in released.margins.items()
    }


def choose_pairs(
    sizes: Mapping[str, int], pairs: Iterable[tuple[str, str]], most_cells: int
) -> list[tuple[str, str]]:
    """Take pairs, the strongest first, while the model's largest table stays small enough.

    Examples
    --------
    >>> sizes = {"a": 10, "b": 10, "c": 10}
    >>> choose_pairs(sizes, [("a", "b"), ("b", "c"), ("a", "c")], 100)
    [('a', 'b'), ('b', 'c')]
    """
    kept: list[tuple[str, str]] = []
    for pair in pairs:
        if _largest_table(sizes, [*kept, pair]) <= most_cells:
            kept.append(pair)
    return kept


def _largest_table(sizes: Mapping[str, int], pairs: Iterable[tuple[str, str]]) -> int:
    """Return the cells of the largest clique after greedy elimination (least new edges first)."""
    beside: dict[str, set[str]] = {name: set() for name in sizes}
    for one, two in pairs:
        beside[one].add(two)
        beside[two].add(one)
    largest = 1
    while beside:
        name = min(beside, key=lambda own: (_missing_edges(beside, own), own))
        clique = beside.pop(name)
        largest = max(largest, sizes[name] * prod(sizes[other] for other in clique))
        for other in clique:
            beside[other] = (beside[other] | clique) - {other, name}
    return largest


def _missing_edges(beside: Mapping[str, set[str]], name: str) -> int:
    own = beside[name]
    return sum(len(own - beside[other]) - 1 for other in own)


def _drawn(model: Any, rows: int, random_state: int) -> Mapping[str, Any]:
    """Let mbi draw; it uses numpy's global generator, which is put back as it was."""
    before = np.random.get_state()
    np.random.seed(random_state)
    try:
        return dict(model.synthetic_data(rows=rows).to_dict())
    finally:
        np.random.set_state(before)


def _mbi() -> Any:
    try:
        import mbi
        import mbi.estimation
    except ImportError as error:
        raise MissingExtraError(
            "A graphical model needs mbi, which is not installed."
            "\n\nHint: pip install 'sparsam[mbi]'"
        ) from error
    return mbi
