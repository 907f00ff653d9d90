"""Does the promise of an artifact still hold for later people?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from sparsam._checks import check_choice, check_share, check_whole, wrong_parameter
from sparsam._documents import plain_parts
from sparsam._errors import DataError, hint
from sparsam._joined import supplied
from sparsam._small_counts import publish_share, published_repr, share_step, suppress
from sparsam.assess._evidence import FEWEST_PEOPLE
from sparsam.assess._score import AUTO, Losses
from sparsam.assess._utility import Classifier, Utility
from sparsam.assess.over_time._baseline import Baseline, Known
from sparsam.assess.over_time._changes import (
    MIN_CHANGE,
    Change,
    appeared,
    compare,
    holm,
    level_of,
    show,
    weight_of,
)
from sparsam.assess.over_time._looks import Look
from sparsam.assess.over_time._people import People, full_tasks, read_people
from sparsam.assess.over_time._promise import (
    BROKEN,
    HOLDS,
    TOO_FEW,
    Held,
    Judged,
    in_turns,
    judge,
    loss_now,
    risk_now,
    spared,
)
from sparsam.attack import GeneralizedRecords, Reconstruction
from sparsam.data import Roles, Split, Task, split
from sparsam.generalization import Generalization

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FAR = 3  # times the smallest change that matters: what people must be able to show
_ONE_BUCKET = 0.99  # share of people in one bucket, from which an attribute tells nobody apart
_ROOM = 0.01  # of utility, where no limit was promised: to name attributes that are not needed


@dataclass(frozen=True, repr=False)
class Monitoring:
    """Later people against the evidence of an artifact.

    Attributes
    ----------
    generalization : Generalization
    baseline : Baseline
        The people then, in published form.
    people : int
        Later people.
    generalized : bool
        Whether only their generalized records are known.
    changes : tuple of Change
        Every share that was compared.
    held : tuple of Held
        The promises that could be measured.
    utility : Utility or None
        What the records tell of the target now.
    spared : tuple of str
        Attributes that are no longer needed, each on its own.
    unknown : tuple of str
        What could not be measured, and why.
    compared_with : str
        The people then, in words.
    look : int
    confidence, min_change : float
    random_state : int
    earlier : tuple of Look
    """

    generalization: Generalization
    baseline: Baseline
    people: int
    generalized: bool
    changes: tuple[Change, ...]
    held: tuple[Held, ...]
    utility: Utility | None
    spared: tuple[str, ...]
    unknown: tuple[str, ...]
    compared_with: str
    look: int
    confidence: float
    min_change: float
    random_state: int = 0
    earlier: tuple[Look, ...] = ()

    @property
    def shown(self) -> tuple[Change, ...]:
        """The changes that are shown to be more than matters."""
        return tuple(change for change in self.changes if change.shown)

    @cached_property
    def carriers(self) -> dict[str, list[str]]:
        """For each kind of change that was shown the attributes, those that carry most first."""
        kinds = dict.fromkeys(change.kind for change in self.shown)
        return {kind: self._carriers(kind) for kind in kinds}

    def _carriers(self, kind: str) -> list[str]:
        names = dict.fromkeys(c.attribute for c in self.shown if c.kind == kind)
        weights = {
            name: weight_of(
                c for c in self.changes if (c.kind, c.attribute) == (kind, name) and not c.whole
            )
            for name in names
        }
        return sorted(names, key=lambda name: -weights[name])

    @property
    def smallest(self) -> float:
        """The change of a share that so many people can show: of a bucket with half of them."""
        return self.min_change + self._noise * math.sqrt(
            0.25 / self.people + 0.25 / self.baseline.people
        )

    @property
    def _noise(self) -> float:
        level = level_of(self.look, self.confidence) / 2
        return float(norm.isf(level / max(1, len(self.changes))))

    @property
    def needed(self) -> int | None:
        """About how many later people it takes; None where the people then are too few."""
        room = (_FAR - 1) * self.min_change / self._noise
        left = room**2 - 0.25 / self.baseline.people
        if left <= 0:
            return None
        needed = max(FEWEST_PEOPLE, math.ceil(0.25 / left))
        unit = 10 ** max(0, math.floor(math.log10(needed)) - 1)
        return int(math.ceil(needed / unit) * unit)

    @property
    def enough(self) -> bool:
        """Whether there are enough people to notice a change that is large."""
        return self.people >= FEWEST_PEOPLE and self.smallest <= _FAR * self.min_change

    @property
    def verdict(self) -> str:
        """Whether the promise holds: "holds", "does not hold" or "too few people to tell"."""
        if not self.enough:
            return TOO_FEW
        if self.shown or any(held.verdict == BROKEN for held in self.held):
            return BROKEN
        return TOO_FEW if any(held.verdict == TOO_FEW for held in self.held) else HOLDS

    @property
    def changed(self) -> tuple[str, ...]:
        """The attributes that were shown to have changed in any way, the target among them."""
        return tuple(dict.fromkeys(name for names in self.carriers.values() for name in names))

    @property
    def advice(self) -> dict[str, list[str]]:
        """What to do, and because of which attributes.

        "keep" the artifact; "refit" it on later people; "repair" where values come from that
        nobody had then; "protect" people more, since more can be recovered; "coarsen" it by
        attributes that are no longer needed; "wait" for more people.
        """
        if not self.enough:
            return {"wait": []}
        advice: dict[str, list[str]] = {}
        strange = [*self.carriers.get("refused", ()), *self.carriers.get("unseen", ())]
        if strange:
            advice["repair"] = list(dict.fromkeys(strange))
        broken = [held.what for held in self.held if held.verdict == BROKEN]
        moved = [
            n for kind in ("error", "class", "share", "target") for n in self.carriers.get(kind, ())
        ]
        if moved or "utility loss" in broken:
            advice["refit"] = list(dict.fromkeys(moved))
        if "risk" in broken:
            advice["protect"] = []
        if self.spared:
            advice["coarsen"] = list(self.spared)
        if self.verdict == TOO_FEW:
            advice["wait"] = []
        return advice if set(advice) - {"coarsen"} else {"keep": [], **advice}

    def plot(
        self,
        ax: Axes | None = None,
        *,
        about: Literal["people", "target"] = "people",
        **style: Any,
    ) -> Axes:
        """Draw the shares of people that changed most, then and now.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own when left out.
        about : {"people", "target"}, default="people"
            Who the people are, or whether the records still tell the target.
        **style
            `title`, `figsize`, `colors`, `legend`, and properties of matplotlib's markers,
            such as `markersize`.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import sparsam as sp
        >>> people, roles = sp.load_example().take(range(2000)), sp.Roles("employed")
        >>> tree = sp.PrivacyTree(roles, max_leaves=4).fit(people)
        >>> look = monitor(tree.generalization_, people, roles, baseline=people)
        >>> look.plot().get_title(loc="left")
        'Who the people were and are...'
        """
        check_choice("plot", "about", about, ("people", "target"))
        axes: Axes = supplied("plot_monitoring")(self, ax, about, **style)
        return axes

    def as_look(self, date: str) -> Look:
        """This look, for the history: figures only."""
        figures = {held.what: held.to_dict()["now"] for held in self.held}
        return Look(
            date=date,
            people=suppress(self.people),
            verdict=self.verdict,
            changed=self.changed,
            utility_loss=figures.get("utility loss"),
            recovered=figures.get("risk"),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published."""
        promise = self.baseline.promise
        return {
            "verdict": self.verdict,
            "enough": self.enough,
            "needed": None if self.enough else self.needed,
            "people": suppress(self.people),
            "then": suppress(self.baseline.people),
            "compared_with": self.compared_with,
            "generalized": self.generalized,
            "look": self.look,
            "confidence": self.confidence,
            "min_change": self.min_change,
            "seed": self.random_state,
            "smallest": round(self.smallest, 3),
            "promise": None if promise is None else promise.words,
            "held": [held.to_dict() for held in self.held],
            "utility": None if self.utility is None else self.utility.to_dict(),
            "target": None if self.baseline.target is None else self.baseline.target.name,
            "advice": self.advice,
            "carriers": self.carriers,
            "changes": [change.to_dict() for change in self.changes],
            "spared": list(self.spared),
            "unknown": list(self.unknown),
            "collected": list(self.generalization.collected),
            "earlier": [plain_parts(look) for look in self.earlier],
        }

    def __repr__(self) -> str:
        return published_repr(self)


def monitor(
    generalization: Generalization,
    data: Any,
    roles: Roles | None = None,
    *,
    baseline: Any = None,
    max_utility_loss: float | None = None,
    max_risk: float | None = None,
    score: str | None = None,
    min_change: float = MIN_CHANGE,
    confidence: float = 0.95,
    look: int | None = None,
    earlier: Sequence[Look] = (),
    random_state: int = 0,
) -> Monitoring:
    """Compare later people with those that a generalization was learned from.

    What the generalization carries of them, in published form, is the evidence: the share of
    people in each bucket, how the target was spread over the buckets, what was promised.

    Parameters
    ----------
    generalization : Generalization
        As `Choice.generalization` and `sparsam minimise` give it, with its evidence.
    data : frame, path or mapping
        Later people: at full resolution, or as generalized records (labels), with the target where
        it is known.
    roles : Roles, optional
        What is said of the table, beside what the generalization carries.
    baseline : frame, path or mapping, optional
        The people that it was learned from, or others who stand for them: where it carries no
        evidence, or for models that learn from them and are judged on later people.
    max_utility_loss, max_risk : float, optional
        The promise, where the generalization carries none.
    score : str, optional
        What utility is measured by; that of the promise by default.
    min_change : float, default=0.05
        The smallest change of a share of people that matters. Of a small share it is half of that
        share, but at least a fifth of this.
    confidence : float, default=0.95
        How sure it must be that no alarm is false, over all looks together.
    look : int, optional
        The number of this look, from 1: each later one is stricter. One more than the earlier ones.
    earlier : sequence of Look
        What looks before this one said.
    random_state : int, default=0

    Returns
    -------
    Monitoring

    Notes
    -----
    Half of the doubt of a look is for shares of people, all of them together (Holm), the other
    half for the promise.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> tree = sp.PrivacyTree(max_leaves=4)
    >>> front = sp.sweep(people, sp.Roles("employed"), minimisers=tree, repeats=1)
    >>> chosen = front.choose().generalization
    >>> later = sp.load_example().select(columns).take(range(2000, 4000)).to_dict()
    >>> monitor(chosen, later).verdict
    'holds'
    """
    check_share("monitor", "min_change", min_change, above=True)
    if not 0 < confidence < 1:
        raise wrong_parameter("monitor", "confidence", "a float in (0, 1)", confidence)
    look = len(earlier) + 1 if look is None else look
    check_whole("monitor", "look", look, 1)
    people = read_people(generalization, data, roles)
    then, reference = _reference(generalization, baseline, roles, random_state)
    promise = then.promise
    if promise is not None:
        max_utility_loss = (
            promise.max_utility_loss if max_utility_loss is None else max_utility_loss
        )
        max_risk = promise.max_risk if max_risk is None else max_risk
        score = promise.score if score is None else score
    level = level_of(look, confidence) / 2
    run = _Run(
        generalization=generalization,
        people=people,
        then=then,
        reference=reference,
        max_utility_loss=max_utility_loss,
        max_risk=max_risk,
        score=AUTO if score is None else score,
        level=level,
        min_change=min_change,
        random_state=random_state,
    )
    held, utility, needless, unknown = run.measured()
    return Monitoring(
        generalization=generalization,
        baseline=then,
        people=people.n_people,
        generalized=people.generalized,
        changes=show(run.changes(), level),
        held=held,
        utility=utility,
        spared=tuple(dict.fromkeys((*run.in_one_bucket(), *needless))),
        unknown=unknown,
        compared_with=(
            "what the artifact says of the people it was learned from"
            if reference is None
            else "the people of the baseline"
        ),
        look=look,
        confidence=confidence,
        min_change=min_change,
        random_state=random_state,
        earlier=tuple(earlier),
    )


def _reference(
    generalization: Generalization, table: Any, roles: Roles | None, random_state: int
) -> tuple[Baseline, People | None]:
    """The people then: as the artifact tells of them, or as they are given."""
    carried = Baseline.carried_by(generalization)
    if table is None:
        if carried is None:
            raise DataError(
                "The artifact carries no evidence of the people it was learned from, to compare "
                "later ones with: it is older than that, or was not made by a choice."
                + hint(
                    "give the people it was learned from: monitor(..., baseline=old)",
                    "give a table of the people it was learned from: --baseline old.parquet",
                )
            )
        return carried, None
    people = read_people(generalization, table, roles)
    promise = None if carried is None else carried.promise
    seen = tested = None
    if people.known is not None and people.known.task.n_rows >= FEWEST_PEOPLE:
        parts = split(people.known.task, random_state=random_state)
        seen, tested = (
            Known({name: part.table.column(name) for name in people.columns}, part)
            for part in (parts.train.join(parts.validation), parts.test)
        )
    unlisted = {name: column.unseen for name, column in people.columns.items()}
    return Baseline.of(generalization, people.buckets, unlisted, seen, tested, promise), people


@dataclass(frozen=True, repr=False)
class _Run:
    """What one look compares, and how."""

    generalization: Generalization
    people: People
    then: Baseline
    reference: People | None
    max_utility_loss: float | None
    max_risk: float | None
    score: str
    level: float
    min_change: float
    random_state: int

    def changes(self) -> Iterator[Change]:
        """Every share that can be compared, then and now."""
        n_now, n_then = self.people.n_people, self.then.people
        for name, column in self.people.columns.items():
            labels = self.generalization[name].labels
            counts = np.bincount(column.buckets[column.buckets >= 0], minlength=len(labels))
            size = len(labels)
            yield from compare(
                "share", name, labels, self.then.shares[name], [n_then] * size,
                counts.tolist(), [n_now] * size, self.min_change,
            )  # fmt: skip
            if not self.people.generalized:
                unlisted = self.then.share_unlisted(name)
                if unlisted:
                    yield from compare(
                        "unseen", name, [None], [unlisted], [n_then],
                        [column.unseen], [n_now], self.min_change,
                    )  # fmt: skip
                else:
                    yield appeared("unseen", name, column.unseen, n_now, self.min_change)
                yield appeared("refused", name, column.refused, n_now, self.min_change)
        if self.then.target is not None and self.people.known is not None:
            yield from self._changes_of_target(self.people.known)

    def _changes_of_target(self, known: Known) -> Iterator[Change]:
        target = self.then.target
        assert target is not None  # seen to by the caller
        codes, n_now = target.codes(known.task), known.task.n_rows
        rest = max(0.0, 1 - sum(target.shares))
        # no line for other classes where there are none, but for what shares were rounded by
        size = len(target.labels)
        if not (codes == size - 1).any() and rest <= size * share_step(self.then.people):
            size -= 1
        yield from compare(
            "target", target.name, target.labels[:size], [*target.shares, rest][:size],
            [self.then.people - self.then.tested] * size,
            np.bincount(codes, minlength=size).tolist(), [n_now] * size, self.min_change,
        )  # fmt: skip
        yield from self._classes_in_buckets(known, codes)
        wrong = target.guess(known) != codes
        yield from compare(
            "error", target.name, [None], [target.wrong], [self.then.tested],
            [int(wrong.sum())], [n_now], self.min_change,
        )  # fmt: skip
        for name, shares in target.wrong_in.items():
            labels = self.generalization[name].labels
            buckets = known.buckets[name]
            yield from compare(
                "error", name, labels, shares,
                [share * self.then.tested for share in self.then.shares[name]],
                np.bincount(buckets, wrong, minlength=len(labels)).astype(int).tolist(),
                np.bincount(buckets, minlength=len(labels)).tolist(),
                self.min_change,
            )  # fmt: skip

    def _classes_in_buckets(self, known: Known, codes: NDArray[np.int64]) -> Iterator[Change]:
        """The commonest class of each bucket then: a target may turn where no judge could tell."""
        target = self.then.target
        assert target is not None  # seen to by the caller
        n_seen = self.then.people - self.then.tested
        for name, rows in target.of_buckets.items():
            buckets, labels = known.buckets[name], self.generalization[name].labels
            places = [0 if row is None else int(np.argmax(row)) for row in rows]
            own = codes == np.array(places)[buckets]
            yield from compare(
                "class", name, labels,
                [None if row is None else row[p] for row, p in zip(rows, places, strict=True)],
                [share * n_seen for share in self.then.shares[name]],
                np.bincount(buckets, own, minlength=len(labels)).astype(int).tolist(),
                np.bincount(buckets, minlength=len(labels)).tolist(),
                self.min_change,
            )  # fmt: skip

    def in_one_bucket(self) -> Iterator[str]:
        """The attributes that tell nobody apart any more."""
        for name, column in self.people.columns.items():
            served = column.buckets[column.buckets >= 0]
            fullest = np.bincount(served, minlength=1).max()
            if len(served) >= FEWEST_PEOPLE and fullest >= _ONE_BUCKET * len(served):
                yield name

    def measured(
        self,
    ) -> tuple[tuple[Held, ...], Utility | None, tuple[str, ...], tuple[str, ...]]:
        """The promises, what the records tell, what they could spare, and what is not known."""
        known = self.people.known
        if known is None:
            return (), None, (), (f"utility and risk: {self.people.why_unknown}",)
        if known.task.n_rows < FEWEST_PEOPLE:
            return (), None, (), ("utility and risk: the target of too few people is known",)
        tasks = self._tasks()
        if tasks is None:
            why = (
                "the table holds generalized records only"
                if self.people.generalized
                else "the table does not hold every attribute that could have been collected"
            )
            unknown = (
                f"what is lost against everything collected: {why}",
                f"what can be recovered: {why}",
            )
            judged = self._judge_records(known.task)
            return (), self._utility(judged), self._spared(judged), unknown
        return self._promises(*tasks)

    def _tasks(self) -> tuple[Task, Task | None] | None:
        """Later people, and those of the baseline, at full resolution."""
        groups = [self.people] if self.reference is None else [self.people, self.reference]
        tasks = full_tasks(self.generalization, groups)
        if tasks is None and self.reference is not None:
            tasks = full_tasks(self.generalization, [self.people])
        if tasks is None:
            return None
        return tasks[0], (tasks[1] if len(tasks) > 1 else None)

    def _judge_records(self, task: Task) -> Judged:
        return judge(
            in_turns(task, self.random_state),
            lambda data: tuple(np.arange(s, dtype=np.uint16) for s in data.train.sizes),
            self.score,
            full=False,
            random_state=self.random_state,
        )

    def _promises(
        self, later: Task, earlier: Task | None
    ) -> tuple[tuple[Held, ...], Utility | None, tuple[str, ...], tuple[str, ...]]:
        seed = self.random_state
        if earlier is None:
            splits, attacked = in_turns(later, seed), split(later, random_state=seed)
            models = "models that learned from other later people"
            adversary = "an attacker who knows other later people"
        else:
            attacked = replace(split(earlier, random_state=seed), test=later)
            splits = [attacked]
            models = "models that learned from the people of the baseline"
            adversary = "an attacker who knows people of the baseline"
        judged = judge(
            splits,
            lambda data: GeneralizedRecords.of(self.generalization, data).lookups,
            self.score,
            full=True,
            random_state=seed,
        )
        promise, unknown = self.then.promise, []
        answers: list[tuple[Held, float]] = []
        if self.max_utility_loss is None:
            unknown.append("whether too much is lost: no limit was promised")
        else:
            against = f"the collected records against every attribute at full resolution, {models}"
            then = None if promise is None else promise.utility_loss
            answers.append(loss_now(judged, self.max_utility_loss, then, self.level, against))
        if later.personal:
            answers.append(self._risk(attacked, earlier, adversary))
        passed = holm([p_value for _, p_value in answers], self.level)
        held = tuple(
            replace(h, verdict=BROKEN) if broken else _unless_broken(h)
            for (h, _), broken in zip(answers, passed, strict=True)
        )
        return held, self._utility(judged), self._spared(judged), tuple(unknown)

    def _risk(self, data: Split, earlier: Task | None, adversary: str) -> tuple[Held, float]:
        promise, seed = self.then.promise, self.random_state
        then = None if promise is None else promise.recovered
        if then is None and earlier is not None:
            risk = Reconstruction(random_state=seed).attack(
                self.generalization, split(earlier, random_state=seed)
            )
            then = publish_share(risk.recovered, risk.n)
        limit = self.max_risk
        if limit is None:
            limit = 1.0 if then is None else min(1.0, max(0.0, then) + self.min_change)
        return risk_now(
            self.generalization,
            data,
            limit,
            then,
            self.level,
            promised=self.max_risk is not None,
            against=adversary,
            random_state=seed,
        )

    def _utility(self, judged: Judged) -> Utility:
        losses: dict[str, Losses] = {"later": judged.collected}
        return Classifier("the best of several", losses, judged.score).utility("later")

    def _spared(self, judged: Judged) -> tuple[str, ...]:
        limit = _ROOM if self.max_utility_loss is None else self.max_utility_loss
        return spared(judged, limit, self.level)


def _unless_broken(held: Held) -> Held:
    """What is broken on its own, but not when all promises are asked about, is open."""
    return replace(held, verdict="no sign against it") if held.verdict == BROKEN else held
