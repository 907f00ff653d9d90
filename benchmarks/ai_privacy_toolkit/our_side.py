"""Model-guided minimisation against `ai-privacy-toolkit`: same model, same rows, same target.

    python our_side.py --results RESULTS --python TOOLKIT_ENVIRONMENT/bin/python

Prints for each table and model, side by side:

- own rows, held out: the share of the model's predictions that what is really applied keeps, as the
  toolkit claims it for its optimisation rows (ours: all rows it was fitted on), and on others;
- loss: the information loss of the ranges that are announced, which a form would ask for;
- seen: the same with a range as wide as the values seen in it; needed: that of the ranges which the
  cells really tell apart (the toolkit announces more after pruning); local: what the leaves hide;
- unsaid: rows whose fed record depends on more than the announced ranges;
- the cost of fitting, black box calls included.

Results of the other side are kept in RESULTS and used again; README.md says how to make its
environment.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from encoding import LABEL, Encoder, cpu_seconds, read_rows
from jobs import MODELS, TABLES, Job, write
from measure import Loss, Rows, ambiguous, local_loss, losses, needed_by_toolkit, read_toolkit
from neutral_model import NeutralModel

from sparsam.minimise import ModelTree

TARGETS = (0.8, 0.83, 0.86, 0.88, 0.89, 0.9, 0.91, 0.92, 0.93, 0.94, 0.95, 0.96, 0.97, 0.975, 0.98)
TARGETS += (0.985, 0.9875, 0.99, 0.9925, 0.995, 0.9975, 1.0)
HERE = Path(__file__).resolve().parent
ONE_CORE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    who: str
    own: float
    held_out: float
    loss: Loss
    needed: float
    local: float
    ambiguous: float
    cpu: float
    wall: float

    def __str__(self) -> str:
        return (
            f"  {self.who:<32}{self.own:8.4f}{self.held_out:10.4f}{self.loss.announced:9.3f}"
            f"{self.loss.seen:7.3f}{self.needed:8.3f}{self.local:7.3f}{self.ambiguous:8.1%}"
            f"{self.cpu:9.2f}{self.wall:8.2f}"
        )


@dataclass(frozen=True)
class Verdict:
    """The CPU seconds of both, and whether ours loses at least as much, by each measure."""

    ours: float
    theirs: float
    loss: bool
    seen: bool
    needed: bool
    local: bool

    @property
    def faster(self) -> float:
        """How many times faster ours is."""
        return self.theirs / self.ours


Measure = Callable[[Line], float]
MEASURES: tuple[Measure, ...] = (
    lambda line: line.loss.announced,
    lambda line: line.loss.seen,
    lambda line: line.needed,
    lambda line: line.local,
)
HEADER = (
    f"  {'':<32}{'own rows':>8}{'held out':>10}{'loss':>9}{'seen':>7}{'needed':>8}{'local':>7}"
    f"{'unsaid':>8}{'CPU s':>9}{'wall s':>8}"
)


def their_outcome(job: Job, python: str | None) -> dict[str, Any]:
    """Run the other side in its own environment, unless it has run before."""
    path = job.folder / "outcome.json"
    if not path.exists():
        if python is None:
            raise SystemExit(f"No result for {job.name} yet; name its environment by --python.")
        script = [python, "-W", "ignore", str(HERE / "their_side.py"), str(job.folder.resolve())]
        subprocess.run(script, check=True, env={**os.environ, **ONE_CORE})
    return json.loads(path.read_text())


def load(job: Job, outcome: dict[str, Any]) -> tuple[NeutralModel, Rows]:
    """Read the model and the rows; make sure that the model answers alike on both sides."""
    numeric = json.loads((job.folder / "job.json").read_text())["numeric"]
    parts = {}
    for part in ("train", "fit", "held_out"):
        rows = read_rows(job.folder / f"{part}.csv", numeric)
        parts[part] = rows.drop(columns=LABEL, errors="ignore")
    model = NeutralModel(job.folder / "model.npz", Encoder.from_dict(outcome["encoder"]))
    for part, rows in parts.items():
        differ = int(np.sum(model(rows) != model.recorded[part]))
        if differ:
            raise SystemExit(f"{job.name}: {differ} answers differ between the two sides ({part}).")
    return model, Rows(parts["fit"], parts["held_out"])


def theirs(job: Job, outcome: dict[str, Any], model: NeutralModel, rows: Rows) -> Line:
    fed = pd.read_csv(job.folder / "transformed.csv", keep_default_na=False)
    generalization = read_toolkit(outcome["announced"], rows)
    needed = read_toolkit(needed_by_toolkit(outcome, rows), rows)
    return Line(
        f"toolkit, target {job.target}",
        outcome["claimed_accuracy"],
        float(np.mean(model(fed) == model(rows.held_out))),
        losses(generalization, rows.fit.shape[1], rows),
        losses(needed, rows.fit.shape[1], rows).announced,
        local_loss(outcome, rows),
        ambiguous(generalization, rows, fed),
        outcome["fit_seconds"]["cpu"],
        outcome["fit_seconds"]["wall"],
    )


def fitted(model: NeutralModel, frame: pd.DataFrame, target: float) -> tuple[Any, float, float]:
    """Fit ours; CPU seconds count child processes, and black box calls as well."""
    tree = ModelTree(model=model, keep_accuracy=target, random_state=0)
    before, start = cpu_seconds(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a missed target shows in the table
        tree.fit(frame)
    return tree, cpu_seconds() - before, time.perf_counter() - start


def ours(model: NeutralModel, rows: Rows, target: float) -> Line:
    tree, cpu, wall = fitted(model, rows.fit, target)
    fed = tree.recoding_.apply(rows.held_out)
    loss = losses(tree.generalization_, rows.fit.shape[1], rows)
    own = model(tree.recoding_.apply(rows.fit)) == model(rows.fit)
    return Line(
        f"sparsam, target {target}",
        float(np.mean(own)),
        float(np.mean(model(fed) == model(rows.held_out))),
        loss,
        loss.announced,
        tree.recoding_.information_loss(rows.held_out_table()).overall,
        ambiguous(tree.generalization_, rows, fed),
        cpu,
        wall,
    )


def at_their_accuracy(their: Line, model: NeutralModel, rows: Rows) -> Line | None:
    """Fit for the lowest target whose held-out accuracy is at least what the toolkit reached.

    The choice looks at the held-out rows, as equal accuracy there is what it is for.
    """
    lines = (ours(model, rows, target) for target in TARGETS)
    return next((line for line in lines if line.held_out >= their.held_out), None)


def compare(job: Job, outcome: dict[str, Any]) -> Verdict:
    """Print one table; say whether ours loses as much at equal accuracy, and how much faster."""
    model, rows = load(job, outcome)
    facts = json.loads((job.folder / "job.json").read_text())
    fitted(model, rows.fit[:200], job.target)  # compiles
    their = theirs(job, outcome, model, rows)
    nominal = ours(model, rows, job.target)
    equal = at_their_accuracy(their, model, rows)
    reported = outcome["reported_ncp"]
    print(
        f"{job.name}: {len(rows.fit):,} rows to fit, {len(rows.held_out):,} held out "
        f"({facts['set_aside']} set aside), model right in {outcome['model_accuracy']:.3f}\n"
        f"  toolkit as shipped: {outcome['as_shipped']}; it reports an NCP of "
        f"{reported['fit_score']:.3f} (fit) and {reported['transform_score']:.3f} (transform); "
        f"{len(outcome['leaves'])} cells"
    )
    print(HEADER, their, nominal, sep="\n")
    print(equal or "  sparsam: no target reaches the toolkit's accuracy")
    enough = (_enough(equal, their, measure) for measure in MEASURES)
    verdict = Verdict(nominal.cpu, their.cpu, *enough)
    against = _against(equal, their)
    print(f"  fit {verdict.faster:,.0f} times faster; at equal accuracy: {against}\n")
    return verdict


def _enough(equal: Line | None, their: Line, measure: Measure) -> bool:
    return equal is not None and measure(equal) >= measure(their)


def _against(equal: Line | None, their: Line) -> str:
    if equal is None:
        return "not reached"
    pairs = [(measure(equal), measure(their)) for measure in MEASURES]
    words = (
        f"{name} {a:.3f} against {b:.3f}" + (f" ({a / b:.2f} times)" if b else "")
        for name, (a, b) in zip(("loss", "seen", "needed", "local"), pairs, strict=True)
    )
    return ", ".join(words)


def time_all_rows(results: Path, python: str | None, target: float) -> None:
    """Print how long ours takes on the whole of Adult."""
    frame = TABLES["Adult"]().frame.drop(columns=LABEL)
    for name in MODELS:
        job = write("Adult", name, target, results)
        model, rows = load(job, their_outcome(job, python))
        fitted(model, rows.fit[:200], target)
        tree, cpu, wall = fitted(model, frame, target)
        kept = np.mean(model(tree.recoding_.apply(frame)) == model(frame))
        print(f"Adult, {name}, {len(frame):,} rows: {cpu:.1f} CPU s, {wall:.1f} s; kept {kept:.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, required=True, help="folder of jobs and results")
    parser.add_argument("--python", help="the interpreter of the toolkit's environment")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--target", type=float, default=0.98, help="relative accuracy to keep")
    parser.add_argument("--all-rows", action="store_true", help="time ours on the whole of Adult")
    given = parser.parse_args()
    found = []
    for table in given.tables:
        for model in given.models:
            job = write(table, model, given.target, given.results)
            found.append(compare(job, their_outcome(job, given.python)))
    for name in ("loss", "seen", "needed", "local"):
        enough = sum(getattr(verdict, name) for verdict in found)
        print(f"At least the toolkit's '{name}' at equal accuracy: {enough} of {len(found)}.")
    faster = [verdict.faster for verdict in found]
    print(f"Fit {min(faster):,.0f} to {max(faster):,.0f} times faster.")
    if given.all_rows:
        time_all_rows(given.results, given.python, given.target)


if __name__ == "__main__":
    main()
