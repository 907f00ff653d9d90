"""The form for hospitals: a FHIR Questionnaire."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from sparsam._checks import check_choice, wrong_parameter
from sparsam.collect.exports._questions import Question, Questions, field_names, fingerprint
from sparsam.generalization import Generalization

if TYPE_CHECKING:
    from sparsam.collect._target import Target

FhirVersion = Literal["R4", "R5"]

# what a linkId may be; a blank at either end is lost on the way
_LINKS = re.compile(r"(?=.{1,255}\Z)[^\s\x00-\x1f\x7f]+( [^\s\x00-\x1f\x7f]+)*")
_ENDINGS = re.compile("[A-Za-z][A-Za-z0-9_]*")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s#|]+")


def to_fhir(
    generalization: Generalization,
    *,
    version: FhirVersion = "R5",
    target: Target | None = None,
    title: str | None = None,
    language: str = "en",
    labels: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    url: str | None = None,
) -> dict[str, Any]:
    """Return a FHIR Questionnaire that asks for the collected attributes, in their buckets.

    The answer to each question is one coding, whose code is the number of the bucket.

    Parameters
    ----------
    generalization : Generalization
    version : {"R5", "R4"}, default="R5"
    target : Target, optional
        Is asked last.
    title : str, optional
        That of the language or of the labels when left out.
    language, labels
        As for `Form`.
    url : str, optional
        Where the questionnaire will be found, such as "https://example.org/Questionnaire/people".
        With it, the codes have a system: without one they mean something in this questionnaire
        only.

    Returns
    -------
    dict
        Plain JSON.

    Raises
    ------
    ParameterError
        There is nothing to ask, or the address is none.
    """
    check_choice("to_fhir", "version", version, ("R4", "R5"))
    if url is not None and not (isinstance(url, str) and _ADDRESS.fullmatch(url)):
        raise wrong_parameter("to_fhir", "url", "an address without a fragment", url)
    questions = Questions.of(generalization, target, language, labels)
    asked = questions.asked
    links, endings = field_names(asked, _LINKS), field_names(asked, _ENDINGS)
    systems = [None if url is None else f"{url}/{ending}" for ending in endings]
    items = [_item(*facts, version) for facts in zip(asked, links, systems, strict=True)]
    mark = fingerprint(generalization)
    return {
        "resourceType": "Questionnaire",
        "language": questions.language,
        **({} if url is None else {"url": url}),
        "version": mark,
        "name": f"Sparsam_{mark}",
        "title": questions.title if title is None else title,
        "status": "draft",
        "item": items,
    }


def _item(
    question: Question, link: str, system: str | None, version: FhirVersion
) -> dict[str, Any]:
    codes = {} if system is None else {"system": system}
    return {
        "linkId": link,
        # the name in the generalization, where a linkId cannot be the same
        **({} if link == question.name else {"code": [{"display": question.name}]}),
        "text": f"{question.words} {question.help}".rstrip(),
        "type": "coding" if version == "R5" else "choice",
        **({"answerConstraint": "optionsOnly"} if version == "R5" else {}),
        "required": True,
        "repeats": False,
        "answerOption": [
            {"valueCoding": {**codes, "code": str(bucket), "display": label}}
            for bucket, label in enumerate(question.choices)
        ],
    }
