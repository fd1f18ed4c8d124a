"""Functors: declared by a program, done by Python."""

from __future__ import annotations

import types
from pathlib import Path

import pytest

from tests.runner import CliRunner
from tidelog import Engine, user_function
from tidelog.cli import app
from tidelog.errors import EngineError, EvaluationError, ProgramError
from tidelog.program.check import check_program
from tidelog.syntax import parse_program, print_program

PROGRAM = """
.type Name <: symbol
.functor half(x: number): number
.functor greet(Name, float): symbol stateful
.functor nothing(): number
.decl n(x: number)
.decl half_of(x: number, y: number)
.decl hello(s: symbol)
n(7). n(8).
half_of(x, @half(x)) :- n(x).
hello(@greet("ann", 1)) :- n(@half(14)), @nothing() = 0.
.output half_of, hello
"""


def half(x):
    return x // 2


def greet(name, volume):
    return f"hello {name} at {volume}"


def nothing():
    return 0


def module() -> types.ModuleType:
    made = types.ModuleType("mine")
    made.half, made.greet, made.nothing, made.unused = half, greet, nothing, print  # type: ignore[attr-defined]  # a module
    return made


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize(
    "given",
    [[half, greet, nothing], {"half": half, "greet": greet, "nothing": lambda: 0}, module()],
    ids=["list", "mapping", "module"],
)
def test_functors_are_bound_by_name(given, partitions) -> None:
    with Engine(PROGRAM, functions=given, partitions=partitions) as db:
        assert sorted(db["half_of"]) == [(7, 3), (8, 4)]
        assert list(db["hello"]) == [("hello ann at 1.0",)]
        with db.epoch() as epoch:
            epoch.insert("n", [(100,)])
            epoch.delete("n", [(7,)])
            epoch.add_rule("half_of(x, @half(@half(x))) :- n(x).")
        assert sorted(db["half_of"]) == [(8, 2), (8, 4), (100, 25), (100, 50)]
        assert list(db["hello"]) == []
        assert db.verify()


def test_declared_function_needs_no_functor_and_meets_one() -> None:
    twice = user_function("twice", ("number",), "number")(lambda x: 2 * x)
    with Engine("p(twice(4)).", functions=[twice]) as db:
        assert list(db["p"]) == [(8,)]
    with Engine(".functor twice(number): number p(twice(4)).", functions=[twice]) as db:
        assert list(db["p"]) == [(8,)]


def test_program_is_checked_without_its_functions() -> None:
    assert check_program(parse_program(PROGRAM)).schema["half_of"] == ("number", "number")
    with pytest.raises(ProgramError, match="TL402"):
        check_program(parse_program('.functor f(number): number .decl p(x: number) p(@f("a")) :- p(_).'))


def test_called_functor_without_a_function_is_refused() -> None:
    with pytest.raises(EngineError, match="the functor `half`"):
        Engine(PROGRAM, functions=[greet, nothing])
    Engine(".functor unused(number): number p(1).").close()


def test_function_that_nothing_declares_is_refused() -> None:
    with pytest.raises(EngineError, match="cannot register function `greet`"):
        Engine("p(1).", functions=[greet])


def test_wrong_result_is_an_error_of_the_epoch() -> None:
    with Engine(".functor f(number): number p(f(X)) :- n(X).", functions={"f": str}) as db:
        with pytest.raises(EvaluationError), db.epoch() as epoch:
            epoch.insert("n", [(1,)])
        assert len(db["n"]) == 0


def test_functors_are_printed_and_read() -> None:
    program = parse_program(PROGRAM)
    assert [(f.name, f.params, f.result) for f in program.functors] == [
        ("half", ("number",), "number"),
        ("greet", ("Name", "float"), "symbol"),
        ("nothing", (), "number"),
    ]
    assert parse_program(print_program(program)) == program


@pytest.mark.parametrize("state", [False, True])
def test_functions_come_from_a_file(tmp_path, state) -> None:
    (tmp_path / "p.dl").write_text(PROGRAM + ".decl more(x: number)\nmore(third(x)) :- n(x).\n.output more\n")
    (tmp_path / "f.py").write_text(
        "from tidelog import user_function\nimport math\n"
        "def half(x): return math.floor(x / 2)\ndef greet(n, v): return n\ndef nothing(): return 0\n"
        "third = user_function('third', ('number',), 'number')(lambda x: x // 3)\n"
    )
    args = ["run", tmp_path / "p.dl", "--functions", tmp_path / "f.py", "-D", tmp_path / "out", "--runtime", "embedded"]
    args += ["--state", tmp_path / "s"] if state else []
    for _ in range(2 if state else 1):
        result = CliRunner().invoke(app, list(map(str, args)))
        assert result.exit_code == 0, result.output
        assert sorted((tmp_path / "out" / "half_of.csv").read_text().split()) == ["3", "4", "7", "8"]
        assert (tmp_path / "out" / "more.csv").read_text().split() == ["2"]


def test_run_without_functions_says_which_is_missing(tmp_path) -> None:
    (tmp_path / "p.dl").write_text(PROGRAM)
    assert "TL4004" in CliRunner().invoke(app, ["run", str(tmp_path / "p.dl"), "--runtime", "embedded"]).output


INSIDE = """.comp C<T> {
    .type Age <: number
    .functor twice(x: Age): Age
    .functor same(x: T): T
    .decl q(x: Age)
    .decl p(x: Age)
    .decl s(x: T)
    .decl r(x: T)
    q(3).
    p(@twice(x)) :- q(x).
    r(@same(x)) :- s(x).
}
"""


def twice(x: int) -> int:
    return 2 * x


def same(x: object) -> object:
    return x


def test_a_functor_of_a_component_serves_its_instances() -> None:
    db = Engine(INSIDE + '.init a = C<number>\n.init b = C<symbol>\na.s(1). b.s("x").', functions=[twice, same])
    assert [list(db[name]) for name in ("a.p", "b.p", "a.r", "b.r")] == [[(6,)], [(6,)], [(1,)], [("x",)]]


def test_a_functor_of_a_component_serves_instances_that_come_later() -> None:
    text = INSIDE.replace("    .functor same(x: T): T\n", "").replace("@same(x)", "x")
    db = Engine(text, functions=[twice])
    with db.epoch() as epoch:
        epoch.add_instance(".init a = C<number>")
    assert list(db["a.p"]) == [(6,)]


def test_a_functor_of_a_component_needs_its_function() -> None:
    with pytest.raises(EngineError, match="no function was provided for it"):
        Engine(INSIDE + ".init a = C<number>", functions={"same": same})


def test_a_state_tells_the_types_of_functions(tmp_path: Path) -> None:
    text = ".functor twice(x: number): number\n.decl q(x: number)\n.decl p(x: number)\nq(3).\np(@twice(x)) :- q(x)."
    Engine(text, path=tmp_path / "state", functions=[twice]).close()
    with Engine(path=tmp_path / "state", functions=[twice]) as db, db.epoch() as epoch:
        epoch.insert("q", [(4,)])
    assert epoch.changes["p"].inserted.rows() == [(8,)]
