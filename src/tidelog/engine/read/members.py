"""What can be read from an engine besides its views.

Law: everything shows the last committed epoch.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tidelog.engine.base.engine_time import in_seconds
from tidelog.engine.core.core import Core
from tidelog.engine.read.forked_core import ForkedCore
from tidelog.engine.read.look_up import size
from tidelog.engine.read.report import fixed_rows
from tidelog.engine.read.view import Rows
from tidelog.errors.counts import counted
from tidelog.program.functions.arguments import must_be
from tidelog.program.graph.well_founded import UNDEFINED
from tidelog.rewrite.names import is_auxiliary
from tidelog.syntax import print_rule

SHOWN = 8  # relations in a summary


def rules(core: Core) -> dict[str, str]:
    """The text of every rule by its label."""
    program = core.rules.program
    return {rule.label or "": print_rule(rule, program.convention) for rule in program.rules}


def release(core: Core, older_than: float = 0.0) -> int:
    """Delete the files behind DataFrames made from this engine's views; those DataFrames become unreadable.

    With a state folder this covers all files in it that were written at least ``older_than`` seconds ago, also by
    earlier engines; an engine that only reads the folder deletes its own. Returns the number of DataFrames.
    """
    from tidelog.io.sweep import remove_folders, sweep_views  # and with them Arrow's file systems

    must_be(older_than, (int, float), "older_than", "a number of seconds")
    with core.writing:
        core.must_be_open()
        state = core.opened.lasting if core.durable is not None and core.durable.writable else None
        found = sweep_views(state, older_than) if state is not None else 0
        gone = found + (remove_folders(core.folders) if older_than <= 0 else 0)
        if older_than <= 0:
            core.folders.clear()
    return gone


def memory(core: Core) -> int:
    """Bytes held by facts, indexes, journals and texts, and by the copies that concurrent readers use."""
    return core.read(lambda facts: facts.memory) + core.replicas.memory


def asserted(core: Core, name: str) -> Rows:
    """The base facts of a relation: those that were asserted, derivable or not."""
    core.must_be_open()
    if not core.knows(name):
        raise core.unknown_relation(name)
    elsewhere = core.rules.asserted_elsewhere
    if name in elsewhere:
        with core.writing:
            cells, *_, bases = core.runtime.facts.counts(elsewhere[name])
            return fixed_rows(core, name, cells[bases])
    rules = core.rules
    if all(rule.head.predicate != name for rule in rules.program.rules):  # so all its facts are asserted
        found = fixed_rows(core, name, core.read(lambda facts: facts.rows(name)))
        if core.rules is rules:
            return found
    with core.writing:
        cells, *_, bases = core.runtime.facts.counts(name)
        return fixed_rows(core, name, cells[bases])


def undefined(core: Core, name: str) -> Rows:
    """The facts of a relation that are neither true nor false, because they depend on their own negation."""
    core.must_be_open()
    if not core.knows(name):
        raise core.unknown_relation(name)
    if not may_be_undefined(core, name):
        return fixed_rows(core, name, np.zeros((0, len(core.rules.schema[name])), np.int64))
    return fixed_rows(core, name, core.read(lambda facts: facts.rows(f"{UNDEFINED}{name}")))


def may_be_undefined(core: Core, name: str) -> bool:
    """Whether a relation may have undefined facts."""
    return f"{UNDEFINED}{name}" in core.rules.schema


def undefined_counts(core: Core, names: Iterable[str] | None = None) -> dict[str, int]:
    """How many undefined facts these relations have, or all; relations without any are left out."""
    if not core.rules.cyclic:
        return {}
    chosen = (name for name in {*(core.rules.schema if names is None else names)} if not is_auxiliary(name))
    found = {name: size(core, f"{UNDEFINED}{name}") for name in sorted(chosen) if may_be_undefined(core, name)}
    return {name: count for name, count in found.items() if count}


def time(core: Core) -> int | float:
    """The time of the last committed epoch, in seconds; 0 before the first that had one."""
    seconds: int | float = in_seconds(core.times.now)
    return seconds


def summary(core: Core) -> str:
    """An engine in one line."""
    if isinstance(core, ForkedCore):
        return f"Engine(of process {core.maker})"
    if core.closed:
        return f"Engine(closed after epoch {core.number})"
    sizes = ", ".join(f"{name}: {size(core, name):,}" for name in core.relations[:SHOWN])
    return f"Engine(epoch {core.number}, {counted(len(core.rules.program.rules), 'rule')}; {sizes or 'no relations'})"
