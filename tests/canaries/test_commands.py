"""No command shows a planted value where it may not, whether it does its work or fails."""

from __future__ import annotations

import subprocess
import sys

import pytest

from . import sightings
from .cases import CASES
from .stage import BAD, GOOD, Stage


@pytest.mark.parametrize("name", CASES)
def test_nothing_shows_a_canary(stage: Stage, name: str) -> None:
    run = stage.run(name)
    seen = stage.sightings(run)
    assert not seen, f"{run}\n\n" + "\n".join(map(str, seen[:20]))


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.way == GOOD])
def test_good_ways_are_good(stage: Stage, name: str) -> None:
    run = stage.run(name)
    assert run.code in (0, 1, 3), run  # 3: too few people to tell
    assert "Traceback" not in run.said["stderr"], run
    assert "Error:" not in run.said["stderr"], run


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.way == BAD])
def test_bad_ways_are_refused(stage: Stage, name: str) -> None:
    """With an exit code, in words, and without a traceback: it would quote what an engine said."""
    run = stage.run(name)
    assert run.code != 0, run
    assert run.said["stderr"] or run.case.words[0] in ("verify", "explore"), run
    assert "Traceback" not in run.said["stderr"], run


def test_nothing_is_left_beside_the_tables(stage: Stage) -> None:
    """Such as a key: it may lie there, a copy of cells may not."""
    for name in CASES:
        stage.run(name)
    for file in set(stage.tables.rglob("*")) - stage.planted:
        assert not sightings.in_file(file, stage.known), file.name


@pytest.mark.parametrize("name", ["describe latin.parquet", "describe headless.csv", "ledger show"])
def test_a_process_of_its_own_shows_nothing_more(stage: Stage, name: str) -> None:
    """As `test_nothing_shows_a_canary`, for what an interpreter prints when it ends."""
    run = stage.run(name)
    words = [stage.word(run.case, word) for word in run.case.words]
    done = subprocess.run(
        [sys.executable, "-m", "sparsam.cli", *words], capture_output=True, text=True, check=False
    )
    seen = sightings.in_text(done.stdout, "stdout") + sightings.in_text(done.stderr, "stderr")
    assert not seen, done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == run.code
