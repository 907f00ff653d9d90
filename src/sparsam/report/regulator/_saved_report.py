"""A report that was saved as JSON: what of it is evidence for a regulator."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from sparsam._documents import convert_part, parse_json, read_bytes
from sparsam._errors import DocumentError
from sparsam.assess import SCORES, Score
from sparsam.generalization import Generalization

_CONTROL = "control"
Interval = tuple[float | None, float | None] | None


class SavedAttribute(msgspec.Struct, frozen=True):
    """One attribute of a generalization that was reported on."""

    name: str
    collected: bool
    buckets: tuple[str, ...] = ()


class SavedRisk(msgspec.Struct, frozen=True):
    """What one adversary achieved."""

    adversary: str
    measure: str
    id: str = ""
    value: float | None = None
    baseline: float | None = None
    interval: Interval = None


class SavedGroup(msgspec.Struct, frozen=True):
    """What one group of people loses."""

    attribute: str
    group: str
    loss: float | None = None
    interval: Interval = None
    loses_more: bool | None = None


class _Collected(msgspec.Struct, frozen=True):
    attributes: tuple[SavedAttribute, ...] = ()


class _Point(msgspec.Struct, frozen=True):
    id: int
    attributes: tuple[SavedAttribute, ...] = ()


class _Attacks(msgspec.Struct, frozen=True):
    risks: tuple[SavedRisk, ...] = ()


class _Groups(msgspec.Struct, frozen=True):
    attributes: tuple[str, ...] = ()
    groups: tuple[SavedGroup, ...] = ()


class _Score(msgspec.Struct, frozen=True):
    name: str = ""


class SavedReport(msgspec.Struct, frozen=True):
    """What a saved report of `sparsam minimise` or `sparsam attack` tells, as far as we need it."""

    collected: _Collected | None = None
    points: tuple[_Point, ...] = ()
    chosen: int | None = None
    attacks: _Attacks | None = None
    groups: _Groups | None = None
    score: _Score | None = None

    @classmethod
    def read(
        cls, report: Mapping[str, Any] | str | os.PathLike[str], generalization: Generalization
    ) -> SavedReport:
        """Read a report, and make sure that it is about a generalization.

        Parameters
        ----------
        report : mapping or path
            Plain data, or the file (.json) that it was saved to.
        generalization : Generalization

        Raises
        ------
        DocumentError
            It is no such report, or one about another generalization.
        """
        data = report if isinstance(report, Mapping) else parse_json(read_bytes(Path(report)))
        saved = convert_part(data, cls, "$")
        attributes = saved._attributes
        if not attributes:
            raise DocumentError(
                "A report must be one that `sparsam minimise` or `sparsam attack` saved as JSON, "
                "on one purpose.",
                "$",
            )
        here = {part.name: part.labels for part in generalization if part.collected}
        if {each.name: each.buckets for each in attributes if each.collected} != here:
            raise DocumentError(
                "The report must be about the generalization that is described. It is about one "
                "that collects something else.",
                "$",
            )
        return saved

    @property
    def _attributes(self) -> tuple[SavedAttribute, ...]:
        if self.collected is not None:
            return self.collected.attributes
        chosen = [point for point in self.points if point.id == self.chosen]
        return chosen[0].attributes if chosen else ()

    @property
    def risks(self) -> tuple[SavedRisk, ...]:
        """What was achieved by each adversary; the control, who knows the sample, is none."""
        risks = () if self.attacks is None else self.attacks.risks
        return tuple(r for r in risks if r.measure == "error" and r.id != _CONTROL)

    @property
    def losers(self) -> tuple[SavedGroup, ...]:
        """The groups whose loss is told, those that lose most first."""
        groups = () if self.groups is None else self.groups.groups
        told = [group for group in groups if group.loss is not None]
        return tuple(sorted(told, key=lambda group: -(group.loss or 0.0)))

    @property
    def grouped_by(self) -> tuple[str, ...]:
        """What the people were told apart by."""
        return () if self.groups is None else self.groups.attributes

    @property
    def judged_by(self) -> Score:
        """The score that losses are losses of."""
        known = self.score is not None and self.score.name in SCORES
        return Score(self.score.name if self.score is not None and known else "accuracy")
