"""Every command where nothing can be written but its outputs, as in a container."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import sparsam
from sparsam.cli._main import cli
from sparsam.counting._compiled import cache_folder

SOURCE = Path(sparsam.__file__).parents[1]
SLOW = ("demo", "minimise --attack")
# They compile for a minute where no kernel is kept: they have a cache in the one folder that can be
# written to. The others have none, and compile what they need ("explore run", "minimise --model").
WITH_A_CACHE = ("minimise", "attack", "assess", "assess in words", "anonymise")
# All that is mounted becomes read-only, except one folder; even root cannot write elsewhere then.
_READ_ONLY = (
    'mount --make-rprivate / && mount --bind "$1" "$1" && mount -o remount,bind,ro / && shift && '
    'exec "$@"'
)
_RUN = """
import json, os, sys
from sparsam.cli._main import cli
folder, codes = sys.argv[1], {}
for place in (os.path.expanduser("~"), os.path.dirname(sys.modules["sparsam"].__file__), "/tmp"):
    try:
        open(os.path.join(place, "probe"), "w").close()
    except OSError:
        continue
    os.unlink(os.path.join(place, "probe"))
    sys.exit(f"{place} can be written to")
with open(os.path.join(folder, "commands.json")) as file:
    commands = json.load(file)
commands = {name: commands[name] for name in sys.argv[2:]}
for name, words in commands.items():
    try:
        cli.main(words, prog_name="sparsam")
    except SystemExit as error:
        codes[name] = error.code
with open(os.path.join(folder, f"codes of {sys.argv[2]}.json"), "w") as file:
    json.dump(codes, file)
"""


def unshared() -> list[str] | None:
    """How to get file systems of one's own here; None where that is not allowed."""
    for words in (["unshare", "--mount"], ["unshare", "--user", "--map-root-user", "--mount"]):
        tried = [*words, "sh", "-c", "mount --make-rprivate / && mount -o remount,bind,ro /"]
        try:
            if subprocess.run(tried, capture_output=True, check=False).returncode == 0:
                return words
        except FileNotFoundError:
            return None
    return None


@pytest.fixture(scope="module")
def contained(every_command: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Run all commands in two processes that can write to their folder alone."""
    words = unshared()
    if words is None:
        pytest.skip("no file systems of one's own here")

    def run(given: list[str]) -> None:
        result = CliRunner().invoke(cli, given)
        assert result.exit_code == 0, result.output

    folder, home = tmp_path_factory.mktemp("container"), tmp_path_factory.mktemp("home")
    scene = every_command.make(folder, run=run)
    commands = {name: given for name, given in scene.commands.items() if name not in SLOW}
    (folder / "commands.json").write_text(json.dumps(commands))
    kept = [name for name in commands if name in WITH_A_CACHE]
    bare = [name for name in commands if name not in WITH_A_CACHE]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONPATH": str(SOURCE),
        "SPARSAM_TRACEBACK": "1",
    }
    said = []
    for names, more in ((bare, {}), (kept, {"NUMBA_CACHE_DIR": _kernels(folder)})):
        inside = ["sh", "-c", _READ_ONLY, "sh", str(folder), sys.executable, "-c", _RUN]
        done = subprocess.run(
            [*words, *inside, str(folder), *names],
            env={**environment, **more},
            cwd="/",
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        said.append(done)
    return scene, commands, said


def _kernels(folder: Path) -> str:
    """A copy of the kernels that are compiled already, beside the outputs."""
    place, compiled = folder / "kernels", cache_folder()
    if compiled is not None:
        shutil.copytree(compiled, place / compiled.parent.name / compiled.name)
    return str(place)


def test_every_command_works(contained: Any) -> None:
    scene, commands, said = contained
    codes: dict[str, int] = {}
    for path in scene.folder.glob("codes of *.json"):
        codes |= json.loads(path.read_text())
    assert codes == dict.fromkeys(commands, 0), [done.stderr.decode() for done in said]
    for name in commands:
        for output in scene.outputs[name]:
            assert (scene.out / output).stat().st_size, (name, output)
    assert not [path for path in scene.out.iterdir() if path.name.startswith(".")]


def test_what_ascii_does_not_have_is_escaped(contained: Any) -> None:
    *_, said = contained
    for done in said:
        assert done.stdout.isascii()
        assert done.stderr.isascii()
    assert any(b"\\u2026" in done.stderr or b"\\u2013" in done.stdout for done in said)
