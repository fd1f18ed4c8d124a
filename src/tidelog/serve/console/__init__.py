"""The console: pages for a browser that show and change the served program and its data.

Law: the files are fixed, their names are known before the first request, and they contain no data; everything they show
is requested through the API with the token of the user.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from tidelog.io.page import parts

__all__ = ["console_files"]

_SUFFIXES = (".css", ".html", ".js", ".svg")


def console_files() -> Mapping[str, str]:
    """The texts of all files by name: those of the console, and the parts that all pages share."""
    names = sorted(file.name for file in files(__package__).iterdir() if file.name.endswith(_SUFFIXES))
    own = {name: files(__package__).joinpath(name).read_text(encoding="utf-8") for name in names}
    return {**parts(), **own}
