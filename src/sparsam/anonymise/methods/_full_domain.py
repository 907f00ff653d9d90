"""Full-domain generalization: one level of its hierarchy for each attribute, for all people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names
from sparsam._errors import DataError
from sparsam.anonymise._anonymiser import Anonymiser
from sparsam.anonymise._classes import Classes, Demand
from sparsam.anonymise.kernels._packed_rows import Ints
from sparsam.anonymise.methods._class_tree import checked_codes
from sparsam.anonymise.methods._full_domain_ladder import Halves, Ladder
from sparsam.anonymise.methods._full_domain_search import Node, search_lattice
from sparsam.anonymise.methods._full_domain_tables import generalized
from sparsam.anonymise.publish._labels import Levels
from sparsam.counting._distinct import record_keys
from sparsam.data import Attribute, Table


class FullDomain(Anonymiser):
    """Publish every attribute on one level of its hierarchy, the same for all people.

    Of all combinations of levels that satisfy the demand within the suppression budget, the one
    that loses least: the loss of a label is (max - min) / range of its numbers, for categories
    (values - 1) / (all values - 1), and 1 for suppressed rows; mean over rows and attributes. The
    optimum is exact. Labels come out with ``publish="hierarchy"``.

    Parameters
    ----------
    **common
        The parameters of every `Anonymiser`: `quasi_identifiers`, `k` and others. `hierarchies`
        has for each attribute a `Hierarchy`, or levels of labels. An
        attribute without one gets its own: numbers and ordered categories as intervals that are
        halved again and again where half of the people lie on either side, other categories as they
        are or not at all. New people whose record was never seen are suppressed.

    Attributes
    ----------
    levels_ : dict of str to int
        The level of each attribute, 0 the finest.
    full_domain_loss_ : float
        The loss that was minimised.
    hierarchies_ : dict
        The hierarchies that were used.

    Examples
    --------
    >>> import numpy as np
    >>> people = {"age": np.array([20, 30, 40, 50]), "job": np.array(["cook", "vet", "nun", "dj"])}
    >>> full = FullDomain(k=2, publish="hierarchy")
    >>> full.fit_transform(people)["age"].tolist()
    ['under 35', 'under 35', '35 and over', '35 and over']
    >>> full.levels_
    {'age': 1, 'job': 1}
    """

    levels_: dict[str, int]
    full_domain_loss_: float
    hierarchies_: dict[str, Any]

    def part(
        self,
        codes: NDArray[np.uint16],
        attributes: Sequence[Attribute],
        demand: Demand,
        answers: NDArray[Any] | None = None,
    ) -> FullDomainClasses:
        """Find the best levels; see `Anonymiser.part`."""
        codes = checked_codes(codes, tuple(attribute.size for attribute in attributes))
        if not len(codes):
            raise DataError("Classes are made of rows. The table has none.")
        given = {} if self.hierarchies is None else dict(self.hierarchies)
        check_names(given, [a.name for a in attributes], what="an attribute with a hierarchy")
        columns = zip(attributes, codes.T, strict=True)
        self.hierarchies_ = {
            attribute.name: _known(attribute, given.get(attribute.name), column)
            for attribute, column in columns
        }
        ladders = [Ladder(a, self.hierarchies_[a.name].levels(a)) for a in attributes]
        node = search_lattice(codes, ladders, demand, self.max_suppressed)
        names = [attribute.name for attribute in attributes]
        self.levels_ = dict(zip(names, node.levels, strict=True))
        self.full_domain_loss_ = node.loss
        return FullDomainClasses(tuple(ladders), node)

    def _levels(self, table: Table) -> Mapping[str, Levels] | None:
        """Give the labels of the levels that were found, and of coarser ones for merged classes."""
        if self.publish != "hierarchy":
            return None
        return {
            attribute.name: self.hierarchies_[attribute.name].levels(attribute)[
                self.levels_[attribute.name] :
            ]
            for attribute in table.attributes
        }

    def _facts(self) -> dict[str, Any]:
        levels = {f"level of {name}": level for name, level in self.levels_.items()}
        return {**super()._facts(), **levels}


@dataclass(frozen=True, eq=False, repr=False)
class FullDomainClasses:
    """Classes of people whose generalized records are the same, and the way of a new row to one.

    Parameters
    ----------
    ladders : tuple of Ladder
    node : Node
        The levels that were found.
    """

    ladders: tuple[Ladder, ...]
    node: Node

    @property
    def classes(self) -> Classes:
        """The classes of the rows that were searched."""
        return self.node.classes

    def route(self, codes: NDArray[Any]) -> Ints:
        """Find the class of each row; -1 where its generalized record belongs to none.

        Parameters
        ----------
        codes : ndarray of uint16 of shape (n_rows, n_attributes)
            Encoded as the rows that were searched.
        """
        sizes = tuple(ladder.attribute.size for ladder in self.ladders)
        records = generalized(checked_codes(codes, sizes), self.ladders, self.node.levels)
        # Keys of both together, since they may be ranks.
        keys = record_keys(np.concatenate([self.node.records, records]), sizes)
        known, wanted = np.split(keys, [len(self.node.records)])
        at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        return np.where(known[at] == wanted, at, -1)

    def __repr__(self) -> str:
        return f"FullDomainClasses({self.classes.n_classes:,} classes)"


@dataclass(frozen=True, eq=False)
class _Fixed:
    """Labels of bins, which are known of one attribute only."""

    attribute: Attribute
    labels: Levels

    def levels(self, attribute: Attribute) -> Levels:
        """Return the labels, if the attribute is the one they are for."""
        if attribute != self.attribute:
            raise DataError(
                f"The hierarchy of '{attribute.name}' has labels of the bins that were fitted. "
                "New rows have other ones.\n\nHint: give a hierarchy of values."
            )
        return self.labels


def _known(attribute: Attribute, given: Any, codes: NDArray[np.uint16]) -> Any:
    """Return a hierarchy that finds labels by value, so that it also serves new rows."""
    if given is None:
        return Halves.of(attribute, np.bincount(codes, minlength=attribute.size))
    if hasattr(given, "levels"):
        return given
    return _Fixed(attribute, given)
