"""What a ledger is created with: its budget, and the table that it is bound to."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sparsam._errors import ParameterError
from sparsam.data import Table, fingerprint
from sparsam.explore._accounts import binding_account
from sparsam.explore._amounts import NANO, Amount, exact, nano_down
from sparsam.explore._declared import Declared, declared
from sparsam.explore._ledger_book import table_digest
from sparsam.explore._source import Source


def budget_terms(epsilon: Amount, delta: Amount | None, order: int | None) -> dict[str, Any]:
    """Give the unit and the budget of a ledger, as its first entry holds them.

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


def table_terms(data: Any, domains: Any, text: str | None, salt: str) -> dict[str, Any]:
    """Give the declared domains and the salted digest of a table.

    Parameters
    ----------
    data : table, object with `fingerprint(salt)` or None
    domains : Declared, what `declared` takes, or None
    text : str or None
        A fingerprint instead of a table.
    salt : str
    """
    known = None if domains is None else declared(domains)
    described = None if known is None else {**known.to_dict(), "names": list(known.names)}
    return {"domains": described, "salt": salt, "fingerprint": _digest(data, known, text, salt)}


def _digest(data: Any, known: Declared | None, text: str | None, salt: str) -> str | None:
    if data is None:
        return None if text is None else table_digest(text, salt)
    if text is not None:
        raise ParameterError("Give 'data' or 'fingerprint' of a ledger, not both.")
    if callable(getattr(data, "fingerprint", None)) and not isinstance(data, Table):
        return table_digest(data, salt)
    if known is not None:
        return table_digest(Source(data, known), salt)
    return table_digest(fingerprint(data, salt), salt)
