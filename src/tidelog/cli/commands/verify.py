"""`tidelog verify DIR [PROGRAM]`: the certificate of a state, or the first violation found.

With `--facts FOLDER PROGRAM`, it checks the files that another engine has written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import LAST, AtOption, Format, FunctionsOption
from tidelog.cli.base.place import Runtime, RuntimeOption


@app.command("verify")
def verify_command(
    state: Annotated[str, typer.Argument(metavar="DIR", help="The state folder, or a URI; with --facts, the program.")],
    program: Annotated[
        str | None,
        typer.Argument(metavar="PROGRAM", help="Check against the rules of this file, not those of the state."),
    ] = None,
    facts: Annotated[
        Path | None,
        typer.Option("-F", "--fact-dir", metavar="DIR", help="Read the base facts from PROGRAM and from this folder."),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(
            "--facts",
            metavar="FOLDER",
            help="Certify result files of another engine in this folder as the model of a program.",
        ),
    ] = None,
    proved: Annotated[
        bool, typer.Option("--proved", help="Use the checker extracted from the proofs. No functions or aggregates.")
    ] = False,
    at: AtOption = LAST,
    functions: FunctionsOption = None,
    runtime: RuntimeOption = Runtime.embedded,
    format_: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.text,
) -> None:
    """Certify that a state contains exactly what its rules derive from its base facts.

    The checker shares no evaluation code with the engine. It runs in plain Python, or as SQL on Spark.
    """
    from tidelog.cli.act.verify_state import verify_files, verify_state, verify_with_proofs

    if proved:
        alone = program is None and facts is None and results is None and runtime is not Runtime.spark
        verify_with_proofs(state, at, format_, functions, alone=alone)
        return
    if results is not None:
        with_state = program is not None or at != LAST or runtime is Runtime.spark
        verify_files(state, results, facts or Path(), format_, functions, with_state=with_state)
        return
    verify_state(state, program, facts, at, runtime, format_, functions)
