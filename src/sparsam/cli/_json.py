"""What the commands print with `--json`: one document on standard output, fit to be passed on."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import rich_click as click

if TYPE_CHECKING:
    from sparsam.assess import Assessment


def echo_json(data: Mapping[str, Any]) -> None:
    """Print plain data as JSON; a number that is none becomes null."""
    click.echo(json.dumps(_finite(data), indent=2, allow_nan=False))


def plain_assessment(assessment: Assessment) -> dict[str, Any]:
    """An assessment as plain data, figures on fewer than five people left out or in words."""
    from sparsam.report._publish import SMALLEST_COUNT, suppress

    plain = assessment.to_dict()
    sizes = plain["class_sizes"]
    sizes["smallest"], sizes["alone"] = suppress(sizes["smallest"]), suppress(sizes["alone"])
    sizes["under"] = {k: suppress(people) for k, people in sizes["under"].items()}
    plain["confident_risks"] = {
        share: risk
        for share, risk in plain["confident_risks"].items()
        if risk["n_records"] >= SMALLEST_COUNT
    }
    return plain


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
