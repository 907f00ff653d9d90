"""Kill every command that writes, fill its disk, and take its rights away: is any file half?

    python benchmarks/faults.py --kills 50

Every output stands there before, as an old file. After each fault it must be the old one, or a new
one that the command had completed, byte for byte. Hidden files that a killed process left must be
gone after the next run. Linux; as root it fills a real disk and makes a real folder read-only,
otherwise limits and rights stand in.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from every_command import Scene

OLD = b"the old file\n"
FULL = (0, 4, 16, 64)  # kB that are left
SLOW = ("demo", "minimise", "minimise --attack", "attack")
ROOT = os.geteuid() == 0


def digest(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def log_what_is_completed(pipe: int) -> None:
    """Let this process say the digest of every file just before it takes its place."""
    from sparsam import _writing

    whole, put, new = _writing._Fresh.put_in_place, os.replace, _writing.put_new

    def put_in_place(self: _writing._Fresh) -> None:
        os.write(pipe, f"{digest(self.path)}\n".encode())
        whole(self)

    def replace(draft: str, place: str) -> None:
        os.write(pipe, f"{digest(draft)}\n".encode())
        put(draft, place)

    def put_new(draft: Path, path: Path) -> None:
        os.write(pipe, f"{digest(draft)}\n".encode())
        new(draft, path)

    _writing._Fresh.put_in_place = put_in_place  # type: ignore[method-assign]
    os.replace = replace  # type: ignore[assignment]
    sys.modules["sparsam.explore.ledger._store"].put_new = put_new  # type: ignore[attr-defined]


def started(words: list[str], before: Callable[[], None] | None = None) -> tuple[int, int]:
    """Run a command in a process that has imported everything; its number, and what it says."""
    out, into = os.pipe()
    process = os.fork()
    if process:
        os.close(into)
        return process, out
    try:
        os.close(out)
        nobody = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nobody, 1)
        os.dup2(nobody if "FAULTS_DEBUG" not in os.environ else 2, 2)
        log_what_is_completed(into)
        if before is not None:
            before()
        from sparsam.cli._main import cli

        cli.main(words, prog_name="sparsam")
    except SystemExit as error:
        os._exit(int(error.code or 0))
    finally:
        os._exit(99)


def ended(process: int, out: int) -> tuple[int, set[str], int]:
    """The exit code, the digests of all completed files, and how many there were."""
    with os.fdopen(out) as lines:
        said = lines.read().split()
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return code, {hashlib.sha256(OLD).hexdigest(), *said}, len(said)


def finished(words: list[str]) -> None:
    """Run a command that must succeed."""
    if code := ended(*started(words))[0]:
        raise SystemExit(f"{words[0]} ended with {code}")


class Trial:
    """One command, again and again."""

    def __init__(self, scene: Scene, name: str) -> None:
        self.scene, self.name = scene, name
        self.words, self.outputs = scene.commands[name], scene.outputs[name]
        self.ledger = (scene.folder / "a.ledger").read_bytes()
        self.bad: list[str] = []

    def prepare(self) -> None:
        """Old files where the outputs will be, and an untouched ledger."""
        for path in self.scene.out.iterdir():
            if not path.name.startswith("."):  # what a killed one left is for the next to remove
                path.unlink()
        new = self.name.startswith("ledger") and "statement" not in self.name
        for output in self.outputs:
            if not new and output not in ("witness.json", "seen.json"):
                (self.scene.out / output).write_bytes(OLD)
        for left in self.scene.folder.glob("a.ledger-*"):
            left.unlink()
        (self.scene.folder / "a.ledger").write_bytes(self.ledger)

    def check(self, known: set[str], what: str) -> int:
        """Look at every file; return how many hidden ones there are."""
        hidden = 0
        for path in self.scene.out.iterdir():
            if path.name.startswith(".sparsam-"):
                hidden += 1
            elif path.name.rpartition("-")[0] in self.outputs:
                continue  # SQLite's own, beside a ledger
            elif path.name not in self.outputs:
                self.bad.append(f"{what}: {path.name} is litter")
            elif digest(path) not in known:
                self.bad.append(f"{what}: {path.name} is neither old nor new")
        return hidden

    def whole(self) -> float:
        """Run it to its end; return how long it took."""
        self.prepare()
        start = time.perf_counter()
        code, known, count = ended(*started(self.words))
        if code:
            raise SystemExit(f"{self.name} ended with {code}")
        if self.check(known, "undisturbed") or count < len(self.outputs):
            self.bad.append("undisturbed: hidden files, or writes that were not seen")
        return time.perf_counter() - start

    def kill(self, seconds: float, rng: random.Random, near: bool) -> int:
        """Kill it at a random moment, or near a moment at which it writes."""
        self.prepare()
        process, out = started(self.words)
        said = b""
        if near:
            for _ in range(rng.randrange(1, len(self.outputs) + 1)):
                said += os.read(out, 65)
            time.sleep(rng.random() * 0.003)
        else:
            time.sleep(rng.random() * seconds)
        os.kill(process, signal.SIGKILL)
        _, known, _ = ended(process, out)
        return self.check(known | {*said.decode().split()}, "killed")

    def sweep(self) -> None:
        """Does the next run leave nothing hidden?"""
        before = {digest(path) for path in self.scene.out.iterdir() if path.is_file()}
        code, known, _ = ended(*started(self.words, self._unblocked))
        if code or self.check(known | before, "next run"):
            self.bad.append(f"next run: it ended with {code}, or hidden files stayed")

    def _unblocked(self) -> None:
        """A template or a ledger is not written over one that is there."""
        if self.name in ("ledger template", "ledger create"):
            for output in self.outputs:
                with suppress(FileNotFoundError):
                    (self.scene.out / output).unlink()

    def fail(self, what: str, before: Callable[[], None] | None = None) -> None:
        """Run it where something is missing: it must say so, and change nothing by halves."""
        code, known, _ = ended(*started(self.words, before))
        if self.check(known, what):
            self.bad.append(f"{what}: hidden files stayed")
        if code not in (0, 1, 2):
            self.bad.append(f"{what}: it ended with {code}")


@contextmanager
def small_disk(trial: Trial, left: int) -> Iterator[Callable[[], None] | None]:
    """Leave so many kB for the outputs."""
    if not ROOT:
        trial.prepare()
        yield lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (left * 1024, left * 1024))
        return
    out = str(trial.scene.out)
    size = left + 4 * len(trial.outputs) + 4
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", out], check=True)
    try:
        trial.prepare()
        yield None
    finally:
        subprocess.run(["umount", out], check=True)


@contextmanager
def read_only(trial: Trial) -> Iterator[None]:
    """Take the right to write into the folder of the outputs away."""
    out = trial.scene.out
    trial.prepare()
    if ROOT:
        subprocess.run(["mount", "--bind", out, out], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", out], check=True)
    else:
        out.chmod(0o500)
    try:
        yield
    finally:
        if ROOT:
            subprocess.run(["umount", out], check=True)
        else:
            out.chmod(0o700)


def tried(scene: Scene, name: str, kills: int, sizes: tuple[int, ...]) -> bool:
    trial, rng = Trial(scene, name), random.Random(name)
    seconds = trial.whole()
    hidden = sum(trial.kill(seconds, rng, near=bool(i % 2)) > 0 for i in range(kills))
    trial.sweep()
    for left in sizes:
        with small_disk(trial, left) as limit:
            trial.fail(f"{left} kB left", limit)
        trial.prepare()
        trial.fail(
            f"files of {left} kB at most",
            lambda left=left: resource.setrlimit(resource.RLIMIT_FSIZE, (left << 10, left << 10)),
        )
    with read_only(trial):
        trial.fail("read-only")
    left_words = f"a draft left by {hidden}, then swept" if hidden else "no litter"
    print(f"{name:<20} {seconds:6.2f} s  {kills} kills, {left_words}  ", end="")
    print("old or new" if not trial.bad else "BROKEN", flush=True)
    for line in sorted(set(trial.bad)):
        print(f"    {line}", flush=True)
    return not trial.bad


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--quick", action="store_true", help="leave the slowest commands out")
    parser.add_argument("--only", nargs="+", metavar="COMMAND", help="such as apply anonymise")
    options = parser.parse_args()
    if ROOT and "FAULTS_APART" not in os.environ:  # mounts of our own, which vanish with us
        os.environ["FAULTS_APART"] = "1"
        apart = ["unshare", "--mount", sys.executable, *sys.argv]
        sys.exit(subprocess.run(apart, check=False).returncode)
    with tempfile.TemporaryDirectory() as place:
        import_everything()
        scene = Scene.make(Path(place), run=finished)
        names = [name for name, outputs in scene.outputs.items() if outputs]
        names = [name for name in names if not (options.quick and name in SLOW)]
        names = [name for name in names if options.only is None or name in options.only]
        sizes = FULL[2:3] if options.quick else FULL
        fine = [tried(scene, name, options.kills, sizes) for name in names]
    sys.exit(0 if all(fine) else "some file was left half, or litter stayed")


def import_everything() -> None:
    """Import what the commands import, and run no command: threads would not survive a fork."""
    import importlib

    import duckdb  # noqa: F401
    import numba
    import opendp.prelude  # noqa: F401

    import sparsam
    from sparsam.report.page import _html

    numba.njit(lambda: 0)()  # what numba and jinja2 set up once is set up here, not in each process
    for template in _html._environment().list_templates():
        _html._environment().get_template(template)

    for path in sorted(Path(sparsam.__file__).parent.rglob("*.py")):
        words = path.relative_to(Path(sparsam.__file__).parents[1]).with_suffix("").parts
        if words[-1] not in ("__main__", "__init__") and "neural" not in words[-1]:
            with suppress(ImportError):  # an extra that is not installed
                importlib.import_module(".".join(words))


if __name__ == "__main__":
    main()
