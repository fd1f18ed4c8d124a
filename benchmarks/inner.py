"""What benchmarks of the engine need of it beyond its public members: all of it is here.

Law: no underscored name is used, and a module that moved between versions is looked for at each of its addresses, so
that one harness measures them all. Packages that are measured themselves (`tidelog.syntax`, `program`, `lab/dbsp`,
`lab/semantics`, `verify`) are imported where they are measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

SESSIONS = ("tidelog.spark", "tidelog.spark.session", "tidelog.runtime.spark")


def found_in(modules: Sequence[str], name: str) -> Any:
    """A name, from the first of some modules that is there and has it."""
    for module in modules:
        try:
            return getattr(import_module(module), name)
        except (ModuleNotFoundError, AttributeError):
            continue
    raise ImportError(f"none of {', '.join(modules)} has `{name}`")


def local_session(cores: int, **more: Any) -> Any:
    """A context manager that starts a local Spark session."""
    return found_in(SESSIONS, "local_session")(cores, **more)


def records_touched(state: Path, since: int) -> list[int]:
    """How many records each epoch after one touched: those whose counts, rank or presence it changed."""
    from tidelog.store import open_store
    from tidelog.store.image.image import deltas_of
    from tidelog.store.log.log import Log

    frames = Log(open_store(state)).frames(since)
    return [sum(map(_records, deltas_of(frame))) for frame in frames]


def _records(delta: Any) -> int:
    parts = ("inserted", "deleted") if hasattr(delta, "inserted") else ("added", "removed")  # an older version's names
    return sum(len(getattr(delta, part)) for part in (*parts, "changed"))
