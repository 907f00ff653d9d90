"""What a store says of itself: one document, which lies in the database beside the records."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from sparsam._documents import plain_parts
from sparsam._errors import DocumentError, StoreError
from sparsam.collect._target import Target
from sparsam.generalization import Generalization

Mode = Literal["counts", "rows"]
VERSION: Final = 1
Whole = Annotated[int, Meta(ge=0)]
Hex = Annotated[str, Meta(pattern="^[0-9a-f]{16,64}$")]


class Source(msgspec.Struct, frozen=True):
    """Where a column of today comes from in an earlier series.

    Parameters
    ----------
    place : int
        The column then.
    codes : tuple of int
        For each code then the code now.
    """

    place: Whole
    codes: tuple[Whole, ...]

    def code(self, record: Sequence[int]) -> int:
        """Return today's code of a record of then."""
        return self.codes[record[self.place]]


class Earlier(msgspec.Struct, frozen=True):
    """A series before the store was tightened, whose receipts are still honoured.

    Of the finer generalization no more is kept than which of its numbers is which number today.

    Parameters
    ----------
    series : str
    last_day : int
        The last day on which receipts of it were issued.
    sizes : tuple of int
        How many codes its columns had.
    sources : tuple of Source
        One for each column of today.
    """

    series: Hex
    last_day: Whole
    sizes: tuple[Annotated[int, Meta(ge=1)], ...]
    sources: tuple[Source, ...]


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What a store says of itself.

    Parameters
    ----------
    version : int
    mode : {"counts", "rows"}
    keep_days : int
    generalization : str
        Its JSON document.
    target : Target or None
    fingerprint : str
        Of the generalization and the target; the name of the table ends with it.
    series : str
        A random number by which receipts are told from those of other stores and other
        generalizations.
    key : str
        By what the key is known again.
    earlier : tuple of Earlier
    rewritten : int
        The day on which the table was last written anew.
    """

    version: Literal[1] = VERSION
    mode: Mode
    keep_days: Annotated[int, Meta(ge=1)]
    generalization: str
    target: Target | None
    fingerprint: Hex
    series: Hex
    key: Hex
    earlier: tuple[Earlier, ...] = ()
    rewritten: Whole = 0

    def to_json(self) -> str:
        """Write the document."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, text: str, database: str) -> Facts:
        """Read the document, and check that it speaks of itself.

        Parameters
        ----------
        text : str
        database : str
            For the message.
        """
        try:
            facts = msgspec.json.decode(text, type=cls)
            own = fingerprint(facts.read_generalization(), facts.target)
        except (msgspec.DecodeError, DocumentError):
            raise damaged(database) from None
        if own != facts.fingerprint:
            raise damaged(database)
        return facts

    def read_generalization(self) -> Generalization:
        """Return the generalization that the records are in."""
        return Generalization.from_json(self.generalization)


def damaged(database: str) -> StoreError:
    """Make the error for a store that does not say what it is."""
    return StoreError(
        f"{database} is damaged, or a newer sparsam made it: what it says of itself cannot be read."
    )


def fingerprint(generalization: Generalization, target: Target | None) -> str:
    """Return by what a generalization and a target are known again, whatever is told about them.

    Parameters
    ----------
    generalization : Generalization
    target : Target or None

    Examples
    --------
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import numeric_partition
    >>> ages = Generalization([numeric_partition("age", NumericDomain(0, 99), [17, 62])])
    >>> fingerprint(ages, None) == fingerprint(ages.with_about({"author": "me"}), None)
    True
    """
    partitions = plain_parts(generalization.to_document())["attributes"]
    text = msgspec.json.encode([partitions, plain_parts(target)], order="sorted")
    return hashlib.sha256(text).hexdigest()[:16]
