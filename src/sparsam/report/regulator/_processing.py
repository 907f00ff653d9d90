"""What is known of a processing: from the artifact, from its reports, and from its user."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, cast

from sparsam._checks import check_choice, check_whole
from sparsam._errors import RoleError
from sparsam.assess import SCORES, Baseline, GuessedAttribute, Score
from sparsam.data import SPECIAL_CATEGORIES, Roles, Target, carried_roles, special_category
from sparsam.generalization import Generalization, NumericPartition, Partition
from sparsam.report._collected import members
from sparsam.report._score_words import heading, loss_range, loss_words, value_words
from sparsam.report._words import (
    Interval,
    counted,
    pair,
    percent,
    percent_range,
    rough_percent,
    whole,
)
from sparsam.report.page._blocks import Block, Items, Text, Words, name, names, strong
from sparsam.report.regulator._saved_report import SavedGroup, SavedReport

Mode = Literal["counts", "rows"]
Saved = Mapping[str, Any] | str | os.PathLike[str]
"""A report as plain data, or the file (.json) that it was saved to."""

_MOST_GROUPS = 5


@dataclass(frozen=True)
class Processing:
    """One processing of personal data, as far as it is known.

    Attributes
    ----------
    generalization : Generalization
    said : Roles
        What else is declared of the table, beside what the artifact carries.
    reports : mapping, path or sequence of them
        Reports that were saved as JSON: their attacks and groups.
    keep_days : int or None
        How long the collector keeps a record; None where the records go elsewhere.
    mode : {"counts", "rows"}
        How the collector keeps them.
    purpose : str
        What for, in the user's words.
    """

    generalization: Generalization
    said: Roles = field(default_factory=Roles)
    reports: Sequence[Saved] | Saved = ()
    keep_days: int | None = None
    mode: Mode = "counts"
    purpose: str = ""

    def __post_init__(self) -> None:
        if self.keep_days is not None:
            check_whole("to_pia and to_article30", "keep_days", self.keep_days, 1)
        check_choice("to_pia and to_article30", "mode", self.mode, ("counts", "rows"))
        if isinstance(self.reports, str | os.PathLike | Mapping):
            object.__setattr__(self, "reports", (self.reports,))

    @cached_property
    def evidence_in_reports(self) -> tuple[SavedReport, ...]:
        """The reports, each of them about this generalization."""
        reports = cast(Sequence[Saved], self.reports)
        return tuple(SavedReport.read(report, self.generalization) for report in reports)

    @cached_property
    def roles(self) -> Roles:
        """What is declared of the table, here and in the artifact."""
        return self.said.completed_by(carried_roles(self.generalization.about))

    @cached_property
    def evidence(self) -> Baseline | None:
        """What the artifact carries of the people then."""
        return Baseline.carried_by(self.generalization)

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """What is predicted."""
        about = self.generalization.about
        told = about.get("targets") or [about.get("target")]
        return tuple(str(target) for target in told if target)

    @cached_property
    def _outcomes(self) -> set[str]:
        """The columns that the targets are, or are made of."""
        return {*self.targets, *map(_column, self.targets)}

    @cached_property
    def collected(self) -> tuple[Partition, ...]:
        """The attributes that are collected."""
        return tuple(part for part in self.generalization if part.collected)

    @cached_property
    def spared(self) -> tuple[str, ...]:
        """The attributes that were looked at, and are not collected."""
        return tuple(part.name for part in self.generalization if not part.collected)

    def data_blocks(self) -> Iterator[Block]:
        """Return what is collected of a person, attribute by attribute."""
        if not self.collected:
            yield Text("No attribute is collected.")
        else:
            yield Text("Of each person these attributes are collected, each in one of its buckets:")
            yield Items(tuple(map(self._attribute, self.collected)))
        if self.targets:
            yield Text(
                ("For learning, the outcome may be collected too: ", names(self.targets), ".")
            )
        if self.spared:
            yield Text(("Looked at and not collected at all: ", names(self.spared), "."))

    def _attribute(self, partition: Partition) -> Words:
        hidden = members(partition)
        buckets = "; ".join(
            f"{label} ({', '.join(hidden[label])})" if label in hidden else label
            for label in partition.labels
        )
        unit = self.roles.units.get(partition.name)
        category = self.roles.special.get(partition.name)
        title: list[Words] = [strong(name(partition.name))]
        if unit is not None:
            title += [" (", name(unit), ")"]
        if category is not None:
            title += [", ", strong("special category: ", SPECIAL_CATEGORIES[category])]
        said = (f", instead of {partition.before()}: {counted(partition.n_buckets, 'bucket')}: ",)
        return (*title, *said, name(buckets))

    def special_blocks(self) -> Iterator[Block]:
        """Return the special categories that were declared, and those that may have been missed."""
        declared = self.roles.special
        if declared:
            yield Text("Declared to be special categories of personal data (GDPR Art. 9):")
            yield Items(tuple(self._special(name_, what) for name_, what in declared.items()))
            yield to_fill_in(
                "the exception of Art. 9(2) that allows to process what of these is collected, and "
                "what was in the sample that the buckets were learned from"
            )
        else:
            yield Text(
                "No attribute was declared to be a special category of personal data (GDPR Art. "
                "9). That nothing was declared does not mean that there is none."
            )
        known = [*self.generalization.names, *self.targets]
        maybe = [n for n in known if n not in declared and special_category(n) is not None]
        if maybe:
            words = [(name(n), f" ({SPECIAL_CATEGORIES[str(special_category(n))]})") for n in maybe]
            yield to_fill_in(
                "whether these are special categories, as their names alone might suggest; nobody "
                "has declared them to be: ",
                *_listed(words),
            )

    def _special(self, attribute: str, category: str) -> Words:
        what = SPECIAL_CATEGORIES[category]
        if attribute in self.generalization and self.generalization[attribute].collected:
            how = f"collected in {self.generalization[attribute].n_buckets} buckets"
        elif attribute in self._outcomes:
            how = "the outcome that is predicted"
        else:
            how = "not collected"
        guessed = self._guessed(attribute)
        return (strong(name(attribute)), f" ({what}): ", how, f"; {guessed}" * bool(guessed))

    def _guessed(self, attribute: str) -> str:
        measured = None if self.evidence is None else self.evidence.measured
        told = None if measured is None else measured.attributes.get(attribute)
        if measured is None or told is None or told.error is None or told.baseline is None:
            return ""
        return (
            f"guessed from a record by {measured.adversary}, it is wrong for "
            f"{_share(told.error, told.interval)} of people; the commonest value, guessed for "
            f"everybody, is wrong for {percent(told.baseline)}"
        )

    def evidence_blocks(self) -> Iterator[Block]:
        """Return what was shown of the choice: utility kept, and what attacks recovered."""
        evidence = self.evidence
        if evidence is None:
            yield Text("The artifact carries no evidence of its own.")
        else:
            learned = self.generalization.about.get("learned_from_rows")
            if isinstance(learned, int):
                yield Text(f"What is needed was learned from {whole(learned)} people.")
            yield from self._promised(evidence)
        yield from self._attack_blocks()
        yield from self._group_blocks()
        limits = "Minimised data are not anonymous: whether they are personal data is for the law."
        if evidence is not None or self.reports:
            shown = "These figures are what some attacks achieved on a sample, not all that could"
            limits = f"{shown} be achieved. {limits}"
        yield Text(limits)

    def _promised(self, evidence: Baseline) -> Iterator[Block]:
        promise, measured = evidence.promise, evidence.measured
        if promise is not None:
            yield Text(
                f"Required of what is collected: {promise.words}. Measured on "
                f"{whole(evidence.tested)} people who took no part in learning."
            )
        if measured is None or promise is None or promise.score not in SCORES:
            return
        score = Score(promise.score)
        told, full = (_value(score, value) for value in (measured.utility, measured.everything))
        yield Text(
            f"{heading(score)} with what is collected: {told}; with every attribute at full "
            f"detail: {full}."
        )
        risk = measured.risk
        if risk.error is not None and risk.baseline is not None:
            yield Text(
                "By the attack that the choice was made against "
                f"({measured.adversary}), the protected attributes are guessed wrongly for "
                f"{_share(risk.error, risk.interval)} of people; the commonest values, guessed for "
                f"everybody, are wrong for {percent(risk.baseline)}. So the records give away "
                f"{_recovered(risk)} of what a guess without them gets wrong."
            )

    def _attack_blocks(self) -> Iterator[Block]:
        attacks = [risk for report in self.evidence_in_reports for risk in report.risks]
        told = [risk for risk in attacks if risk.value is not None and risk.baseline is not None]
        if told:
            yield Text("Attacks on what is collected, each on its own (test data):")
            yield Items(
                tuple(
                    (
                        strong(name(risk.adversary)),
                        f": fails in {_share(risk.value, risk.interval)} of its attempts; without "
                        f"what is collected in {percent(risk.baseline)}",
                    )
                    for risk in told
                )
            )

    def _group_blocks(self) -> Iterator[Block]:
        for report in self.evidence_in_reports:
            if report.losers:
                looked, most = names(report.grouped_by), report.losers[:_MOST_GROUPS]
                yield Text(("Groups of people were told apart by ", looked, ". Who loses most:"))
                yield Items(tuple(_loser(group, report.judged_by) for group in most))

    @cached_property
    def missing_shares(self) -> dict[str, float]:
        """The share of people without a value, for attributes with a bucket for them."""
        if self.evidence is None:
            return {}
        return {
            part.name: self.evidence.shares[part.name][part.missing]
            for part in self.collected
            if part.missing is not None and _of_its_own(part)
        }


def to_fill_in(what: str, *more: Words) -> Text:
    """Return the place for what only a person knows."""
    return Text((strong("To be filled in by a person: "), what, *more, "."))


def _column(target: str) -> str:
    try:
        return Target.parse(target).column
    except RoleError:  # a column may be called like half an expression
        return target


def _of_its_own(partition: Partition) -> bool:
    """Whether missing values share their bucket with no others."""
    if isinstance(partition, NumericPartition):
        return partition.missing == partition.n_intervals
    return partition.missing == partition.n_groups and partition.unseen != partition.missing


def _listed(words: Sequence[Words]) -> tuple[Words, ...]:
    parts: list[Words] = []
    for each in words:
        parts += [", ", each] if parts else [each]
    return tuple(parts)


def _loser(group: SavedGroup, score: Score) -> Words:
    ends = loss_range(score, group.interval)
    more = ", shown to be more than others lose" if group.loses_more else ""
    return (
        strong(name(f"{group.attribute}: {group.group}")),
        f": {loss_words(score, group.loss)}{f' ({ends})' if ends else ''}{more}",
    )


def _value(score: Score, value: float | None) -> str:
    if value is None:
        return "not told, as it was measured on few people"
    return value_words(score, score.value(value))


def _share(error: float | None, interval: Interval) -> str:
    ends = percent_range(interval) if pair(interval) is not None else None
    return f"{percent(error)} ({ends})" if ends else percent(error)


def _recovered(risk: GuessedAttribute) -> str:
    if not risk.baseline or risk.error is None:
        return "nothing"
    return rough_percent(max(0.0, 1 - risk.error / risk.baseline))
