"""The record for services in Python: the text of a pydantic model."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING, Literal

from sparsam._checks import check_choice
from sparsam.collect.exports._questions import Question, Questions, field_names, fingerprint
from sparsam.generalization import Generalization

if TYPE_CHECKING:
    from sparsam.collect._target import Target

Output = Literal["codes", "labels"]

# What every pydantic model has, and what the module uses itself.
_TAKEN = (
    *("construct", "copy", "dict", "from_orm", "json", "parse_file", "parse_obj", "parse_raw"),
    *("schema", "schema_json", "update_forward_refs", "validate"),
    *("annotated", "basemodel", "configdict", "field", "literal", "int", "record"),
    *map(str.lower, keyword.kwlist),
    *keyword.softkwlist,
)
_IDENTIFIERS = re.compile(r"(?!model_)[A-Za-z][A-Za-z0-9_]*")

_MODULE = '''\
"""What is collected of a person, and nothing finer: written by sparsam.

A record that holds anything else is refused. Errors of pydantic repeat what was sent: pass none on
but ``error.errors(include_input=False, include_url=False)``, and of an unknown attribute not even
its place (``loc``), which is a text of the sender's.
"""

{imports}


class Record(BaseModel):
    """One person's record ({mark}): {what}."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)

{fields}
'''


def to_pydantic(
    generalization: Generalization, *, target: Target | None = None, output: Output = "codes"
) -> str:
    """Return the text of a Python module with a pydantic model, `Record`, of what is collected.

    Parameters
    ----------
    generalization : Generalization
    target : Target, optional
        Comes last.
    output : {"codes", "labels"}, default="codes"
        Whether a record holds the numbers of buckets, as the collector takes them, or their labels.

    Returns
    -------
    str
        Needs pydantic 2 where it runs. An attribute that is no Python name has another
        one there, and its own as alias.

    Raises
    ------
    ParameterError
        Nothing is collected.
    """
    check_choice("to_pydantic", "output", output, ("codes", "labels"))
    asked = Questions.of(generalization, target).asked
    names = field_names(asked, _IDENTIFIERS, _TAKEN)
    labels = {partition.name: partition.labels for partition in generalization}
    if target is not None:
        labels[target.name] = target.classes
    write = _coded if output == "codes" else _labelled
    return _MODULE.format(
        imports="\n".join(
            [
                f"from typing import Annotated{', Literal' * (output == 'labels')}",
                "",
                "from pydantic import BaseModel, ConfigDict, Field",
            ]
        ),
        mark=fingerprint(generalization),
        what="the bucket of each attribute" if output == "codes" else "a label of each attribute",
        fields="\n".join(
            write(question, name, labels[question.name])
            for question, name in zip(asked, names, strict=True)
        ),
    )


def _coded(question: Question, name: str, labels: tuple[str, ...]) -> str:
    words = "; ".join(f"{bucket}: {label}" for bucket, label in enumerate(labels))
    facts = [f"ge=0, le={len(labels) - 1}", *_alias(question, name), f"description={words!r}"]
    # not Literal[0, 1], which takes True and 1.0 for 1
    return f"    {name}: Annotated[int, Field({', '.join(facts)})]"


def _labelled(question: Question, name: str, labels: tuple[str, ...]) -> str:
    listed = ", ".join(f"{label!r}" for label in labels)
    facts = ", ".join([*_alias(question, name), f"description={question.words!r}"])
    return f"    {name}: Annotated[Literal[{listed}], Field({facts})]"


def _alias(question: Question, name: str) -> list[str]:
    return [] if name == question.name else [f"alias={question.name!r}"]
