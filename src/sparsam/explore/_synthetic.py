"""Synthetic rows from a tree model of the noisy tables: free, as nothing more is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_whole
from sparsam.explore._answer import Answer, quantile_label
from sparsam.explore._bins import Bins, full_bins
from sparsam.explore._declared import Declared
from sparsam.explore.planned._consistency import FloatArray, Margin, Measured, cell_map
from sparsam.explore.planned._correlation import cramers_v
from sparsam.explore.planned._distribution import spread_in_cell
from sparsam.explore.planned._planned import Released

_ROUNDS = 25
_BEYOND = 2.0
_BUCKETS = (
    "The numbers were generalized to buckets: where inside its bucket a number lies was made up."
)
_NOTE = ("Of synthetic rows; they carry no interval.",)


@dataclass(frozen=True)
class TreeModel:
    """A tree over the attributes: each depends on one other (Chow and Liu 1968).

    The tree takes the pairs that depend most, after the noise was taken off; a pair whose
    dependence is not seen through the noise does not join. Where no pair of a numeric and a
    categorical attribute was counted, both kinds are independent of each other.

    Parameters
    ----------
    margins : mapping of str to Margin
        In the finest cells.
    parents : dict of str to (str or None)
        In the order of drawing.
    joints : dict of str to ndarray
        For each attribute that has a parent: the chance of each of its cells, by the parent's
        cell.
    paired : dict of str to Bins
        The cells of each attribute in the two-way tables.
    total : float
        The number of rows, as well as is known.
    """

    margins: Mapping[str, Margin]
    parents: dict[str, str | None]
    joints: dict[str, FloatArray]
    paired: dict[str, Bins]
    total: float

    @classmethod
    def of(cls, released: Released) -> TreeModel:
        """Choose the tree and its conditional tables from noisy tables."""
        paired = pair_bins(released)
        parents = _spanning(list(paired), strongest_pairs(released))
        joints = {}
        for name, parent in parents.items():
            if parent is not None:
                joints[name] = _conditional(released, parent, name)
        return cls(released.margins, parents, joints, paired, max(released.total[0], 0.0))

    def draw(self, n: int | None = None, *, random_state: int = 0) -> dict[str, NDArray[Any]]:
        """Draw rows.

        Parameters
        ----------
        n : int, optional
            By default as many as the table has, as well as is known.
        random_state : int, default=0

        Returns
        -------
        dict of str to ndarray
        """
        rows = max(round(self.total), 1) if n is None else n
        check_whole("synthetic", "n", rows, 1)
        rng = np.random.default_rng(random_state)
        codes: dict[str, NDArray[np.int64]] = {}
        for name, parent in self.parents.items():
            if parent is None:
                chances = _chances(self.margins[name].joined(self.paired[name]).counts)
                codes[name] = rng.choice(len(chances), size=rows, p=chances)
            else:
                running = np.cumsum(self.joints[name], axis=1)
                draws = rng.random(rows)[:, None]
                codes[name] = (draws > running[codes[parent]][:, :-1]).sum(axis=1)
        return {
            name: cell_values(margin, self.paired[name], codes[name], rng)
            for name, margin in self.margins.items()
        }


def cell_values(
    margin: Margin, paired: Bins, codes: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[Any]:
    """Turn cells into values: a finest cell inside the drawn one, then a number inside it."""
    where = cell_map(margin.bins, paired)
    counts = np.maximum(margin.counts, 0.0)
    fine = np.empty(len(codes), dtype=np.int64)
    for cell in range(paired.size):
        rows = np.flatnonzero(codes == cell)
        inside = np.flatnonzero(where == cell)
        fine[rows] = rng.choice(inside, size=len(rows), p=_chances(counts[inside]))
    if margin.bins.numeric:
        return spread_in_cell(margin, fine, rng.random(len(fine)))
    labels = np.array([*margin.bins.categories, margin.bins.labels[-2], None], dtype=object)
    return np.asarray(labels[fine])


def pair_bins(released: Released) -> dict[str, Bins]:
    """Return the cells of each attribute in two-way tables; its finest where it is in none."""
    bins_of = {name: margin.bins for name, margin in released.margins.items()}
    for table in released.pairs.values():
        bins_of |= {bins.name: bins for bins in table.bins}
    return bins_of


def strongest_pairs(released: Released) -> list[tuple[str, str]]:
    """Return the pairs whose dependence shows through the noise, the strongest first."""
    edges = sorted(_dependences(released.pairs), key=lambda edge: (-edge[0], edge[1]))
    return [pair for weight, pair in edges if weight > 0]


def _dependences(
    pairs: Mapping[tuple[str, str], Measured],
) -> Iterable[tuple[float, tuple[str, str]]]:
    """Return each pair with its phi squared, after noise; 0 where noise explains it."""
    for names, table in pairs.items():
        block, sd = table.declared_counts, float(np.sqrt(table.variance))
        v = cramers_v(block, sd, 1.0, table.undeclared)
        yield (v.value**2 * (min(block.shape) - 1) if v.low > 0 else 0.0), names


def _spanning(names: list[str], pairs: Iterable[tuple[str, str]]) -> dict[str, str | None]:
    """Join the strongest pairs to trees; give each attribute's parent in an order of drawing."""
    group = {name: name for name in names}
    beside: dict[str, list[str]] = {name: [] for name in names}
    for first, second in pairs:
        if group[first] != group[second]:
            old, new = group[second], group[first]
            group = {name: new if own == old else own for name, own in group.items()}
            beside[first].append(second)
            beside[second].append(first)
    parents: dict[str, str | None] = {}
    for root in names:
        waiting: list[tuple[str, str | None]] = [] if root in parents else [(root, None)]
        while waiting:
            name, parent = waiting.pop()
            parents[name] = parent
            waiting += [(other, name) for other in beside[name] if other != parent]
    return parents


def _conditional(released: Released, parent: str, child: str) -> FloatArray:
    """Return the chance of each of the child's cells by the parent's cell."""
    table = released.pairs.get((parent, child))
    counts = table.counts if table else released.pairs[(child, parent)].counts.T
    sd = float(np.sqrt((table or released.pairs[(child, parent)]).variance))
    rows, columns = _chances(counts.sum(axis=1)), _chances(counts.sum(axis=0))
    expected = np.outer(rows, columns) * max(float(counts.sum()), 1.0)
    apart = counts - expected
    kept = np.maximum(np.where(np.abs(apart) > _BEYOND * sd, counts, expected), 0.0)
    for _ in range(_ROUNDS):
        kept *= _ratio(rows * kept.sum(), kept.sum(axis=1))[:, None]
        kept *= _ratio(columns * kept.sum(), kept.sum(axis=0))[None, :]
    sums = kept.sum(axis=1, keepdims=True)
    return np.where(sums > 0, kept / np.where(sums > 0, sums, 1.0), columns[None, :])


def _ratio(wanted: FloatArray, counts: FloatArray) -> FloatArray:
    return np.where(counts > 0, wanted / np.where(counts > 0, counts, 1.0), 0.0)


def _chances(counts: FloatArray) -> FloatArray:
    kept = np.maximum(counts, 0.0)
    total = kept.sum()
    return kept / total if total > 0 else np.full(len(kept), 1 / len(kept))


def row_answers(rows: Mapping[str, NDArray[Any]], declared: Declared) -> tuple[Answer, ...]:
    """Compute the basic analysis of rows exactly; only for rows that are no person's."""
    n_rows = len(next(iter(rows.values())))
    answers = [_one("count", (), float(n_rows))]
    for name in declared.names:
        column = rows[name]
        if name in declared.numeric:
            own = _numeric(name, column)
            notes = (*_NOTE, *((_BUCKETS,) if name in declared.partitions else ()))
            answers += [replace(answer, notes=notes) for answer in own]
        else:
            answers += _categorical(name, column, full_bins(declared, name).labels)
    for pair in combinations(declared.numeric, 2):
        answers.append(_one("spearman", pair, _spearman(*(rows[name] for name in pair))))
    for pair in combinations(declared.categorical, 2):
        least = min(full_bins(declared, name).n_cells for name in pair)
        answers.append(_one("cramers_v", pair, _cramers_v(rows[pair[0]], rows[pair[1]], least)))
    return tuple(answers)


def _numeric(name: str, column: NDArray[Any]) -> list[Answer]:
    values = column[~np.isnan(column)]
    if not len(values):
        return [_one("missing", (name,), float(len(column)))]
    p1, q1, q2, q3, p99 = np.quantile(values, [0.01, 0.25, 0.5, 0.75, 0.99]).tolist()
    reach = 1.5 * (q3 - q1)
    beyond = float(((values < q1 - reach) | (values > q3 + reach)).sum())
    return [
        _one("missing", (name,), float(np.isnan(column).sum())),
        Answer("quantiles", (name,), {"Q1": q1, "Q2": q2, "Q3": q3}, notes=_NOTE),
        Answer("range", (name,), {quantile_label(0.01): p1, "P99": p99}, notes=_NOTE),
        _one("outliers", (name,), beyond),
        _one("mean", (name,), float(values.mean())),
    ]


def _categorical(name: str, column: NDArray[Any], labels: tuple[str, ...]) -> list[Answer]:
    missing = np.array([value is None for value in column])
    known, counts = np.unique(column[~missing].astype(str), return_counts=True)
    occurrences = dict(zip(known.tolist(), counts.tolist(), strict=True))
    values = {label: float(occurrences.get(label, 0)) for label in labels[:-1]}
    values[labels[-1]] = float(missing.sum())
    return [
        Answer("value_counts", (name,), values, notes=_NOTE),
        _one("missing", (name,), float(missing.sum())),
    ]


def _spearman(first: NDArray[Any], second: NDArray[Any]) -> float:
    from scipy.stats import rankdata

    both = ~(np.isnan(first) | np.isnan(second))
    ranks = [rankdata(column[both]) for column in (first, second)]
    spread = [rank - rank.mean() if len(rank) else rank for rank in ranks]
    size = float(np.sqrt((spread[0] ** 2).sum() * (spread[1] ** 2).sum()))
    return float((spread[0] * spread[1]).sum() / size) if size > 0 else 0.0


def _cramers_v(first: NDArray[Any], second: NDArray[Any], least: int) -> float:
    known = np.array([a is not None and b is not None for a, b in zip(first, second, strict=True)])
    codes = [
        np.unique(column[known].astype(str), return_inverse=True)[1] for column in (first, second)
    ]
    if not known.any() or least < 2:
        return 0.0
    table = np.zeros([int(code.max()) + 1 for code in codes])
    np.add.at(table, tuple(codes), 1)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    chi2 = float(((table - expected) ** 2 / expected).sum())
    return min(float(np.sqrt(chi2 / table.sum() / (least - 1))), 1.0)


def _one(function: str, names: tuple[str, ...], value: float) -> Answer:
    return Answer(function, names, {"value": value}, notes=_NOTE)
