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
        ("#if 1\n", "TL184"),
        ("#define F(a) a\np(F(1, 2)).", "TL185"),
        ('#define S "abc\n', "TL104"),
    ],
)
def test_malformed_lines_are_diagnostics(text, code):
    assert code in [d.code for d in read_program(text)[1]]


def test_expansion_without_end_is_stopped():
    text = "\n".join(f"#define M{i} M{i + 1}, M{i + 1}" for i in range(30)) + "\np(M0)."
    assert "TL186" in [d.code for d in read_program(text)[1]]
