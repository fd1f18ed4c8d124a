"""What a run held and cost: facts per relation, memory and epochs.

Law: statistics of a run are printed to the standard error; its results do not depend on whether they are requested.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tidelog.cli.session.session import ProgramSession, SessionEpoch
from tidelog.errors.counts import counted
from tidelog.explain.numbers import duration


def show_statistics(session: ProgramSession, steps: Sequence[SessionEpoch], to: Console) -> None:
    """Print facts per relation, memory and epochs."""
    views = set(session.views)
    table = _table("relation", "kind", "facts")
    for name in session.relations:
        table.add_row(Text(name), "view" if name in views else "base", f"{session.size(name):,}")
    to.print(table)
    memory = "" if session.memory is None else f", {session.memory / 1e6:,.1f} MB"
    epochs = counted(len(steps), "epoch")
    to.print(f"{epochs} in {duration(sum(step.seconds for step in steps))}{memory}")


def _table(first: str, *others: str, title: str | None = None) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="left" if name == "kind" else "right", no_wrap=True)
    return table
