"""What the numbers of a report do not mean."""

from __future__ import annotations

from typing import Any

MeaningData = dict[str, Any]

_ACCURACY: MeaningData = {
    "heading": "The accuracy is for this task, this population and this time",
    "text": "It is that of the best of a few classifiers trained on generalized records, on "
    "people who were not used for learning. Another model, another population or a later year "
    "can do better or worse: measure again before you rely on it.",
}

MEANING: tuple[MeaningData, ...] = (
    {
        "heading": "The risk is what these attacks achieved, not what is possible",
        "text": "The adversary knows the generalization and a full-resolution sample from the same "
        "population, and the strongest of several attack models was used for each attribute. A "
        "cleverer attack, or one with more knowledge about a person, may recover more.",
    },
    {
        "heading": "Minimised is not anonymous",
        "text": "People with rare combinations can still stand out. The number of people who share "
        "a record with nobody, or with few others, is given for the sample; it shrinks or grows "
        "with the number of people collected. Whether the data remain personal data is a legal "
        "question that no figure here settles.",
    },
    _ACCURACY,
    {
        "heading": "The interval covers chance, not bias",
        "text": "Intervals say how far a figure may move with another random sample of the same "
        "size. They do not cover a sample that differs from the people you will collect from, or "
        "the fact that the best of many candidates was chosen.",
    },
    {
        "heading": "The sample itself was seen at full resolution",
        "text": "Finding out what is needed takes a sample with everything in it, and the cut "
        "points were learned from it. Protect it, and delete it when the choice is made.",
    },
    {
        "heading": "An average can hide a group",
        "text": "Utility and risk are averages over people. A small group can lose more accuracy, "
        "or be recovered more often, than the average says.",
    },
)

ATTACK_MEANING: tuple[MeaningData, ...] = (
    {
        "heading": "A certificate covers one kind of attacker",
        "text": "It bounds how often someone can be right who sees only the collected record of a "
        "person who was not in the sample. It says nothing about someone who knows more about the "
        "person, who links several tables, or who acts only on the surest guesses.",
    },
    {
        "heading": "Side information is taken from this table",
        "text": "The attackers who know more were given the other columns of this table. Someone "
        "may know things about a person that are in no column of it.",
    },
)

MEANING_OF_ATTACKS = (*(item for item in MEANING if item is not _ACCURACY), *ATTACK_MEANING)
"""For a report that is only about attacks, and says nothing of accuracy."""
