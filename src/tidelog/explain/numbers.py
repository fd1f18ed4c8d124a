"""What the steps of a join order did, as lines of a table: a line for each step, with aligned numbers.

Law: lines fit into a terminal of 100 columns as long as the texts of steps do; the numbers of a longer text are on a
separate line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tidelog.plan.plan_text import WHOLE

if TYPE_CHECKING:
    from tidelog.explain.plans import JoinOrder, StepNumbers

TEXT, INDENT = 43, 4
HEAD = ("entered", "visited", "passed", "per entry", "expected")
WIDTHS = (10, 10, 10, 9, 9)


def number_lines(order: JoinOrder) -> Iterator[str]:
    """A line for the trigger with the heads of the columns, and a line for each step."""
    trigger, *steps = order.numbers
    whole = trigger.step == WHOLE
    begin = f"over {trigger.step}" if whole else f"on {trigger.step}"
    yield from _line(begin + (" (replaced)" if order.replaced else ""), HEAD if steps else HEAD[:3])
    if not whole:
        yield from _line("  facts that changed", _cells(trigger))
    for step in steps:
        yield from _line(f"  {step.step}", _cells(step))


def _line(text: str, cells: tuple[str, ...]) -> Iterator[str]:
    numbers = "".join(" " + cell.rjust(width) for cell, width in zip(cells, WIDTHS, strict=False)).rstrip()
    indent = " " * INDENT
    if numbers and len(text) > TEXT:
        yield indent + text
        text = ""
    yield (indent + text.ljust(TEXT) + numbers).rstrip()


def _cells(step: StepNumbers) -> tuple[str, ...]:
    visited = "" if step.visited is None else short(step.visited)
    per_entry = ratio(step.passed / step.entered) if step.visited is not None and step.entered else ""
    expected = "" if step.expected is None else ratio(step.expected)
    return short(step.entered), visited, short(step.passed), per_entry, expected


def short(number: int) -> str:
    """A count in at most ten characters.

    >>> short(12_345), short(123_456_789_000)
    ('12,345', '123,457 M')
    """
    return f"{number:,}" if number < 10**8 else f"{number / 10**6:,.0f} M"


def ratio(number: float) -> str:
    """Rows per entry.

    >>> ratio(0.0312), ratio(1.5), ratio(12345.6)
    ('0.031', '1.5', '12,346')
    """
    return f"{number:,.0f}" if number >= 100 else f"{number:.2g}" if number < 10 else f"{number:.1f}"


def duration(seconds: float) -> str:
    """A time in a suitable unit.

    >>> duration(0.00012), duration(0.25), duration(75)
    ('0.12 ms', '250 ms', '75.0 s')
    """
    if seconds < 0.001:
        return f"{seconds * 1000:.2f} ms"
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.1f} s"
