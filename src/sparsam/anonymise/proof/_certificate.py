"""What a release promises, written down so that anyone can check it without the raw data."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Annotated, Any, ClassVar, Final, Literal

import msgspec
from msgspec import Meta

from sparsam._artifact import Artifact
from sparsam._documents import as_written
from sparsam._errors import DocumentError
from sparsam.data import Category

FORMAT: Final = "sparsam/certificate"
_LIBRARIES = ("sparsam", "numpy", "msgspec")

_Whole = Annotated[int, Meta(ge=0)]
_Least = Annotated[int, Meta(ge=2)]
_Share = Annotated[float, Meta(ge=0, le=1)]
_Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
_Name = Annotated[str, Meta(min_length=1)]


class _Terms(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="model"):
    @property
    def needs(self) -> tuple[str, ...]:
        """The columns beside the quasi-identifiers that the promise speaks about."""
        sensitive: str | None = getattr(self, "sensitive", None)
        return () if sensitive is None else (sensitive,)


class KAnonymityTerms(_Terms, frozen=True, tag="k-anonymity"):
    """At least k rows, or people, share every combination of quasi-identifiers.

    Parameters
    ----------
    k : int
    entity : str or None
        The column that says whose row it is; None where every row is a person.
    """

    k: _Least
    entity: str | None = None

    @property
    def words(self) -> str:
        """The promise in words."""
        who = "rows" if self.entity is None else f"people (different '{self.entity}')"
        return f"every combination of quasi-identifiers is shared by at least {self.k:,} {who}"

    @property
    def needs(self) -> tuple[str, ...]:
        """The column of people, if any."""
        return () if self.entity is None else (self.entity,)


class DistinctDiversityTerms(_Terms, frozen=True, tag="distinct l-diversity"):
    """At least l sensitive values occur among those who share a record.

    Parameters
    ----------
    l : int
    sensitive : str
    """

    l: _Least  # noqa: E741 - the name that the papers give it
    sensitive: _Name

    @property
    def words(self) -> str:
        """The promise in words."""
        return (
            f"those who share their quasi-identifiers have at least {self.l} different values of "
            f"'{self.sensitive}'"
        )


class EntropyDiversityTerms(_Terms, frozen=True, tag="entropy l-diversity"):
    """Sensitive values are as mixed as l equally common ones.

    Parameters
    ----------
    l : float
    sensitive : str
    """

    l: Annotated[float, Meta(gt=1)]  # noqa: E741 - the name that the papers give it
    sensitive: _Name

    @property
    def words(self) -> str:
        """The promise in words."""
        return (
            f"among those who share their quasi-identifiers, the values of '{self.sensitive}' are "
            f"at least as mixed as {self.l:g} equally common ones"
        )


class RecursiveDiversityTerms(_Terms, frozen=True, tag="recursive l-diversity"):
    """The most common sensitive value is not too common beside the rarer ones.

    Parameters
    ----------
    c : float
    l : int
    sensitive : str
    """

    c: Annotated[float, Meta(gt=0)]
    l: _Least  # noqa: E741 - the name that the papers give it
    sensitive: _Name

    @property
    def words(self) -> str:
        """The promise in words."""
        return (
            f"among those who share their quasi-identifiers, the most common value of "
            f"'{self.sensitive}' occurs less than {self.c:g} times as often as all values from "
            f"the {_ordinal(self.l)} most common on"
        )


class ClosenessTerms(_Terms, frozen=True, tag="t-closeness"):
    """Sensitive values are spread among those who share a record as in the whole release.

    Parameters
    ----------
    t : float
    sensitive : str
    distance : {"equal", "ordered"}
    order : tuple of category or None
        The order of categories; None for numbers and for the equal distance.
    bins : tuple of float or None
        Where the bins of numbers begin; None where every number counts by itself.
    """

    t: _Share
    sensitive: _Name
    distance: Literal["equal", "ordered"] = "equal"
    order: tuple[Category, ...] | None = None
    bins: tuple[float, ...] | None = None

    @property
    def words(self) -> str:
        """The promise in words."""
        inside = "" if self.bins is None else f", in {len(self.bins)} bins"
        return (
            f"the spread of '{self.sensitive}' among those who share their quasi-identifiers "
            f"differs from that in the whole release by at most {self.t:g} "
            f"({self.distance} distance{inside})"
        )


Terms = (
    KAnonymityTerms
    | DistinctDiversityTerms
    | EntropyDiversityTerms
    | RecursiveDiversityTerms
    | ClosenessTerms
)


class WholeRows(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whole published rows: quasi-identifiers and the columns published as they are, together.

    Parameters
    ----------
    different : int
        Different whole rows.
    unique : int
        Rows that no other row is equal to.
    few : int
        Rows that fewer than k rows are equal to, themselves included; without a promise about k,
        those that are unique.
    kept_different : int
        Different combinations of the columns published as they are, by themselves.
    kept_few : int
        Rows whose combination of them is that of fewer than k rows.
    """

    different: _Whole
    unique: _Whole
    few: _Whole
    kept_different: _Whole
    kept_few: _Whole


class OneValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Classes in which everyone has the same value: whoever finds the class learns the value.

    Parameters
    ----------
    column : str
        A column that is published as it is.
    classes, rows : int
        Such classes, and the rows in them.
    """

    column: str
    classes: _Whole
    rows: _Whole


class Certificate(msgspec.Struct, Artifact, frozen=True, forbid_unknown_fields=True):
    """What a release promises, and what was found when the promise was checked.

    Parameters
    ----------
    format, version
        What the document is.
    sha256 : str
        Hash of the names and cells of the release, whatever the order of its rows; the same for a
        frame and for the file that it is written to.
    n_rows, suppressed : int
        Rows that are published, and rows that were left out at most: in steps of five, as nobody
        can count them in the release.
    columns, quasi_identifiers : tuple of str
    demands : tuple of Terms
        The promises.
    classes, smallest : int
        Different published records, and rows that share the rarest of them.
    smallest_people : int or None
        People that share the record that the fewest share, where rows name their people.
    whole_rows : WholeRows or None
        How many whole rows are unique, with the columns that are published as they are.
    one_value : tuple of OneValue
        For each of these columns, the classes in which everyone has the same value.
    file_sha256 : str or None
        Hash of the bytes of the file that was certified; None for a frame.
    information_loss : dict of str to float
        How much detail was lost, by the name of the definition.
    parameters : dict
        How the release was made.
    versions : dict of str to str

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.anonymise import Anonymiser
    >>> anonymiser = Anonymiser(quasi_identifiers=["age"], k=2)
    >>> release = anonymiser.fit_transform({"age": np.array([30, 31, 40, 41])})
    >>> paper = anonymiser.certificate_
    >>> paper.classes, paper.smallest, [str(promise) for promise in paper.demands]
    (2, 2, [...])
    >>> Certificate.from_json(paper.to_json()) == paper
    True
    """

    _format: ClassVar[str] = FORMAT
    _called: ClassVar[str] = "certificate"
    _title: ClassVar[str] = "A certificate of a release"

    format: Literal["sparsam/certificate"]
    version: Literal[1]
    sha256: _Hash
    n_rows: _Whole
    suppressed: _Whole
    columns: Annotated[tuple[str, ...], Meta(min_length=1)]
    quasi_identifiers: Annotated[tuple[str, ...], Meta(min_length=1)]
    demands: Annotated[tuple[Terms, ...], Meta(min_length=1)]
    classes: _Whole
    smallest: _Whole
    smallest_people: _Whole | None = None
    whole_rows: WholeRows | None = None
    one_value: tuple[OneValue, ...] = ()
    file_sha256: _Hash | None = None
    information_loss: dict[str, _Share] = {}
    parameters: dict[str, Any] = {}
    versions: dict[str, str] = {}

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns that are published as they are."""
        return tuple(name for name in self.columns if name not in self.quasi_identifiers)

    def to_document(self) -> Certificate:
        return self

    @classmethod
    def from_document(cls, document: Certificate) -> Certificate:
        columns = set(document.columns)
        for i, name in enumerate(document.quasi_identifiers):
            if name not in columns:
                msg = f"Every quasi-identifier must be a column of the release. '{name}' is none."
                raise DocumentError(msg, f"$.quasi_identifiers[{i}]")
        return document


Certificate._structures = (Certificate,)


def plain_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as plain JSON: numpy's numbers as Python's, NaN as null.

    Examples
    --------
    >>> import numpy as np
    >>> plain_facts({"k": np.int64(10)})
    {'k': 10}
    """

    def unwrap(value: Any) -> Any:
        if hasattr(value, "tolist"):
            return value.tolist()
        return as_written(value)

    try:
        plain: dict[str, Any] = msgspec.json.decode(
            msgspec.json.encode(dict(facts), enc_hook=unwrap)
        )
    except TypeError as error:
        msg = f"The parameters of a certificate must be plain JSON: {error}."
        raise DocumentError(msg, "$.parameters") from error
    return plain


def checked_losses(losses: Mapping[str, float]) -> dict[str, float]:
    """Return the losses of information as floats; each must lie between 0 and 1."""
    for name, loss in losses.items():
        if not (math.isfinite(loss) and 0 <= loss <= 1):
            msg = f"Information loss must lie between 0 and 1. '{name}' does not."
            raise DocumentError(msg, "$.information_loss")
    return {name: float(loss) for name, loss in losses.items()}


def versions() -> dict[str, str]:
    """Name the versions that made a release."""
    libraries = {library: version(library) for library in _LIBRARIES}
    return {"python": platform.python_version(), **libraries}


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"
