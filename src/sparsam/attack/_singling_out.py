"""A8: isolate a single person by a description."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_whole
from sparsam._errors import DataError
from sparsam.attack._records import GeneralizedRecords, part_of
from sparsam.attack._risk import Risk
from sparsam.attack._statistics import wilson_interval
from sparsam.data import Split
from sparsam.generalization import Generalization

THRESHOLDS = (2, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class SinglingOut:
    """Describe one person so that the description fits nobody else (A8).

    The adversary sees the generalized records, aims at the rarest, and narrows a record that c
    people share down by a coin with c faces: the description then fits exactly one of them with
    probability (1 - 1 / c) ** (c - 1), which is 1 for a record that nobody shares. The narrowed
    description fits one person in n on average; a random one of that weight w = 1 / n isolates
    somebody with probability n w (1 - w) ** (n - 1), about 37 %: no random description does
    better, and this is the baseline (Cohen and Nissim 2020). Whoever sees one identical record for
    everybody can do no more: only what lies beyond is owed to the records.

    Parameters
    ----------
    attempts : int, default=100
        How many of the rarest records to aim at.
    random_state : int, default=0
        Only to be reported: nothing is drawn.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> risk = SinglingOut().attack(tree.generalization_, data)
    >>> risk.id, round(risk.baseline, 2)
    ('A8', 0.63)
    """

    id: ClassVar[str] = "A8"
    name: ClassVar[str] = "A8 singling out"

    attempts: int = 100
    random_state: int = 0

    def attack(self, generalization: Generalization, data: Split, part: str = "train") -> Risk:
        """Try to isolate people of one part of the data.

        Parameters
        ----------
        generalization : Generalization
        data : Split
        part : {"train", "validation", "test"}

        Returns
        -------
        Risk
            `value` is the share of attempts that fail, `baseline` that of random descriptions.
            `details` hold the sizes of classes.
        """
        check_whole("SinglingOut", "attempts", self.attempts, 1)
        n_people = part_of(data, part).n_rows
        if not n_people:
            raise DataError(f"The {part} part of the split holds nobody to single out.")
        sizes = GeneralizedRecords.of(generalization, data).counts(part)
        sizes = sizes[sizes > 0]
        failure = 1 - isolation(np.sort(sizes)[: self.attempts])
        return Risk(
            adversary=self.name,
            id=self.id,
            measure="error",
            value=float(failure.mean()),
            # One face of a coin with n faces is a random description of weight 1 / n.
            baseline=float(1 - isolation(np.array([n_people]))[0]),
            interval=wilson_interval(float(failure.sum()), len(failure)),
            n=n_people,
            split=part,
            random_state=self.random_state,
            details={"attempts": len(failure), **class_details(sizes)},
        )


def isolation(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Chance to isolate one of c people who share a record.

    Examples
    --------
    >>> isolation(np.array([1, 2, 4])).tolist()
    [1.0, 0.5, 0.421875]
    """
    return np.asarray((1 - 1 / sizes) ** (sizes - 1), dtype=float)


def class_details(sizes: NDArray[np.int64]) -> dict[str, Any]:
    """How many people share their record with how many others."""
    smallest = int(sizes.min())
    beyond = int(sizes.max()) + 1
    edges = [1, *(k for k in THRESHOLDS if k < beyond), beyond]
    people, _ = np.histogram(sizes, bins=edges, weights=sizes)
    return {
        "distinct": int(sizes.size),
        "smallest": smallest,
        "rarest": int((sizes == smallest).sum()),
        "alone": int((sizes == 1).sum()),
        "under": {str(k): int(sizes[sizes < k].sum()) for k in THRESHOLDS},
        "histogram": [
            {"from": low, "to": high - 1, "people": int(count)}
            for (low, high), count in zip(pairwise(edges), people, strict=True)
        ],
    }
