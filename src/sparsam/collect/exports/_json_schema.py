"""A collected record as JSON Schema: what the door accepts, and what form builders read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparsam._documents import SCHEMA_DIALECT
from sparsam.collect._target import Target
from sparsam.generalization import Generalization


def to_json_schema(generalization: Generalization, target: Target | None = None) -> dict[str, Any]:
    """Describe a collected record as JSON Schema 2020-12.

    A record has one whole number for each collected attribute, the bucket, and nothing else. Every
    bucket is listed with its label (``oneOf``, ``const``, ``title``), which is what form builders
    turn into choices.

    Parameters
    ----------
    generalization : Generalization
    target : Target, optional
        One more answer: what a model is to learn.

    Returns
    -------
    dict
    """
    answers: dict[str, Sequence[str]] = {
        name: generalization[name].labels for name in generalization.collected
    }
    if target is not None:
        target.check(generalization)
        answers[target.name] = target.classes
    return {
        "$schema": SCHEMA_DIALECT,
        "title": "A record",
        "description": "One bucket for each attribute that is collected, and nothing finer.",
        "type": "object",
        "properties": {name: _choice(name, labels) for name, labels in answers.items()},
        "required": list(answers),
        "additionalProperties": False,
    }


def _choice(name: str, labels: Sequence[str]) -> dict[str, Any]:
    buckets = [{"const": bucket, "title": label} for bucket, label in enumerate(labels)]
    return {"title": name, "type": "integer", "oneOf": buckets}
