"""What every k costs: a fresh model learns from each release, and is tested on people held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsam.cli._anonymise_options import method_class

if TYPE_CHECKING:
    from sparsam.anonymise import Anonymiser
    from sparsam.anonymise._k_sweep import KSweep

HELD_OUT = 0.3
_BESIDE = ("hybrid", "greedy", "mondrian")
_TEXTS = ("ranges", "hierarchy")
_MOST_CATEGORIES = 100


@dataclass(frozen=True, eq=False)
class Measured:
    """Sweeps, one for each method, and what their scores are.

    Attributes
    ----------
    sweeps : tuple of KSweep
    scores : dict
        See `release_report`.
    """

    sweeps: tuple[KSweep, ...]
    scores: dict[str, Any]


def measure_ks(
    method: Anonymiser,
    frame: Any,
    labels: NDArray[Any],
    ks: Sequence[int],
    seed: int,
    whose: str,
) -> Measured:
    """Divide 70 % of the people for every k and by several methods, and score each release.

    Parameters
    ----------
    method : Anonymiser
        As the release is made.
    frame : frame or mapping
        The raw rows.
    labels : ndarray
        What is to be learned: floats are numbers, all else labels.
    ks : sequence of int
    seed : int
    whose : str
        What the labels are, in words.
    """
    from sparsam.anonymise import k_sweep

    order = np.random.default_rng(seed).permutation(len(labels))
    n_test = max(1, round(HELD_OUT * len(labels)))
    test, train = np.sort(order[:n_test]), np.sort(order[n_test:])
    raw, learn = rows_of(frame, test), rows_of(frame, train)
    target = method.roles.target if method.roles is not None else None
    names = [*(method.quasi_identifiers or ()), *(n for n in method.keep if n != target)]
    score = Score(raw, labels[test], names, seed)
    sweeps = tuple(
        k_sweep(learn, labels[train], ks=ks, method=one, score=score) for one in _beside(method)
    )
    numbers = labels.dtype.kind == "f"
    known = score(learn, labels[train])
    sure = "" if numbers else f" A figure is sure to about {_points(known, len(test))} (95 %)."
    answer = "the mean" if numbers else "the most common answer"
    return Measured(
        sweeps,
        {
            "measure": "r2" if numbers else "share",
            "raw": known,
            "chance": score.chance(labels[train]),
            "words": f"Gradient boosting learned {whose} from anonymised rows of {len(train):,} "
            f"people and was tested on the raw rows of {len(test):,} others; one answer for "
            f"everyone is {answer}. Each k is divided anew.{sure}",
        },
    )


def _points(share: float, n_people: int) -> str:
    """Write how far a share may be off by chance, in points."""
    return f"±{196 * (share * (1 - share) / n_people) ** 0.5:.1f} points"


def rows_of(frame: Any, rows: NDArray[np.int64]) -> Any:
    """Take rows of a frame or of a mapping of arrays."""
    if isinstance(frame, Mapping):
        return {name: np.asarray(values)[rows] for name, values in frame.items()}
    return frame.iloc[rows].reset_index(drop=True)


def _beside(method: Anonymiser) -> list[Anonymiser]:
    """The method itself, and those it is usually compared with, all with the same promises.

    Texts such as ranges teach a model nothing that it could use on raw rows: medians stand in.
    """
    common = {
        name: value
        for name, value in method.get_params(deep=False).items()
        if name in method_class("greedy")().get_params(deep=False) and name != "tries"
    }
    common["accept_unique"] = True  # these releases are measured, and not published
    if common["publish"] in _TEXTS:
        common["publish"] = "median"
    made: list[Anonymiser] = []
    own = type(method)
    for kind in (own, *(method_class(name) for name in _BESIDE)):
        if all(type(one) is not kind for one in made):
            model = {"model": method.model} if hasattr(method, "model") else {}
            guided = "model" in kind().get_params(deep=False)
            made.append(kind(**common, **(model if guided else {})))
    return made


class Score:
    """How well a fresh model that learned from a release does on raw rows.

    Parameters
    ----------
    raw : frame or mapping
        Rows to test on, as they are.
    labels : ndarray
        Their labels or numbers.
    names : sequence of str
        The columns to learn from.
    seed : int
    """

    def __init__(self, raw: Any, labels: NDArray[Any], names: Sequence[str], seed: int) -> None:
        from sparsam.data import columns_of

        self.names, self.labels, self.seed = list(names), labels, seed
        self.raw = columns_of(raw, self.names)
        self.numeric = [values.dtype.kind in "iufb" for values in self.raw.values()]
        self.regression = labels.dtype.kind == "f"

    def __call__(self, release: Any, labels: Any) -> float:
        """Learn from a release, and test.

        Parameters
        ----------
        release : frame or mapping
        labels : array
        """
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        from sparsam.data import columns_of

        if not self.regression and len(set(np.asarray(labels).tolist())) < 2:
            return self.chance(np.asarray(labels))
        learn = columns_of(release, self.names)
        pairs = [
            _encoded(learn[name], self.raw[name], numeric)
            for name, numeric in zip(self.names, self.numeric, strict=True)
        ]
        kind = HistGradientBoostingRegressor if self.regression else HistGradientBoostingClassifier
        model = kind(random_state=self.seed)
        model.fit(np.hstack([learned for learned, _ in pairs]), labels)
        return float(model.score(np.hstack([raw for _, raw in pairs]), self.labels))

    def chance(self, labels: NDArray[Any]) -> float:
        """Score one answer for everyone, learned from these labels."""
        if self.regression:
            spread = float(((self.labels - self.labels.mean()) ** 2).sum())
            error = float(((self.labels - labels.mean()) ** 2).sum())
            return 1 - error / spread if spread > 0 else 0.0
        values, counts = np.unique(labels, return_counts=True)
        return float(np.mean(self.labels == values[counts.argmax()]))


def _encoded(
    learned: NDArray[Any], raw: NDArray[Any], numeric: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Numbers as they are, categories as a column each.

    A category that a release lost is a column of zeros there: a raw row that has it is then none of
    the others, which a model can deal with. As a value never seen it would go anywhere.
    """
    from sklearn.preprocessing import OneHotEncoder

    if numeric and learned.dtype.kind in "iufb":
        return learned.astype(np.float64)[:, None], raw.astype(np.float64)[:, None]
    texts = [
        np.array([["missing" if gone(value) else f"= {value}"] for value in values.tolist()])
        for values in (learned, raw)
    ]
    encoder = OneHotEncoder(
        max_categories=_MOST_CATEGORIES, handle_unknown="ignore", sparse_output=False
    ).fit(np.concatenate(texts))
    return encoder.transform(texts[0]), encoder.transform(texts[1])


def gone(value: Any) -> bool:
    """Whether a value is missing."""
    return value is None or value != value  # noqa: PLR0124 - NaN differs from itself
