"""The entries of a ledger: each holds the digest of the one before, so that a change shows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from sparsam._errors import LedgerError, ParameterError
from sparsam.explore.ledger._accounts import terms_agree
from sparsam.explore.ledger._amounts import NANO
from sparsam.explore.ledger._costs import Cost, fits_its_noise

FIRST = "0" * 64
CHARGES = ("reserve", "training")
_MOST = NANO**2
_LONGEST_DOMAINS = 2**24
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
    """Return the SHA-256 of texts, in an order that cannot be mistaken.

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
    """Return what a cost takes from a ledger, in billionths of the ledger's unit."""
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


class Body(msgspec.Struct, frozen=True):
    """The text of an entry, read: what may be in it, and of which kind."""

    sequence: int
    kind: str
    amount: int
    spent: int
    time: str
    analyst: str
    key: str | None = None
    purpose: str | None = None
    question: msgspec.Raw = msgspec.Raw()
    cost: Cost | None = None
    charge: int | None = None
    same: int | None = None
    answer: str | None = None
    unit: str | None = None
    budget: int | None = None
    epsilon: int | None = None
    delta: float | None = None
    order: int | None = None
    domains: msgspec.Raw = msgspec.Raw()
    salt: str | None = None
    fingerprint: str | None = None
    note: str | None = None


_READ = msgspec.json.Decoder(Body)


def read_body(text: Any) -> Body | None:
    """Read the text of an entry; None where it is none.

    What is long in an entry is text (an answer, a question) and stays text, so that no entry takes
    much more memory than its length.
    """
    if not isinstance(text, str):
        return None
    try:
        return _READ.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


class Replay:
    """Reads entries in their order and checks that each fits what went before.

    Parameters
    ----------
    awaited : iterable of str
        Digests of entries that must come; those that did not come remain in `awaited`.
    """

    def __init__(self, awaited: Iterable[str] = ()) -> None:
        self.sequence = -1
        self.head = FIRST
        self.spent = 0
        self.header: dict[str, Any] = {}
        self.fingerprint: str | None = None
        self.unanswered: dict[int, str | None] = {}
        self.awaited = set(awaited)

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
        body = read_body(row.body)
        if body is None or not self._fits(row, body):
            raise broken(here, "does not fit the others")
        if row.kind == "create":
            self.header = msgspec.json.decode(row.body)
        if row.spent > self.header["budget"]:
            raise broken(here, "spends more than the budget")
        self._follow(row, body)
        self.awaited.discard(row.hash)
        self.sequence, self.head, self.spent = here, row.hash, row.spent

    def _fits(self, row: Row, body: Body) -> bool:
        stored = (row.sequence, row.kind, row.amount, row.spent, row.key)
        if (body.sequence, body.kind, body.amount, body.spent, body.key) != stored:
            return False
        # Equal is not enough: 1.0 is equal to 1, and no amount of billionths.
        if type(row.amount) is not int or row.spent != self.spent + row.amount:
            return False
        if row.kind not in KINDS or (row.kind == "create") != (row.sequence == 0):
            return False
        if row.kind in CHARGES:
            return self._charges(row, body)
        if row.amount != 0:
            return False
        if row.kind == "create":
            return _is_header(body)
        if row.kind == "bind":
            return self.fingerprint is None and body.fingerprint is not None
        known = body.charge is not None and self.unanswered.get(body.charge, "") == row.key
        return known and (row.kind != "answer" or body.answer is not None)

    def _charges(self, row: Row, body: Body) -> bool:
        if body.cost is None or body.purpose is None:
            return False
        asked = bytes(body.question)[:1] == b"{"
        if row.kind == "reserve" and not (asked and row.key is not None):
            return False
        try:
            amount = price(body.cost, self.header["unit"], self.header["order"])
        except LedgerError:
            return False
        return 0 < row.amount == amount and fits_its_noise(body.cost)

    def _follow(self, row: Row, body: Body) -> None:
        if row.kind in ("create", "bind"):
            self.fingerprint = body.fingerprint
        elif row.kind == "reserve":
            self.unanswered[row.sequence] = row.key
        elif row.kind != "training" and body.charge is not None:
            del self.unanswered[body.charge]


def _is_header(body: Body) -> bool:
    """Return whether a first entry is complete, and its budget the one that it promises."""
    if body.unit is None or body.budget is None or body.epsilon is None:
        return False
    if body.salt is None or body.note is None or not 0 < body.epsilon <= _MOST:
        return False
    if len(bytes(body.domains)) > _LONGEST_DOMAINS or not _are_domains(body.domains):
        return False
    return terms_agree(body.unit, body.budget, body.epsilon, body.delta, body.order)


def _are_domains(raw: msgspec.Raw) -> bool:
    try:
        document = msgspec.json.decode(raw)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return False
    if document is None:
        return True
    if not isinstance(document, dict) or not isinstance(document.get("domains"), dict):
        return False
    names = document.get("names")
    return isinstance(names, list) and all(isinstance(name, str) for name in names)


def broken(sequence: int, how: str) -> LedgerError:
    """Return which entry spoils the chain."""
    return LedgerError(
        f"The ledger is damaged or was tampered with: entry {sequence} {how}. Nothing is "
        "answered from it.\n\nHint: restore the file from a copy whose head you know."
    )
