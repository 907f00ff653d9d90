"""A PostgreSQL server for the tests alone: on a unix socket, in a folder that goes afterwards."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")


def programs() -> Path | None:
    """Where the newest server on this machine is."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return installed[-1].parent if installed else None


class PrivatePostgres:
    """A server with a superuser `admin` and a role `collector` that may do little."""

    def __init__(self) -> None:
        place = programs()
        if place is None:
            pytest.skip("there is no PostgreSQL server on this machine")
        pytest.importorskip("psycopg", reason="psycopg is not installed (extra postgres)")
        # a folder in memory: flushing to the disk is asked for as ever, and costs nothing
        self.folder = Path(tempfile.mkdtemp(prefix="pg", dir=MEMORY if MEMORY.is_dir() else None))
        self.data, self.log = self.folder / "data", self.folder / "log"
        self._as_user = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
            self._as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self._numbers = itertools.count(1)
        self._run(
            place / "initdb", "-D", self.data, "-U", "admin", "-A", "trust", "-E", "UTF8",
            "--locale=C", "--no-sync", "--no-instructions",
        )  # fmt: skip
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [
                    *self._as_user, place / "postgres", "-D", self.data, "-k", self.folder,
                    "-c", "listen_addresses=", "-c", "log_destination=stderr",
                    "-c", "shared_buffers=16MB", "-c", "autovacuum=off",
                ],
                stderr=log,
                cwd=self.folder,
            )  # fmt: skip
        self._wait()
        self.admin("CREATE ROLE collector LOGIN")

    def _run(self, *words: object) -> None:
        subprocess.run(
            [*self._as_user, *map(str, words)], cwd=self.folder, check=True, capture_output=True
        )

    def _wait(self) -> None:
        import psycopg

        until = time.monotonic() + 30
        while True:
            try:
                psycopg.connect(self.address("admin", "public")).close()
                return
            except psycopg.OperationalError:
                if self.process.poll() is not None or time.monotonic() > until:
                    raise
            time.sleep(0.02)

    def address(self, role: str, schema: str) -> str:
        """The address of a schema, for a role."""
        return f"postgresql://{role}@/postgres?host={self.folder}&options=-csearch_path%3D{schema}"

    def schema(self) -> tuple[str, str]:
        """Make an empty schema; its name, and its address for the role that may do little."""
        name = f"collected_{next(self._numbers)}"
        self.admin(f"CREATE SCHEMA {name} AUTHORIZATION collector")
        return name, self.address("collector", name)

    def admin(self, statement: str, schema: str = "public") -> list[tuple]:
        """Run a statement as superuser."""
        import psycopg

        with psycopg.connect(self.address("admin", schema), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def stop(self) -> None:
        """End the server, and remove all that it wrote."""
        self.process.send_signal(signal.SIGINT)  # which waits for nobody
        try:
            self.process.wait(10)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
