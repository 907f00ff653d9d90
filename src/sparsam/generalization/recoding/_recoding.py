"""The minimisation procedure: what an unchanged model is fed instead of a person's own record."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparsam._artifact import Artifact
from sparsam._documents import convert_part
from sparsam._errors import DataError, DocumentError
from sparsam.data import Table
from sparsam.data.model import Replacement, replace_columns
from sparsam.generalization._generalization import Generalization, check_names_once
from sparsam.generalization._information_loss import InformationLoss, weight_shares
from sparsam.generalization._partition import NumericPartition, Partition
from sparsam.generalization._partition_base import FieldError
from sparsam.generalization.recoding._apply import (
    Feed,
    RecordWalk,
    check_codes,
    check_given,
    given_buckets,
    kept_columns,
    raw_buckets,
)
from sparsam.generalization.recoding._tree import (
    Branch,
    Leaf,
    Node,
    Paths,
    Possible,
    Value,
    buckets_of,
    find_leaves,
    plain_nodes,
    plain_representatives,
    tree_text,
)

if TYPE_CHECKING:
    pass

FORMAT: Final = "sparsam/recoding"
VERSION: Final = 1

RawValues = Annotated[
    Any,
    Meta(
        extra_json_schema={
            "type": "array",
            "items": {"type": ["string", "number", "boolean", "null"]},
            "minItems": 1,
        }
    ),
]


class RecodingDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tree over the buckets of a generalization, as saved by sparsam.

    Parameters
    ----------
    format, version
        What the document is.
    attributes : tuple of Partition
        As in the document of a generalization.
    representatives : dict of str to tuple
        One value for each bucket of every attribute.
    nodes : tuple of dict
        Branches and leaves; the first is the root, children come after their parents.
    about : dict
    """

    format: Literal["sparsam/recoding"]
    version: Literal[1]
    attributes: Annotated[tuple[Partition, ...], Meta(min_length=1)]
    representatives: Annotated[
        dict[str, RawValues],
        Meta(description="For every attribute, one value for each of its buckets."),
    ]
    nodes: Annotated[
        tuple[dict[str, Any], ...],
        Meta(min_length=1, description="The first is the root; children come after parents."),
    ]
    about: dict[str, Any] = {}


Input = Literal["labels", "codes"]


class Recoding(Artifact):
    """What a model is fed instead of a person's own record, so that its answer stays the same.

    A tree over the buckets of a generalization (Goldsteen et al. 2021, §3.2): local and
    multidimensional. A person's buckets lead to a leaf. Attributes that the leaf asks for are fed
    as the representative of the own bucket, all others as the leaf's one value for everyone. A
    settled leaf asks nothing and knows the model's answer. Immutable; two recodings are equal when
    their documents are.

    Parameters
    ----------
    generalization : Generalization
        The ranges that are asked for.
    representatives : mapping of str to sequence
        For every attribute one plain value for each bucket, inside that bucket; None for missing;
        any value for the bucket of categories never seen.
    nodes : sequence of Branch or Leaf
        The first is the root; children come after their parents.
    about : mapping or None, default=None
        Plain JSON facts; None takes those of the generalization.

    Examples
    --------
    >>> from sparsam.generalization import Generalization
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import numeric_partition
    >>> from sparsam.generalization import Branch, Leaf
    >>> domain = NumericDomain(0, 99, integer=True)
    >>> g = Generalization(
    ...     [numeric_partition("age", domain, [17, 62]), numeric_partition("hours", domain, [35])]
    ... )
    >>> nodes = [
    ...     Branch("age", (0,), 1, 2),
    ...     Leaf((), {"age": 9, "hours": 0}, "no"),
    ...     Leaf(("hours",), {"age": 40}),
    ... ]
    >>> r = Recoding(g, {"age": [9, 40, 70], "hours": [20, 40]}, nodes)
    >>> print(r)
    age under 17 -> no
    age 17 and over -> asks hours
    >>> r.apply_record({"age": 66, "hours": 12})
    {'age': 40, 'hours': 20}
    """

    _format = FORMAT
    _called = "recoding"
    _title = "A recoding"
    _structures = (RecodingDocument, Branch, Leaf)

    _generalization: Generalization
    _representatives: dict[str, tuple[Value, ...]]
    _nodes: tuple[Node, ...]
    _paths: Paths

    def __init__(
        self,
        generalization: Generalization,
        representatives: Mapping[str, Sequence[Value]],
        nodes: Sequence[Node],
        about: Mapping[str, Any] | None = None,
    ) -> None:
        facts = generalization.about if about is None else about
        kept = plain_nodes(generalization, nodes)
        for name, value in (
            ("_generalization", generalization.with_about(facts)),
            ("_representatives", plain_representatives(generalization, representatives)),
            ("_nodes", kept),
            ("_paths", Paths(generalization, kept)),
        ):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        msg = "A recoding is immutable. Make another one instead."
        raise AttributeError(msg)

    @property
    def generalization(self) -> Generalization:
        """The ranges that are asked for, one partition per attribute."""
        return self._generalization

    @property
    def representatives(self) -> dict[str, tuple[Value, ...]]:
        """One plain value for each bucket of every attribute (a copy)."""
        return dict(self._representatives)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The branches and leaves, the root first."""
        return self._nodes

    @cached_property
    def leaves(self) -> dict[int, Leaf]:
        """The leaves, by the number of the node."""
        return {i: node for i, node in enumerate(self._nodes) if isinstance(node, Leaf)}

    @property
    def about(self) -> dict[str, Any]:
        """Plain facts about where the recoding comes from (a copy)."""
        return self._generalization.about

    def possible(self, node: int) -> Possible:
        """Return the buckets that the path to a node leaves, for the attributes that it tests.

        Parameters
        ----------
        node : int

        Returns
        -------
        dict of str to frozenset of int
        """
        return self._paths.possible(node)

    @property
    def paths(self) -> Paths:
        """What the way to each node leaves possible."""
        return self._paths

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Recoding):
            return NotImplemented
        return self._json == other._json

    def __hash__(self) -> int:
        return hash(self._json)

    def __reduce__(self) -> tuple[Any, ...]:
        facts = (self._generalization, self._representatives, self._nodes, self.about)
        return Recoding, facts

    def with_about(self, about: Mapping[str, Any]) -> Recoding:
        """Return the same recoding with other facts."""
        return Recoding(self._generalization, self._representatives, self._nodes, about)

    @cached_property
    def _feed(self) -> Feed:
        return Feed(self._generalization, self._representatives, self._nodes)

    @cached_property
    def _walk(self) -> RecordWalk:
        return RecordWalk(self._generalization, self._representatives, self._nodes)

    def apply(self, frame: Any, *, keep: str | Iterable[str] = ()) -> Any:
        """Recode raw records: every attribute becomes what the model is fed.

        Parameters
        ----------
        frame : pandas, polars or pyarrow frame, mapping of arrays, or Table
            Must have every collected attribute; the others are added where they are absent. The
            same type comes out (a dict for a Table), with its index, order of columns and types.
        keep : str or iterable of str, default=()
            Other columns to pass through as they are. All others are dropped.

        Returns
        -------
        frame

        Raises
        ------
        DataError
            A column is absent, has the wrong type, or holds values without a bucket; or the frame
            lives in an engine.
        """
        kept = kept_columns(self._generalization, keep)
        codes = raw_buckets(self._generalization, frame, kept)
        replacements = self._replacements(codes)
        if isinstance(frame, Table):
            rest = {name: frame.attribute(name).decode(frame.column(name)) for name in kept}
            return {**_arrays(replacements), **rest}
        return replace_columns(frame, replacements, kept)

    def apply_record(self, record: Mapping[str, Any]) -> dict[str, Value]:
        """Recode one person's record, in microseconds.

        Parameters
        ----------
        record : mapping
            Must have every collected attribute; None is a missing value.

        Returns
        -------
        dict
            Every attribute, as the model is fed.
        """
        return self._walk.feed(self._generalization.apply_record(record, "codes"))

    def represent(
        self, generalized: Any, *, input: Input = "labels", keep: str | Iterable[str] = ()
    ) -> Any:
        """Turn generalized records into records that the unchanged model takes.

        Parameters
        ----------
        generalized : frame or mapping of arrays, or ndarray of buckets
            As `Generalization.apply` or `Generalization.apply_codes` gives them.
        input : {"labels", "codes"}, default="labels"
            Whether the columns hold labels or numbers of buckets.
        keep : str or iterable of str, default=()
            Other columns to pass through.

        Returns
        -------
        frame, or dict of str to ndarray for an array
            Every attribute, in plain types.
        """
        check_given(input)
        kept = kept_columns(self._generalization, keep)
        codes = given_buckets(self._generalization, generalized, input, kept)
        replacements = self._replacements(codes)
        if isinstance(generalized, np.ndarray):
            return _arrays(replacements)
        return replace_columns(generalized, replacements, kept, typed=False)

    def represent_record(
        self, generalized: Mapping[str, Any], *, input: Input = "labels"
    ) -> dict[str, Value]:
        """Turn one generalized record into one that the unchanged model takes.

        Parameters
        ----------
        generalized : mapping
            As `Generalization.apply_record` gives it.
        input : {"labels", "codes"}, default="labels"

        Returns
        -------
        dict
            Every attribute.
        """
        check_given(input)
        return self._walk.feed(self._walk.buckets(generalized, input))

    def leaf_of(self, codes: NDArray[Any]) -> NDArray[np.intp]:
        """Return the number of the leaf that each generalized record ends in.

        Parameters
        ----------
        codes : ndarray of int, shape (n, n_attributes)
            Buckets, in the order of ``generalization.names``.

        Returns
        -------
        ndarray of int
            Numbers of nodes.
        """
        checked = check_codes(self._generalization, codes)
        return find_leaves(self._generalization, self._nodes, checked)

    def _replacements(self, codes: NDArray[Any]) -> dict[str, Replacement]:
        leaves = find_leaves(self._generalization, self._nodes, codes)
        return self._feed.replacements(codes, leaves)

    def information_loss(
        self, table: Table, weights: Mapping[str, float] | None = None
    ) -> InformationLoss:
        """Measure how much detail is lost, leaf by leaf, between 0 and 1.

        Never less than the loss of the generalization alone.

        Parameters
        ----------
        table : Table
        weights : mapping of str to float or None, default=None

        Returns
        -------
        InformationLoss
        """

        return local_information_loss(self, table, weights)

    @cached_property
    def _json(self) -> str:
        return super().to_json()

    def to_json(self) -> str:
        """Write the JSON document, which people can read."""
        return self._json

    def to_document(self) -> RecodingDocument:
        nodes = tuple(msgspec.to_builtins(node) for node in self._nodes)
        partitions = self._generalization.partitions
        return RecodingDocument(
            FORMAT, VERSION, partitions, self._representatives, nodes, self.about
        )

    @classmethod
    def from_document(cls, document: RecodingDocument, path: str = "$") -> Recoding:
        """Return the recoding that a document describes, which may be a part of a larger one."""
        check_names_once(document.attributes, path)
        nodes = [
            convert_part(raw, Branch, f"{path}.nodes[{i}]")
            if "attribute" in raw
            else convert_part(raw, Leaf, f"{path}.nodes[{i}]")
            for i, raw in enumerate(document.nodes)
        ]
        generalization = Generalization(document.attributes)
        try:
            return cls(generalization, document.representatives, nodes, document.about)
        except FieldError as error:
            raise DocumentError(str(error), f"{path}.{error.field}") from error

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """Return the JSON Schema (draft 2020-12) of the document."""
        schema = super().schema()
        kinds = [{"$ref": "#/$defs/Branch"}, {"$ref": "#/$defs/Leaf"}]
        schema["$defs"]["RecodingDocument"]["properties"]["nodes"]["items"] = {"anyOf": kinds}
        return schema

    def __str__(self) -> str:
        return tree_text(self._generalization, self._nodes, self._paths)

    def __repr__(self) -> str:
        settled = sum(leaf.prediction is not None for leaf in self.leaves.values())
        return (
            f"<Recoding: {len(self._generalization)} attributes, {len(self.leaves)} leaves, "
            f"{settled} of them settled>"
        )


def _arrays(replacements: dict[str, Replacement]) -> dict[str, NDArray[Any]]:
    return {name: replacement.array() for name, replacement in replacements.items()}


def local_information_loss(
    recoding: Recoding, table: Table, weights: Mapping[str, float] | None = None
) -> InformationLoss:
    """Measure how much detail a recoding takes away from the records of a table.

    An attribute that a leaf asks for loses what its own bucket loses; any other one loses what the
    union of the buckets that the path to the leaf leaves possible would (Goldsteen et al. 2021,
    eq. 1-2): the width from the lowest to the highest number, or the share of the categories. What
    is left wholly open is lost whole.

    Parameters
    ----------
    recoding : Recoding
    table : Table
        Must have every collected attribute.
    weights : mapping of str to float or None, default=None
        How much each attribute counts; those not named count 1.

    Returns
    -------
    InformationLoss
    """
    if not table.n_rows:
        raise DataError("Information loss is a mean over records. The table has none.")
    generalization = recoding.generalization
    codes = generalization.apply_codes(table)
    leaves = recoding.leaf_of(codes)
    losses = {}
    for column, part in enumerate(generalization):
        if not part.collected:
            losses[part.name] = 1.0
            continue
        own, at_leaf = _penalties(recoding, part, table)
        constant = at_leaf[leaves]
        each = np.where(np.isnan(constant), own[codes[:, column]], constant)
        losses[part.name] = min(1.0, float(each.mean()))
    shares = weight_shares(weights or {}, generalization.names)
    overall = float(np.dot(shares, list(losses.values())))
    return InformationLoss(min(1.0, overall), losses, "goldsteen")


def _penalties(
    recoding: Recoding, part: Partition, table: Table
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the penalty of each bucket, and of each leaf (NaN where the own bucket counts)."""
    lookup = part.lookup(table.attribute(part.name))
    values = np.bincount(lookup, minlength=part.n_buckets)

    def penalty(buckets: Collection[int]) -> float:
        if len(buckets) == part.n_buckets:  # nothing is known: lost whole, as if not collected
            return 1.0
        if isinstance(part, NumericPartition):
            return _hull(part, buckets)
        together = int(values[list(buckets)].sum())
        return together / lookup.size if together > 1 else 0.0

    own = np.asarray([penalty([bucket]) for bucket in range(part.n_buckets)])
    at_leaf = np.full(len(recoding.nodes), np.nan)
    masks, known = recoding.paths.masks(part.name), dict[int, float]()
    for number, leaf in recoding.leaves.items():
        if part.name in leaf.record:  # else it is asked, and the own bucket counts
            mask = masks[number]
            if mask not in known:
                known[mask] = penalty(buckets_of(mask))
            at_leaf[number] = known[mask]
    return own, at_leaf


def _hull(part: NumericPartition, buckets: Iterable[int]) -> float:
    """Return the width from the lowest to the highest number over that of the domain (eq. 1)."""
    intervals = [bucket for bucket in buckets if bucket < part.n_intervals]
    low, high = part.domain.low, part.domain.high
    if not intervals or high <= low:
        return 0.0
    first, last = min(intervals), max(intervals)
    start = part.cuts[first - 1] if first else low
    end = part.cuts[last] - part.domain.integer if last < len(part.cuts) else high
    # halves keep the difference of two huge numbers finite
    return min(1.0, max(0.0, (end / 2 - start / 2) / (high / 2 - low / 2)))
