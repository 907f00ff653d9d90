"""A file is written whole or not at all, and nothing else is left."""

from __future__ import annotations

import ast
import errno
import os
import random
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import sparsam
from sparsam import _writing
from sparsam._writing import (
    check_writable,
    draft_of,
    new_file,
    new_path,
    put_in_place,
    put_new,
    sweep,
    write_bytes,
    write_text,
)

SOURCE = Path(sparsam.__file__).parent
posix = pytest.mark.skipif(os.name != "posix", reason="about rights and links of POSIX")


@pytest.fixture(params=["without a name", "behind a name"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to keep what is not complete out of sight."""
    if request.param == "behind a name":
        monkeypatch.setattr(_writing, "_without_a_name", lambda folder: -1)
    elif sys.platform != "linux":
        pytest.skip("only Linux has files without a name")
    return str(request.param)


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _text(path: Path) -> None:
    write_text(path, "new\n")


def _bytes(path: Path) -> None:
    write_bytes(path, b"new\n")


def _stream(path: Path) -> None:
    with new_file(path) as stream:
        stream.write(b"ne")
        stream.seek(0, os.SEEK_END)
        stream.write(b"w\n")


def _path(path: Path) -> None:
    with new_path(path) as place:
        Path(place).write_bytes(b"new\n")


def _draft(path: Path) -> None:
    with draft_of(path) as draft:
        assert draft.name == path.name
        draft.write_bytes(b"new\n")
        put_in_place(draft, path)


WRITERS = (_text, _bytes, _stream, _path, _draft)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("old", [None, "old, and longer than the new one"])
def test_writes(write: object, old: str | None, way: str, tmp_path: Path) -> None:
    file = tmp_path / "a file.txt"
    if old is not None:
        file.write_text(old)
    write(file)  # type: ignore[operator]
    assert file.read_bytes() == b"new\n"
    assert os.listdir(tmp_path) == ["a file.txt"]


def test_text_is_utf8_with_plain_line_ends(tmp_path: Path) -> None:
    write_text(tmp_path / "a", "größer\n")
    assert (tmp_path / "a").read_bytes() == "größer\n".encode()
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "a", "\ud800")
    assert (tmp_path / "a").read_bytes() == "größer\n".encode()


def test_a_draft_is_put_only_where_there_is_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*args: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    for name in ("with links", "without"):
        file = tmp_path / name
        for text in ("first", "second"):
            with draft_of(file) as draft:
                draft.write_text(text)
                if text == "first":
                    put_new(draft, file)
                else:
                    with pytest.raises(FileExistsError) as caught:
                        put_new(draft, file)
                    assert caught.value.filename == str(file)
        assert file.read_text() == "first"
        monkeypatch.setattr(os, "link", no_links)
    assert sorted(os.listdir(tmp_path)) == ["with links", "without"]


def test_the_longest_name_can_be_written(way: str, tmp_path: Path) -> None:
    file = tmp_path / ("n" * 255)
    for _ in range(2):
        write_text(file, "new")
    assert os.listdir(tmp_path) == [file.name]


@posix
@pytest.mark.parametrize("write", WRITERS)
def test_rights_are_those_of_a_new_file_or_of_the_old_one(
    write: object, way: str, umask: None, tmp_path: Path
) -> None:
    file = tmp_path / "a"
    write(file)  # type: ignore[operator]
    assert rights(file) == 0o640
    for wanted in (0o600, 0o644, 0o666):
        file.chmod(wanted)
        write(file)  # type: ignore[operator]
        assert rights(file) == wanted


@posix
def test_a_group_that_cannot_be_kept_gets_no_rights(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def denied(descriptor: int, owner: int, group: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "fchown", denied)
    file = tmp_path / "a"
    file.write_text("old")
    descriptor = os.open(file, os.O_RDWR)
    try:
        assert _writing._chown(descriptor, file.stat(), 0o664) == 0o604
    finally:
        os.close(descriptor)


@posix
@pytest.mark.parametrize("write", WRITERS)
def test_a_link_is_followed(write: object, way: str, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    (tmp_path / "first").symlink_to("second")
    (tmp_path / "second").symlink_to("there/file.txt")
    for _ in range(2):  # it leads to nothing at first
        write(tmp_path / "first")  # type: ignore[operator]
        assert (tmp_path / "first").is_symlink()
        assert (there / "file.txt").read_bytes() == b"new\n"
    assert sorted(os.listdir(tmp_path)) == ["first", "second", "there"]
    assert os.listdir(there) == ["file.txt"]


@posix
def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match=r"links: '.*a'$") as caught:
        write_text(tmp_path / "a", "new")
    assert caught.value.errno == errno.ELOOP


@posix
def test_a_strangers_link_in_a_shared_folder_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "mine").write_text("old")
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "a").symlink_to(tmp_path / "mine")
    write_text(shared / "a", "new")  # our own
    status = os.stat_result((0, 0, 0, 0, os.geteuid() + 1, 0, 0, 0, 0, 0))
    monkeypatch.setattr(Path, "lstat", lambda self: status)
    with pytest.raises(PermissionError):
        write_text(shared / "a", "stolen")
    assert (tmp_path / "mine").read_text() == "new"


def _half_stream(file: Path, error: type[BaseException]) -> None:
    with new_file(file) as stream:
        stream.write(b"half of it")
        stream.flush()
        raise error


def _half_path(file: Path, error: type[BaseException]) -> None:
    with new_path(file) as place:
        Path(place).write_bytes(b"half of it")
        raise error


def _half_draft(file: Path, error: type[BaseException]) -> None:
    with draft_of(file) as draft:
        draft.write_bytes(b"half of it")
        raise error


@pytest.mark.parametrize("error", [ValueError, OSError, MemoryError, KeyboardInterrupt])
@pytest.mark.parametrize("old", [None, b"old"])
def test_an_error_leaves_everything_as_it_was(
    error: type[BaseException], old: bytes | None, way: str, tmp_path: Path
) -> None:
    file = tmp_path / "a"
    if old is not None:
        file.write_bytes(old)
    before = os.listdir(tmp_path)
    for way_to_write in (_half_stream, _half_path, _half_draft):
        with pytest.raises(error):
            way_to_write(file, error)
    assert os.listdir(tmp_path) == before
    assert old is None or file.read_bytes() == old


@pytest.mark.parametrize("call", ["fsync", "replace", "link"])
def test_an_error_of_the_system_names_the_file(
    call: str, way: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if call == "link" and way == "behind a name":
        pytest.skip("it has its name already")
    file = tmp_path / "a"
    file.write_bytes(b"old")

    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", ".sparsam-hidden")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_text(file, "new")
    assert caught.value.filename == str(file)
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


@posix
def test_places_that_cannot_be_written_are_known_before(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    os.mkfifo(tmp_path / "pipe")
    for place, number in (
        (tmp_path / "nowhere" / "a", errno.ENOENT),
        (file / "a", errno.ENOTDIR),
        (tmp_path, errno.EISDIR),
        (tmp_path / "pipe", errno.EINVAL),
        (tmp_path / ("n" * 256), errno.ENAMETOOLONG),
    ):
        for write in (check_writable, _text, _draft):
            with pytest.raises(OSError, match=r".") as caught:
                write(place)
            assert caught.value.errno == number
    check_writable(file)
    check_writable(tmp_path / "new")
    assert sorted(os.listdir(tmp_path)) == ["file", "pipe"]
    assert file.read_text() == "old"


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder, and no rights of root."""
    with tempfile.TemporaryDirectory() as name:
        folder, root = Path(name), os.geteuid() == 0
        if root:
            os.chown(folder, 65534, 65534)
            os.seteuid(65534)
        try:
            yield folder
        finally:
            folder.chmod(0o700)
            if root:
                os.seteuid(0)


@posix
def test_rights_are_asked_for(unprivileged: Path) -> None:
    file = unprivileged / "a"
    file.write_text("old")
    file.chmod(0o400)  # a file that would be replaced all the same, if nobody looked
    for write in (check_writable, *WRITERS):
        with pytest.raises(PermissionError):
            write(file)
    unprivileged.chmod(0o500)
    for write in (check_writable, *WRITERS):
        with pytest.raises(PermissionError):
            write(unprivileged / "b")
    assert os.listdir(unprivileged) == ["a"]
    assert file.read_text() == "old"


@posix
def test_a_mounted_file_cannot_be_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file, mounts = tmp_path / "a file", tmp_path / "mountinfo"
    file.write_text("old")
    escaped = os.path.realpath(file).replace(" ", "\\040")
    mounts.write_text(f"36 35 98:0 /x / rw - ext4 x rw\n37 36 98:0 /x {escaped} rw - ext4 x rw\n")
    monkeypatch.setattr(_writing, "_MOUNTS", mounts)
    with pytest.raises(OSError, match="busy"):
        check_writable(file)
    check_writable(tmp_path / "another")


@posix
def test_a_sweep_removes_what_the_dead_left_and_nothing_else(tmp_path: Path) -> None:
    left, folder = tmp_path / f".sparsam-{'0' * 32}", tmp_path / f".sparsam-{'1' * 32}"
    left.write_text("half")
    folder.mkdir()
    (folder / "release.csv").write_text("half")
    kept = [".sparsam-0", ".sparsam-notes.txt", f".sparsam-{'0' * 32}.json", "sparsam"]
    for name in kept:
        (tmp_path / name).write_text("kept")
    (tmp_path / f".sparsam-{'2' * 32}").symlink_to("sparsam")
    sweep(tmp_path)
    assert sorted(os.listdir(tmp_path)) == sorted([*kept, f".sparsam-{'2' * 32}"])
    sweep(tmp_path / "nowhere")


@posix
def test_a_sweep_spares_writers_that_live(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_writing, "_without_a_name", lambda folder: -1)
    with new_path(tmp_path / "a") as place, draft_of(tmp_path / "b") as draft:
        Path(place).write_text("a")
        draft.write_text("b")
        code = "import sys, pathlib, sparsam._writing as w; w.sweep(pathlib.Path(sys.argv[1]))"
        subprocess.run([sys.executable, "-c", code, tmp_path], check=True)
        put_in_place(draft, tmp_path / "b")
    assert (tmp_path / "a").read_text() == "a"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


_DIES = """
import os, signal, sys
from sparsam import _writing
name, when, way, path = sys.argv[1:]
if way == "behind a name":
    _writing._without_a_name = lambda folder: -1
call = getattr(os, name)
def dies(*args, **kwargs):
    if when == "after":
        call(*args, **kwargs)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, name, dies)
with _writing.new_file(path) as stream:
    stream.write(b"new" * 100_000)
    stream.flush()
"""


@posix
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("call", ["fsync", "link", "replace"])
def test_death_at_every_step(call: str, when: str, way: str, tmp_path: Path) -> None:
    named = way == "behind a name"
    if named and call == "link":
        pytest.skip("it has its name already")
    file = tmp_path / "a"
    file.write_bytes(b"old")
    arguments = [sys.executable, "-c", _DIES, call, when, way, str(file)]
    assert subprocess.run(arguments, check=False).returncode == -signal.SIGKILL
    assert file.read_bytes() in (b"old", b"new" * 100_000)
    litter = [name for name in os.listdir(tmp_path) if name != "a"]
    between = (call, when) in (("link", "after"), ("replace", "before"))
    assert len(litter) == (between or (named and call == "fsync"))
    write_text(file, "newer")
    assert os.listdir(tmp_path) == ["a"]


_WRITES = """
import sys
from sparsam._writing import new_path, write_bytes
path, turn = sys.argv[1], 0
print("ready", flush=True)
while True:
    turn += 1
    with new_path(path) as place, open(place, "wb") as stream:
        for _ in range(64):
            stream.write(bytes([turn % 256]) * 4096)
"""


@posix
def test_death_at_any_moment(tmp_path: Path) -> None:
    file, seed = tmp_path / "a", random.Random(0)
    for _ in range(5):
        writer = subprocess.Popen([sys.executable, "-c", _WRITES, file], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(seed.random() / 20)
        writer.kill()
        writer.communicate()
        if file.exists():
            content = file.read_bytes()
            assert len(content) == 64 * 4096
            assert len(set(content)) == 1
    check_writable(file)
    assert set(os.listdir(tmp_path)) <= {"a"}


_LIMITED = """
import resource, sys
from sparsam._writing import write_bytes
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
try:
    write_bytes(sys.argv[1], bytes(1 << 20))
except OSError as error:
    print(error.strerror)
"""


@posix
def test_a_file_that_may_not_grow_leaves_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, file], capture_output=True, text=True, check=True
    )
    assert "large" in done.stdout
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def _writes(node: ast.Call) -> str | None:
    """What a call does to files that `_writing` alone may do."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    of = node.func.value if isinstance(node.func, ast.Attribute) else None
    module = of.id if isinstance(of, ast.Name) else None
    if name in ("write_text", "write_bytes", "to_csv", "to_parquet", "tofile", "savetxt"):
        return name
    if module == "os" and name in ("replace", "rename", "renames", "link"):
        return f"os.{name}"
    if module == "shutil" and name in ("move", "copy", "copy2", "copyfile", "copyfileobj"):
        return f"shutil.{name}"
    if module in ("json", "np", "numpy") and name in ("dump", "save"):
        return f"{module}.{name}"
    if name == "rename" or (name == "replace" and len(node.args) == 1 and not node.keywords):
        return f".{name}(path)"
    if name == "open" or (isinstance(node.func, ast.Name) and node.func.id == "open"):
        values = [*node.args, *(one.value for one in node.keywords)]
        texts = [one.value for one in values if isinstance(one, ast.Constant)]
        modes = [one for one in texts if isinstance(one, str) and set(one) <= set("rwxabt+")]
        return next((f"open({mode!r})" for mode in modes if set(mode) & set("wxa+")), None)
    return None


def test_nothing_else_writes_files() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}: {writer}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.name != "_writing.py"
        for writer in _writers(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not wrong


def _writers(tree: ast.Module) -> Iterator[str]:
    streams = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.With) and "new_file(" in ast.unparse(node.items[0])
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if (what := _writes(node)) is not None:
                yield f"{what} in line {node.lineno}"
            if "savez" in ast.unparse(node.func) and node not in streams:
                yield f"savez in line {node.lineno}"
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {getattr(node, "module", None), *(alias.name for alias in node.names)}
            if "tempfile" in names:
                yield f"tempfile in line {node.lineno}"


def test_the_check_of_the_source_finds_writers() -> None:
    for text in (
        "Path(x).write_text('a')",
        "path.write_bytes(b'a')",
        "open(x, 'w')",
        "path.open(mode='ab')",
        "gzip.open(x, 'wb')",
        "os.replace(a, b)",
        "draft.replace(path)",
        "draft.rename(path)",
        "np.save(path, a)",
        "json.dump(a, file)",
        "shutil.move(a, b)",
    ):
        call = ast.parse(text).body[0]
        assert isinstance(call, ast.Expr)
        assert isinstance(call.value, ast.Call)
        assert _writes(call.value) is not None, text
    for text in ("path.open('rb')", "open(x)", "'a'.replace('b', 'c')", "Ledger.open(place)"):
        call = ast.parse(text).body[0]
        assert isinstance(call, ast.Expr)
        assert isinstance(call.value, ast.Call)
        assert _writes(call.value) is None, text
