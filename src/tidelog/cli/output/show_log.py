"""The epochs of a state as lines or as JSON: time, duration and changes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict

import typer

from tidelog.cli.base.options import Format
from tidelog.cli.base.show import console
from tidelog.cli.input.state import opened
from tidelog.explain.numbers import duration
from tidelog.store.folder.history import LogEntry


def show_log(state: str, format_: Format) -> None:
    """Print all epochs of a state."""
    with opened(state) as db:
        entries = db.log()
        if format_ is Format.json:
            typer.echo(json.dumps([asdict(entry) for entry in entries], indent=2))
            return
        to = console()
        for entry in entries:
            for line in lines_of(entry):
                to.print(line)


def lines_of(entry: LogEntry) -> Iterator[str]:
    """An epoch as lines."""
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(entry.time))
    origin = "" if entry.source is None else f", {entry.source} at {entry.offset}"
    author = "" if entry.author is None else f", by {entry.author}"
    yield f"epoch {entry.epoch}: {when}, {duration(entry.seconds)}, {entry.size:,} bytes{origin}{author}"
    if entry.note is not None:
        yield from (f"  {line}" for line in entry.note.splitlines())
    yield from (f"  - rule {label}" for label in entry.removed)
    yield from (f"  + rule {rule}" for rule in entry.added)
    facts = [f"{name} +{entry.asserted.get(name, 0):,} -{entry.retracted.get(name, 0):,}" for name in _based(entry)]
    if facts:
        yield f"  facts: {', '.join(facts)}"
    views = [f"{name} +{n.inserted:,} -{n.deleted:,}" for name, n in entry.changed.items() if name not in _based(entry)]
    if views:
        yield f"  views: {', '.join(views)}"


def _based(entry: LogEntry) -> list[str]:
    return sorted({*entry.asserted, *entry.retracted})
