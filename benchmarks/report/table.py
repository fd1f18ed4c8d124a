"""Tables in Markdown, and the lines under which benchmarks keep them.

Law: the page says what was measured and on how much of a machine, never on which one.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path


def markdown(head: Sequence[str], lines: Sequence[Sequence[object]]) -> str:
    """A table whose first column is text and whose others are numbers.

    >>> print(markdown(("what", "ms"), [("one", 1)]))
    | what | ms |
    | --- | ---: |
    | one | 1 |
    """
    rule = ("---", *("---:" for _ in head[1:]))
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in (head, rule, *lines))


def machine(*packages: str) -> str:
    """What the numbers depend on."""
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, {versions}"


def write_page(path: Path, title: str, parts: Sequence[str]) -> None:
    """Keep a page of results."""
    path.write_text("\n\n".join([f"# {title}", *parts]) + "\n", encoding="utf-8")
