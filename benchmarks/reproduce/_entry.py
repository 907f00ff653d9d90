"""One table or figure of a paper: what is measured, what has to hold, and the verdict."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

Figures = Mapping[str, Any]
"""Figures by key: a number, or a list of them."""

Outcome = Literal["met", "not met", "does not hold as stated", "not judged"]
VERDICTS: tuple[Outcome, ...] = ("not met", "does not hold as stated", "not judged", "met")
"""What can be said of an entry, the worst first."""

PAPERS = {
    "staab": "Staab, Jovanović, Balunović, Vechev: From Principle to Practice (2024)",
    "goldsteen-model": "Goldsteen et al.: Data Minimization for GDPR Compliance (2021)",
    "goldsteen-release": "Goldsteen et al.: Anonymizing Machine Learning Models (2021)",
    "fioretto": "Fioretto, Ganesh, Tran, Shokri: The Data Minimization Principle (2024)",
    "nunez": "Nuñez von Voigt, Pauli, Reichert, Tschorsch: Every Query Counts (2020)",
}


@dataclass(frozen=True)
class Row:
    """One line of figures.

    Parameters
    ----------
    key : str
        The name by which it is measured.
    what : str
        In words.
    paper : number, list of numbers or str
        The figure of the paper; words where it has none, or one that cannot be compared.
    form : str
        How a number of it is written.
    """

    key: str
    what: str
    paper: Any = ""
    form: str = ".3f"

    def write(self, value: Any) -> str:
        """Write a figure of this line.

        Examples
        --------
        >>> Row("buckets", "buckets", form="d").write([17, 19])
        '17 / 19'
        """
        if isinstance(value, str):
            return value
        if isinstance(value, (list, tuple)):
            return " / ".join(map(self.write, value))
        if value is None:
            return "–"
        return format(round(value) if self.form == "d" else value, self.form)


@dataclass(frozen=True)
class Claim:
    """What has to hold of the figures, written down before they are measured.

    Parameters
    ----------
    words : str
    holds : callable
        Takes our figures by key.
    otherwise : str
        The verdict where it does not hold: whether we have missed something, or the paper's
        statement is not true as it stands.
    because : str
        Why it does not, in one sentence; empty where it is expected to hold.
    whole : bool
        Whether it is a claim about whole runs only, which a quick one has too few people for.
    """

    words: str
    holds: Callable[[Figures], bool]
    otherwise: Outcome = "not met"
    because: str = ""
    whole: bool = False


@dataclass(frozen=True)
class Measured:
    """What an entry has measured, and what a peer reached in the same run."""

    ours: Figures
    peer: Figures = field(default_factory=dict)


class CannotMeasureError(Exception):
    """An entry cannot be measured in this run, for a reason that is not its fault."""


@dataclass(frozen=True)
class Run:
    """How an entry is to be measured.

    Parameters
    ----------
    quick : bool
        With fewer rows and seeds.
    peers : Path or None
        Where the environments of other programs are, or are to be made. None: no peers.
    """

    quick: bool
    peers: Path | None = None

    def beside(self, name: str) -> Path:
        """Return the folder of the peers' environments, where they were asked for."""
        if self.peers is None:
            raise CannotMeasureError(f"it stands beside {name}, which --peers FOLDER installs")
        return self.peers

    def few(self, whole: Any, quick: Any) -> Any:
        """Return the first for a whole run, the second for a quick one."""
        return quick if self.quick else whole


@dataclass(frozen=True)
class Entry:
    """One table or figure of a paper.

    Parameters
    ----------
    name : str
    paper : str
        A key of `PAPERS`.
    place : str
        Which table, figure or section it is.
    title : str
    measure : callable
        Takes a `Run`, returns `Measured`.
    rows : tuple of Row
    claims : tuple of Claim
    needs : tuple of str
        Files of the shared folder.
    extras : tuple of str
        Modules that sparsam does not always bring along.
    peer : str
        Which other program stands beside us, or why none does.
    has_peer : bool
        Whether that program is run, in an environment of its own.
    settings : str
        Rows and seeds of a whole run, and of a quick one.
    version : int
        Grows when the entry measures something else; kept results of another version do not count.
    """

    name: str
    paper: str
    place: str
    title: str
    measure: Callable[[Run], Measured]
    rows: tuple[Row, ...]
    claims: tuple[Claim, ...]
    needs: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    peer: str = ""
    has_peer: bool = False
    settings: str = ""
    version: int = 1

    def obstacle(self, data: Path = DATA) -> str:
        """Return why this cannot be measured here, or nothing."""
        missing = [name for name in self.needs if not (data / name).is_file()]
        if missing:
            return f"the shared folder 'data' beside this checkout lacks {', '.join(missing)}"
        absent = [name for name in self.extras if importlib.util.find_spec(name) is None]
        return f"{', '.join(absent)} is not installed" if absent else ""


@dataclass(frozen=True)
class Judgement:
    """The verdict on the figures of an entry.

    Parameters
    ----------
    verdict : str
    why : str
        What did not hold, and why.
    claims : list of pairs of str, and bool or None
        Whether each holds; None where it is a claim about whole runs, and this was a quick one.
    """

    verdict: Outcome
    why: str
    claims: list[tuple[str, bool | None]]


def judge(claims: tuple[Claim, ...], figures: Figures, *, quick: bool = False) -> Judgement:
    """Hold figures against what was said of them before.

    Parameters
    ----------
    claims : tuple of Claim
    figures : mapping
        Ours.
    quick : bool, default=False
        Whether claims about whole runs are left out.

    Returns
    -------
    Judgement
        One missed claim that we answer for outweighs any that the paper does. Without any claim
        to hold the figures against, nothing is judged.

    Examples
    --------
    >>> claim = Claim("at most one", lambda figures: figures["x"] <= 1)
    >>> judge((claim,), {"x": 2}).verdict
    'not met'
    """
    held = [None if quick and claim.whole else bool(claim.holds(figures)) for claim in claims]
    told = [(claim.words, holds) for claim, holds in zip(claims, held, strict=True)]
    if not any(holds is not None for holds in held):
        return Judgement("not judged", "a quick run has too few people to tell", told)
    missed = [claim for claim, holds in zip(claims, held, strict=True) if holds is False]
    verdict = min((claim.otherwise for claim in missed), key=VERDICTS.index, default="met")
    parts = [f"{claim.words}: {claim.because or 'it does not'}" for claim in missed]
    return Judgement(verdict, "; ".join(parts), told)


def near(key: str, paper: Any, by: float) -> Callable[[Figures], bool]:
    """Return a check that a figure, or each of several, is no further from the paper's than this.

    Examples
    --------
    >>> near("buckets", [17, 19], by=1)({"buckets": [17, 20]})
    True
    """

    def holds(figures: Figures) -> bool:
        ours = _listed(figures[key])
        return len(ours) == len(_listed(paper)) and all(
            abs(a - b) <= by + 1e-12 for a, b in zip(ours, _listed(paper), strict=True)
        )

    return holds


def at_most(key: str, limit: Any, slack: float = 0.0) -> Callable[[Figures], bool]:
    """Return a check that a figure, or each of several, is no larger than a limit.

    Examples
    --------
    >>> at_most("drop", 0.03)({"drop": [0.01, 0.04]})
    False
    """

    def holds(figures: Figures) -> bool:
        ours = _listed(figures[key])
        limits = _listed(limit) if isinstance(limit, (list, tuple)) else [limit] * len(ours)
        return all(a <= b + slack + 1e-12 for a, b in zip(ours, limits, strict=True))

    return holds


def at_least(key: str, limit: Any) -> Callable[[Figures], bool]:
    """Return a check that a figure, or each of several, is no smaller than a limit."""

    def holds(figures: Figures) -> bool:
        return all(value >= limit - 1e-12 for value in _listed(figures[key]))

    return holds


def rising(key: str) -> Callable[[Figures], bool]:
    """Return a check that each of several figures is above the one before it."""

    def holds(figures: Figures) -> bool:
        ours = _listed(figures[key])
        return all(a < b for a, b in pairwise(ours))

    return holds


def _listed(value: Any) -> list[float]:
    return list(value) if isinstance(value, (list, tuple)) else [value]
