"""Shells complete commands, options, their values and files, as the guide says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BASH = """
eval "$(_SPARSAM_COMPLETE=bash_source sparsam)"
compopt() { echo "by the shell:" "$@"; }
ask() {
  COMPREPLY=() COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _sparsam_completion sparsam
  echo "${COMPREPLY[@]}"
}
complete -p sparsam
ask sparsam mini
ask sparsam minimise --max-utility-loss-
ask sparsam export --to j
ask sparsam minimise peo
"""
FISH = """
_SPARSAM_COMPLETE=fish_source sparsam | source
complete -C 'sparsam mini'
complete -C 'sparsam export --to j'
complete -C 'sparsam minimise peo'
"""
ZSH = """
autoload -U compinit
compinit -u -D
eval "$(_SPARSAM_COMPLETE=zsh_source sparsam)"
print $_comps[sparsam]
whence -w _sparsam_completion
COMP_WORDS="sparsam export --to j" COMP_CWORD=3 _SPARSAM_COMPLETE=zsh_complete sparsam
"""


def said_by(shell: list[str], script: str, folder: Path) -> str:
    """What a shell prints that knows `sparsam` and runs a script in a folder with a table."""
    if shutil.which(shell[0]) is None:
        pytest.skip(f"no {shell[0]} on this machine")
    (folder / "people.csv").write_text("age\n", encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [*shell, "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


def test_bash(tmp_path: Path) -> None:
    if shutil.which("sparsam", path=str(Path(sys.executable).parent)) is None:
        pytest.skip("sparsam is not installed beside this Python")
    said = said_by(["bash", "--norc"], BASH, tmp_path).splitlines()
    assert said == [
        "complete -o nosort -F _sparsam_completion sparsam",
        "minimise",
        "--max-utility-loss-per-group",
        "javascript json-schema",
        "by the shell: -o default",
        "",
    ]


def test_fish(tmp_path: Path) -> None:
    said = said_by(["fish", "-N"], FISH, tmp_path).splitlines()
    assert [line.partition("\t")[0] for line in said] == [
        "minimise",
        "javascript",
        "json-schema",
        "people.csv",
    ]


def test_zsh(tmp_path: Path) -> None:
    said = said_by(["zsh", "-f"], ZSH, tmp_path).splitlines()
    assert said[:2] == ["_sparsam_completion", "_sparsam_completion: function"]
    assert {"javascript", "json-schema"} <= set(said[2:])
