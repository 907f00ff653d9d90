"""Options of commands that ask a model about buckets."""

from __future__ import annotations

import rich_click as click

model_takes_option = click.option(
    "--model-takes",
    type=click.Choice(["labels", "codes"]),
    help="What the model is fed: labels of buckets, or their numbers.  [default: what a "
    "GeneralizationStep inside it says]",
)
trust_model_option = click.option(
    "--trust-model", is_flag=True, help="Load a model that runs code from its file."
)
