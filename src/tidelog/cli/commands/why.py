"""`tidelog why PROGRAM FACT`, `tidelog why --state DIR FACT`: the proof of a fact, or with `--not` why it is absent.

Law: the state is the one that `tidelog run` would compute from the same program and files, or that of a folder.
The exit code is 1 if the fact is absent (with `--not`: present), for use in scripts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import (
    AllowOption,
    AskedEpoch,
    AskedFacts,
    AskedProgram,
    AskedState,
    FunctionsOption,
    SandboxOption,
)

if TYPE_CHECKING:
    from tidelog.engine.engine import Engine
    from tidelog.why import Proof


@app.command("why")
def why_command(
    program: AskedProgram = None,
    fact: Annotated[str | None, typer.Argument(metavar="FACT", help="A fact, such as 'reach(1, 3)'.")] = None,
    facts: AskedFacts = None,
    state: AskedState = None,
    at: AskedEpoch = None,
    functions: FunctionsOption = None,
    sandbox: SandboxOption = False,
    allow: AllowOption = None,
    absent: Annotated[bool, typer.Option("--not", help="Explain why the fact is not true.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write the proof to this file, as a drawing.")
    ] = None,
    depth: Annotated[int, typer.Option(min=0, help="Maximum depth of the proof to show.")] = 100,
    width: Annotated[int, typer.Option(min=0, help="Maximum rows of a group to show.")] = 10,
    nodes: Annotated[int, typer.Option(min=1, help="Maximum number of facts to visit.")] = 1000,
) -> None:
    """Show why a fact is true: a tree of rules and facts down to base facts.

    With --not, show for each rule of the relation how far it gets and what stops it.
    """
    from tidelog.cli.base.functions import functions_of
    from tidelog.cli.base.sandbox import sandboxed
    from tidelog.cli.base.write_file import write_file
    from tidelog.cli.input.target import open_target, split_words

    file, text = split_words(program, fact, state, "FACT")
    if svg is not None and (absent or as_json):
        raise typer.BadParameter("--svg draws a proof; use it without --not and --json", param_hint="--svg")
    inside = sandboxed(sandbox, allow, file, facts or ".")
    with inside, open_target(file, facts, state, at, functions_of(functions)) as db:
        if absent:
            _show_absence(db, text, as_json)
        else:
            proof = _proof_of(db, text, depth, width, nodes)
            if svg is not None:
                write_file(str(svg), proof.svg())
            else:
                typer.echo(proof.json() if as_json else str(proof))


def _proof_of(db: Engine, fact: str, depth: int, width: int, nodes: int) -> Proof:
    from tidelog.why import NotTrueError

    try:
        return db.why(fact, depth=depth, width=width, nodes=nodes)
    except NotTrueError as error:
        raise error.reworded(str(error).replace("use `why_not`", "`--not` explains why")) from None


def _show_absence(db: Engine, fact: str, as_json: bool) -> None:
    explanation = db.why_not(fact)
    typer.echo(json.dumps(explanation.to_json(), indent=2, ensure_ascii=False) if as_json else str(explanation))
    if explanation.present:
        raise typer.Exit(1)
