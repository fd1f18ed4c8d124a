"""`tidelog changes DIR VIEW --since N`: the change feed of a view."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import Format, StateArgument


@app.command("changes")
def changes_command(
    state: StateArgument,
    view: Annotated[str, typer.Argument(metavar="VIEW", help="Relation whose changes are printed.")],
    since: Annotated[
        int, typer.Option("--since", metavar="EPOCH", help="Print only epochs after this one.", min=0)
    ] = 0,
    format_: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.text,
) -> None:
    """Print every fact added to or removed from a view: the epoch, + or -, and the fact."""
    from tidelog.cli.input.state import opened
    from tidelog.engine.read.view import fact_writer
    from tidelog.io.json_values import json_value

    with opened(state) as db:
        write = fact_writer(db[view], view, db.convention)
        for epoch, sign, fact in db.changes(view, since):
            if format_ is Format.json:
                values = [json_value(value) for value in fact]
                line = json.dumps({"epoch": epoch, "sign": sign, "fact": values}, ensure_ascii=True)
            else:
                line = f"{epoch}\t{'+' if sign > 0 else '-'}\t{write(fact)}"
            sys.stdout.write(line + "\n")
