"""The parts that all pages share: style, elements and the drawing of graphs, as files for a browser.

Law: a part does not depend on the page that uses it, sends no requests, and writes its input as text,
never as markup. Parts are modules; a self-contained page includes them inline.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files

__all__ = ["inline", "part", "parts"]

_SUFFIXES = (".css", ".js")
_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def parts() -> Mapping[str, str]:
    """Every part by its file name."""
    names = sorted(file.name for file in files(__package__).iterdir() if file.name.endswith(_SUFFIXES))
    return {name: part(name) for name in names}


def part(name: str) -> str:
    """The text of a part."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def inline(*modules: str) -> str:
    """Modules as one script, in the order in which they need each other.

    >>> inline("import { a } from './a.js';\\nexport const b = a;\\n")
    'const b = a;\\n'
    """
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in modules)
