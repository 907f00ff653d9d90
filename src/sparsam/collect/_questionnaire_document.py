"""The saved form of a questionnaire: a recoding, and the order of asking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

if TYPE_CHECKING:
    pass

FORMAT: Final = "sparsam/questionnaire"
VERSION: Final = 1


class QuestionnaireDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What may be asked and in which order, as saved by sparsam.

    Parameters
    ----------
    format, version
        What the document is.
    recoding : dict
        The document of a recoding.
    order : str or tuple of str
    costs : dict of str to float
    """

    format: Literal["sparsam/questionnaire"]
    version: Literal[1]
    recoding: dict[str, Any]
    order: Literal["fewest", "sensitivity", "cost"] | tuple[str, ...] = "fewest"
    costs: dict[str, Any] = {}
