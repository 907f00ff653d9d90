"""Models trained under differential privacy, to compare an anonymised model with."""

from __future__ import annotations

import math
import secrets
import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from sparsam._errors import DataError, MissingExtraError, ParameterError
from sparsam.data import CategoricalDomain, Domain, NumericDomain, columns_of, plain

EXTRA = "dp-training"


class PrivateClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose answers hardly depend on any one person; the base of all such.

    What the model must know of the data beforehand is declared, never read from the data: the
    domain of every column, and the classes. A value outside its domain counts as the nearest
    number, or as none of the categories. The noise comes from the operating system and cannot be
    seeded, as noise that can be repeated protects nobody.

    Parameters
    ----------
    domains : mapping of str to NumericDomain or CategoricalDomain
        The columns that the model takes, with the values they can have. Public knowledge.
    classes : sequence
        The labels there can be. Public knowledge.
    epsilon : float, default=1.0
        The privacy loss: the lower, the more private.

    Attributes
    ----------
    classes_ : ndarray
    epsilon_, delta_ : float
        What was spent.
    """

    classes_: NDArray[Any]
    epsilon_: float
    delta_: float
    _one_hot = True

    def __init__(
        self, *, domains: Mapping[str, Domain], classes: Sequence[Any], epsilon: float = 1.0
    ) -> None:
        self.domains = domains
        self.classes = classes
        self.epsilon = epsilon

    @abstractmethod
    def _train(self, inputs: NDArray[np.float64], labels: NDArray[np.int64]) -> None:
        """Learn from encoded rows, and say in `delta_` and `epsilon_` what it cost."""

    @abstractmethod
    def _probabilities(self, inputs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each class for encoded rows."""

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Train.

        Parameters
        ----------
        X : frame or mapping
            One row for each person.
        y : array
            The labels.
        """
        self._check()
        known, truth = np.unique(np.asarray(self.classes)), np.asarray(y)
        if len(known) != len(self.classes) or len(known) < 2:
            raise ParameterError(
                "The 'classes' parameter must list at least two labels, each once. "
                f"Got {len(self.classes)}, of which {len(known)} differ."
            )
        # How many rows there are, or are of some kind, is private: no error says it.
        if not np.isin(truth, known).all():
            raise DataError("There are rows with a label that is not in 'classes'.")
        inputs = encode(X, self.domains, one_hot=self._one_hot)
        if len(inputs) != len(truth):
            raise DataError("There must be one label for each row. Got more, or fewer.")
        self._train(inputs, np.searchsorted(known, truth).astype(np.int64))
        self.classes_ = known
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class.

        Parameters
        ----------
        X : frame or mapping
        """
        check_is_fitted(self)
        return self._probabilities(encode(X, self.domains, one_hot=self._one_hot))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likeliest class.

        Parameters
        ----------
        X : frame or mapping
        """
        likeliest: NDArray[Any] = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[likeliest])

    def spent(self) -> dict[str, Any]:
        """Plain data: what the model promises, and by what means."""
        check_is_fitted(self)
        return {"mechanism": type(self).__name__, "epsilon": self.epsilon_, "delta": self.delta_}

    def _check(self) -> None:
        if not (isinstance(self.epsilon, int | float) and 0 < self.epsilon < math.inf):
            raise ParameterError(
                f"The 'epsilon' parameter of {type(self).__name__} must be a number above 0. "
                f"Got {self.epsilon!r} instead."
            )
        if not self.domains:
            raise ParameterError(
                f"The 'domains' parameter of {type(self).__name__} must name the columns that the "
                "model takes. Got none: bounds that are read from the data are not private."
            )
        for name, domain in self.domains.items():
            if not isinstance(domain, NumericDomain | CategoricalDomain):
                raise ParameterError(
                    f"The domain of '{name}' must be a NumericDomain or a CategoricalDomain. "
                    f"Got a {type(domain).__name__} instead."
                )


def encode(
    source: Any, domains: Mapping[str, Domain], *, one_hot: bool = True
) -> NDArray[np.float64]:
    """Turn rows into numbers from 0 to 1 by declared domains alone.

    A number takes two columns: where it lies in its range, and whether it is missing. A category
    takes a column for each category and one for none of them. So no attribute adds more than 1 to
    the squared length of a row.

    Parameters
    ----------
    source : frame or mapping
    domains : mapping of str to NumericDomain or CategoricalDomain
    one_hot : bool, default=True
        Else a category takes one column: its place in the list, none of them last.

    Examples
    --------
    >>> domains = {"age": NumericDomain(0, 100), "sex": CategoricalDomain(("f", "m"))}
    >>> encode({"age": [50, None], "sex": ["m", "x"]}, domains).tolist()
    [[0.5, 0.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0, 1.0]]
    """
    raw = columns_of(source, list(domains))
    parts = []
    for name, domain in domains.items():
        if isinstance(domain, NumericDomain):
            parts.append(_number(name, raw[name], domain))
        else:
            parts.append(_category(raw[name], domain, one_hot))
    return np.hstack(parts)


def _number(name: str, values: NDArray[Any], domain: NumericDomain) -> NDArray[np.float64]:
    try:
        numbers = np.array([np.nan if v is None else v for v in values.tolist()], dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"'{name}' is declared a number. Some of its values are none.") from None
    missing = np.isnan(numbers)
    width = max(domain.high - domain.low, np.finfo(float).tiny)
    place = (
        np.clip(np.where(missing, domain.low, numbers), domain.low, domain.high) - domain.low
    ) / width
    return np.column_stack([np.where(missing, 0.0, place), missing])


def _category(
    values: NDArray[Any], domain: CategoricalDomain, one_hot: bool
) -> NDArray[np.float64]:
    place = {category: number for number, category in enumerate(domain.categories)}
    none = len(place)
    codes = [none if _gone(v) else place.get(plain(v), none) for v in values.tolist()]
    return np.eye(none + 1)[codes] if one_hot else np.array(codes, dtype=float)[:, None] / none


def _gone(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


class PrivateForest(PrivateClassifier):
    """A forest of random trees, each grown on its own share of the people, with noisy leaves.

    After Fletcher and Islam, as diffprivlib has it. Cuts are drawn from the declared domains.

    Parameters
    ----------
    domains, classes, epsilon
        See `PrivateClassifier`.
    n_trees : int, default=10
        More trees have fewer people each, and noisier leaves.
    max_depth : int, default=5

    Notes
    -----
    diffprivlib draws its noise as floating-point numbers, whose last digits may betray more than
    epsilon says. Take its models for comparison, not for publication.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.data import CategoricalDomain, NumericDomain
    >>> domains = {"age": NumericDomain(0, 99), "member": CategoricalDomain(["no", "yes"])}
    >>> people = {"age": np.arange(100), "member": np.repeat(["no", "yes"], 50)}
    >>> forest = PrivateForest(domains=domains, classes=["child", "adult"], epsilon=5)
    >>> labels = np.where(np.arange(100) < 18, "child", "adult")
    >>> forest.fit(people, labels).predict(people).shape
    (100,)
    """

    # Random cuts of many columns of zeros and ones would hardly ever tell people apart.
    _one_hot = False

    def __init__(
        self,
        *,
        domains: Mapping[str, Domain],
        classes: Sequence[Any],
        epsilon: float = 1.0,
        n_trees: int = 10,
        max_depth: int = 5,
    ) -> None:
        super().__init__(domains=domains, classes=classes, epsilon=epsilon)
        self.n_trees = n_trees
        self.max_depth = max_depth

    def _train(self, inputs: NDArray[np.float64], labels: NDArray[np.int64]) -> None:
        library = _diffprivlib("PrivateForest")
        self.model_ = library.models.RandomForestClassifier(
            n_estimators=self.n_trees,
            max_depth=self.max_depth,
            epsilon=float(self.epsilon),
            bounds=(0.0, 1.0),
            classes=list(range(len(self.classes))),
            shuffle=True,
            # Left alone it would draw from numpy's global state, which anyone may have seeded.
            random_state=np.random.RandomState(np.frombuffer(secrets.token_bytes(64), np.uint32)),
        )
        _fit(library, self.model_, inputs, labels)
        self.epsilon_, self.delta_ = float(self.epsilon), 0.0

    def _probabilities(self, inputs: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.model_.predict_proba(inputs), dtype=np.float64)


class PrivateLogistic(PrivateClassifier):
    """Logistic regression whose objective is perturbed, by diffprivlib.

    Every class must have rows. The people's records are as long as the number of columns allows,
    which is known without the data.

    Parameters
    ----------
    domains, classes, epsilon
        See `PrivateClassifier`.
    C : float, default=1.0
        The inverse of the penalty on the coefficients.

    Notes
    -----
    See `PrivateForest` on floating-point noise.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.data import CategoricalDomain, NumericDomain
    >>> domains = {"age": NumericDomain(0, 99), "member": CategoricalDomain(["no", "yes"])}
    >>> people = {"age": np.arange(100), "member": np.repeat(["no", "yes"], 50)}
    >>> model = PrivateLogistic(domains=domains, classes=["child", "adult"], epsilon=5)
    >>> labels = np.where(np.arange(100) < 18, "child", "adult")
    >>> model.fit(people, labels).predict(people).shape
    (100,)
    """

    def __init__(
        self,
        *,
        domains: Mapping[str, Domain],
        classes: Sequence[Any],
        epsilon: float = 1.0,
        C: float = 1.0,
    ) -> None:
        super().__init__(domains=domains, classes=classes, epsilon=epsilon)
        self.C = C

    def _train(self, inputs: NDArray[np.float64], labels: NDArray[np.int64]) -> None:
        library = _diffprivlib("PrivateLogistic")
        if len(np.unique(labels)) < len(self.classes):
            raise DataError("Every class must have rows. Some of 'classes' have none.")
        self.model_ = library.models.LogisticRegression(
            epsilon=float(self.epsilon), data_norm=math.sqrt(len(self.domains)), C=self.C
        )
        _fit(library, self.model_, inputs, labels)
        self.epsilon_, self.delta_ = float(self.epsilon), 0.0

    def _probabilities(self, inputs: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.model_.predict_proba(inputs), dtype=np.float64)


def _fit(library: ModuleType, model: Any, inputs: NDArray[Any], labels: NDArray[Any]) -> None:
    with warnings.catch_warnings():
        # scikit-learn's own talk about convergence and old names; a leak must never pass.
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", library.utils.PrivacyLeakWarning)
        model.fit(inputs, labels)


def _diffprivlib(owner: str) -> ModuleType:
    if find_spec("diffprivlib") is None:
        raise MissingExtraError(
            f"{owner} needs diffprivlib, which is not installed.\n\n"
            f"Hint: pip install 'sparsam[{EXTRA}]'"
        )
    try:
        import diffprivlib
        import diffprivlib.models
        import diffprivlib.utils
    except ImportError as error:
        from sklearn import __version__ as version

        raise MissingExtraError(
            f"{owner} needs diffprivlib, which is installed but does not run beside "
            f"scikit-learn {version}.\n\nHint: use PrivateNetwork, or an environment with "
            "scikit-learn older than 1.8."
        ) from error
    library: ModuleType = diffprivlib
    return library


class Payer(Protocol):
    """What a run of training is charged to: a `sparsam.explore.Ledger`."""

    def charge_training(
        self, noise_multiplier: float, sample_rate: float, steps: int, *, purpose: str
    ) -> object:
        """Charge the run, or refuse it."""


class PrivateNetwork(PrivateClassifier):
    """A small network whose every step of training is clipped and made noisy (DP-SGD).

    After Abadi et al. 2016, by opacus: people are drawn into batches at random, each person's
    gradient is clipped, and noise is added, as much as the asked epsilon needs.

    Parameters
    ----------
    domains, classes, epsilon
        See `PrivateClassifier`.
    delta : float, default=1e-5
        The chance that the promise fails; must be below one by the number of people.
    hidden : sequence of int, default=(64,)
        Units of the hidden layers; none for logistic regression.
    epochs : int, default=20
    batch : int, default=256
        People in a batch, on average.
    learning_rate : float, default=0.01
    clip : float, default=1.0
        The length that each person's gradient is clipped to.
    ledger : Ledger, optional
        Pays for the run before it begins, from the account that explorations are paid from; it
        refuses what is over its budget, and nothing is trained then. See `sparsam.explore`.

    Notes
    -----
    The noise is drawn as floating-point numbers, without opacus's secure mode, which needs a
    library that is no longer kept up.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.data import CategoricalDomain, NumericDomain
    >>> domains = {"age": NumericDomain(0, 99), "member": CategoricalDomain(["no", "yes"])}
    >>> people = {"age": np.arange(100), "member": np.repeat(["no", "yes"], 50)}
    >>> network = PrivateNetwork(
    ...     domains=domains, classes=["child", "adult"], epsilon=5, delta=1e-3, epochs=2, batch=50
    ... )
    >>> labels = np.where(np.arange(100) < 18, "child", "adult")
    >>> network.fit(people, labels).predict(people).shape
    (100,)
    """

    def __init__(
        self,
        *,
        domains: Mapping[str, Domain],
        classes: Sequence[Any],
        epsilon: float = 1.0,
        delta: float = 1e-5,
        hidden: Sequence[int] = (64,),
        epochs: int = 20,
        batch: int = 256,
        learning_rate: float = 0.01,
        clip: float = 1.0,
        ledger: Payer | None = None,
    ) -> None:
        super().__init__(domains=domains, classes=classes, epsilon=epsilon)
        self.delta = delta
        self.hidden = hidden
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.clip = clip
        self.ledger = ledger

    def _train(self, inputs: NDArray[np.float64], labels: NDArray[np.int64]) -> None:
        torch, opacus = training_libraries("PrivateNetwork")
        if not 0 < self.delta < 1:
            raise ParameterError(
                "The 'delta' parameter of PrivateNetwork must be a number between 0 and 1. "
                f"Got {self.delta!r} instead."
            )
        if self.delta >= 1 / len(labels):
            raise DataError(
                # How many there are is private too.
                "The 'delta' parameter of PrivateNetwork must be below one by the number of "
                f"people. Got {self.delta!r} instead."
            )
        generator = torch.Generator()
        generator.manual_seed(secrets.randbits(63))
        rows = torch.utils.data.TensorDataset(
            torch.tensor(inputs, dtype=torch.float32), torch.tensor(labels)
        )
        loader = torch.utils.data.DataLoader(
            rows, batch_size=min(self.batch, len(labels)), generator=generator
        )
        module = _network(torch, inputs.shape[1], self.hidden, len(self.classes))
        optimizer = torch.optim.Adam(module.parameters(), lr=self.learning_rate)
        with warnings.catch_warnings():
            # That the generator is not the secure one is said in the notes above.
            warnings.simplefilter("ignore")
            engine = opacus.PrivacyEngine()
            module, optimizer, loader = engine.make_private_with_epsilon(
                module=module,
                optimizer=optimizer,
                data_loader=loader,
                target_epsilon=float(self.epsilon),
                target_delta=float(self.delta),
                epochs=self.epochs,
                max_grad_norm=float(self.clip),
                noise_generator=generator,
            )
            if self.ledger is not None:
                self.ledger.charge_training(
                    float(optimizer.noise_multiplier),
                    1 / len(loader),
                    self.epochs * len(loader),
                    purpose="train a network with DP-SGD",
                )
            self._steps(torch, module, optimizer, loader)
            self.epsilon_ = float(engine.get_epsilon(self.delta))
        self.delta_ = float(self.delta)
        self.noise_ = float(optimizer.noise_multiplier)
        # The hooks that record each person's gradient stay behind.
        self.module_ = module.to_standard_module().eval()

    def _steps(self, torch: Any, module: Any, optimizer: Any, loader: Any) -> None:
        loss = torch.nn.CrossEntropyLoss()
        module.train()
        for _ in range(self.epochs):
            for batch, truth in loader:
                optimizer.zero_grad()
                loss(module(batch), truth).backward()
                optimizer.step()

    def _probabilities(self, inputs: NDArray[np.float64]) -> NDArray[np.float64]:
        torch, _ = training_libraries("PrivateNetwork")
        with torch.no_grad():
            logits = self.module_(torch.tensor(inputs, dtype=torch.float32))
        return np.asarray(torch.softmax(logits.double(), dim=1).numpy())

    def spent(self) -> dict[str, Any]:
        """Plain data: what the model promises, and by what means."""
        # Not the noise: beside the epsilon it gives the number of people.
        return {**super().spent(), "clip": float(self.clip)}


def _network(torch: Any, n_inputs: int, hidden: Sequence[int], n_classes: int) -> Any:
    layers: list[Any] = []
    width = n_inputs
    for units in hidden:
        layers += [torch.nn.Linear(width, units), torch.nn.Tanh()]
        width = units
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, n_classes))


def training_libraries(owner: str) -> tuple[Any, Any]:
    """Return torch and opacus, or an error that names the extra to install."""
    try:
        import opacus
        import torch
    except ImportError as error:
        raise MissingExtraError(
            f"{owner} needs torch and opacus, which are not installed.\n\n"
            f"Hint: pip install 'sparsam[{EXTRA}]'"
        ) from error
    return torch, opacus
