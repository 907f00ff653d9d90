"""No command shows a planted value where it may not, whether it does its work or fails."""

from __future__ import annotations

import pytest

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
    assert run.code in (0, 1), run
    assert "Traceback" not in run.said["stderr"], run
    assert "Error:" not in run.said["stderr"], run


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.way == BAD])
def test_bad_ways_are_refused(stage: Stage, name: str) -> None:
    """With an exit code, in words, and without a traceback: it would quote what an engine said."""
    run = stage.run(name)
    assert run.code != 0, run
    assert run.said["stderr"] or run.case.words[0] in ("verify", "explore"), run
    assert "Traceback" not in run.said["stderr"], run
