"""Fixtures for all that is collected."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .private_postgres import PrivatePostgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[PrivatePostgres]:
    """A PostgreSQL server for these tests alone, started when it is first needed."""
    server = PrivatePostgres()
    try:
        yield server
    finally:
        server.stop()
