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

import duckdb
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from sparsam.assess import Front, sweep
from sparsam.assess._utility import best_classifier
from sparsam.attack import GeneralizedRecords, Question, Reconstruction, target_question
from sparsam.data import Roles, Split, Task, read, resolve, split
from tables import DATA, acs_public_coverage

HERE = Path(__file__).resolve().parent
MOST_VALUES, MOST_ATTRIBUTES = 30, 8
PEERS = ("lightgbm", "catboost", "forest", "network")


def bank() -> Task:
    return _task(f"select * from '{DATA}/bank_balanced_11162.csv.gz'", Roles("deposit"))


def gss() -> Task:
    source = f"read_csv('{DATA}/gss_happiness.csv.gz')"
    return _task(
        f'select * from {source} where "Happiness of marriage" is not null',
        Roles("Happiness of marriage"),
    )


def lending() -> Task:
    return _task(
        f"select * from '{DATA}/lending_club_2018.csv.gz'",
        Roles("loan_status", categorical=("loan_status",)),
    )


def heritage() -> Task:
    source = f"'{DATA}/heritage_health_171067.parquet'"
    names = duckdb.sql(f"select * from {source}").columns
    charlson = ", ".join(f'"{name}"' for name in names if name.startswith("CharlsonIndexI_"))
    roles = Roles("ill", personal=("age", "sex"), categorical=("ill",))
    rest = f'* exclude({charlson}, "Charlson>0")'
    return _task(f'select {rest}, "Charlson>0" as ill from {source}', roles)


def _task(query: str, roles: Roles) -> Task:
    return resolve(read(duckdb.sql(query), roles=roles), roles)


TABLES: dict[str, Callable[[], Task]] = {
    "bank": bank,
    "GSS": gss,
    "lending": lending,
    "Heritage Health": heritage,
    "ACSPublicCoverage": acs_public_coverage,
}


def middle(front: Front) -> list[Any]:
    """The chosen point, and the ends of the middle half of the unbeaten ones."""
    chosen = front.choose(max_utility_loss=0.01).generalization
    best = [point.assessment.generalization for point in front.best]
    further = [best[len(best) // 4], best[(3 * len(best)) // 4]]
    by_partitions = {g.partitions: g for g in [chosen, *further] if g.collected}
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
        wrong = best_classifier(records, data, data.random_state).wrong["test"]
        return float(np.mean(wrong))
    place = data.train.table.names.index(question.name)
    [answer] = Reconstruction(random_state=data.random_state).answers(records, data, [place])
    return float(np.mean(answer.wrong("test")))


def ask_the_others(
    python: str, folder: Path, records: GeneralizedRecords, data: Split, question: Question
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
        task = TABLES[name]()
        if task.n_rows > options.rows:
            rows = np.random.default_rng(0).choice(task.n_rows, options.rows, replace=False)
            task = task.take(np.sort(rows))
        data = split(task, random_state=options.seed)
        points = middle(sweep(data, random_state=options.seed))
        for number, generalization in enumerate(points):
            records = GeneralizedRecords.of(generalization, data)
            for question, target in questions(data, records, options.half):
                theirs = ask_the_others(options.python, options.results, records, data, question)
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
