"""The result of the basic analysis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sparsam._errors import ParameterError
from sparsam._joined import supplied
from sparsam.explore._answer import Answer
from sparsam.explore._bins import Bins
from sparsam.explore.ledger._amounts import nano_text
from sparsam.explore.ledger._costs import Cost
from sparsam.explore.planned._consistency import FloatArray
from sparsam.explore.planned._plan import Plan, paper_costs
from sparsam.explore.planned._planned import Released

if TYPE_CHECKING:
    from sparsam.explore._answer import Answer

_WIDEST = 24
_VALUES = 6


@dataclass(frozen=True)
class Exploration:
    """What the basic analysis found, and what it cost.

    Parameters
    ----------
    plan : Plan
        What was asked, and at which price.
    answers : tuple of Answer
    entries : tuple of int
        The entries of the ledger that paid.
    paid : bool
        Whether this call paid; the same exploration again is free.
    released : Released, optional
        The noisy tables behind the answers, where there are any.
    how : str, optional
        "planned", "interactive" or "synthetic".

    Attributes
    ----------
    cost : Cost
        What the exploration cost, when it was paid.
    n_rows : float or None
        How many rows there are, as well as the tables tell.
    tables : dict of tuple of str to ndarray
        The noisy tables after they were made consistent; counts may be negative.
    bins : dict of tuple of str to tuple of Bins
        The cells of each table.

    Examples
    --------
    >>> import tempfile
    >>> import sparsam as sp
    >>> domains = sp.explore.declared({"sex": ["female", "male"], "employed": ["no", "yes"]})
    >>> people = sp.load_example().take(range(2000))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with sp.Ledger.create(f"{folder}/people.ledger", epsilon=1, domains=domains) as ledger:
    ...         eda = sp.explore_table(people, ledger, epsilon=0.5, purpose="a first look")
    >>> eda.paid, list(eda.answer("value_counts", "sex").values)
    (True, ['female', 'male', '(other)', '(missing)'])
    """

    plan: Plan
    answers: tuple[Answer, ...]
    entries: tuple[int, ...] = ()
    paid: bool = True
    released: Released | None = field(default=None, repr=False, compare=False)
    how: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "how", self.how or self.plan.how)

    @property
    def cost(self) -> Cost:
        """What the exploration cost, when it was paid."""
        return self.plan.cost

    @property
    def n_rows(self) -> float | None:
        """How many rows there are, as well as the tables tell."""
        return None if self.released is None else max(self.released.total[0], 0.0)

    @property
    def tables(self) -> dict[tuple[str, ...], FloatArray]:
        """The noisy tables after they were made consistent."""
        if self.released is None:
            return {}
        tables: dict[tuple[str, ...], FloatArray] = {}
        for name, margin in self.released.margins.items():
            tables[(name,)] = margin.counts
        return tables | {names: table.counts for names, table in self.released.pairs.items()}

    @property
    def bins(self) -> dict[tuple[str, ...], tuple[Bins, ...]]:
        """The cells of each table."""
        if self.released is None:
            return {}
        bins: dict[tuple[str, ...], tuple[Bins, ...]] = {}
        for name, margin in self.released.margins.items():
            bins[(name,)] = (margin.bins,)
        return bins | {names: table.bins for names, table in self.released.pairs.items()}

    def answer(self, function: str, *attributes: str) -> Answer:
        """Find the answer of a function on attributes, in any order.

        For instance ``eda.answer("spearman", "age", "hours")``.
        """
        for answer in self.answers:
            if answer.function == function and sorted(answer.attributes) == sorted(attributes):
                return answer
        listed = ", ".join(dict.fromkeys(a.function for a in self.answers))
        raise ParameterError(
            f"There must be an answer of '{function}' for {attributes}. The functions answered "
            f"are: {listed}."
        )

    def synthetic(self, n: int | None = None, *, random_state: int = 0) -> Any:
        """Draw rows from a tree model of the noisy tables; that costs nothing.

        Parameters
        ----------
        n : int, optional
            How many; by default as many as the table has, as well as is known.
        random_state : int, default=0
            Whoever draws again gets the same rows. The noise that protects people is in the
            tables already, so that a seed gives nothing away.

        Returns
        -------
        dict of str to ndarray
            A column for each attribute, in the attribute's own units and labels; None and NaN
            where missing.
        """
        from sparsam.explore._synthetic import TreeModel

        return TreeModel.of(self._tables_needed()).draw(n, random_state=random_state)

    def _tables_needed(self) -> Released:
        if self.released is None:
            raise ParameterError(
                "Synthetic rows need the tables of a planned exploration. This one is "
                f"{self.how}.\n\nHint: explore_table(data, ledger, how='planned')."
            )
        return self.released

    def matrix(self, function: str) -> dict[str, Any]:
        """Return all correlations of one kind as a matrix, with the ends of the intervals.

        Parameters
        ----------
        function : {"spearman", "cramers_v"}

        Returns
        -------
        dict
            "attributes", and "values", "low" and "high" as lists of lists; None where no pair was
            asked.
        """
        declared = self.plan.declared
        names = declared.numeric if function == "spearman" else declared.categorical
        place = {name: index for index, name in enumerate(names)}
        shape = (len(names), len(names))
        grids = {key: np.full(shape, np.nan) for key in ("values", "low", "high")}
        for grid in grids.values():
            np.fill_diagonal(grid, 1.0)
        for answer in self.answers:
            if answer.function == function:
                ends = answer.intervals.get("value", (np.nan, np.nan))
                first, second = (place[name] for name in answer.attributes)
                for grid, value in zip(grids.values(), (answer.value, *ends), strict=True):
                    grid[first, second] = grid[second, first] = value
        return {"attributes": list(names), **{key: _lists(grid) for key, grid in grids.items()}}

    def plot(
        self,
        ax: Any = None,
        *,
        attribute: str | None = None,
        matrix: Literal["spearman", "cramers_v"] | None = None,
        **style: Any,
    ) -> Any:
        """Draw noisy counts with the intervals of the noise, or how attributes go together.

        Parameters
        ----------
        ax : matplotlib Axes, or an array of them for all attributes, optional
            Where to draw; a figure of its own when left out.
        attribute : str, optional
            Draw this attribute alone.
        matrix : {"spearman", "cramers_v"}, optional
            Draw the correlations of all pairs instead.
        **style
            `title`, `figsize`, `colors`, `legend`, and properties of matplotlib's bars,
            such as `edgecolor`.

        Returns
        -------
        matplotlib Axes, or an array of them where all attributes are drawn

        Examples
        --------
        >>> import tempfile
        >>> from sparsam.explore import Ledger, explore_table
        >>> people = {"age": [30, 41, 52] * 100, "sex": ["f", "m", "m"] * 100}
        >>> domains = {"age": (0, 99, "integer"), "sex": ["f", "m"]}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with Ledger.create(f"{folder}/people.ledger", epsilon=20) as ledger:
        ...         eda = explore_table(people, ledger, domains=domains)
        >>> [axes.get_title(loc="left") for axes in eda.plot()]
        ['age', 'sex']
        """
        return supplied("plot_exploration")(self, ax, attribute, matrix, **style)

    def to_dict(self) -> dict[str, Any]:
        """Write everything as plain data: all that a report shows."""
        declared = self.plan.declared
        n, c = len(declared.numeric), len(declared.categorical)
        return {
            "how": self.how,
            "rows": self._plain("count"),
            "attributes": [self._attribute(name) for name in declared.names],
            "spearman": self.matrix("spearman"),
            "cramers_v": self.matrix("cramers_v"),
            "answers": [answer.to_dict() for answer in self.answers],
            "cost": self.cost.to_dict(),
            "paid": self.paid,
            "entries": list(self.entries),
            "plan": self.plan.to_dict(),
            "paper": {
                "epsilon_i": 0.01,
                "queries": 7 * n + c + n * (n - 1) // 2 + c * (c - 1) // 2,
                "costs": {part: nano / 1e9 for part, nano in paper_costs(n, c).items()},
            },
        }

    def _attribute(self, name: str) -> dict[str, Any]:
        """Gather what is known of one attribute: cells, box, missing and outliers."""
        numeric = name in self.plan.declared.numeric
        attribute: dict[str, Any] = {"name": name, "kind": "numeric" if numeric else "categorical"}
        for function in ("missing", "outliers", "mean"):
            attribute[function] = self._plain(function, name)
        box: dict[str, Any] = {}
        for function in ("range", "quantiles"):
            answer = self._find(function, name)
            if answer is not None:
                box |= {
                    label: {
                        "value": value,
                        "interval": list(answer.intervals.get(label, ())) or None,
                    }
                    for label, value in answer.values.items()
                }
        order = ("P1", "Q1", "Q2", "Q3", "P99")
        attribute["box"] = {label: box[label] for label in order if label in box} or None
        attribute["cells"] = self._cells(name)
        return attribute

    def _cells(self, name: str) -> list[dict[str, Any]]:
        from sparsam.explore.planned._table_answers import shown_bins

        answer = self._find("histogram", name) or self._find("value_counts", name)
        if answer is None:
            return []
        edges: tuple[float, ...] = ()
        if self.released is not None:
            edges = shown_bins(self.released.margins[name].bins).edges
        return [
            {
                "label": label,
                "low": edges[place] if place + 1 < len(edges) else None,
                "high": edges[place + 1] if place + 1 < len(edges) else None,
                "count": value,
                "interval": list(answer.intervals.get(label, ())) or None,
            }
            for place, (label, value) in enumerate(answer.values.items())
        ]

    def _find(self, function: str, *names: str) -> Answer | None:
        return next(
            (a for a in self.answers if a.function == function and a.attributes == names), None
        )

    def _plain(self, function: str, *names: str) -> dict[str, Any] | None:
        answer = self._find(function, *names)
        if answer is None:
            return None
        return {"value": answer.value, "interval": list(answer.intervals.get("value", ())) or None}

    def __str__(self) -> str:

        return exploration_text(self)


def _lists(grid: FloatArray) -> list[list[float | None]]:
    return [[None if np.isnan(value) else float(value) for value in row] for row in grid]


def exploration_text(eda: Exploration) -> str:
    """Write an exploration as readable tables."""
    parts = [_heading(eda)]
    for group in (_numbers(eda), _categories(eda), _matrix(eda, "spearman", "Spearman's rank")):
        parts += [group] if group else []
    group = _matrix(eda, "cramers_v", "Cramér's V")
    return "\n\n".join([*parts, group] if group else parts)


def _heading(eda: Exploration) -> str:
    plan = eda.plan
    n, c = len(plan.declared.numeric), len(plan.declared.categorical)
    spent = f"{plan.unit} {nano_text(plan.price)}"
    rows = next((a for a in eda.answers if a.function == "count"), None)
    lines = [f"{eda.how} exploration: {n} numeric and {c} categorical attributes"]
    if rows is not None:
        lines.append(f"rows {_cell(rows, 'value')}")
    lines.append(f"cost {spent}{'' if eda.paid else ' (paid before)'}")
    paper = paper_costs(n, c)["total"]
    lines.append(f"one query at a time, each at epsilon 0.01: epsilon {nano_text(paper)}")
    lines.append("± and ranges: 95 % intervals for the noise")
    return "\n".join(lines)


def _numbers(eda: Exploration) -> str:
    rows = []
    for name in eda.plan.declared.numeric:
        box = {**_values(eda, "range", name), **_values(eda, "quantiles", name)}
        cells = [box.get(label, "") for label in ("P1", "Q1", "Q2", "Q3", "P99")]
        more = [_values(eda, what, name).get("value", "") for what in ("missing", "outliers")]
        rows.append([_short(name), *cells, *more])
    if not rows:
        return ""
    return _table(["numeric", "P1", "Q1", "Q2", "Q3", "P99", "missing", "outliers"], rows)


def _categories(eda: Exploration) -> str:
    lines = []
    for name in eda.plan.declared.categorical:
        answer = _find(eda, "value_counts", name)
        if answer is None:
            continue
        order = sorted(answer.values, key=lambda label: -answer.values[label])
        shown = [f"{_short(label)} {_cell(answer, label)}" for label in order[:_VALUES]]
        rest = f", and {len(order) - _VALUES} more" if len(order) > _VALUES else ""
        lines.append(f"{_short(name)}: {', '.join(shown)}{rest}")
    return "\n".join(["categorical, the most frequent values", *lines]) if lines else ""


def _matrix(eda: Exploration, function: str, title: str) -> str:
    if not any(answer.function == function for answer in eda.answers):
        return ""
    matrix = eda.matrix(function)
    names = [_short(name) for name in matrix["attributes"]]
    rows = []
    for place, name in enumerate(names):
        cells = []
        for other in range(place):
            value, high = matrix["values"][place][other], matrix["high"][place][other]
            low = matrix["low"][place][other]
            half = "" if high is None or low is None else f" ±{(high - low) / 2:.2f}"
            cells.append("" if value is None else f"{value:.2f}{half}")
        rows.append([name, *cells, *[""] * (len(names) - 1 - place)])
    return _table([title, *names[:-1]], rows[1:])


def _values(eda: Exploration, function: str, name: str) -> dict[str, str]:
    answer = _find(eda, function, name)
    return {} if answer is None else {label: _cell(answer, label) for label in answer.values}


def _find(eda: Exploration, function: str, name: str) -> Answer | None:
    listed = (a for a in eda.answers if a.function == function and a.attributes == (name,))
    return next(listed, None)


def _cell(answer: Answer, label: str) -> str:
    value = answer.values[label]
    if label not in answer.intervals:
        return _number(value)
    low, high = answer.intervals[label]
    return f"{_number(value)} ±{_number((high - low) / 2)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    listed = [list(head), *map(list, rows)]
    widths = [max(len(row[column]) for row in listed) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in listed
    )
