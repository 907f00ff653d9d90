"""Attributes that alone tell the target almost as well as all do: the outcome in other words?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsam._threads import one_thread
from sparsam.data._table import Table

# Shares of what there is to know of the target (of its entropy), on rows not learned from.
_MUCH = 0.5
_AS_MUCH_AS_ALL = 0.8
_MOST_ROWS = 20_000
_MOST_ROWS_TO_LEARN = 5_000
# Trees learn from so many attributes, those that tell most alone; others add next to nothing.
_MOST_ATTRIBUTES = 20
# A number is looked at in so many runs of equally many people.
_RUNS = 32
_SEED = 0


def leaks(table: Table, target: NDArray[np.uint16], n_classes: int) -> list[str]:
    """Name the attributes that alone tell the target almost as well as all attributes do.

    Half of the rows, at random, tell how likely each class is for every value; the other half says
    how much of the target's entropy that explains. Where one attribute explains half of it or
    more, trees over the attributes that tell most say what all explain together.

    Parameters
    ----------
    table : Table
        The attributes.
    target : ndarray of int
        The class of every row.
    n_classes : int

    Returns
    -------
    list of str
        In the order of the table; empty where there is one attribute only.

    Examples
    --------
    >>> from sparsam.data import read
    >>> rng = np.random.default_rng(0)
    >>> age, ill = rng.integers(20, 60, 500), rng.integers(0, 2, 500)
    >>> paid = np.where(ill == 1, rng.integers(100, 900, 500), 0)
    >>> leaks(read({"age": age, "sick pay": paid}), ill, 2)
    ['sick pay']
    """
    if len(table.attributes) < 2:
        return []
    order = np.random.default_rng(_SEED).permutation(table.n_rows)[:_MOST_ROWS]
    learn, judge = order[: len(order) // 2], order[len(order) // 2 :]
    if not len(learn) or len(np.unique(target[judge])) < 2:
        return []
    told = {
        attribute.name: _told(_runs(table, place), target, n_classes, learn, judge)
        for place, attribute in enumerate(table.attributes)
    }
    if max(told.values()) < _MUCH:
        return []
    most = sorted(told, key=lambda name: -told[name])[:_MOST_ATTRIBUTES]
    together = _told_by_all(table.select(most), target, learn, judge)
    enough = max(_MUCH, _AS_MUCH_AS_ALL * together)
    return [name for name, share in told.items() if share >= enough]


def _runs(table: Table, place: int) -> NDArray[np.int64]:
    """The codes of an attribute; those of a number put together to a few runs."""
    attribute, codes = table.attributes[place], table.codes[:, place].astype(np.int64)
    if not attribute.numeric or attribute.n_values <= _RUNS:
        return codes
    counts = np.bincount(codes, minlength=attribute.size)
    known = counts[: attribute.n_values]
    runs = (np.cumsum(known) - known / 2) * _RUNS // max(int(known.sum()), 1)
    lookup = np.append(runs, _RUNS).astype(np.int64)
    rows: NDArray[np.int64] = lookup[codes]
    return rows


def _told(
    codes: NDArray[np.int64],
    target: NDArray[np.uint16],
    n_classes: int,
    learn: NDArray[np.int64],
    judge: NDArray[np.int64],
) -> float:
    """The share of the target's entropy that the values of one attribute explain."""
    n_codes = int(codes.max()) + 1
    prior = (np.bincount(target[learn], minlength=n_classes) + 1) / (len(learn) + n_classes)
    together = codes[learn] * n_classes + target[learn]
    counts = np.bincount(together, minlength=n_codes * n_classes).reshape(n_codes, n_classes)
    likely = (counts + prior) / (counts.sum(1, keepdims=True) + 1)
    return _explained(likely[codes[judge], target[judge]], prior[target[judge]])


def _told_by_all(
    table: Table,
    target: NDArray[np.uint16],
    learn: NDArray[np.int64],
    judge: NDArray[np.int64],
) -> float:
    """The share of the target's entropy that trees over the attributes explain."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    learn, judge = learn[:_MOST_ROWS_TO_LEARN], judge[:_MOST_ROWS_TO_LEARN]
    classes, labels = np.unique(target[learn], return_inverse=True)
    if len(classes) < 2:
        return 0.0
    model = HistGradientBoostingClassifier(max_iter=30, early_stopping=False, random_state=_SEED)
    with one_thread():
        model.fit(table.codes[learn], labels)
    judge = judge[np.isin(target[judge], classes)]
    places = np.searchsorted(classes, target[judge])
    likely = model.predict_proba(table.codes[judge])[np.arange(len(judge)), places]
    prior = np.bincount(labels) / len(labels)
    return _explained(np.maximum(likely, 1e-6), prior[places])


def _explained(likely: NDArray[np.float64], prior: NDArray[np.float64]) -> float:
    entropy = -float(np.log(prior).mean())
    return 1 + float(np.log(likely).mean()) / entropy if entropy > 0 else 0.0
