"""Minimise for a model that already runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from sparsam._checks import check_choice, check_share, wrong_parameter
from sparsam._errors import ParameterError, SparsamWarning
from sparsam.data import OwnRecords, Roles, Task, black_box, count_rows
from sparsam.data.model import Replacement
from sparsam.generalization import Generalization
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._minimiser import Minimiser, places_of
from sparsam.minimise._partitions import Partitions
from sparsam.minimise.model._feed import OwnFeed
from sparsam.minimise.model._fit import ModelFit, Settings
from sparsam.minimise.model._ladder import REPRESENTATIVES, Ranges
from sparsam.minimise.model._oracle import Oracle, Scorer
from sparsam.minimise.model._paper import LEAF_REPRESENTATIVES
from sparsam.minimise.model._recoding import prediction_task

SEARCHES = ("responses", "paper")
ILAGS = ("corrected", "paper")
KEPT_IN = ("auto", "all", "each answer", "each cell")
_FEWEST_IN_LEAF = 20


class ModelTree(Minimiser):
    """Find the least data that a given model needs to answer as it does now.

    The model is not changed and only asked. Values for which it answers alike share a bucket, as
    long as the share of its own answers that is kept (the relative accuracy; R² between answers
    for numbers) stays above `keep_accuracy` (Goldsteen et al. 2021, section 3). That it does is a
    promise: recodings come from people who are learned from and chosen on, and are tested on
    others, from fine to coarse, until the first for which "keeps less" cannot be ruled out. In at
    most one of twenty tables (`confidence=0.95`) does what is chosen keep less of all people.

    Parameters
    ----------
    model : estimator, function, path of an ONNX file, or torch module
        Takes records with the user's own columns and types, and does its own encoding. Without one,
        `fit_task` trains a classifier on the target (the Apt baseline of Staab et al. 2024,
        section 6).
    roles : Roles, optional
        Target and identifiers in the data are left out; declared kinds are kept.
    keep_accuracy : float, default=0.98
        The share of the model's answers to keep (or R², or what `scorer` says).
    search : {"responses", "paper"}, default="responses"
        Put values together by the model's answers and search in both directions, or follow the
        paper: a tree on the answers, pruned level by level when there is room, attributes given
        back by lowest ILAG (eq. 3) when there is none.
    ilag : {"corrected", "paper"}, default="corrected"
        In the paper's search, what an attribute counts that gains nothing when it is given back:
        infinitely much, or its information loss as printed, which gives back useless ones first.
    representative : str, default="auto"
        The value that stands for a bucket: "response" (the one that the model treats most like
        the whole bucket, or the median where that does better), "median", "mean" or "random"; in
        the paper's search for a leaf, where "nearest" (a real person's record) takes the place of
        "response".
    features : sequence of str, optional
        The attributes that may be generalised; all by default. `Constraints(must_keep=...)` names
        those that may not.
    slices : mapping of str to sequence of str, optional
        Columns of zeros and ones that are one original attribute.
    weights : mapping of str to float, optional
        How sensitive each attribute is, in the information loss (section 5.1); 1 if not named.
    kept_in : {"auto", "all", "each answer", "each cell"}, default="auto"
        Where the target must hold: over all people; also for each answer of the model that enough
        people get to tell, so that a rare one is not lost among the others; or in each group that
        the model treats alike, so that no group bears the whole loss. "auto" is "all", but where
        one answer is rare (below 20 %, and below half of an equal share), each answer may lose at
        most five times as much as all people, and at most half: with 0.98 over all, 0.9 of each
        answer is kept.
    scorer : callable, optional
        From the model's answers before and after to a number, in place of relative accuracy.
    regression : bool, optional
        Whether the model answers with numbers, where it does not say so itself.
    encoder : callable, optional
        From a frame of the user's columns to what the model takes.
    confidence : float, default=0.95
        How sure it must be that `keep_accuracy` is kept of all people like these.
    fractions : tuple of float, default=(0.4, 0.2, 0.4)
        Of the people: to learn from, to choose on, to test on.
    constraints : Constraints, optional
    unseen : {"error", "common"}, default="common"
        What happens to a category never seen: an error, or the most common bucket.
    random_state : int, default=0

    Attributes
    ----------
    generalization_ : Generalization
        The ranges to ask for.
    recoding_ : Recoding
        Turns raw or generalized records into what the unchanged model is fed.
    chosen_on_, held_out_ : Kept
        The relative accuracy on the people that were chosen on, and on those held out.
    proof_ : Proof
        What was shown on the people held out, and how.
    met_ : bool
        Whether the target was shown to be kept. A warning says so when it was not.
    curve_ : tuple of CurvePoint
        Accuracy against information loss along the search.
    kept_in_ : {"all", "each answer", "each cell"}
        Where the target had to hold.
    each_target_ : float
        What had to be kept of each answer or cell.
    held_out_rows_ : ndarray of int
        Which rows of the sample were held out.
    n_asked_ : int
        How many records the model was asked about.

    Notes
    -----
    The ranges that are announced are the ranges that are applied: relative accuracy is measured on
    what the recoding feeds the model, nothing else.

    Examples
    --------
    >>> import sparsam as sp
    >>> people = sp.load_example().take(range(2000)).to_frame("pandas")
    >>> def adult(frame):
    ...     return frame["age"].to_numpy() >= 18
    >>> tree = ModelTree(adult, sp.Roles("employed"), keep_accuracy=0.99).fit(people)
    >>> tree.generalization_.collected, tree.met_, tree.proof_.at_least
    (('age',), True, 0.99)
    """

    def __init__(
        self,
        model: Any = None,
        roles: Roles | None = None,
        *,
        keep_accuracy: float = 0.98,
        search: str = "responses",
        ilag: str = "corrected",
        representative: str = "auto",
        features: Sequence[str] | None = None,
        slices: Mapping[str, Sequence[str]] | None = None,
        weights: Mapping[str, float] | None = None,
        kept_in: str = "auto",
        scorer: Scorer | None = None,
        regression: bool | None = None,
        encoder: Callable[[Any], Any] | None = None,
        confidence: float = 0.95,
        fractions: tuple[float, float, float] = (0.4, 0.2, 0.4),
        constraints: Constraints | None = None,
        unseen: str = "common",
        random_state: int = 0,
    ) -> None:
        self.model = model
        self.roles = roles
        self.keep_accuracy = keep_accuracy
        self.search = search
        self.ilag = ilag
        self.representative = representative
        self.features = features
        self.slices = slices
        self.weights = weights
        self.kept_in = kept_in
        self.scorer = scorer
        self.regression = regression
        self.encoder = encoder
        self.confidence = confidence
        self.fractions = fractions
        self.constraints = constraints
        self.unseen = unseen
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Learn what the model needs.

        Parameters
        ----------
        X : frame, mapping, array or path
            Records as the model takes them, at full resolution. No labels are needed.
        y : ignored

        Returns
        -------
        self
        """
        if self.model is None:
            raise ParameterError(
                "The 'model' parameter of ModelTree must be a model that already runs. "
                "Got None.\n\nHint: ModelTree(model).fit(data); PrivacyTree needs no model."
            )
        box = black_box(self.model, regression=self.regression, encoder=self.encoder)
        wanted = None if isinstance(X, np.ndarray) else box.columns  # an array has no names
        records = OwnRecords.open(X, roles=self.roles, slices=self.slices, columns=wanted)
        table = records.table
        task = prediction_task(table, np.zeros(table.n_rows, np.int64), 1, self.roles)
        own = {
            attribute.name: records.own_values(attribute.name)
            for attribute in table.attributes
            if attribute.binned
        }
        oracle = Oracle(
            lambda *asked: box.predict(records.frame(*asked)), task.sizes, box.regression, own
        )
        self._fit(task, oracle)
        roles = self.roles if self.roles is not None else Roles()
        self._feed: OwnFeed | None = OwnFeed.learn(records, self.slices, roles, wanted)
        self._columns_in = task.names
        self.n_features_in_ = len(task.names)
        self.feature_names_in_ = np.array(task.names, dtype=object)
        return self

    def feed(self, X: Any) -> Any:
        """Recode raw records into what the unchanged model is fed.

        As `recoding_.apply`, but for the model's own columns in its own order: columns of zeros
        and ones that are slices of one attribute, arrays, and texts that mean missing too.

        Parameters
        ----------
        X : frame, mapping or array
            Must have every attribute that is collected.

        Returns
        -------
        frame, mapping or array
            Of the same library and types.
        """
        check_is_fitted(self)
        if self._feed is None:
            raise ParameterError(
                "`feed` makes records for a model that already runs. This tree trained its own."
                "\n\nHint: recoding_.apply(X) recodes records of its attributes."
            )
        return self._feed(self.recoding_, X)

    def _columns_of(self, X: Any) -> dict[str, NDArray[Any]]:
        if self._feed is None:
            return super()._columns_of(X)
        columns = self._feed.raw(X, self.generalization_.collected)
        return columns or {"": np.zeros(count_rows(X))}

    def path(self, task: Task, steps: Sequence[float] | None = None) -> list[Generalization]:
        """The generalizations along the search for a classifier of our own, fine to coarse.

        Parameters
        ----------
        task : Task
        steps : sequence of int, optional
            The places along the search that are wanted, by default all.

        Returns
        -------
        list of Generalization
        """
        fit = self._model_fit(task, self._own_oracle(task))
        passed = fit.stages() if self.search == "paper" else fit.path()
        return places_of(passed, steps)

    def _own_oracle(self, task: Task) -> Oracle:
        classifier = CodesClassifier(task, self.random_state)

        def predict(
            codes: NDArray[np.uint16], numbers: Mapping[int, Replacement] | None = None
        ) -> NDArray[np.int64]:
            codes = codes.copy()
            for a, new in (numbers or {}).items():
                each = replace(new, index=np.arange(len(new.values))).array()
                codes[:, a] = task.table.attributes[a].encode(each)[new.index]
            return classifier.predict(codes)

        return Oracle(predict, task.sizes)

    def _learn(self, task: Task) -> None:
        """Train a classifier on the target, then find what it needs (as a sweep does it)."""
        self._fit(task, self._own_oracle(task))
        self._feed = None

    def _fit(self, task: Task, oracle: Oracle) -> None:
        fit = self._model_fit(task, oracle)
        result = fit.by_the_paper() if self.search == "paper" else fit.by_responses()
        self.generalization_, self.recoding_ = result.generalization, result.recoding
        self.chosen_on_, self.held_out_ = result.chosen_on, result.held_out
        self.curve_, self.n_asked_ = result.curve, oracle.n_asked
        self.held_out_rows_, self.kept_in_ = fit.report, fit.kept_in
        self.each_target_ = fit.each_target
        self.proof_, self.met_ = result.proof, result.proof.shown
        if words := self._shortfall():
            warnings.warn(words, SparsamWarning, stacklevel=3)

    def _shortfall(self) -> str:
        """How far the target is missed on the people held out, in words; nothing if it is met."""
        kept = self.held_out_
        if self.met_:
            return ""
        cell = {"each cell": " of the worst cell", "each answer": " of the worst answer"}.get(
            self.kept_in_, ""
        )
        proof = self.proof_
        measured = f"On the {kept.n_records:,} records held out{cell}, {kept.score:.4f} of the"
        if not proof.too_few:
            return (
                f"{measured} model's answers are kept, and {self.keep_accuracy:.4f} are asked for: "
                "not shown."
            )
        enough = "No number of records would do." if self.keep_accuracy >= 1 else "More would do."
        if proof.n_enough is not None:
            enough = f"With {proof.n_enough:,} records in all it could be shown."
        return (
            f"{measured} model's answers are kept, but too few records are there to tell whether "
            f"{self.keep_accuracy:.4f} of all are (with {100 * self.confidence:g} % confidence). "
            f"{enough}"
        )

    def _model_fit(self, task: Task, oracle: Oracle) -> ModelFit:
        self._check_parameters(task)
        settings = self._settings(task)
        settings.constraints.check(task)
        rare = self._partitions(task).rare
        return ModelFit(task, oracle, settings, self._make(task), self.random_state, rare)

    def _make(self, task: Task) -> Callable[[Sequence[Ranges]], Generalization]:
        partition, about = self._partitions(task), self._about(task)

        def make(ranges: Sequence[Ranges]) -> Generalization:
            return Generalization(
                [partition(a, of_attribute.buckets) for a, of_attribute in enumerate(ranges)],
                about=about,
            )

        return make

    def _partitions(self, task: Task) -> Partitions:
        return Partitions(task, self.constraints or Constraints(), self.unseen, named=True)

    def _settings(self, task: Task) -> Settings:
        constraints = self.constraints or Constraints()
        if self.features is not None:
            told = {*self.features, *constraints.must_drop, *constraints.max_buckets}
            others = [name for name in task.names if name not in told]
            kept = dict.fromkeys([*constraints.must_keep, *others])
            constraints = replace(constraints, must_keep=tuple(kept))
        how = self.representative
        if how == "auto":
            how = "nearest" if self.search == "paper" else "response"
        return Settings(
            target=float(self.keep_accuracy),
            confidence=float(self.confidence),
            representative=how,
            ilag=self.ilag,
            # a model of our own is judged by how it does on its target, not by its own answers
            kept_in="all" if self.model is None and self.kept_in == "auto" else self.kept_in,
            scorer=self.scorer,
            weights=self.weights or {},
            constraints=constraints,
            fractions=self.fractions,
        )

    def _check_parameters(self, task: Task) -> None:
        super()._check_parameters(task)
        owner = type(self).__name__
        if self.scorer is None:
            check_share(owner, "keep_accuracy", self.keep_accuracy)
        check_choice(owner, "search", self.search, SEARCHES)
        check_choice(owner, "ilag", self.ilag, ILAGS)
        check_choice(owner, "kept_in", self.kept_in, KEPT_IN)
        paper = self.search == "paper"
        ways = LEAF_REPRESENTATIVES if paper else REPRESENTATIVES
        check_choice(owner, "representative", self.representative, ("auto", *ways))
        self._check_features(task)
        check_share(owner, "confidence", self.confidence)
        if not 0 < self.confidence < 1:
            expected = "a float above 0 and below 1"
            raise wrong_parameter(owner, "confidence", expected, self.confidence)
        if not _are_shares(self.fractions):
            expected = "three numbers above 0 that sum to 1"
            raise wrong_parameter(owner, "fractions", expected, self.fractions)

    def _check_features(self, task: Task) -> None:
        if isinstance(self.features, str):
            raise ParameterError(
                "The 'features' parameter of ModelTree must be a list of names. "
                f"Got one text instead.\n\nHint: write ['{self.features}']."
            )
        for name in self.features or ():
            if name not in task.names:
                raise ParameterError(f"'features' names '{name}', which is not an attribute.")


def _are_shares(given: Any) -> bool:
    """Whether these are three numbers above 0 that sum to 1."""
    try:
        shares = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        return False
    return shares.shape == (3,) and bool((shares > 0).all() and np.isclose(shares.sum(), 1))


class CodesClassifier:
    """Predicts the target of a task from codes.

    Parameters
    ----------
    task : Task
    random_state : int
    """

    def __init__(self, task: Task, random_state: int) -> None:
        from sklearn.ensemble import HistGradientBoostingClassifier

        last = task.target == len(task.classes) - 1
        self._places = []
        for a, attribute in enumerate(task.table.attributes):
            place = np.arange(attribute.size, dtype=float)
            if not attribute.ordered:  # categories by the share of the last class among them
                people = np.bincount(task.codes[:, a], minlength=attribute.size)
                of_last = np.bincount(task.codes[:, a], last, minlength=attribute.size)
                place = (of_last + last.mean()) / (people + 1.0)
            self._places.append(place)
        self._model = HistGradientBoostingClassifier(
            max_iter=100,
            min_samples_leaf=_FEWEST_IN_LEAF,
            early_stopping=False,
            random_state=random_state,
        )
        with warnings.catch_warnings(), threadpool_limits(limits=1):
            # scikit-learn takes many classes among few people for a slip; here they are the task.
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            self._model.fit(self._inputs(task.codes), task.target)

    def _inputs(self, codes: NDArray[np.uint16]) -> NDArray[np.float64]:
        return np.column_stack([place[codes[:, a]] for a, place in enumerate(self._places)])

    def predict(self, codes: NDArray[np.uint16]) -> NDArray[np.int64]:
        """The class of each record."""
        classes: NDArray[np.int64] = self._model.predict(self._inputs(codes)).astype(np.int64)
        return classes
