"""What pages about a budget have in common: no script at all, and who drew the noise."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from sparsam.report._provenance import versions

STILL_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
_NOISE = ("opendp", "dp-accounting")


def noisy_versions() -> dict[str, str]:
    """Name the versions that made a report, with those that drew and counted noise."""
    return {**versions(), **{name: _version(name) for name in _NOISE}}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
