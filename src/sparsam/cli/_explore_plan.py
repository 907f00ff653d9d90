"""What `sparsam explore plan` says: the price, and what other ways would cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import rich_click as click

if TYPE_CHECKING:
    from sparsam.explore import Ledger, Plan
    from sparsam.report._explore_data import CheaperData, SpentData

_PER_QUERY = "0.01"
_DELTA = 1e-6


@dataclass(frozen=True)
class Priced:
    """A plan beside what is left and what the paper's way would cost.

    Parameters
    ----------
    plan : Plan
    left : int or None
        What is left in the ledger, in billionths of the plan's unit; None without a ledger.
    delta : float
        Of the accounts that need one.
    spent : list of SpentData
        This plan, and the paper's way, under each account.
    queries : int
        How many the paper's way needs.
    cheaper : CheaperData or None
        The same exploration of the raw data, where this one is of generalized data.
    rows : int or None
        A guess at the number of rows.
    """

    plan: Plan
    left: int | None
    delta: float
    spent: list[SpentData]
    queries: int
    cheaper: CheaperData | None
    rows: int | None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Priced:
        """Price what the options ask for."""
        from sparsam.explore import Declared, Ledger
        from sparsam.report._explore_costs import compared, queries_of, spent_on

        with ExitStack() as stack:
            ledger = None
            if options["ledger"] is not None:
                ledger = stack.enter_context(Ledger.open(options["ledger"]))
            plan = _plan(options, ledger)
            raw = None if ledger is None or not ledger.domains else ledger.domains
            left = None if ledger is None else ledger.remaining
            delta = _delta(options, ledger)
        declared, cheaper = plan.declared, None
        if declared.partitions and raw is not None and plan.how == "planned":
            known = Declared.from_dict(raw)
            if not known.partitions:
                cheaper = compared(plan, known, _PER_QUERY, options["rows"])
        queries = sum(queries_of(len(declared.numeric), len(declared.categorical)).values())
        spent = spent_on(plan, delta, _PER_QUERY)
        return cls(plan, left, delta, spent, queries, cheaper, options["rows"])

    @property
    def price(self) -> int:
        """What the plan costs, in billionths of its unit."""
        return int(getattr(self.plan.cost, self.plan.unit))

    @property
    def fits(self) -> bool:
        """Whether what is left would pay it."""
        return self.left is None or self.price <= self.left

    def to_dict(self) -> dict[str, Any]:
        """Write everything as plain data."""
        from sparsam.explore.ledger._amounts import nano_text

        return {
            "fits": self.fits,
            "price": nano_text(self.price),
            "left": None if self.left is None else nano_text(self.left),
            "unit": self.plan.unit,
            "delta": self.delta,
            "accounts": list(self.spent),
            "queries": self.queries,
            "expected_errors": self._errors(),
            "cheaper": self.cheaper,
            "plan": self.plan.to_dict(),
        }

    def _errors(self) -> dict[str, float] | None:
        return None if self.rows is None else self.plan.expected_errors(self.rows)

    def lines(self) -> Iterator[str]:
        """Write everything for a person to read."""
        yield str(self.plan)
        yield ""
        yield from self._price_lines()
        here, paper = self.spent
        where = f"at delta {_small(self.delta)}"
        yield f"This plan: {_epsilons(here, where)}."
        yield (
            f"Query by query, as in the paper, {self.queries:,} queries at {_PER_QUERY} each: "
            f"{_epsilons(paper, where)}."
        )
        if (errors := self._errors()) is not None:
            yield f"\nTypical noise with {self.rows:,} rows:"
            width = max(map(len, errors))
            for name, size in errors.items():
                yield f"  {name.replace('_', ' '):<{width}}  {size:.3g}"
        if self.cheaper is not None:
            from sparsam.report._explore_words import compared_words

            yield ""
            yield "Beside the raw data:"
            for words in compared_words(self.cheaper):
                yield f"  {words}".replace("\u202f", " ")
        yield "\nNothing was spent."

    def _price_lines(self) -> Iterator[str]:
        from sparsam.explore.ledger._amounts import nano_text

        unit = self.plan.unit
        if self.left is None:
            yield f"Price: {nano_text(self.price)} {unit}."
        elif self.fits:
            yield (
                f"Price: {nano_text(self.price)} of the {nano_text(self.left)} {unit} that is left."
            )
        else:
            yield (
                f"Price: {nano_text(self.price)} {unit}, but only {nano_text(self.left)} is left: "
                f"{nano_text(self.price - self.left)} too little. It would be refused; leave "
                "--epsilon out to see what fits."
            )


def _plan(options: Mapping[str, Any], ledger: Ledger | None) -> Plan:
    from sparsam.cli._explore import domains_for
    from sparsam.explore.planned._plan import paper_queries, plan_for

    declared = domains_for(options, ledger)
    how: Literal["planned", "interactive"] = "planned"
    if options["how"] == "interactive":
        how = "interactive"
    unit, amount = _amount(options, ledger)
    if options["per_query"] is not None:
        from sparsam.explore.ledger._amounts import nano_up

        n_queries = len(list(paper_queries(declared)))
        amount = nano_up(options["per_query"], "per_query") * n_queries
    return plan_for(declared, how, unit, amount, mixed_pairs=options["how"] == "synthetic")


def _amount(
    options: Mapping[str, Any], ledger: Ledger | None
) -> tuple[Literal["epsilon", "rho"], int]:
    """What the exploration may cost: in the ledger's unit, and in billionths of it."""
    from sparsam._errors import BudgetError
    from sparsam.explore.ledger._accounts import binding_account
    from sparsam.explore.ledger._amounts import nano_down

    if ledger is not None and options["delta"] is not None:
        raise click.UsageError("--delta is the ledger's; leave it out with --ledger.")
    delta = options["delta"] if ledger is None else ledger.delta
    unit: Literal["epsilon", "rho"] = "epsilon" if delta is None else "rho"
    if options["epsilon"] is not None and options["epsilon"] != "all":
        if delta is None:
            return unit, nano_down(options["epsilon"], "epsilon")
        return unit, binding_account(options["epsilon"], delta)[1]
    if ledger is None:
        if options["per_query"] is not None:
            return unit, 0
        raise click.UsageError("Without --ledger, --epsilon must say what may be spent.")
    if ledger.remaining == 0 and options["per_query"] is None:
        raise BudgetError("Nothing is left in the ledger.", 1, 0)
    return unit, ledger.remaining


def _delta(options: Mapping[str, Any], ledger: Ledger | None) -> float:
    known = options["delta"] if ledger is None else ledger.delta
    return _DELTA if known is None else float(known)


def _epsilons(spent: SpentData, where: str) -> str:
    """Write what something costs under each account."""
    from sparsam.report._explore_words import epsilon_number

    parts = [] if spent["pure"] is None else [f"epsilon {epsilon_number(spent['pure'])} added up"]
    parts.append(f"{epsilon_number(spent['concentrated'])} by zCDP {where}")
    if spent["loss"] is not None:
        parts.append(f"{epsilon_number(spent['loss'])} by its privacy loss distribution")
    text = ", ".join(parts)
    return text if spent["pure"] is not None else f"epsilon {text}"


def _small(value: float) -> str:
    from sparsam.report._words import small_words

    return small_words(value)
