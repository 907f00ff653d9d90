"""Damage documents: their structure, their values, their bytes.

Everything takes a `random.Random`, so that a seed gives the same documents on every machine.
"""

from __future__ import annotations

import copy
import io
import json
import random
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np


class Literal(str):
    """A text that stands in a JSON document as it is, without quotes."""

    __slots__ = ()


class Pairs(list[tuple[str, Any]]):
    """A JSON object that may hold a key twice."""


NUMBERS: list[Any] = [
    *(0, -0.0, 1, -1, 2, 3, 7, 0.1, -2.5, 255, 256, 65_000, 65_535, 65_536, 2**31, -(2**31)),
    *(2**53 - 1, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63) - 1, 10**20, 10**308),
    *(1e16, 1e308, -1e308, 1.7976931348623157e308, 5e-324, 1e-300),
    *map(Literal, ("1e999", "-1e999", "NaN", "Infinity", "-Infinity", "1E400", "0e99999")),
    *(Literal("9" * 5_000), Literal("-" + "1" * 400), Literal("0." + "3" * 5_000)),
]
TEXTS: list[Any] = [
    *("", " ", "  ", "\x00", "a\x00b", "\x1b[31mred\x1b[0m", "\n", "a\r\nb", "\t", "\x7f", "\x9b"),
    *("\ud800", "x\udfff", "\ud83d", "\U0001f600", "\u202eabc", "\ufeff", "\u2028", "é", "e\u0301"),
    *("x" * 3_000, "%s%n{0}", "'; DROP TABLE t; --", "<script>alert(1)</script>", '"', "\\", "`"),
    *(
        "NaN",
        "null",
        "missing",
        "other",
        "all values",
        "1",
        "1.0",
        "true",
        "__proto__",
        "$",
        "../x",
    ),
    *("=1+1", "numeric", "categorical", "clamp", "error", "sparsam/generalization"),
]
SHAPES: list[Any] = [
    *(None, True, False, [], {}, [[]], [None], [{}], {"": None}, {"a": {"a": {"a": 1}}}),
    *([0] * 300, list(range(300)), [str(i) for i in range(300)], {str(i): i for i in range(100)}),
    *(Literal("[" * 80 + "]" * 80), Literal('{"a":' * 80 + "1" + "}" * 80)),
    *(Literal("[" * 5_000), Literal("[" * 2_000 + "]" * 2_000)),
]


def write_json(value: Any) -> str:
    """Write JSON that may hold what Python's own writer refuses."""
    if isinstance(value, Literal):
        return str(value)
    if isinstance(value, dict | Pairs):
        pairs = value.items() if isinstance(value, dict) else value
        return "{" + ", ".join(f"{json.dumps(k)}: {write_json(v)}" for k, v in pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(write_json, value)) + "]"
    return json.dumps(value)


def slots(value: Any) -> list[tuple[Any, Any]]:
    """List every place of a document: what holds it, and its key there."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one))
        for key in keys:
            found.append((one, key))
            if isinstance(one[key], dict | list):
                waiting.append(one[key])
    return found


def nasty(rng: random.Random) -> Any:
    return copy.deepcopy(rng.choice(rng.choice((NUMBERS, TEXTS, SHAPES))))


def nudged(rng: random.Random, value: Any) -> Any:
    """Change a value to one of its own kind, which a reader may well accept."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        steps = (1, -1, 2, 0.5, value, -2 * value, 10**6, 1e290)
        return rng.choice([value + rng.choice(steps), rng.choice(NUMBERS)])
    if isinstance(value, str) and not isinstance(value, Literal):
        return rng.choice([value + "x", value[:-1], value.upper(), value * 3, rng.choice(TEXTS)])
    if isinstance(value, list):
        return rng.choice(
            [value[::-1], value + value[:1], value[1:], rng.sample(value, len(value))]
        )
    return nasty(rng)


def rename_everywhere(rng: random.Random, document: Any, places: list[tuple[Any, Any]]) -> None:
    """Give one text or number another value wherever it stands: names stay consistent."""
    plain = [h[k] for h, k in places if isinstance(h[k], str | int | float)]
    old = rng.choice(plain) if plain else None
    new = rng.choice(TEXTS) if isinstance(old, str) else rng.choice(NUMBERS)
    for holder, key in places:
        if type(holder[key]) is type(old) and holder[key] == old:
            holder[key] = new
    for holder in [document, *(h[k] for h, k in places if isinstance(h[k], dict))]:
        if isinstance(holder, dict) and isinstance(old, str) and old in holder:
            renamed = {str(new) if key == old else key: holder[key] for key in list(holder)}
            holder.clear()
            holder.update(renamed)


def change_structure(rng: random.Random, document: Any, *, gently: bool = False) -> Any:
    """Damage one place of a parsed document; returns the document."""
    places = slots(document)
    if not places:
        return nasty(rng)
    holder, key = rng.choice(places)
    kind = rng.choice((2, 4, 5, 5)) if gently else rng.randrange(10)
    if kind == 0:
        del holder[key]
    elif kind == 1:
        holder[key] = nasty(rng)
    elif kind in (2, 3):
        holder[key] = nudged(rng, holder[key])
    elif kind in (4, 5):
        rename_everywhere(rng, document, places)
    elif kind == 6:
        other, place = rng.choice(places)
        holder[key] = copy.deepcopy(other[place])
    elif kind == 7:
        holder[key] = [holder[key]]
    elif kind == 8 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif kind == 8:
        holder[str(nudged(rng, key))] = holder.pop(key)
    elif isinstance(holder[key], dict) and holder[key]:
        holder[key] = Pairs([*holder[key].items(), rng.choice(list(holder[key].items()))])
    else:
        holder[key] = nudged(rng, holder[key])
    return document


def change_json(rng: random.Random, text: bytes) -> bytes:
    """Damage a JSON document: mostly its structure, sometimes its bytes."""
    if rng.random() < 0.15:
        return change_bytes(rng, text)
    document, gently = json.loads(text), rng.random() < 0.5
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if not isinstance(document, dict | list):
            break
        if any(isinstance(h[k], Pairs) for h, k in slots(document)):
            break
        document = change_structure(rng, document, gently=gently)
    made = write_json(document)
    return made.encode("utf-8", "surrogatepass")


def change_bytes(rng: random.Random, raw: bytes) -> bytes:
    """Damage bytes: flip, cut out, repeat, insert, cut short, or write in another encoding."""
    made = bytearray(raw)
    if not made:
        return bytes(rng.randrange(256) for _ in range(8))
    kind = rng.randrange(7)
    at = rng.randrange(len(made))
    end = min(len(made), at + rng.randrange(1, 40))
    if kind == 0:
        for _ in range(rng.randrange(1, 9)):
            made[rng.randrange(len(made))] = rng.randrange(256)
    elif kind == 1:
        del made[at:end]
    elif kind == 2:
        made[at:at] = made[at:end] * rng.randrange(1, 50)
    elif kind == 3:
        made[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 20)))
    elif kind == 4:
        del made[at:]
    elif kind == 5:
        return recoded(rng, raw)
    else:
        made[at] ^= 1 << rng.randrange(8)
    return bytes(made)


def recoded(rng: random.Random, raw: bytes) -> bytes:
    text = raw.decode("utf-8", "replace")
    kind = rng.choice(("utf-8-sig", "utf-16", "utf-16-be", "utf-32", "latin-1", "utf-7"))
    return text.encode(kind, "replace")


def change_lines(rng: random.Random, raw: bytes, between: bytes, values: list[bytes]) -> bytes:
    """Damage a text of lines, such as TOML or CSV: lines and what stands between two signs."""
    if rng.random() < 0.3:
        return change_bytes(rng, raw)
    lines = raw.splitlines(keepends=True) or [b""]
    at = rng.randrange(len(lines))
    kind = rng.randrange(5)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(rng.randrange(len(lines)), lines[at])
    elif kind == 2:
        other = rng.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    else:
        parts = lines[at].rstrip(b"\n").split(between)
        parts[rng.randrange(len(parts))] = rng.choice(values)
        lines[at] = between.join(parts) + b"\n"
    return b"".join(lines)


def change_npz(rng: random.Random, raw: bytes) -> bytes:
    """Damage a file of arrays: its bytes, its members, its JSON header."""
    if rng.random() < 0.3:
        return change_bytes(rng, raw)
    with np.load(io.BytesIO(raw)) as stored:
        arrays: dict[str, Any] = dict(stored)
    kind = rng.randrange(4)
    if kind < 2:
        header = change_json(rng, arrays["header"].tobytes())
        arrays["header"] = np.frombuffer(header, np.uint8)
        return packed({f"{name}.npy": npy(array) for name, array in arrays.items()})
    members = {f"{name}.npy": npy(array) for name, array in arrays.items()}
    name = rng.choice(list(members))
    if kind == 2:
        members[name] = change_bytes(rng, members[name])
    else:
        rng.choice(MEMBER_CHANGES)(rng, members, name)
    return packed(members)


def npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array(out, array, allow_pickle=True)
    return out.getvalue()


def forged_npy(shape: str, dtype: str = "|u1", order: str = "False", body: bytes = b"\0") -> bytes:
    """Write an array whose header says whatever it is told to say."""
    text = f"{{'descr': {dtype!r}, 'fortran_order': {order}, 'shape': {shape}, }}"
    header = text.encode() + b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + body


def packed(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 1)
    return out.getvalue()


def _other_type(rng: random.Random, members: dict[str, bytes], name: str) -> None:
    kinds = ("i1", "i8", "f4", "f8", "c16", "U3", "S2", "O", "M8[s]", "?", ">i4")
    members[name] = npy(np.zeros(rng.randrange(4), rng.choice(kinds)))


def _other_shape(rng: random.Random, members: dict[str, bytes], name: str) -> None:
    shapes = ("(1000000000000,)", "(-1,)", "()", "(0,)", "(2, 3)", "(10**9,)", "None", "(1.5,)")
    order, dtype = rng.choice(("True", "False")), rng.choice(("|u1", "<i8", "|O", "x"))
    members[name] = forged_npy(rng.choice(shapes), dtype, order)


def _other_names(rng: random.Random, members: dict[str, bytes], name: str) -> None:
    names = ("../../etc/x.npy", "/abs.npy", "", "header", "HEADER.npy", "x" * 300, "a\x00b.npy")
    members[rng.choice(names)] = members[name] if rng.random() < 0.5 else members.pop(name)


def _no_member(rng: random.Random, members: dict[str, bytes], name: str) -> None:
    del members[name]


def _big_member(rng: random.Random, members: dict[str, bytes], name: str) -> None:
    members[name] = npy(np.zeros(rng.choice((10**5, 10**6)), np.uint8))


def _bad_rows(rng: random.Random, members: dict[str, bytes], name: str) -> None:
    rows = rng.choice(([0, 1], [1, 0], [-1, 2], [0, 2**62], [0.5, 1.5], [], [[0, 1]]))
    members["rows.npy"] = npy(np.asarray(rows))


MEMBER_CHANGES: list[Callable[[random.Random, dict[str, bytes], str], None]] = [
    *(_other_type, _other_shape, _other_names, _no_member, _big_member, _bad_rows)
]
