"""What the repl prints: changes of an epoch, and answers as a table.

Law: large results are cut with a count; nothing in a value can move the cursor.
"""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.engine.epoch import Epoch
from tidelog.engine.view import Rows
from tidelog.errors.render import display_width, visible
from tidelog.explain.profile import duration
from tidelog.io.texts import show_fact, show_text

CHANGES = 8
ANSWERS = 40


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


def table_lines(rows: Rows) -> Iterator[str]:
    """Answers under the names of their variables, sorted."""
    if not rows.columns or not len(rows):
        return
    shown = sorted(rows.rows(), key=lambda row: [(type(v).__name__, v) for v in row])
    texts = [[visible(show_text(v, t)) for v, t in zip(row, rows.types, strict=True)] for row in shown[:ANSWERS]]
    lines = [list(rows.columns), *texts]
    widths = [max(display_width(line[i]) for line in lines) for i in range(len(rows.columns))]
    lines.insert(1, ["─" * width for width in widths])
    for line in lines:
        padded = (text + " " * (width - display_width(text)) for text, width in zip(line, widths, strict=True))
        yield "  ".join(padded).rstrip()
    if len(shown) > ANSWERS:
        yield f"... {len(shown) - ANSWERS:,} more"
