"""The history of looks: figures only, of one artifact."""

from __future__ import annotations

import pytest

from sparsam._errors import DataError, DocumentError
from sparsam.assess import Look, Looks, monitor


def test_looks_are_counted(artifact, people, tmp_path):
    file = tmp_path / "looks.json"
    records = artifact.apply(people(1))
    for number in (1, 2):
        looks = Looks.load(file, artifact)
        monitoring = monitor(artifact, records, earlier=looks.looks)
        assert monitoring.look == number
        looks.and_then(monitoring.as_look("2026-11-16")).save(file)
    assert Looks.load(file, artifact).looks[1] == Look("2026-11-16", 3000, "holds")


def test_a_history_belongs_to_one_artifact(artifact, tmp_path):
    file = tmp_path / "looks.json"
    Looks.load(file, artifact).save(file)
    with pytest.raises(DataError, match="of another one"):
        Looks.load(file, artifact.with_about({}))
    file.write_text("{}")
    with pytest.raises(DocumentError):
        Looks.load(file, artifact)
