"""All adversaries on one generalization, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from sparsam._checks import check_choice
from sparsam._errors import ParameterError
from sparsam._joined import supplied
from sparsam.attack._bound import Bound, bound
from sparsam.attack._control import Control
from sparsam.attack._guesses import SHARES, Guesses
from sparsam.attack._linkage import Linkage
from sparsam.attack._reconstruction import Reconstruction
from sparsam.attack._records import GeneralizedRecords
from sparsam.attack._risk import Risk
from sparsam.attack._side_information import (
    Informed,
    LeaveOneOut,
    MultiBreach,
    NonPersonalKnowledge,
    PartialPersonalKnowledge,
)
from sparsam.attack._singling_out import SinglingOut
from sparsam.data import Split
from sparsam.generalization import Generalization

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Progress = Callable[[int, int, str], None]
INFORMED: dict[str, type[Informed]] = {
    kind.id: kind for kind in (NonPersonalKnowledge, PartialPersonalKnowledge, LeaveOneOut)
}
"""Adversaries who know more of a person than the record, by their short names."""


class Adversary(Protocol):
    """Anything that tries to recover what a generalization hides.

    A user's own adversary needs this one method.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> from dataclasses import replace
    >>> class Lazy:
    ...     def attack(self, generalization, data):
    ...         risk = sp.Reconstruction().attack(generalization, data)
    ...         return replace(risk, id=None, adversary="one who does not try", value=risk.baseline)
    >>> lazy: Adversary = Lazy()
    >>> sp.run_attacks(tree.generalization_, data, [lazy]).risks[0].recovered
    0.0
    """

    def attack(self, generalization: Generalization, data: Split) -> Risk:
        """Attack, and say how far it came."""


@dataclass(frozen=True)
class Attacks:
    """What the adversaries achieved.

    Attributes
    ----------
    risks : tuple of Risk
        In the order in which they were asked for.
    bounds : tuple of Bound
        What no adversary can exceed that sees only generalized records.
    complete : bool
        False when the work was interrupted: then some risks are missing.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> attacks = sp.run_attacks(tree.generalization_, data, ["A1", "A4"])
    >>> attacks.complete, [risk.id for risk in attacks.risks], [b.attribute for b in attacks.bounds]
    (True, ['A1', 'A4'], ['disability', 'sex'])
    """

    risks: tuple[Risk, ...]
    bounds: tuple[Bound, ...] = ()
    complete: bool = True

    def __getitem__(self, name: str) -> Risk:
        for risk in self.risks:
            if name in (risk.id, risk.adversary):
                return risk
        raise KeyError(name)

    def __str__(self) -> str:
        return "\n".join(map(str, (*self.risks, *self.bounds)))

    def plot(
        self,
        ax: Axes | None = None,
        *,
        by: Literal["adversary", "attribute"] = "adversary",
        **style: Any,
    ) -> Axes:
        """Draw how often each adversary is wrong, and how often it would be without the records.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own when left out.
        by : {"adversary", "attribute"}, default="adversary"
            A row for each adversary, or for each personal attribute with those that guess it.
        **style
            `title`, `figsize`, `colors`, `legend`, and properties of matplotlib's markers,
            such as `markersize`.

        Returns
        -------
        matplotlib Axes

        Notes
        -----
        Of a risk that is no error (an AUC, say) one minus its value is drawn.

        Examples
        --------
        >>> import sparsam as sp
        >>> data = sp.split(sp.resolve(sp.load_example().take(range(2000)), sp.Roles("employed")))
        >>> attacks = sp.run_attacks(sp.Generalization.nothing(data.train.table), data, ["A1"])
        >>> attacks.plot().get_xlabel()
        'Wrong guesses, test data (%); further left is worse'
        """
        check_choice("plot", "by", by, ("adversary", "attribute"))
        axes: Axes = supplied("plot_attacks")(self, ax, by, **style)
        return axes

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published."""
        return {
            "complete": self.complete,
            "risks": [risk.to_dict() for risk in self.risks],
            "bounds": [bound.to_dict() for bound in self.bounds],
        }

    def facts(self) -> dict[str, Any]:
        """Plain data with exact numbers: not to be published."""
        return {
            "complete": self.complete,
            "risks": [risk.facts() for risk in self.risks],
            "bounds": [asdict(bound) for bound in self.bounds],
        }


def run_attacks(
    generalization: Generalization,
    data: Split,
    adversaries: str | Sequence[str | Adversary] = "all",
    *,
    others: Generalization | Sequence[Generalization] = (),
    reconstruction: Reconstruction | None = None,
    progress: Progress | None = None,
) -> Attacks:
    """Attack a generalization with every adversary asked for.

    Parameters
    ----------
    generalization : Generalization
    data : Split
        Adversaries learn on the training part, choose on validation and are judged on test.
    adversaries : "all" or sequence of str or Adversary
        Names from A1 to A8 and "control", or objects of your own with an `attack` method. "all"
        leaves A6 out unless there are `others`, and A7 where there is only one attribute.
    others : Generalization or sequence of Generalization
        What else was published of the same people, for A6.
    reconstruction : Reconstruction, optional
        How to guess, for A1 to A6.
    progress : callable, optional
        Called with (done, total, name) before each adversary, and at the end.

    Returns
    -------
    Attacks
        Interrupted with Ctrl-C, it holds what was finished.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> attacks = run_attacks(tree.generalization_, data, ["A1", "A8"])
    >>> [risk.id for risk in attacks.risks], attacks["A1"].attribute
    (['A1', 'A8'], None)
    """
    breaches = (others,) if isinstance(others, Generalization) else tuple(others)
    attackers = _wanted(adversaries, breaches, data)
    bench = Bench(generalization, data, breaches, reconstruction or Reconstruction())
    show = progress or (lambda done, total, name: None)
    risks: list[Risk] = []
    bounds: tuple[Bound, ...] = ()
    try:
        for number, adversary in enumerate(attackers):
            show(number, len(attackers), _name(adversary))
            risks += bench.run(adversary)
        bounds = bound(generalization, data, reconstruction=reconstruction)
    except KeyboardInterrupt:
        return Attacks(tuple(risks), bounds, complete=False)
    show(len(attackers), len(attackers), "done")
    return Attacks(tuple(risks), bounds)


def _name(adversary: str | Adversary) -> str:
    return adversary if isinstance(adversary, str) else type(adversary).__name__


def _wanted(
    adversaries: str | Sequence[str | Adversary], others: Sequence[Generalization], data: Split
) -> list[str | Adversary]:
    if adversaries == "all":
        idle = {"A6"} if not others else set()
        idle |= {"A7"} if len(data.train.names) < 2 else set()  # one for each side
        return [name for name in ADVERSARIES if name not in idle]
    named: list[str | Adversary] = (
        [adversaries] if isinstance(adversaries, str) else list(adversaries)
    )
    for adversary in named:
        _check(adversary, others)
    return named


def _check(adversary: str | Adversary, others: Sequence[Generalization]) -> None:
    if isinstance(adversary, str):
        if adversary not in ADVERSARIES:
            raise ParameterError(
                f"An adversary must be one of {ADVERSARIES} or have an 'attack' method. "
                f"Got {adversary!r} instead."
            )
        if adversary == "A6" and not others:
            raise ParameterError("A6 needs what else was published. Give it as 'others'.")
    elif isinstance(adversary, type) or not callable(getattr(adversary, "attack", None)):
        name = adversary.__name__ if isinstance(adversary, type) else type(adversary).__name__
        raise ParameterError(
            f"An adversary must be an object with an 'attack' method. {name} is not."
        )


@dataclass
class Bench:
    """Adversaries that build on each other's guesses.

    Parameters
    ----------
    generalization : Generalization
    data : Split
    others : tuple of Generalization
        What else was published of the same people.
    reconstruction : Reconstruction
    without : dict of str to Guesses
        What adversaries guess who have no records, by their short names, as far as it is known: it
        is the same for all generalizations of a table.
    """

    generalization: Generalization
    data: Split
    others: tuple[Generalization, ...]
    reconstruction: Reconstruction
    without: dict[str, Guesses] = field(default_factory=dict)
    _known: dict[str, Guesses] = field(default_factory=dict)

    @property
    def seed(self) -> int:
        return self.reconstruction.random_state

    def run(self, adversary: str | Adversary) -> Iterable[Risk]:
        """Let one adversary attack."""
        _check(adversary, self.others)
        if isinstance(adversary, str):
            return _RUNS[adversary](self)
        return [_checked(self.attacked_by(adversary), adversary)]

    def attacked_by(self, adversary: Adversary) -> Risk:
        return adversary.attack(self.generalization, self.data)

    def guessed_by(self, kind: type[Reconstruction | Informed]) -> Guesses:
        """Guesses of a reconstructing adversary, made once; each falls back on a weaker one's."""
        if kind.id not in self._known:
            self._known[kind.id] = self._guess(kind)
        return self._known[kind.id]

    def _guess(self, kind: type[Reconstruction | Informed]) -> Guesses:
        if not issubclass(kind, Informed):
            records = GeneralizedRecords.of(self.generalization, self.data)
            return self.reconstruction.guess(records, self.data)
        weaker, without = self.guessed_by(kind.weaker), self.guessed_without(kind)
        return kind(self.reconstruction).guess(self.generalization, self.data, weaker, without)

    def guessed_without(self, kind: type[Informed]) -> Guesses:
        """Guesses of an informed adversary who has no records, made once."""
        if kind.id not in self.without:
            weaker = (
                self.guessed_without(kind.weaker) if issubclass(kind.weaker, Informed) else None
            )
            self.without[kind.id] = kind(self.reconstruction).guess_without(self.data, weaker)
        return self.without[kind.id]


# Every adversary by its short name. A new one needs a line here and nothing else.
_RUNS: dict[str, Callable[[Bench], Iterable[Risk]]] = {
    "A1": lambda bench: [bench.guessed_by(Reconstruction).risk("test")],
    "A2": lambda bench: bench.guessed_by(Reconstruction).confident_risks(SHARES, "test").values(),
    "A3": lambda bench: [bench.guessed_by(INFORMED["A3"]).risk("test")],
    "A4": lambda bench: [bench.guessed_by(INFORMED["A4"]).risk("test")],
    "A5": lambda bench: [bench.guessed_by(INFORMED["A5"]).risk("test")],
    "A6": lambda bench: [bench.attacked_by(MultiBreach(bench.others, bench.reconstruction))],
    "A7": lambda bench: [bench.attacked_by(Linkage(random_state=bench.seed))],
    "A8": lambda bench: [bench.attacked_by(SinglingOut(random_state=bench.seed))],
    "control": lambda bench: [bench.attacked_by(Control(bench.reconstruction))],
}

ADVERSARIES = tuple(_RUNS)
"""The short names of all adversaries."""


def _checked(risk: Any, adversary: Adversary) -> Risk:
    if not isinstance(risk, Risk):
        raise ParameterError(
            f"The 'attack' method of {_name(adversary)} must return a Risk. "
            f"Got {type(risk).__name__} instead."
        )
    return risk
