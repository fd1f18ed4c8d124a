"""`tidelog repl`: enter rules, facts and queries, each change an epoch.

Law: the same texts mean the same in a terminal and in a pipe; a terminal adds a prompt, history and completion, a
pipe an exit code of 1 if any input was in error.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import AskedEpoch, AskedFacts, AskedState, FunctionsOption

if TYPE_CHECKING:
    from tidelog.cli.repl.execute import ReplSession


@app.command("repl")
def repl_command(
    program: Annotated[str | None, typer.Argument(metavar="PROGRAM", help="Program to load first.")] = None,
    facts: AskedFacts = None,
    state: AskedState = None,
    at: AskedEpoch = None,
    functions: FunctionsOption = None,
) -> None:
    """Enter rules, facts and queries interactively. `:help` lists the commands.

    Reads standard input line by line if it is not a terminal. With --state, queries a state folder without changing
    it; `:at EPOCH` switches to another epoch.
    """
    from tidelog.cli.base.functions import functions_of
    from tidelog.cli.base.show import console
    from tidelog.cli.input.target import one_of, open_target
    from tidelog.cli.repl.execute import ReplSession
    from tidelog.cli.repl.show import reporter

    one_of(program, state)
    user_functions = functions_of(functions)
    with open_target(program, facts, state, at, user_functions) as db:
        session = ReplSession(db, reporter(console()), state, user_functions)
        if sys.stdin.isatty():
            from tidelog.cli.repl.prompt import run_prompt  # prompt-toolkit takes a while to load

            run_prompt(session)
        elif not run_pipe(session):
            raise typer.Exit(1)


def run_pipe(session: ReplSession) -> bool:
    """Execute the standard input; returns whether all of it was valid."""
    from tidelog.cli.repl.inputs import read_inputs

    fine = True
    for text in read_inputs(sys.stdin, lambda: session.convention):
        fine = session.execute(text) and fine
        if session.over:
            break
    return fine
