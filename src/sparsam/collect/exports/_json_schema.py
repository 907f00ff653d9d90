"""What is collected as JSON Schema: what the door accepts, and what form builders read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparsam._documents import SCHEMA_DIALECT
from sparsam.collect._automaton import Way
from sparsam.collect._interviews import Interviews
from sparsam.collect._runs import runs
from sparsam.collect._target import Target
from sparsam.generalization import Generalization, Partition, unique_labels
from sparsam.generalization.recoding import union_label


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


def interview_schema(interviews: Interviews, target: Target | None = None) -> dict[str, Any]:
    """Describe a finished interview as JSON Schema 2020-12: its answers, and nothing else.

    Every question is a definition with its answers, and each of these leads to the next one. One
    bucket is a whole number, several are a text such as "1-3.5".

    Parameters
    ----------
    interviews : Interviews
    target : Target, optional
        One more answer: what a model is to learn.

    Returns
    -------
    dict
    """
    generalization = interviews.questionnaire.recoding.generalization
    schema: dict[str, Any] = {
        "$schema": SCHEMA_DIALECT,
        "title": "An interview",
        "description": "The answers to the questions that they lead to, and nothing finer.",
        "type": "object",
        "unevaluatedProperties": False,
    }
    nodes = interviews.questionnaire.automaton.nodes
    if nodes:
        schema["$ref"] = "#/$defs/question_0"
        schema["$defs"] = {
            f"question_{place}": _question(generalization[name], ways)
            for place, (name, ways) in enumerate(nodes)
        }
    if target is not None:
        target.check(generalization)
        schema["properties"] = {target.name: _choice(target.name, target.classes)}
        schema["required"] = [target.name]
    return schema


def _question(partition: Partition, ways: Sequence[Way]) -> dict[str, Any]:
    """One question: its answers, and which of them lead to which other question."""
    labels = unique_labels([union_label(partition, buckets) for buckets, _ in ways])
    choices, leads = [], dict[int, list[int | str]]()
    for label, (buckets, after) in zip(labels, ways, strict=True):
        sent = buckets[0] if len(buckets) == 1 else runs(buckets)
        choices.append({"const": sent, "title": label})
        leads.setdefault(after, []).append(sent)
    further = [
        {
            "if": {"properties": {partition.name: {"enum": answers}}},
            "then": {"$ref": f"#/$defs/question_{after}"},
        }
        for after, answers in leads.items()
        if after >= 0
    ]
    question: dict[str, Any] = {
        "required": [partition.name],
        "properties": {partition.name: {"title": partition.name, "oneOf": choices}},
    }
    return {**question, "allOf": further} if further else question
