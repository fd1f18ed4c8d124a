"""Tables, numbers and prose of the pages, in Markdown and on a screen.

Law: a page says what was measured and on how much of a machine, never on which one. Screen and page show the same.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table as ScreenTable

from benchmarks.record import Target

WIDTH = 118
WORDS = {True: "yes", False: "no", None: ""}
STYLES = {"yes": "green", "no": "red"}


@dataclass(frozen=True, slots=True)
class Table:
    """Lines under a head: the first column and those named in ``text`` are text, the others numbers."""

    head: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    text: tuple[str, ...] = ("detail",)

    def is_text(self, place: int) -> bool:
        """Whether a column is text."""
        return place == 0 or self.head[place] in self.text


@dataclass(frozen=True, slots=True)
class Page:
    """A title, and paragraphs and tables under it; ``plot`` is described below, if there is one."""

    title: str
    parts: tuple[str | Table, ...]
    plot: str = ""


def table(head: Sequence[str], lines: Sequence[Sequence[object]], text: Sequence[str] = ("detail",)) -> Table:
    """A table of anything that has a text."""
    return Table(tuple(head), tuple(tuple(map(str, line)) for line in lines), tuple(text))


def number(value: float) -> str:
    """Three digits that matter.

    >>> number(0.1234), number(12.345), number(1234.5)
    ('0.123', '12.3', '1,234')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def target_text(target: Target | None) -> str:
    """A target in words.

    >>> target_text(Target(10, floor=True)), target_text(None)
    ('at least 10', '')
    """
    return "" if target is None else f"at {'least' if target.floor else 'most'} {number(target.limit)}"


def machine_text(machine: Mapping[str, Any], *packages: str) -> str:
    """What numbers depend on.

    >>> machine_text({"cores": 2, "python": "3.11.7", "versions": {"numpy": "2.4.6", "duckdb": "2"}}, "numpy")
    '2 cores, Python 3.11.7, numpy 2.4.6'
    """
    versions = [f"{name} {machine['versions'][name]}" for name in packages if name in machine["versions"]]
    return ", ".join([f"{machine['cores']} cores", f"Python {machine['python']}", *versions])


def prose(text: str) -> str:
    """A paragraph in lines that are not too long; links and code stay whole.

    >>> prose("one    two\\nthree")
    'one two three'
    """
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False, break_on_hyphens=False)


def markdown(rows: Table) -> str:
    """The table in Markdown.

    >>> print(markdown(table(("what", "ms"), [("one|two", 1)])))
    | what | ms |
    | --- | ---: |
    | one\\|two | 1 |
    """
    rule = tuple("---" if rows.is_text(place) else "---:" for place in range(len(rows.head)))
    lines = (rows.head, rule, *(tuple(cell.replace("|", "\\|") for cell in line) for line in rows.lines))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def page_text(page: Page) -> str:
    """The page in Markdown."""
    parts = [part if isinstance(part, str) else markdown(part) for part in page.parts]
    return "\n\n".join([f"# {page.title}", *parts, *([page.plot] if page.plot else [])]) + "\n"


def show(page: Page, console: Console) -> None:
    """The page on a screen; what missed its target is red."""
    console.rule(page.title)
    for part in page.parts:
        shown = _on_screen(part) if isinstance(part, Table) else part.replace("\n", " ") if is_prose(part) else part
        console.print(shown, highlight=False, markup=False)


def is_prose(part: str) -> bool:
    """Whether a part may be wrapped again: it is not a list.

    >>> is_prose("one\\ntwo"), is_prose("- one\\n- two")
    (True, False)
    """
    return not part.startswith("- ")


def _on_screen(rows: Table) -> ScreenTable:
    screen = ScreenTable()
    for place, name in enumerate(rows.head):
        screen.add_column(name, justify="left" if rows.is_text(place) else "right")
    met = rows.head.index("met") if "met" in rows.head else None
    for line in rows.lines:
        screen.add_row(*line, style="" if met is None else STYLES.get(line[met], ""))
    return screen
