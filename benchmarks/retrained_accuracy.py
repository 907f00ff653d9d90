"""Accuracy of models retrained on anonymised people (Goldsteen et al. 2021, figures 2-5).

    python benchmarks/retrained_accuracy.py [--models ...] [--splits N] [--ks ...] [--sets ...]
        [--publish FORM]

The protocol of `anonymise.py`, with a network, boosting, a decision tree and a forest, 12, 10 and 8
quasi-identifiers and k from 10 to 1000. Each model guides the default method by its own answers, as
in the paper. Prints the mean accuracy on raw test rows of each method,
and how far the default is from the best of the others, with the standard error of that difference
over the splits: a difference within two of them is noise.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from anonymise import EIGHT, NUMBERS, TEN, TWELVE, WORDS, adult
from sparsam.anonymise import Anonymiser, BulkLoad, Hilbert, Hybrid, Mondrian

SETS = {12: TWELVE, 10: TEN, 8: EIGHT}
KS = (10, 50, 100, 500, 1000)
METHODS: tuple[Any, ...] = (Hybrid, Mondrian, Hilbert, BulkLoad)
MODELS: dict[str, Callable[[], Any]] = {
    "network": lambda: MLPClassifier((64,), early_stopping=True, random_state=0),
    "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
    "tree": lambda: DecisionTreeClassifier(min_samples_leaf=20, random_state=0),
    "forest": lambda: RandomForestClassifier(100, min_samples_leaf=2, random_state=0),
}


def encoded(train: pd.DataFrame, test: pd.DataFrame) -> tuple[Any, Any]:
    """Encode once for all models: categories as columns, numbers standardised on the raw rows."""
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), WORDS),
        (StandardScaler(), NUMBERS),
    ).fit(train)
    return encoder.transform, encoder.transform(test)


def one_split(
    frame: pd.DataFrame, seed: int, models: list[str], asked: list[tuple[int, int]], form: Any
) -> dict[tuple[int, int, str], list[float]]:
    """Accuracy by number of quasi-identifiers, k and method, one for each model."""
    order = np.random.default_rng(seed).permutation(len(frame))
    cut = round(0.7 * len(frame))
    train, test = frame.iloc[order[:cut]], frame.iloc[order[cut:]]
    labels, truth = train["income"].to_numpy(), test["income"].to_numpy()
    encode, inputs = encoded(train[TWELVE], test[TWELVE])
    raw = [MODELS[name]().fit(encode(train[TWELVE]), labels) for name in models]
    answers = [model.predict(encode(train[TWELVE])) for model in raw]
    found = {(0, 0, "raw"): [float(model.score(inputs, truth)) for model in raw]}
    for n_names, k in asked:
        names = SETS[n_names]
        kept = [name for name in TWELVE if name not in names]
        for method in METHODS:
            estimator = Anonymiser(
                method(),
                k=k,
                quasi_identifiers=names,
                keep=kept,
                publish=form,
                accept_unique=True,  # the paper keeps the other columns as they are
            )
            release, reached = None, []
            for name, said in zip(models, answers, strict=True):
                if release is None or method is Hybrid:  # the others do not look at answers
                    release = encode(estimator.fit_transform(train[TWELVE], answers=said)[TWELVE])
                again = MODELS[name]().fit(release, labels)
                reached.append(float(again.score(inputs, truth)))
            found[n_names, k, method.__name__] = reached
    return found


Setting = tuple[int, int]


def compared(
    models: list[str], n_splits: int, asked: list[Setting], form: str = "median", rows: Any = None
) -> dict[str, tuple[float, dict[Setting, tuple[Any, float, float]]]]:
    """For each model the raw accuracy and, by setting, that of each method, and how far ahead.

    How far the default is ahead of the best of the others comes with its standard error over the
    splits. A number of rows takes the first ones only.
    """
    frame = adult().iloc[:rows]
    splits = [one_split(frame, seed, models, asked, form) for seed in range(n_splits)]
    facts = {}
    for place, model in enumerate(models):
        by_setting = {}
        for n_names, k in asked:
            by_method = np.array(
                [[split[n_names, k, m.__name__][place] for m in METHODS] for split in splits]
            )
            mean = by_method.mean(axis=0)
            ahead = by_method[:, 0] - by_method[:, 1 + int(mean[1:].argmax())]
            error = ahead.std(ddof=1) / np.sqrt(len(ahead)) if len(ahead) > 1 else np.nan
            by_setting[n_names, k] = (mean, float(ahead.mean()), float(error))
        raw = float(np.mean([split[0, 0, "raw"][place] for split in splits]))
        facts[model] = (raw, by_setting)
    return facts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--ks", type=int, nargs="+", default=list(KS))
    parser.add_argument("--sets", type=int, nargs="+", choices=list(SETS), default=list(SETS))
    parser.add_argument(
        "--publish", choices=["mean", "median", "mode", "nearest"], default="median"
    )
    chosen = parser.parse_args()
    asked = [(n_names, k) for n_names in chosen.sets for k in chosen.ks]
    facts = compared(chosen.models, chosen.splits, asked, chosen.publish)
    for model, (raw, by_setting) in facts.items():
        print(f"\n{model}: raw {raw:.4f}, mean of {chosen.splits} splits")
        print(f"{'QI':>3} {'k':>5}", *(f"{m.__name__:>9}" for m in METHODS), "   ahead by")
        for (n_names, k), (mean, ahead, error) in by_setting.items():
            listed = " ".join(f"{value:9.4f}" for value in mean)
            print(f"{n_names:3} {k:5} {listed}   {100 * ahead:+.2f} ± {100 * error:.2f}")


if __name__ == "__main__":
    main()
