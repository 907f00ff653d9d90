"""Are our classifier and our adversary as strong as others' models on the same records?

    python our_side.py --python ENVIRONMENT/bin/python --results RESULTS

README.md says what is compared and how to make the environment. Results of a question are kept in
RESULTS and used again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from sparsam.assess import Front, sweep
from sparsam.assess._utility import best_classifier
from sparsam.attack import GeneralizedRecords, Question, Reconstruction, target_question
from sparsam.data import Split, Task, read, resolve, split
from tables import (
    Source,
    bank_balanced,
    happiness_whole,
    heritage,
    lending_whole,
    public_coverage,
)

HERE = Path(__file__).resolve().parent
MOST_VALUES, MOST_ATTRIBUTES = 30, 8
PEERS = ("lightgbm", "catboost", "forest", "network")


def _task(source: Callable[[], Source]) -> Task:
    frame, roles = source()
    return resolve(read(frame, roles=roles), roles)


TABLES: dict[str, Callable[[], Source]] = {
    "bank": bank_balanced,
    "GSS": happiness_whole,
    "lending": lending_whole,
    "Heritage Health": heritage,
    "ACSPublicCoverage": public_coverage,
}


def middle(front: Front) -> list[Any]:
    """The unbeaten points at a quarter, in the middle and at three quarters of the front."""
    best = [point.assessment.generalization for point in front.best]
    some = [best[(quarter * len(best)) // 4] for quarter in (1, 2, 3)]
    by_partitions = {g.partitions: g for g in some if g.collected}
    return list(by_partitions.values())


def questions(
    data: Split, records: GeneralizedRecords, half: str | None
) -> Iterator[tuple[Question, bool]]:
    """The target, then the personal attributes; with whether it is the target."""
    if half != "adversary":
        yield target_question(data), True
    if half == "utility":
        return
    attributes = data.train.table.attributes
    few = [a for a in data.train.personal if attributes[a].size <= MOST_VALUES]
    for question in Reconstruction().questions(records, data, few[:MOST_ATTRIBUTES]):
        yield question, False


def our_error(records: GeneralizedRecords, data: Split, question: Question, target: bool) -> float:
    if target:
        classifier = best_classifier(records, data, data.random_state, score="accuracy")
        return classifier.utility("test").error
    place = data.train.table.names.index(question.name)
    [answer] = Reconstruction(random_state=data.random_state).answers(records, data, [place])
    return float(np.mean(answer.wrong("test")))


def ask_the_others(
    python: str,
    folder: Path,
    records: GeneralizedRecords,
    data: Split,
    question: Question,
    target: bool,
) -> dict[str, Any]:
    ordered = [data.train.table.attributes[a].ordered for a in records.columns]
    possible = question.possible(records)
    everything = np.ones((len(records), question.size), bool)
    close = question.close()
    np.savez(
        folder / "question.npz",
        records=records.records,
        ordered=np.array(ordered),
        sizes=np.array(records.sizes),
        possible=everything if possible is None else possible,
        close=close,
        again=np.array(target),
        **{f"index_{part}": records.index[part] for part in ("train", "validation", "test")},
        **{f"truth_{part}": question.codes[part] for part in ("train", "validation", "test")},
    )
    command = [python, str(HERE / "their_side.py"), str(folder / "question.npz")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr[-2_000:])
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", required=True, help="the other environment's Python")
    parser.add_argument("--results", type=Path, required=True, help="where results are kept")
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--rows", type=int, default=12_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--half", choices=("utility", "adversary"), help="one of them alone")
    options = parser.parse_args()
    options.results.mkdir(exist_ok=True)
    lines: list[dict[str, Any]] = []
    for name in options.tables:
        task = _task(TABLES[name])
        if task.n_rows > options.rows:
            rows = np.random.default_rng(0).choice(task.n_rows, options.rows, replace=False)
            task = task.take(np.sort(rows))
        data = split(task, random_state=options.seed)
        points = middle(sweep(data, random_state=options.seed, score="accuracy"))
        for number, generalization in enumerate(points):
            records = GeneralizedRecords.of(generalization, data)
            for question, target in questions(data, records, options.half):
                theirs = ask_the_others(
                    options.python, options.results, records, data, question, target
                )
                ours = our_error(records, data, question, target)
                line = {"table": name, "point": number, "name": question.name, "target": target}
                lines.append({**line, "ours": ours, **theirs})
                print(f"{name:18}{number:3} {question.name[:28]:28}{ours:8.4f}", end="")
                print("".join(f"{theirs[peer]:8.4f}" for peer in (*PEERS, "best")), flush=True)
    (options.results / "lines.json").write_text(json.dumps(lines))
    halves = {"utility": True, "adversary": False}
    for half in (options.half,) if options.half else halves:
        target, words = halves[half], f"{half}: error, ours less theirs"
        print(f"\n{words} (mean over {len({line['table'] for line in lines})} tables)")
        for peer in (*PEERS, "best"):
            by_table = [
                np.mean(
                    [
                        line["ours"] - line[peer]
                        for line in lines
                        if line["table"] == name and line["target"] == target
                    ]
                )
                for name in options.tables
            ]
            listed = "".join(f"{value:+9.4f}" for value in by_table)
            print(f"  {peer:10}{np.mean(by_table):+9.4f}   by table{listed}")


if __name__ == "__main__":
    main()
