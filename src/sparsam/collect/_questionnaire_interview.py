"""One person's way through a questionnaire."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sparsam._errors import ParameterError
from sparsam.collect._questionnaire_outcomes import Region, State
from sparsam.data import Category
from sparsam.generalization import CategoricalPartition, Partition
from sparsam.generalization._labels import unique_labels
from sparsam.generalization.recoding._paths import mask_of
from sparsam.generalization.recoding._tree import Value
from sparsam.generalization.recoding._words import union_label

if TYPE_CHECKING:
    from sparsam.collect._questionnaire import Questionnaire


@dataclass(frozen=True)
class Choice:
    """One answer that a person can give.

    Parameters
    ----------
    label : str
        The answer in words.
    buckets : tuple of int
        The buckets of the generalization that it stands for: they need not be told apart.
    """

    label: str
    buckets: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Interview:
    """The answers of one person so far, and what is still needed; immutable.

    Made by `Questionnaire.start`. It keeps no answer finer than the choice it falls into.

    Parameters
    ----------
    questionnaire : Questionnaire
    region : tuple of int
        What the answers leave possible.
    answers : dict of str to Choice
    """

    questionnaire: Questionnaire
    region: Region
    answers: dict[str, Choice] = field(default_factory=dict, hash=False)

    @property
    def _state(self) -> State:
        return self.questionnaire.state(self.region)

    @property
    def needed(self) -> tuple[str, ...]:
        """The attributes that can still change what the model answers, in the asking order."""
        return tuple(self.questionnaire.ranked(self._state))

    @property
    def next(self) -> str | None:
        """The attribute to ask for now; None when no more is needed."""
        return next(self.questionnaire.ranked(self._state), None)

    @property
    def done(self) -> bool:
        """Whether nothing more needs to be asked."""
        return self.next is None

    def choices(self, name: str) -> list[Choice]:
        """Return the answers to choose from: only what must still be told apart.

        Parameters
        ----------
        name : str
            An attribute that is needed.

        Returns
        -------
        list of Choice
        """
        if not self._state.needs(name):
            listed = ", ".join(f"'{other}'" for other in self.needed) or "nothing"
            msg = f"'{name}' need not be asked. Needed now: {listed}."
            raise ParameterError(msg)
        part = self.questionnaire.recoding.generalization[name]
        classes = self._state.classes(name)
        labels = unique_labels([union_label(part, buckets) for buckets in classes])
        return [Choice(*pair) for pair in zip(labels, classes, strict=True)]

    def answer(self, name: str, value: Any) -> Interview:
        """Take an answer, and give the interview that goes on from there.

        Parameters
        ----------
        name : str
            Any attribute that is needed, not only the next one.
        value : Choice, label or raw value
            A raw value is put into its bucket, and only the choice that holds it is kept.

        Returns
        -------
        Interview

        Raises
        ------
        DataError
            The partition refuses the value. The message does not show it.
        ParameterError
            The attribute is not needed, or the choice is none of those offered.
        """
        chosen = self._choice(name, value, self.choices(name))
        place = self.questionnaire.place(name)
        left = mask_of(chosen.buckets, self.region[place].bit_length())
        region = (*self.region[:place], left, *self.region[place + 1 :])
        return Interview(self.questionnaire, region, {**self.answers, name: chosen})

    def _choice(self, name: str, value: Any, offered: list[Choice]) -> Choice:
        part = self.questionnaire.recoding.generalization[name]
        readings = [set(value.buckets)] if isinstance(value, Choice) else None
        readings = _readings(part, value, offered) if readings is None else readings
        meant = [c for c in offered if any(r and r <= set(c.buckets) for r in readings)]
        if len(meant) == 1:
            return meant[0]
        if not meant:
            msg = f"The answer to '{name}' must be one of the {len(offered)} choices offered now."
            raise ParameterError(msg)
        msg = (
            f"An answer to '{name}' is a label of one bucket and a category of another one."
            "\n\nHint: Answer with one of the choices."
        )
        raise ParameterError(msg)

    def record(self) -> dict[str, Value]:
        """Return the record to feed to the model.

        Returns
        -------
        dict
            Every attribute of the recoding.

        Raises
        ------
        ParameterError
            Something is still needed.
        """
        self._check_done()
        return self._state.record()

    @property
    def prediction(self) -> Category | None:
        """What the model answers to the record; None where only the model itself can say."""
        self._check_done()
        return self.questionnaire.recoding.leaves[self._state.leaf()].prediction

    def _check_done(self) -> None:
        if not self.done:
            msg = f"The interview must be done first. Still needed: {list(self.needed)}."
            raise ParameterError(msg)

    def __repr__(self) -> str:
        return f"<Interview: {len(self.answers)} answers, {len(self.needed)} needed>"


def _readings(part: Partition, value: Any, offered: list[Choice]) -> list[set[int]]:
    """Return the buckets that an answer can mean: as a label of a choice or bucket, and raw."""
    found: list[set[int]] = []
    if isinstance(value, str):
        found += [set(choice.buckets) for choice in offered if choice.label == value]
        found += [{bucket} for bucket, label in enumerate(part.labels) if label == value]
    groups = part.groups if isinstance(part, CategoricalPartition) else ()
    if not found or (isinstance(value, str) and any(value in group for group in groups)):
        found.append({part.bucket(value)})
    return found
