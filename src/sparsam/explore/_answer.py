"""One answer: an estimate, how far off it may be, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparsam.explore._estimate import Estimate
from sparsam.explore.ledger._costs import NOTHING, Cost


@dataclass(frozen=True)
class Answer:
    """The noisy answer to one question.

    Parameters
    ----------
    function : str
        What was asked: "count", "missing", "quantiles", "range", "outliers", "value_counts",
        "histogram", "mean", "spearman" or "cramers_v".
    attributes : tuple of str
        Of which attributes; none for the number of rows.
    values : mapping of str to float
        The estimates by their labels; a single one is called "value".
    intervals : mapping of str to (float, float)
        Where the table's own figure lies, with a chance of at least 95 %. They cover the noise
        only, not what a sample of people leaves open about everybody else.
    noise_sd : float or None
        The standard deviation of the noise on a count; None where no single number says it.
    noise : str
        "laplace", "gaussian", "exponential", several joined by " + ", or "" for an answer that
        was made from others.
    cost : Cost
        What was paid; nothing where the answer was made from others.
    paid : bool
        Whether this call was charged. The same question again is free.
    notes : tuple of str
        What to know before using the figures.

    Examples
    --------
    >>> answer = Answer("count", (), {"value": 48_700}, {"value": (48_400, 49_000)}, 141.4)
    >>> print(answer)
    count: 48,700 (48,400 to 49,000)
    """

    function: str
    attributes: tuple[str, ...]
    values: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    noise_sd: float | None = None
    noise: str = ""
    cost: Cost = NOTHING
    paid: bool = False
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.attributes))
        object.__setattr__(self, "values", dict(self.values))
        ends = {label: (low, high) for label, (low, high) in self.intervals.items()}
        object.__setattr__(self, "intervals", ends)
        object.__setattr__(self, "notes", tuple(self.notes))

    @classmethod
    def of(
        cls,
        function: str,
        attributes: tuple[str, ...],
        estimates: Estimate | Mapping[str, Estimate],
        **rest: Any,
    ) -> Answer:
        """Make an answer of estimates that carry their intervals; a single one is "value"."""
        named = {"value": estimates} if isinstance(estimates, Estimate) else estimates
        values = {label: estimate.value for label, estimate in named.items()}
        intervals = {label: (estimate.low, estimate.high) for label, estimate in named.items()}
        return cls(function, attributes, values, intervals, **rest)

    @property
    def value(self) -> float:
        """The only estimate of an answer that has one, or its main one."""
        return self.values["value"] if "value" in self.values else next(iter(self.values.values()))

    def to_dict(self) -> dict[str, Any]:
        """Write the answer as plain data."""
        return {
            "function": self.function,
            "attributes": list(self.attributes),
            "values": dict(self.values),
            "intervals": {label: list(ends) for label, ends in self.intervals.items()},
            "noise_sd": self.noise_sd,
            "noise": self.noise,
            "cost": self.cost.to_dict(),
            "paid": self.paid,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        title = self.function.replace("_", " ")
        if self.attributes:
            title = f"{title} of {' and '.join(self.attributes)}"
        lines = [(label, _number(v), self._ends(label)) for label, v in self.values.items()]
        if len(lines) == 1 and lines[0][0] == "value":
            return " ".join(part for part in (f"{title}:", *lines[0][1:]) if part)
        wide = [max(len(line[i]) for line in lines) for i in range(2)] if lines else [0, 0]
        rows = [f"  {a:<{wide[0]}}  {b:>{wide[1]}}  {c}".rstrip() for a, b, c in lines]
        return "\n".join([f"{title}:", *rows])

    def _ends(self, label: str) -> str:
        if label not in self.intervals:
            return ""
        low, high = self.intervals[label]
        return f"({_number(low)} to {_number(high)})"


def quantile_label(level: float) -> str:
    """Name a quantile.

    Examples
    --------
    >>> quantile_label(0.25), quantile_label(0.5), quantile_label(0.01), quantile_label(0.995)
    ('Q1', 'Q2', 'P1', 'P99.5')
    """
    quarter = 4 * level
    return f"Q{int(quarter)}" if quarter in (1, 2, 3) else f"P{round(100 * level, 4):g}"


def _number(value: float) -> str:
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1e5 else f"{value:.4g}"
