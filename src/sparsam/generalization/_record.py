"""Generalise one record in plain Python, fast enough for every keystroke of a form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sparsam._errors import DataError, ParameterError
from sparsam.generalization._document import Partition


class RecordPlan:
    """What to do with one record, worked out once.

    Parameters
    ----------
    partitions : tuple of Partition
    """

    __slots__ = ("_steps",)

    def __init__(self, partitions: tuple[Partition, ...]) -> None:
        self._steps = [
            (partition.name, partition.bucket, partition.labels)
            for partition in partitions
            if partition.collected
        ]

    def apply(self, record: Mapping[str, Any], output: str) -> dict[str, Any]:
        """Generalise one record.

        Parameters
        ----------
        record : mapping
        output : {"labels", "codes"}

        Returns
        -------
        dict
        """
        check_output(output)
        try:
            if output == "codes":
                return {name: bucket(record[name]) for name, bucket, _ in self._steps}
            return {name: labels[bucket(record[name])] for name, bucket, labels in self._steps}
        except KeyError:
            absent = [name for name, _, _ in self._steps if name not in record]
            msg = (
                f"The record must have every collected attribute. {absent} are absent."
                "\n\nHint: Give None for a missing value."
            )
            raise DataError(msg) from None


def check_columns(names: Iterable[str], needed: Iterable[str]) -> None:
    """Raise unless the data have every column that is needed."""
    known = set(names)
    absent = [name for name in needed if name not in known]
    if absent:
        msg = f"The data must have every collected and every kept column. {absent} are absent."
        raise DataError(msg)


def check_output(output: str) -> None:
    """Raise unless the output is one of the two kinds."""
    if output not in ("labels", "codes"):
        msg = f"The 'output' parameter must be 'labels' or 'codes'. Got {output!r} instead."
        raise ParameterError(msg)
