"""The planted tables, and the runs of all commands on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .stage import Stage


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """Where commands run; each of them once in a session, when a test first looks at it."""
    # here, so that each file of tests says which extra it needs
    from .cases import CASES
    from .planted import write_tables
    from .stage import Stage

    folder = tmp_path_factory.mktemp("canaries")
    (folder / "tables").mkdir()
    write_tables(folder / "tables")
    return Stage(folder, CASES)
