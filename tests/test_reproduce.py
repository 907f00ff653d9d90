"""`python -m benchmarks`: the list, verdicts, what is kept, and docs/papers.md."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = ("_all", "_command", "_entry", "_page", "_results")


class Reproduce:
    """The modules of `benchmarks/reproduce`, by their names."""

    all: ModuleType
    command: ModuleType
    entry: ModuleType
    page: ModuleType
    results: ModuleType

    def __init__(self) -> None:
        for name in MODULES:
            setattr(self, name[1:], importlib.import_module(f"reproduce.{name}"))


@pytest.fixture(scope="module")
def reproduce() -> Iterator[Reproduce]:
    """Import the runner as `python -m benchmarks` does, and forget it afterwards."""
    folder = str(ROOT / "benchmarks")
    sys.path.insert(0, folder)
    yield Reproduce()
    sys.path.remove(folder)
    for name in [name for name in sys.modules if name.partition(".")[0] == "reproduce"]:
        del sys.modules[name]


@pytest.fixture
def few(reproduce: Reproduce, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Three entries in place of the real ones; what was measured is counted."""
    entry, counted = reproduce.entry, list[str]()

    def measured_apart(entry: Any, run: Any) -> dict[str, Any]:
        counted.append(f"{entry.name} {'quick' if run.quick else 'whole'}")
        measured = entry.measure(run)
        return reproduce.results.measured_record(entry, run, measured, 1.0)

    def small(name: str) -> Any:
        return entry.Entry(
            name,
            "nunez",
            "table 0",
            f"the figure of {name}",
            lambda run: entry.Measured({"x": run.few(1.0, 2.0)}),
            (entry.Row("x", "a figure", 1.0, ".1f"),),
            (entry.Claim("at most one", entry.at_most("x", 1.0)),),
        )

    entries = {name: small(name) for name in ("first", "second", "third")}
    for module in (reproduce.all, reproduce.command, reproduce.page):
        monkeypatch.setattr(module, "ENTRIES", entries)
    monkeypatch.setattr(reproduce.command, "measured_apart", measured_apart)
    return {"entries": entries, "counted": counted}


# --- the list


def test_every_entry_says_what_it_is(reproduce: Reproduce) -> None:
    for name, entry in reproduce.all.ENTRIES.items():
        assert name == entry.name
        assert entry.paper in reproduce.entry.PAPERS
        assert name.startswith(entry.paper)
        assert entry.place
        assert entry.title
        assert entry.rows
        assert entry.claims
        assert entry.peer, f"{name} says nothing of peers"
        assert entry.settings, f"{name} does not say what a quick run leaves out"
        keys = [row.key for row in entry.rows]
        assert len(keys) == len(set(keys))


def test_every_paper_has_entries(reproduce: Reproduce) -> None:
    listed = {entry.paper for entry in reproduce.all.ENTRIES.values()}
    assert listed == set(reproduce.entry.PAPERS)


def test_list_names_everything(reproduce: Reproduce, capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce.command.main(["list"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in reproduce.all.ENTRIES)


def test_one_is_measured_from_the_root_of_the_repository(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    asked = [sys.executable, "-m", "benchmarks", "run", "nunez-table-1", "--quick"]
    done = subprocess.run(
        [*asked, "--results", str(results)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "nunez-table-1: met" in done.stdout
    record = json.loads(results.read_text())["entries"]["nunez-table-1"]
    assert record["ours"]["Adult"] == [0.39, 0.06, 0.06, 0.51, 1.02]
    assert record["mode"] == "quick"
    assert record["cpu_seconds"] > 0
    assert "The papers, measured again" in results.with_suffix(".html").read_text()


def test_a_wrong_name_is_refused(reproduce: Reproduce, capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce.command.main(["run", "nunez-tabel-1"]) == 2
    said = capsys.readouterr().err
    assert "There is no 'nunez-tabel-1'" in said
    assert "Did you mean 'nunez-table-1'?" in said


def test_without_data_an_entry_says_what_it_lacks(reproduce: Reproduce, tmp_path: Path) -> None:
    entry = reproduce.all.ENTRIES["staab-table-5"]
    assert "lacks acs_employment_MA_2015_2018.parquet" in entry.obstacle(tmp_path)
    bare = replace(entry, needs=(), extras=("no_such_library",))
    assert bare.obstacle(tmp_path) == "no_such_library is not installed"
    assert replace(entry, needs=()).obstacle(tmp_path) == ""
    run = reproduce.entry.Run(quick=True)
    record = reproduce.results.skipped_record(entry, run, "a reason")
    assert not reproduce.results.is_finished(record, entry, run)


# --- verdicts


def test_verdicts_against_every_combination(reproduce: Reproduce) -> None:
    """One claim that we answer for outweighs all others; only whole runs are held to some."""
    entry = reproduce.entry
    rng = np.random.default_rng(0)
    for _ in range(300):
        kinds = rng.choice(["not met", "does not hold as stated"], 4)
        holds, whole = rng.random(4) < 0.6, rng.random(4) < 0.5
        claims = tuple(
            entry.Claim(f"claim {i}", lambda f, i=i: f["held"][i], kinds[i], "why", bool(whole[i]))
            for i in range(4)
        )
        for quick in (False, True):
            judgement = entry.judge(claims, {"held": holds.tolist()}, quick=quick)
            missed = [kinds[i] for i in range(4) if not holds[i] and not (quick and whole[i])]
            expected = "not judged" if quick and whole.all() else "met"
            if "does not hold as stated" in missed:
                expected = "does not hold as stated"
            if "not met" in missed:
                expected = "not met"
            assert judgement.verdict == expected
            assert (judgement.why == "") == (expected == "met")
            assert [held for _, held in judgement.claims] == [
                None if quick and whole[i] else bool(holds[i]) for i in range(4)
            ]


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (("near", [1, 2], 0.5), [1.5, 2], [1, 2.6]),
        (("near", [1, 2], 0.5), [1, 2], [1]),
        (("at_most", [1, 2]), [1, 2], [1, 2.1]),
        (("at_most", 3), 3, 3.1),
        (("at_least", 3), [3, 4], [2.9, 4]),
        (("rising",), [1, 2, 3], [1, 2, 2]),
    ],
)
def test_checks(reproduce: Reproduce, check: tuple[Any, ...], good: Any, bad: Any) -> None:
    name, *limits = check
    holds = getattr(reproduce.entry, name)("x", *limits)
    assert holds({"x": good})
    assert not holds({"x": bad})


# --- what is kept


def test_what_is_finished_is_not_measured_again(
    reproduce: Reproduce, few: dict[str, Any], tmp_path: Path
) -> None:
    results = ["--results", str(tmp_path / "kept.json")]
    run = reproduce.command.main
    assert run(["run", "first", "--quick", *results]) == 0
    assert run(["run", "all", "--quick", *results]) == 0
    assert few["counted"] == ["first quick", "second quick", "third quick"]
    assert run(["run", "first", *results]) == 0  # a quick one does not stand for a whole one
    assert run(["run", "first", "--quick", *results]) == 0  # but the other way round
    assert few["counted"][3:] == ["first whole"]
    few["entries"]["first"] = replace(few["entries"]["first"], version=2)
    assert run(["run", "first", "--quick", *results]) == 0
    assert run(["run", "first", "--quick", "--again", *results]) == 0
    assert few["counted"][4:] == ["first quick", "first quick"]
    kept = json.loads((tmp_path / "kept.json").read_text())["entries"]
    assert list(kept) == ["first", "second", "third"]
    assert kept["second"]["verdict"] == "not met"


def test_a_killed_run_loses_what_was_in_progress_only(
    reproduce: Reproduce,
    few: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "kept.json"
    measure = reproduce.command.measured_apart

    def killed(entry: Any, run: Any) -> Any:
        if entry.name == "second":
            raise KeyboardInterrupt
        return measure(entry, run)

    with monkeypatch.context() as patch:
        patch.setattr(reproduce.command, "measured_apart", killed)
        with pytest.raises(KeyboardInterrupt):
            reproduce.command.main(["run", "first", "second", "--results", str(path)])
    assert list(json.loads(path.read_text())["entries"]) == ["first"]
    assert reproduce.command.main(["run", "all", "--results", str(path)]) == 0
    assert few["counted"] == ["first whole", "second whole", "third whole"]


def test_a_run_that_is_ended_takes_its_processes_along(
    reproduce: Reproduce,
    few: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "kept.json"
    measure, children = reproduce.command.measured_apart, reproduce.command._Children()
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    children.running.add(sleeper)

    def ended(entry: Any, run: Any) -> Any:
        if entry.name == "second":
            os.kill(os.getpid(), signal.SIGTERM)
            sleeper.wait()
        return measure(entry, run)

    monkeypatch.setattr(reproduce.command, "CHILDREN", children)
    monkeypatch.setattr(reproduce.command, "measured_apart", ended)
    with pytest.raises(SystemExit) as exit_:
        reproduce.command.main(["run", "all", "--results", str(path)])
    assert exit_.value.code == 143
    assert sleeper.returncode == -signal.SIGKILL
    assert list(json.loads(path.read_text())["entries"]) == ["first"]


def test_an_error_is_told_and_replaces_no_figure(
    reproduce: Reproduce,
    few: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "kept.json"
    asked = ["run", "all", "--results", str(path)]
    assert reproduce.command.main(["run", "first", "--results", str(path)]) == 0
    monkeypatch.setattr(
        reproduce.command,
        "measured_apart",
        lambda entry, run: reproduce.results.failed_record(entry, run, "it broke"),
    )
    assert reproduce.command.main([*asked, "--again"]) == 1
    kept = json.loads(path.read_text())["entries"]
    assert [kept[name]["verdict"] for name in ("first", "second")] == ["met", "failed"]


def test_what_cannot_be_judged_ends_no_others(
    reproduce: Reproduce,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A claim that asks for a figure that was not measured is the fault of its entry alone."""
    broken, other = "nunez-table-1", "nunez-figure-2"
    entries = {name: reproduce.all.ENTRIES[name] for name in (broken, other)}
    wrong = reproduce.entry.Claim("there", reproduce.entry.at_most("not there", 1))
    entries[broken] = replace(entries[broken], claims=(wrong,))
    for module in (reproduce.all, reproduce.command, reproduce.page):
        monkeypatch.setattr(module, "ENTRIES", entries)
    path = tmp_path / "kept.json"
    asked = ["run", "all", "--quick", "--jobs", "2", "--results", str(path)]
    assert reproduce.command.main(asked) == 1
    kept = json.loads(path.read_text())["entries"]
    assert [kept[name]["verdict"] for name in (broken, other)] == ["failed", "met"]
    assert "cannot be judged" in kept[broken]["why"]
    table = capsys.readouterr().out.split("\n\n")[1]
    assert table.splitlines()[0].startswith("failed")
    assert path.with_suffix(".html").exists()


def test_other_files_are_not_taken_for_results(
    reproduce: Reproduce, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.json"
    for text in ("[]", "{", '{"format": 99, "entries": {}}', '{"format": 1, "entries": 3}'):
        path.write_text(text)
        assert reproduce.command.main(["run", "nunez-table-1", "--results", str(path)]) == 2
        assert "must be those of an earlier run" in capsys.readouterr().err
        assert path.read_text() == text


def test_a_peer_that_was_not_asked_is_asked_later(reproduce: Reproduce, tmp_path: Path) -> None:
    entry, results = reproduce.entry, reproduce.results
    alone, beside = entry.Run(quick=False), entry.Run(quick=False, peers=tmp_path)
    own = reproduce.all.ENTRIES["goldsteen-release-peers"]
    record = {"version": own.version, "mode": "whole", "ours": {"x": 1}, "peer": {}}
    assert results.is_finished(record, own, alone)
    assert not results.is_finished(record, own, beside)
    assert results.is_finished(record | {"peer": {"x": 2}}, own, beside)
    assert results.is_finished(record, replace(own, has_peer=False), beside)


# --- the page, and docs/papers.md


@pytest.fixture(scope="module")
def kept(reproduce: Reproduce) -> dict[str, dict[str, Any]]:
    """The results that the documentation is written from."""
    return reproduce.results.read_results(ROOT / "docs" / "papers.json")


def test_the_documents_figures_are_the_measured_ones(
    reproduce: Reproduce, kept: dict[str, dict[str, Any]]
) -> None:
    """`python -m benchmarks docs` writes them."""
    text = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    assert reproduce.page.fill_document(text, kept) == text
    wrong = text.replace("| 17 / 19 / 25 / 33 | 17 / 19 / 25 / 33 |", "| 1 | 2 |")
    assert wrong != text
    assert reproduce.page.fill_document(wrong, kept) == text


def test_a_figure_in_the_text_is_the_measured_one(
    reproduce: Reproduce, kept: dict[str, dict[str, Any]]
) -> None:
    blocks = "".join(
        f"{reproduce.page.BEGIN.format(paper)}\n{reproduce.page.END}\n"
        for paper in reproduce.entry.PAPERS
    )
    filled = reproduce.page.fill_document(f"costs 9.99<!-- = nunez-accounts PLD --> {blocks}", kept)
    assert filled.startswith("costs 0.39")


def test_a_document_without_a_place_for_figures_is_refused(
    reproduce: Reproduce, kept: dict[str, dict[str, Any]]
) -> None:
    with pytest.raises(ValueError, match="one place for the figures of 'staab'"):
        reproduce.page.fill_document("# Papers", kept)


def test_every_verdict_follows_from_its_figures(
    reproduce: Reproduce, kept: dict[str, dict[str, Any]]
) -> None:
    entries = reproduce.all.ENTRIES
    assert list(kept) == [name for name in entries if name in kept]
    assert len(kept) > len(entries) / 2
    for name, record in kept.items():
        assert record["mode"] in ("quick", "whole")
        assert record["version"] == entries[name].version
        assert record["verdict"] != "failed"
        if "ours" in record:
            quick = record["mode"] == "quick"
            judgement = reproduce.entry.judge(entries[name].claims, record["ours"], quick=quick)
            assert (judgement.verdict, judgement.why) == (record["verdict"], record["why"])


def test_the_page_says_every_verdict(reproduce: Reproduce, kept: dict[str, dict[str, Any]]) -> None:
    report = reproduce.page.ReproductionReport({"entries": kept})
    for text in (report.to_html(), report.to_markdown()):
        assert all(name in text for name in kept)
    assert "://" not in report.to_html().replace("http://www.w3.org", "")


def test_make_has_both_ways() -> None:
    environment = {**os.environ, "MAKEFLAGS": ""}
    for given, expected in (([], "--peers"), (["QUICK=1"], "--quick")):
        done = subprocess.run(
            ["make", "-n", "reproduce", *given],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "-m benchmarks run all" in done.stdout, done.stderr
        assert expected in done.stdout
