"""A page holds our scripts with short names and no blanks, and nothing else is changed."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib.resources import files

import pytest

from sparsam.collect.exports import bucket_code
from sparsam.collect.form._compact import (
    Token,
    compact_script,
    compact_style,
    spared,
    tokens,
)


def source(name: str) -> str:
    return (files("sparsam.collect.form") / name).read_text(encoding="utf-8")


SCRIPTS = {
    "form": bucket_code() + "".join(map(source, ("form.js", "send.js", "find.js", "lines.js"))),
    "answer": bucket_code() + "".join(map(source, ("form.js", "answer.js", "find.js", "lines.js"))),
    "walk": bucket_code() + source("form.js") + source("walk.js"),
}


def counted(code: str) -> list[Token]:
    return [token for token in spared(list(tokens(code))) if token.counts]


@pytest.mark.parametrize("name", SCRIPTS)
def test_only_names_differ_and_each_has_one_new_name(name: str) -> None:
    before, after = counted(SCRIPTS[name]), counted(compact_script(SCRIPTS[name]))
    assert [token.kind for token in before] == [token.kind for token in after]
    pairs = {(old.text, new.text) for old, new in zip(before, after, strict=True)}
    renamed = {old: new for old, new in pairs if old != new}
    assert len(pairs) == len({old for old, _ in pairs}) == len({new for _, new in pairs})
    assert all(re.fullmatch(r"[a-zA-Z]{1,2}", new) for new in renamed.values())
    assert {"holds", "assist", "wipe"} <= renamed.keys()
    # what the page, the browser or our data know by its name
    known = {"value", "dataset", "numbers", "noLine", "cuts", "range", "unit", "age_on"}
    known |= {"document", "FormData", "URLSearchParams", "HTMLFormElement", "JSON", "Option"}
    assert not known & renamed.keys()
    assert len(compact_script(SCRIPTS[name])) < 0.57 * len(SCRIPTS[name])


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_language_takes_it(name: str) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not on this machine")
    code = compact_script(SCRIPTS[name])
    subprocess.run([node, "--check", "-"], input=code, text=True, check=True)


@pytest.mark.parametrize(
    ("code", "compact"),
    [
        ("f = (item) => { g(item); };", "f=a=>{g(a)};"),
        ("f((a) => 1, (b, c) => 2, (d = 1) => 3);", "f(a=>1,(b,c)=>2,(d=1)=>3);"),
        ("return (item) => item;", "return a=>a;"),
        ("const [a] = x;\nconst b = 1; // c\nconst d = 2;", "const[a]=x,b=1,d=2;"),
        ("const a = 1;\nlet b = 2;\nconst d = 3;", "const a=1;let b=2;const d=3;"),
        (
            "const a = () => {\n  x();\n  const b = 1;\n};\nconst c = 1;",
            "const a=()=>{x();const b=1},c=1;",
        ),
        ("f(() => {\n  const a = 1;\n});\nconst b = 1;", "f(()=>{const a=1});const b=1;"),
        ("if (a) {\n  b();\n}\n[c, d].map(e);", "if(a){b()}[c,d].map(e);"),
        ("let count = 1 + +number - -1;", "let a=1+ +number- -1;"),
        ("say(\"a  b\", 'c  d', `e  ${f}  `);", "say(\"a  b\",'c  d',`e  ${f}  `);"),
        ("x = text.replace(/ \\/ [/ ] /g, y / 2);", "x=text.replace(/ \\/ [/ ] /g,y/2);"),
        ("return typeof value == 'x';", "return typeof value=='x';"),
        ("a()\n  .b();\nc = 1\nd()", "a().b();c=1\nd()"),
        ("function list(item) {\n  item.x = 1;\n}\nlist(it);", "function b(a){a.x=1}b(it);"),
        ("const size = 1;\nf({ size });", "const size=1;f({size});"),
        ("const size = 1;\nf({ x: size, size: 2 });", "const size=1;f({x:size,size:2});"),
        ("const [low, high = low] = f();", "const[a,b=a]=f();"),
        ("const pick = ({ low }, high) => [...high, low];", "const b=({low},a)=>[...a,low];"),
        ("const a = 1, about = a; // b", "const a=1,about=a;"),
        ("const say = (end = -1, top = Infinity) => end;", "const b=(a=-1,c=Infinity)=>a;"),
    ],
)
def test_what_means_something_stays(code: str, compact: str) -> None:
    assert compact_script(code) == compact


def test_no_name_becomes_a_word_of_the_language() -> None:
    names = [f"name{number}" for number in range(600)]
    code = compact_script("".join(f"const {name} = 1;" for name in names))
    given = re.findall(r"(\w+)=1", code)
    assert len(set(given)) == 600
    assert not {"as", "do", "if", "in", "of"} & set(given)


def test_styles() -> None:
    code = source("form.css")
    compact = compact_style(code)
    assert compact_style(compact) == compact
    assert compact.count("{") == code.count("{") == compact.count("}")
    assert compact_style("p { width: calc(100% - 1.1rem); }") == "p{width:calc(100% - 1.1rem)}"
    assert "p:not(:has(:checked))>label + code{display:none}" in compact
    own = {name: code.count(f"var({name})") for name in re.findall(r"(--\w+):", code)}
    short = {name: compact.count(f"var({name})") for name in re.findall(r"(--\w+):", compact)}
    assert list(own.values()) == list(short.values())
    assert sum(short.values()) == compact.count("var(")
