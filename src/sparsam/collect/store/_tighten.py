"""From a generalization to a coarser one: which bucket becomes which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from sparsam._errors import ParameterError
from sparsam.collect._target import Target
from sparsam.collect.store._facts import Source
from sparsam.collect.store._table import RecordTable
from sparsam.generalization import Generalization, linked


def sources(
    finer: Generalization, coarser: Generalization, target: Target | None
) -> tuple[Source, ...]:
    """Return, for each column of the coarser generalization, where it comes from.

    Parameters
    ----------
    finer, coarser : Generalization
        With the same attributes.
    target : Target or None
        Stays as it is, in the last column.

    Raises
    ------
    ParameterError
        The second is not coarser: it tells apart what the first does not.
    """
    if not finer.refines(coarser):
        told = [
            change["attribute"]
            for change in finer.diff(coarser)
            if change["relation"] in ("finer", "different", "other policy")
        ]
        raise ParameterError(
            "A store can only be tightened to a generalization that is coarser in every attribute. "
            f"This one is not in: {', '.join(told)}."
        )
    # what had one bucket accepts all, so that nothing coarser has more than one
    places = {name: place for place, name in enumerate(finer.collected)}
    columns = []
    for name in coarser.collected:
        became = {
            bucket: after[0]
            for before, after in linked(finer[name], coarser[name])
            for bucket in before
        }
        codes = tuple(became[bucket] for bucket in range(finer[name].n_buckets))
        columns.append(Source(places[name], codes))
    if target is not None:
        columns.append(Source(len(places), tuple(range(len(target.classes)))))
    return tuple(columns)


def moved(
    rows: list[tuple[Any, ...]], table: RecordTable, columns: Sequence[Source]
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table as they are in the coarser one, in the order of their keys.

    Parameters
    ----------
    rows : list of tuple
        In the order of the table's fields.
    table : RecordTable
        The finer one.
    columns : sequence of Source
    """
    if table.mode == "rows":
        for handle, day, *codes in sorted(rows):
            yield (handle, day, *(source.code(codes) for source in columns))
        return
    counts = Counter[tuple[int, ...]]()
    for day, *codes, n in rows:
        counts[day, *(source.code(codes) for source in columns)] += n
    for cell in sorted(counts):
        yield (*cell, counts[cell])
