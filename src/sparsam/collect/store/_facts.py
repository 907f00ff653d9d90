"""What a store says of itself: one document, which lies in the database beside the records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from sparsam._errors import DocumentError, StoreError
from sparsam.collect._questionnaire import Questionnaire
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
    generalization, questionnaire : str or None
        The JSON document of what is collected: one or the other.
    target : Target or None
    fingerprint : str
        Of what is collected; the name of the table ends with it.
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
    generalization: str | None = None
    questionnaire: str | None = None
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
        """Read the document.

        Parameters
        ----------
        text : str
        database : str
            For the message.
        """
        try:
            facts = msgspec.json.decode(text, type=cls)
        except msgspec.DecodeError:
            raise damaged(database) from None
        if (facts.generalization is None) == (facts.questionnaire is None):
            raise damaged(database)
        return facts

    def with_source(self, source: Generalization | Questionnaire) -> Facts:
        """Return the same of what is collected now."""
        asks, text = isinstance(source, Questionnaire), source.to_json()
        return replace(
            self,
            generalization=None if asks else text,
            questionnaire=text if asks else None,
        )

    def source(self, database: str) -> Generalization | Questionnaire:
        """Read what is collected.

        Parameters
        ----------
        database : str
            For the message.
        """
        try:
            if self.questionnaire is not None:
                return Questionnaire.from_json(self.questionnaire)
            return Generalization.from_json(self.generalization or "")
        except DocumentError:
            raise damaged(database) from None

    def honoured(self, sizes: tuple[int, ...]) -> Iterator[tuple[bytes, Sequence[int]]]:
        """Yield every series whose receipts are honoured, and the sizes that its receipts hold.

        Parameters
        ----------
        sizes : tuple of int
            Of the columns of today.
        """
        counts = self.mode == "counts"
        yield bytes.fromhex(self.series), sizes if counts else ()
        for earlier in self.earlier:
            yield bytes.fromhex(earlier.series), earlier.sizes if counts else ()

    def today(self, series: bytes, codes: tuple[int, ...]) -> tuple[int, ...]:
        """Return the codes of a receipt of one of these series as they are now.

        Parameters
        ----------
        series : bytes
        codes : tuple of int
        """
        earlier = {old.series: old for old in self.earlier}.get(series.hex())
        if earlier is None or self.mode == "rows":
            return codes
        return tuple(source.code(codes) for source in earlier.sources)

    def moved_on(
        self, columns: tuple[Source, ...], sizes: tuple[int, ...], day: int
    ) -> tuple[Earlier, ...]:
        """Return the series that are earlier ones once the store is tightened.

        Parameters
        ----------
        columns : tuple of Source
            Where the columns come from.
        sizes : tuple of int
            Of the columns before.
        day : int
        """
        latest = Earlier(self.series, day, sizes, columns)
        older = (replace(old, sources=joined(old.sources, columns)) for old in self.earlier)
        return (latest, *older)


def joined(first: Sequence[Source], second: Sequence[Source]) -> tuple[Source, ...]:
    """Return where the columns of today come from, over two steps.

    Parameters
    ----------
    first : sequence of Source
        Of the columns in the middle.
    second : sequence of Source
        Of the columns of today, from those in the middle.
    """
    both = []
    for source in second:
        middle = first[source.place]
        both.append(Source(middle.place, tuple(source.codes[code] for code in middle.codes)))
    return tuple(both)


def damaged(database: str) -> StoreError:
    """Make the error for a store that does not say what it is."""
    return StoreError(
        f"{database} is damaged, or a newer sparsam made it: what it says of itself cannot be read."
    )
