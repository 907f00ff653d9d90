"""The shape of the plain data of a ledger's statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict


class ChargeData(TypedDict):
    """One charge: who asked what, when and why."""

    sequence: int
    time: str
    analyst: str
    purpose: str
    what: str
    """The question in one line."""
    noise: str
    amount: str
    spent: str
    """By all charges up to this one."""
    outcome: str


class AccountData(TypedDict):
    """What was spent, as one way of accounting sees it."""

    name: str
    epsilon: float | None
    delta: float
    note: str


class StatementData(TypedDict):
    """Everything that a statement says, as plain JSON values; amounts are exact decimals."""

    title: str
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
    accounts: Sequence[AccountData]
    charges: Sequence[ChargeData]
    unanswered: int
    entries: int
    head: str
    limits: Sequence[str]
    versions: Mapping[str, str]
