"""What the partitions of numbers and of categories have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from sparsam.data import Attribute, CategoricalDomain
from sparsam.generalization._refusal import FieldError, check_slots, refusal, slot_type

MAX_BUCKETS = 65_000


class PartitionBase(
    msgspec.Struct, frozen=True, dict=True, tag_field="type", forbid_unknown_fields=True
):
    """The buckets of one attribute: the base of both kinds of partition.

    Parameters
    ----------
    name : str
        The attribute.
    """

    name: str

    @abstractmethod
    def _labels(self) -> tuple[str, ...]: ...

    @abstractmethod
    def slot(self, value: Any) -> int:
        """Return the bucket of a value, or the number of buckets plus a reason to refuse it."""

    @abstractmethod
    def code_slots(self, attribute: Attribute) -> NDArray[np.unsignedinteger]:
        """Return the slot of every code of an encoded attribute, missing aside."""

    def category_slots(self, domain: CategoricalDomain) -> NDArray[np.unsignedinteger]:
        """Return the slot of every category of a domain."""
        slots = [self.slot(category) for category in domain.categories]
        return np.asarray(slots, slot_type(self.n_buckets))

    @abstractmethod
    def before(self) -> str:
        """Say what the attribute holds when nothing is generalised."""

    @property
    def n_buckets(self) -> int:
        """How many buckets there are, one for missing values included."""
        return len(self._labels())

    @property
    def collected(self) -> bool:
        """Whether the attribute needs to be asked for at all."""
        return self.n_buckets > 1

    def bucket(self, value: Any) -> int:
        """Put one raw value into its bucket.

        Parameters
        ----------
        value : object
            Text, number, truth value; None or NaN when missing.

        Returns
        -------
        int

        Raises
        ------
        DataError
            The partition has no bucket for this value. The message does not show it.
        """
        slot = self.slot(value)
        n_buckets = len(self._labels())
        if slot < n_buckets:
            return slot
        raise refusal(self.name, slot - n_buckets)

    def lookup(self, attribute: Attribute) -> NDArray[np.uint16]:
        """Return the bucket of every code of an encoded attribute.

        Parameters
        ----------
        attribute : Attribute

        Returns
        -------
        ndarray of uint16, shape (attribute.size,)

        Raises
        ------
        DataError
            Some values of the attribute have no bucket.
        """
        if not self.collected:
            return np.zeros(attribute.size, np.uint16)
        slots = self.code_slots(attribute)
        if attribute.missing:
            slots = np.append(slots, slot_type(self.n_buckets)(self.slot(None)))
        return check_slots(self.name, slots, self.n_buckets).astype(np.uint16)

    def words(self) -> str:
        """Describe the partition on one line.

        Returns
        -------
        str
            Such as "age: 100 values → under 17, 17–61, 62 and over".
        """
        labels = self._labels()
        shown = labels if len(labels) <= 8 else (*labels[:7], f"{len(labels) - 7} more")
        return f"{self.name}: {self.before()} → {', '.join(shown)}"


def check_labels(name: str, labels: tuple[str, ...], expected: int) -> None:
    """Raise unless there is one label for each bucket and no label twice."""
    if expected > MAX_BUCKETS:
        msg = f"'{name}' must have at most {MAX_BUCKETS:,} buckets. Got {expected:,} instead."
        raise FieldError(msg, "labels")
    if len(labels) != expected:
        msg = f"'{name}' must have {expected} labels, one a bucket. Got {len(labels)} instead."
        raise FieldError(msg, "labels")
    if len(set(labels)) != len(labels):
        raise FieldError(f"'{name}' must not have the same label twice.", "labels")


def check_name(name: str) -> None:
    """Raise unless the attribute has a name."""
    if not name:
        raise FieldError("An attribute must have a name. Got empty text instead.", "name")


def check_index(name: str, field: str, index: int | None, size: int) -> None:
    """Raise unless a bucket index is None or one of ``range(size)``."""
    if index is not None and not 0 <= index < size:
        msg = (
            f"The '{field}' bucket of '{name}' must be null or between 0 and {size - 1}. "
            f"Got {index} instead."
        )
        raise FieldError(msg, field)
