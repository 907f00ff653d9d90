"""The other side of the comparison; runs in the toolkit's own environment.

    python their_side.py JOB_FOLDER

Reads job.json, train.csv, fit.csv and held_out.csv; trains the model, lets the toolkit minimise
for it, and writes outcome.json, transformed.csv and model.npz (the model as plain arrays).
`our_side.py` calls it.
"""

from __future__ import annotations

import contextlib
import io
import json
import platform
import re
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from apt.minimization import GeneralizeToRepresentative
from encoding import LABEL, Encoder, cpu_seconds, read_rows
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.neural_network import MLPClassifier

MODELS = {
    "random forest": lambda: RandomForestClassifier(random_state=0),
    "gradient boosting": lambda: GradientBoostingClassifier(random_state=0),
    "neural network": lambda: MLPClassifier((100,), max_iter=60, random_state=0),
}
TIMED_ROWS = 500
PACKAGES = ("ai-privacy-toolkit", "scikit-learn", "numpy", "pandas")


class _SingletonsLoseNothing(dict):
    """Groups of categories, in which an attribute that was struck out is one category alone."""

    def __init__(self, groups: dict[str, list[list[str]]], struck: list[str]) -> None:
        super().__init__(groups)
        self.struck = struck

    def __missing__(self, name: str) -> list[list[None]]:
        self.struck.append(name)
        return [[None]]


class Generalizer(GeneralizeToRepresentative):
    """The toolkit's class as it is, but for two things (and `mend_level`).

    Asked for the loss of one attribute in a cell that has a single category of it, it raises a
    KeyError; here such a cell loses nothing, and ``struck`` lists the attributes. And a transform
    may go without the NCP afterwards, which costs rows times cells.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.struck: list[str] = []
        self.skip_ncp = False

    def _calculate_generalizations_for_cell(self, cell: dict[str, Any]) -> dict[str, Any]:
        found = super()._calculate_generalizations_for_cell(cell)
        return dict(found, categories=_SingletonsLoseNothing(found["categories"], self.struck))

    def calculate_ncp(self, samples: Any) -> float:
        """Compute their NCP, unless it is to be skipped."""
        return float("nan") if self.skip_ncp else super().calculate_ncp(samples)


def mend_level(generalizer: Generalizer) -> bool:
    """Set back the level of a tree that was pruned to exactly the target.

    It is then one too high, and every transform raises a KeyError.
    """
    nodes = generalizer._get_nodes_level(generalizer._level)
    if {cell["id"] for cell in generalizer.cells} == set(nodes or ()):
        return False
    generalizer._level -= 1
    return True


def timed(action: Callable[[], Any]) -> tuple[Any, dict[str, float], str]:
    """Run something; give its result, its CPU and wall seconds, and what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        before, start = cpu_seconds(), time.perf_counter()
        result = action()
        spent = {"cpu": cpu_seconds() - before, "wall": time.perf_counter() - start}
    return result, spent, printed.getvalue()


def export(model: Any) -> dict[str, np.ndarray]:
    """Return a fitted model as plain arrays that need no scikit-learn to be read."""
    if isinstance(model, MLPClassifier):
        layers = zip(model.coefs_, model.intercepts_, strict=True)
        flat = {}
        for i, (weights, offsets) in enumerate(layers):
            flat |= {f"weights_{i}": weights, f"offsets_{i}": offsets}
        return flat
    trees = [estimator.tree_ for estimator in np.ravel(model.estimators_)]
    forest = isinstance(model, RandomForestClassifier)
    arrays = {
        "feature": np.concatenate([t.feature for t in trees]).astype(np.int32),
        "threshold": np.concatenate([t.threshold for t in trees]),
        "left": np.concatenate([t.children_left for t in trees]).astype(np.int32),
        "right": np.concatenate([t.children_right for t in trees]).astype(np.int32),
        "value": np.concatenate([t.value[:, 0] for t in trees]),
        "start": np.cumsum([0, *(t.node_count for t in trees)]),
    }
    if forest:
        arrays["value"] /= arrays["value"].sum(axis=1, keepdims=True)
        return arrays
    prior = model._raw_predict_init(np.zeros((1, model.n_features_in_), np.float32))[0]
    return arrays | {"prior": prior, "rate": np.array(model.learning_rate)}


def as_shipped(struck: list[str], mended: bool) -> str:
    if struck:
        return f"fit raises KeyError: {struck[0]!r}"
    return "transform raises KeyError" if mended else "runs"


def claimed_accuracy(printed: str) -> float:
    """Find the relative accuracy that it had last when it stopped."""
    return float(re.findall(r"accuracy.*: ([0-9.]+)", printed)[-1])


def removed(printed: str) -> list[str]:
    """Find the attributes that it gave up generalising, and so passes on raw."""
    return re.findall(r"Removed feature: (.*), new relative accuracy", printed)


def announced(found: dict[str, Any]) -> dict[str, Any]:
    ranges = {name: [float(cut) for cut in cuts] for name, cuts in found["ranges"].items()}
    return {
        "ranges": ranges,
        "categories": found["categories"],
        "untouched": sorted(set(found["untouched"])),
    }


def leaves(generalizer: Generalizer) -> list[dict[str, Any]]:
    """Say what each node that the transform uses knows of a record.

    Read from the tree's own tests: the toolkit's list of cells has wrong ends after pruning.
    """
    tree, names = generalizer._dt.tree_, generalizer._encoded_features
    origin = generalizer._one_hot_vector_features_to_features
    used = set(generalizer._get_nodes_level(generalizer._level))
    known: dict[str, Any] = {
        name: sorted(values) for name, values in generalizer._categorical_values.items()
    }
    found, stack = [], [(0, known)]
    while stack:
        node, known = stack.pop()
        if node in used:
            found.append({"id": int(node), "known": known})
            continue
        name, threshold = names[tree.feature[node]], float(tree.threshold[node])
        attribute = origin.get(name, name)
        before = known.get(attribute, [None, None])
        if name in origin:
            value = name[len(attribute) + 1 :]
            sides = [v for v in before if v != value], [value]
        else:
            sides = [before[0], threshold], [threshold, before[1]]
        stack.append((tree.children_left[node], {**known, attribute: sides[0]}))
        stack.append((tree.children_right[node], {**known, attribute: sides[1]}))
    return found


def leaf_of_rows(generalizer: Generalizer, rows: pd.DataFrame) -> list[int]:
    prepared = generalizer._encode_categorical_features(rows.copy())
    nodes = generalizer._get_nodes_level(generalizer._level)
    return [int(node) for node in generalizer._find_sample_nodes(prepared, nodes)]


def run(folder: Path) -> None:
    job = json.loads((folder / "job.json").read_text())
    numeric = job["numeric"]
    train, fit, held_out = (
        read_rows(folder / f"{part}.csv", numeric) for part in ("train", "fit", "held_out")
    )
    labels, held_out_labels = train.pop(LABEL), held_out.pop(LABEL)
    encoder = Encoder.learn(train, numeric)
    model = MODELS[job["model"]]()
    model.fit(encoder.transform(train), labels)
    predictions = model.predict(encoder.transform(fit))
    generalizer = Generalizer(
        model,
        target_accuracy=job["target_accuracy"],
        categorical_features=[name for name in fit.columns if name not in numeric],
        encoder=encoder,
    )
    _, fit_seconds, printed = timed(lambda: generalizer.fit(fit, predictions))
    mended = mend_level(generalizer)
    timed_rows = held_out[:TIMED_ROWS]
    first, transform_seconds, _ = timed(lambda: generalizer.transform(timed_rows))
    reported = vars(generalizer.ncp)
    reported = {name: float(value) for name, value in reported.items()}
    generalizer.skip_ncp = True
    rest = held_out[TIMED_ROWS:].reset_index(drop=True)
    parts = [first, *([generalizer.transform(rest)] if len(rest) else [])]
    transformed = pd.concat(parts, ignore_index=True)
    raw = model.predict(encoder.transform(held_out))
    kept = model.predict(encoder.transform(transformed)) == raw
    transformed.to_csv(folder / "transformed.csv", index=False)
    np.savez_compressed(
        folder / "model.npz",
        **export(model),
        **{
            f"predictions_{part}": model.predict(encoder.transform(rows))
            for part, rows in (("train", train), ("fit", fit), ("held_out", held_out))
        },
    )
    outcome = {
        "announced": announced(generalizer.generalizations),
        "removed": removed(printed),
        "leaves": leaves(generalizer),
        "leaf_of_held_out": leaf_of_rows(generalizer, held_out),
        "fit_seconds": fit_seconds,
        "transform_seconds": {**transform_seconds, "rows": len(timed_rows)},
        "reported_ncp": reported,
        "claimed_accuracy": claimed_accuracy(printed),
        "held_out_accuracy": float(kept.mean()),
        "model_accuracy": float(np.mean(raw == held_out_labels)),
        "as_shipped": as_shipped(generalizer.struck, mended),
        "printed": printed.splitlines(),
        "encoder": encoder.to_dict(),
        "versions": {name: version(name) for name in PACKAGES}
        | {"python": platform.python_version()},
    }
    (folder / "outcome.json").write_text(json.dumps(outcome, indent=1))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    run(Path(sys.argv[1]))
