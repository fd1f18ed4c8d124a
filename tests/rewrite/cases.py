"""The pairs of programs in the ``.dl`` files beside this one: before, a line ``---``, after.

The file's name is the pass. A case begins with its title, a comment; rules without label are labelled before the pass.
What the pass refuses is written as ``error CODE: message``. Lines after ``---`` are compared as printed text.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent


def cases() -> Iterator[tuple[str, str, str, str]]:
    for path in sorted(HERE.glob("*.dl")):
        for case in path.read_text(encoding="utf-8").split("\n// "):
            title, _, rest = case.removeprefix("// ").partition("\n")
            before, _, after = rest.partition("---")
            yield path.stem, title, before, after.strip()
