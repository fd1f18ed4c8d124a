"""Where one input ends and the next begins.

Law: a command (``:``), a question (``?``) and a directive (``.decl``) end with their line; everything else ends with
a period at the end of a line, wherever it began. An empty line ends an input that nobody finished, and the bare name
of a command is told that it wants a colon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tidelog.cli.repl.commands import COMMANDS
from tidelog.syntax.reader import Findings, tokens_of
from tidelog.syntax.sources import source_of

LINES = (":", "?", ".")


def is_complete(text: str, convention: str) -> bool:
    """Whether the input is whole.

    >>> is_complete("p(X) :- q(X),", "prolog"), is_complete("p(X) :- q(X).", "prolog"), is_complete("?p(X)", "prolog")
    (False, True, True)
    """
    stripped = text.strip()
    if not stripped or stripped.startswith(LINES) or text.endswith("\n\n") or is_command_word(stripped):
        return True
    return ends_with_period(text, convention)


def is_command_word(text: str) -> bool:
    """Whether an input is the bare name of a command: no fact or rule is one word without a period.

    >>> is_command_word("help"), is_command_word("exit"), is_command_word("help.")
    (True, True, False)
    """
    return text.strip() in COMMANDS or text.strip() in ("exit", "q")


def ends_with_period(text: str, convention: str) -> bool:
    """Whether the last token of the text, if it has any, is a period."""
    findings = Findings()
    tokens = tokens_of(source_of("<repl>", text, findings.report), convention, findings)
    return len(tokens) < 2 or tokens[-2].kind == "."


def read_inputs(lines: Iterable[str], convention: Callable[[], str]) -> Iterator[str]:
    """The inputs of a text given line by line; what is left at its end is an input too."""
    waiting = ""
    for line in lines:
        waiting += line
        if is_complete(waiting, convention()):
            if waiting.strip():
                yield waiting
            waiting = ""
    if waiting.strip():
        yield waiting
