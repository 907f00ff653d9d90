"""The saved form of a generalization: a versioned JSON document that points at its own faults.

Other artifacts are saved with the same functions: `read_document`, `write_document`, `schema_of`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, NoReturn, TypeVar

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
_Kind = TypeVar("_Kind", bound=msgspec.Struct)


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
    return write_document(Document(FORMAT, VERSION, partitions, about))


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
    document = read_document(text, Document, FORMAT, "generalization")
    check_names_once(document.attributes)
    return document


def schema() -> dict[str, Any]:
    """Give the JSON Schema (draft 2020-12) of the document.

    Returns
    -------
    dict
    """
    return schema_of(Document, "A generalization, as saved by sparsam")


def write_document(document: msgspec.Struct) -> str:
    """Write any document, indented, with each list of plain values on one line."""
    return _pretty(_shorten(msgspec.to_builtins(document))) + "\n"


def read_document(text: str | bytes, kind: type[_Kind], form: str, what: str) -> _Kind:
    """Read a document of any kind, or say which field of it is wrong.

    Parameters
    ----------
    text : str or bytes
    kind : type
        The structure to read it as.
    form : str
        What its "format" must be.
    what : str
        What such a document is, in words.

    Returns
    -------
    kind

    Raises
    ------
    DocumentError
    """
    raw = _parse(text)
    for path, twice in _repeated(raw, "$"):
        raise DocumentError(f"The key '{twice}' must occur once. Got it twice.", path)
    _check_header(raw, form, what)
    return convert_part(raw, kind)


def convert_part(raw: Any, kind: type[_Kind], path: str = "$") -> _Kind:
    """Turn a parsed part of a document into its structure; an error names the field."""
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise _explain(error, path) from error


def check_names_once(partitions: tuple[Partition, ...], path: str = "$") -> None:
    """Raise for an attribute that occurs twice in a document."""
    names = [partition.name for partition in partitions]
    for i, name in enumerate(names):
        if name in names[:i]:
            msg = f"Every attribute must occur once. '{name}' came before."
            raise DocumentError(msg, f"{path}.attributes[{i}].name")


def schema_of(
    kind: type[msgspec.Struct], title: str, *more: type[msgspec.Struct]
) -> dict[str, Any]:
    """Give the JSON Schema (draft 2020-12) of a document of any kind.

    Parameters
    ----------
    kind : type
        The structure of the document.
    title : str
    *more : type
        Further structures to define in the schema.

    Returns
    -------
    dict
    """
    (reference, *_), components = msgspec.json.schema_components(
        [kind, *more], ref_template="#/$defs/{name}"
    )
    for component in components.values():
        component["description"] = component.get("description", "").split("\n")[0]
    return {"$schema": SCHEMA_DIALECT, "title": title, **reference, "$defs": components}


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


def _check_header(raw: Any, form: str, what: str) -> None:
    if not isinstance(raw, dict):
        raise DocumentError(f"An object was expected. Got {type(raw).__name__} instead.")
    if raw.get("format") != form:
        msg = f"This is not a saved {what}: its format must be '{form}'."
        raise DocumentError(msg, "$.format")
    version = raw.get("version")
    if version is True or version != VERSION:
        msg = f"The version must be {VERSION}. Got another; a newer sparsam may have written it."
        raise DocumentError(msg, "$.version")


def _explain(error: msgspec.ValidationError, within: str) -> DocumentError:
    """Split the path off msgspec's message, and add the field that our own checks named."""
    found = re.fullmatch(r"(.*?)(?: - at `(.*)`)?", str(error), re.DOTALL)
    message, path = (found[1], found[2] or "$") if found else (str(error), "$")
    path = within + path.removeprefix("$")
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
