"""Change scripts previewed on an engine and reported side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from tidelog.engine.ask.what_if import Alternative, Alternatives
from tidelog.engine.engine import Engine
from tidelog.errors import EngineError
from tidelog.syntax import parse_changes_file, print_changes


def show_alternatives(db: Engine, scripts: Sequence[Path], blamed: str | None, as_json: bool) -> None:
    """Print what each script would change and cost; with a fact or view to blame, also why."""
    found = db.what_if({str(path): _text(db, path) for path in scripts})
    assert isinstance(found, Alternatives)
    if as_json:
        typer.echo(json.dumps([_json(each, blamed) for each in found.values()], indent=2, ensure_ascii=False))
    else:
        typer.echo(repr(found) if len(found) > 1 else "\n".join(map(repr, found.values())))
        for each in found.values() if blamed is not None else ():
            typer.echo(f"\n{each.name}: {_blame(each, blamed)}")
    if all(each.refused is not None for each in found.values()):
        raise typer.Exit(1)


def _text(db: Engine, path: Path) -> str:
    """A script that has been checked; it does not matter whether its only epoch ends with `commit.` or `preview.`"""
    return print_changes(
        parse_changes_file(path, convention=db.convention, prefixes=db.program.prefixes), db.convention
    )


def _blame(alternative: Alternative, fact: str | None) -> str:
    try:
        return str(alternative.blame(fact or ""))
    except EngineError as error:
        return str(error)


def _json(alternative: Alternative, blamed: str | None) -> dict[str, Any]:
    result = alternative.to_json()
    if blamed is not None and alternative.refused is None:
        result["blame"] = alternative.blame(blamed).to_json()
    return result
