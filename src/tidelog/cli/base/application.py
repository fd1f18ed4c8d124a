"""The Typer application that all commands register with.

Law: a command is one module that decorates a function with ``@app.command()``; importing the module (in
`cli/commands/__init__.py`) is enough to add it. Exit codes: 0 for success, 1 for anything wrong with the input, 2 for
incorrect use of the command line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from tidelog import __version__

PLACEHOLDERS = {"int": "N", "integer": "N", "float": "N", "str": "NAME", "text": "NAME", "path": "FILE"}
"""How help texts name the value of an option, by the name of its type, with or without `range`."""


class Command(TyperCommand):
    """A command whose help shows `--seed N` where Typer would show `--seed <int>`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for parameter in self.params:
            if parameter.metavar is None:
                parameter.metavar = PLACEHOLDERS.get(parameter.type.name.removesuffix(" range"))


class Application(typer.Typer):
    """A Typer application whose commands are of the class above."""

    def command(self, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        """A decorator for the function of a command."""
        return super().command(*args, **{"cls": Command, **kwargs})


app = Application(
    name="tidelog",
    help="Keep Datalog views up to date while facts and rules change.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_set: bool) -> None:
    if is_set:
        typer.echo(f"tidelog {__version__}")
        raise typer.Exit


@app.callback()
def tidelog(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Keep Datalog views up to date while facts and rules change."""
