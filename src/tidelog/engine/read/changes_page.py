"""What an epoch changed, for notebooks.

Law: every relation that changed is listed with its counts and a few of its rows.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.engine.read.view import ChangeSet
from tidelog.io import html


def changes_page(changes: Mapping[str, ChangeSet]) -> str:
    """A collapsible section for each relation that changed, with a few of the added and removed rows."""
    if not changes:
        return html.page(html.line(html.text("no change")))
    return html.page(*(_changed(name, change, shown=len(changes) <= 3) for name, change in changes.items()))


def _changed(name: str, change: ChangeSet, *, shown: bool) -> str:
    sides = (("+", change.inserted), ("−", change.deleted))
    counts = " ".join(f"{sign}{len(rows):,}" for sign, rows in sides)
    few = [(sign, *map(str, row)) for sign, rows in sides for row in rows.head()]
    more = len(change.inserted) + len(change.deleted) - len(few)
    inside = html.table(("", *change.inserted.columns), few)
    if more:
        inside += html.line(html.faint(f"... {more:,} more"))
    return html.fold(f"{html.code(name)} {html.text(counts)}", inside, is_open=shown)
