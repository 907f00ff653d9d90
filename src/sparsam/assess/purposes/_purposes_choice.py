"""The generalization that was chosen for several purposes, with its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sparsam._joined import supplied
from sparsam._small_counts import PublishedCounts, publish_classes, publish_loss
from sparsam.assess._assessment import Assessment, Limits
from sparsam.assess._choice import Choice, SavedReport
from sparsam.assess._evidence import MET, TOO_FEW
from sparsam.assess.purposes._judging import JudgedCandidate
from sparsam.assess.purposes._showing import Shown
from sparsam.data import PurposeSplits
from sparsam.generalization import Generalization

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class PurposesChoice:
    """The least data that serves several purposes, and what each of them needs.

    `minimise_for_purposes` makes one.

    Attributes
    ----------
    chosen : JudgedCandidate
        How the generalization was made, and what was measured of it for each purpose.
    shown : mapping of str to Shown
        By purpose: what is lost at most, and how sure that is (test data).
    alone : mapping of str to Choice or None
        What each purpose would need on its own; None where nothing can be shown for it.
    apart : JudgedCandidate or None
        What would be known of people if each purpose collected that for itself.
    limits : mapping of str to Limits
        By purpose.
    data : PurposeSplits
    confidence : float
    n_tried, n_tested, n_others : int
        How many generalizations were judged, how many tested on the test part to find the fewest
        attributes, and how many others that may protect more.
    limit_words : mapping of str to str
        By purpose: why its limit is larger than one point, where nobody set it.

    Examples
    --------
    >>> import sparsam as sp
    >>> from sparsam.assess import minimise_for_purposes
    >>> columns = ["age", "sex", "disability", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> roles = sp.Roles(targets=["employed", "disability"])
    >>> choice = minimise_for_purposes(people, roles, max_utility_loss=0.2, minimisers=["uniform"])
    >>> sorted(choice.shown), choice.generalization.collected
    (['disability', 'employed'], ('age',))
    """

    chosen: JudgedCandidate
    shown: Mapping[str, Shown]
    alone: Mapping[str, Choice | None]
    apart: JudgedCandidate | None
    limits: Mapping[str, Limits]
    data: PurposeSplits = field(repr=False)
    confidence: float = 0.95
    n_tried: int = 0
    n_tested: int = 0
    n_others: int = 0
    limit_words: Mapping[str, str] = field(default_factory=dict)

    @property
    def purposes(self) -> tuple[str, ...]:
        """What the purposes are called: their targets."""
        return self.data.names

    @property
    def generalization(self) -> Generalization:
        """What to collect from now on; it carries its purposes and what they were measured by."""
        found = self.chosen.generalization
        about = {k: v for k, v in found.about.items() if k not in ("target", "score")}
        scores = {name: limits.score.name for name, limits in self.limits.items()}
        return found.with_about({**about, "targets": list(self.purposes), "scores": scores})

    @property
    def assessment(self) -> Assessment:
        """What is the same for all purposes: the risk and the class sizes."""
        return self.chosen.assessments[self.purposes[0]]

    @property
    def met(self) -> bool | None:
        """Whether every purpose keeps its limit, as was shown; None where too few can tell."""
        enough = all(limits.evidence.enough for limits in self.limits.values())
        return True if enough else None

    @property
    def verdict(self) -> str:
        """Whether every purpose keeps its limit: "met" or "too few people to tell"."""
        return MET if self.met else TOO_FEW

    def needs(self) -> list[dict[str, Any]]:
        """How finely each purpose needs each attribute, alone and together.

        Returns
        -------
        list of dict
            For each attribute its name, its number of values, and the labels of its buckets: for
            all purposes together, and for each alone. Without labels it is not collected.
        """
        return [
            {
                "attribute": attribute.name,
                "values": attribute.size,
                "together": _labels(self.chosen.generalization, attribute.name),
                "alone": {
                    name: None if choice is None else _labels(choice.generalization, attribute.name)
                    for name, choice in self.alone.items()
                },
            }
            for attribute in self.data.together.train.table.attributes
        ]

    def to_dict(self) -> dict[str, Any]:
        """The choice as plain data, fit to be published."""
        assessment = self.assessment
        facts = assessment.to_dict()
        people = self.data.together.train.n_rows
        return {
            "chosen": self.chosen.candidate.label,
            "targets": list(self.purposes),
            "requirement": {
                "met": self.met,
                "verdict": self.verdict,
                "confidence": self.confidence,
                "why": self.why,
            },
            "purposes": {name: self._purpose(name) for name in self.purposes},
            "needs": self.needs(),
            "collected": facts["collected"],
            "n_buckets": facts["n_buckets"],
            "information_loss": facts["information_loss"],
            "risk": facts["risk"],
            "class_sizes": publish_classes(assessment.class_sizes.facts(), people),
            "apart": self._apart(),
            "tried": self.n_tried,
            "tested": self.n_tested,
            "others": self.n_others,
        }

    @property
    def why(self) -> str | None:
        """Why too few people can tell, where that is so."""
        few = [
            f"'{name}': {limits.evidence.words}"
            for name, limits in self.limits.items()
            if not limits.evidence.enough
        ]
        return "; ".join(few) or None

    @cached_property
    def _people(self) -> PublishedCounts:
        """The test people of each purpose as they may be told, all of them being known."""
        counts = [shown.people for shown in self.shown.values()]
        return PublishedCounts(counts, self.data.together.test.n_rows)

    def _purpose(self, name: str) -> dict[str, Any]:
        limits, shown, alone = self.limits[name], self.shown[name], self.alone[name]
        score = limits.score
        utility = _without_people(self.chosen.assessments[name].utility.to_dict())
        everything = _without_people(limits.everything.to_dict())
        ends = score.publish_interval((0.0, max(0.0, shown.bound)), shown.people)
        return {
            "score": {
                "name": score.name,
                "words": score.kind.words,
                "why": score.why,
                "scale": score.scale,
            },
            "limit": shown.limit,
            "limit_words": self.limit_words.get(name, ""),
            "utility": utility,
            "everything": everything,
            "nothing": _without_people(limits.nothing.to_dict()),
            "utility_loss": publish_loss(utility["error"], everything["error"]),
            "at_most": None if ends is None else ends[1],
            # one digit says how sure it is, but not how many people erred
            "p_value": float(f"{shown.p_value:.1g}"),
            "people": self._people(shown.people),
            "tells": limits.tells,
            "alone": None if alone is None else _alone(alone),
        }

    def _apart(self) -> dict[str, Any] | None:
        if self.apart is None:
            return None
        facts = self.apart.assessments[self.purposes[0]].to_dict()
        buckets = [c.generalization.n_buckets for c in self.alone.values() if c is not None]
        return {
            "collected": facts["collected"],
            "n_buckets": sum(buckets),
            "recovered": facts["risk"]["recovered"],
        }

    def __repr__(self) -> str:
        generalization, recovered = self.generalization, self.assessment.risk.to_dict()["recovered"]
        told = "measured on few people" if recovered is None else f"risk {recovered:z.0%} (test)"
        return (
            f"<PurposesChoice for {len(self.purposes)} purposes: {len(generalization.collected)} "
            f"of {len(generalization)} attributes, {told}>"
        )

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw which purpose needs which attribute, and how finely.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own when left out.
        **style
            `title`, `figsize`, `colors`, `legend`, and properties of matplotlib's images,
            such as `alpha`.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        ``minimise_for_purposes(people, Roles(targets=["employed", "ill"])).plot()``
        """
        axes: Axes = supplied("plot_purposes")(self, ax, **style)
        return axes

    def report(self, **details: Any) -> SavedReport:
        """The evidence as a report: HTML, Markdown or JSON.

        Parameters
        ----------
        **details
            As for `sparsam.report.purposes_report`.
        """
        report: SavedReport = supplied("purposes_report")(self, **details)
        return report


def _labels(generalization: Generalization, attribute: str) -> list[str]:
    """The labels of an attribute's buckets; none where it is not collected."""
    partition = generalization[attribute]
    return list(partition.labels) if partition.collected else []


def _without_people(utility: dict[str, Any]) -> dict[str, Any]:
    """A utility without its number of people, which is told once, beside the others."""
    return {name: fact for name, fact in utility.items() if name != "n_records"}


def _alone(choice: Choice) -> dict[str, Any]:
    """What a purpose needs alone. Class sizes are told of one generalization only."""
    facts, everything = choice.assessment.to_dict(), choice.front.limits.everything.to_dict()
    return {
        "chosen": choice.candidate.label,
        "verdict": choice.verdict,
        "collected": facts["collected"],
        "n_buckets": facts["n_buckets"],
        "utility_loss": publish_loss(facts["utility"]["error"], everything["error"]),
        "recovered": facts["risk"]["recovered"],
    }
