"""Judge a generalization for every purpose, and attack it once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from joblib import Parallel, delayed

from sparsam._threads import one_thread
from sparsam.assess._assessment import (
    Assessment,
    Limits,
    PersonErrors,
    attacked,
    measure_limits,
)
from sparsam.assess._candidates import Candidate
from sparsam.assess._learning import MOST_PEOPLE
from sparsam.assess._score import Score
from sparsam.assess._utility import Classifier, best_classifier
from sparsam.attack import GeneralizedRecords, Reconstruction
from sparsam.data import PurposeSplits
from sparsam.generalization import Generalization

_PARTS = ("train", "validation", "test")
_JUDGED = ("validation", "test")


@dataclass(frozen=True)
class JudgedCandidate:
    """A generalization, and what was measured of it for some purposes.

    Attributes
    ----------
    candidate : Candidate
    assessments : mapping of str to Assessment
        By purpose. The risk is that of everyone, and so the same in all.
    """

    candidate: Candidate
    assessments: Mapping[str, Assessment] = field(repr=False)

    @property
    def generalization(self) -> Generalization:
        """What is collected."""
        return self.candidate.generalization

    @property
    def validation_risk(self) -> float:
        """How often the adversary is wrong, on validation data: more is safer."""
        return next(iter(self.assessments.values())).validation_risk.value


class Judge:
    """Measures what generalizations cost each purpose, on the same people for all of them.

    Parameters
    ----------
    data : PurposeSplits
    scores : mapping of str to Score
        What each purpose is measured by.
    adversary : Reconstruction
    random_state : int
    n_jobs : int
        Threads to use. The result does not depend on it.

    Attributes
    ----------
    limits : mapping of str to Limits
        By purpose: what is possible with nothing and with everything collected.
    """

    def __init__(
        self,
        data: PurposeSplits,
        scores: Mapping[str, Score],
        adversary: Reconstruction,
        random_state: int,
        n_jobs: int,
    ) -> None:
        self.data, self.random_state, self.n_jobs = data, random_state, n_jobs
        self._learned = _learning_parts(data)
        self._scores, self._adversary = scores, adversary
        self.limits: dict[str, Limits] = {
            name: measure_limits(part, random_state, scores[name])
            for name, part in data.parts.items()
        }

    def judge(
        self, candidates: Sequence[Candidate], purposes: Sequence[str] | None = None
    ) -> Iterator[JudgedCandidate]:
        """Judge each of several candidates for some purposes, by default all.

        Parameters
        ----------
        candidates : sequence of Candidate
        purposes : sequence of str, optional
        """
        names = self.data.names if purposes is None else tuple(purposes)
        jobs = (delayed(self._judged)(candidate.generalization, names) for candidate in candidates)
        n_jobs = max(1, min(self.n_jobs, len(candidates)))
        # One thread of a library in each of ours, as in a sweep.
        with one_thread():
            results = Parallel(n_jobs=n_jobs, backend="threading", return_as="generator")(jobs)
            for candidate, assessments in zip(candidates, results, strict=True):
                yield JudgedCandidate(candidate, assessments)

    def _judged(
        self, generalization: Generalization, purposes: tuple[str, ...]
    ) -> dict[str, Assessment]:
        everyone = self._learned.together
        records = GeneralizedRecords.of(generalization, everyone)
        classifier = self._classifier(records, purposes[0])
        first = attacked(
            generalization, records, classifier, self._adversary, self.data.together, everyone
        )
        others = {
            name: _of_purpose(first, self._classifier(records, name)) for name in purposes[1:]
        }
        return {purposes[0]: first, **others}

    def _classifier(self, records: GeneralizedRecords, purpose: str) -> Classifier:
        people = self._learned.people[purpose]
        index = {part: records.index[part][people[part]] for part in _PARTS}
        return best_classifier(
            replace(records, index=index),
            self._learned.parts[purpose],
            self.random_state,
            score=self._scores[purpose],
        )


def _of_purpose(assessment: Assessment, classifier: Classifier) -> Assessment:
    """The same records under the same attack, but for another purpose."""
    return replace(
        assessment,
        utility=classifier.utility("test"),
        validation_utility=classifier.utility("validation"),
        person_errors={
            part: PersonErrors(classifier.losses[part], assessment.person_errors[part].risk)
            for part in _JUDGED
        },
    )


def _learning_parts(data: PurposeSplits) -> PurposeSplits:
    """The same parts with no more people to learn from than many models need."""
    train = data.together.train
    if train.n_rows <= MOST_PEOPLE:
        return data
    chance = np.random.default_rng(data.together.random_state)
    drawn = np.sort(chance.permutation(train.n_rows)[:MOST_PEOPLE])
    parts, people = {}, {}
    for name, part in data.parts.items():
        whose = data.people[name]["train"]
        kept = np.isin(whose, drawn)
        parts[name] = replace(part, train=part.train.take(np.flatnonzero(kept)))
        people[name] = {**data.people[name], "train": np.searchsorted(drawn, whose[kept])}
    together = replace(data.together, train=train.take(drawn))
    return PurposeSplits(together, parts, people)
