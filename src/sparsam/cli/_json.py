"""What the commands print with `--json`: one document on standard output, fit to be passed on."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import rich_click as click


def echo_json(data: Mapping[str, Any]) -> None:
    """Print plain data as JSON; a number that is none becomes null."""
    click.echo(json.dumps(_finite(data), indent=2, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
