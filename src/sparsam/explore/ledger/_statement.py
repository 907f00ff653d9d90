"""The statement of a ledger: who asked what, when and why, what it cost, and what is left."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from sparsam._printable import one_line
from sparsam.explore.ledger._accounts import has_pld, pld_epsilon, renyi_epsilon
from sparsam.explore.ledger._amounts import NANO, Amount, exact, nano_text
from sparsam.explore.ledger._chain import CHARGES
from sparsam.explore.ledger._costs import Cost, Event, sequential

DELTA = 1e-6
LIMITS = (
    "Someone who has the table itself needs no ledger. The budget binds those who can only ask.",
    "A copy of the file, or a second ledger for the same people, is a second budget. Create one "
    "ledger for a table, and let nobody else create one.",
    "An old copy that is put back is whole in itself, and what was charged since is forgotten. "
    "Keep the head below elsewhere: opening with at_least=<head> refuses an older copy. A witness "
    "file in other hands does the same by itself.",
    "The chain of digests shows accidents and careless changes. Someone who may write the file "
    "can compute a new chain; only a head that is kept elsewhere shows that.",
    "Charges are for the noise that was declared. A program that adds less noise, or prints the "
    "table, is not stopped by a ledger.",
    "One row is one person. Someone with several rows is protected that many times less.",
    "All analysts share this one account, so that they gain nothing by putting their answers "
    "together. Budgets of other ledgers for the same people add up with this one.",
    "The file holds the answers and a digest of the table, with which someone who knows all rows "
    "but one could test guesses, and the sampling rates of training, which give the number of "
    "rows. Pass on this statement, not the file.",
    "Times are those of the machines that asked. Repeated questions are answered from the file, "
    "cost nothing and are not listed.",
)
_NONE = "no answer"
_OUTCOMES = {"answer": "answered", "failed": "failed", "dropped": "answered by an equal question"}


_NOISES = {
    "laplace": ("Laplace", "Laplace"),
    "gaussian": ("Gaussian", "Gaussian"),
    "exponential": ("choice", "choice, Gumbel"),
}
_FEW = 3
_ASKED = {
    "count": "number of rows",
    "missing": "missing values",
    "quantiles": "quantiles",
    "range": "P1 and P99",
    "outliers": "outliers",
    "value_counts": "value counts",
    "histogram": "histogram",
    "mean": "mean",
    "spearman": "Spearman's correlation",
    "cramers_v": "Cramér's V",
}
_LONG = 160


class Noise(msgspec.Struct, frozen=True):
    """One use of noise in words: its kind, and all that is told about it."""

    kind: str
    words: str


class Charge(msgspec.Struct, frozen=True):
    """One charge, as a statement lists it."""

    sequence: int
    time: str
    analyst: str
    purpose: str
    question: dict[str, Any]
    noises: tuple[Noise, ...]
    amount: str
    spent: str
    outcome: str

    @property
    def noise(self) -> str:
        """Every use of noise."""
        return ", ".join(noise.words for noise in self.noises)

    @property
    def short_noise(self) -> str:
        """A few uses of noise, and of many only the kinds."""
        if len(self.noises) <= _FEW:
            return self.noise
        kinds = dict.fromkeys(noise.kind for noise in self.noises)
        return f"{', '.join(kinds)}, at {len(self.noises)} scales"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold."""
        names = ("noise" if name == "noises" else name for name in self.__struct_fields__)
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        why = f" ({one_line(self.purpose)})" if self.purpose else ""
        who, what = one_line(self.analyst), one_line(question_words(self.question))
        return f"{self.sequence:>4}  {time_words(self.time)}  {who}  {what}{why}  {self.amount}"


class Account(msgspec.Struct, frozen=True):
    """What was spent, as one way of accounting sees it.

    Attributes
    ----------
    name : str
    epsilon : float or None
        None where this account cannot be kept; `note` says why.
    delta : float
    note : str
    """

    name: str
    epsilon: float | None
    delta: float
    note: str


class Statement(msgspec.Struct, frozen=True):
    """A page for the data-protection officer, as plain data.

    It holds questions and costs, no answers and no value of a person.

    See Also
    --------
    sparsam.report.statement_report : Writes the page.

    Attributes
    ----------
    ledger : str
        The name of the file.
    note, created, created_by : str
    unit : str
        'epsilon' or 'rho'.
    epsilon : str
        What the budget promises.
    delta : float or None
    order : int or None
    budget, spent, remaining : str
        In the unit.
    accounts : tuple of Account
    charges : tuple of Charge
    unanswered : int
        Charges that have no answer.
    entries : int
    head : str
        The digest of the last entry.
    limits : tuple of str
        What a file cannot prevent.

    Examples
    --------
    >>> import tempfile
    >>> import sparsam as sp
    >>> domains = sp.explore.declared({"sex": ["female", "male"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = f"{folder}/people.ledger"
    ...     with sp.Ledger.create(place, epsilon=1, domains=domains, note="a survey") as ledger:
    ...         statement = ledger.statement()
    >>> statement.note, statement.budget, statement.spent, len(statement.charges)
    ('a survey', '1', '0', 0)
    """

    ledger: str
    note: str
    created: str
    created_by: str
    unit: str
    epsilon: str
    delta: float | None
    order: int | None
    budget: str
    spent: str
    remaining: str
    accounts: tuple[Account, ...]
    charges: tuple[Charge, ...]
    unanswered: int
    entries: int
    head: str
    limits: tuple[str, ...] = LIMITS

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold."""
        return {
            **msgspec.to_builtins(self),
            "charges": [charge.to_dict() for charge in self.charges],
        }

    def __str__(self) -> str:
        lines = [
            f"{one_line(self.ledger)}: all answers together keep {self._promise()}, for tables "
            "that differ by one row",
            f"budget {self.budget} {self.unit}, spent {self.spent}, left {self.remaining}",
        ]
        for account in self.accounts:
            reached = account.note
            if account.epsilon is not None:
                delta = f" at delta {account.delta:g}" if account.delta else ""
                reached = f"epsilon {account.epsilon:.4f}{delta}"
            lines.append(f"{account.name}: {reached}")
        lines += [f"  {charge} {self.unit}, {charge.outcome}" for charge in self.charges]
        lines.append(f"{self.entries:,} entries, all checked; head {self.head}")
        return "\n".join(lines)

    def _promise(self) -> str:
        delta = "" if self.delta is None else f" and delta {self.delta:g}"
        account = "" if self.order is None else f" (Rényi account of order {self.order})"
        return f"epsilon {self.epsilon}{delta}{account}"


def make_statement(entries: list[dict[str, Any]], name: str, delta: Amount | None) -> Statement:
    """Write the statement of checked entries.

    Parameters
    ----------
    entries : list of dict
        As `Ledger.entries` gives them.
    name : str
        Of the file.
    delta : number or None
        For the accounts that need one; by default that of the ledger, or 1e-6.

    Returns
    -------
    Statement
    """
    header = entries[0]
    charged = [body for body in entries if body["kind"] in CHARGES]
    if delta is None:
        delta = DELTA if header["delta"] is None else header["delta"]
    costs = [Cost.from_dict(body["cost"]) for body in charged]
    charges = charges_of(entries)
    return Statement(
        ledger=name,
        note=header["note"],
        created=header["time"],
        created_by=header["analyst"],
        unit=header["unit"],
        epsilon=nano_text(header["epsilon"]),
        delta=header["delta"],
        order=header["order"],
        budget=nano_text(header["budget"]),
        spent=nano_text(entries[-1]["spent"]),
        remaining=nano_text(header["budget"] - entries[-1]["spent"]),
        accounts=_accounts(costs, float(exact(delta, "delta"))),
        charges=charges,
        unanswered=sum(charge.outcome == _NONE for charge in charges),
        entries=len(entries),
        head=entries[-1]["hash"],
    )


def charges_of(entries: list[dict[str, Any]]) -> tuple[Charge, ...]:
    """List the charges among the entries of a ledger."""
    outcomes = {body["charge"]: _OUTCOMES[body["kind"]] for body in entries if "charge" in body}
    return tuple(_listed(body, outcomes) for body in entries if body["kind"] in CHARGES)


def _listed(body: dict[str, Any], outcomes: dict[int, str]) -> Charge:
    training = body["kind"] == "training"
    return Charge(
        sequence=body["sequence"],
        time=body["time"],
        analyst=body["analyst"],
        purpose=body["purpose"],
        question={"training": "DP-SGD"} if training else body["question"],
        noises=tuple(_noise(event) for event in Cost.from_dict(body["cost"]).events),
        amount=nano_text(body["amount"]),
        spent=nano_text(body["spent"]),
        outcome="charged" if training else outcomes.get(body["sequence"], _NONE),
    )


def _accounts(costs: list[Cost], delta: float) -> tuple[Account, ...]:
    cost = sequential(costs)
    pure = Account("pure epsilon", None, 0.0, "not all noise has a pure epsilon")
    if cost.epsilon is not None:
        pure = Account("pure epsilon", cost.epsilon / NANO, 0.0, "sum of all charges")
    name = "zCDP" if cost.order is None else "zCDP, and Rényi for training"
    note = f"rho {nano_text(cost.rho)} in all, at the best order"
    if cost.order is not None:
        note = "at the best order"
    concentrated = Account(name, renyi_epsilon(costs, delta), delta, note)
    name = "privacy loss distribution"
    if has_pld():
        note = "holds for charges that were fixed beforehand, as those of a plan"
        whole = Account(name, pld_epsilon(cost.events, delta), delta, note)
    else:
        note = "dp-accounting is not installed: pip install 'sparsam[accounting]'"
        whole = Account(name, None, delta, note)
    return pure, concentrated, whole


def _noise(event: Event) -> Noise:
    times = f" × {event.times}" if event.times > 1 else ""
    if event.noise == "dp-sgd":
        # The sampling rate and the steps give the number of rows, and so does the noise to whoever
        # knows the epsilon that it was made for. The file keeps them, for the account.
        return Noise(f"DP-SGD{times}", f"DP-SGD{times}")
    kind, drawn = _NOISES[event.noise]
    return Noise(kind, f"{drawn}, scale {event.scale:.6g}{times}")


def question_words(question: Mapping[str, Any]) -> str:
    """Return in one line what was asked.

    Examples
    --------
    >>> question_words({"ask": "spearman", "of": ["age", "income"], "edges": [1, 2]})
    "Spearman's correlation of age and income"
    >>> question_words({"ask": "planned exploration", "stage": 1, "items": [{}, {}]})
    'planned exploration, stage 1: 2 tables'
    """
    asked, named = question.get("ask"), question.get("of")
    if "training" in question:
        return f"training, {question['training']}"
    if isinstance(asked, str) and isinstance(named, list):
        what = _ASKED.get(asked, asked)
        return f"{what} of {' and '.join(map(str, named))}" if named else what
    if isinstance(asked, str) and isinstance(question.get("items"), list):
        stage = f", stage {question['stage']}" if "stage" in question else ""
        tables = len(question["items"])
        return f"{asked}{stage}: {tables:,} table{'s' * (tables != 1)}"
    text = json.dumps(question, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"


def time_words(text: str) -> str:
    """Write a time to the minute.

    Examples
    --------
    >>> time_words("2026-03-01T12:34:56.789+00:00")
    '2026-03-01 12:34'
    """
    return text[:16].replace("T", " ")
