"""The answers of the basic analysis, read off consistent noisy tables."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sparsam.explore._answer import Answer, quantile_label
from sparsam.explore._bins import Bins, coarse_bins
from sparsam.explore._declared import Declared
from sparsam.explore._estimate import Estimate, count_interval
from sparsam.explore.planned._consistency import Margin
from sparsam.explore.planned._correlation import cramers_v, spearman, tied
from sparsam.explore.planned._distribution import bucket_of_quantile, mean, outliers, quantile
from sparsam.explore.planned._planned import Released
from sparsam.explore.queries._ranks import BUCKETS, NO_EXTREMES

# Standard deviations to each side of a 95 % interval. One cell of Laplace noise needs 2.12, a sum
# of many 1.96; most figures here lie between.
Z = {"gaussian": 1.959964, "laplace": 2.05}
_SHOWN = 24
_INTERPOLATED = (
    "Interpolated inside its cell. The interval reaches to the ends of the cells that it may be in."
)
_WIDE_CELLS = "The interval allows for every place that the numbers may have inside their cells."


def table_answers(released: Released, declared: Declared, noise: str) -> tuple[Answer, ...]:
    """Return all answers of the basic analysis; none of them costs anything more."""
    answers = [_count(released, noise)]
    for name in declared.names:
        margin = released.margins[name]
        if not margin.bins.numeric:
            answers += _categorical(margin, noise)
        else:
            answers += _numeric(margin, noise, name in declared.partitions)
    answers += _pair_answers(released, noise)
    return tuple(answers)


def shown_bins(bins: Bins) -> Bins:
    """Join a long list of numeric cells to at most 24 for a histogram."""
    if not bins.numeric or bins.n_cells <= _SHOWN:
        return bins
    return coarse_bins(bins, np.linspace(bins.edges[0], bins.edges[-1], _SHOWN + 1)[1:-1])


def _count(released: Released, noise: str) -> Answer:
    total, variance = released.total
    sd = float(np.sqrt(variance))
    return Answer.of("count", (), _within(total, sd, Z[noise]), noise=noise, noise_sd=sd)


def _numeric(margin: Margin, noise: str, bucketed: bool) -> Iterable[Answer]:
    """Return the answers of one attribute; of buckets none that would need numbers inside them."""
    bins, z = margin.bins, Z[noise]
    name = (bins.name,)
    if bins.missing_cell is None:
        yield _missing(margin, noise)
    read = bucket_of_quantile if bucketed else quantile
    middle = {quantile_label(q): read(margin, q, z) for q in (0.25, 0.5, 0.75)}
    ends = {quantile_label(q): read(margin, q, z) for q in (0.01, 0.99)}
    inside = () if _whole(bins) else (BUCKETS if bucketed else _INTERPOLATED,)
    yield Answer.of("quantiles", name, middle, noise=noise, notes=inside)
    yield Answer.of("range", name, ends, noise=noise, notes=(NO_EXTREMES, *inside))
    if not bucketed or _whole(bins):
        yield Answer.of("outliers", name, outliers(margin, z), noise=noise)
    hidden = () if _whole(bins) else (_WIDE_CELLS,)
    yield Answer.of("mean", name, mean(margin, z), noise=noise, notes=hidden)
    shown = margin.joined(shown_bins(bins))
    yield Answer.of("histogram", name, _counts(shown, z), noise=noise)


def _categorical(margin: Margin, noise: str) -> Iterable[Answer]:
    name = (margin.bins.name,)
    yield Answer.of("value_counts", name, _counts(margin, Z[noise]), noise=noise)
    if margin.bins.missing_cell is None:
        yield _missing(margin, noise)


def _missing(margin: Margin, noise: str) -> Answer:
    sd = float(margin.deviations[-1])
    missing = _within(float(margin.counts[-1]), sd, Z[noise])
    return Answer.of("missing", (margin.bins.name,), missing, noise=noise, noise_sd=sd)


def _counts(margin: Margin, z: float) -> dict[str, Estimate]:
    cells = zip(margin.bins.labels, margin.counts, margin.deviations, strict=True)
    return {label: _within(float(count), float(sd), z) for label, count, sd in cells}


def _pair_answers(released: Released, noise: str) -> Iterable[Answer]:
    ties = {name: tied(margin) for name, margin in released.margins.items() if margin.bins.numeric}
    for names, table in released.pairs.items():
        sd = float(np.sqrt(table.variance))
        if all(bins.numeric for bins in table.bins):
            first, second = (released.margins[bins.name].joined(bins) for bins in table.bins)
            tied_shares = np.array([ties[name] for name in names])
            rank = spearman(table.counts, sd, (first, second), tied_shares, Z[noise])
            yield Answer.of("spearman", names, rank, noise=noise)
        elif not any(bins.numeric for bins in table.bins):
            v = cramers_v(table.declared_counts, sd, Z[noise], table.undeclared)
            yield Answer.of("cramers_v", names, v, noise=noise)


def _within(value: float, sd: float, z: float) -> Estimate:
    """Return a count and its interval: at least zero, as counts are."""
    return Estimate(max(value, 0.0), *count_interval(value, z * sd))


def _whole(bins: Bins) -> bool:
    return bins.integer and bool((np.diff(np.array(bins.edges)) <= 1).all())
