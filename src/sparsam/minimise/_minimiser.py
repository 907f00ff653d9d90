"""What all minimisers have in common: a scikit-learn transformer that learns a generalization."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsam._checks import check_choice
from sparsam._errors import DataError, ParameterError
from sparsam._version import __version__
from sparsam.data import Roles, Task, column_names, columns_of, is_frame, open_as, resolve
from sparsam.generalization import Generalization
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._partitions import Partitions, rare_together

UNSEEN = ("error", "common")


class Minimiser(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learns from a sample which data a task needs; the base of all minimisers.

    A subclass stores its parameters, `roles`, `constraints`, `unseen` and `random_state` among
    them, and finds its generalization in `_learn`.

    See Also
    --------
    BucketMinimiser : The base of those that say which codes of an attribute share a bucket.

    Attributes
    ----------
    generalization_ : Generalization
        What to collect from now on.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        The attributes that were seen, target and identifiers left out.
    """

    roles: Roles | None
    constraints: Constraints | None
    unseen: str
    n_features_in_: int
    # The parameter whose values `path` goes through, and the values that a sweep tries; a minimiser
    # without one has a path of its own, or a single generalization.
    swept: ClassVar[str] = ""
    steps: ClassVar[Sequence[float]] = ()

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Learn the generalization from a sample at full resolution.

        Parameters
        ----------
        X : frame, Table, path, mapping or array
            The sample. Holds the target as a column when `y` is not given.
        y : array-like, optional
            The target, when it is not a column of `X`.

        Returns
        -------
        self
        """
        task = self._task(X, y)
        self._learn(task)
        self._set_features(X, task)
        return self

    def fit_task(self, task: Task) -> Self:
        """Learn from a table whose roles are settled already (as a sweep has it)."""
        self._learn(task)
        self._set_features(task.table, task)
        return self

    def path(self, task: Task, steps: Sequence[float] | None = None) -> list[Generalization]:
        """The generalizations of several settings, from fine to coarse or from coarse to fine.

        Parameters
        ----------
        task : Task
        steps : sequence of float, optional
            The values of the parameter that is swept (`swept`), by default those of `steps`; of a
            minimiser that finds its path itself, the places along it, by default all.

        Returns
        -------
        list of Generalization
            One for each step, in their order.
        """
        if not self.swept:
            return places_of([self._copy().fit_task(task).generalization_], steps)
        steps = self.steps if steps is None else steps
        return [self._copy(**{self.swept: step}).fit_task(task).generalization_ for step in steps]

    def _copy(self, **parameters: Any) -> Self:
        """A minimiser like this one, but for some parameters, that has learned nothing."""
        return type(self)(**{**self.get_params(deep=False), **parameters})

    def transform(self, X: Any) -> NDArray[np.int64]:
        """Generalize records: the bucket of each attribute that is collected.

        Parameters
        ----------
        X : frame, mapping or array

        Returns
        -------
        ndarray of int of shape (n_records, n_collected)
            Or a frame of the same, after `set_output`.
        """
        check_is_fitted(self)
        columns = self._columns_of(X)
        codes = self.generalization_.apply(columns, output="codes")
        n_records = len(next(iter(columns.values())))
        buckets = np.empty((n_records, len(self.generalization_.collected)), dtype=np.int64)
        for place, name in enumerate(self.generalization_.collected):
            buckets[:, place] = codes[name]
        return buckets

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the attributes that are collected, in the order of `transform`.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names for the columns of an array; those of a frame must be its own.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        collected = np.array(self.generalization_.collected, dtype=object)
        if input_features is None:
            return collected
        given = np.asarray(input_features, dtype=object)
        known = getattr(self, "feature_names_in_", None)
        if known is not None and not np.array_equal(known, given):
            raise ParameterError("input_features is not equal to feature_names_in_")
        if len(given) != self.n_features_in_:
            raise ParameterError(
                "input_features should have length equal to number of features "
                f"({self.n_features_in_}), got {len(given)}"
            )
        places = [self._columns_in.index(name) for name in collected]
        return np.array(given[places], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = self.roles is None
        tags.transformer_tags.preserves_dtype = []
        return tags

    @abstractmethod
    def _learn(self, task: Task) -> None:
        """Find `generalization_` for a table whose roles are settled."""

    def _check_parameters(self, task: Task) -> None:
        check_choice(type(self).__name__, "unseen", self.unseen, UNSEEN)

    def _about(self, task: Task) -> dict[str, Any]:
        parameters = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if isinstance(value, str | int | float | bool | np.generic)
        }
        return {
            "sparsam": __version__,
            "minimiser": type(self).__name__,
            "parameters": parameters,
            "target": task.roles.target or task.target_name,
            "personal": [task.names[p] for p in task.personal],
            "declared": sorted(task.declared),
            "learned_from_rows": task.n_rows,
            **_told(task),
        }

    def _task(self, X: Any, y: ArrayLike | None) -> Task:
        roles = self.roles if self.roles is not None else Roles()
        if is_frame(X):
            return resolve(X, roles, y)
        allowed = {"dtype": None, "ensure_all_finite": "allow-nan", "ensure_min_samples": 2}
        if y is None:
            return resolve(validate_data(self, two_dimensional(X), None, **allowed), roles)
        array, y = validate_data(self, two_dimensional(X), y, **allowed)
        return resolve(array, roles, y)

    def _set_features(self, X: Any, task: Task) -> None:
        """Remember the columns of the sample, those that were empty and so left out included."""
        if not is_frame(X):
            self._columns_in = tuple(f"x{place}" for place in range(self.n_features_in_))
            return
        self._columns_in = column_names(X) if self.roles is None else task.names
        self.n_features_in_ = len(self._columns_in)
        self.feature_names_in_ = np.array(self._columns_in, dtype=object)
        if self.roles is None and hasattr(X, "shape"):
            # scikit-learn's own rules say when the names of a frame are names to be checked.
            validate_data(self, X, skip_check_array=True)

    def _columns_of(self, X: Any) -> dict[str, NDArray[Any]]:
        """The raw columns that are needed; one that is not, to count the records, if none is."""
        needed = self.generalization_.collected or self.generalization_.names[:1]
        if not is_frame(X):
            allowed = {"dtype": None, "ensure_all_finite": "allow-nan", "ensure_min_samples": 0}
            array = validate_data(self, two_dimensional(X), reset=False, **allowed)
            return {name: array[:, self._columns_in.index(name)] for name in needed}
        if self.roles is not None:
            return open_as(X, self.roles).columns(needed)
        if not hasattr(X, "shape"):
            return columns_of(X, needed)
        validate_data(self, X, reset=False, skip_check_array=True)
        named = dict(zip(self._columns_in, column_names(X), strict=True))
        return dict(zip(needed, columns_of(X, [named[n] for n in needed]).values(), strict=True))


def _told(task: Task) -> dict[str, Any]:
    """What the user said of the table: whoever uses the artifact reads such tables alike."""
    roles = task.roles.carried(task.names)
    return {} if roles == Roles() else {"roles": roles.to_dict()}


def places_of(
    path: Sequence[Generalization], places: Sequence[float] | None
) -> list[Generalization]:
    """The generalizations at some places of a path, at all by default."""
    return list(path) if places is None else [path[int(place)] for place in places]


def two_dimensional(X: Any) -> Any:
    """An array, numbers and text of a list kept apart; an error that shows no value otherwise."""
    if not hasattr(X, "shape"):
        X = np.asarray(X, dtype=object if isinstance(X, list | tuple) else None)
    if len(X.shape) != 2:
        raise DataError(
            f"Expected a 2D array or a frame. Got an array with {len(X.shape)} dimensions instead."
            "\n\nHint: Reshape your data with array.reshape(-1, 1) if it is a single attribute, or "
            "array.reshape(1, -1) if it is a single record."
        )
    return X


class BucketMinimiser(Minimiser):
    """A minimiser that says for each attribute which of its codes share a bucket.

    Categories that fewer than five people have are put together before it looks: they are not
    named in an artifact, unless they were declared.

    The base to write a minimiser of one's own on: a subclass stores its parameters, `roles`,
    `constraints` and `unseen` among them, and answers in `_buckets`. Attributes that must be kept
    stay at full resolution, whatever it answers.

    Its own base, `Minimiser`, makes a transformer of scikit-learn of it.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsam as sp
    >>> class AgeOnly(BucketMinimiser):
    ...     def __init__(self, roles=None, *, constraints=None, unseen="error"):
    ...         self.roles, self.constraints, self.unseen = roles, constraints, unseen
    ...     def _buckets(self, task, constraints):
    ...         attributes = task.table.attributes
    ...         return [np.arange(a.size) * (a.name == "age") for a in attributes]
    >>> AgeOnly(sp.Roles("employed")).fit(sp.load_example()).generalization_.collected
    ('age',)
    """

    @abstractmethod
    def _buckets(self, task: Task, constraints: Constraints) -> Sequence[NDArray[np.integer]]:
        """For each attribute, the bucket of each of its codes."""

    def _learn(self, task: Task) -> None:
        self._check_parameters(task)
        constraints = self.constraints or Constraints()
        constraints.check(task)
        task = rare_together(task, constraints)
        self.generalization_ = self._generalization(task, self._buckets(task, constraints))

    def _partitions(self, task: Task) -> Partitions:
        """How buckets of codes become partitions; those that a path passes again are kept."""
        return Partitions(task, self.constraints or Constraints(), self.unseen)

    def _generalization(
        self,
        task: Task,
        buckets: Sequence[NDArray[np.integer]],
        partition: Partitions | None = None,
        **about: Any,
    ) -> Generalization:
        partition = partition or self._partitions(task)
        return Generalization(
            [partition(a, codes) for a, codes in enumerate(buckets)],
            about={**self._about(task), **about},
        )
