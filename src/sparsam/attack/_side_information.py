"""A3 to A6: reconstruct personal attributes with side information, or from several breaches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.attack._guesses import Answer, Guesses, strongest
from sparsam.attack._reconstruction import Reconstruction
from sparsam.attack._records import GeneralizedRecords, lookups_of
from sparsam.attack._risk import Risk
from sparsam.data import Split
from sparsam.generalization import Generalization

Lookups = tuple[NDArray[np.uint16], ...]


@dataclass(frozen=True)
class Informed(ABC):
    """An adversary who knows some attributes of each person exactly, beside the record.

    What it gains from the records is told against itself: its baseline is the same adversary, with
    the same knowledge, who has no records. Where nothing is collected it gains nothing.

    Parameters
    ----------
    reconstruction : Reconstruction
        How to guess.

    Attributes
    ----------
    id, name : str
    weaker : type
        The adversary who knows a little less: on its guesses this one may fall back.
    """

    id: ClassVar[str]
    name: ClassVar[str]
    weaker: ClassVar[type[Reconstruction | Informed]]

    reconstruction: Reconstruction = field(default_factory=Reconstruction)

    def attack(self, generalization: Generalization, data: Split, part: str = "test") -> Risk:
        """Attack the generalized records of one part, with what is known beside them."""
        return self.guess(generalization, data).risk(part)

    @abstractmethod
    def known(self, data: Split) -> list[frozenset[int]]:
        """Return, for each personal attribute, what is known exactly when it is guessed."""

    def guess(
        self,
        generalization: Generalization,
        data: Split,
        weaker: Guesses | None = None,
        without: Guesses | None = None,
    ) -> Guesses:
        """Guess with the records, or with what does better on validation data without them.

        More knowledge never hurts an adversary who may ignore it: for each attribute, whatever
        errs least on validation data is used, of this adversary, of the next weaker one, and of
        this one without the records.

        Parameters
        ----------
        generalization : Generalization
        data : Split
        weaker : Guesses, optional
            Those of the next weaker adversary; made when not given.
        without : Guesses, optional
            Those of `guess_without`; made when not given.
        """
        without = without or self.guess_without(data)
        lookups = lookups_of(generalization, data)
        if not any(lookup.any() for lookup in lookups):
            return replace(without, without=without)
        weaker = weaker or self._weaker_guesses(generalization, data)
        answers = list(map(strongest, zip(weaker.answers, without.answers, strict=True)))
        for facts, places in self._places(data).items():
            informed = self._informed(lookups, data, facts, places, without)
            for place, answer in zip(places, informed, strict=True):
                answers[place] = strongest([answer, answers[place]])
        return replace(without, answers=tuple(answers), without=without)

    def guess_without(self, data: Split, weaker: Guesses | None = None) -> Guesses:
        """What the same adversary guesses who has no records.

        Parameters
        ----------
        data : Split
        weaker : Guesses, optional
            Those of the next weaker adversary without records; made when not given.
        """
        nothing = tuple(np.zeros(size, dtype=np.uint16) for size in data.train.sizes)
        if weaker is None and issubclass(self.weaker, Informed):
            weaker = self.weaker(self.reconstruction).guess_without(data)
        elif weaker is None:
            records = GeneralizedRecords.from_lookups(nothing, data)
            weaker = self.reconstruction.guess(records, data)
        answers = list(weaker.answers)
        for facts, places in self._places(data).items():
            informed = self._informed(nothing, data, facts, places)
            for place, answer in zip(places, informed, strict=True):
                answers[place] = strongest([answer, answers[place]])
        return Guesses(data, tuple(answers), weaker.random_state, self.id, self.name)

    def _places(self, data: Split) -> dict[frozenset[int], list[int]]:
        """Which personal attributes are guessed from the same facts.

        Where the next weaker adversary knows as much, its answer is this one's too.
        """
        places: dict[frozenset[int], list[int]] = {}
        pairs = zip(self.known(data), self._known_by_weaker(data), strict=True)
        for place, (facts, less) in enumerate(pairs):
            if facts != less:
                places.setdefault(facts, []).append(place)
        return places

    def _known_by_weaker(self, data: Split) -> list[frozenset[int]]:
        if issubclass(self.weaker, Informed):
            return self.weaker(self.reconstruction).known(data)
        return [frozenset()] * len(data.train.personal)

    def _informed(
        self,
        lookups: Lookups,
        data: Split,
        facts: frozenset[int],
        places: Sequence[int],
        without: Guesses | None = None,
    ) -> Sequence[Answer]:
        """Answer from the records and the facts; as without records, where these add nothing."""
        adding = any(lookup.any() for a, lookup in enumerate(lookups) if a not in facts)
        if without is not None and not adding:
            return [without.answers[place] for place in places]
        records = GeneralizedRecords.from_lookups(knowing(lookups, facts), data)
        attributes = [data.train.personal[place] for place in places]
        return self.reconstruction.answers(records, data, attributes)

    def _weaker_guesses(self, generalization: Generalization, data: Split) -> Guesses:
        if issubclass(self.weaker, Informed):
            return self.weaker(self.reconstruction).guess(generalization, data)
        return self.reconstruction.guess(GeneralizedRecords.of(generalization, data), data)


class NonPersonalKnowledge(Informed):
    """Guess personal values, knowing everything that is not personal exactly (A3).

    Parameters
    ----------
    reconstruction : Reconstruction
        How to guess.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> risk = NonPersonalKnowledge(sp.Reconstruction()).attack(tree.generalization_, data)
    >>> risk.id, [part.attribute for part in risk.parts]
    ('A3', ['disability', 'sex'])
    """

    id = "A3"
    name = "A3 non-personal knowledge"
    weaker = Reconstruction

    def known(self, data: Split) -> list[frozenset[int]]:
        """Everything that is not personal."""
        return [non_personal(data)] * len(data.train.personal)


class PartialPersonalKnowledge(Informed):
    """Guess each personal value, knowing everything non-personal and the values before it (A5).

    The personal attributes form a chain, in the order of the table's columns: the first is guessed
    as by A3, the last as by A4. The risk is the mean over the chain (Staab et al., section 8), and
    its `parts` are in the order of the chain.

    Parameters
    ----------
    reconstruction : Reconstruction
        How to guess.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> risk = PartialPersonalKnowledge(sp.Reconstruction()).attack(tree.generalization_, data)
    >>> risk.id, [part.attribute for part in risk.parts]
    ('A5', ['disability', 'sex'])
    """

    id = "A5"
    name = "A5 partial personal knowledge"
    weaker = NonPersonalKnowledge

    def known(self, data: Split) -> list[frozenset[int]]:
        """The same, and the personal attributes before it."""
        chain = data.train.personal
        return [non_personal(data) | set(chain[:place]) for place in range(len(chain))]


class LeaveOneOut(Informed):
    """Guess each personal value, knowing all other attributes exactly (A4): the worst case.

    Parameters
    ----------
    reconstruction : Reconstruction
        How to guess.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> risk = LeaveOneOut(sp.Reconstruction()).attack(tree.generalization_, data)
    >>> risk.id, [part.attribute for part in risk.parts]
    ('A4', ['disability', 'sex'])
    """

    id = "A4"
    name = "A4 leave one out"
    weaker = PartialPersonalKnowledge

    def known(self, data: Split) -> list[frozenset[int]]:
        """Every other attribute."""
        everything = frozenset(range(len(data.train.names)))
        return [everything - {attribute} for attribute in data.train.personal]


def non_personal(data: Split) -> frozenset[int]:
    """The attributes that are not personal."""
    return frozenset(range(len(data.train.names))) - set(data.train.personal)


def knowing(lookups: Lookups, known: Collection[int]) -> Lookups:
    """The bucket of each code, where some attributes stand at full resolution.

    Examples
    --------
    >>> [lookup.tolist() for lookup in knowing((np.zeros(3, np.uint16),) * 2, {1})]
    [[0, 0, 0], [0, 1, 2]]
    """
    return tuple(
        np.arange(len(lookup), dtype=np.uint16) if number in known else lookup
        for number, lookup in enumerate(lookups)
    )


@dataclass(frozen=True)
class MultiBreach:
    """Guess personal values from two or more breaches of the same people (A6).

    Who sees two generalizations of a person knows each value up to the intersection of its
    buckets. One adversary attacks these finer records, and may fall back on any single breach,
    so that it is never weaker than the best attack on one of them.

    Parameters
    ----------
    others : sequence of Generalization
        What else was published of the same people.
    reconstruction : Reconstruction

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> coarse = sp.PrivacyTree(max_leaves=2).fit_task(data.train).generalization_
    >>> both = MultiBreach([coarse], sp.Reconstruction()).attack(tree.generalization_, data)
    >>> both.id, both.value <= sp.Reconstruction().attack(coarse, data).value
    ('A6', True)
    """

    id: ClassVar[str] = "A6"
    name: ClassVar[str] = "A6 multi-breach"

    others: Sequence[Generalization]
    reconstruction: Reconstruction = field(default_factory=Reconstruction)

    def attack(self, generalization: Generalization, data: Split, part: str = "test") -> Risk:
        """Attack all breaches together.

        Returns
        -------
        Risk
            `details` hold the errors of the single breaches.
        """
        if not self.others:
            raise ParameterError("MultiBreach needs at least one other generalization. Got none.")
        breaches = [lookups_of(g, data) for g in (generalization, *self.others)]
        single = [self._guess(breach, data) for breach in breaches]
        together = self._guess(tuple(map(intersected, zip(*breaches, strict=True))), data)
        answers = zip(together.answers, *(guesses.answers for guesses in single), strict=True)
        best = tuple(map(strongest, answers))
        guesses = Guesses(data, best, together.random_state, self.id, self.name)
        errors = [guess.risk(part).value for guess in single]
        return guesses.risk(part).with_details(single_breaches=errors)

    def _guess(self, breach: Lookups, data: Split) -> Guesses:
        return self.reconstruction.guess(GeneralizedRecords.from_lookups(breach, data), data)


def intersected(buckets: Sequence[NDArray[np.uint16]]) -> NDArray[np.uint16]:
    """Number the non-empty intersections of the buckets of several partitions.

    Examples
    --------
    >>> intersected([np.array([0, 0, 1]), np.array([0, 1, 1])]).tolist()
    [0, 1, 2]
    """
    _, inverse = np.unique(np.column_stack(buckets), axis=0, return_inverse=True)
    return inverse.reshape(-1).astype(np.uint16)
