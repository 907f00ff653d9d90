"""What every k costs: a fresh model learns from each release, and is tested on people held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._joined import supplied
from sparsam.anonymise._anonymiser import Anonymiser
from sparsam.anonymise._classes import Method
from sparsam.anonymise._k_sweep import KSweep, anonymiser_for, k_sweep
from sparsam.anonymise._target import is_missing, target_labels, training_labels
from sparsam.anonymise.methods._greedy import Greedy
from sparsam.anonymise.methods._guided import Guided, Hybrid
from sparsam.anonymise.methods._mondrian import Mondrian
from sparsam.data import columns_of
from sparsam.data.model import open_own
from sparsam.data.source import take_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HELD_OUT = 0.3
_TEXTS = ("ranges", "hierarchy")
_MOST_CATEGORIES = 100


@dataclass(frozen=True, eq=False)
class KScores:
    """Sweeps, one for each method, and what their scores are: as `release_report` takes them.

    Attributes
    ----------
    sweeps : tuple of KSweep
    scores : dict
        "measure" ("share" of right answers, or "r2"), "raw" and "chance" (the scores of a model
        that learned from raw rows, and of one answer for everyone), and "words" on how they were
        measured.
    """

    sweeps: tuple[KSweep, ...]
    scores: dict[str, Any]

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw what a model learns from the releases of each method, along k.

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
        >>> rng = np.random.default_rng(0)
        >>> people = {"age": rng.integers(20, 60, 300)}
        >>> k_scores(people, people["age"] > 40, ks=(5, 10)).plot().get_ylabel()
        'Accuracy, people held out (%)'
        """
        axes: Axes = supplied("plot_k_scores")(self, ax, **style)
        return axes


def k_scores(
    X: Any,
    y: ArrayLike,
    *,
    ks: Sequence[int] = (5, 10, 20, 50, 100),
    anonymiser: Anonymiser | None = None,
    learned: str = "the target",
    random_state: int = 0,
) -> KScores:
    """Divide 70 % of the people for every k and by several methods, and score each release.

    Gradient boosting learns from each release, and is tested on the raw rows of the other 30 %.
    Beside the anonymiser's own method stand `Hybrid`, `Greedy` and `Mondrian`.

    Parameters
    ----------
    X : pandas, polars or pyarrow frame, mapping of arrays, Table or path
        The raw rows.
    y : array-like
        What is to be learned: floats are numbers, all else labels. Rows without are left out.
    ks : sequence of int, default=(5, 10, 20, 50, 100)
    anonymiser : Anonymiser, optional
        As the release is made.
    learned : str, default="the target"
        What `y` is, in words.
    random_state : int, default=0

    Returns
    -------
    KScores

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> people = {"age": rng.integers(20, 60, 300)}
    >>> found = k_scores(people, people["age"] > 40, ks=(5,))
    >>> [sweep.method for sweep in found.sweeps], found.scores["raw"]
    (['Hybrid', 'Greedy', 'Mondrian'], 1.0)
    """
    chosen = anonymiser_for(anonymiser, None)
    truth = np.asarray(y)
    known = np.flatnonzero([not is_missing(value) for value in truth.tolist()])
    frame, labels = (
        _rows_of(open_own(X).native, known),
        training_labels(target_labels(truth[known])),
    )
    order = np.random.default_rng(random_state).permutation(len(labels))
    n_test = max(1, round(HELD_OUT * len(labels)))
    test, train = np.sort(order[:n_test]), np.sort(order[n_test:])
    score = BoostedScore(
        _rows_of(frame, test),
        labels[test],
        _learned_from(chosen, frame, truth[known]),
        random_state,
    )
    learn = _rows_of(frame, train)
    sweeps = tuple(
        k_sweep(learn, labels[train], ks=ks, anonymiser=other, score=score)
        for other in _beside(chosen)
    )
    numbers = labels.dtype.kind == "f"
    raw = score(learn, labels[train])
    sure = "" if numbers else f" A figure is sure to about {_points(raw, len(test))} (95 %)."
    answer = "the mean" if numbers else "the most common answer"
    return KScores(
        sweeps,
        {
            "measure": "r2" if numbers else "share",
            "raw": raw,
            "chance": score.chance(labels[train]),
            "words": f"Gradient boosting learned {learned} from anonymised rows of {len(train):,} "
            f"people and was tested on the raw rows of {len(test):,} others; one answer for "
            f"everyone is {answer}. Each k is divided anew.{sure}",
        },
    )


def _learned_from(anonymiser: Anonymiser, frame: Any, truth: NDArray[Any]) -> list[str]:
    """The columns to learn from: all that are published, but the target, whatever its name."""
    layout = anonymiser._layout_of(frame)
    target = anonymiser.roles.target if anonymiser.roles is not None else None
    names = anonymiser.quasi_identifiers or layout.quasi_identifiers
    kept = columns_of(frame, [name for name in layout.keep if name != target])
    others = (name for name, values in kept.items() if values.tolist() != truth.tolist())
    return [*names, *others]


def _points(share: float, n_people: int) -> str:
    """Write how far a share may be off by chance, in points."""
    return f"±{196 * (share * (1 - share) / n_people) ** 0.5:.1f} points"


def _rows_of(frame: Any, rows: NDArray[np.int64]) -> Any:
    """Take rows, and number those of pandas anew."""
    taken = take_rows(frame, rows)
    return taken.reset_index(drop=True) if hasattr(taken, "reset_index") else taken


def _beside(anonymiser: Anonymiser) -> list[Anonymiser]:
    """The anonymiser itself, and others by the usual methods, all with the same promises.

    Texts such as ranges teach a model nothing that it could use on raw rows: medians stand in.
    These releases are measured, and not published, so that kept columns may make rows unique.
    """
    own = anonymiser.method if anonymiser.method is not None else Hybrid()
    model = own.model if isinstance(own, Guided) else None
    methods: dict[type[Method], Method] = {type(own): own}
    for other in (Hybrid(model=model), Greedy(), Mondrian()):
        methods.setdefault(type(other), other)
    form = "median" if anonymiser.publish in _TEXTS else anonymiser.publish
    return [
        anonymiser._with(method=method, publish=form, accept_unique=True)
        for method in methods.values()
    ]


class BoostedScore:
    """How well gradient boosting that learned from a release does on raw rows.

    Parameters
    ----------
    raw : frame or mapping
        Rows to test on, as they are.
    labels : ndarray
        Their labels or numbers.
    names : sequence of str
        The columns to learn from.
    random_state : int
    """

    def __init__(
        self, raw: Any, labels: NDArray[Any], names: Sequence[str], random_state: int
    ) -> None:
        self.names, self.labels, self.random_state = list(names), labels, random_state
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

        if not self.regression and len(set(np.asarray(labels).tolist())) < 2:
            return self.chance(np.asarray(labels))
        learn = columns_of(release, self.names)
        pairs = [
            _encoded(learn[name], self.raw[name], numeric)
            for name, numeric in zip(self.names, self.numeric, strict=True)
        ]
        kind = HistGradientBoostingRegressor if self.regression else HistGradientBoostingClassifier
        model = kind(random_state=self.random_state)
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
        np.array([["missing" if is_missing(value) else f"= {value}"] for value in values.tolist()])
        for values in (learned, raw)
    ]
    encoder = OneHotEncoder(
        max_categories=_MOST_CATEGORIES, handle_unknown="ignore", sparse_output=False
    ).fit(np.concatenate(texts))
    return encoder.transform(texts[0]), encoder.transform(texts[1])
