"""What `tidelog run` prints: changes per epoch, relations, statistics and the profile.

Law: results (relations, sizes, changes) go to the standard output; what is told about the run to the standard error.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tidelog.cli.session import Session, Step, ViewChange
from tidelog.explain.profile import duration
from tidelog.io.files import output_bytes
from tidelog.io.parameters import Layout
from tidelog.io.texts import show_fact

LINE = "-" * 15
DOUBLE_LINE = "=" * 15


def show_step(step: Step, told: int, to: Console) -> None:
    """One epoch of a script: how long it took, and for each view how many rows came and went, with a few of them."""
    to.print(f"epoch {step.number}: {told} {'change' if told == 1 else 'changes'}, {duration(step.seconds)}")
    width = max(map(len, step.changes), default=0)
    for name, change in step.changes.items():
        to.print(f"  {name:<{width}}  +{change.inserted:,} -{change.deleted:,}  {examples(name, change)}".rstrip())
    if not step.changes:
        to.print("  no view changed")


def examples(name: str, change: ViewChange) -> str:
    """A few rows that came and went.

    >>> examples("p", ViewChange(4, 1, ((1,), (2,), (3,)), ((9,),)))
    '+p(1) +p(2) +p(3) ... -p(9)'
    """
    parts = []
    for sign, rows, total in (
        ("+", change.some_inserted, change.inserted),
        ("-", change.some_deleted, change.deleted),
    ):
        parts += [sign + show_fact(name, row) for row in rows]
        parts += ["..."] if total > len(rows) else []
    return " ".join(parts)


def relation_text(name: str, table: pa.Table, types: Sequence[str | None], layout: Layout) -> str:
    """A relation as Soufflé prints it to the terminal."""
    rows = output_bytes(name, table, types, layout, f"`{name}`").decode("utf-8", "replace")
    return f"{LINE}\n{name}\n{DOUBLE_LINE}\n{rows}{DOUBLE_LINE}\n"


def show_statistics(session: Session, steps: Sequence[Step], to: Console) -> None:
    """Facts per relation, memory and epochs."""
    views = set(session.views)
    table = _table("relation", "kind", "facts")
    for name in session.relations:
        table.add_row(Text(name), "view" if name in views else "base", f"{session.size(name):,}")
    to.print(table)
    memory = "" if session.memory is None else f", {session.memory / 1e6:,.1f} MB"
    epochs = f"{len(steps)} {'epoch' if len(steps) == 1 else 'epochs'}"
    to.print(f"{epochs} in {duration(sum(step.seconds for step in steps))}{memory}")


def _table(first: str, *others: str, title: str | None = None) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="left" if name == "kind" else "right", no_wrap=True)
    return table
