"""What `form` and `collect` are given: a generalization, or a questionnaire."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sparsam._documents import parse_json, read_bytes
from sparsam._errors import DocumentError

if TYPE_CHECKING:
    from sparsam.collect import Questionnaire
    from sparsam.generalization import Generalization


def opened(file: Path) -> Generalization | Questionnaire:
    """Load whichever of the two a file is."""
    from sparsam.collect import Questionnaire
    from sparsam.generalization import Generalization

    try:
        document = parse_json(read_bytes(file))
    except DocumentError:
        document = None  # a generalization that is damaged says where
    kind = document.get("format") if isinstance(document, dict) else None
    return (
        Questionnaire.load(file) if kind == "sparsam/questionnaire" else Generalization.load(file)
    )


def check_model_options(options: dict[str, Any]) -> None:
    """Refuse options that say something about a model where none is given."""
    if options["model"] is None:
        for name in ("model_takes", "recoding", "trust_model"):
            if options[name]:
                raise click.UsageError(f"--{name.replace('_', '-')} goes with --model.")
