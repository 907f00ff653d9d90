"""The sentences of a report on an exploration."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sparsam.explore import cheaper_words as compared_words
from sparsam.report._data import MeaningData
from sparsam.report._explore_data import ExploreReportData, NoisyCellData
from sparsam.report._words import NOTHING, THIN, Interval, counted, pair, percent
from sparsam.report.page._blocks import KeyFigure, Verdict

MEANING_OF_EXPLORATION: tuple[MeaningData, ...] = (
    {
        "heading": "The intervals cover the noise, and nothing else",
        "text": "In 95 of 100 explorations of this very table the table's own figure lies inside. "
        "Where a figure is worked out inside a wide cell, its interval is rough. They do not say "
        "how sure the figure is of people who are not in the table, and not how right the table "
        "is.",
    },
    {
        "heading": "Small counts may be shown",
        "text": "Every count has noise that hides whether any one person is in it, so a small one "
        "tells nothing sure about anybody, and nothing is left out. A count below zero is shown as "
        "zero, and its interval from zero: no table has fewer than no rows, and the correction "
        "looks at the noisy count only. Totals are taken before the correction, so that it does "
        "not add up.",
    },
    {
        "heading": "The number of rows is noisy too",
        "text": "Whether someone is in the table at all is protected. So the number of rows, and "
        "the number of missing values, are estimates like everything else.",
    },
    {
        "heading": "Smallest and largest values are not given",
        "text": "They are values of single people, and noise that hides one person hides them "
        "too. P1 and P99 say how far the numbers reach, for all but the outermost hundredth.",
    },
    {
        "heading": "Domains are declared",
        "text": "Ranges and categories were declared by somebody, not read from the data. Numbers "
        "beyond a range count at its nearer end, other categories as one. A wrong declaration "
        "makes figures wrong, not unsafe.",
    },
    {
        "heading": "One row is one person",
        "text": "Someone with several rows is protected that many times less.",
    },
)
FUNCTIONS = {
    "distribution": "distribution",
    "missing": "missing values",
    "outliers": "outliers",
    "correlation": "correlation",
}
HOW = {
    "planned": "all tables were paid for once, and everything else was worked out from them",
    "interactive": "every query was paid for on its own, as in the paper",
    "synthetic": "made-up rows were drawn from noisy tables, and explored like any others",
}


def number(value: float) -> str:
    """Write a number in the user's own units.

    Examples
    --------
    >>> number(38.0), number(12345.6), number(0.01234), number(-3.5), number(2e20)
    ('38', '12,346', '0.0123', '−3.5', '2e+20')
    """
    whole = float(value).is_integer() or abs(value) >= 1000
    text = f"{value:,.0f}" if whole and abs(value) < 1e15 else f"{value:.3g}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("-")


def count_words(count: float) -> str:
    """Write a noisy count as a whole number.

    Examples
    --------
    >>> count_words(1234.4), count_words(-2.0)
    ('1,234', '0')
    """
    return f"{max(round(count), 0):,}"


def share(value: float) -> str:
    """Write a correlation to two decimals.

    Examples
    --------
    >>> share(0.123), share(-0.004), share(-0.5)
    ('0.12', '0.00', '−0.50')
    """
    text = f"{value:.2f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def interval_text(interval: Interval, write: Callable[[float], str]) -> str:
    """Write an interval; nothing where there is none.

    Examples
    --------
    >>> interval_text((-0.1, 0.25), share), interval_text(None, share)
    ('−0.10 to 0.25', '')
    """
    ends = pair(interval)
    return "" if ends is None else f"{write(ends[0])} to {write(ends[1])}"


def sure(value: float, interval: Interval) -> bool:
    """Whether an interval says that there is more of a dependence than noise and chance make.

    Where nothing stands out of the noise, the interval of a dependence starts at the estimate.

    Examples
    --------
    >>> sure(0.15, (0.1, 0.2)), sure(0.1, (-0.1, 0.2)), sure(0.1, (0.1, 0.2)), sure(0.1, None)
    (True, False, False, False)
    """
    ends = pair(interval)
    return ends is not None and (0 < ends[0] < value or value < ends[1] < 0)


def epsilon_number(epsilon: float | None) -> str:
    """Write an epsilon.

    Examples
    --------
    >>> epsilon_number(1.02), epsilon_number(0.39471), epsilon_number(None)
    ('1.02', '0.395', '–')
    """
    return NOTHING if epsilon is None else f"{epsilon:.3g}"


def explore_verdict(data: ExploreReportData) -> Verdict:
    """Say in two sentences what was looked at, and what it cost."""
    rows = data["rows"]
    about = "" if rows is None else f" of about {count_words(rows['value'])} rows"
    kind = ", generalized and" if data["generalized"] else ","
    attributes = counted(len(data["attributes"]), "attribute")
    budget = data["budget"]
    paid = float(budget["paid"])
    if paid == 0:
        cost = "All of it had been paid for before, so that it cost nothing."
    else:
        part = percent(paid / float(budget["budget"]))
        cost = f"It took {part} of the budget; {percent(_left(data))} is left."
    needs = f"{attributes}{about}{kind} seen through noise."
    return Verdict(needs, f"{HOW[data['how']].capitalize()}. {cost}")


def _left(data: ExploreReportData) -> float:
    return float(data["budget"]["left"]) / float(data["budget"]["budget"])


def explore_figures(data: ExploreReportData) -> list[KeyFigure]:
    """Pick the four numbers that sum up an exploration."""
    budget, here, paper = data["budget"], data["spent"][0], data["paper"]
    figures = []
    if data["rows"] is not None:
        around = interval_text(data["rows"]["interval"], count_words)
        figures.append(KeyFigure(count_words(data["rows"]["value"]), "rows, about", (around,)))
    figures.append(
        KeyFigure(percent(float(budget["paid"]) / float(budget["budget"])), "of the budget paid",
                  (f"{budget['paid']} of {budget['budget']} {budget['unit']}",
                   f"{percent(_left(data))} is left"))
    )  # fmt: skip
    pure = here["pure"] is not None
    epsilon = here["pure"] if pure else here["concentrated"]
    note = "added up, pure" if pure else f"at delta {_delta(data)}"
    figures.append(KeyFigure(epsilon_number(epsilon), "epsilon, this exploration", (note,)))
    queries = sum(one["queries"] for one in paper["functions"])
    total, same = paper["functions"][-1]["cumulative"], paper["functions"][-1]["same"]
    notes = (f"{queries:,} queries at {paper['per_query']} each", "added up, as in the paper")
    if same is not None:
        where = "" if pure else f", at delta {_delta(data)}"
        notes = (f"{queries:,} queries, as exact as here{where}",
                 f"{epsilon_number(total)} at {paper['per_query']} each")  # fmt: skip
        total = same
    figures.append(KeyFigure(epsilon_number(total), "epsilon, query by query", notes))
    return figures


def _delta(data: ExploreReportData) -> str:
    return f"{data['delta']:g}".replace("e-0", "e-")


def paper_words(data: ExploreReportData) -> str:
    """Say what the paper's way is, and what it would cost under each account."""
    paper = data["paper"]
    queries = sum(one["queries"] for one in paper["functions"])
    return (
        f"One charge of {paper['per_query']} for each of {queries:,} queries: five figures and two "
        f"counts for each of {counted(paper['numeric'], 'numeric attribute')}, one table for each "
        f"of {counted(paper['categorical'], 'categorical attribute')}, and one charge for every "
        "pair of a kind (Nuñez von Voigt et al. 2020, Table 1 and Figure 2)."
    )


def cheaper_words(data: ExploreReportData) -> Sequence[str]:
    """Return how much cheaper exploring is after generalizing."""
    if data["cheaper"] is None:
        return ()
    return [words.replace(" %", f"{THIN}%") for words in compared_words(data["cheaper"])]


def cell_words(cell: NoisyCellData) -> str:
    """Say what a cell holds, with its interval."""
    around = interval_text(cell["interval"], count_words)
    return f"{cell['label']}: {count_words(cell['count'])}{f' ({around})' if around else ''}"
