"""The saved form of a questionnaire: a recoding, and the order of asking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from sparsam._documents import convert_part, read_document
from sparsam._errors import DocumentError
from sparsam.generalization._document import write_document
from sparsam.generalization._refusal import FieldError
from sparsam.generalization.recoding._document import RecodingDocument, build, document_of

if TYPE_CHECKING:
    from sparsam.collect._questionnaire import Questionnaire

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


def encode(questionnaire: Questionnaire) -> str:
    """Write the document, indented."""
    inner = questionnaire.recoding
    recoding = msgspec.to_builtins(
        document_of(inner.generalization, inner.representatives, inner.nodes, inner.about)
    )
    order: Any = questionnaire.order
    return write_document(
        QuestionnaireDocument(FORMAT, VERSION, recoding, order, questionnaire.costs)
    )


def decode(text: str | bytes) -> Questionnaire:
    """Read a questionnaire, or say which field of its document is wrong.

    Parameters
    ----------
    text : str or bytes

    Returns
    -------
    Questionnaire

    Raises
    ------
    DocumentError
    """
    from sparsam.collect._questionnaire import Questionnaire

    document = read_document(text, QuestionnaireDocument, FORMAT, "questionnaire")
    inner = convert_part(document.recoding, RecodingDocument, "$.recoding")
    recoding = build(inner, "$.recoding")
    try:
        return Questionnaire(recoding, order=document.order, costs=document.costs or None)
    except FieldError as error:
        raise DocumentError(str(error), f"$.{error.field}") from error
