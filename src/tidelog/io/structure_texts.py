"""Records and algebraic values as text, in Soufflé's own form: ``[1, [2, nil]]``, ``$Add($Zero, $Num(1))``.

Law: reading what was written gives the same value. The type says what a part is, so that a symbol needs no quotes
unless it contains a comma, a bracket, a quote, or space at either end; quoted text is read verbatim. An empty
symbol has no text, as in Soufflé. Neither direction
recurses on Python's stack.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tidelog.program.values.shape import Shape
from tidelog.program.values.variant import Variant, record_class, variant_class

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_BARE = {"]": re.compile(r"[^,\]]*"), ")": re.compile(r"[^,)]*")}
_NAME = re.compile(r"\$\s*([\w?.]+)\s*")
_SPACE = re.compile(r"\s*")
_NIL = re.compile(r"nil(?![\w?])")
_AWKWARD = re.compile(r'[,\[\]()"\n\r\t\\]|^\s|\s$')
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
OPEN, CLOSE = "[(", "])"


class _Frame(NamedTuple):
    """A structure that is being read: its type, its constructor, the parts so far and its closing bracket."""

    shape: Shape
    constructor: str
    parts: list[Any]
    end: str


def read_structure(text: str, shape: Shape, read_part: Callable[[str, str], Any]) -> Any:
    """The value of a text; ValueError if it is not of the type. ``read_part`` reads a part of another type.

    >>> from tidelog.program.values.schema import Column, Constructor, TypeDeclaration
    >>> from tidelog.program.values.shape import make_shapes
    >>> fields = (Column("x", "number"), Column("next", "P"))
    >>> shape = make_shapes([TypeDeclaration("P", (), False, constructors=(Constructor("", fields),))], {})["P"]
    >>> read_structure("[1, [2, nil]]", shape, lambda text, type_: int(text))
    P(x=1, next=P(x=2, next=None))
    """
    reader = _Reader(text, read_part)
    value = reader.value(shape)
    if reader.at != len(text):
        raise ValueError(text)
    return value


class _Reader:
    def __init__(self, text: str, read_part: Callable[[str, str], Any]) -> None:
        self.text, self.read_part = text, read_part
        self.at = 0
        self._step(_SPACE)

    def _step(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.at)
        self.at = self.at if match is None else match.end()
        return match

    def _accept(self, sign: str) -> bool:
        matches = self.text.startswith(sign, self.at)
        if matches:
            self.at += 1
            self._step(_SPACE)
        return matches

    def value(self, shape: Shape) -> Any:
        """The value at the cursor."""
        frames: list[_Frame] = []
        structure = self._begin(shape, frames)
        while frames:
            frame = frames[-1]
            fields = frame.shape.constructors[frame.constructor]
            if len(frame.parts) < len(fields):
                self._before_part(frame)
                field = fields[len(frame.parts)]
                if isinstance(field.type, Shape):
                    before = len(frames)
                    structure = self._begin(field.type, frames)
                    if len(frames) == before:
                        frame.parts.append(structure)
                else:
                    frame.parts.append(self._part(field.type, frame.end))
                continue
            structure = self._end(frames.pop())
            if frames:
                frames[-1].parts.append(structure)
        return structure

    def _before_part(self, frame: _Frame) -> None:
        if frame.parts and not self._accept(","):
            raise ValueError(self.text)

    def _begin(self, shape: Shape, frames: list[_Frame]) -> Any:
        """Begin a structure: push a frame, or return the value if it has no parts."""
        if shape.is_record:
            if self._step(_NIL):
                self._step(_SPACE)
                return None
            if not self._accept("["):
                raise ValueError(self.text)
            frames.append(_Frame(shape, "", [], "]"))
            return None
        name = self._step(_NAME)
        if name is None or name[1] not in shape.constructors:
            raise ValueError(self.text)
        brackets = self._accept("(")
        if brackets != bool(shape.constructors[name[1]]) and not (brackets and self._accept(")")):
            raise ValueError(self.text)
        if shape.constructors[name[1]]:
            frames.append(_Frame(shape, name[1], [], ")"))
            return None
        return Variant(name[1])

    def _part(self, type_: str, end: str) -> Any:
        """A part of a base type."""
        if type_ == "list":
            stop = _closing(self.text, self.at)
            text, self.at = self.text[self.at : stop], stop
        elif (quoted := self._step(_QUOTED)) is not None:
            text = re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), quoted[1], flags=re.DOTALL)
        else:
            bare = self._step(_BARE[end])
            assert bare is not None, "it matches the empty text"
            text = bare[0].rstrip()
        self._step(_SPACE)
        return self.read_part(text, type_)

    def _end(self, frame: _Frame) -> Any:
        if not self._accept(frame.end):
            raise ValueError(self.text)
        names = tuple(part.name for part in frame.shape.constructors[frame.constructor])
        if frame.constructor:
            return variant_class(frame.constructor, names)(*frame.parts)
        return record_class(frame.shape.name, names)(*frame.parts)


def _closing(text: str, start: int) -> int:
    """The position after the bracket that closes the one at ``start``."""
    for at, depth in _depths(text, start):
        if depth == 0:
            return at + 1
    raise ValueError(text)


def _depths(text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """Each position of a text and the bracket depth after it; quoted text is skipped."""
    depth, at = 0, start
    while at < len(text):
        if depth and text[at] == '"' and (quoted := _QUOTED.match(text, at)):
            at = quoted.end()
            continue
        depth += (text[at] in OPEN) - (text[at] in CLOSE)
        yield at, depth
        at += 1


def split_outside(line: str, delimiter: str) -> list[str]:
    """The cells of a line; a delimiter inside brackets separates parts, not cells.

    >>> split_outside("1,[2, [3, nil]],$A(4, 5),6", ",")
    ['1', '[2, [3, nil]]', '$A(4, 5)', '6']
    """
    cells, start, skip = [], 0, 0
    for at, depth in _depths(line):
        if depth == 0 and at >= skip and line.startswith(delimiter, at):
            cells.append(line[start:at])
            start = skip = at + len(delimiter)
    return [*cells, line[start:]]


def show_symbol(text: str) -> str:
    """A symbol inside a structure whose type is known.

    >>> show_symbol("two words"), show_symbol("a, b")
    ('two words', '"a, b"')
    """
    if not _AWKWARD.search(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return '"' + escaped.replace("\r", "\\r") + '"'
