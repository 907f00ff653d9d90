"""Everything that is measured of one generalization."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._small_counts import few
from sparsam.assess._class_sizes import ClassSizes, class_sizes
from sparsam.assess._utility import Utility, best_classifier
from sparsam.attack import GeneralizedRecords, Reconstruction, Risk
from sparsam.data import Split, Table
from sparsam.generalization import Generalization, information_loss

SHARES = (0.01, 0.05, 0.1, 0.25, 0.5)


@dataclass(frozen=True, repr=False)
class PersonErrors:
    """Errors person by person, to compare generalizations on the same people.

    Attributes
    ----------
    utility : ndarray of bool
        Whether the classifier is wrong on each person.
    risk : ndarray of float32
        Share of each person's personal attributes that the adversary gets wrong.
    """

    utility: NDArray[np.bool_]
    risk: NDArray[np.float32]


@dataclass(frozen=True)
class Assessment:
    """What a generalization costs and what it protects.

    Attributes
    ----------
    generalization : Generalization
    utility, risk : Utility and Risk
        On test data.
    validation_utility, validation_risk : Utility and Risk
        On validation data: choices are made here.
    confident_risks : mapping of float to Risk
        A2 on test data: by share of the people, those whom the adversary is surest of.
    class_sizes : ClassSizes
        Of the training part.
    information_loss : float
        Normalised certainty penalty over the training part.
    """

    generalization: Generalization
    utility: Utility
    risk: Risk
    validation_utility: Utility
    validation_risk: Risk
    confident_risks: Mapping[float, Risk]
    class_sizes: ClassSizes
    information_loss: float
    person_errors: dict[str, PersonErrors] = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published: without the errors of single people.

        What was measured on fewer than five people is left out.
        """
        return {
            "collected": list(self.generalization.collected),
            "n_buckets": self.generalization.n_buckets,
            "utility": self.utility.to_dict(),
            "risk": self.risk.to_dict(),
            "validation": {
                "utility": self.validation_utility.to_dict(),
                "risk": self.validation_risk.to_dict(),
            },
            "confident_risks": {
                str(share): risk.to_dict()
                for share, risk in self.confident_risks.items()
                if not few(risk.n)
            },
            "class_sizes": self.class_sizes.to_dict(),
            "information_loss": self.information_loss,
        }


def assess_generalization(
    generalization: Generalization,
    data: Split,
    *,
    adversary: Reconstruction | None = None,
    random_state: int = 0,
) -> Assessment:
    """Measure the utility and the risk of one generalization on data it was not learned from.

    Parameters
    ----------
    generalization : Generalization
    data : Split
    adversary : Reconstruction, optional
    random_state : int, default=0

    Returns
    -------
    Assessment

    Examples
    --------
    >>> import sparsam as sp
    >>> split = sp.split(sp.resolve(sp.load_example(), sp.Roles("employed")))
    >>> nothing = sp.Generalization.nothing(split.train.table)
    >>> round(assess_generalization(nothing, split).utility.accuracy, 2)
    0.51
    """
    records = GeneralizedRecords.of(generalization, data)
    classifier = best_classifier(records, data, random_state)
    guesses = (adversary or Reconstruction(random_state=random_state)).guess(records, data)
    errors = {
        part: PersonErrors(
            classifier.wrong[part], guesses.wrong(part).mean(axis=1, dtype=np.float32)
        )
        for part in ("validation", "test")
    }
    return Assessment(
        generalization=generalization,
        utility=classifier.utility("test"),
        risk=guesses.risk("test"),
        validation_utility=classifier.utility("validation"),
        validation_risk=guesses.risk("validation"),
        confident_risks={share: guesses.confident_risk(share, "test") for share in SHARES},
        class_sizes=class_sizes(records.counts("train")),
        information_loss=_information_loss(generalization, data.train.table),
        person_errors=errors,
    )


def _information_loss(generalization: Generalization, table: Table) -> float:
    # An attribute that is now the target is no loss.
    present = [generalization[name] for name in table.names]
    return information_loss(Generalization(present), table).overall
