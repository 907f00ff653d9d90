"""A tenth of `benchmarks/faults.py`: kills, full disks and rights leave the old file or the new."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "faults.py"


@pytest.mark.skipif(sys.platform != "linux", reason="fills disks and mounts them")
def test_every_command_that_writes_survives_faults() -> None:
    pytest.importorskip("opendp", reason="exploring needs the extra 'dp'")
    done = subprocess.run(
        [sys.executable, SCRIPT, "--quick", "--kills", "5"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TERM": "dumb"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("old or new\n") == 9
