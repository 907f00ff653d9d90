"""Find one generalization that serves several purposes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from itertools import chain
from typing import Any

import numpy as np
from joblib import cpu_count, parallel_config
from numpy.typing import NDArray

from sparsam._checks import check_number, check_share, suggestion
from sparsam._errors import ParameterError
from sparsam.assess._candidates import (
    MINIMISERS,
    Candidate,
    default_candidates,
    without_repeats,
)
from sparsam.assess._choice import Choice, NothingFitsError, TooFewPeopleError
from sparsam.assess._evidence import TOO_FEW
from sparsam.assess._front import Front
from sparsam.assess._point import Point
from sparsam.assess._score import AUTO, Score, score_for
from sparsam.assess.purposes._judging import Judge, JudgedCandidate
from sparsam.assess.purposes._purposes_choice import PurposesChoice
from sparsam.assess.purposes._showing import Shown, show_for_all
from sparsam.attack import Reconstruction
from sparsam.data import (
    Purposes,
    PurposeSplits,
    Roles,
    Task,
    resolve_purposes,
    split_purposes,
)
from sparsam.generalization import Generalization
from sparsam.minimise import (
    MAX_RANGES,
    Constraints,
    FeatureSelection,
    Merging,
    coarsenings,
    rare_together,
)

Progress = Callable[[int, int], None]
# How much of its limit a purpose may lose on validation data, where what each needs is combined.
_LEVELS = (0.25, 0.5, 1.0)
_PATH = 24  # the most candidates that are merged from each such combination
# Of the attributes that are kept, how many are taken as coarsely as they were merged.
_COARSER = (0.0, 0.5, 1.0)


def minimise_for_purposes(
    data: Any,
    roles: Roles | None = None,
    *,
    max_utility_loss: float | Mapping[str, float] | None = None,
    confidence: float = 0.95,
    minimisers: Sequence[str] = MINIMISERS,
    min_leaf: int = 100,
    constraints: Constraints | Mapping[str, Constraints] | None = None,
    adversary: Reconstruction | None = None,
    random_state: int = 0,
    score: str | Mapping[str, str] = AUTO,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> PurposesChoice:
    """Find the least data that serves several purposes at once, and what each alone would need.

    Parameters
    ----------
    data : frame, Table, path, Purposes or PurposeSplits
        A sample at full resolution. What one purpose predicts is no attribute of another; each is
        judged on the people who have its target.
    roles : Roles, optional
        With several targets. Needed unless the data are `Purposes` or `PurposeSplits`.
    max_utility_loss : float or mapping of str to float, optional
        What each purpose may lose against everything collected, in units of its score: one limit
        for all, or one for each target. Where nothing is said it is what `Front.choose` takes: one
        point, or the smallest loss that the people of the purpose can be expected to show.
    confidence : float, default=0.95
        How sure it must be that every purpose keeps its limit.
    minimisers : sequence of str
        As for `sweep`.
    min_leaf : int, default=100
    constraints : Constraints or mapping of str to Constraints, optional
        For all purposes, or those of each: what one must keep is kept for all, what one forbids
        is collected for none.
    adversary : Reconstruction, optional
    random_state : int, default=0
    score : str or mapping of str to str, default="auto"
        As for `sweep`: for all purposes, or for each.
    n_jobs : int, optional
        Threads to use; as many as there are cores when not given. The result does not depend on it.
    progress : callable, optional
        Called with (done, total) after each assessment; the total grows on the way.

    Returns
    -------
    PurposesChoice

    Notes
    -----
    *Candidates.* The minimisers learn for each purpose alone, and for a target that stands for all:
    the combinations of their classes. What the purposes need on their own is combined (the common
    refinement), and merged again as far as the combined target allows; the attributes that some
    purpose needs most are also taken in more detail. All this is learned on the training part
    and picked on the validation part.

    *Choice.* On the test part, candidates are tested from the most useful to the one with the
    fewest attributes, until the first for which not every purpose is shown to keep its limit; a
    tenth of what may go wrong is kept for others that may protect more. Of those shown, the one
    that protects most is chosen; of those that protect alike, the one with the fewest attributes.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "sex", "disability", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> roles = sp.Roles(targets=["employed", "disability"])
    >>> choice = minimise_for_purposes(people, roles, max_utility_loss=0.2, minimisers=["uniform"])
    >>> choice.generalization.collected
    ('age',)
    """
    check_share("minimise_for_purposes", "confidence", confidence, above=True)
    parts = _split(data, roles, random_state)
    scores = _scores(parts, score)
    named = named_limits(max_utility_loss, scores)
    demands = combined_constraints(constraints, parts.names)
    demands.check(parts.together.train)
    n_jobs = n_jobs or cpu_count()
    adversary = adversary or Reconstruction(random_state=random_state)
    judge = Judge(parts, scores, adversary, random_state, n_jobs)
    search = _Search(judge, demands, tuple(minimisers), min_leaf, progress)
    alone = search.alone()
    fronts = {name: _front(judge, name, found) for name, found in alone.items()}
    losses = {
        name: named[name] if name in named else front.smallest_loss(confidence)
        for name, front in fronts.items()
    }
    candidates = list(search.together(losses))
    showing = show_for_all(candidates, judge.limits, losses, confidence)
    if showing.chosen is None:
        raise _nothing_fits(judge, showing.shown, confidence)
    choices = {
        name: _choice_alone(judge, name, [*alone[name], *candidates], losses[name], confidence)
        for name in parts.names
    }
    return PurposesChoice(
        chosen=showing.chosen,
        shown=showing.shown,
        alone=choices,
        apart=_apart(judge, choices),
        limits=judge.limits,
        data=parts,
        confidence=confidence,
        n_tried=len(candidates) + sum(map(len, alone.values())),
        n_tested=showing.n_tested,
        n_others=showing.n_others,
        limit_words={
            name: "" if name in named else front.limit_words(losses[name], confidence)
            for name, front in fronts.items()
        },
    )


def _split(data: Any, roles: Roles | None, random_state: int) -> PurposeSplits:
    if isinstance(data, PurposeSplits):
        return data
    if isinstance(data, Purposes):
        return split_purposes(data, random_state=random_state)
    if roles is None:
        raise ParameterError(
            "Several purposes need to know what each attribute is for.\n\n"
            "Hint: minimise_for_purposes(data, Roles(targets=['...', '...']))"
        )
    purposes = resolve_purposes(data, roles, look_for_leaks=True)
    return split_purposes(purposes, random_state=random_state)


def _scores(data: PurposeSplits, score: str | Mapping[str, str]) -> dict[str, Score]:
    named = {} if isinstance(score, str) else dict(score)
    _check_purposes("score", named, data.names)
    default = score if isinstance(score, str) else AUTO
    return {name: score_for(part, named.get(name, default)) for name, part in data.parts.items()}


def named_limits(
    limit: float | Mapping[str, float] | None, scores: Mapping[str, Score]
) -> dict[str, float]:
    """What each purpose may lose, as far as it is said.

    Parameters
    ----------
    limit : float, mapping of str to float, or None
        One for all, or one for each of some purposes.
    scores : mapping of str to Score
        By purpose.

    Examples
    --------
    >>> named_limits(0.02, {"works": Score("accuracy"), "rich": Score("auc")})
    {'works': 0.02, 'rich': 0.02}
    """
    if limit is None:
        return {}
    named = dict(limit) if isinstance(limit, Mapping) else dict.fromkeys(scores, limit)
    _check_purposes("max_utility_loss", named, tuple(scores))
    for name, loss in named.items():
        check_number("minimise_for_purposes", "max_utility_loss", loss)
        scores[name].check_loss("minimise_for_purposes", "max_utility_loss", loss)
    return {name: float(loss) for name, loss in named.items()}


def _check_purposes(parameter: str, named: Mapping[str, Any], purposes: Sequence[str]) -> None:
    for name in named:
        if name not in purposes:
            raise ParameterError(
                f"The '{parameter}' parameter names '{name}', which is not a purpose."
                f"{suggestion(name, purposes)}"
            )


def combined_constraints(
    constraints: Constraints | Mapping[str, Constraints] | None, purposes: Sequence[str]
) -> Constraints:
    """What all purposes demand together.

    Parameters
    ----------
    constraints : Constraints, mapping of str to Constraints, or None
        For all purposes, or by purpose.
    purposes : sequence of str

    Examples
    --------
    >>> own = {"works": Constraints(must_keep=["age"]), "rich": Constraints(must_drop=["race"])}
    >>> both = combined_constraints(own, ("works", "rich"))
    >>> both.must_keep, both.must_drop
    (('age',), ('race',))
    """
    if constraints is None or isinstance(constraints, Constraints):
        return constraints or Constraints()
    _check_purposes("constraints", constraints, purposes)
    for keeper, demands in constraints.items():
        for other, others in constraints.items():
            both = set(demands.must_keep) & {*others.must_drop, *others.max_buckets}
            if both:
                raise ParameterError(
                    f"The purposes contradict each other: '{keeper}' must keep '{min(both)}' at "
                    f"full resolution, and '{other}' forbids it."
                    "\n\nHint: collect separately for these purposes, or give up one demand."
                )
    every = list(constraints.values())
    ranges = [demands.max_ranges for demands in every if demands.max_ranges is not None]
    return Constraints(
        must_keep=tuple(dict.fromkeys(name for d in every for name in d.must_keep)),
        must_drop=tuple(dict.fromkeys(name for d in every for name in d.must_drop)),
        max_buckets={
            name: min(d.max_buckets[name] for d in every if name in d.max_buckets)
            for d in every
            for name in d.max_buckets
        },
        max_ranges=min(ranges) if ranges else None,
        hierarchies={name: tree for d in every for name, tree in d.hierarchies.items()},
    )


class _Search:
    """Finds candidates on the training part, and has them judged."""

    def __init__(
        self,
        judge: Judge,
        constraints: Constraints,
        minimisers: tuple[str, ...],
        min_leaf: int,
        progress: Progress | None,
    ) -> None:
        self._judge, self._constraints = judge, constraints
        self._minimisers, self._min_leaf, self._progress = minimisers, min_leaf, progress
        self._done = self._total = 0
        # rare categories are the same for all purposes: they share one artifact
        self._people = rare_together(judge.data.together.train, constraints)
        self._alone: dict[str, list[JudgedCandidate]] = {}

    def alone(self) -> dict[str, list[JudgedCandidate]]:
        """What is found for each purpose on its own, judged for that purpose."""
        found = {
            name: without_repeats(chain(candidates, self._most_needed([name], candidates)))
            for name in self._judge.data.names
            for candidates in [self._found(self._of_purpose(name))]
        }
        self._total += sum(map(len, found.values()))
        self._alone = {
            name: list(self._judged(candidates, (name,))) for name, candidates in found.items()
        }
        return self._alone

    def together(self, losses: Mapping[str, float]) -> Iterator[JudgedCandidate]:
        """What is found for all purposes, each of which may lose so much, judged for all."""
        candidates = self._found(self._people)
        for level in _LEVELS:
            candidates += self._combined(
                {name: level * loss for name, loss in losses.items()}, level
            )
        candidates += self._most_needed(self._judge.data.names, candidates)
        everything = sum(self._people.sizes)
        distinct = [
            candidate
            for candidate in without_repeats(iter(candidates))
            if candidate.generalization.n_buckets < everything
        ]
        self._total += len(distinct)
        return self._judged(distinct, None)

    def _of_purpose(self, name: str) -> Task:
        people = self._people.table.take(self._judge.data.people[name]["train"])
        train = self._judge.data.parts[name].train
        return replace(train, table=people, rare=self._people.rare)

    def _found(self, task: Task) -> list[Candidate]:
        with parallel_config("threading", n_jobs=self._judge.n_jobs):
            candidates = default_candidates(
                task,
                self._minimisers,
                min_leaf=self._min_leaf,
                constraints=self._constraints,
                random_state=self._judge.random_state,
            )
            return without_repeats(candidates)

    def _combined(self, losses: Mapping[str, float], level: float) -> Iterator[Candidate]:
        """What the purposes need on their own, put together and merged again."""
        own = [self._needed(name, loss) for name, loss in losses.items()]
        finest = reduce(lambda first, second: first.intersect(second), own)
        parameters = {"level": level}
        if self._allowed(finest):
            yield Candidate("common refinement", parameters, finest)
        minimiser = Merging(
            min_leaf=self._min_leaf,
            max_path=_PATH,
            constraints=self._constraints,
            random_state=self._judge.random_state,
        )
        with parallel_config("threading", n_jobs=self._judge.n_jobs):
            path = coarsenings(finest, self._people, minimiser)
        for step, coarser in enumerate(path):
            yield Candidate("merged refinement", {**parameters, "step": step}, coarser)

    def _most_needed(
        self, purposes: Sequence[str], found: Sequence[Candidate]
    ) -> Iterator[Candidate]:
        """The attributes that some purpose needs most in detail, one fewer at a time.

        Those of them that are needed least also as coarsely as the finest that was merged: between
        everything and what is merged there is little else that can be shown step by step.
        """
        names, kept_always = self._people.names, self._constraints.must_keep
        told = np.max([self._importance[purpose] for purpose in purposes], axis=0)
        ranked = [names[a] for a in np.argsort(-told, kind="stable")]
        ranked = [name for name in ranked if self._detailed[name].collected]
        ranked.sort(key=lambda name: name not in kept_always)
        merged = self._finest_merged(found)
        nothing = Generalization.nothing(self._people.table)
        for keep in range(max(1, len(kept_always)), len(ranked) + 1):
            for share in _COARSER:
                coarser = {*ranked[keep - round(share * keep) : keep]} - {*kept_always}
                kept = {*ranked[:keep]} - coarser
                parts = [
                    self._detailed[name]
                    if name in kept or (name in coarser and not merged[name].collected)
                    else merged[name]
                    if name in coarser
                    else nothing[name]
                    for name in names
                ]
                yield Candidate(
                    "most needed",
                    {"keep": keep, "coarser": len(coarser)},
                    Generalization(parts, about=self._detailed.about),
                )

    def _finest_merged(self, found: Sequence[Candidate]) -> Generalization:
        """The most detailed of what was merged, or all detail where nothing was."""
        merged = [c.generalization for c in found if c.minimiser == "merging"]
        return max(merged, key=lambda each: each.n_buckets, default=self._detailed)

    @cached_property
    def _detailed(self) -> Generalization:
        """All attributes that may be collected, numbers in as many ranges as people can answer."""
        return self._selection("anova").fit_task(self._people).generalization_

    @cached_property
    def _importance(self) -> dict[str, NDArray[np.float64]]:
        """For each purpose how much each attribute tells beside all others; the most is one.

        Where the data tell nothing of a purpose, what seems to is noise, and counts as nothing.
        """
        scores = {
            name: self._selection("importance").fit_task(self._of_purpose(name)).scores_
            for name in self._judge.data.names
        }
        return {
            name: limits.tells * scores[name] / max(float(scores[name].max()), 1e-12)
            for name, limits in self._judge.limits.items()
        }

    def _selection(self, criterion: str) -> FeatureSelection:
        return FeatureSelection(
            keep=len(self._people.names),
            criterion=criterion,
            max_ranges=MAX_RANGES,
            constraints=self._constraints,
        )

    def _needed(self, name: str, most: float) -> Generalization:
        """The safest candidate that loses little on validation data, else the most useful."""
        limits = self._judge.limits[name]

        def lost(judged: JudgedCandidate) -> float:
            return limits.loss(judged.assessments[name], "validation")[0]

        inside = [judged for judged in self._alone[name] if lost(judged) <= most]
        if not inside:
            return min(self._alone[name], key=lost).generalization
        return max(inside, key=lambda judged: judged.validation_risk).generalization

    def _allowed(self, generalization: Generalization) -> bool:
        most = self._constraints.max_buckets
        return all(generalization[name].n_buckets <= most[name] for name in most)

    def _judged(
        self, candidates: Sequence[Candidate], purposes: Sequence[str] | None
    ) -> Iterator[JudgedCandidate]:
        for judged in self._judge.judge(candidates, purposes):
            self._done += 1
            if self._progress is not None:
                self._progress(self._done, self._total)
            yield judged


def _nothing_fits(judge: Judge, shown: Mapping[str, Shown], confidence: float) -> NothingFitsError:
    """Why not even the most useful candidate will do."""
    for name, limits in judge.limits.items():
        if not limits.evidence.enough:
            return TooFewPeopleError(
                f"There are {TOO_FEW} what the purpose '{name}' needs: {limits.evidence.words}."
                "\n\nHint: give more records, or allow a larger loss."
            )
    if not shown:
        return NothingFitsError(
            "No generalization collects less than everything, within what was demanded."
        )
    name = max(shown, key=lambda name: shown[name].p_value)
    score, bound = judge.limits[name].score, shown[name].bound
    may_lose = f"{100 * bound:.1f}" if score.kind.percent else score.loss_words(bound)
    return NothingFitsError(
        f"No generalization is certain to serve all purposes: for '{name}' the most useful may "
        f"lose {may_lose} of {score.kind.words} (with {100 * confidence:g} % confidence), where "
        f"{score.loss_words(shown[name].limit)} may be lost."
        "\n\nHint: allow this purpose a larger loss, collect for it separately, or give more "
        "records."
    )


def _choice_alone(
    judge: Judge, name: str, judged: Sequence[JudgedCandidate], loss: float, confidence: float
) -> Choice | None:
    """What a purpose would need on its own; None where nothing can be shown for it."""
    try:
        return _front(judge, name, judged).choose(max_utility_loss=loss, confidence=confidence)
    except NothingFitsError:
        return None


def _front(judge: Judge, name: str, judged: Sequence[JudgedCandidate]) -> Front:
    """What was found, as a purpose sees it."""
    points = [Point(each.candidate, each.assessments[name]) for each in judged]
    return Front(points, judge.limits[name], judge.data.parts[name])


def _apart(judge: Judge, choices: Mapping[str, Choice | None]) -> JudgedCandidate | None:
    """What would be known if each purpose collected for itself: the choices put together."""
    own = [choice.generalization for choice in choices.values() if choice is not None]
    if len(own) < len(choices):
        return None
    finest = reduce(lambda first, second: first.intersect(second), own)
    [judged] = judge.judge([Candidate("collected apart", {}, finest)])
    return judged
