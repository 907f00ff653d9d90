"""How well the target is told: scores that are means of one loss for each person."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from sparsam._checks import check_choice
from sparsam._errors import ParameterError
from sparsam._small_counts import publish_interval, publish_share
from sparsam.attack import Interval, wilson_interval
from sparsam.data import Split, Task

Losses = NDArray[np.float64] | NDArray[np.bool_]
Counts = NDArray[np.int64]
Belief = NDArray[np.float32] | NDArray[np.float64]
"""For each record the share of each class or, where the target is a number, that number."""
Answers = Losses | NDArray[np.float32]
"""What a model's belief comes to for each person, as far as the score asks for it."""

AUTO = "auto"
LARGEST_MAJORITY = 0.65  # of the commonest class, for accuracy to tell what the data add
FEWEST_OF_CLASS = 30  # people of the test part, for a class to count on its own
_DOUBT = 1e-3  # that any class may come as a surprise: nothing is held to be impossible


@dataclass(frozen=True)
class Score:
    """How a model that tells the target is judged.

    Every score is the mean of one loss per person, so that two generalizations are compared on
    the same people, person by person.

    Attributes
    ----------
    name : str
        One of `SCORES`.
    why : str
        Why it was chosen, where it was not the user who did.
    groups : tuple of int
        For balanced accuracy, the group of each class: rare classes count together as one.
    scale : float
        What errors are rounded against when they are published: one, but for errors in the units of
        the target a power of ten.
    """

    name: str
    why: str = ""
    groups: tuple[int, ...] = ()
    scale: float = 1.0

    @property
    def kind(self) -> Kind:
        """What all scores of this name have in common."""
        return SCORES[self.name]

    def losses(self, belief: Belief, index: NDArray[np.int64], data: Split, part: str) -> Losses:
        """Judge what is believed of the people of a part, one loss for each of them.

        Parameters
        ----------
        belief : ndarray
            What is believed of each record: shares of classes, or one number.
        index : ndarray of int
            The record of each person.
        data : Split
        part : str
            The people who are judged.
        """
        return self.judge(self.answers(belief, index, data, part), getattr(data, part))

    def answers(self, belief: Belief, index: NDArray[np.int64], data: Split, part: str) -> Answers:
        """What is believed of the people of a part, as far as the score asks for it."""
        return self.kind.answers(self, belief, index, data, getattr(data, part))

    def judge(self, answers: Answers, people: Task, counts: Counts | None = None) -> Losses:
        """Judge answers among some people: one loss for each, whose mean is that of these people.

        Parameters
        ----------
        answers : ndarray
            As `answers` gives them.
        people : Task
            Those who were answered for: a whole part, or a group of it.
        counts : ndarray of int64, optional
            How many people each of them stands for; one when left out.
        """
        if self.kind.judge is None:
            return cast(Losses, answers)
        everyone = np.ones(len(answers), dtype=np.int64) if counts is None else counts
        return self.kind.judge(self, answers, people, everyone)

    def among(self, people: Task) -> Score | None:
        """The score that can judge a group of people; None where too few of them can tell.

        Of AUC and balanced accuracy at least two classes must have so many people that each counts
        on its own; rarer ones count together.
        """
        if self.name not in ("auc", "balanced accuracy"):
            return self
        groups = together(people.target, len(people.classes))
        counts = np.unique(np.asarray(groups)[people.target], return_counts=True)[1]
        if len(counts) < 2 or counts.min() < FEWEST_OF_CLASS:
            return None
        return self if self.name == "auc" else replace(self, groups=groups)

    def interval(self, losses: Losses, counts: Counts | None = None) -> Interval:
        """95 % interval of the mean loss, of people of whom each may stand for several."""
        people = len(losses) if counts is None else int(counts.sum())
        if self.name == "accuracy":
            wrong = losses.sum() if counts is None else counts[losses.astype(bool)].sum()
            return wilson_interval(int(wrong), people)
        if people < 2:
            return (0.0, self.kind.worst)
        mean = float(np.average(losses, weights=counts))
        variance = float(np.average((losses - mean) ** 2, weights=counts)) / (people - 1)
        half = math.sqrt(variance) * float(norm.ppf(0.975))
        return (max(0.0, mean - half), min(self.kind.worst, mean + half))

    def value(self, error: float) -> float:
        """The score that a mean loss stands for."""
        return 1.0 - error if self.kind.rises else error

    def publish(self, error: float | None, people: int) -> float | None:
        """Round an error so that it does not tell of fewer than five people."""
        if error is None or self.scale == 1:
            share: float | None = publish_share(error, people)
            return share
        share = publish_share(error / self.scale, people)
        return None if share is None else round(share * self.scale, 12)

    def publish_interval(self, interval: Interval, people: int) -> list[float | None] | None:
        """Round the ends of an interval of errors outwards."""
        scaled = [end / self.scale if math.isfinite(end) else None for end in interval]
        ends = publish_interval(scaled, people)
        return ends and [end if end is None else round(end * self.scale, 12) for end in ends]

    def loss_words(self, loss: float) -> str:
        """A loss of this score in words.

        Examples
        --------
        >>> Score("accuracy").loss_words(0.01), Score("auc").loss_words(0.025)
        ('1 point', '0.025')
        """
        if not self.kind.percent:
            return f"{loss:.3g}"
        number = f"{100 * loss:g}"
        return f"{number} point{'s' * (number != '1')}"

    def words(self, error: float) -> str:
        """The score that an error stands for, in words.

        Examples
        --------
        >>> Score("accuracy").words(0.2), Score("auc").words(0.2), Score("mae").words(1234.5)
        ('80.0 %', '0.800', '1,230')
        """
        value = self.value(error)
        if self.kind.percent:
            return f"{100 * value:z.1f} %"
        return f"{float(f'{value:.3g}'):,g}" if self.name == "mae" else f"{value:z.3f}"

    def check_loss(self, owner: str, name: str, loss: float) -> None:
        """Raise unless so much can be lost."""
        if not 0 <= loss <= self.kind.worst:
            span = "[0, 1]" if self.kind.worst == 1 else "[0, inf)"
            raise ParameterError(
                f"The '{name}' parameter of {owner} must be a float in {span}. Got {loss} instead."
            )


class Kind(NamedTuple):
    """What the scores of one name have in common.

    Attributes
    ----------
    words : str
        Its name in a sentence.
    answers : callable
        What a model's belief comes to for each person.
    judge : callable or None
        One loss for each person, from the answers; None where an answer is a loss already, which
        does not depend on the others who are judged.
    rises : bool
        Whether it is one less the mean loss; otherwise it is the mean loss itself.
    percent : bool
        Whether it is a share, told in per cent and lost in points.
    numbers : bool
        Whether it judges guesses of a number.
    worst : float
        The largest mean loss that makes sense.
    """

    words: str
    answers: Callable[[Score, Belief, NDArray[np.int64], Split, Task], Answers]
    judge: Callable[[Score, Answers, Task, Counts], Losses] | None = None
    rises: bool = True
    percent: bool = False
    numbers: bool = False
    worst: float = 1.0


def _wrong(
    score: Score, belief: Belief, index: NDArray[np.int64], data: Split, part: Task
) -> Answers:
    """Whether the likeliest class is not the true one."""
    return np.asarray(belief.argmax(axis=1)[index] != part.target)


def _wrong_in_group(
    score: Score, belief: Belief, index: NDArray[np.int64], data: Split, part: Task
) -> Answers:
    """The same for the class that is likelier than in the whole sample.

    A rare class counts as much as a common one.
    """
    groups = np.array(score.groups)
    people = np.bincount(groups[data.train.target], minlength=groups.max() + 1)
    guess = (belief / np.maximum(people[groups], 1)).argmax(axis=1)[index]
    return np.asarray(guess != part.target)


def _by_class(score: Score, wrong: Answers, people: Task, counts: Counts) -> Losses:
    """Whether each is wrong, each group of classes counting as much as any other."""
    group = np.array(score.groups)[people.target]
    return _mean_of_groups(wrong.astype(float), group, 1 / len(np.unique(group)), counts)


def _mean_of_groups(
    values: NDArray[np.float64], group: NDArray[np.int64], share: float, people: Counts
) -> Losses:
    """One value per person, whose mean is that of the groups' means and spreads as it does.

    Each is the person's distance from the mean of the own group, by the `share` that this mean has
    in the whole.
    """
    counts = np.maximum(np.bincount(group, people), 1)
    means = np.bincount(group, values * people) / counts
    mean = float(means[np.unique(group)].mean())
    weights = share * people.sum() / counts
    return np.asarray(mean + weights[group] * (values - means[group]))


def _surprise(
    score: Score, belief: Belief, index: NDArray[np.int64], data: Split, part: Task
) -> Answers:
    """Minus the logarithm of the share that the true class was given."""
    n_classes = belief.shape[1]
    shares = (1 - _DOUBT) * belief[index, part.target].astype(float) + _DOUBT / n_classes
    return np.asarray(-np.log(shares))


def _of_second(
    score: Score, belief: Belief, index: NDArray[np.int64], data: Split, part: Task
) -> Answers:
    """The share that the second of two classes is given."""
    return np.asarray(belief[index, 1])


def _misplaced(score: Score, shares: Answers, people: Task, counts: Counts) -> Losses:
    """Share of the other class that is ranked on the wrong side of the person; ties by half.

    These are one less the placement values of DeLong et al. (1988): their mean is one less the
    area under the curve, and they spread as it does.
    """
    second = people.target == 1
    if second.all() or not second.any():
        return np.full(len(second), 0.5)  # nobody to be told apart from
    _, place = np.unique(shares, return_inverse=True)
    seconds = np.bincount(place, second * counts)
    firsts = np.bincount(place, ~second * counts)
    above = 1 - (np.cumsum(firsts) - firsts / 2) / firsts.sum()
    below = (np.cumsum(seconds) - seconds / 2) / seconds.sum()
    placed = np.where(second, above[place], below[place])
    # the mean of either class is the whole of it, and either class spreads
    return _mean_of_groups(placed, second.astype(np.int64), 1.0, counts)


def _guessed(
    score: Score, belief: Belief, index: NDArray[np.int64], data: Split, part: Task
) -> Answers:
    """The number that is guessed."""
    return belief[index]


def _squared(score: Score, guesses: Answers, people: Task, counts: Counts) -> Losses:
    """Squared distance from the truth, against the variance; the mean is one less R²."""
    truth = _numbers(people)
    middle = float(np.average(truth, weights=counts))
    distance, spread = (guesses - truth) ** 2, (truth - middle) ** 2
    variance = float(np.average(spread, weights=counts))
    if variance == 0:
        return np.ones(len(truth))  # all people are alike: nothing can be told
    error = float(np.average(distance, weights=counts)) / variance
    # the variance is estimated on the same people, so that a ratio of two means is judged
    return np.asarray(error + (distance - error * spread) / variance)


def _distance(
    score: Score, belief: Belief, index: NDArray[np.int64], data: Split, part: Task
) -> Answers:
    """Distance from the truth, in its own units."""
    return np.asarray(np.abs(belief[index] - _numbers(part)), dtype=float)


def _numbers(part: Task) -> NDArray[np.float64]:
    assert part.numbers is not None  # `score_for` has seen to it
    return part.numbers


SCORES: Mapping[str, Kind] = {
    "accuracy": Kind("accuracy", _wrong, percent=True),
    "balanced accuracy": Kind("balanced accuracy", _wrong_in_group, _by_class, percent=True),
    "log loss": Kind("log loss", _surprise, rises=False, worst=math.inf),
    "auc": Kind("AUC", _of_second, _misplaced),
    "r2": Kind("R²", _guessed, _squared, numbers=True, worst=math.inf),
    "mae": Kind("mean absolute error", _distance, rises=False, numbers=True, worst=math.inf),
}
ACCURACY = Score("accuracy")


def score_for(data: Split, score: str | Score = AUTO) -> Score:
    """The score that a user names, or the one that fits the target.

    Parameters
    ----------
    data : Split
    score : str or Score, default="auto"
        "accuracy", "balanced accuracy", "log loss" or "auc" (two classes) where the target has
        classes, "r2" or "mae" where it is a number. "auto" is R² for a number; accuracy where the
        commonest class has at most 65 % of the people; otherwise AUC for two classes and balanced
        accuracy for more.

    Returns
    -------
    Score
    """
    if isinstance(score, Score):
        return score
    check_choice("score_for", "score", score, (AUTO, *SCORES))
    task, why = data.train, ""
    if score == AUTO:
        score, why = _fitting(task)
    kind, n_classes = SCORES[score], len(task.classes)
    if kind.numbers != (task.numbers is not None):
        target = "classes" if task.numbers is None else "a number"
        fit = [name for name, other in SCORES.items() if other.numbers != kind.numbers]
        raise ParameterError(
            f"The score {score!r} must fit the target. '{task.target_name}' is {target}."
            f"\n\nHint: one of {', '.join(fit)}."
        )
    if score == "auc" and n_classes != 2:
        raise ParameterError(
            f"The score 'auc' is for two classes. '{task.target_name}' has {n_classes}."
            "\n\nHint: 'balanced accuracy' or 'log loss'."
        )
    groups = together(data.test.target, n_classes) if score == "balanced accuracy" else ()
    return Score(score, why, groups, _scale(task) if score == "mae" else 1.0)


def _fitting(task: Task) -> tuple[str, str]:
    """The score that fits a target, and why."""
    if task.numbers is not None:
        return "r2", "the target is a number"
    majority = float(np.bincount(task.target).max() / max(1, task.n_rows))
    if majority <= LARGEST_MAJORITY:
        return "accuracy", "no class is much more common than the others"
    told = publish_share(majority, task.n_rows)
    why = "one class is much more common than the others"
    if told is not None:
        why = f"the commonest class has {100 * told:.3g} % of the people"
    return ("auc" if len(task.classes) == 2 else "balanced accuracy"), why


def together(target: NDArray[np.uint16], n_classes: int) -> tuple[int, ...]:
    """The group of each class: its own, but one for all classes that few of these people have.

    Where these are few together too, they join the rarest of the others.
    """
    counts = np.bincount(target, minlength=n_classes)
    group = np.arange(n_classes)
    rare = counts < FEWEST_OF_CLASS
    if n_classes > 2 and rare.any() and not rare.all():
        common = np.flatnonzero(~rare)
        joins = int(np.flatnonzero(rare)[0])
        if counts[rare].sum() < FEWEST_OF_CLASS and len(common) > 1:
            joins = int(common[counts[common].argmin()])
        group[rare] = joins
    return tuple(np.unique(group, return_inverse=True)[1].tolist())


def _scale(task: Task) -> float:
    """A power of ten that is no more than the mean distance of the numbers from their median."""
    numbers = _numbers(task)
    spread = float(np.abs(numbers - np.median(numbers)).mean())
    return 10.0 ** math.floor(math.log10(spread)) if spread > 0 else 1.0
