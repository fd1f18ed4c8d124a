"""From path expressions to text in predicate position.

Law: reading the text yields an equal path (`program.path_text`); brackets distinguish it from an atom.
"""

from __future__ import annotations

from tidelog.program import Label, Path
from tidelog.program.values.path_text import INVERSE, text_and_level
from tidelog.syntax.values import write_string


def print_path(path: Path) -> str:
    """A path as it is written before its two arguments.

    >>> from tidelog.program import Inverse, Repeat, Sequence
    >>> print_path(Repeat(Sequence((Label("a"), Inverse(Label("b")))), 1, None))
    '(a/^b)+'
    >>> print_path(Label("a"))
    '(a)'
    """
    text, level = text_and_level(path, write_string)
    plain = isinstance(path, Label) and path.value is None  # without brackets it would be an atom
    return f"({text})" if plain or level < INVERSE else text
