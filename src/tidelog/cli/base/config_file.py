"""Options from a file: `--config FILE`.

Law: a key of the file is the name of an option and means the same as on the command line, which takes precedence; a key
that is not an option of the command is an error.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from tidelog.cli.base import cli_failures as failures
from tidelog.cli.base.guard import guarded


def _load(context: typer.Context, file: Path | None) -> Path | None:
    if file is not None:
        with guarded():
            context.default_map = {**(context.default_map or {}), **_values(context, file)}
    return file


ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="TOML file with options, such as port = 80. Options of the command line take precedence.",
        callback=_load,
        is_eager=True,
    ),
]


def _values(context: typer.Context, file: Path) -> dict[str, Any]:
    """The values of the file by parameter."""
    try:
        entries = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise failures.BAD_CONFIG.error(path=file, what=error) from error
    parameters: dict[str, Any] = {
        name.lstrip("-"): each for each in context.command.params for name in (*each.opts, *each.secondary_opts)
    }
    found: dict[str, Any] = {}
    for key, value in entries.items():
        parameter = parameters.get(key)
        if parameter is None or parameter.name == "config":
            known = ", ".join(sorted(name for name in parameters if len(name) > 1 and name != "config"))
            raise failures.BAD_CONFIG.error(path=file, what=f"unknown option `{key}`; known: {known}")
        if isinstance(value, dict):
            raise failures.BAD_CONFIG.error(path=file, what=f"`{key}` is a table, but an option has a value or a list")
        several = parameter.multiple or parameter.nargs == -1
        if isinstance(value, list) and not several:
            raise failures.BAD_CONFIG.error(path=file, what=f"`{key}` has a list, but the option has one value")
        if key in (name.lstrip("-") for name in parameter.secondary_opts):
            value = not value
        texts = [_text(each) for each in (value if isinstance(value, list) else [value])]
        found[parameter.name] = texts if several else texts[0]
    return found


def _text(value: Any) -> Any:
    """A value as it would be written on the command line."""
    return value if isinstance(value, bool) else str(value)
