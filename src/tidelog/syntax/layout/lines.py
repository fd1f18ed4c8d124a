"""The lines of a layout: text, and a comment behind it.

Law: after a comment that ends a line the next text begins a new one, so no layout can put a token into a comment.
Comments after consecutive lines are aligned in one column, unless one would exceed the line width.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

WIDTH = 100
STEP = 4
_APART = 2


@dataclass(slots=True)
class Line:
    """One line; ``exact`` text may contain line breaks and is never aligned."""

    text: str = ""
    comment: str = ""
    exact: bool = False


class Lines:
    """Lines as they are written, the last one open."""

    def __init__(self) -> None:
        self.done: list[Line] = [Line()]

    @property
    def column(self) -> int:
        """The length of the open line."""
        return len(self.done[-1].text)

    @property
    def is_new(self) -> bool:
        """Whether the open line contains only white space."""
        return not self.done[-1].text.strip() and not self.done[-1].comment

    @property
    def is_closed(self) -> bool:
        """Whether a comment ends the open line."""
        return bool(self.done[-1].comment)

    def begin(self, indent: int) -> None:
        """Begin a new line, or use the open one if it is empty."""
        if not self.is_new:
            self.done.append(Line())
        self.done[-1].text = " " * indent

    def write(self, text: str) -> None:
        """Add to the open line."""
        self.done[-1].text += text

    def comment(self, text: str) -> None:
        """Close the open line with a comment."""
        self.done[-1].comment = f"{self.done[-1].comment} {text}".strip()

    def exactly(self, text: str) -> None:
        """Add one or several lines of text unchanged, after the content of the open line."""
        self.done[-1].text += text
        self.done[-1].exact = True

    def empty(self) -> None:
        """Add an empty line, unless there is already one or no text yet."""
        self.begin(0)
        if len(self.done) > 1 and self.done[-2].text:
            self.done.append(Line())

    def finish(self) -> str:
        """The whole text, with a line end after every line."""
        while self.done and not self.done[-1].text.strip() and not self.done[-1].comment:
            self.done.pop()
        return "".join(text + "\n" for text in self._texts())

    def _texts(self) -> Iterator[str]:
        at = 0
        while at < len(self.done):
            run = at
            while run < len(self.done) and self.done[run].comment and not self.done[run].exact:
                run += 1
            if run == at:
                line = self.done[at]
                yield (line.text if line.exact else line.text.rstrip()) + (
                    " " * _APART + line.comment if line.comment else ""
                )
                at += 1
            else:
                yield from _aligned(self.done[at:run])
                at = run


def _aligned(lines: list[Line]) -> Iterator[str]:
    texts = [line.text.rstrip() for line in lines]
    column = max(map(len, texts)) + _APART
    fits = all(column + len(line.comment) <= WIDTH for line in lines)
    for text, line in zip(texts, lines, strict=True):
        yield (text.ljust(column) if fits else text + " " * _APART) + line.comment
