"""Every command, in good and in failing ways, on the planted tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from sqlite3 import OperationalError

import duckdb

from .planted import BROKEN, DECLARED, HIGHEST
from .sightings import ALL
from .stage import ANY, BAD, Case

_SWEEP = "--min-leaf 60 --jobs 1 --max-utility-loss 0.15"
_KNOWN = "--quasi-identifiers age,sex,education,region,income --target employed"
_QUICK = "--runs 0 --references 2 --membership none"
_LEDGER = "'<ledger create/people.ledger'"
_EXPLORE = f"--ledger {_LEDGER} --purpose 'a look'"
_TRUST = "--model @model.joblib --trust-model --keep-accuracy 0.9"

_GOOD = (
    Case(
        "minimise",
        "minimise @people.csv --target employed --identifier patient --personal sex,region "
        "--min-leaf 60 --jobs 1 --max-risk 0.99 --groups sex*age=30/60,region -o >people.json "
        "--report >report.html",
    ),
    Case(
        "minimise declared",
        f"minimise @people.parquet --roles @roles.toml {_SWEEP} --json -o >people.json "
        "--report >report.md",
        says=DECLARED,
    ),
    Case(
        "minimise attack",
        "minimise @slim.csv.gz --target employed --personal education --min-leaf 100 --jobs 1 "
        "--max-utility-loss 0.15 --attack -q --report >report.json",
    ),
    Case(
        "minimise purposes",
        "minimise @people.csv --target employed --target 'income>50000' --identifier patient "
        "--personal sex,region --min-leaf 60 --jobs 1 --json -o >people.json --report >report.html "
        "--max-utility-loss 'employed=0.2,income>50000=0.2'",
    ),
    Case(
        "assess purposes",
        "assess '<minimise purposes/people.json' @people.csv --target 'income>50000' --json",
    ),
    Case(
        "minimise model",
        f"minimise @people.csv {_TRUST} --target employed -o >people.json --recoding "
        ">recoding.json --questionnaire >questions.json --report >report.html",
    ),
    Case(
        "minimise model paper",
        f"minimise @people.parquet {_TRUST} --search paper --json -o >people.json --recoding "
        ">recoding.json --questionnaire >questions.json --report >report.json",
    ),
    Case(
        "minimise model by heart",
        f"minimise @people.csv {_TRUST.replace('model.joblib', 'by_heart.joblib')} -o >people.json "
        "--recoding >recoding.json --questionnaire >questions.json --report >report.html",
    ),
    Case(
        "minimise model declared",
        f"minimise @people.csv {_TRUST} --roles @model_roles.toml -o >people.json "
        "--report >report.md",
        says=DECLARED,
    ),
    Case("attack", "attack <minimise/people.json @people.csv --report >report.html"),
    Case(
        "attack names",
        "attack <minimise/people.json @people.csv --target employed --personal surname,phone "
        "--adversary A1 --adversary A8 --report >report.html",
    ),
    Case(
        "attack json",
        "attack '<minimise model/people.json' @people.csv --target employed --personal education "
        "--adversary A1 --adversary A8 --json --report >report.json",
    ),
    Case(
        "attack two",
        "attack <minimise/people.json '<minimise model/people.json' @people.parquet --target "
        "employed --personal education --adversary A6 --report >report.md",
    ),
    Case(
        "diff",
        "diff <minimise/people.json '<minimise model/people.json' @people.csv --target employed "
        "--personal education --report >report.html",
    ),
    Case(
        "diff json",
        "diff '<minimise model/recoding.json' '<minimise model/questions.json' --json "
        "--report >report.json",
    ),
    Case("assess", "assess <minimise/people.json @people.csv --max-risk 0.9 --min-class-size 2"),
    Case("assess json", "assess <minimise/people.json @people.parquet --json --min-class-size 2"),
    Case(
        "monitor",
        "monitor <minimise/people.json @people.csv --report >report.html --history >looks.json "
        "--max-utility-loss 0.3",
    ),
    Case(
        "monitor json",
        "monitor '<minimise model/people.json' @people.csv --baseline @people.parquet --target "
        "employed --personal education --max-risk 1 --json --report >report.md",
    ),
    Case("monitor records", "monitor <minimise/people.json <apply/out.csv --report >report.json"),
    Case(
        "assess groups",
        "assess <minimise/people.json @people.csv --groups sex*age=30/60,region "
        "--max-utility-loss-per-group 0.9",
        way=ANY,
    ),
    Case("apply", "apply <minimise/people.json @people.csv -o >out.csv"),
    Case("apply to a pipe", "apply <minimise/people.json @people.csv -o -"),
    Case("apply commas", "apply <minimise/people.json @commas.csv --encoding latin-1 -o >out.csv"),
    Case("apply model", "apply '<minimise model/people.json' @people.csv -o >out.parquet"),
    Case("apply codes", "apply '<minimise model/people.json' @people.csv --codes -o >out.tsv.gz"),
    Case(
        "apply keep",
        "apply '<minimise model/people.json' @people.parquet --keep patient -o >out.csv",
        holds={"out.csv": {"patient": ["patient"]}},
    ),
    Case(
        "apply declared",
        "apply '<minimise declared/people.json' @people.csv -o >out.csv",
        says=DECLARED,
    ),
    Case(
        "anonymise",
        f"anonymise @people.csv {_KNOWN} --k 10 -o >release.parquet --report >report.html",
    ),
    Case(
        "anonymise ranges",
        f"anonymise @people.csv {_KNOWN} --k 10 --publish ranges --json -o >release.csv "
        "--report >report.json",
        # Ranges reach from the lowest to the highest cell of at least ten people.
        holds={"release.csv": {ALL: ["age", "sex", "income", "education", "region"]}},
    ),
    Case(
        "anonymise drop one",
        "anonymise @slim.csv.gz --quasi-identifiers age,education --target employed --k 10 "
        "--drop-one -q -o >release.csv --report >report.html",
    ),
    Case(
        "anonymise threshold",
        "anonymise @people.csv --quasi-identifiers age,sex,education,region --k 10 "
        "--target 'income>50000' -o >release.csv --report >report.md --certificate >paper.json",
    ),
    Case(
        "anonymise labelled",
        f"anonymise @labelled.parquet {_KNOWN} --k 10 --method mondrian -o >release.parquet",
    ),
    Case("verify", "verify <anonymise/release.parquet <anonymise/release.certificate.json"),
    Case("verify json", "verify '<anonymise threshold/release.csv' "
                        "'<anonymise threshold/paper.json' --json"),
    Case(
        "individual",
        f"individual @people.csv --target employed --identifier patient --keep 0.2 {_QUICK} "
        "--compare random-rows --shares 0.3 -o >mask.npz --report >report.html",
    ),
    Case(
        "individual json",
        f"individual @people.parquet --target 'income>50000' --identifier patient --keep 0.3 "
        f"{_QUICK} --compare none --json --algorithm random-rows -o >mask.npz --report >report.md",
    ),
    Case(
        "apply mask",
        "apply <individual/mask.npz @people.csv -o >retained.csv",
        holds={"retained.csv": {ALL: [ALL]}},  # kept values are its purpose
    ),
    Case("apply mask fill", "apply <individual/mask.npz @people.csv --fill -o >filled.csv"),
    Case("form", "form <minimise/people.json -o >form.html --with-target --language de"),
    Case("form json", "form '<minimise model/people.json' -o >form.html --json"),
    Case("form questions", "form '<minimise model/questions.json' -o >form.html"),
    Case(
        "form declared", "form '<minimise declared/people.json' -o >form.html", says=DECLARED
    ),
    Case(
        "form answer",
        "form '<minimise model/questions.json' --show-answer --model @model.joblib --trust-model "
        "-o >form.html",
    ),
    Case(
        "collect",
        "collect <minimise/people.json --database >people.db --keep-days 30 --with-target --check",
    ),
    Case(
        "collect model",
        "collect '<minimise model/people.json' --database >people.db --keep-days 30 --check "
        "--model @model.joblib --trust-model --recoding '<minimise model/recoding.json'",
    ),
    Case(
        "collect questions",
        "collect '<minimise model/questions.json' --database >answers.db --keep-days 30 --check "
        "--model @model.joblib --trust-model",
    ),
    Case("roles", "roles @people.csv --target employed -o >roles.toml"),
    Case("roles json", "roles @labelled.parquet --json"),
    Case("ledger template", "ledger template @people.csv -o >roles.toml"),
    Case("ledger template said", "ledger template @labelled.parquet"),
    Case(
        "ledger create",
        "ledger create >people.ledger @people.csv --epsilon 2 --delta 1e-6 --domains @domains.toml "
        "--witness >witness",
    ),
    Case(
        "ledger create json",
        "ledger create >people.ledger @people.parquet --epsilon 1 --domains @domains.toml --json",
    ),
    Case("explore plan", f"explore plan @people.csv --ledger {_LEDGER}"),
    Case("explore plan json", "explore plan @domains.toml --epsilon 1 --rows 500 --json"),
    Case(
        "explore plan declared",
        "explore plan '<minimise declared/people.json' --epsilon 1",
        says=DECLARED,
    ),
    Case(
        "explore run",
        f"explore run @people.csv {_EXPLORE} --epsilon 0.5 --report >report.html -o >all.json "
        "--synthetic >made_up.csv",
        noisy=True,
    ),
    Case(
        "explore run json",
        f"explore run @people.csv {_EXPLORE} --epsilon 0.3 --how synthetic --json "
        "--report >report.md --synthetic >made_up.parquet",
        noisy=True,
    ),
    Case(
        "explore run interactive",
        f"explore run @people.csv {_EXPLORE} --epsilon 0.3 --how interactive --report >report.json",
        noisy=True,
    ),
    Case("ledger show", "ledger show '<ledger create/people.ledger'"),
    Case("ledger show json", "ledger show '<ledger create/people.ledger' --json --last 9"),
    Case("ledger verify", "ledger verify '<ledger create/people.ledger'"),
    Case("ledger verify json", "ledger verify '<ledger create/people.ledger' --json"),
    Case("ledger statement", "ledger statement '<ledger create/people.ledger'"),
    Case("ledger statement html", "ledger statement '<ledger create/people.ledger' -o >page.html"),
    Case("ledger statement json", "ledger statement '<ledger create/people.ledger' --json "
                                  "-o >page.json"),
    Case(
        "export json-schema",
        "export <minimise/people.json --to json-schema --with-target -o >record.json",
    ),
    *(
        Case(
            f"export {what}",
            f"export '<minimise {of}/people.json' --to {what} -o >{file}",
            says=DECLARED if of == "declared" else (),
        )
        for what, of, file in (
            ("sql --dialect snowflake --keep employed", "model", "people.sql"),
            ("sql --check", "declared", "people.sql"),
            ("dbt --name persons", "model", "macros.sql"),
        )
        if find_spec("sqlglot")
    ),
    Case(
        "export javascript",
        "export '<minimise declared/people.json' --to javascript -o >people.mjs",
        says=DECLARED,
    ),
    Case("export xlsform", "export <minimise/people.json --to xlsform --with-target -o >form.xlsx"),
    Case("export fhir", "export <minimise/people.json --to fhir --fhir-version R4 -o >ask.json"),
    Case("export pydantic", "export <minimise/people.json --to pydantic -o >record.py"),
    Case(
        "export pia",
        "export '<minimise model/people.json' --to pia --keep-days 9 --evidence "
        "'<attack json/report.json' -o >pia.json",
    ),
    Case(
        "export article30",
        "export '<minimise declared/people.json' --to article30 --roles @roles.toml -o >record.md",
        says=DECLARED,
    ),
    Case("records count", "records count @collected.db"),
    Case("records count json", "records count @collected.db --json"),
    Case("records train", "records train @collected.db -o >model.skops"),
    Case("records train json", "records train @collected.db --learner linear -o >model.skops "
                               "--json"),
    Case("records export", "records export @collected.db -o >counts.csv"),
    Case("records export codes", "records export @collected.db --codes -o -"),
    Case("records forget", "records forget @collected.db =receipt.txt --key @receipts.key"),
    Case("records tighten", "records tighten @collected.db @coarser.json"),
    Case("interviews count", "records count @interviews.db"),
    Case("interviews count json", "records count @interviews.db --json"),
    Case("interviews train", "records train @interviews.db -o >model.skops"),
    Case("interviews export", "records export @interviews.db -o >answers.csv"),
    Case("interviews export codes", "records export @interviews.db --codes -o -"),
    Case("interviews forget", "records forget @interviews.db =interview.txt --key @receipts.key"),
    *(
        Case(f"describe {what}{how}", f"describe {file}{how}", says=says)
        for what, file, says in (
            ("csv", "@people.csv", ()),
            ("recoding", "'<minimise model/recoding.json'", ()),
            ("certificate", "<anonymise/release.certificate.json", ()),
            ("parquet", "@labelled.parquet", ()),
            ("json lines", "@people.jsonl", ()),
            *([("excel", "@people.xlsx", ())] if find_spec("openpyxl") else []),
            ("commas", "'@commas.csv' --encoding latin-1", ()),
            ("folder", "'@age=5/region=Splorknit-55/people.parquet'", ()),
            ("generalization", "<minimise/people.json", ()),
            ("generalization of a model", "'<minimise model/people.json'", ()),
            ("declared generalization", "'<minimise declared/people.json'", DECLARED),
            ("mask", "<individual/mask.npz", ()),
            ("ledger", "'<ledger create/people.ledger'", ()),
            ("release", "<anonymise/release.parquet", ()),
        )
        for how in ("", " --json")
    ),
)  # fmt: skip

# Every command that opens a table, for every table that cannot be read or is not what it seems.
_READERS = {
    "minimise": f"minimise {{}} --target employed --numeric income --identifier patient "
                f"--personal sex -o >g.json {_SWEEP}",
    "minimise model": f"minimise {{}} {_TRUST} --target employed -o >g.json --recoding >r.json",
    "attack": "attack '<minimise model/people.json' {} --target employed --personal education "
              "--adversary A1",
    "diff": "diff <minimise/people.json '<minimise model/people.json' {} --target employed "
            "--personal education",
    "assess": "assess '<minimise model/people.json' {} --target employed --personal education",
    "monitor": "monitor '<minimise model/people.json' {} --baseline @people.csv --target employed "
               "--personal education --report >report.html",
    "apply": "apply '<minimise model/people.json' {} -o >out.csv",
    "apply mask": "apply <individual/mask.npz {} -o >out.csv",
    "anonymise": f"anonymise {{}} {_KNOWN} --numeric income --k 10 -o >release.csv",
    "verify": "verify {} <anonymise/release.certificate.json",
    "individual": f"individual {{}} --target employed --identifier patient --keep 0.2 {_QUICK} "
                  "--compare none --algorithm random-rows -o >mask.npz",
    "describe": "describe {}",
    "roles": "roles {} --target employed -o >roles.toml",
    "ledger template": "ledger template {}",
    "ledger create": "ledger create >x.ledger {} --epsilon 1 --domains @domains.toml",
}  # fmt: skip
_UNREADABLE = (
    "latin.parquet", "latin.csv", "cut.parquet", "damaged.parquet", "cut.csv.gz", "damaged.csv.gz",
    "broken.csv", "packed.csv.gz", "quote.csv", "headless.csv", "wrong.parquet", "wrong.csv",
    "text_in_numbers.csv", "narrow.csv", "one_class.csv", "cut.jsonl", "nested.jsonl",
)  # fmt: skip
# Tables that can be read to their end, of which a ledger can be made.
_BOUND = ("latin.parquet", "text_in_numbers.csv", "one_class.csv")


def _unreadable() -> Iterator[Case]:
    cells = {"out.csv": {ALL: [ALL]}}  # where a mask was applied all the same
    for table in _UNREADABLE:
        for name, line in _READERS.items():
            held = cells if name == "apply mask" else {}
            yield Case(f"{name} {table}", line.format(f"@{table}"), ANY, held)
        ledger = f"'<ledger create {table}/x.ledger'" if table in _BOUND else _LEDGER
        line = f"explore run @{table} --ledger {ledger} --epsilon 0.5 --purpose x"
        yield Case(f"explore run {table}", line, ANY, noisy=True)


_WRONG = {
    "target": "minimise @people.csv --target emploied",
    "target of incomes": f"minimise @people.csv --target income {_SWEEP}",
    "target of one class": f"minimise @people.csv --target 'income>900000' {_SWEEP}",
    "column": "minimise @people.csv --target employed --identifier pasient",
    "one of two targets": "minimise @people.csv --target employed --target emploied",
    "limit of no target": "minimise @people.csv --target employed --target sex "
    "--max-utility-loss region=0.1",
    "roles": "minimise @people.csv --roles @wrong.toml",
    "domains": "minimise @people.csv --roles @too_narrow.toml",
    "output": "minimise @people.csv --target employed -o >nowhere/people.json",
    "output that is a folder": "minimise @people.csv --target employed -o @age=5",
    "onnx": "minimise @people.csv --model @wrong.onnx",
    "skops": "minimise @people.csv --model @wrong.skops",
    "joblib": "minimise @people.csv --model @wrong.joblib --trust-model",
    "categories of the model": "minimise @unseen.csv --model @strict.joblib --trust-model",
    "names of the model": f"minimise @rare.csv {_TRUST}",
    "columns of the model": f"minimise @narrow.csv {_TRUST}",
    "generalization to attack": "attack @wrong.json @people.csv",
    "columns to attack": "attack '<minimise model/people.json' @narrow.csv --target employed",
    "generalization to compare": "diff @wrong.json <minimise/people.json",
    "table to compare": "diff <minimise/people.json @people.csv",
    "groups": "assess <minimise/people.json @people.csv --groups patient",
    "cut of groups": "assess <minimise/people.json @people.csv --groups sex=f",
    "generalization to assess": "assess @wrong.json @people.csv",
    "generalization to monitor": "monitor @wrong.json @people.csv",
    "columns to monitor": "monitor <minimise/people.json @narrow.csv",
    "evidence to monitor": "monitor '<minimise model/people.json' @people.csv",
    "generalization to apply": "apply @wrong.json @people.csv -o >out.csv",
    "mask to apply": "apply @wrong.npz @people.csv -o >out.csv",
    "categories to apply": "apply '<minimise declared/people.json' @unseen.csv -o >out.csv",
    "columns for a mask": "apply <individual/mask.npz @narrow.csv -o >out.csv",
    "kept column": "apply '<minimise model/people.json' @people.csv --keep phonne -o >out.csv",
    "table to export": "export '<minimise model/people.json' --to sql --table 'a b' -o >people.sql",
    "generalization to export": "export @wrong.json --to javascript -o >people.js",
    "report to export": "export <minimise/people.json --to pia --evidence @wrong.json -o >pia.json",
    "report on another": "export <minimise/people.json --to article30 --evidence "
    "'<attack json/report.json' -o >record.md",
    "target to export": "export '<minimise model/people.json' --to json-schema --with-target "
    "-o >record.json",
    "store to count": "records count @wrong.db",
    "store to train on": "records train @wrong.ledger -o >model.skops",
    "store to export": "records export @people.csv -o >counts.csv",
    "store to forget in": "records forget @wrong.db =receipt.txt",
    "receipt": "records forget @collected.db Wibblethorpe0007 --key @receipts.key",
    "key of a store": "records forget @collected.db =receipt.txt --key @wrong.json",
    "store to tighten": "records tighten @wrong.db @coarser.json",
    "generalization to tighten to": "records tighten @collected.db '<minimise model/people.json'",
    "document to tighten to": "records tighten @collected.db @wrong.json",
    "generalization to describe": "describe @wrong.json",
    "numbers to describe": "describe @text_in_numbers.csv --numeric income",
    "mask to describe": "describe @wrong.npz",
    "workbook to describe": "describe @wrong.xlsx",
    "k": f"anonymise @people.csv {_KNOWN} --k 601 -o >release.csv",
    "diversity": f"anonymise @people.csv {_KNOWN} --l-diversity region:5 -o >release.csv",
    "closeness": f"anonymise @people.csv {_KNOWN} --t-closeness income:0.0001 -o >release.csv",
    "hierarchy": f"anonymise @people.csv {_KNOWN} --method full-domain --hierarchy "
                 "region=@hierarchy.csv -o >release.csv",
    "kept incomes": "anonymise @people.csv --quasi-identifiers age,sex --keep income --k 10 "
                    "-o >release.csv",
    "quasi-identifier": "anonymise @people.csv --quasi-identifiers age,seks -o >release.csv",
    "certificate": "verify <anonymise/release.parquet @wrong.json",
    "release": "verify @people.parquet <anonymise/release.certificate.json",
    "target of a mask": f"individual @people.csv --target surname --keep 0.2 {_QUICK} "
                        "--compare none",
    "numbers of a mask": f"individual @people.csv --target income --keep 0.2 {_QUICK} "
                         "--compare none",
    "ledger to show": "ledger show @wrong.ledger",
    "ledger to verify": "ledger verify @wrong.ledger",
    "ledger to state": "ledger statement @wrong.ledger -o >page.html",
    "place of a template": "ledger template @people.csv -o >nowhere/roles.toml",
    "domains of a ledger": "ledger create >x.ledger @people.csv --epsilon 1 --domains @wrong.toml",
    "json of a ledger": "ledger create >x.ledger @people.csv --epsilon 1 --domains @wrong.json",
    "columns of a ledger": "ledger create >x.ledger @narrow.csv --epsilon 1 --domains "
                           "@domains.toml",
    "ledger to plan with": "explore plan @people.csv --ledger @wrong.ledger",
    "domains to plan with": "explore plan @wrong.toml --epsilon 1",
    "budget to plan with": f"explore plan @people.csv --ledger {_LEDGER} --epsilon 99",
    "ledger of other people": f"explore run @people.parquet {_EXPLORE} --epsilon 0.1",
    "ledger of a changed table": f"explore run @unseen.csv {_EXPLORE} --epsilon 0.1",
    "budget": f"explore run @people.csv {_EXPLORE} --epsilon 99",
    "generalization to explore with": f"explore run @people.csv {_EXPLORE} --epsilon 0.1 "
                                      "--generalization @wrong.json",
    "learned ranges to explore with": f"explore run @people.csv {_EXPLORE} --epsilon 0.1 "
                                      "--generalization '<minimise model/people.json'",
    "learned groups to explore with": f"explore run @people.csv {_EXPLORE} --epsilon 0.1 "
                                      "--generalization <minimise/people.json",
    "learned ranges to plan with": "explore plan '<minimise model/people.json' --epsilon 1",
    "learned ranges of a ledger": "ledger create >x.ledger @people.csv --epsilon 1 --domains "
                                  "'<minimise model/people.json'",
    "generalization of a form": "form @wrong.json -o >form.html",
    "labels of a form": "form <minimise/people.json --labels @wrong.toml -o >form.html",
    "answer of a form": "form <minimise/people.json --show-answer -o >form.html",
    "model of a form": "form <minimise/people.json --show-answer --model @wrong.onnx "
                       "-o >form.html",
    "generalization to collect": "collect @wrong.json --database >x.db --keep-days 30 --check",
    "database to collect into": "collect <minimise/people.json --database @people.csv "
                                "--keep-days 30 --check",
    "model to collect for": "collect <minimise/people.json --database >x.db --keep-days 30 --check "
                            "--model @wrong.joblib --trust-model",
    "what a model takes": "collect '<minimise model/people.json' --database >x.db --keep-days 30 "
                          "--check --model @model.joblib --trust-model",
    "recoding of questions": "collect '<minimise model/questions.json' --database >x.db "
                             "--keep-days 30 --check --model @model.joblib --trust-model "
                             "--recoding '<minimise model/recoding.json'",
    "interviews to tighten": "records tighten @interviews.db @coarser.json",
    "questions to collect elsewhere": "collect '<minimise model/questions.json' --database "
                                      "@collected.db --keep-days 1 --check",
    "target of roles": "roles @people.csv --target emploied",
    "folder of a demo": "demo --folder @people.csv --no-open",
}  # fmt: skip

_SAID = f"Could not convert '{BROKEN}' and {HIGHEST} to INT32 in row 7 of the file"
_ERRORS: dict[str, Callable[[], BaseException]] = {
    "an engine": lambda: duckdb.ConversionException(_SAID),
    "a library": lambda: RuntimeError(_SAID),
    "the disk": lambda: OSError(_SAID),
    "someone": KeyboardInterrupt,
    "the memory": lambda: MemoryError(_SAID),
}
_LEDGERS = ("ledger show", "ledger verify", "ledger statement", "explore plan")
_STORES = ("records count", "records train", "records export", "records forget", "records tighten")


def _sabotaged() -> Iterator[Case]:
    for who, error in _ERRORS.items():
        sabotage = ("duckdb.connect", error)
        for name, line in _READERS.items():
            if name not in ("ledger create", "ledger template"):
                where = "@people.csv" if name != "verify" else "<anonymise/release.parquet"
                yield Case(f"{name} fails by {who}", line.format(where), BAD, sabotage=sabotage)
        traced = {"SPARSAM_TRACEBACK": "1"}  # where it came from, without any value
        line = "describe @people.csv"
        yield Case(f"traced fails by {who}", line, BAD, sabotage=sabotage, environment=traced)
    for name in (*_LEDGERS, *_STORES):
        line = next(case.line for case in _GOOD if case.name == name)
        for who in ("a database", "a library"):
            sabotage = ("sqlite3.connect", _ERRORS.get(who, lambda: OperationalError(_SAID)))
            yield Case(f"{name} fails by {who}", line, BAD, sabotage=sabotage)


CASES = {
    case.name: case
    for case in (
        *_GOOD,
        *_unreadable(),
        *(Case(f"wrong {what}", line, BAD) for what, line in _WRONG.items()),
        *_sabotaged(),
    )
}
