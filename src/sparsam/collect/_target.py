"""What a model is to learn, collected with the record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
from msgspec import Meta

from sparsam._documents import convert_part
from sparsam._errors import ParameterError, hint
from sparsam._small_counts import share_step
from sparsam.generalization import Generalization, category_label

if TYPE_CHECKING:
    from sparsam.collect._questionnaire import Questionnaire

_MOST_CLASSES: Final = 65_000
_EVIDENCE: Final = "evidence"


class _Shares(msgspec.Struct, frozen=True):
    """What the evidence says of the target, as far as it is needed here."""

    name: str
    classes: tuple[str, ...]
    shares: tuple[float, ...] = ()


class _Evidence(msgspec.Struct, frozen=True):
    """What an artifact carries of the people it was learned from, as far as it is needed here."""

    people: Annotated[int, Meta(ge=1)]
    tested: Annotated[int, Meta(ge=0)] = 0
    target: _Shares | None = None


@dataclass(frozen=True)
class Target:
    """What a model is to learn, as one more answer of a record: one of a few classes.

    On the wire and in the store it is a number, the place of its class.

    Parameters
    ----------
    name : str
        No collected attribute may have the same name.
    classes : tuple of str
        At least two, each once.

    Examples
    --------
    >>> Target("employed", ("no", "yes"))
    Target(name='employed', classes=('no', 'yes'))
    """

    name: str
    classes: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", tuple(self.classes))
        if not isinstance(self.name, str) or not self.name:
            raise ParameterError("A target must have a name. Got none instead.")
        texts = all(isinstance(label, str) and label for label in self.classes)
        if not texts or len(set(self.classes)) != len(self.classes):
            raise ParameterError(
                f"The classes of the target '{self.name}' must be texts, each once and none empty."
            )
        if not 2 <= len(self.classes) <= _MOST_CLASSES:
            raise ParameterError(
                f"The target '{self.name}' must have 2 to {_MOST_CLASSES:,} classes. "
                f"Got {len(self.classes):,} instead."
            )

    @classmethod
    def of(cls, source: Generalization | Questionnaire) -> Target:
        """Return the target that a generalization was learned for.

        Its artifact carries the commonest classes. Where people had others, "other" is one more,
        and the last, so that nobody has to give a wrong answer. A questionnaire that was made for a
        model has the classes that the model answers with.

        Parameters
        ----------
        source : Generalization or Questionnaire
            From `sparsam minimise`, or from a choice.

        Raises
        ------
        ParameterError
            The artifact does not say what it was learned for.
        """
        generalization = source
        if not isinstance(generalization, Generalization):
            generalization = generalization.recoding.generalization
        target = cls._carried(generalization)
        if target is None and not isinstance(source, Generalization):
            target = cls._answered(source)
        if target is None:
            raise ParameterError(
                "The artifact does not say which target it was learned for, and which classes that "
                "has."
                + hint(
                    "give target=Target(name, classes)",
                    "make the generalization with `sparsam minimise`, which writes them into it",
                )
            )
        target.check(generalization)
        return target

    @classmethod
    def _carried(cls, generalization: Generalization) -> Target | None:
        """The target that is in the evidence of an artifact."""
        carried = generalization.about.get(_EVIDENCE)
        if carried is None:
            return None
        evidence = convert_part(carried, _Evidence, f"$.about.{_EVIDENCE}")
        shares = evidence.target
        if shares is None:
            return None
        classes = shares.classes
        # each share was rounded by half a step at most: what is missing beyond that were others
        rounded = len(shares.shares) * share_step(evidence.people - evidence.tested) / 2
        if shares.shares and sum(shares.shares) < 1 - rounded - 1e-9:
            classes = (*classes, "other" if "other" not in classes else "any other")
        return cls(shares.name, classes)

    @classmethod
    def _answered(cls, questionnaire: Questionnaire) -> Target | None:
        """The target of a questionnaire whose leaves hold different answers."""
        recoding = questionnaire.recoding
        name = recoding.about.get("target")
        predictions = (leaf.prediction for leaf in recoding.leaves.values())
        classes = sorted({category_label(each) for each in predictions if each is not None})
        known = isinstance(name, str) and len(classes) > 1
        return cls(str(name), tuple(classes)) if known else None

    def check(self, generalization: Generalization) -> None:
        """Raise where a collected attribute has the name of the target."""
        if self.name in generalization.collected:
            raise ParameterError(
                f"The target '{self.name}' is also a collected attribute. A record cannot have two "
                "answers of one name."
            )


def record_sizes(generalization: Generalization, target: Target | None = None) -> dict[str, int]:
    """Return what a record consists of: for each answer how many buckets there are to choose from.

    Parameters
    ----------
    generalization : Generalization
    target : Target, optional
        Comes last.

    Returns
    -------
    dict of str to int
        Collected attributes only, in the order of the generalization.

    Examples
    --------
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import numeric_partition
    >>> ages = Generalization([numeric_partition("age", NumericDomain(0, 99), [17, 62])])
    >>> record_sizes(ages, Target("employed", ("no", "yes")))
    {'age': 3, 'employed': 2}
    """
    sizes = {name: generalization[name].n_buckets for name in generalization.collected}
    if target is None:
        return sizes
    target.check(generalization)
    return sizes | {target.name: len(target.classes)}
