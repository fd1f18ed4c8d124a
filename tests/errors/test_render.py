"""How diagnostics look."""

from __future__ import annotations

from tidelog.errors import Diagnostic, Source, Span, StateError
from tidelog.errors.render import display_width, lines_of_error, plain, render_diagnostics


def shown(text: str, start: int, end: int, **more: object) -> list[str]:
    span = Span(Source("a.dl", text), start, end)
    return render_diagnostics([Diagnostic("TL999", "wrong", span, **more)]).splitlines()  # type: ignore[arg-type]  # fields


def test_whole_diagnostic_is_shown_like_a_compiler_does() -> None:
    source = Source("a.dl", "p(1).\np(a).\n")
    finding = Diagnostic(
        "TL401", "number and symbol", Span(source, 8, 9), "One type.", "Convert.", (("a number", Span(source, 2, 3)),)
    )
    assert render_diagnostics([finding]) == (
        "error[TL401]: number and symbol\n"
        " --> a.dl:2:3\n"
        "  |\n"
        "2 | p(a).\n"
        "  |   ^\n"
        " ::: a.dl:1:3\n"
        "  |\n"
        "1 | p(1).\n"
        "  |   - a number\n"
        "  = note: One type.\n"
        "  = hint: Convert."
    )


def test_warning_says_warning() -> None:
    assert render_diagnostics([Diagnostic("TL702", "once", severity="warning")]) == "warning[TL702]: once"


def test_carets_stand_under_wide_characters() -> None:
    lines = shown('p("日本", X).', 8, 9)
    assert lines[-1].index("^") == display_width(lines[-2][: lines[-2].index("X")])


def test_carets_stand_under_text_after_tabs() -> None:
    lines = shown("\tp(\tX).", 4, 5)
    assert lines[-1].index("^") == lines[-2].index("X")


def test_combining_characters_take_no_room() -> None:
    lines = shown('p("e\u0301", X).', 8, 9)
    assert lines[-1].index("^") == lines[-2].index("X") - 1


def test_span_over_several_lines_is_underlined_to_the_end_of_the_first() -> None:
    assert shown("p(X) :-\n  q(X).", 0, 15)[-1] == "  | ^^^^^^^"


def test_empty_span_and_end_of_text_get_one_caret() -> None:
    assert shown("p(X)", 4, 4)[-1] == "  |     ^"


def test_very_long_lines_are_cut_around_the_place() -> None:
    lines = shown("x" * 5000 + "Y" + "z" * 5000, 5000, 5001)
    assert len(lines[-2]) < 200
    assert lines[-1].index("^") == lines[-2].index("Y")


def test_control_characters_of_the_text_never_reach_the_terminal() -> None:
    lines = shown('p("\x1b[31m\x07\r", X).', 2, 4)
    assert all(line.isprintable() for line in lines)


def test_error_is_shown_with_code_note_and_hint_and_its_own_lines() -> None:
    error = StateError("s holds another program:\n  + p(X) :- q(X).\x1b[31m\nchange it")
    error.code, error.note, error.hint = "TL5102", "A state belongs to its program.", "Apply it."
    assert [plain(line) for line in lines_of_error(error)] == [
        "error[TL5102]: s holds another program:",
        "  + p(X) :- q(X).\\x1b[31m",
        "change it",
        "  = note: A state belongs to its program.",
        "  = hint: Apply it.",
    ]
