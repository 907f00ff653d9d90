"""The budget of a ledger, as its first entry holds it: what it promises, and what that comes to."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sparsam._errors import ParameterError
from sparsam.explore.ledger._accounts import binding_account
from sparsam.explore.ledger._amounts import NANO, Amount, exact, nano_down

# Other machines may round the last bit of a logarithm otherwise.
_ROUNDING = 1e-9


def budget_terms(epsilon: Amount, delta: Amount | None, order: int | None) -> dict[str, Any]:
    """Return the unit and the budget of a ledger, as its first entry holds them.

    Examples
    --------
    >>> budget_terms("0.5", None, None)["budget"]
    500000000
    """
    most = nano_down(epsilon, "epsilon")
    if most == 0:
        raise ParameterError(f"The 'epsilon' must be at least 1e-9. Got {epsilon!r} instead.")
    if delta is None:
        if order is not None:
            raise ParameterError("The 'order' must be left out where there is no delta.")
        return {"unit": "epsilon", "budget": most, "epsilon": most, "delta": None, "order": None}
    order, budget = binding_account(Fraction(most, NANO), delta, order)
    chance = float(exact(delta, "delta"))
    return {"unit": "rho", "budget": budget, "epsilon": most, "delta": chance, "order": order}


def terms_agree(
    unit: str, budget: int, epsilon: int, delta: float | None, order: int | None
) -> bool:
    """Return whether a budget is what its epsilon and delta allow.

    Whoever may write the file can write any budget into it; but not one beside an epsilon that
    promises less.

    Parameters
    ----------
    unit : str
    budget, epsilon : int
        In billionths.
    delta : float or None
    order : int or None

    Examples
    --------
    >>> terms_agree("epsilon", 10**9, 10**9, None, None)
    True
    >>> terms_agree("rho", 1000 * 10**9, 10**9, 1e-6, 22)
    False
    """
    if delta is not None and order is None:
        return False
    try:
        terms = budget_terms(Fraction(epsilon, NANO), delta, order)
    except ParameterError:
        return False
    near = abs(budget - terms["budget"]) <= max(1, _ROUNDING * terms["budget"])
    return unit == terms["unit"] and near and budget > 0
