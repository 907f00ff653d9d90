"""`sparsam minimise --model` on wide numbers, as a stranger runs it: this code against another.

    python benchmarks/field_model.py --base ../base/src [--limit 300] [--only money magic]
    python benchmarks/field_model.py            # this code alone

Each case is a file and a forest in another file: the command runs in a process of its own, report
included. Prints its CPU-seconds and its largest memory, what it says is kept, what of each answer
is kept over all rows, and how many ranges it asks for. `--base` is the `src` of a checkout of
another commit; what takes longer than `--limit` CPU-seconds is stopped.

The tables are amounts of money that are made up (10,000 x 28 and 30,000 x 23), and the lending,
MAGIC and Heritage Health tables of the shared folder, with targets at their natural rates. The
forests have learned on as many other people.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import joblib
import numpy as np
import onnx
import pandas as pd
from onnx import TensorProto, helper
from sklearn.ensemble import RandomForestClassifier

from sparsam.data import load_model
from sparsam.generalization import Recoding
from tables import DATA

NEW = Path(__file__).resolve().parents[1] / "src"
KILLED = -24  # by SIGXCPU
TARGET = "outcome"
_NUMBERS_OF_A_LOAN = (
    "annual_inc avg_cur_bal bc_open_to_buy bc_util dti funded_amnt_inv installment max_bal_bc "
    "mo_sin_old_il_acct mo_sin_old_rev_tl_op pct_tl_nvr_dlq percent_bc_gt_75 revol_bal "
    "tot_cur_bal tot_hi_cred_lim total_acc total_bal_ex_mort total_bc_limit "
    "total_il_high_credit_limit all_util acc_open_past_24mths num_il_tl num_rev_accts"
)


def amounts(n_rows: int, n_columns: int, rare: float, seed: int) -> pd.DataFrame:
    """Amounts of money that go together, and an outcome that a few of them and chance decide."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(n_rows, 4))
    logs = factors @ rng.normal(scale=0.6, size=(4, n_columns)) + rng.normal(
        size=(n_rows, n_columns)
    )
    frame = pd.DataFrame(np.round(np.exp(7 + logs), 2), columns=[f"a{i}" for i in range(n_columns)])
    score = (
        logs[:, :6] @ rng.normal(size=6) + 0.8 * logs[:, 0] * logs[:, 1] + rng.normal(size=n_rows)
    )
    frame[TARGET] = np.where(score > np.quantile(score, 1 - rare), "yes", "no")
    return frame


def lending() -> pd.DataFrame:
    frame = pd.read_csv(DATA / "lending_club_2018.csv.gz", low_memory=False)
    numbers = frame[_NUMBERS_OF_A_LOAN.split()].apply(pd.to_numeric, errors="coerce")
    numbers = numbers.fillna(numbers.median())
    return numbers.assign(**{TARGET: np.where(frame["loan_status"] == 0, "paid", "not")})


def magic() -> pd.DataFrame:
    frame = pd.read_csv(DATA / "magic04.csv.gz")
    return frame.rename(columns={"class": TARGET})


def health() -> pd.DataFrame:
    frame = duckdb.sql(
        f"select * from '{DATA}/heritage_health_171067.parquet' using sample 60000 rows "
        "(reservoir, 0)"
    ).df()
    charlson = [name for name in frame if name.startswith("CharlsonIndexI_")]
    ill = frame["CharlsonIndexI_max"] > 0
    numbers = frame.drop(columns=charlson).select_dtypes("number")
    widest = numbers.nunique().sort_values(ascending=False, kind="stable").index[:28]
    return numbers[widest].assign(**{TARGET: np.where(ill, "ill", "well")})


@dataclass(frozen=True)
class Case:
    """A table, and whether its forest is an ONNX file."""

    table: Callable[[], pd.DataFrame]
    as_onnx: bool


CASES = {
    "wide": Case(lambda: amounts(20_000, 28, 0.14, 1), False),
    "money": Case(lambda: amounts(60_000, 23, 0.2, 2), True),
    "lending": Case(lending, True),
    "magic": Case(magic, False),
    "health": Case(health, False),
}


def onnx_forest(forest: RandomForestClassifier, path: Path) -> None:
    """Write a forest of two classes as ONNX; its answers are scores."""
    nodes: dict[str, list[Any]] = {
        f"nodes_{name}": []
        for name in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids",
                     "falsenodeids")
    }  # fmt: skip
    leaves: dict[str, list[Any]] = {
        f"class_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")
    }
    for number, estimator in enumerate(forest.estimators_):
        tree = estimator.tree_
        inner = tree.children_left >= 0
        size = tree.node_count
        nodes["nodes_treeids"] += [number] * size
        nodes["nodes_nodeids"] += range(size)
        nodes["nodes_featureids"] += np.where(inner, tree.feature, 0).tolist()
        nodes["nodes_values"] += np.where(inner, tree.threshold, 0.0).tolist()
        nodes["nodes_modes"] += np.where(inner, "BRANCH_LEQ", "LEAF").tolist()
        nodes["nodes_truenodeids"] += np.where(inner, tree.children_left, 0).tolist()
        nodes["nodes_falsenodeids"] += np.where(inner, tree.children_right, 0).tolist()
        share = tree.value[:, 0] / tree.value[:, 0].sum(axis=1, keepdims=True)
        for leaf in np.flatnonzero(~inner).tolist():
            for kind in range(2):
                leaves["class_treeids"].append(number)
                leaves["class_nodeids"].append(leaf)
                leaves["class_ids"].append(kind)
                leaves["class_weights"].append(share[leaf, kind] / len(forest.estimators_))
    node = helper.make_node(
        "TreeEnsembleClassifier", ["records"], ["label", "scores"], domain="ai.onnx.ml",
        classlabels_strings=[str(kind) for kind in forest.classes_], post_transform="NONE",
        **nodes, **leaves,
    )  # fmt: skip
    n_columns = forest.n_features_in_
    graph = helper.make_graph(
        [node],
        "forest",
        [helper.make_tensor_value_info("records", TensorProto.FLOAT, [None, n_columns])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [None, 2])],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


def prepare(case: Case, place: Path) -> Path:
    """Write one half of a table, and a forest that learned on the other; the forest's file."""
    frame = case.table()
    inputs = frame.drop(columns=TARGET)
    rows, others = np.array_split(np.random.default_rng(1_234).permutation(len(frame)), 2)
    frame.iloc[others].to_csv(place / "people.csv", index=False)
    learned = inputs.iloc[rows].to_numpy() if case.as_onnx else inputs.iloc[rows]
    forest = RandomForestClassifier(100, min_samples_leaf=5, random_state=0)
    forest.fit(learned, frame[TARGET].iloc[rows])
    if case.as_onnx:
        onnx_forest(forest, place / "forest.onnx")
        return place / "forest.onnx"
    joblib.dump(forest, place / "forest.joblib")
    return place / "forest.joblib"


def minimise(source: Path, place: Path, model: Path, limit: int) -> dict[str, Any]:
    """Run the command with the code of one checkout, and measure it."""
    call = [
        sys.executable, "-m", "sparsam.cli", "minimise", "people.csv", "--model", model.name,
        "--trust-model", "--target", TARGET, "-o", "people.json", "--recoding", "recoding.json",
        "--report", "report.html", "--json", "-q",
    ]  # fmt: skip

    with tempfile.TemporaryFile("w+") as said:
        running = subprocess.Popen(
            call,
            cwd=place,
            env={**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"},
            stdout=said,
            stderr=subprocess.DEVNULL,
        )
        resource.prlimit(running.pid, resource.RLIMIT_CPU, (limit, limit + 5))
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read()
    measured: dict[str, Any] = {
        "seconds": used.ru_utime + used.ru_stime,
        "megabytes": used.ru_maxrss / 1024,
        "stopped": running.returncode == KILLED,
    }
    if running.returncode not in (0, 1, 3):
        return measured
    return {**measured, "said": json.loads(text)}


def kept_of_each(place: Path, model: Path) -> dict[str, float]:
    """What is kept of each answer over all rows."""
    people = pd.read_csv(place / "people.csv").drop(columns=TARGET)
    box = load_model(model, trust=True)
    before = box.predict(people)
    after = box.predict(Recoding.load(place / "recoding.json").apply(people)[list(people)])
    answers, counts = np.unique(before, return_counts=True)
    return {
        f"{answer} ({count / len(before):.0%})": float((after == before)[before == answer].mean())
        for answer, count in zip(answers.tolist(), counts.tolist(), strict=True)
    }


def _outcome(said: dict[str, Any]) -> str:
    proof = said.get("proof", {})
    if said["met"]:
        return f"at least {proof['at_least']} shown" if proof else "met"
    return "TOO FEW" if proof.get("too_few") else "MISSED"


def show(name: str, run: dict[str, Any], place: Path, model: Path) -> None:
    spent = f"{run['seconds']:7.1f} CPU-s {run['megabytes']:6.0f} MB"
    if "said" not in run:
        print(f"  {name}: {spent}  {'stopped' if run['stopped'] else 'failed'}", flush=True)
        return
    said = run["said"]
    recoding = Recoding.load(place / "recoding.json")
    ranges = [partition.n_buckets for partition in recoding.generalization]
    each = ", ".join(f"{answer} {kept:.3f}" for answer, kept in kept_of_each(place, model).items())
    print(
        f"  {name}: {spent}  kept {said['relative_accuracy']['score']:.4f} "
        f"{_outcome(said)} ({said.get('kept_in', 'all')}; {each}), "
        f"{len(said['collected'])} of {len(ranges)} collected, information loss "
        f"{said['information_loss']['overall']:.3f}, {sum(ranges)} ranges, at most {max(ranges)}, "
        f"{said['n_asked']:,} asked",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, help="the src folder of another commit")
    parser.add_argument("--limit", type=int, default=300, help="CPU-seconds for one run")
    parser.add_argument("--only", choices=list(CASES), nargs="+", default=list(CASES))
    chosen = parser.parse_args()
    for name in chosen.only:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            model = prepare(CASES[name], place)
            table = pd.read_csv(place / "people.csv", nrows=1)
            print(f"{name}: {len(table.columns) - 1} columns, {model.name}", flush=True)
            for what, source in (("base", chosen.base), ("new ", NEW)):
                if source is not None:
                    run = minimise(source.resolve(), place, model, chosen.limit)
                    show(what, run, place, model)


if __name__ == "__main__":
    main()
