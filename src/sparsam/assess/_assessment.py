"""Everything that is measured of one generalization."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._small_counts import few, publish_classes, publish_share, published_repr
from sparsam.assess._evidence import Evidence
from sparsam.assess._learning import learning_part
from sparsam.assess._score import AUTO, Answers, Losses, Score
from sparsam.assess._utility import Classifier, Utility, best_classifier
from sparsam.attack import (
    SHARES,
    GeneralizedRecords,
    Interval,
    Reconstruction,
    Risk,
    paired_difference,
)
from sparsam.data import Split, Table
from sparsam.generalization import Generalization, information_loss


@dataclass(frozen=True, repr=False)
class ClassSizes:
    """People by the number of others whose generalized record is the same.

    Attributes
    ----------
    distinct : int
        Distinct generalized records.
    smallest : int
        People behind the rarest of them (k of k-anonymity).
    alone : int
        People whose record nobody shares.
    under : mapping of int to int
        For each k, the people in classes smaller than k.
    people : int or None
        Everyone, where that is known.

    Notes
    -----
    Attributes hold exact numbers. What is said (`repr`, `to_dict`) hides few people, and
    differences of few people.
    """

    distinct: int
    smallest: int
    alone: int
    under: Mapping[int, int]
    people: int | None = None

    def __repr__(self) -> str:
        return published_repr(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published."""
        return publish_classes(self.facts(), self.people)

    def facts(self) -> dict[str, Any]:
        """Plain data with exact numbers: not to be published."""
        return {
            "distinct": self.distinct,
            "smallest": self.smallest,
            "alone": self.alone,
            "under": {str(k): people for k, people in self.under.items()},
        }


def class_sizes(counts: NDArray[np.int64], thresholds: tuple[int, ...] = (5, 10)) -> ClassSizes:
    """Summarise how many people stand behind each distinct record.

    Examples
    --------
    >>> class_sizes(np.array([1] * 7 + [2, 100])).to_dict()["under"]
    {'5': 'fewer than 12', '10': 'fewer than 12'}
    """
    seen = counts[counts > 0]
    return ClassSizes(
        distinct=int(seen.size),
        smallest=int(seen.min()) if seen.size else 0,
        alone=int((seen == 1).sum()),
        under={k: int(seen[seen < k].sum()) for k in thresholds},
        people=int(seen.sum()),
    )


@dataclass(frozen=True, repr=False)
class PersonErrors:
    """Errors person by person, to compare generalizations on the same people.

    Attributes
    ----------
    utility : ndarray of bool or float
        What the model loses on each person; for accuracy whether it is wrong.
    risk : ndarray of float32
        Share of each person's personal attributes that the adversary gets wrong.
    answers : ndarray or None
        What the model says of each person, where losses depend on the others who are judged.
    """

    utility: Losses
    risk: NDArray[np.float32]
    answers: Answers | None = None


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

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> assessment = sp.assess_generalization(tree.generalization_, data)
    >>> assessment.utility.split, assessment.class_sizes.distinct
    ('test', 4)
    >>> assessment.to_dict()["collected"]
    ['age']
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
    score: str | Score = AUTO,
) -> Assessment:
    """Measure the utility and the risk of one generalization on data it was not learned from.

    Parameters
    ----------
    generalization : Generalization
    data : Split
    adversary : Reconstruction, optional
    random_state : int, default=0
    score : str, default="auto"
        What utility is measured by: "accuracy", "balanced accuracy", "log loss", "auc" (two
        classes), "r2" or "mae" (a number). "auto" takes the one that fits the target.

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
    learned = learning_part(data)
    records = GeneralizedRecords.of(generalization, learned)
    classifier = best_classifier(records, learned, random_state, score=score)
    adversary = adversary or Reconstruction(random_state=random_state)
    return attacked(generalization, records, classifier, adversary, data, learned)


def attacked(
    generalization: Generalization,
    records: GeneralizedRecords,
    classifier: Classifier,
    adversary: Reconstruction,
    data: Split,
    learned: Split,
) -> Assessment:
    """Attack generalized records, beside what a classifier makes of them.

    Parameters
    ----------
    generalization : Generalization
    records : GeneralizedRecords
    classifier : Classifier
        Its people may be some of those in the records.
    adversary : Reconstruction
    data, learned : Split
        Everyone, and with only those whom models learn from.
    """
    guesses = adversary.guess(records, learned)
    errors = {
        part: PersonErrors(
            classifier.losses[part],
            guesses.wrong(part).mean(axis=1, dtype=np.float32),
            classifier.answers.get(part),
        )
        for part in ("validation", "test")
    }
    return Assessment(
        generalization=generalization,
        utility=classifier.utility("test"),
        risk=guesses.risk("test"),
        validation_utility=classifier.utility("validation"),
        validation_risk=guesses.risk("validation"),
        confident_risks=guesses.confident_risks(SHARES, "test"),
        class_sizes=class_sizes(_people_alike(records, learned, data)),
        information_loss=_information_loss(generalization, data.train.table),
        person_errors=errors,
    )


def measure_utility(
    generalization: Generalization, data: Split, random_state: int, score: Score
) -> Classifier:
    """Measure the utility alone: the best model, and what it loses on each person."""
    learned = learning_part(data)
    records = GeneralizedRecords.of(generalization, learned)
    return best_classifier(records, learned, random_state, score=score)


def _people_alike(records: GeneralizedRecords, learned: Split, data: Split) -> NDArray[np.int64]:
    """How many people of the whole training part share each distinct record."""
    if learned is data:
        return records.counts("train")
    nobody = data.test.take(np.zeros(0, dtype=np.int64))
    everyone = replace(data, validation=nobody, test=nobody)
    return GeneralizedRecords.from_lookups(records.lookups, everyone).counts("train")


def _information_loss(generalization: Generalization, table: Table) -> float:
    # An attribute that is now the target is no loss.
    present = [generalization[name] for name in table.names]
    return information_loss(Generalization(present), table).overall


@dataclass(frozen=True)
class Limits:
    """What is possible at best and at worst.

    Attributes
    ----------
    everything : Utility
        With every attribute at full resolution (test data).
    nothing : Utility
        With no attribute at all (test data).
    naive_error : float
        Mean error of the naive adversary over the personal attributes (test data).
    classifier : Classifier
        The model with everything collected, to compare others with on the same people.
    evidence : Evidence
        How many people all this was judged on.
    adds : tuple of float and tuple of float
        How much lower the error is with everything than with nothing collected, and its 95 %
        interval on the same people (test data).
    naive_errors : mapping of str to ndarray
        By part, the share of each person's personal attributes that the naive adversary gets wrong.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> limits = sp.assess.measure_limits(data)
    >>> limits.score.name, limits.nothing.error > limits.everything.error
    ('accuracy', True)
    """

    everything: Utility
    nothing: Utility
    naive_error: float
    classifier: Classifier
    evidence: Evidence
    adds: tuple[float, Interval]
    naive_errors: Mapping[str, NDArray[np.float32]] = field(repr=False, default_factory=dict)

    @property
    def score(self) -> Score:
        """What utility is measured by."""
        return self.classifier.score

    @property
    def tells(self) -> bool:
        """Whether the data tell more of the target than the majority guess, beyond the noise."""
        return self.adds[1][0] > 0

    @property
    def words_of_nothing(self) -> str:
        """A sentence for data that tell no more of the target than the majority guess."""
        model, words = self.nothing.model, self.score.kind.words
        nothing, everything = (
            "–" if error is None else self.score.words(error)
            for error in (self.nothing.to_dict()["error"], self.everything.to_dict()["error"])
        )
        return (
            f"The data add nothing to the {'majority guess' if model == 'majority' else model} "
            f"beyond the noise: {words} {nothing} with nothing collected, {everything} with "
            "everything."
        )

    def loss(self, assessment: Assessment, part: str) -> tuple[float, Interval]:
        """What is lost against everything collected, and its 95 % interval on the same people."""
        losses = assessment.person_errors[part].utility
        return paired_difference(losses, self.classifier.losses[part])

    def kept(self, error: float) -> float | None:
        """The share of what the data add that a model with this error keeps; None if they do not.

        One is all that everything collected adds to the majority guess, none is that guess.
        """
        added = self.nothing.error - self.everything.error
        return (self.nothing.error - error) / added if self.tells and added > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        people = self.nothing.n_records
        return {
            "everything": self.everything.to_dict(),
            "nothing": self.nothing.to_dict(),
            "adds": {
                "tells": self.tells,
                "interval": self.score.publish_interval(self.adds[1], people),
            },
            "naive": {"error": publish_share(self.naive_error, self.nothing.n_records)},
        }


def measure_limits(data: Split, random_state: int = 0, score: str | Score = AUTO) -> Limits:
    """Measure the limits of generalization (Staab et al., section 8.1).

    Parameters
    ----------
    data : Split
    random_state : int, default=0
    score : str, default="auto"
        As for `assess_generalization`.

    Returns
    -------
    Limits

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> limits = measure_limits(data)
    >>> limits.everything.error < limits.nothing.error
    True
    """
    lookups = tuple(np.arange(size, dtype=np.uint16) for size in data.train.sizes)
    learned = learning_part(data)
    records = GeneralizedRecords.from_lookups(lookups, learned)
    full = best_classifier(records, learned, random_state, score=score)
    nothing: Assessment = assess_generalization(
        Generalization.nothing(data.train.table), data, random_state=random_state, score=full.score
    )
    return Limits(
        everything=full.utility("test"),
        nothing=nothing.utility,
        naive_error=nothing.risk.baseline,
        classifier=full,
        evidence=Evidence.of(data),
        adds=paired_difference(nothing.person_errors["test"].utility, full.losses["test"]),
        naive_errors={part: errors.risk for part, errors in nothing.person_errors.items()},
    )
