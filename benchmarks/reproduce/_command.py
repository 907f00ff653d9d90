"""`python -m benchmarks`: list the tables and figures, measure them, write the page."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

from reproduce._all import ENTRIES, chosen
from reproduce._entry import PAPERS, VERDICTS, CannotMeasureError, Entry, Measured, Run
from reproduce._page import ReproductionReport, fill_document
from reproduce._results import (
    Record,
    failed_record,
    is_finished,
    judged_again,
    measured_record,
    read_results,
    skipped_record,
    write_results,
)
from sparsam._errors import MissingExtraError, SparsamError
from sparsam._writing import write_text
from sparsam.report._document import plain

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "reproduced" / "results.json"
KEPT, DOCUMENT = ROOT / "docs" / "papers.json", ROOT / "docs" / "papers.md"
# One thread each: threads that wait for one another on busy cores take minutes.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class _Children:
    """The processes that measure; a run that is ended takes them along."""

    def __init__(self) -> None:
        self.running: set[subprocess.Popen[bytes]] = set()
        self.ended = False

    def end(self, *_: Any) -> None:
        """End all of them, and this run."""
        self.ended = True
        for process in tuple(self.running):
            process.kill()
        raise SystemExit(143)


CHILDREN = _Children()


def main(arguments: list[str] | None = None) -> int:
    """Run the command.

    Returns
    -------
    int
        0, or 1 where something ended in an error, or 2 where the command is wrong.
    """
    asked = _parser().parse_args(arguments)
    try:
        status: int = asked.act(asked)
    except SparsamError as error:
        print(error, file=sys.stderr)
        return 2
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    listing = commands.add_parser("list", help="name every table and figure")
    listing.set_defaults(act=_list)
    run = commands.add_parser("run", help="measure some of them, or all")
    run.add_argument("names", nargs="+", metavar="NAME", help="a name of the list, or 'all'")
    run.add_argument("--quick", action="store_true", help="fewer rows and seeds")
    run.add_argument("--results", type=Path, default=RESULTS, help="the JSON file to go on with")
    run.add_argument("--page", type=Path, help="the HTML page; beside the results unless told")
    run.add_argument(
        "--peers",
        type=Path,
        help="run other programs too, in environments made in this folder (fetches packages)",
    )
    run.add_argument("--again", action="store_true", help="measure what is finished once more")
    run.add_argument("--jobs", type=int, default=1, help="how many at once; 1 unless told")
    run.set_defaults(act=_run)
    page = commands.add_parser(
        "docs", help="write docs/papers.md from the figures in docs/papers.json"
    )
    page.set_defaults(act=_docs)
    measure = commands.add_parser("measure")  # for `run`: one entry in a process of its own
    measure.add_argument("names", nargs=1)
    measure.add_argument("--quick", action="store_true")
    measure.add_argument("--peers", type=Path)
    measure.add_argument("--to", type=Path, required=True)
    measure.set_defaults(act=_measure)
    return parser


def _list(asked: argparse.Namespace) -> int:
    for paper, title in PAPERS.items():
        print(f"\n{title}")
        for entry in ENTRIES.values():
            if entry.paper == paper:
                obstacle = entry.obstacle()
                cannot = f" (skipped here: {obstacle})" if obstacle else ""
                print(f"  {entry.name:<34} {entry.place}: {entry.title}{cannot}")
    return 0


def _run(asked: argparse.Namespace) -> int:
    entries = chosen(asked.names)
    before = signal.signal(signal.SIGTERM, CHILDREN.end)
    try:
        return _run_entries(asked, entries)
    finally:
        signal.signal(signal.SIGTERM, before)


def _run_entries(asked: argparse.Namespace, entries: list[Entry]) -> int:
    run = Run(asked.quick, asked.peers)
    records = read_results(asked.results)
    lock, failed = Lock(), list[str]()

    def one(entry: Entry) -> None:
        if CHILDREN.ended:
            return
        if not asked.again and is_finished(records.get(entry.name), entry, run):
            print(f"{entry.name}: kept from before, {records[entry.name]['verdict']}", flush=True)
            return
        record = measured_apart(entry, run)
        if CHILDREN.ended:
            return
        with lock:
            records.update(read_results(asked.results))  # another run may have gone on meanwhile
            earlier = records.get(entry.name)
            if "ours" in record or not is_finished(earlier, entry, Run(quick=True)):
                records[entry.name] = record
            if record["verdict"] == "failed":
                failed.append(entry.name)
            write_results(asked.results, records, ENTRIES)
            why = f" ({record['why']})" if record["why"] else ""
            print(f"{entry.name}: {record['verdict']}{why}", flush=True)

    with ThreadPoolExecutor(max(asked.jobs, 1)) as pool:
        list(pool.map(one, entries))
    page = asked.page or asked.results.with_suffix(".html")
    report = ReproductionReport({"entries": records})
    write_text(page, report.to_html())
    print(f"\n{verdict_table(records)}\n\nResults: {asked.results}\nPage: {page}")
    return int(bool(failed))


def measured_apart(entry: Entry, run: Run) -> Record:
    """Measure an entry in a process of its own, whose CPU time counts with that of its children."""
    if obstacle := entry.obstacle():
        return skipped_record(entry, run, obstacle)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "figures.json"
        asked = [sys.executable, "-m", "benchmarks", "measure", entry.name, "--to", str(place)]
        asked += ["--quick"] if run.quick else []
        asked += ["--peers", str(run.peers.resolve())] if run.peers else []
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                asked, cwd=ROOT, env={**os.environ, **ONE_THREAD}, stdout=said, stderr=said
            )
            CHILDREN.running.add(process)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            CHILDREN.running.discard(process)
            if process.returncode < 0:  # killed, perhaps for want of memory: it says nothing itself
                return failed_record(entry, run, f"ended by signal {-process.returncode}")
            if process.returncode:
                said.seek(0)
                lines = said.read().decode(errors="replace").strip().splitlines()
                last = lines[-1] if lines else f"exit {process.returncode}"
                return failed_record(entry, run, last)
        figures = json.loads(place.read_text(encoding="utf-8"))
    if "skipped" in figures:
        return skipped_record(entry, run, figures["skipped"])
    measured = Measured(figures["ours"], figures["peer"])
    try:
        return measured_record(entry, run, measured, used.ru_utime + used.ru_stime)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # ends no other entry
        return failed_record(entry, run, f"it cannot be judged: {error!r}")


def _measure(asked: argparse.Namespace) -> int:
    (entry,) = chosen(asked.names)
    figures: dict[str, Any]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scripts say what a reader must know
        try:
            measured = entry.measure(Run(asked.quick, asked.peers))
            figures = {"ours": plain(dict(measured.ours)), "peer": plain(dict(measured.peer))}
        except (CannotMeasureError, MissingExtraError) as error:
            figures = {"skipped": str(error).splitlines()[0]}
    write_text(asked.to, json.dumps(figures, allow_nan=False))
    return 0


def _docs(asked: argparse.Namespace) -> int:
    kept = read_results(KEPT)
    records = {name: judged_again(kept[name], ENTRIES[name]) for name in ENTRIES if name in kept}
    write_results(KEPT, records, ENTRIES)
    write_text(DOCUMENT, fill_document(DOCUMENT.read_text(encoding="utf-8"), records))
    return 0


def verdict_table(records: dict[str, Record]) -> str:
    """Write the verdicts as text, the missed ones first."""
    order = ("failed", *VERDICTS, "skipped")
    lines = []
    for verdict in order:
        for name, record in records.items():
            if record["verdict"] == verdict and name in ENTRIES:
                cost = f"{record['cpu_seconds']:.0f} CPU-s" if "cpu_seconds" in record else ""
                why = f"  {record['why']}" if record["why"] else ""
                lines.append(f"{verdict:<24}{name:<36}{record['mode']:<7}{cost:>10}{why}")
    return "\n".join(lines)
