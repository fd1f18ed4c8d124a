"""The pairs of programs in the ``.dl`` files of a folder: before, a line ``---``, after.

The file's name is the pass. A case begins with its title, a comment; rules without label are labelled before the pass.
What the pass refuses is written as ``error CODE: message``. Lines after ``---`` are compared as printed text.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent


def cases(folder: Path = HERE) -> Iterator[tuple[str, str, str, str]]:
    """The name of the pass, the title, and the program before and after, of every pair in the folder."""
    for path in sorted(folder.glob("*.dl")):
        for case in path.read_text(encoding="utf-8").split("\n// "):
            title, _, rest = case.removeprefix("// ").partition("\n")
            before, _, after = rest.partition("---")
            yield path.stem, title, before, after.strip()
