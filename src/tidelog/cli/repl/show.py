"""The results of a session, as text in a terminal or a pipe.

Law: large results are cut with a count; nothing in a value can move the cursor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.console import Console

from tidelog.cli.base.show import show_diagnostics, show_error
from tidelog.cli.output.answers import count_text, table_lines
from tidelog.cli.repl.told import Answered, Changed, Failed, Found, Line, Told
from tidelog.engine.read.view import fact_writer
from tidelog.engine.write.epoch import Epoch
from tidelog.errors.render import visible
from tidelog.explain.profile import duration

CHANGES = 8
ANSWERS = 40  # that a question shows


def teller(to: Console) -> Callable[[Told], None]:
    """A printer of all results."""

    def tell(told: Told) -> None:
        if isinstance(told, Found):
            show_diagnostics(told.diagnostics, to)
        elif isinstance(told, Failed):
            show_error(told.error, to)
        else:
            for line in told_lines(told):
                to.print(line)

    return tell


def told_lines(told: Line | Answered | Changed | object) -> Iterator[str]:
    """A result, in lines."""
    match told:
        case Line(text=text):
            yield text
        case Answered(rows=rows, seconds=seconds):
            yield from table_lines(rows, ANSWERS)
            yield f"{count_text(rows)}, {duration(seconds)}"
        case Changed(epoch=epoch, convention=convention, rules=rules, dry=dry):
            yield from rules
            yield from change_lines(epoch, convention, dry=dry)
        case _:
            yield str(getattr(told, "value", told))


def change_lines(epoch: Epoch, convention: str, *, dry: bool = False) -> Iterator[str]:
    """What an epoch changed, a few facts of each relation, and how long it took."""
    for name, change in epoch.changes.items():
        for sign, rows in (("+", change.inserted), ("-", change.deleted)):
            for text in map(fact_writer(rows, name, convention), rows.head(CHANGES)):
                yield visible(f"{sign} {text}")
            if len(rows) > CHANGES:
                yield f"{sign} ... {len(rows) - CHANGES:,} more of {name}"
    yield epoch_text(epoch, dry=dry)


def epoch_text(epoch: Epoch, *, dry: bool = False) -> str:
    """The number of an epoch, whether it did anything, and how long it took."""
    nothing = "" if epoch.changes else "nothing would change, " if dry else "nothing changed, "
    title = "not committed" if dry else f"epoch {epoch.number}"
    return f"{title}: {nothing}{duration(epoch.statistics.seconds)}"
