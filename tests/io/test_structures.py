"""Records and algebraic values in files, in Arrow and in the forms that Python people have."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

from tidelog import Engine, Variant
from tidelog.errors import DataError
from tidelog.io.texts import read_text, show_text
from tidelog.program.check import check_program
from tidelog.program.values.shape import Shape
from tidelog.syntax import parse_program

PROGRAM = """
.type Pair = [x: number, name: symbol]
.type List = [head: symbol, tail: List]
.type Shape = Circle {r: float} | Box {p: Pair, u: unsigned} | Nothing {}
.type Tree = Leaf {} | Node {l: Tree, r: Tree}
.decl pair(p: Pair)
.decl list(l: List)
.decl shape(s: Shape)
.decl tree(t: Tree)
.decl copy(p: Pair, s: Shape)
copy(p, s) :- pair(p), shape(s).
"""


def shape_of(relation: str) -> Shape:
    found = check_program(parse_program(PROGRAM)).schema[relation][0]
    assert isinstance(found, Shape)
    return found


@pytest.mark.parametrize(
    ("relation", "text", "value"),
    [
        ("pair", "[1, two words]", (1, "two words")),
        ("pair", "nil", None),
        ("list", "[a, [b, nil]]", ("a", ("b", None))),
        ("list", '[, ["a, b", ["]", ["\\"", nil]]]]', ("", ("a, b", ("]", ('"', None))))),
        ("list", "[nil, nil]", ("nil", None)),
        ("shape", "$Circle(1.5)", Variant("Circle", 1.5)),
        ("shape", "$Nothing", Variant("Nothing")),
        ("shape", "$Box([1, a], 7)", Variant("Box", (1, "a"), 7)),
        ("shape", "$Box(nil, 18446744073709551615)", Variant("Box", None, 2**64 - 1)),
        ("tree", "$Node($Leaf, $Node($Leaf, $Leaf))", None),
    ],
)
def test_text_is_read_and_written_in_souffles_form(relation: str, text: str, value: object) -> None:
    shape = shape_of(relation)
    found = read_text(text, shape)
    assert show_text(found, shape) == text
    if relation != "tree":
        assert found == value


@pytest.mark.parametrize("text", ["[ 1 ,a ]", ' [1, "a"]', "[1,a]"])
def test_spaces_and_quotes_do_not_matter(text: str) -> None:
    assert read_text(text, shape_of("pair")) == (1, "a")


@pytest.mark.parametrize(
    ("relation", "text"),
    [
        ("pair", "[1]"),
        ("pair", "[1, a, b]"),
        ("pair", "[one, a]"),
        ("pair", "[1, a"),
        ("pair", "[1, a] x"),
        ("shape", "nil"),
        ("shape", "$Square(1)"),
        ("shape", "$Circle"),
        ("shape", "$Nothing(1)"),
        ("shape", "Nothing"),
    ],
)
def test_what_is_no_value_of_the_type_is_refused(relation: str, text: str) -> None:
    with pytest.raises(DataError, match="is not a value of type"):
        read_text(text, shape_of(relation))


def test_depth_needs_no_stack() -> None:
    text = "[a, " * 50_000 + "nil" + "]" * 50_000
    shape = shape_of("list")
    assert show_text(read_text(text, shape), shape) == text


@dataclass(frozen=True)
class Pair:
    x: int
    name: str


class Circle(NamedTuple):
    r: float


@dataclass
class Box:
    p: Any
    u: int


def test_python_values_of_many_kinds_are_taken() -> None:
    with Engine(PROGRAM) as db:
        with db.epoch() as epoch:
            forms = [(1, "a"), [2, "b"], Pair(3, "c"), {"name": "d", "x": 4}, "[5, e]", None]
            epoch.insert("pair", [(form,) for form in forms])
            epoch.insert("shape", [(Circle(1.5),), (Box(Pair(1, "a"), 7),), (Variant("Nothing"),), ("$Circle(2.0)",)])
        assert set(db["pair"]) == {((n, c),) for n, c in enumerate("abcde", 1)} | {(None,)}
        circles = {Variant("Circle", 1.5), Variant("Circle", 2.0)}
        assert {s for (s,) in db["shape"]} == circles | {Variant("Box", (1, "a"), 7), Variant("Nothing")}
        assert (Pair(3, "c"),) in db["pair"]
        assert ((9, "c"),) not in db["pair"]
        with db.epoch() as epoch:
            epoch.delete("pair", [(Pair(1, "a"),), (None,)])
        assert len(db["pair"]) == 4


@pytest.mark.parametrize(
    ("relation", "value"),
    [
        ("pair", (1, 2)),
        ("pair", (1,)),
        ("pair", {"x": 1}),
        ("pair", 5),
        ("pair", Circle(1.0)),
        ("shape", None),
        ("shape", (1.5,)),
        ("shape", Variant("Circle", "a")),
        ("shape", Variant("Other")),
        ("shape", Variant("Circle", 1.0, 2.0)),
    ],
)
def test_values_that_do_not_fit_are_refused_and_nothing_changes(relation: str, value: object) -> None:
    with Engine(PROGRAM) as db:
        with pytest.raises(DataError), db.epoch() as epoch:
            epoch.insert("pair", [((7, "x"),)])
            epoch.insert(relation, [(value,)])
        assert not len(db["pair"])


def test_arrow_structs_both_ways() -> None:
    with Engine(PROGRAM) as db:
        with db.epoch() as epoch:
            epoch.insert("pair", [((1, "a"),), (None,)])
            epoch.insert("shape", [(Variant("Circle", 1.5),), (Variant("Box", (1, "a"), 2),), (Variant("Nothing"),)])
            epoch.insert("list", [(("a", ("b", None)),)])
        tables = {name: db[name].to_arrow() for name in ("pair", "shape", "list")}
        rows = {name: set(db[name]) for name in tables}
    assert tables["pair"].schema.field("p").type == pa.struct([("x", pa.int64()), ("name", pa.string())])
    assert tables["pair"]["p"].null_count == 1
    assert {value["constructor"] for value in tables["shape"]["s"].to_pylist()} == {"Circle", "Box", "Nothing"}
    assert tables["list"]["l"].to_pylist() == ["[a, [b, nil]]"]
    with Engine(PROGRAM) as again:
        with again.epoch() as epoch:
            for name, table in tables.items():
                epoch.insert(name, table)
        assert {name: set(again[name]) for name in tables} == rows


@pytest.mark.parametrize("delimiter", ["\t", ","])
def test_files_are_written_and_read(tmp_path: Path, delimiter: str) -> None:
    from tests.runner import CliRunner
    from tidelog.cli import app

    facts = f"[1, a]{delimiter}$Box([1, two words], 3)\nnil{delimiter}$Nothing\n"
    (tmp_path / "in.facts").write_text(facts)
    program = PROGRAM + f'.decl in(p: Pair, s: Shape)\n.input in(delimiter="{delimiter}")\n'
    program += f'.output in(filename="out.csv", delimiter="{delimiter}")\n'
    (tmp_path / "p.dl").write_text(program.replace("\t", "\\t"))
    done = CliRunner().invoke(app, ["run", str(tmp_path / "p.dl"), "-F", str(tmp_path), "-D", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert sorted((tmp_path / "out.csv").read_text().splitlines()) == sorted(facts.splitlines())


def test_a_file_that_does_not_fit_names_its_line(tmp_path: Path) -> None:
    from tests.runner import CliRunner
    from tidelog.cli import app

    (tmp_path / "pair.facts").write_text("[1, a]\n[a, 1]\n")
    (tmp_path / "p.dl").write_text(PROGRAM + ".input pair\n")
    done = CliRunner().invoke(app, ["run", str(tmp_path / "p.dl"), "-F", str(tmp_path)])
    assert done.exit_code == 1
    assert "pair.facts:2: column 1 (`p`) of `pair`: `[a, 1]` is not a value of type Pair" in done.stderr
