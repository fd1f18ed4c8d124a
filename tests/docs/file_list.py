"""The list of files in the glossary: which file holds which concept, in the words of its first line.

Law: the list is made from the sources, so that a file that is renamed, moved or added stands in it or a test fails.
`python -m tests.docs.file_list` writes it anew.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.docs.pages import DOCS, PACKAGE

GLOSSARY = DOCS / "reference" / "glossary.md"
BEGIN, END = "<!-- files -->", "<!-- end of files -->"


def first_line(path: Path) -> str:
    """What a module says it is."""
    said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    line = said.split("\n\n")[0].replace("\n", " ").removesuffix(".")
    return line.replace("|", "\\|")


def file_list() -> str:
    """One table per package."""
    parts = []
    for package in sorted(path.parent for path in PACKAGE.glob("*/__init__.py")):
        rows = [
            f"| `{path.relative_to(package).with_suffix('')}` | {first_line(path)} |"
            for path in sorted(package.rglob("*.py"))
            if path.stem not in ("__init__", "__main__")
        ]
        parts.append("\n".join((f"### {package.name}", "", "| file | what it holds |", "|---|---|", *rows)))
    return "\n\n".join(parts)


def with_file_list(page: str) -> str:
    """The glossary with its list as it should be."""
    return re.sub(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n\n{file_list()}\n\n{END}", page, flags=re.DOTALL)


if __name__ == "__main__":
    GLOSSARY.write_text(with_file_list(GLOSSARY.read_text("utf-8")), "utf-8")
