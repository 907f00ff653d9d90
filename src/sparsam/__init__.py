"""Collect less personal data for machine learning, and prove it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sparsam._errors import SparsamError, SparsamWarning
from sparsam._version import __version__

if TYPE_CHECKING:
    from sparsam.anonymise import anonymise_model
    from sparsam.assess import assess, sweep
    from sparsam.attack import Reconstruction, Risk, attack
    from sparsam.collect import GeneralizationStep, Questionnaire
    from sparsam.data import Roles, Table, load_example, read, resolve, split
    from sparsam.explore import Ledger, explore
    from sparsam.generalization import Generalization, Recoding
    from sparsam.minimise import Constraints, ModelTree, PrivacyTree
    from sparsam.report import report_on

_HOMES = {
    "Constraints": "minimise",
    "Generalization": "generalization",
    "GeneralizationStep": "collect",
    "Ledger": "explore",
    "ModelTree": "minimise",
    "PrivacyTree": "minimise",
    "Questionnaire": "collect",
    "Recoding": "generalization",
    "Reconstruction": "attack",
    "Risk": "attack",
    "Roles": "data",
    "Table": "data",
    "anonymise_model": "anonymise",
    "assess": "assess",
    "attack": "attack",
    "explore": "explore",
    "load_example": "data",
    "read": "data",
    "report_on": "report",
    "resolve": "data",
    "split": "data",
    "sweep": "assess",
}

__all__ = [
    "Constraints",
    "Generalization",
    "GeneralizationStep",
    "Ledger",
    "ModelTree",
    "PrivacyTree",
    "Questionnaire",
    "Recoding",
    "Reconstruction",
    "Risk",
    "Roles",
    "SparsamError",
    "SparsamWarning",
    "Table",
    "__version__",
    "anonymise_model",
    "assess",
    "attack",
    "explore",
    "load_example",
    "read",
    "report_on",
    "resolve",
    "split",
    "sweep",
]


def __getattr__(name: str) -> Any:
    """Load a name from its folder when it is first asked for, so that importing is quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'sparsam' has no attribute '{name}'")
    module = importlib.import_module(f"sparsam.{_HOMES[name]}")
    # A folder that is called like its verb can be called itself.
    value = module if name == _HOMES[name] else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
