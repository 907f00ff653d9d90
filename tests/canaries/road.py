"""The whole road in Python, for planted people: every kind of entry, object, report and file."""

from __future__ import annotations

from typing import Any

from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import sparsam as sp
from sparsam.anonymise import Anonymiser, verify
from sparsam.assess import assess_model
from sparsam.data import Table
from sparsam.explore import declared
from sparsam.individual import read_people, retain
from sparsam.report import explore_report, individual_report, model_report, release_report


def walk(people: Table) -> dict[str, Any]:
    """Walk the road in the present folder, printing what there is; return all that was made."""
    roles = sp.Roles(target="employed", personal="categorical")
    tree = sp.PrivacyTree(roles, max_leaves=20, privacy=0.7).fit(people)
    print(tree.generalization_)
    front = sp.sweep(people, roles, n_jobs=1)
    best = front.choose(max_risk=0.99)  # so few people can show no small loss
    best.report().save("minimisation.html")
    best.generalization.save("people.json")
    made = {"people": people, "tree": tree, "front": front, "best": best}
    return made | _model(people) | _for_a_running_model(people, roles) | _side_roads(people)


def _model(people: Table) -> dict[str, Any]:
    door = sp.GeneralizationStep("people.json", accept="raw")
    model = make_pipeline(door, LogisticRegression(max_iter=1000))
    table = people.to_dict()
    model.fit(table, table["employed"])
    door.set_params(accept="generalized").fit()
    return {"door": door, "model": model}


def _for_a_running_model(people: Table, roles: sp.Roles) -> dict[str, Any]:
    frame = people.to_frame("pandas")
    texts = (OrdinalEncoder(), make_column_selector(dtype_exclude="number"))
    running = make_pipeline(
        make_column_transformer(texts, remainder="passthrough"),
        RandomForestClassifier(20, max_depth=8, random_state=0),
    ).fit(frame.drop(columns="employed"), frame["employed"])
    least = sp.ModelTree(running, roles, keep_accuracy=0.98).fit(frame)
    print(least.generalization_)
    least.recoding_.save("recoding.json")
    evidence = assess_model(least, frame, rows=least.held_out_rows_)
    asked = sp.Questionnaire(least.recoding_).ask(frame.iloc[least.held_out_rows_])
    model_report(evidence, least.generalization_, asked).save("model.html")
    return {"least": least, "evidence": evidence, "asked": asked}


def _side_roads(people: Table) -> dict[str, Any]:
    frame = people.to_frame("pandas")
    known = ["age", "sex", "education", "marital_status"]
    anonymiser = Anonymiser(quasi_identifiers=known, k=10, keep=["employed"])
    release = anonymiser.fit_release(frame, frame["employed"], path="release.csv")
    print(verify("release.csv", "release.certificate.json"))
    release_report(release.path, release.certificate).save("release.html")

    rows = read_people(frame, "employed")
    retention = retain(rows, keep=0.2, algorithms=["individualised random"])
    print(retention.mask)
    individual_report(retention, target="employed").save("retain.html")
    training = rows.filled(retention.mask)

    ages = {"age": (0, 99, "integer"), "sex": ["female", "male"], "employed": ["no", "yes"]}
    with sp.Ledger.create("people.ledger", epsilon=1, delta=1e-6, domains=declared(ages)) as ledger:
        eda = sp.explore_table(people, ledger, epsilon=0.5, purpose="a first look")
        print(eda)
        explore_report(eda, ledger).save("eda.html")
        print(ledger.statement())
    made = {"anonymiser": anonymiser, "release": release, "retention": retention, "eda": eda}
    return made | {"rows": rows, "training": training, "ledger": sp.Ledger.open("people.ledger")}
