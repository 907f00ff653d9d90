"""One question: what is asked, what it costs, what is released, and how that is read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypedDict

from sparsam._errors import ParameterError
from sparsam.explore._answer import Answer
from sparsam.explore._estimate import count_interval
from sparsam.explore._private_table import PrivateTable
from sparsam.explore.ledger._amounts import NANO, Amount, Unit, nano_text, nano_up
from sparsam.explore.ledger._costs import Cost, choice_cost, gaussian_cost, laplace_cost

# Ends that differ by less from a whole number are one: floats are that only nearly.
_SAME = 1e-9


class Price(TypedDict, total=False):
    """What a question may cost, in one of two units, and why it is asked."""

    epsilon: Amount | None
    rho: Amount | None
    purpose: str


@dataclass(frozen=True)
class Payment:
    """What is paid for one question, in billionths.

    Parameters
    ----------
    unit : {"epsilon", "rho"}
        Epsilon buys Laplace noise and choices, rho buys Gaussian noise and choices.
    nano : int

    Examples
    --------
    >>> Payment.of({"epsilon": 0.1}).split(3, 1)
    (Payment(unit='epsilon', nano=75000000), Payment(unit='epsilon', nano=25000000))
    """

    unit: Unit
    nano: int

    @classmethod
    def of(cls, price: Price) -> Payment:
        """Take exactly one of epsilon and rho."""
        if unknown := sorted(price.keys() - Price.__annotations__.keys()):
            raise TypeError(f"A question has no parameter '{unknown[0]}'.")
        epsilon, rho = price.get("epsilon"), price.get("rho")
        if epsilon is not None and rho is None:
            return cls("epsilon", nano_up(epsilon, "epsilon"))
        if rho is not None and epsilon is None:
            return cls("rho", nano_up(rho, "rho"))
        given = "both" if rho is not None else "neither"
        raise ParameterError(
            f"A question must be paid by either 'epsilon' or 'rho'. Got {given} instead."
        )

    @property
    def counts(self) -> Cost:
        """Pay for noise on counts."""
        amount = Fraction(self.nano, NANO)
        return laplace_cost(amount) if self.unit == "epsilon" else gaussian_cost(amount)

    @property
    def choice(self) -> Cost:
        """Pay for a choice; of rho, with the largest epsilon whose epsilon²/8 it covers."""
        if self.unit == "epsilon":
            return choice_cost(Fraction(self.nano, NANO))
        return choice_cost(Fraction(math.isqrt(8 * self.nano * NANO), NANO))

    def split(self, *weights: int) -> tuple[Payment, ...]:
        """Share the amount out; what does not divide goes to the first."""
        whole = sum(weights)
        parts = [self.nano * weight // whole for weight in weights]
        parts[0] += self.nano - sum(parts)
        if min(parts) < 1:
            raise ParameterError(
                f"The '{self.unit}' must be enough for {len(weights)} parts. "
                f"Got {nano_text(self.nano)} instead."
            )
        return tuple(Payment(self.unit, part) for part in parts)


@dataclass(frozen=True, repr=False)
class Query:
    """A question that a ledger can charge.

    Parameters
    ----------
    function : str
        See `Answer`.
    attributes : tuple of str
    details : mapping
        All else that the release depends on, as plain data.
    cost : Cost
        Of everything that `release` does.
    release : callable
        From the source to noisy whole numbers, as plain data. The only part that sees the rows.
    read : callable
        From what was released to the parts of the answer.
    """

    function: str
    attributes: tuple[str, ...]
    details: Mapping[str, Any]
    cost: Cost
    release: Callable[[PrivateTable], Any]
    read: Callable[[Any], dict[str, Any]]

    @property
    def question(self) -> dict[str, Any]:
        """What the ledger stores."""
        return {"ask": self.function, "of": list(self.attributes), **self.details}

    def answer(self, released: Any, paid: bool) -> Answer:
        """Make the answer from what was released."""
        kinds = dict.fromkeys(event.noise for event in self.cost.events)
        return Answer(
            self.function,
            self.attributes,
            **self.read(released),
            noise=" + ".join(kinds),
            cost=self.cost,
            paid=paid,
        )


def around(labels: Sequence[str], noisy: Sequence[int], reach: int) -> dict[str, Any]:
    """Return counts and their intervals: whole numbers, at least zero, as counts are."""
    values = {label: max(int(count), 0) for label, count in zip(labels, noisy, strict=True)}
    ends = {}
    for label, count in zip(labels, noisy, strict=True):
        low, high = count_interval(int(count), reach)
        ends[label] = (math.floor(low + _SAME), math.ceil(high - _SAME))
    return {"values": values, "intervals": ends}
