"""The tables of options in the page of the command line; `python -m tidelog.cli.help_page FILE` writes them into it.

Law: between `<!-- help: COMMAND -->` and `<!-- end -->` the page contains exactly what `tidelog COMMAND --help` prints;
a test compares the two. All other text of the page is left as it is.
"""

from __future__ import annotations

import enum
import re
import sys
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer

from tidelog.cli import app

BLOCK = re.compile(r"<!-- help: ([\w-]+) -->\n.*?<!-- end -->", re.DOTALL)
LONGEST_USAGE = 100
PLACEHOLDERS = {int: "N", float: "N", Path: "FILE", str: "NAME"}

Parameter = Any  # an option or argument of click, whose classes Typer moves from version to version


def filled(page: str) -> str:
    """The page with every block generated from the current command line."""
    return BLOCK.sub(lambda found: f"<!-- help: {found[1]} -->\n{help_block(found[1])}\n<!-- end -->", page)


def help_block(command: str) -> str:
    """The usage of a command, and a table of its arguments and options."""
    rows = "\n".join(f"| {_names(command, each)} | {_meaning(each)} |" for each in parameters(command))
    return f"\n    {_usage(command)}\n\n| option | meaning |\n|---|---|\n{rows}\n"


def parameters(command: str) -> list[Parameter]:
    """The arguments and options of a command, in the order of its help."""
    group: Any = typer.main.get_command(app)
    return [parameter for parameter in group.commands[command].params if not parameter.hidden]


def _usage(command: str) -> str:
    """The usage with all options in one line if they fit, otherwise with `[options]`."""
    found = parameters(command)
    arguments = [_argument(each) for each in found if _is_argument(each)]
    options = [_option(command, each) for each in found if not _is_argument(each)]
    whole = " ".join(("tidelog", command, *arguments, *options))
    return whole if len(whole) <= LONGEST_USAGE else " ".join(("tidelog", command, *arguments, "[options]"))


def _is_argument(parameter: Parameter) -> bool:
    return bool(parameter.param_type_name == "argument")


def _argument(parameter: Parameter) -> str:
    written = f"{parameter.metavar}..." if parameter.nargs == -1 else str(parameter.metavar)
    return written if parameter.required else f"[{written}]"


def _option(command: str, parameter: Parameter) -> str:
    written = parameter.opts[0] + _value(command, parameter)
    return written if parameter.required else f"[{written}]"


def _names(command: str, parameter: Parameter) -> str:
    """How an argument or option is written, for the first column of the table."""
    if _is_argument(parameter):
        return f"`{parameter.metavar}`"
    written = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    value = _value(command, parameter).replace("|", "\\|")  # a bar would end the cell
    return f"{written[:-1]}{value}`"


def _value(command: str, parameter: Parameter) -> str:
    """The value placeholder of an option, preceded by a blank."""
    kind = _kind(command, parameter)
    if kind is bool:
        return ""
    if parameter.metavar:
        return f" {parameter.metavar}"
    return " " + ("|".join(kind) if issubclass(kind, enum.Enum) else PLACEHOLDERS[kind])


def _kind(command: str, parameter: Parameter) -> type:
    """The type that the function of the command declares for a parameter."""
    (function,) = (each.callback for each in app.registered_commands if _command_name(each) == command)
    declared = get_type_hints(function)[parameter.name]
    kinds = [kind for kind in get_args(declared) if kind is not type(None)]
    return kinds[0] if kinds else declared  # type: ignore[no-any-return]  # a class, by Typer's own rules


def _command_name(command: Any) -> str:
    return str(command.name or command.callback.__name__)


def _meaning(parameter: Parameter) -> str:
    parts = [parameter.help, *_default(parameter)]
    if parameter.envvar:
        parts.append(f"Environment variable: `{parameter.envvar}`.")
    return " ".join(parts)


def _default(parameter: Parameter) -> list[str]:
    if isinstance(parameter.show_default, str):
        return [f"Default: {parameter.show_default}."]
    if parameter.default is None or parameter.default is False:
        return []
    if parameter.default is True:
        return [f"Default: `{parameter.opts[0]}`."]
    value = parameter.default.value if isinstance(parameter.default, enum.Enum) else parameter.default
    return [f"Default: `{value}`."]


if __name__ == "__main__":
    for place in map(Path, sys.argv[1:]):
        place.write_text(filled(place.read_text("utf-8")), "utf-8")
