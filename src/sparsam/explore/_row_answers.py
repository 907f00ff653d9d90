"""The basic analysis of rows that may be shown, such as synthetic ones: plain statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.explore._answers import Answer, quantile_label
from sparsam.explore._bins import full_bins
from sparsam.explore._declared import Declared

_BUCKETS = (
    "The numbers were generalized to buckets: where inside its bucket a number lies was made up."
)
_NOTE = ("Of synthetic rows; they carry no interval.",)


def row_answers(rows: Mapping[str, NDArray[Any]], declared: Declared) -> tuple[Answer, ...]:
    """Compute the basic analysis of rows exactly; only for rows that are no person's."""
    n_rows = len(next(iter(rows.values())))
    answers = [_one("count", (), float(n_rows))]
    for name in declared.names:
        column = rows[name]
        if name in declared.numeric:
            own = _numeric(name, column)
            notes = (*_NOTE, *((_BUCKETS,) if name in declared.partitions else ()))
            answers += [replace(one, notes=notes) for one in own]
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
    found = dict(zip(known.tolist(), counts.tolist(), strict=True))
    values = {label: float(found.get(label, 0)) for label in labels[:-1]}
    values[labels[-1]] = float(missing.sum())
    return [
        Answer("value_counts", (name,), values, notes=_NOTE),
        _one("missing", (name,), float(missing.sum())),
    ]


def _spearman(one: NDArray[Any], two: NDArray[Any]) -> float:
    from scipy.stats import rankdata

    both = ~(np.isnan(one) | np.isnan(two))
    ranks = [rankdata(column[both]) for column in (one, two)]
    spread = [rank - rank.mean() if len(rank) else rank for rank in ranks]
    size = float(np.sqrt((spread[0] ** 2).sum() * (spread[1] ** 2).sum()))
    return float((spread[0] * spread[1]).sum() / size) if size > 0 else 0.0


def _cramers_v(one: NDArray[Any], two: NDArray[Any], least: int) -> float:
    known = np.array([a is not None and b is not None for a, b in zip(one, two, strict=True)])
    codes = [np.unique(column[known].astype(str), return_inverse=True)[1] for column in (one, two)]
    if not known.any() or least < 2:
        return 0.0
    table = np.zeros([int(code.max()) + 1 for code in codes])
    np.add.at(table, tuple(codes), 1)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    chi2 = float(((table - expected) ** 2 / expected).sum())
    return min(float(np.sqrt(chi2 / table.sum() / (least - 1))), 1.0)


def _one(function: str, names: tuple[str, ...], value: float) -> Answer:
    return Answer(function, names, {"value": value}, notes=_NOTE)
