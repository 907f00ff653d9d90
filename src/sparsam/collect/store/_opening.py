"""A store that is there, and whoever opens it: what they must agree on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from sparsam._errors import ParameterError, StoreError, hint
from sparsam.collect.store._collected import Collected
from sparsam.collect.store._database import Database
from sparsam.collect.store._facts import Facts, Mode, damaged
from sparsam.collect.store._key import Keys
from sparsam.collect.store._postgres import PostgresDatabase
from sparsam.collect.store._sqlite import SqliteDatabase
from sparsam.collect.store._table import RecordTable

_SERVERS: Final = ("postgresql://", "postgres://")

Address = str | os.PathLike[str]


def connect(address: Address, *, new: bool) -> Database:
    """Return the database at an address.

    Parameters
    ----------
    address : path or str
    new : bool
        Whether a file may be made.
    """
    if isinstance(address, str) and address.startswith(_SERVERS):
        return PostgresDatabase(address)
    if isinstance(address, str) and "://" in address:
        raise ParameterError(
            "The address of a store must be a path, or begin with postgresql://. It does not."
        )
    return SqliteDatabase(Path(address), new=new)


def record_table(collected: Collected, mode: Mode) -> RecordTable:
    """Return the table that holds what is collected."""
    return RecordTable(collected.fingerprint, mode, collected.sizes)


def collected_by(facts: Facts, database: Database) -> Collected:
    """Return what a store that is there collects, and check that its table refuses all else.

    Parameters
    ----------
    facts : Facts
    database : Database
        At work.
    """
    collected = Collected.of(facts.source(database.name), facts.target)
    if collected.fingerprint != facts.fingerprint:
        raise damaged(database.name)
    database.check(record_table(collected, facts.mode))
    return collected


def check_same(there: Collected, asked: Collected, name: str) -> None:
    """Raise where somebody wants to collect something else than a store holds.

    Parameters
    ----------
    there, asked : Collected
    name : str
        Of the database.
    """
    if there.fingerprint == asked.fingerprint:
        return
    if there.target is not None and asked.target is None:
        same = Collected.of(there.source, None).fingerprint == asked.fingerprint
        if same:
            raise StoreError(
                f"{name} keeps the target of each record too, which is not asked for now."
                + hint("give target=Target.of(generalization)", "give --with-target")
            )
    raise StoreError(
        f"{name} holds records of another generalization or questionnaire, or of another target "
        f"({there.fingerprint}, not {asked.fingerprint})."
        + hint(
            "move it with Store.reopen(address).tighten(generalization), if that is coarser; else "
            "open another store",
            "move it with `sparsam records tighten`, if the new one is coarser; else give another "
            "database",
        )
    )


def agreed(facts: Facts, mode: Mode, keep_days: int, keys: Keys, name: str) -> Facts:
    """Return the facts of a store with what whoever opens it may change.

    Parameters
    ----------
    facts : Facts
    mode : {"counts", "rows"}
    keep_days : int
    keys : Keys
    name : str
        Of the database.
    """
    if facts.mode != mode:
        raise StoreError(f"{name} keeps {facts.mode}, and cannot keep {mode} instead.")
    if keep_days > facts.keep_days:
        raise StoreError(
            f"{name} keeps records for {facts.keep_days} days, as the people in it were told. They "
            f"cannot be kept for {keep_days} days."
            + hint(
                f"give keep_days={facts.keep_days} or less, or open another store",
                f"give --keep-days {facts.keep_days} or less, or another database",
            )
        )
    check_key(facts, keys, name)
    return replace(facts, keep_days=keep_days, key=keys.marks[0])


def check_key(facts: Facts, keys: Keys, name: str) -> None:
    """Raise unless the key that a store knows is among those that were found."""
    if facts.key not in keys.marks:
        raise StoreError(
            f"The receipts of {name[0].lower()}{name[1:]} were signed with another key."
            "\n\nHint: put a new key on the line above the old one, and leave the old one until "
            "its receipts have expired."
        )
