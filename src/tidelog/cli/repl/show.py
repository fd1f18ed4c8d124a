"""What the repl prints about an epoch.

Law: large results are cut with a count; nothing in a value can move the cursor.
"""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.engine.epoch import Epoch
from tidelog.errors.render import visible
from tidelog.explain.profile import duration
from tidelog.io.texts import show_fact

CHANGES = 8


def change_lines(epoch: Epoch) -> Iterator[str]:
    """What an epoch changed, a few facts of each relation, and how long it took."""
    for name, change in epoch.changes.items():
        for sign, rows in (("+", change.inserted), ("-", change.deleted)):
            for row in rows.head(CHANGES):
                yield visible(f"{sign} {show_fact(name, row)}")
            if len(rows) > CHANGES:
                yield f"{sign} ... {len(rows) - CHANGES:,} more of {name}"
    nothing = "" if epoch.changes else "nothing changed, "
    yield f"epoch {epoch.number}: {nothing}{duration(epoch.statistics.seconds)}"
