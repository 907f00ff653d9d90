"""One processing, small enough to be read, with everything that an artifact can carry."""

from __future__ import annotations

from typing import Any

from sparsam.data import CategoricalDomain, NumericDomain, Roles
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

AGE = numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62], missing=3)
KINDS = CategoricalDomain(("child", "cousin", "nobody's", "parent", "spouse <b>"))
RELATED = categorical_partition(
    "relationship", KINDS, [["spouse <b>"], ["child", "cousin", "nobody's", "parent"]]
)
DISABLED = categorical_partition("disability", CategoricalDomain(("no", "yes")), [["no"], ["yes"]])
RELIGION = categorical_partition("religion", CategoricalDomain(("a", "b")), [["a", "b"]])
HEIGHT = numeric_partition("height", NumericDomain(100, 220), [])

EVIDENCE: dict[str, Any] = {
    "people": 20_000,
    "tested": 6_000,
    "shares": {
        "age": [0.2, 0.55, 0.2, 0.05],
        "relationship": [0.4, 0.6],
        "disability": [0.86, 0.14],
    },
    "promise": {
        "words": "accuracy within 2 points of everything collected, with 95 % confidence",
        "score": "accuracy",
        "max_utility_loss": 0.02,
        "utility_loss": 0.01,
        "recovered": 0.18,
    },
    "measured": {
        "utility": 0.813,
        "everything": 0.823,
        "adversary": "A1 reconstruction",
        "risk": {"error": 0.235, "baseline": 0.286, "interval": [0.231, 0.239]},
        "attributes": {
            "religion": {"error": 0.41, "baseline": 0.42, "interval": [0.4, 0.425]},
            "disability": {"error": 0.0, "baseline": 0.133, "interval": [0.0, 0.001]},
        },
    },
}
ROLES = Roles(
    "employed",
    units={"age": "years"},
    special={"disability": "health", "employed": "union"},
)
DESCRIBED = Generalization(
    [AGE, RELATED, DISABLED, RELIGION, HEIGHT],
    {
        "target": "employed",
        "learned_from_rows": 12_000,
        "roles": ROLES.carried([]).to_dict(),
        "score": "accuracy",
        "evidence": EVIDENCE,
    },
)
BY_HAND = Generalization([AGE])


def report() -> dict[str, Any]:
    """What a report on it says, as far as it is read."""
    return {
        "title": "Attack report: employed",
        "collected": {
            "attributes": [
                {
                    "name": part.name,
                    "collected": part.collected,
                    "buckets": list(part.labels) if part.collected else [],
                }
                for part in DESCRIBED
            ]
        },
        "attacks": {
            "risks": [
                {"adversary": "A3 knowledge", "id": "A3", "measure": "error", "value": 0.18,
                 "baseline": 0.222, "interval": [0.174, 0.192]},
                {"adversary": "A6 unmeasured", "id": "A6", "measure": "error", "value": None,
                 "baseline": None, "interval": None},
                {"adversary": "control", "id": "control", "measure": "error", "value": 0.5,
                 "baseline": 0.5, "interval": None},
            ]
        },
        "groups": {
            "attributes": ["race", "sex"],
            "groups": [
                {"attribute": "sex", "group": "f", "loss": 0.004, "interval": [-0.01, 0.02],
                 "loses_more": False},
                {"attribute": "race", "group": "<Asian>", "loss": 0.045, "interval": [0.015, 0.105],
                 "loses_more": True},
                {"attribute": "race", "group": "few", "loss": None, "interval": None,
                 "loses_more": None},
            ],
        },
    }  # fmt: skip
