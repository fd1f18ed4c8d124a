"""What other packages add to the command line, found through the entry points of the group `tidelog.extensions`.

Law: the command line never imports an extension by name, and looks for one only if none of its own commands matches. An
extension is a value that is cheap to import; its commands and sessions are imported when they are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

GROUP = "tidelog.extensions"


@dataclass(frozen=True, slots=True, eq=False)
class Extension:
    """Commands, sessions and diagnostic codes of a package. Modules are given by their dotted names.

    `commands` maps the name of a command to the first line of its help; the module of `a-b` is `home.a_b`. `sessions`
    maps an `--algorithm` of `tidelog run` to `module:class`. `findings` and `failures` are modules with `ENTRIES`.
    """

    home: str
    commands: Mapping[str, str] = field(default_factory=dict)
    sessions: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


@cache
def extensions() -> tuple[Extension, ...]:
    """The installed extensions, ordered by name."""
    from importlib.metadata import entry_points  # importing it takes as long as a small command

    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return tuple(dict.fromkeys(entry.load() for entry in found))


def added_commands() -> dict[str, str]:
    """The commands of all extensions with their summaries."""
    return {name: summary for each in extensions() for name, summary in each.commands.items()}


def import_command(name: str) -> None:
    """Import the module of an extension's command, which registers it."""
    home = next(each.home for each in extensions() if name in each.commands)
    import_module(f"{home}.{name.replace('-', '_')}")


def session_class(algorithm: str) -> Any | None:
    """The class that runs a program with this algorithm; None if no extension has one."""
    place = next((each.sessions[algorithm] for each in extensions() if algorithm in each.sessions), None)
    if place is None:
        return None
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
