"""The entries of a ledger: each holds the digest of the one before, so that a change shows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from sparsam._errors import LedgerError, ParameterError
from sparsam.explore._costs import Cost

FIRST = "0" * 64
CHARGES = ("reserve", "training")
KINDS = ("create", "bind", "answer", "failed", "dropped", *CHARGES)


class Row(NamedTuple):
    """One entry as it is stored."""

    sequence: int
    kind: str
    amount: int
    spent: int
    key: str | None
    body: str
    hash: str


class Verification(msgspec.Struct, frozen=True):
    """What the check of a ledger found; a ledger that fails the check raises instead.

    Attributes
    ----------
    entries : int
        How many there are.
    spent, remaining : int
        In billionths of the ledger's unit.
    unanswered : int
        Charges without an answer: of crashes, or of questions that are being computed.
    head : str
        The digest of the last entry. Keep it elsewhere: with `at_least` it shows a rollback.
    """

    entries: int
    spent: int
    remaining: int
    unanswered: int
    head: str


def canonical(value: Any, name: str) -> str:
    """Write plain data as the one JSON text that stands for it.

    Examples
    --------
    >>> canonical({"b": 1, "a": (2, "é")}, "question")
    '{"a":[2,"\\\\u00e9"],"b":1}'
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise ParameterError(
            f"The '{name}' must be plain data that JSON can hold, without NaN or infinities."
        ) from None


def digest(*parts: str) -> str:
    """Give the SHA-256 of texts, in an order that cannot be mistaken.

    Examples
    --------
    >>> digest("ab", "c") == digest("a", "bc")
    False
    """
    total = hashlib.sha256()
    for part in parts:
        data = part.encode()
        total.update(len(data).to_bytes(8, "big"))
        total.update(data)
    return total.hexdigest()


def price(cost: Cost, unit: str, order: int | None) -> int:
    """Say what a cost takes from a ledger, in billionths of the ledger's unit."""
    if unit == "epsilon":
        if cost.epsilon is None:
            raise LedgerError(
                "A ledger of pure epsilon can pay only for noise that has one. Got a cost of "
                "Gaussian noise or of training.\n\nHint: create the ledger with a delta."
            )
        return cost.epsilon
    if cost.order is not None and cost.order != order:
        raise LedgerError(
            f"A cost of training must be priced at the ledger's order, {order}. "
            f"Got order {cost.order} instead.\n\nHint: use ledger.charge_training."
        )
    return cost.rho


class Replay:
    """Reads entries in their order and checks that each fits what went before."""

    def __init__(self) -> None:
        self.sequence = -1
        self.head = FIRST
        self.spent = 0
        self.header: dict[str, Any] = {}
        self.fingerprint: str | None = None
        self.unanswered: dict[int, str | None] = {}

    def read(self, rows: Iterable[Row]) -> None:
        """Check and take over entries."""
        for row in rows:
            self._read(row)

    def _read(self, row: Row) -> None:
        here = self.sequence + 1
        if row.sequence != here:
            raise broken(here, "is missing")
        if not isinstance(row.body, str) or digest(self.head, row.body) != row.hash:
            raise broken(here, "was changed")
        try:
            body = json.loads(row.body)
            fits = self._fits(row, body)
            spent = self.spent + body["amount"]
        except (ValueError, TypeError, KeyError, msgspec.ValidationError):
            fits, spent, body = False, 0, {}
        if not fits or row.spent != spent or body["spent"] != spent:
            raise broken(here, "does not fit the others")
        if row.kind == "create":
            self.header = body
        if spent > self.header["budget"]:
            raise broken(here, "spends more than the budget")
        self._follow(row, body)
        self.sequence, self.head, self.spent = here, row.hash, spent

    def _fits(self, row: Row, body: dict[str, Any]) -> bool:
        names = ("sequence", "kind", "amount")
        stored = (row.sequence, row.kind, row.amount)
        if tuple(body[name] for name in names) != stored or body.get("key") != row.key:
            return False
        if row.kind not in KINDS or (row.kind == "create") != (row.sequence == 0):
            return False
        if row.kind in CHARGES:
            header = self.header
            cost = Cost.from_dict(body["cost"])
            return row.amount > 0 and row.amount == price(cost, header["unit"], header["order"])
        if row.kind in ("answer", "failed", "dropped"):
            charge = body["charge"]
            return row.amount == 0 and self.unanswered.get(charge, "") == row.key
        return row.amount == 0

    def _follow(self, row: Row, body: dict[str, Any]) -> None:
        if row.kind in ("create", "bind"):
            self.fingerprint = body["fingerprint"]
        elif row.kind == "reserve":
            self.unanswered[row.sequence] = row.key
        elif row.kind != "training":
            del self.unanswered[body["charge"]]


def broken(sequence: int, how: str) -> LedgerError:
    """Say which entry spoils the chain."""
    return LedgerError(
        f"The ledger is damaged or was tampered with: entry {sequence} {how}. Nothing is "
        "answered from it.\n\nHint: restore the file from a copy whose head you know."
    )
