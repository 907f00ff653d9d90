"""Models in files, opened as safely as their kind allows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sparsam._errors import DataError, MissingExtraError, ParameterError, hint
from sparsam.data.source._engine import worded

_PICKLED = (".joblib", ".pkl", ".pickle")


def open_model(path: Path, *, trust: bool = False) -> Any:
    """Open a model's file.

    Parameters
    ----------
    path : Path
        A file that ends in .onnx, .skops, .joblib, .pkl or .pickle.
    trust : bool, default=False
        Whether code inside the file may run.
    """
    ending = path.suffix.lower()
    if ending not in (".onnx", ".skops", *_PICKLED):
        raise ParameterError(
            "A model's file must end in .onnx, .skops, .joblib, .pkl or .pickle. "
            f"Got '{path.name}' instead.\n\nHint: a torch module is given as it is, in Python, or "
            "exported to ONNX."
        )
    if ending in _PICKLED and not trust:
        raise ParameterError(
            f"'{path.name}' must be trusted to be loaded: loading a pickled model runs the code "
            "inside the file. Prefer ONNX or skops, which run none."
            + hint(
                "pass trust=True only for a file that you made yourself",
                "give --trust-model only for a file that you made yourself",
            )
        )
    if not path.is_file():
        raise DataError(f"A model must be a file on this machine. Found none at '{path}'.")

    def read() -> Any:
        if ending == ".onnx":
            return _onnx(path)
        return _skops(path, trust=trust) if ending == ".skops" else _joblib(path)

    return worded(read, lambda error: _no_model(path, error))


def _no_model(path: Path, error: Exception) -> DataError:
    return DataError(
        f"'{path.name}' must be a model in the format of its ending. "
        f"It cannot be read as one ({type(error).__name__})."
    )


def _onnx(path: Path) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise _missing("onnxruntime") from error
    options = onnxruntime.SessionOptions()
    # sums in another order on other machines would not be the same answer
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        str(path), sess_options=options, providers=["CPUExecutionProvider"]
    )


def _skops(path: Path, *, trust: bool) -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise _missing("skops") from error
    unknown = skops.io.get_untrusted_types(file=path)
    if unknown and not trust:
        listed = ", ".join(sorted(unknown))
        raise ParameterError(
            f"'{path.name}' must hold only types that are known to be harmless. It also holds "
            f"{listed}."
            + hint(
                "pass trust=True if you know these types, and who made the file",
                "give --trust-model if you know these types, and who made the file",
            )
        )
    return skops.io.load(path, trusted=unknown)


def _joblib(path: Path) -> Any:
    import joblib

    return joblib.load(path)


def _missing(library: str) -> MissingExtraError:
    return MissingExtraError(f"{library} is not installed.\n\nHint: pip install 'sparsam[models]'")
