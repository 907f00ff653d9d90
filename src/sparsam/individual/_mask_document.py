"""The saved form of a mask: packed bits, row numbers and a JSON header in a `.npz` file.

The file may come from a stranger: nothing is unpacked before its size is known to be small enough,
and nothing but plain numbers is read from it.
"""

from __future__ import annotations

import io
import os
import tokenize
import zipfile
import zlib
from typing import Annotated, Any, Final

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparsam._documents import MAX_BYTES, check_header, convert_part, parse_json
from sparsam._errors import DocumentError
from sparsam.individual._arrays import Bits

FORMAT: Final = "sparsam-mask"
VERSION: Final = 2
MAX_VALUES: Final = 2**26
"""How many values a mask can be about, and the table that it is about can have."""
MAX_ROWS: Final = 2**23
"""How many rows a mask can name one by one."""

_READABLE: Final = (1, 2)  # version 1 had no row numbers
_MEMBERS: Final = {  # what each may unpack to: bits, and row numbers of eight bytes
    "header.npy": MAX_BYTES,
    "bits.npy": MAX_VALUES // 8 + 4_096,
    "rows.npy": MAX_ROWS * 8 + 4_096,
}
_DAMAGE: Final = (
    ValueError,
    OSError,
    EOFError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    SyntaxError,
    TypeError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
    tokenize.TokenError,
)

_Positive = Annotated[int, Meta(gt=0)]


class MaskHeader(msgspec.Struct, frozen=True):
    """All that the file of a mask states besides the bits."""

    format: str
    version: int
    shape: tuple[_Positive, _Positive]
    attributes: Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(min_length=1)]
    algorithm: str
    learner: str
    facts: dict[str, str | int | float]
    kept: Annotated[int, Meta(ge=0)]
    random_state: int | None = None
    table_rows: _Positive | None = None
    values: _Positive | None = None


def read_mask(
    path: str | os.PathLike[str],
) -> tuple[MaskHeader, Bits, NDArray[Any] | None]:
    """Read what the file of a mask holds.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    header : MaskHeader
    kept : ndarray of bool
        As many as the header says.
    rows : ndarray of int or None

    Raises
    ------
    DocumentError
        The file is no mask, is damaged, or would unpack to more than a mask can be.
    """
    try:
        with zipfile.ZipFile(path) as packed:
            members = {name: _unpacked(packed, name) for name in _listed(packed)}
    except DocumentError:
        raise
    except _DAMAGE:
        raise _unreadable() from None
    header = _header(members["header.npy"])
    return header, _kept(header, members["bits.npy"]), members.get("rows.npy")


def _unreadable() -> DocumentError:
    return DocumentError("The file must be a mask that sparsam wrote; it cannot be read")


def _listed(packed: zipfile.ZipFile) -> list[str]:
    """Return the members of the file, if they are those of a mask and no larger."""
    infos = packed.infolist()
    names = [info.filename for info in infos]
    if len(set(names)) != len(names) or not {"header.npy", "bits.npy"} <= set(names):
        raise _unreadable()
    for info in infos:
        if info.filename not in _MEMBERS:
            raise _unreadable()
        if info.file_size > _MEMBERS[info.filename]:
            raise DocumentError(
                f"The parts of a mask must be small enough for {MAX_VALUES:,} values. "
                "One of them would unpack to more."
            )
    return names


def _unpacked(packed: zipfile.ZipFile, name: str) -> NDArray[Any]:
    """Read one array of plain numbers, without trusting what its header says."""
    most = _MEMBERS[name]
    with packed.open(name) as stream:
        raw = stream.read(most + 1)
    file = io.BytesIO(raw)
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:
        raise _unreadable()
    shape, _, dtype = read(file, max_header_size=4_096)
    start = file.tell()
    plain = dtype.kind in "iuf" if name == "rows.npy" else dtype == np.uint8
    if not plain or len(shape) != 1 or shape[0] * dtype.itemsize != len(raw) - start:
        raise _unreadable()
    return np.frombuffer(raw, dtype, offset=start)


def _header(raw: NDArray[Any]) -> MaskHeader:
    document = parse_json(raw.tobytes())
    check_header(document, FORMAT, "mask", _READABLE)
    return convert_part(document, MaskHeader)


def _kept(header: MaskHeader, packed: NDArray[Any]) -> Bits:
    size = header.shape[0] * header.shape[1]
    if size > MAX_VALUES or packed.shape != ((size + 7) // 8,):
        raise DocumentError("The bits must be as many as 'shape' says", "$.shape")
    kept = np.unpackbits(packed, count=size).view(np.bool_).reshape(header.shape)
    if int(np.count_nonzero(kept)) != header.kept:
        raise DocumentError("The bits must be as many as 'kept' says", "$.kept")
    return kept
