"""What a query is about: the state that a program derives from its files, or a state folder at an epoch.

Law: a query changes nothing. A state folder is read without its lock, so that it can be queried while another process
writes it; the query sees one committed epoch, the last at the moment of opening or the one specified.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from tidelog.cli.base.cli_failures import AT_WITHOUT_STATE
from tidelog.cli.base.guard import guarded
from tidelog.cli.base.options import LAST
from tidelog.engine.engine import Engine
from tidelog.program.types.functors import UserFunctions


def split_words(first: str | None, second: str | None, state: str | None, what: str) -> tuple[str | None, str]:
    """The program, if there is one, and the query text: a state folder already contains its program.

    >>> split_words("p.dl", "p(X)", None, "QUESTION"), split_words("p(X)", None, "s", "QUESTION")
    (('p.dl', 'p(X)'), (None, 'p(X)'))
    """
    if first is None or (state is None and second is None):
        raise typer.BadParameter(f"pass PROGRAM and {what}, or --state DIR and {what}")
    if state is not None and second is not None:
        raise typer.BadParameter(f"a state folder contains its program: with --state, pass only {what}")
    return (None, first) if second is None else (first, second)


def one_of(program: str | None, state: str | None) -> None:
    """Refuse both a program and a state folder."""
    if program is not None and state is not None:
        raise typer.BadParameter("a state folder contains its program; omit PROGRAM")


@contextmanager
def open_target(
    program: str | None, facts: Path | None, state: str | None, at: int | None, functions: UserFunctions = ()
) -> Iterator[Engine]:
    """An engine for reading: that of a state folder, that of a program, or an empty one."""
    if state is None:
        from tidelog.cli.base.show import shown_warnings

        with guarded(), shown_warnings():
            if at is not None:
                raise AT_WITHOUT_STATE.error()
            with _of_program(program, facts, functions) as db:
                yield db
        return
    if facts is not None:
        raise typer.BadParameter("a state folder contains its facts; omit -F")
    from tidelog.cli.input.state import opened

    with opened(state, LAST if at is None else at, functions) as db:
        yield db


def _of_program(program: str | None, facts: Path | None, functions: UserFunctions) -> Engine:
    if program is None:
        return Engine(functions=functions)
    from tidelog.cli.input.load import load_engine

    return load_engine(program, facts or Path("."), functions=functions)
