"""The saved form of a generalization: a versioned JSON document that points at its own faults."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, NoReturn

import msgspec
from msgspec import Meta

from sparsam._errors import DocumentError
from sparsam.generalization._categorical_partition import CategoricalPartition
from sparsam.generalization._numeric_partition import NumericPartition
from sparsam.generalization._refusal import FieldError
from sparsam.generalization._values import whole

FORMAT: Final = "sparsam/generalization"
VERSION: Final = 1
SCHEMA_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

Partition = NumericPartition | CategoricalPartition


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One partition per attribute, as saved by sparsam.

    Parameters
    ----------
    format, version
        What the document is.
    attributes : tuple of Partition
    about : dict
        Plain facts: who made it, from what, with which seed.
    """

    format: Literal["sparsam/generalization"]
    version: Literal[1]
    attributes: Annotated[tuple[Partition, ...], Meta(min_length=1)]
    about: dict[str, Any] = {}


class _Object(dict[str, Any]):
    """A JSON object that remembers a key that it held twice."""

    twice: str | None = None


def encode(partitions: tuple[Partition, ...], about: dict[str, Any]) -> str:
    """Write the document, indented, with each list of plain values on one line.

    Parameters
    ----------
    partitions : tuple of Partition
    about : dict
        Plain JSON facts.

    Returns
    -------
    str
    """
    document = Document(FORMAT, VERSION, partitions, about)
    return _pretty(_shorten(msgspec.to_builtins(document))) + "\n"


def decode(text: str | bytes) -> Document:
    """Read a document, or say which field of it is wrong.

    Parameters
    ----------
    text : str or bytes

    Returns
    -------
    Document

    Raises
    ------
    DocumentError
    """
    raw = _parse(text)
    for path, twice in _repeated(raw, "$"):
        raise DocumentError(f"The key '{twice}' must occur once. Got it twice.", path)
    _check_header(raw)
    try:
        document = msgspec.convert(raw, Document)
    except msgspec.ValidationError as error:
        raise _explain(error) from error
    names = [partition.name for partition in document.attributes]
    for i, name in enumerate(names):
        if name in names[:i]:
            msg = f"Every attribute must occur once. '{name}' came before."
            raise DocumentError(msg, f"$.attributes[{i}].name")
    return document


def schema() -> dict[str, Any]:
    """Give the JSON Schema (draft 2020-12) of the document.

    Returns
    -------
    dict
    """
    (reference,), components = msgspec.json.schema_components(
        [Document], ref_template="#/$defs/{name}"
    )
    for component in components.values():
        component["description"] = component.get("description", "").split("\n")[0]
    title = {"$schema": SCHEMA_DIALECT, "title": "A generalization, as saved by sparsam"}
    return {**title, **reference, "$defs": components}


def _parse(text: str | bytes) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise DocumentError("A JSON document in UTF-8 was expected; other bytes came.") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DocumentError(f"A JSON document was expected; it breaks at {where}.") from error
    except RecursionError as error:
        raise DocumentError("The document is nested too deeply.") from error


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    made = _Object()
    for key, value in pairs:
        if key in made:
            made.twice = key
        made[key] = value
    return made


def _no_constant(name: str) -> NoReturn:
    msg = f"Every number must be finite. Got {name} instead."
    raise DocumentError(msg)


def _repeated(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, _Object):
        if value.twice is not None:
            yield path, value.twice
        for key, inner in value.items():
            yield from _repeated(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from _repeated(inner, f"{path}[{i}]")


def _check_header(raw: Any) -> None:
    if not isinstance(raw, dict):
        raise DocumentError(f"An object was expected. Got {type(raw).__name__} instead.")
    if raw.get("format") != FORMAT:
        msg = f"This is not a saved generalization: its format must be '{FORMAT}'."
        raise DocumentError(msg, "$.format")
    version = raw.get("version")
    if version is True or version != VERSION:
        msg = f"The version must be {VERSION}. Got another; a newer sparsam may have written it."
        raise DocumentError(msg, "$.version")


def _explain(error: msgspec.ValidationError) -> DocumentError:
    """Split the path off msgspec's message, and add the field that our own checks named."""
    found = re.fullmatch(r"(.*?)(?: - at `(.*)`)?", str(error), re.DOTALL)
    message, path = (found[1], found[2] or "$") if found else (str(error), "$")
    if isinstance(error.__cause__, FieldError):
        path = f"{path}.{error.__cause__.field}"
    return DocumentError(message, path)


def _shorten(value: Any) -> Any:
    """Write whole numbers without a decimal point everywhere in the document."""
    if isinstance(value, dict):
        return {key: _shorten(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_shorten(inner) for inner in value]
    return whole(value) if isinstance(value, float) else value


def _pretty(value: Any, indent: str = "") -> str:
    inner = indent + "  "
    if isinstance(value, dict) and value:
        lines = [f"{inner}{_plain(key)}: {_pretty(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
        lines = [inner + _pretty(item, inner) for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return _plain(value)


def _plain(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
