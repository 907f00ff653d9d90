"""Collect only what is needed: a pipeline step, a questionnaire that stops asking, a service."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparsam._lazy import load_lazily

if TYPE_CHECKING:
    from sparsam.collect import door as door
    from sparsam.collect import exports as exports
    from sparsam.collect._answer_table import AnswerTable
    from sparsam.collect._questionnaire import Asked as Asked
    from sparsam.collect._questionnaire import Questionnaire
    from sparsam.collect._step import GeneralizationStep
    from sparsam.collect._target import Target
    from sparsam.collect.door import collector
    from sparsam.collect.form import Form
    from sparsam.collect.store._model import hold_out as hold_out
    from sparsam.collect.store._model import save_model as save_model
    from sparsam.collect.store._model import train_model as train_model
    from sparsam.collect.store._store import Store

# A service that collects needs none of what trains models.
__getattr__, __dir__ = load_lazily(
    __name__,
    {
        "AnswerTable": "_answer_table",
        "Asked": "_questionnaire",  # for the other folders, not for users
        "Form": "form",
        "GeneralizationStep": "_step",
        "Questionnaire": "_questionnaire",
        "Store": "store._store",
        "Target": "_target",
        "hold_out": "store._model",  # for the command line
        "collector": "door",
        "save_model": "store._model",
        "train_model": "store._model",
    },
    folders=("door", "exports"),
)

__all__ = [
    "AnswerTable",
    "Form",
    "GeneralizationStep",
    "Questionnaire",
    "Store",
    "Target",
    "collector",
]
