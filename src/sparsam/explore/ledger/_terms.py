"""What a ledger is created with: the table that it is bound to, and what is declared of it."""

from __future__ import annotations

from typing import Any

from sparsam._errors import ParameterError
from sparsam.data import Table, fingerprint
from sparsam.explore._declared import Declared, declared
from sparsam.explore._source import Source
from sparsam.explore.ledger._book import table_digest


def table_terms(data: Any, domains: Any, text: str | None, salt: str) -> dict[str, Any]:
    """Return the declared domains and the salted digest of a table.

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
