"""The list of Soufflé's constructs: every line has a program here that does what the line says."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.pages import DOCS, read
from tests.runner import CliRunner
from tidelog import Engine
from tidelog.cli import app
from tidelog.io.parameters import layout_of
from tidelog.program.check import examine_program
from tidelog.syntax import read_program

PAGE = read(DOCS / "reference" / "souffle.md")
LINES = dict(re.findall(r"^\| (?!Construct|---)(.*?) \| (supported|difference: .*|refused .*) \|$", PAGE, re.MULTILINE))
P, Q, R = ".decl p(x: number)\n", ".decl q(x: number)\n", ".decl r(x: number, y: number)\n"
S = ".decl s(x: symbol)\n"

# By construct: programs whose relation `p`, or the one named, holds these rows.
RUNS: dict[str, list[tuple[str, str, list[object]]]] = {
    "`// ...`, `/* ... */`, `/// ...`": [("/// said of p\n" + P + "p(1). // one\n/* p(2). */", "p", [1])],
    "`#include`, `#define`, `#undef`": [("#define N 3\n" + P + "p(N).\n#undef N", "p", [3])],
    "`#if`, `#elif`, `#ifdef`, `#ifndef`, `#else`, `#endif`": [
        (P + "#if 0\np(1).\n#elif defined(N)\np(2).\n#else\n#ifndef N\np(3).\n#endif\n#endif", "p", [3])
    ],
    '`.include "file"`, `.once`': [(".once\n" + P + "p(1).", "p", [1])],
    "`__LINE__`, `__FILE__`, `RAM_DOMAIN_SIZE` (64)": [
        (P + "p(__LINE__).", "p", [2]),
        (P + "#if RAM_DOMAIN_SIZE == 64\np(RAM_DOMAIN_SIZE).\n#endif", "p", [64]),
    ],
    "`a ## b` in a macro": [
        (P + "#define Q(a) .decl q_##a(x: number) \\\n q_ ## a(a##1).\nQ(7)\np(x) :- q_7(x).", "p", [71])
    ],
    '`.pragma "option" "value"`': [('.pragma "verbose"\n.pragma "jobs" "4"\n' + P + "p(1).", "p", [1])],
    "arithmetic that wraps around": [
        ('.pragma "overflow" "wrap"\n' + P + Q + "q(9223372036854775807).\np(x + 1) :- q(x).", "p", [-(2**63)])
    ],
    "`number`, `unsigned`, `float`, `symbol`": [
        (".decl p(a: number, b: unsigned, c: float, d: symbol)\np(4294967296, 1, 2, a).", "p", [(2**32, 1, 2.0, "a")])
    ],
    "`.type T <: S`": [(".type T <: number\n.decl p(x: T)\np(1).", "p", [1])],
    "`.type T = S`": [(".type T = number\n.decl p(x: T)\n" + Q + "q(1).\np(x) :- q(x).", "p", [1])],
    "`.type T = A \\| B`": [(".type A <: number\n.type B <: number\n.type T = A | B\n.decl p(x: T)\np(1).", "p", [1])],
    "`.type T`, `.symbol_type T`, `.number_type T`": [
        (".type A\n.symbol_type B\n.number_type C\n.decl p(a: A, b: B, c: C)\np(x, y, 1).", "p", [("x", "y", 1)])
    ],
    "values that flow into another type of the same base": [
        ('.pragma "legacy"\n.type T\n.decl p(x: T)\n' + S + "s(a).\np(x) :- s(x).", "p", ["a"])
    ],
    "records `.type T = [x: number]`, `[a, b]`, `nil`": [
        (".type T = [x: number, y: T]\n.decl p(t: T)\np(nil). p([1, [2, nil]]).\np(y) :- p([_, y]).",
         "p", [((1, (2, None)),), ((2, None),), (None,)])
    ],
    "unpacking `s = [v, w]`, patterns in atoms": [
        (".type T = [x: number, y: T]\n.decl t(t: T)\n" + P + "t([1, [2, nil]]).\np(v) :- t(s), s = [v, w].\n"
         "p(v) :- t([_, [v, nil]]).", "p", [1, 2])
    ],
    "algebraic types `.type T = A {x: number} \\| B {}`, `$A(1)`": [
        (".type T = A {x: number} | B {}\n.decl t(t: T)\n" + P + "t($A(1)). t($B).\np(x) :- t($A(x)), t($B).", "p", [1])
    ],
    "records in files `[1, [2, nil]]`, `$A(1)`": [
        (".type T = [x: number, y: T]\n.decl p(t: T)\n.input p\n.output p\np([1, nil]).", "p", [((1, None),)])
    ],
    "`as(x, T)`": [(".type T <: symbol\n.decl p(x: T)\n" + S + "s(a).\np(as(x, T)) :- s(x).", "p", ["a"])],
    "`.decl p(x: number)`, `.decl p, q(x: number)`, `.decl p()`": [
        (".decl p, q(x: number)\n.decl n()\nq(1).\nn().\np(x) :- q(x), n().", "p", [1])
    ],
    "identifiers such as `?x` and `x?`": [
        (".decl p(?x: number, y?: number)\n" + Q + "q(1).\np(?a, b?) :- q(?a), q(b?).", "p", [(1, 1)])
    ],
    "`inline`": [
        (".decl i(x: number, y: number) inline\ni(x, y) :- y = x + 1.\n" + P + Q + "q(1).\np(y) :- q(x), i(x, y).",
         "p", [2])
    ],
    "records as arguments of `inline` relations": [
        (".type T = [x: number, y: number]\n.decl i(a: T, b: T) inline\ni([1, 2], [3, 4]). i([3, 4], [5, 6]).\n" + P
         + "p(x) :- i(a, [x, _]), i([1, _], a).", "p", [5])
    ],
    "`no_inline`, `brie`, `btree`, `btree_delete`": [(".decl p(x: number) btree no_inline\np(1).", "p", [1])],
    "`magic`, `no_magic`": [
        (".decl p(x: number, y: number) magic\n.decl q(x: number) no_magic\n" + R
         + "r(1, 2). r(3, 4).\np(x, y) :- r(x, y).\nq(y) :- p(1, y).", "p", [(1, 2)])
    ],
    "`input`, `output`, `printsize` after a declaration": [(".decl p(x: number) output printsize\np(1).", "p", [1])],
    "facts": [(P + "p(1). p(2).", "p", [1, 2])],
    "rules, several heads": [(P + Q + R + "r(1, 2).\np(x), q(y) :- r(x, y).", "q", [2])],
    "disjunction `a ; b`": [(P + R + "r(1, 2).\np(x) :- r(x, _) ; r(_, x).", "p", [1, 2])],
    "negation `!p(x)`": [(P + Q + R + "q(1). q(2). r(1, 1).\np(x) :- q(x), !r(x, _).", "p", [2])],
    "negation of groups, comparisons and negations `!(a ; b)`, `!x = 1`, `!!a`": [
        (P + R + "r(1, 2). r(2, 2).\np(x) :- !!r(x, _), !(x = 1 ; r(x, 3)), !x = 4.", "p", [2])
    ],
    "`true`, `false`": [(P + Q + "q(1).\np(x) :- q(x), true.\np(2) :- q(_), false.", "p", [1])],
    "`.plan`": [(P + R + "r(1, 2). r(2, 3).\np(z) :- r(x, y), r(y, z).\n.plan 0:(2, 1)", "p", [3])],
    "numbers `10`, `0x1f`, `0b101`, `7u`, `1.5`": [
        (".decl p(a: number, b: number, c: unsigned, d: float)\np(0x1f, 0b101, 7u, 1.5).", "p", [(31, 5, 7, 1.5)])
    ],
    "addresses `10.0.0.1`": [(P + "p(10.0.0.1).", "p", [167772161])],
    "strings with escapes": [(".decl p(x: symbol)\n" + 'p("a\\t\\"b\\"").', "p", ['a\t"b"'])],
    "`_`": [(P + R + "r(1, 2).\np(x) :- r(x, _).", "p", [1])],
    "arithmetic `+ - * / % ^`, `+` on symbols": [
        (P + Q + "q(7).\np(x % 4 + 2 ^ 3 - x / 2 * 2) :- q(x).", "p", [5]),
        (".decl p(x: symbol)\n" + S + 's(b).\np("a" + x + "c") :- s(x).', "p", ["abc"]),
    ],
    "functors `.functor f(...)`, `@f(x)`": [
        (".functor f(x: number): number stateful\n" + P + Q + "q(1).\np(@f(x)) :- q(x), @f(x) > 1.", "p", [2]),
        (".type R = [a: number]\n.functor g(x: R): R\n" + P + Q + "q(1).\np(a) :- q(x), @g([x]) = [a].", "p", [3]),
    ],
    "bits and logic `band bor bxor bnot bshl bshr bshru land lor lxor lnot`": [
        (P + Q + "q(6).\np(x band 3 bor 8) :- q(x).\np(x bshl 2) :- q(x).\np(lnot x) :- q(x).", "p", [0, 10, 24])
    ],
    "`min(a, b)`, `max(a, b)`": [(P + Q + "q(6).\np(min(x, 3)) :- q(x).\np(max(x, 3)) :- q(x).", "p", [3, 6])],
    "`cat`, `strlen`, `substr`, `contains`, `match`": [
        (P + S + 's(abc).\np(strlen(cat(x, x))) :- s(x), contains("b", x), match("a.*", x), substr(x, 1, 1) = "b".',
         "p", [6])
    ],
    "`to_number`, `to_string`, `to_float`, `to_unsigned`": [
        (P + S + 's("12").\np(to_number(to_string(to_number(x) + 1))) :- s(x).', "p", [13])
    ],
    "`ord`": [(P + S + "s(a).\np(1) :- s(x), s(y), ord(x) = ord(y).", "p", [1])],
    "`range(a, b)`, `range(a, b, step)`, by 0 too": [
        (P + Q + "q(2).\np(x) :- q(y), x = range(0, y).", "p", [0, 1]),
        (P + Q + "q(0).\np(x) :- q(y), x = range(5, 9, y).\np(x) :- x = range(5, 0, -2).", "p", [1, 3, 5]),
    ],
    "variables inside that only share their name with one outside": [
        (P + Q + "q(1). q(3).\np(x) :- x = max x : { q(x) }.\np(y + x) :- q(x), y = sum x : { q(x) }.", "p", [3, 5, 7])
    ],
    "witnesses of `min` and `max`: a variable of the aggregated body used outside": [
        (P + R + "r(1, 7). r(2, 9). r(3, 9).\np(x) :- _ = max y : { r(x, y) }.", "p", [2, 3])
    ],
    "`count`, `sum`, `min`, `max`, `mean`": [
        (P + Q + "q(1). q(3).\np(x) :- x = count : { q(_) }.\np(x) :- x = sum y : { q(y) }.\np(x) :- x = max y : q(y).",
         "p", [2, 3, 4])
    ],
    "`.comp C { ... }`, `.init c = C`": [(".comp C { " + P + "p(1). }\n.init c = C", "c.p", [1])],
    "type parameters `.comp C<T>`, also for components": [
        (".comp A { " + P + "p(1). }\n.comp C<T, S> { .init s = S .decl q(x: T) q(x) :- s.p(x). }\n"
         ".init c = C<number, A>", "c.q", [1])
    ],
    "inheritance `.comp C : B<T>`": [
        (".comp B<T> { .decl p(x: T) p(1). }\n.comp C : B<number> { p(2). }\n.init c = C", "c.p", [1, 2])
    ],
    "nested components and instances `a.b.p`": [
        (".comp A { .comp B { " + P + "p(1). } .init b = B }\n.init a = A\n" + Q + "q(x) :- a.b.p(x).", "q", [1])
    ],
    "`.override p` of an `overridable` relation": [
        (".comp B { .decl p(x: number) overridable p(1). }\n.comp C : B { .override p p(2). }\n.init c = C", "c.p", [2])
    ],
    "`eqrel`": [(".decl p(x: number, y: number) eqrel\np(1, 2).", "p", [(1, 1), (1, 2), (2, 1), (2, 2)])],
    "`choice-domain`": [
        (".decl p(x: number, y: number) choice-domain x\np(1, 3). p(1, 2). p(2, 2).", "p", [(1, 2), (2, 2)]),
        (".decl p(x: number, y: number) choice-domain x, (y)\np(1, 3). p(1, 2). p(2, 2).", "p", [(1, 2)]),
    ],
    "subsumption `p(x) <= p(y) :- ...`": [
        (P + "p(1). p(2).\np(x) <= p(y) :- x < y.", "p", [2]),
        (".decl r(x: number, y: number)\nr(1, 9). r(2, 3). r(0, 4).\nr(a, b) <= r(c, d) :- c <= a, b <= d.", "r",
         [(0, 4), (1, 9)]),
    ],
    "types declared inside": [(".comp C { .type T <: number .decl p(x: T) p(1). }\n.init c = C", "c.p", [1])],
    "`.input`, `.output` inside, and of `c.p` outside": [
        (".comp C { " + P + ".output p\np(1). }\n.init c = C\n.printsize c.p", "c.p", [1])
    ],
    "clauses for relations outside": [(P + ".comp C { p(1). " + Q + "p(x) :- q(x). q(2). }\n.init c = C", "p", [1, 2])],
}  # fmt: skip

# By construct: a program that gets the code of the line.
REFUSED = {
    "`.input`, `.output` of an `inline` relation": ".decl i(x: number) inline\ni(1).\n.output i",
    "annotations `@[...]`": P + "@[note]\np(1).",
    "`!p([x, _])`": ".type T = [x: number, y: T]\n.decl t(x: T)\n" + P + "p(1) :- !t([1, _]).",
    "`ord(r)` of a record": ".type T = [x: number, y: T]\n.decl t(x: T)\n" + P + "p(ord(x)) :- t(x).",
    "lattices `.lattice L<> {...}`": ".lattice L<> { Bottom -> b }",
    "`.decl d = debug_delta(p)`": P + ".decl d = debug_delta(p)\n",
    "counters `$`, `autoinc()`": P + Q + "p($) :- q(_).\np(autoinc()) :- q(_).",
    "`recursive_iteration_cnt()`": P + Q + "p(recursive_iteration_cnt()) :- q(_).",
    "witnesses of `count`, `sum`, `mean`": R + P + "p(x) :- 1 = count : { r(x, _) }.",
    "user-defined aggregates `@@f`": P + Q + "p(x) :- x = @@f y : 0, { q(y) }.",
    "`.limitsize p(n=10)`": P + ".limitsize p(n=10)",
}
OF_FILES = {
    "`.input`, `.output` with `filename`, `delimiter`, `headers`, `rfc4180`, `compress`",
    "`.printsize`",
    "`IO=sqlite`",
}


FUNCTIONS = ModuleType("functions")
FUNCTIONS.f = lambda x: x + 1  # type: ignore[attr-defined]  # a module
FUNCTIONS.g = lambda record: (record.a + 2,)  # type: ignore[attr-defined]  # a module


def findings(text: str) -> list[str]:
    program, found = read_program(text)
    return [d.code for d in (*found, *examine_program(program)[1])]


def test_every_line_has_a_program_and_every_program_a_line() -> None:
    assert len(LINES) > 50
    assert set(LINES) == {*RUNS, *REFUSED, *OF_FILES}
    assert len(re.findall(r"^\| (?!Construct|---)", PAGE, re.MULTILINE)) == len(LINES)


@pytest.mark.parametrize("construct", RUNS)
def test_what_is_supported_runs(construct: str) -> None:
    assert LINES[construct].startswith(("supported", "difference"))
    for text, relation, rows in RUNS[construct]:
        expected = Counter(row if isinstance(row, tuple) else (row,) for row in rows)
        assert Counter(Engine(text, functions=FUNCTIONS)[relation]) == expected


@pytest.mark.parametrize("construct", REFUSED)
def test_what_is_refused_gets_its_code(construct: str) -> None:
    code = re.match(r"refused \((TL\d+)\): ", LINES[construct])
    assert code is not None
    assert code[1] in findings(REFUSED[construct])


def test_what_is_a_difference_or_refused_says_why() -> None:
    for construct, line in LINES.items():
        assert line == "supported" or len(line) > len("difference: passed ov"), construct


def test_files_are_laid_out_as_souffle_says(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text('x;y\n"a;b";1\n')
    (tmp_path / "p.dl").write_text(
        ".decl p(x: symbol, y: number)\n"
        '.input p(IO=file, filename="in.csv", delimiter=";", headers=true, rfc4180=true)\n'
        '.output p(filename="out.csv.gz", compress=true)\n.printsize p\n'
    )
    result = CliRunner().invoke(app, ["run", str(tmp_path / "p.dl"), "-F", str(tmp_path), "-D", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "p\t1" in result.output
    assert (tmp_path / "out.csv.gz").exists()


def test_a_database_is_refused() -> None:
    program, _ = read_program(P + '.input p(IO=sqlite, dbname="x")')
    with pytest.raises(Exception, match="TL921"):
        layout_of(program.directives[0])
