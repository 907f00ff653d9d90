"""The evidence for what a model that already runs needs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm
from sklearn.utils.validation import check_is_fitted

from sparsam._errors import DataError, SparsamWarning
from sparsam._joined import supplied
from sparsam._small_counts import (
    at_most,
    publish_distinct,
    publish_interval,
    publish_share,
    suppress,
)
from sparsam.assess.model._answers import ModelAnswers, comparable, labels_in, model_answers
from sparsam.attack import Interval, wilson_interval
from sparsam.counting import distinct_records
from sparsam.data import Attribute
from sparsam.generalization import InformationLoss
from sparsam.minimise import FEWEST_OF_ANSWER, CurvePoint, ModelTree, Part, Promise, Proof, prove

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Scorer = Callable[[NDArray[Any], NDArray[Any]], float]

_BLOCKS = 20
_NOT_SETTINGS = ("model", "roles", "encoder", "constraints", "slices")


@dataclass(frozen=True)
class Accuracy:
    """How well answers agree with others, on some records.

    Attributes
    ----------
    score : float
        The share of answers that agree; R² for numbers; what a scorer says where there is one.
    interval : tuple of float
        95 % interval: Wilson's for a share, a normal one from the spread over blocks otherwise.
    n_records : int
    measure : {"share", "r2", "own"}
    """

    score: float
    interval: Interval
    n_records: int
    measure: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published. How far answers agree tells nothing of a person."""
        return {
            "score": self.score,
            "interval": list(self.interval),
            "n_records": suppress(self.n_records),
            "measure": self.measure,
        }


def accuracy(
    truth: NDArray[Any],
    answers: NDArray[Any],
    *,
    regression: bool = False,
    scorer: Scorer | None = None,
) -> Accuracy:
    """Compare answers with what they should be.

    Parameters
    ----------
    truth, answers : ndarray
        One line per record; several columns must agree all at once, or on average for numbers.
    regression : bool, default=False
        Whether the answers are numbers.
    scorer : callable, optional
        From truth and answers to a number, in place of a share or R².

    Returns
    -------
    Accuracy

    Examples
    --------
    >>> accuracy(np.array(["a", "b", "b", "a"]), np.array(["a", "b", "a", "a"])).score
    0.75
    """
    n_records = len(truth)
    if scorer is None and not regression:
        hits = int(_agree(truth, answers).sum())
        return Accuracy(hits / n_records, wilson_interval(hits, n_records), n_records, "share")

    def score(rows: NDArray[np.int64]) -> float:
        return _r2(truth[rows], answers[rows]) if scorer is None else float(
            scorer(truth[rows], answers[rows])
        )  # fmt: skip

    everything = np.arange(n_records)
    total = score(everything)
    blocks = [block for block in np.array_split(everything, _BLOCKS) if len(block) > 1]
    error = float("nan")
    if len(blocks) > 1:
        error = float(np.std([score(b) for b in blocks], ddof=1) / np.sqrt(len(blocks)))
    return Accuracy(
        total, normal_interval(total, error), n_records, "r2" if scorer is None else "own"
    )


def share_kept(score: float, error: float, n_records: int, measure: str) -> Accuracy:
    """Return an accuracy that was measured elsewhere, with its interval.

    Parameters
    ----------
    score, error : float
        And its standard error.
    n_records : int
    measure : {"share", "r2", "own"}
    """
    if measure == "share":
        return Accuracy(score, wilson_interval(score * n_records, n_records), n_records, measure)
    return Accuracy(score, normal_interval(score, error), n_records, measure)


def normal_interval(score: float, error: float, confidence: float = 0.95) -> Interval:
    """Return the normal interval around a score."""
    half = float(norm.ppf(0.5 + confidence / 2)) * error
    return (score - half, score + half)


def _agree(truth: NDArray[Any], answers: NDArray[Any]) -> NDArray[np.bool_]:
    same = np.asarray(truth == answers)
    return np.asarray(same.reshape(len(same), -1).all(axis=1), np.bool_)


def _r2(truth: NDArray[Any], answers: NDArray[Any]) -> float:
    """R², the mean over outputs; an output that never varies is kept or not."""
    before = np.asarray(truth, np.float64).reshape(len(truth), -1)
    after = np.asarray(answers, np.float64).reshape(len(answers), -1)
    spread = ((before - before.mean(axis=0)) ** 2).mean(axis=0)
    missed = ((before - after) ** 2).mean(axis=0)
    ratio = np.divide(missed, spread, out=np.where(missed > 0, 1.0, 0.0), where=spread > 0)
    return float(1 - ratio.mean())


@dataclass(frozen=True)
class Disclosure:
    """How easily a stored record leads to one person, from near 0 (hardly) to 1 (always).

    Attributes
    ----------
    as_printed : float
        Eq. 4 of Goldsteen et al. 2021 as it is printed: the mean over the records of
        1 / frequency.
    as_reported : float
        As the paper's own figures come about: the sum runs over the distinct records only. Never
        more than `as_printed`.
    distinct : int
        Distinct records.
    n_records : int
    """

    as_printed: float
    as_reported: float
    distinct: int
    n_records: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published."""
        return {
            "as_printed": publish_share(self.as_printed, self.n_records),
            "as_reported": publish_share(self.as_reported, self.n_records),
            "distinct": publish_distinct(self.distinct, self.n_records),
            "n_records": suppress(self.n_records),
        }


def disclosure(codes: NDArray[np.uint16], sizes: Sequence[int]) -> Disclosure:
    """Measure the disclosure risk of records, in both readings of eq. 4.

    Parameters
    ----------
    codes : ndarray of uint16, shape (n_records, n_quasi_identifiers)
        What someone may know of each person.
    sizes : sequence of int
        The number of codes of each column.

    Returns
    -------
    Disclosure

    Examples
    --------
    >>> records = np.array([[0, 1], [0, 1], [1, 0], [1, 1]], np.uint16)
    >>> disclosure(records, (2, 2))
    Disclosure(as_printed=0.75, as_reported=0.625, distinct=3, n_records=4)
    """
    n_records = len(codes)
    if not n_records:
        raise DataError("Disclosure risk is a mean over records. Got none.")
    counts = distinct_records(codes, sizes).counts
    return Disclosure(
        as_printed=len(counts) / n_records,
        as_reported=float((1.0 / counts).sum()) / n_records,
        distinct=len(counts),
        n_records=n_records,
    )


@dataclass(frozen=True)
class AnswerKept:
    """How much is kept of one of the model's answers.

    Attributes
    ----------
    answer : str
        In the model's own words.
    share : float
        Of the records that get it.
    kept : Accuracy
        The share of these that still get it.
    """

    answer: str
    share: float
    kept: Accuracy

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published: no count from which a few others could be told."""
        return {
            "answer": self.answer,
            "share": publish_share(self.share, round(self.kept.n_records / self.share)),
            # down, so that a target that is missed by little does not look met
            "score": math.floor(round(1e4 * self.kept.score, 6)) / 1e4,
            "interval": [round(end, 4) for end in self.kept.interval],
            "n_records": at_most(self.kept.n_records),
            "measure": self.kept.measure,
        }


def per_answer(before: NDArray[Any], after: NDArray[Any]) -> tuple[tuple[AnswerKept, ...], int]:
    """Measure what is kept of each answer that enough records get, the rarest first.

    Parameters
    ----------
    before, after : ndarray
        One line per record.

    Returns
    -------
    tuple of AnswerKept
    int
        How many answers are too rare to be measured.

    Examples
    --------
    >>> before = np.repeat(["no", "yes", "perhaps"], [100, 50, 3])
    >>> kept, n_rarer = per_answer(before, np.repeat(["no", "yes", "no"], [110, 40, 3]))
    >>> [(each.answer, each.kept.score) for each in kept], n_rarer
    ([('yes', 0.8), ('no', 1.0)], 1)
    """
    lines = before.reshape(len(before), -1).tolist()
    known: dict[tuple[Any, ...], int] = {}
    number = np.array([known.setdefault(tuple(line), len(known)) for line in lines])
    same = _agree(before, after)
    measured = []
    for answer, place in known.items():
        rows = number == place
        people, hits = int(rows.sum()), int(same[rows].sum())
        if people >= FEWEST_OF_ANSWER:
            kept = Accuracy(hits / people, wilson_interval(hits, people), people, "share")
            measured.append(AnswerKept(", ".join(map(str, answer)), people / len(before), kept))
    measured.sort(key=lambda each: each.share)
    return tuple(measured), len(known) - len(measured)


@dataclass(frozen=True)
class TrueAccuracy:
    """How often the model is right, where the truth is known.

    Attributes
    ----------
    before, after : Accuracy
        On the records themselves, and on what the model is fed instead.
    """

    before: Accuracy
    after: Accuracy

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published: how many people are of a class must not show."""
        return {"before": _rounded(self.before), "after": _rounded(self.after)}


def _rounded(measured: Accuracy) -> dict[str, Any]:
    """An accuracy against the truth, shares in steps of five people or more."""
    people = measured.n_records if measured.measure == "share" else None
    return {
        **measured.to_dict(),
        "score": publish_share(measured.score, people),
        "interval": publish_interval(measured.interval, people),
    }


@dataclass(frozen=True)
class ModelDisclosure:
    """Disclosure risk (eq. 4) of what would be stored, in both readings.

    Attributes
    ----------
    before : Disclosure
        Of the records in full detail.
    after : Disclosure
        Of the records in the ranges that are asked for.
    recoded : Disclosure
        Of what the model is fed.
    quasi_identifiers : tuple of str
        The attributes that count: those that the roles name, or all.
    """

    before: Disclosure
    after: Disclosure
    recoded: Disclosure
    quasi_identifiers: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "recoded": self.recoded.to_dict(),
            "quasi_identifiers": list(self.quasi_identifiers),
        }


@dataclass(frozen=True)
class ModelAssessment:
    """How much of a model's answers is kept, and how much less is collected for them.

    Attributes
    ----------
    relative_accuracy : Accuracy
        The share of the model's answers that stay the same, on records that nothing was learned
        from.
    chosen_on : Accuracy
        The same on the records that were chosen on, of the worst answer or cell where each one
        counts; where it is higher than on these, the choice was lucky.
    worst_cell : Accuracy or None
        The same in the worst group that the model treats alike, on the records that the tree held
        out, where the target must hold in each group.
    kept_in : {"all", "each answer", "each cell"}
        Where the target must hold.
    per_answer : tuple of AnswerKept
        The same for each answer that at least 30 of these records get, the rarest first; empty
        for a model that answers with numbers.
    n_rarer : int
        How many answers are too rare to be measured.
    target : float
    each_target : float
        What must be kept of each answer or group, where each one counts.
    met : bool
        Whether it is shown that the target is kept, and in each group or for each answer where it
        must be.
    proof : Proof
        What is shown, with how much confidence, and how.
    null_accuracy : float
        What one answer for everyone would keep.
    true_accuracy : TrueAccuracy or None
        Where labels are known.
    information_loss : InformationLoss
        Of the ranges that are asked for (NCP, eq. 1-2).
    local_information_loss : InformationLoss
        Of the recoding, leaf by leaf.
    disclosure : ModelDisclosure
    curve : tuple of CurvePoint
    collected, not_needed : tuple of str
    settings : mapping
        The parameters of the tree.
    n_asked : int
        How many records the model was asked about, this assessment included.
    regression : bool
        Whether the model answers with numbers: accuracies are then R².

    Examples
    --------
    >>> import sparsam as sp
    >>> people = sp.load_example().take(range(2000)).to_frame("pandas")
    >>> def adult(frame):
    ...     return frame["age"].to_numpy() >= 18
    >>> tree = sp.ModelTree(adult, sp.Roles("employed"), keep_accuracy=0.99).fit(people)
    >>> found = sp.assess.assess_model(tree, people, rows=tree.held_out_rows_)
    >>> found.collected, found.target, found.met
    (('age',), 0.99, True)
    """

    relative_accuracy: Accuracy
    chosen_on: Accuracy
    worst_cell: Accuracy | None
    kept_in: str
    per_answer: tuple[AnswerKept, ...]
    n_rarer: int
    target: float
    each_target: float
    met: bool
    proof: Proof
    null_accuracy: float
    true_accuracy: TrueAccuracy | None
    information_loss: InformationLoss
    local_information_loss: InformationLoss
    disclosure: ModelDisclosure
    curve: tuple[CurvePoint, ...]
    collected: tuple[str, ...]
    not_needed: tuple[str, ...]
    settings: Mapping[str, Any]
    n_asked: int
    regression: bool
    attributes: tuple[Attribute, ...] = field(repr=False, compare=False)

    @property
    def shortfall(self) -> float:
        """By how much the target is missed, 0 where it is met."""
        lacking = [self.target - self.relative_accuracy.score]
        if self.worst_cell:
            lacking.append(self.each_target - self.worst_cell.score)
        if self.kept_in == "each answer":
            lacking += [self.each_target - each.kept.score for each in self.per_answer]
        return 0.0 if self.met else max(0.0, *lacking)

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw the share of answers that is kept against the detail that is lost.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own when left out.
        **style
            `title`, `figsize`, `colors`, `legend`, and properties of matplotlib's lines,
            such as `linewidth`.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import sparsam as sp
        >>> people = sp.load_example().take(range(2000)).to_frame("pandas")
        >>> def adult(frame):
        ...     return frame["age"].to_numpy() >= 18
        >>> tree = ModelTree(adult, sp.Roles("employed"), keep_accuracy=0.99).fit(people)
        >>> assess_model(tree, people, rows=tree.held_out_rows_).plot().get_ylabel()
        'Answers kept, people held out (%)'
        """
        axes: Axes = supplied("plot_model")(self, ax, **style)
        return axes

    @property
    def n_records(self) -> int:
        """Records that all figures but the curve and `chosen_on` come from."""
        return self.relative_accuracy.n_records

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published."""
        people = self.n_records if self.relative_accuracy.measure == "share" else None
        losses = (self.information_loss, self.local_information_loss)
        return {
            "relative_accuracy": self.relative_accuracy.to_dict(),
            "chosen_on": self.chosen_on.to_dict(),
            "worst_cell": self.worst_cell.to_dict() if self.worst_cell else None,
            "kept_in": self.kept_in,
            "per_answer": [each.to_dict() for each in self.per_answer],
            "n_rarer_answers": self.n_rarer,
            "target": self.target,
            "each_target": self.each_target,
            "met": self.met,
            "proof": {**self.proof.to_dict(), "n_people": suppress(self.proof.n_people)},
            "shortfall": self.shortfall,
            "null_accuracy": publish_share(self.null_accuracy, people),
            "true_accuracy": self.true_accuracy.to_dict() if self.true_accuracy else None,
            **{
                name: {"overall": loss.overall, "per_attribute": dict(loss.per_attribute)}
                for name, loss in zip(
                    ("information_loss", "local_information_loss"), losses, strict=True
                )
            },
            "disclosure": self.disclosure.to_dict(),
            "curve": [
                {
                    "information_loss": point.information_loss,
                    "chosen_on": point.chosen_on,
                    "held_out": point.held_out,
                    "n_collected": point.n_collected,
                }
                for point in self.curve
            ],
            "collected": list(self.collected),
            "not_needed": list(self.not_needed),
            "settings": dict(self.settings),
            "n_asked": self.n_asked,
            "regression": self.regression,
        }


def assess_model(
    tree: ModelTree, X: Any, *, rows: ArrayLike | None = None, y: ArrayLike | None = None
) -> ModelAssessment:
    """Measure what a model keeps and what is spared, on records that nothing was learned from.

    Parameters
    ----------
    tree : ModelTree
        Fitted for a model that already runs.
    X : frame, mapping, array or path
        The table that was learned from, with `rows`, or another one with the same columns.
    rows : array of int, optional
        The rows to measure on: `tree.held_out_rows_` for the table that was learned from. All by
        default.
    y : array-like, optional
        The truth for each row of X; the target of the tree's roles where X has it.

    Returns
    -------
    ModelAssessment

    Examples
    --------
    >>> from sparsam.minimise import ModelTree
    >>> import sparsam as sp
    >>> people = sp.load_example().take(range(2000)).to_frame("pandas")
    >>> def adult(frame):
    ...     return frame["age"].to_numpy() >= 18
    >>> tree = ModelTree(adult, sp.Roles("employed"), keep_accuracy=0.99).fit(people)
    >>> found = assess_model(tree, people, rows=tree.held_out_rows_)
    >>> found.met, found.relative_accuracy.score, len(found.not_needed)
    (True, 1.0, 15)
    """
    check_is_fitted(tree)
    asked = model_answers(tree, X, rows)
    if rows is None and asked.n_given == tree.generalization_.about.get("learned_from_rows"):
        warnings.warn(
            f"X has {asked.n_given:,} rows, as many as the table that was learned from. If it is "
            "that table, all figures are too good.\n\nHint: rows=tree.held_out_rows_.",
            SparsamWarning,
            stacklevel=2,
        )
    kept = accuracy(asked.before, asked.after, regression=asked.regression, scorer=tree.scorer)
    every_cell = tree.kept_in_ == "each cell"
    answers, n_rarer = ((), 0) if asked.regression else per_answer(asked.before, asked.after)
    proof = _proof(tree, asked, kept.measure)
    generalization = tree.generalization_
    return ModelAssessment(
        relative_accuracy=kept,
        chosen_on=_measured(tree.chosen_on_, kept.measure),
        worst_cell=_measured(tree.held_out_, kept.measure) if every_cell else None,
        kept_in=tree.kept_in_,
        per_answer=answers,
        n_rarer=n_rarer,
        target=proof.target,
        each_target=proof.each_target,
        met=proof.shown,
        proof=proof,
        null_accuracy=_null(asked, tree.scorer),
        true_accuracy=_truth(asked, _labels(tree, X, asked, y)),
        information_loss=generalization.information_loss(asked.table, tree.weights),
        local_information_loss=tree.recoding_.information_loss(asked.table, tree.weights),
        disclosure=_disclosure(tree, asked),
        curve=tuple(tree.curve_),
        collected=generalization.collected,
        not_needed=tuple(p.name for p in generalization if not p.collected),
        settings=_settings(tree),
        n_asked=int(tree.n_asked_) + asked.n_asked,
        regression=asked.regression,
        attributes=asked.table.attributes,
    )


def _proof(tree: ModelTree, asked: ModelAnswers, measure: str) -> Proof:
    """What the tree has shown on its own people held out, or what others show of it now."""
    learned_from = tree.generalization_.about.get("learned_from_rows")
    own = asked.n_given == learned_from and np.array_equal(asked.rows, tree.held_out_rows_)
    if own or tree.kept_in_ == "each cell":  # the cells are known of those people alone
        return tree.proof_
    promise = Promise(float(tree.keep_accuracy), float(tree.confidence), measure)
    of_each = replace(promise, target=tree.each_target_)
    parts: list[Part] = [(promise, np.arange(len(asked.rows)))]
    too_rare = []
    if tree.kept_in_ == "each answer":
        for answer, rows in _by_answer(asked.before).items():
            if len(rows) >= max(FEWEST_OF_ANSWER, of_each.fewest or 0):
                parts.insert(0, (of_each, rows))
            else:
                too_rare.append(", ".join(map(str, answer)))
    return prove(asked.before, asked.after, parts, scorer=tree.scorer, too_rare=sorted(too_rare))


def _by_answer(answers: NDArray[Any]) -> dict[tuple[Any, ...], NDArray[np.int64]]:
    """The rows that get each answer."""
    known: dict[tuple[Any, ...], list[int]] = {}
    for row, line in enumerate(answers.reshape(len(answers), -1).tolist()):
        known.setdefault(tuple(line), []).append(row)
    return {answer: np.array(rows, np.int64) for answer, rows in known.items()}


def _measured(kept: Any, measure: str) -> Accuracy:
    return share_kept(kept.score, kept.error, kept.n_records, measure)


def _null(asked: ModelAnswers, scorer: Any) -> float:
    """What the model's commonest answer, or the mean of its numbers, keeps for everyone."""
    if asked.regression:
        constant = np.broadcast_to(asked.before.mean(axis=0), asked.before.shape)
    else:
        answers = asked.before.reshape(len(asked.before), -1).tolist()
        first: dict[Any, int] = {}
        number = [first.setdefault(tuple(answer), row) for row, answer in enumerate(answers)]
        constant = asked.before[np.full(len(number), np.bincount(number).argmax())]
    return accuracy(asked.before, constant, regression=asked.regression, scorer=scorer).score


def _labels(
    tree: ModelTree, X: Any, asked: ModelAnswers, y: ArrayLike | None
) -> NDArray[Any] | None:
    if y is None:
        return labels_in(X, tree.roles, asked.rows)
    given = np.asarray(y)
    if len(given) != asked.n_given:
        raise DataError(
            f"y must have {asked.n_given:,} rows, as X. Got {len(given):,} instead."
        )  # fmt: skip
    return given[asked.rows]


def _truth(asked: ModelAnswers, labels: NDArray[Any] | None) -> TrueAccuracy | None:
    if labels is None:
        return None
    known = comparable(labels, asked.before, asked.regression)
    if not len(known):
        return None
    measured = (
        accuracy(labels[known], answers[known], regression=asked.regression)
        for answers in (asked.before, asked.after)
    )
    return TrueAccuracy(*measured)


def _disclosure(tree: ModelTree, asked: ModelAnswers) -> ModelDisclosure:
    table, generalization = asked.table, tree.generalization_
    named = () if tree.roles is None else tree.roles.quasi_identifiers
    places = [table.index(name) for name in named if name in table.names]
    places = places or list(range(len(table.names)))
    names = [table.names[place] for place in places]
    after = [generalization.names.index(name) for name in names]

    def measure(codes: NDArray[np.uint16], columns: Sequence[int]) -> Disclosure:
        kept = codes[:, columns]
        return disclosure(kept, (kept.max(axis=0).astype(np.int64) + 1).tolist())

    return ModelDisclosure(
        before=measure(table.codes, places),
        after=measure(generalization.apply_codes(table), after),
        recoded=measure(asked.fed, places),
        quasi_identifiers=tuple(names),
    )


def _settings(tree: ModelTree) -> dict[str, Any]:
    """The parameters that were given or have a default, in plain values."""
    given = {**tree.get_params(deep=False), "kept_in": tree.kept_in_}
    return {
        name: _plain(value)
        for name, value in given.items()
        if name not in _NOT_SETTINGS and value is not None
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray):
        return getattr(value, "__name__", type(value).__name__) if callable(value) else value
    return list(value)
