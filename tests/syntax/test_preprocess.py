"""The preprocessor."""

import pytest

from tidelog.syntax import parse_program, read_program


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("#define N 3\np(N).", "p(3)."),
        ("#define EDGE(a, b) edge(a, b), edge(b, a)\nEDGE(1, f(2, 3)).", "edge(1, f(2, 3)), edge(f(2, 3), 1)."),
        ("#define A B\n#define B 7\np(A).", "p(7)."),
        ("#define A A\np(A).", 'p("A").'),
        ("#define N 1\n#undef N\np(N).", 'p("N").'),
        ("#define ON\n#ifdef ON\np(1).\n#else\np(2).\n#endif", "p(1)."),
        ("#ifdef ON\np(1).\n#else\np(2).\n#endif", "p(2)."),
        ("#ifndef ON\np(1).\n#endif", "p(1)."),
        ("#ifdef ON\n#ifdef ON\np(1).\n#else\np(2).\n#endif\n#else\np(3).\n#endif", "p(3)."),
        ("#define LONG 1 + \\\n 2\np(LONG).", "p(1 + 2)."),
        ("#define EMPTY() 5\np(EMPTY()).", "p(5)."),
        ("# a comment of NDlog\np(1). # another", "p(1)."),
        ("#define N 3 // three\np(N).", "p(3)."),
    ],
)
def test_a_text_means_what_it_expands_to(text, same):
    assert parse_program(text) == parse_program(same)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("1", True),
        ("0", False),
        ("NOTHING", False),
        ("defined N", True),
        ("!defined(N) || defined(M)", False),
        ("N == 3 && N * 2 + 1 > 6", True),
        ("N - 1 - 1 == 1", True),
        ("-7 / 2 == -3 && -7 % 2 == -1", True),
        ("(N > 2 ? 0 : 1)", False),
        ("0x10 == 16 && (1 << 4) == 16 && (5 & 4) && !(5 ^ 5) && ~0 == -1", True),
        ("TWICE == 6", True),
        ("LOOP", False),
        ("1 // as in C", True),
    ],
)
def test_conditions_are_those_of_c(condition, holds):
    text = f"#define N 3\n#define TWICE (N + N)\n#define LOOP LOOP\n#if {condition}\np(1).\n#else\np(2).\n#endif"
    assert parse_program(text).facts[0].atom.args[0].value == (1 if holds else 2)


def test_the_first_condition_that_holds_is_taken():
    text = "#if N == 1\np(1).\n#elif N == 2\np(2).\n#elif N >= 2\np(3).\n#else\np(4).\n#endif"
    values = [parse_program(f"#define N {n}\n{text}").facts[0].atom.args[0].value for n in (1, 2, 3, 0)]
    assert values == [1, 2, 3, 4]
    nested = parse_program(f"#if 0\n{text}\n#elif 1\nq(1).\n#endif")
    assert [fact.atom.predicate for fact in nested.facts] == ["q"]


def test_souffles_own_include_reads_a_file_once_if_it_says_so():
    files = {"a.dl": ".once\n.decl p(x: number)\np(1)."}
    text = '.include "a.dl"\n.include "a.dl"\np(__LINE__).'
    program = parse_program(text, include=lambda wanted, including: (wanted, files[wanted]))
    assert program.convention == "souffle"
    assert [fact.atom.args[0].value for fact in program.facts] == [1, 3]


def test_macros_stand_for_instances_before_a_period():
    program = parse_program("#define G main.graph\n.decl p(x: number)\np(x) :- G.edge(x).")
    assert program.rules[0].body[0].predicate == "main.graph.edge"


def test_tokens_are_joined_before_macros_expand():
    text = '#define ab p\n#define JOIN(x, y) x##y(1). q("x ## y"). r(x ## ).\nJOIN(a, b)\n'
    assert [f"{fact.atom.predicate}{fact.atom.args[0].value}" for fact in parse_program(text).facts] == [
        "p1",
        "qx ## y",
        "ra",
    ]


def test_a_mistake_in_an_expansion_is_shown_where_the_macro_is_used():
    (found,) = read_program("#define BAD (1\np(1).\nq(BAD).")[1]
    assert (found.code, found.span.line) == ("TL103", 3)


def test_includes_are_found_by_a_function():
    files = {"a.dl": '#include "b.dl"\np(N).', "b.dl": b"#define N 4"}
    program = parse_program('#include "a.dl"', include=lambda wanted, including: (wanted, files[wanted]))
    assert program == parse_program("p(4).")


def test_an_include_that_is_not_there_is_a_diagnostic(tmp_path):
    for include in (None, tmp_path):
        assert [d.code for d in read_program('#include "x.dl"\np(1).', include=include)[1]] == ["TL180"]


def test_a_file_that_includes_itself_is_a_diagnostic():
    program, found = read_program(
        '#include "a"\np(1).', include=lambda wanted, including: (wanted, '#include "a"\nq(1).')
    )
    assert [d.code for d in found] == ["TL181"]
    assert len(program.facts) == 2


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("#endif", "TL183"),
        ("#else", "TL183"),
        ("#ifdef A\n#else\n#else\n#endif", "TL183"),
        ("#ifdef A", "TL183"),
        ("#ifdef\n#endif", "TL182"),
        ("#include x", "TL182"),
        ("#undef", "TL182"),
        ("#if 1\n", "TL183"),
        ("#if 1 +\n#endif", "TL182"),
        ("#if (1\n#endif", "TL182"),
        ("#if 1 / 0\n#endif", "TL182"),
        ("#define F(a) a\n#if F(1)\n#endif", "TL182"),
        ("#elif 1\n", "TL183"),
        ("#if 1\n#else\n#elif 1\n#endif", "TL183"),
        ("#error no", "TL184"),
        (".include p\n.decl p(x: number)", "TL182"),
        ("#define F(a) a\np(F(1, 2)).", "TL185"),
        ('#define S "abc\n', "TL104"),
    ],
)
def test_malformed_lines_are_diagnostics(text, code):
    assert code in [d.code for d in read_program(text)[1]]


def test_expansion_without_end_is_stopped():
    text = "\n".join(f"#define M{i} M{i + 1}, M{i + 1}" for i in range(30)) + "\np(M0)."
    assert "TL186" in [d.code for d in read_program(text)[1]]
