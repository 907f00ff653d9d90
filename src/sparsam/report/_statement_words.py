"""The sentences of a ledger's statement."""

from __future__ import annotations

from sparsam.report._prose import KeyFigure, Verdict
from sparsam.report._statement_data import ChargeData, StatementData
from sparsam.report._words import NOTHING, counted, percent


def small_words(value: float) -> str:
    """Write a small number, such as a delta.

    Examples
    --------
    >>> small_words(1e-6), small_words(0.0)
    ('1e-6', '0')
    """
    return f"{value:g}".replace("e-0", "e-")


def promise_words(data: StatementData) -> str:
    """Say what the budget promises."""
    delta = "" if data["delta"] is None else f" and delta {small_words(data['delta'])}"
    return f"epsilon {data['epsilon']}{delta}"


def account_words(data: StatementData) -> str:
    """Return which account decides."""
    if data["order"] is None:
        return "Pure epsilon decides: the epsilons of all charges are added up."
    return (
        f"Rényi differential privacy at order {data['order']} decides, in units of rho. It stays "
        "true when a question follows from earlier answers, and training is paid from it too."
    )


def epsilon_words(epsilon: float | None) -> str:
    """Write an epsilon to four decimals, upwards.

    Examples
    --------
    >>> epsilon_words(0.39471), epsilon_words(None), epsilon_words(0.0)
    ('0.3948', '–', '0')
    """
    if epsilon is None:
        return NOTHING
    if epsilon == 0:
        return "0"
    return f"{-(-epsilon * 10_000 // 1) / 10_000:.4f}"


def spent_share(data: StatementData) -> float:
    """How much of the budget is spent."""
    return float(data["spent"]) / float(data["budget"])


def statement_verdict(data: StatementData) -> Verdict:
    """Say in two sentences what was promised and what is left."""
    needs = f"Everything that may be asked of this table together keeps {promise_words(data)}."
    if not data["charges"]:
        return Verdict(needs, "Nobody has asked anything yet; all of it is left.")
    n_people = len({one["analyst"] for one in data["charges"]})
    asked = counted(len(data["charges"]), "charge")
    who = counted(n_people, "person", "people")
    nothing = float(data["remaining"]) == 0
    rest = "nothing is left" if nothing else f"{percent(1 - spent_share(data))} is left"
    return Verdict(needs, f"{asked} by {who} spent {percent(spent_share(data))} of it; {rest}.")


def statement_figures(data: StatementData) -> list[KeyFigure]:
    """Pick the four numbers that sum up a statement."""
    unit = data["unit"]
    kept = data["accounts"][0 if unit == "epsilon" else 1]
    figures = [
        KeyFigure(percent(spent_share(data)), "of the budget is spent",
                  (f"{data['spent']} of {data['budget']} {unit}",)),
        KeyFigure(percent(1 - spent_share(data)), "is left", (f"{data['remaining']} {unit}",)),
        KeyFigure(f"{len(data['charges']):,}", "charges",
                  (f"{data['unanswered']:,} without an answer, charged all the same",)),
    ]  # fmt: skip
    if kept["epsilon"] is not None:
        delta = f"at delta {small_words(kept['delta'])}" if kept["delta"] else "pure, delta 0"
        name = f"the {kept['name']} account, {delta}"
        figures.append(KeyFigure(epsilon_words(kept["epsilon"]), "epsilon so far", (name,)))
    return figures


def analyst_rows(data: StatementData) -> list[tuple[str, str, str]]:
    """For each analyst: how many charges, and how much of the budget."""
    budget = float(data["budget"])
    found: dict[str, list[ChargeData]] = {}
    for one in data["charges"]:
        found.setdefault(one["analyst"], []).append(one)
    return [
        (name, f"{len(own):,}", percent(sum(float(one["amount"]) for one in own) / budget))
        for name, own in found.items()
    ]
