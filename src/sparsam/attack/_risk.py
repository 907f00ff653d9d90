"""What an adversary achieved, and against what it must be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal

from sparsam._checks import check_choice
from sparsam._joined import supplied
from sparsam._small_counts import (
    SMALLEST_COUNT,
    PublishedCounts,
    few,
    publish_classes,
    publish_interval,
    publish_nested,
    publish_share,
    published_repr,
    suppress,
)
from sparsam.attack._statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Measure = Literal["error", "accuracy", "AUC", "similarity", "reciprocal rank", "recognition"]
"""What the value of a risk is."""

# What an adversary reaches who gets everyone right: it tells which way is worse.
WORST: Mapping[str, float] = {
    "error": 0.0,  # share of people whom the adversary gets wrong, or of attempts that fail
    "accuracy": 1.0,  # share of people whose value the adversary gets right
    "AUC": 1.0,  # how often a member looks more like a member than another person does
    "similarity": 1.0,  # mean of exp(-distance) between a record and its reconstruction (RCR)
    "reciprocal rank": 1.0,  # mean of 1 / the place of a person's record among all guessed (RIR)
    "recognition": 1.0,  # mean chance that the person behind a published record is recognised
}
_SHARES_OF_PEOPLE = ("error", "accuracy")


@dataclass(frozen=True, kw_only=True, repr=False)
class Risk:
    """How well an adversary learns what it should not.

    Attributes
    ----------
    adversary : str
        In words.
    id : str or None
        Its short name: A1 to A8 or "control"; None for an adversary of your own.
    measure : {"error", "accuracy", "AUC", "similarity", "reciprocal rank", "recognition"}
        What `value` is. Of an error less is worse, of all others more.
    value : float
    interval : tuple of float
        95 % interval of `value`, from the number of people it was measured on.
    baseline : float
        The value of an adversary who has not seen what this one has: of one who guesses from the
        records alone (A1, A2, A6) that of guessing the most common value; of one who knows more
        (A3, A4, A5), or who links (A7), that of the same adversary without the records; of one who
        singles out (A8) that of a random description. Where nothing is collected, nobody is beyond
        the baseline.
    n : int
        How many people it was measured on.
    split : str
        The part of the data it was measured on.
    random_state : int
    attribute : str or None
        What is guessed; None for the mean over all personal attributes, or for a person.
    model : str or None
        The attack model that was the strongest on validation data.
    parts : tuple of Risk
        The risks by attribute that a mean is made of.
    details : mapping
        More plain facts that only this adversary has: `advantage_interval`, the 95 % interval of
        the advantage on the same people; `naive`, the error of guessing the most common value,
        where the baseline is another.

    Notes
    -----
    Attributes hold exact numbers, to compute with. What a risk says of itself (`str`, `repr`,
    `to_dict`) tells nothing of fewer than five people, and shares in steps of five people or more.

    Examples
    --------
    >>> import sparsam as sp
    >>> risk = sp.Risk(
    ...     adversary="A1 reconstruction",
    ...     measure="error",
    ...     value=0.18,
    ...     interval=(0.16, 0.20),
    ...     baseline=0.24,
    ...     n=1000,
    ...     split="test",
    ...     random_state=0,
    ... )
    >>> round(risk.advantage, 2), round(risk.recovered, 2)
    (0.06, 0.25)
    >>> print(risk)
    A1 reconstruction: error 0.180 [0.160, 0.200], naive 0.240, recovered 25% (test, 1,000 records)
    """

    adversary: str
    id: str | None = None
    measure: Measure
    value: float
    interval: Interval
    baseline: float
    n: int
    split: str
    random_state: int
    attribute: str | None = None
    model: str | None = None
    parts: tuple[Risk, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_choice("Risk", "measure", self.measure, WORST)

    @property
    def advantage(self) -> float:
        """How far the adversary is beyond the baseline; below 0 it is the weaker."""
        return _advantage(self.measure, self.value, self.baseline)

    @property
    def recovered(self) -> float:
        """Share of the baseline's errors that this one avoids: 0 nothing, 1 everything."""
        return _recovered(self.measure, self.advantage, self.baseline)

    def with_details(self, **details: Any) -> Risk:
        """The same risk with more facts."""
        return replace(self, details={**self.details, **details})

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw how often the adversary is wrong, attribute by attribute where there are several.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own when left out.
        **style
            `title`, `figsize`, `colors`, `legend`, and properties of matplotlib's markers,
            such as `markersize`.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> figures = {"measure": "error", "value": 0.3, "interval": (0.28, 0.32), "baseline": 0.4}
        >>> risk = Risk(adversary="mine", n=2000, split="test", random_state=0, **figures)
        >>> risk.plot().get_title(loc="left")
        'What the attacker gets wrong: mine'
        """
        axes: Axes = supplied("plot_risk")(self, ax, **style)
        return axes

    def __str__(self) -> str:
        everything = " on all personal attributes" if self.parts else ""
        what = self.adversary + (f" on {self.attribute}" if self.attribute else everything)
        facts = self.to_dict()
        if facts["value"] is None or facts["baseline"] is None:
            return f"{what}: not told, on so few people ({self.split})"
        low, high = facts["interval"]
        return (
            f"{what}: {self.measure} {facts['value']:.3f} [{low:.3f}, {high:.3f}], "
            f"{_against(self.id)} {facts['baseline']:.3f}, recovered {facts['recovered']:z.0%}"
            f"{_beside(facts['details'])} "
            f"({self.split}, {self.n:,} records)"
        )

    def __repr__(self) -> str:
        return published_repr(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, parts included, fit to be published."""
        return publish_risk(self.facts())

    def facts(self) -> dict[str, Any]:
        """Plain data, parts included, with exact numbers: not to be published."""
        facts = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return facts | {
            "interval": list(self.interval),
            "parts": [part.facts() for part in self.parts],
            "details": dict(self.details),
            "advantage": self.advantage,
            "recovered": self.recovered,
        }


def _against(adversary: str | None) -> str:
    """What the baseline is."""
    if adversary in ("A3", "A4", "A5", "A7"):
        return "without the records"
    return "random descriptions" if adversary == "A8" else "naive"


def _beside(details: Mapping[str, Any]) -> str:
    """What else a line about the risk of a model says."""
    if details.get("control") is not None:
        return f", {details['control']:.3f} on other people"
    if "tpr_at" in details:
        return f", finds {details['tpr_at']['0.01']:.1%} at 1 % false accusations"
    return ""


def _advantage(measure: str, value: float, baseline: float) -> float:
    return value - baseline if WORST[measure] else baseline - value


def _recovered(measure: str, advantage: float, baseline: float) -> float:
    room = abs(WORST[measure] - baseline)
    return advantage / room if room > 0 else 0.0


def publish_risk(facts: Mapping[str, Any], tell: PublishedCounts | None = None) -> dict[str, Any]:
    """Copy the facts of a risk so that nothing in them stands for fewer than five people.

    Shares are told in steps of five people or more; nothing is told that was measured on fewer.
    What is told already stays as it is.

    Parameters
    ----------
    facts : mapping
        As `Risk.facts` gives them.
    tell : PublishedCounts, optional
        Where other counts of the same people are published too.
    """
    n, details, measure = facts["n"], facts["details"], facts["measure"]
    safe = {**facts, "n": suppress(n)}
    if any(map(few, _groups(details, n))):
        hidden = ("value", "baseline", "advantage", "recovered", "interval")
        return {**safe, **dict.fromkeys(hidden), "parts": [], "details": {}}
    if measure in _SHARES_OF_PEOPLE:
        tried = _tried(details, n)
        # People of the control are others than those of the sample.
        beside = details.get("control_records", tried)
        safe["value"] = publish_share(facts["value"], tried)
        safe["baseline"] = publish_share(facts["baseline"], beside)
        safe["interval"] = publish_interval(facts["interval"], tried)
    safe |= compare_published(measure, safe["value"], safe["baseline"])
    safe["parts"] = [publish_risk(part) for part in facts["parts"]]
    safe["details"] = _publish_details(details, n, tell)
    return safe


def compare_published(
    measure: str, value: float | None, baseline: float | None
) -> dict[str, float | None]:
    """Work out the advantage from what is told, so that it tells no more."""
    if value is None or baseline is None:
        return {"advantage": None, "recovered": None}
    advantage = round(_advantage(measure, value, baseline), 12)
    return {"advantage": advantage, "recovered": _recovered(measure, advantage, baseline)}


def _tried(details: Mapping[str, Any], n: Any) -> Any:
    """What the share of failures is a share of; None where it says nothing of few people.

    Attempts to single someone out are aimed at records. Where each of these stands for five people
    or more, their sizes are no secret.
    """
    if "attempts" not in details:
        return n
    return details["attempts"] if few(details.get("smallest")) else None


def _groups(details: Mapping[str, Any], n: Any) -> list[Any]:
    """How many people the shares are shares of: two groups may be told apart."""
    return [details[name] for name in ("n_members", "n_others") if name in details] or [n]


_COUNTS = ("people_at_once", "control_records", "n_members", "n_others")
_SHARES = ("smallest_error", "largest_error", "accuracy", "precision", "recall", "control",
           "ranked_first", "naive")  # fmt: skip


def _publish_details(
    details: Mapping[str, Any], n: Any, tell: PublishedCounts | None
) -> dict[str, Any]:
    people = min(_groups(details, n))
    safe = publish_classes(details, n, tell)
    safe |= {name: suppress(safe[name]) for name in _COUNTS if name in safe}
    safe |= {name: publish_share(safe[name], people) for name in _SHARES if name in safe}
    if "control_records" in safe:
        # It follows from the intervals of both groups, which are told.
        safe.pop("advantage_interval", None)
    for name in ("advantage_interval", "control_advantage_interval"):
        if name in safe:
            safe[name] = publish_interval(safe[name], people)
    if "control_interval" in safe:
        ends = publish_interval(safe["control_interval"], details.get("control_records"))
        safe["control_interval"] = ends
    if "single_breaches" in safe:
        errors = safe["single_breaches"] or ()
        safe["single_breaches"] = [publish_share(error, n) for error in errors]
    if "tpr_at" in safe:
        shares = safe["tpr_at"].items()
        safe["tpr_at"] = {rate: publish_share(share, people) for rate, share in shares}
    if "n_emptied" in safe:
        [safe["n_emptied"]] = publish_nested([safe["n_emptied"]], n)
    if "highest" in safe and safe["highest"] * SMALLEST_COUNT > 1:
        # One in four, or more: so few people share the rarest record.
        safe["highest"] = None
    return safe
