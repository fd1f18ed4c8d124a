"""Golden views: the accepted content of views, with which later results are compared.

Law: a golden view is a text file beside the cases, one fact per line in order, so that its changes can be read in any
tool; it is written only when it is accepted. A view that has no file yet is compared with an empty one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidelog.io.texts import show_fact

FOLDER = "golden"
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Golden:
    """The golden views of a file of cases; with ``accept`` they are written instead of compared."""

    file: Path
    accept: bool = False

    def path(self, case: str, step: int, view: str) -> Path:
        """The file of a view of a step of a case."""
        words = re.sub(r"\W+", "-", case).strip("-").lower()
        place = words if step == 1 else f"{words}-{step}"
        return self.file.parent / FOLDER / self.file.stem / place / f"{view}.txt"

    def compare(self, case: str, step: int, view: str, rows: Iterable[tuple[Any, ...]]) -> tuple[str, list[str]]:
        """The differences, and the files that were written."""
        path = self.path(case, step, view)
        now = sorted(show_fact(view, row) for row in rows)
        before = path.read_text(encoding="utf-8").splitlines() if path.exists() else None
        if now == before:
            return "", []
        if self.accept:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{line}\n" for line in now), encoding="utf-8")
            return "", [str(path)]
        difference = "has no golden file yet" if before is None else "differs from its golden file"
        return "\n".join([f"{view} {difference} ({path}); use `--accept` to write it", *_lines(before or [], now)]), []


def _lines(before: list[str], now: list[str]) -> list[str]:
    """The removed and the added facts, in order.

    >>> _lines(["p(1)", "p(2)"], ["p(2)", "p(3)"])
    ['    - p(1)', '    + p(3)']
    """
    old, new = set(before), set(now)
    changed = sorted((fact, "-" if fact in old else "+") for fact in old ^ new)
    lines = [f"    {sign} {fact}" for fact, sign in changed[:SHOWN]]
    return [*lines, f"    and {len(changed) - SHOWN} more"] if len(changed) > SHOWN else lines
