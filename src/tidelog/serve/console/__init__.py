"""The console: pages for a browser that show and change what is served.

Law: the files are fixed and few, are known by their names before the first request, and hold no data; everything they
show comes through the API with the token of the person who looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from tidelog.io.page import parts

__all__ = ["console_files"]

_SUFFIXES = (".css", ".html", ".js", ".svg")


def console_files() -> Mapping[str, str]:
    """The texts of all files by their names: those of the console, and the parts that all pages share."""
    found = sorted(file.name for file in files(__package__).iterdir() if file.name.endswith(_SUFFIXES))
    own = {name: files(__package__).joinpath(name).read_text(encoding="utf-8") for name in found}
    return {**parts(), **own}
