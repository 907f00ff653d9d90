"""Fixtures that several folders of tests use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

SHARED = Path(__file__).resolve().parents[2] / "shared"


def _shared(name: str) -> Path:
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"the shared folder '{name}' is not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real tables that is not part of the repository."""
    return _shared("data")


@pytest.fixture(scope="session")
def shared_reference() -> Path:
    """The folder of independently computed results."""
    return _shared("reference")
