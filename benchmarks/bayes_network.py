"""The paper's synthetic data: a private Bayesian network, kept as a historical baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.explore._bins import Bins, equal_bins, full_bins
from sparsam.explore._declared import Declared
from sparsam.explore._noise import noisy_choice, noisy_counts
from sparsam.explore._private_table import PrivateTable
from sparsam.explore.ledger._amounts import NANO, Amount, nano_down, nano_text
from sparsam.explore.ledger._costs import Cost, choice_cost, laplace_cost, sequential
from sparsam.explore.ledger._ledger import Ledger
from sparsam.explore.queries._explorer import Explorer

_NUMERIC_CELLS = 20
_MOST_CELLS = 200_000
# One row moves half the distance from independence by less than two (see `_dependence`).
_SENSITIVITY = 2


@dataclass(frozen=True, repr=False)
class BayesNetwork:
    """A Bayesian network with noisy conditional tables.

    Parameters
    ----------
    bins : dict of str to Bins
    parents : dict of str to tuple of str
        In the order of drawing.
    tables : dict of str to ndarray
        For each attribute, the noisy counts by its parents' cells and its own.
    """

    bins: dict[str, Bins]
    parents: dict[str, tuple[str, ...]]
    tables: dict[str, NDArray[np.int64]]

    def draw(self, n: int | None = None, *, random_state: int = 0) -> dict[str, NDArray[Any]]:
        """Draw rows; by default as many as the noisy tables count."""
        counted = [max(int(table.sum()), 1) for table in self.tables.values()]
        rows = int(np.median(counted)) if n is None else n
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise ParameterError(f"The number of rows must be an int >= 1. Got {rows!r} instead.")
        rng = np.random.default_rng(random_state)
        codes: dict[str, NDArray[np.int64]] = {}
        for name, parents in self.parents.items():
            table = np.maximum(self.tables[name], 0).reshape(-1, self.bins[name].size)
            place = np.zeros(rows, dtype=np.int64)
            for parent in parents:
                place = place * self.bins[parent].size + codes[parent]
            sums = table.sum(axis=1, keepdims=True)
            even = np.full(table.shape, 1 / table.shape[1])
            chances = np.where(sums > 0, table / np.maximum(sums, 1), even)
            running = np.cumsum(chances, axis=1)
            codes[name] = (rng.random(rows)[:, None] > running[place][:, :-1]).sum(axis=1)
        return {name: _values(own, codes[name], rng) for name, own in self.bins.items()}


def bayes_network(
    data: Any,
    ledger: Ledger,
    *,
    epsilon: Amount,
    degree: int = 2,
    domains: Any = None,
    purpose: str = "",
) -> BayesNetwork:
    """Learn the paper's model of synthetic data: a Bayesian network, under pure epsilon.

    As PrivBayes (Zhang et al. 2014) and the tool of the paper do it: half of epsilon chooses the
    parents of each attribute by the exponential mechanism, half buys Laplace noise on the table of
    each attribute and its parents; numeric attributes have 20 cells of equal width. The score is
    the count-based distance from independence instead of mutual information, because its
    sensitivity does not depend on the private number of rows. A historical baseline: use
    ``explore_table(..., how="synthetic")``.

    Parameters
    ----------
    data, ledger, domains, purpose
        As of `explore_table`.
    epsilon : number
        What it costs.
    degree : int, default=2
        The largest number of parents; the paper takes 4.

    Returns
    -------
    BayesNetwork
    """
    if isinstance(degree, bool) or not isinstance(degree, int) or not 1 <= degree <= 4:
        raise ParameterError(f"The 'degree' must be a whole number from 1 to 4. Got {degree!r}.")
    explorer = Explorer(data, ledger, domains)
    declared = explorer.declared
    bins = {name: _bins(declared, name) for name in declared.names}
    choice, table = _costs(nano_down(epsilon, "epsilon"), len(bins))
    parts = [choice] * (len(bins) - 1) + [table] * len(bins)
    question = {"ask": "bayes network", "degree": degree, "domains": declared.to_dict()}
    entry = ledger.ask(
        question,
        sequential(parts),
        lambda: _learn(explorer.source, bins, degree, choice, table),
        purpose=purpose,
        fingerprint=explorer.source,
    )
    parents = {name: tuple(own) for name, own in entry.answer["parents"]}
    sizes = {
        name: [*(bins[parent].size for parent in own), bins[name].size]
        for name, own in parents.items()
    }
    tables = {
        name: np.array(entry.answer["tables"][name], dtype=np.int64).reshape(sizes[name])
        for name in parents
    }
    return BayesNetwork(bins, parents, tables)


def _costs(nano: int, n: int) -> tuple[Cost, Cost]:
    half, each = nano // 2 // max(n - 1, 1), nano // 2 // n
    if min(half, each) < 1:
        raise ParameterError(
            f"The 'epsilon' must be enough for {n} attributes. Got {nano_text(nano)} instead."
        )
    return choice_cost(Fraction(half, NANO)), laplace_cost(Fraction(each, NANO))


def _bins(declared: Declared, name: str) -> Bins:
    numeric = name in declared.numeric
    return equal_bins(declared, name, _NUMERIC_CELLS) if numeric else full_bins(declared, name)


def _learn(
    source: PrivateTable, bins: Mapping[str, Bins], degree: int, choice: Cost, table: Cost
) -> dict[str, Any]:
    """Choose parents greedily, then count each attribute with its parents; both with noise."""
    names = list(bins)
    parents: dict[str, tuple[str, ...]] = {names[0]: ()}
    listed = list(bins.values())
    for _ in names[1:]:
        options = list(_options(bins, parents, degree))
        counted = source.tables(listed, [(*own, name) for name, own in options])
        scores = [_dependence(counted[(*own, name)]) for name, own in options]
        chosen = noisy_choice(np.array(scores, dtype=np.int64), choice, _SENSITIVITY)
        parents[options[chosen][0]] = options[chosen][1]
    counted = source.tables(listed, [(*own, name) for name, own in parents.items()])
    noisy = {
        name: noisy_counts(counted[(*own, name)], table).ravel().tolist()
        for name, own in parents.items()
    }
    return {"parents": [[name, list(own)] for name, own in parents.items()], "tables": noisy}


def _options(
    bins: Mapping[str, Bins], parents: Mapping[str, Any], degree: int
) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Give every attribute that is left with every set of parents that is not too large."""
    for name in bins:
        if name in parents:
            continue
        for size in range(min(degree, len(parents)), 0, -1):
            fit = [
                own
                for own in combinations(parents, size)
                if prod(bins[one].size for one in (*own, name)) <= _MOST_CELLS
            ]
            if fit:
                yield from ((name, own) for own in fit)
                break
        else:
            yield name, (next(iter(parents)),)


def _dependence(table: NDArray[np.int64]) -> int:
    """Score how far an attribute (the last) is from independent of its parents, in rows.

    Half the sum of |count - expected|, rounded down. A row more moves one count by one, and the
    expected counts by less than three in all: with a, b the margins and n the total, a⊗b/n moves
    by at most 1 + n |b'/(n+1) - b/n| <= 1 + 2n/(n+1). So the half moves by less than two, and
    rounded down by at most two.
    """
    flat = table.reshape(-1, table.shape[-1])
    total = int(flat.sum())
    if total == 0:
        return 0
    # whole numbers throughout: a rounded float could move by one more
    apart = np.abs(flat * total - np.outer(flat.sum(axis=1), flat.sum(axis=0)))
    return int(apart.sum()) // (2 * total)


def _values(bins: Bins, codes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[Any]:
    if not bins.numeric:
        labels = np.array([*bins.categories, bins.labels[-2], None], dtype=object)
        return np.asarray(labels[codes])
    real = codes < bins.n_cells
    low, high = bins.lows[codes[real]], np.array(bins.edges[1:])[codes[real]]
    numbers = np.full(len(codes), np.nan)
    drawn = low + rng.random(int(real.sum())) * (high - low)
    numbers[real] = np.floor(drawn) if bins.integer else drawn
    return numbers
