"""The options of a run.

Law: an option that is left out leaves the choice to the case; the options of a run are recorded in its results, with
files by name and never by path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Options:
    """One field per option of the command line; ``session`` is an open Spark session, where there is one."""

    quick: bool = False
    repeat: int | None = None
    data: Path | None = None
    gmark: Path | None = None
    queries: int | None = None
    topologies: Path | None = None
    replay: Path | None = None
    largest: int | None = None
    limit: int | None = None
    clingo_supports: int | None = None
    nodes: int | None = None
    small_nodes: int | None = None
    java: Path | None = None
    threads: int | None = None
    epochs: int | None = None
    peer: Sequence[tuple[str, str]] | None = None  # names and commands
    session: Any = None

    def repeats(self, usual: int) -> int:
        """How often a case measures; ``usual`` if nothing else was requested."""
        return usual if self.repeat is None else self.repeat

    def chosen(self, name: str, usual: int, quick: int | None = None) -> int:
        """A requested number, else that of a quick run, else the usual one.

        >>> Options(nodes=7).chosen("nodes", 200, 40), Options(quick=True).chosen("nodes", 200, 40)
        (7, 40)
        >>> Options().chosen("nodes", 200, 40)
        200
        """
        given: int | None = getattr(self, name)
        if given is not None:
            return given
        return quick if self.quick and quick is not None else usual

    def asked(self) -> dict[str, Any]:
        """The options that were given.

        >>> Options(quick=True, data=Path("far/away/lubm1.tsv.gz")).asked()
        {'quick': True, 'data': 'lubm1.tsv.gz'}
        """
        given = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "session"}
        named = {name: value.name if isinstance(value, Path) else value for name, value in given.items()}
        if self.peer is not None:
            named["peer"] = " --peer ".join(f'"{name}=..."' for name, _ in self.peer)
        return {name: value for name, value in named.items() if value not in (None, False)}


def command(names: tuple[str, ...], options: Options) -> str:
    """The command that asks for the same.

    >>> command(("engine",), Options(quick=True, clingo_supports=9))
    'python -m benchmarks engine --quick --clingo-supports 9'
    """
    words = ["python -m benchmarks", *names]
    for name, value in options.asked().items():
        words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return " ".join(words)
