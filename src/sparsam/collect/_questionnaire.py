"""The dynamic questionnaire: ask only what the answers so far leave open."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from sparsam._artifact import Artifact
from sparsam._documents import convert_part, plain_parts
from sparsam._errors import DocumentError, ParameterError
from sparsam._joined import supplied
from sparsam.collect._outcomes import Outcomes, Region, State
from sparsam.data import Category
from sparsam.generalization import (
    CategoricalPartition,
    FieldError,
    Partition,
    SavedPage,
    unique_labels,
)
from sparsam.generalization.recoding import (
    Recoding,
    RecodingDocument,
    Value,
    check_codes,
    mask_of,
    raw_buckets,
    union_label,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sparsam.collect._automaton import Automaton

FORMAT: Final = "sparsam/questionnaire"
VERSION: Final = 1


class QuestionnaireDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What may be asked and in which order, as saved by sparsam.

    Parameters
    ----------
    format, version
        What the document is.
    recoding : dict
        The document of a recoding.
    order : str or tuple of str
    costs : dict of str to float
    """

    format: Literal["sparsam/questionnaire"]
    version: Literal[1]
    recoding: dict[str, Any]
    order: Literal["fewest", "sensitivity", "cost"] | tuple[str, ...] = "fewest"
    costs: dict[str, Any] = {}


Order = Literal["fewest", "sensitivity", "cost"]
ORDERS = ("fewest", "sensitivity", "cost")
_MOST_STATES = 2_000
_BUCKETS: Final = re.compile(r"[0-9]{1,5}(-[0-9]{1,5})?(\.[0-9]{1,5}(-[0-9]{1,5})?)*", re.ASCII)


@dataclass(frozen=True, eq=False)
class Asked:
    """How much a questionnaire asks of people, against a form that asks everyone for everything.

    Parameters
    ----------
    questions : ndarray of int
        How many questions each person is asked.
    per_attribute : dict of str to float
        The share of people who are asked for each collected attribute.
    form : int
        How many questions the form of the generalization asks everyone.
    """

    questions: NDArray[np.int64]
    per_attribute: dict[str, float]
    form: int

    @property
    def mean(self) -> float:
        """How many questions a person is asked on average."""
        return float(self.questions.mean()) if self.questions.size else 0.0

    @property
    def saved(self) -> float:
        """The share of the form's questions that are not asked, between 0 and 1."""
        return 1.0 - self.mean / self.form if self.form and self.questions.size else 0.0

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw the share of people who are asked for each attribute.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own when left out.
        **style
            `title`, `figsize`, `colors`, `legend`, and properties of matplotlib's bars,
            such as `edgecolor`.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> shares = {"age": 1.0, "hours": 0.25}
        >>> Asked(np.array([1, 1, 1, 2] * 50), shares, 2).plot().get_title(loc="left")
        'Who is asked what: 1.2 of 2 questions on average'
        """
        facts = (self.per_attribute, self.questions.size, self.form, self.mean)
        axes: Axes = supplied("plot_asked")(*facts, ax, **style)
        return axes

    def __repr__(self) -> str:
        return (
            f"<Asked: {self.mean:.2f} of {self.form} questions on average, "
            f"{100 * self.saved:.0f} % saved>"
        )


class Questionnaire(Artifact):
    """Ask a person only what can still change the model's answer.

    The dynamic questionnaire of Goldsteen et al. 2021, §3.2, made from a recoding alone. After each
    answer it knows exactly which attributes still matter and which ranges must still be told
    apart; the record that is fed in the end gives the same prediction as the recoding does.

    Parameters
    ----------
    recoding : Recoding
    order : {"fewest", "sensitivity", "cost"} or sequence of str, default="fewest"
        What to ask first among what is needed: what the tree tests first, the attribute of the
        least cost, or the one that comes first in a list of names.
    costs : mapping of str to float or None, default=None
        How sensitive each attribute is, or what it costs to answer; those not named cost 1.

    Examples
    --------
    >>> from sparsam.generalization import Recoding
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import Generalization, numeric_partition
    >>> from sparsam.generalization import Branch, Leaf
    >>> domain = NumericDomain(0, 99, integer=True)
    >>> g = Generalization(
    ...     [numeric_partition("age", domain, [17, 62]), numeric_partition("hours", domain, [35])]
    ... )
    >>> nodes = [
    ...     Branch("age", (0,), 1, 2),
    ...     Leaf((), {"age": 9, "hours": 0}, "no"),
    ...     Leaf(("hours",), {"age": 40}),
    ... ]
    >>> recoding = Recoding(g, {"age": [9, 40, 70], "hours": [20, 40]}, nodes)
    >>> interview = Questionnaire(recoding).start()
    >>> interview.next, [choice.label for choice in interview.choices("age")]
    ('age', ['under 17', '17 and over'])
    >>> interview.answer("age", 12).prediction
    'no'
    >>> interview.answer("age", 41).needed
    ('hours',)
    """

    _format = FORMAT
    _called = "questionnaire"
    _title = "A questionnaire"
    _structures = (QuestionnaireDocument,)

    def __init__(
        self,
        recoding: Recoding,
        *,
        order: Order | Sequence[str] = "fewest",
        costs: Mapping[str, float] | None = None,
    ) -> None:
        self._recoding = recoding
        self._costs = _checked_costs(recoding, costs or {})
        self._order = _checked_order(recoding, order, self._costs)
        self._outcomes = Outcomes(recoding)
        self._states: dict[Region, State] = {}

    @property
    def recoding(self) -> Recoding:
        """The recoding that the questions come from."""
        return self._recoding

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that can matter: no other one is ever asked for."""
        return self._outcomes.names

    @property
    def order(self) -> str | tuple[str, ...]:
        """What is asked first among what is needed."""
        return self._order

    @property
    def costs(self) -> dict[str, float]:
        """The cost of the attributes that were given one (a copy)."""
        return dict(self._costs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Questionnaire):
            return NotImplemented
        mine = (self._recoding, self._order, self._costs)
        return mine == (other._recoding, other._order, other._costs)

    def __hash__(self) -> int:
        return hash((self._recoding, self._order))

    def __repr__(self) -> str:
        return f"<Questionnaire: up to {len(self._outcomes.names)} questions>"

    @cached_property
    def automaton(self) -> Automaton:
        """Everything that it can come to ask, without what the model answers; compiled once."""
        from sparsam.collect._automaton import Automaton

        return Automaton.of(self, predicts=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_states": {}}  # another process finds them by itself

    def start(self) -> Interview:
        """Begin to ask a person.

        Returns
        -------
        Interview
        """
        return Interview(self, self._outcomes.everything)

    def form(self, **options: Any) -> SavedPage:
        """Return a page that asks in this way, and sends all answers at its end, or none.

        Parameters
        ----------
        **options
            As for `sparsam.collect.Form`: where it is sent, its language, your own labels.
        """
        page: SavedPage = supplied("form")(self, **options)
        return page

    def resume(self, answers: Mapping[str, str | int]) -> Interview:
        """Take the answers that a page has sent, and go on from there.

        Parameters
        ----------
        answers : mapping of str to str or int
            For each attribute that was asked for the number of a bucket, or of several, such as
            "1-3.5". What need not be known is not kept.

        Returns
        -------
        Interview
            Done, where the page was.

        Raises
        ------
        ParameterError
            An answer is not among the choices. The message does not show it.

        Examples
        --------
        >>> from sparsam.data import NumericDomain
        >>> from sparsam.generalization import Generalization, numeric_partition
        >>> from sparsam.generalization.recoding._tree import Branch, Leaf
        >>> age = numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 30, 62])
        >>> nodes = [
        ...     Branch("age", (0,), 1, 2),
        ...     Leaf((), {"age": 9}, "no"),
        ...     Leaf((), {"age": 40}, "yes"),
        ... ]
        >>> recoding = Recoding(Generalization([age]), {"age": [9, 25, 40, 70]}, nodes)
        >>> Questionnaire(recoding).resume({"age": "1-3"}).prediction
        'yes'
        """
        given = {name: self._buckets(name, answer) for name, answer in answers.items()}
        interview = self.start()
        while (name := interview.next) is not None and name in given:
            interview = interview.answer(name, Choice("", given[name]))
        return interview

    def _buckets(self, name: str, answer: str | int) -> tuple[int, ...]:
        """Read the numbers of buckets."""
        if name not in self.names:
            raise ParameterError("The answers must be to attributes that can be asked for.")
        size = self._recoding.generalization[name].n_buckets
        buckets: list[int] = []
        if type(answer) in (str, int) and _BUCKETS.fullmatch(str(answer)):
            for run in str(answer).split("."):
                first, _, last = run.partition("-")
                buckets += range(int(first), min(int(last or first), size) + 1)
        if not buckets or max(buckets) >= size or len(set(buckets)) != len(buckets):
            msg = (
                f"The answer to '{name}' must be numbers of buckets from 0 to {size - 1}, such as "
                "1 or 0.2-3."
            )
            raise ParameterError(msg)
        return tuple(buckets)

    def place(self, name: str) -> int:
        """Return the place of an attribute in a region."""
        return self._outcomes.place[name]

    def state(self, region: Region, *, remember: bool = True) -> State:
        """Return what a region leaves open, which is worked out once where it is remembered."""
        if not remember:
            return self._outcomes.state(region)
        if region not in self._states:
            if len(self._states) >= _MOST_STATES:
                self._states.clear()
            self._states[region] = self._outcomes.state(region)
        return self._states[region]

    def ranked(self, state: State) -> Iterator[str]:
        """Return the attributes that a state needs one by one, the one to ask next first."""
        names = state.candidates
        if isinstance(self._order, tuple):
            rank = {name: i for i, name in enumerate(self._order)}
            names = sorted(names, key=lambda name: rank.get(name, len(rank)))
        elif self._order != "fewest":
            names = sorted(names, key=lambda name: self._costs.get(name, 1.0))
        return (name for name in names if state.needs(name))

    def ask(self, records: Any) -> Asked:
        """Count the questions that people would be asked, in the questionnaire's order.

        Parameters
        ----------
        records : Table, frame or mapping of arrays, or ndarray of buckets
            Raw records, or buckets as `Generalization.apply_codes` gives them.

        Returns
        -------
        Asked
        """
        g = self._recoding.generalization
        array = isinstance(records, np.ndarray)
        codes = check_codes(g, records) if array else raw_buckets(g, records)
        column_of = {name: column for column, name in enumerate(g.names)}
        columns = [column_of[name] for name in self._outcomes.names]
        distinct, which = np.unique(codes[:, columns], axis=0, return_inverse=True)
        asked = self._simulate(distinct)
        people = asked[which.reshape(-1)]
        shares = people.mean(axis=0) if len(people) else np.zeros(len(columns))
        per_question = dict(zip(self._outcomes.names, shares.tolist(), strict=True))
        per_attribute = {name: per_question.get(name, 0.0) for name in g.collected}
        return Asked(people.sum(axis=1), per_attribute, len(g.collected))

    def _simulate(self, distinct: NDArray[Any]) -> NDArray[np.int64]:
        """Ask all distinct records at once, and split them by their answers."""
        asked = np.zeros(distinct.shape, np.int64)
        waiting = [(self._outcomes.everything, np.arange(len(distinct)))] if len(distinct) else []
        while waiting:
            region, rows = waiting.pop()
            state = self.state(region, remember=False)  # each comes once only
            if state.single:  # an open leaf: every one of its questions will come
                for name in self.ranked(state):
                    asked[rows, self.place(name)] += 1
                continue
            first = next(self.ranked(state), None)
            if first is None:
                continue
            place = self.place(first)
            asked[rows, place] += 1
            answers = distinct[rows, place]
            for buckets in state.classes(first):
                inside = rows[np.isin(answers, buckets)]
                if inside.size:
                    left = mask_of(buckets, region[place].bit_length())
                    waiting.append(((*region[:place], left, *region[place + 1 :]), inside))
        return asked

    def to_document(self) -> QuestionnaireDocument:
        recoding = plain_parts(self._recoding.to_document())
        order: Any = self._order
        return QuestionnaireDocument(FORMAT, VERSION, recoding, order, self._costs)

    @classmethod
    def from_document(cls, document: QuestionnaireDocument) -> Questionnaire:
        inner = convert_part(document.recoding, RecodingDocument, "$.recoding")
        recoding = Recoding.from_document(inner, "$.recoding")
        try:
            return cls(recoding, order=document.order, costs=document.costs or None)
        except FieldError as error:
            raise DocumentError(str(error), f"$.{error.field}") from error


def _checked_costs(recoding: Recoding, costs: Mapping[str, float]) -> dict[str, float]:
    for name, cost in costs.items():
        if name not in recoding.generalization:
            raise FieldError(f"The 'costs' must name attributes. '{name}' is none.", "costs")
        number = isinstance(cost, int | float | np.number) and not isinstance(cost, bool)
        if not number or not (math.isfinite(cost) and cost >= 0):
            msg = f"The cost of '{name}' must be a number of at least 0."
            raise FieldError(msg, f"costs.{name}")
    return {name: float(costs[name]) for name in recoding.generalization.names if name in costs}


def _checked_order(
    recoding: Recoding, order: str | Sequence[str], costs: dict[str, float]
) -> str | tuple[str, ...]:
    if isinstance(order, str):
        if order not in ORDERS:
            msg = f"The 'order' must be one of {ORDERS} or a list of names. Got {order!r} instead."
            raise FieldError(msg, "order")
        if order != "fewest" and not costs:
            msg = f"The order '{order}' needs 'costs': say how much at least one attribute costs."
            raise FieldError(msg, "costs")
        return order
    names = tuple(order)
    seen = set[str]()
    for i, name in enumerate(names):
        if name not in recoding.generalization:
            raise FieldError(f"The 'order' must name attributes. '{name}' is none.", f"order[{i}]")
        if name in seen:
            raise FieldError(f"The 'order' must name '{name}' once. Got it twice.", f"order[{i}]")
        seen.add(name)
    return names


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
    readings: list[set[int]] = []
    if isinstance(value, str):
        readings += [set(choice.buckets) for choice in offered if choice.label == value]
        readings += [{bucket} for bucket, label in enumerate(part.labels) if label == value]
    groups = part.groups if isinstance(part, CategoricalPartition) else ()
    if not readings or (isinstance(value, str) and any(value in group for group in groups)):
        readings.append({part.bucket(value)})
    return readings
