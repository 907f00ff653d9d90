"""Generalise a whole frame: the same type comes out, with the collected attributes only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError
from sparsam.data import Table
from sparsam.data.source import open_frame
from sparsam.data.source._frame import ArrayFrame, EagerFrame, words
from sparsam.data.source._lazy_frame import LazyFrame, Recoding
from sparsam.generalization._categorical_partition import CategoricalPartition
from sparsam.generalization._column_slots import column_slots
from sparsam.generalization._document import Partition
from sparsam.generalization._numeric_partition import NumericPartition
from sparsam.generalization._record import check_columns, check_output
from sparsam.generalization._refusal import MISSING, OUTSIDE, WRONG_TYPE, check_slots, refusal

if TYPE_CHECKING:
    from sparsam.generalization._generalization import Generalization

_MOST_IN_ENGINE: Final = 5_000  # each is a clause of the query: more take engines minutes


def apply(
    generalization: Generalization, source: Any, keep: str | Iterable[str], output: str
) -> Any:
    """Generalise a frame, a mapping of arrays or a table.

    Parameters
    ----------
    generalization : Generalization
    source : frame
    keep : str or iterable of str
    output : {"labels", "codes"}

    Returns
    -------
    frame
    """
    check_output(output)
    kept = [keep] if isinstance(keep, str) else list(keep)
    for name in kept:
        if name in generalization:
            msg = f"'{name}' is generalised and must not be kept as it is. Take it out of `keep`."
            raise ParameterError(msg)
    partitions = [part for part in generalization.partitions if part.collected]
    needed = [*(part.name for part in partitions), *kept]
    if isinstance(source, Table):
        check_columns(source.names, needed)
        return _apply_table(source, partitions, kept, output)
    frame = open_frame(source)
    check_columns(frame.names, needed)
    if isinstance(frame, LazyFrame):
        return _apply_lazily(frame, partitions, kept, output)
    return _apply_eagerly(frame, partitions, kept, output)


def _labels(partition: Partition, output: str) -> tuple[str, ...] | None:
    return partition.labels if output == "labels" else None


def _apply_table(
    table: Table, partitions: list[Partition], keep: list[str], output: str
) -> dict[str, NDArray[Any]]:
    made: dict[str, NDArray[Any]] = {}
    for part in partitions:
        codes = part.lookup(table.attribute(part.name))[table.column(part.name)]
        made[part.name] = words(codes, _labels(part, output))
    kept = {name: table.attribute(name).decode(table.column(name)) for name in keep}
    return {**made, **kept}


def _apply_eagerly(
    frame: EagerFrame | ArrayFrame, partitions: list[Partition], keep: list[str], output: str
) -> Any:
    recoded: dict[str, tuple[NDArray[np.unsignedinteger], tuple[str, ...] | None]] = {}
    for part in partitions:
        slots = column_slots(part, frame.column(part.name))
        buckets = check_slots(part.name, slots, part.n_buckets)
        recoded[part.name] = buckets, _labels(part, output)
    return frame.rebuild(recoded, keep)


def _apply_lazily(
    frame: LazyFrame, partitions: list[Partition], keep: list[str], output: str
) -> Any:
    n_buckets = sum(part.n_buckets for part in partitions)
    if n_buckets > _MOST_IN_ENGINE:
        msg = (
            f"An engine is asked for at most {_MOST_IN_ENGINE:,} buckets in one query. "
            f"The generalization has {n_buckets:,}.\n\nHint: Collect the frame first."
        )
        raise DataError(msg)
    recodings = [_recoding(part, frame, _labels(part, output)) for part in partitions]
    for recoding, counts in zip(recodings, frame.refused(recodings), strict=True):
        for reason in (OUTSIDE, MISSING):
            if counts[reason]:
                raise refusal(recoding.name, reason, counts[reason])
    return frame.rebuild(recodings, keep)


def _recoding(partition: Partition, frame: LazyFrame, labels: tuple[str, ...] | None) -> Recoding:
    kind = frame.kind(partition.name)
    if kind == "other" or (isinstance(partition, NumericPartition) and kind != "number"):
        raise refusal(partition.name, WRONG_TYPE)
    common: dict[str, Any] = {
        "name": partition.name,
        "kind": kind,
        "missing": partition.missing,
        "labels": labels,
    }
    if isinstance(partition, NumericPartition):
        domain = partition.domain
        bounds = (domain.low, domain.high) if partition.beyond == "error" else None
        return Recoding(**common, cuts=partition.cuts, bounds=bounds)
    return Recoding(**common, groups=_members(partition, kind), outside=partition.unseen)


def _members(partition: CategoricalPartition, kind: str) -> list[tuple[int, list[Any]]]:
    """Return the members of each group that a column of this kind can meet."""
    groups: list[tuple[int, list[Any]]] = []
    for bucket, group in enumerate(partition.groups):
        if kind == "text":
            members: list[Any] = [member for member in group if isinstance(member, str)]
        else:
            of_kind = [m for m in group if isinstance(m, bool) == (kind == "truth")]
            members = [float(member) for member in of_kind if not isinstance(member, str)]
        groups.append((bucket, members))
    return groups
