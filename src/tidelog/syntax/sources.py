"""Where texts come from: bytes to text, included files, and which convention a text follows (D7).

Law: any bytes make a source; what is not UTF-8 becomes U+FFFD, which is reported once, where it first stands. Bytes
that are no text at all are reported as that, and read as an empty text. A text follows Soufflé if it or a file it
includes has a ``.decl`` or a component; ``.convention`` says it outright, the first one wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from errno import EACCES
from pathlib import Path

from tidelog.errors import Source, Span
from tidelog.program import PROLOG, SOUFFLE
from tidelog.syntax.syntax_catalogue import SYNTAX_CODES
from tidelog.syntax.tokens import Report, printable

MAX_INCLUDES = 32
Include = Callable[[str, str], "tuple[str, str | bytes]"]
"""Called with the name wanted and the name of the including text; gives the name and the text, or raises OSError."""

_NOT_TEXT = re.compile("[\ufffd\ud800-\udfff]++")
_BROKEN = re.compile("[\ufffd\ud800-\udfff]")
SAMPLE = 1 << 13
_TOKENS = re.compile(
    r'"(?:[^"\\\n]++|\\[^\n])*+"|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)|%[^\n]*+'
    r"|(?<!\S)(?P<decl>\.(?:decl|comp|init)\b)|(?<!\S)\.convention\s++(?P<convention>souffle|prolog)\b"
    r'|(?:\#[ \t]*+|(?<!\S)\.)include[ \t]*+"(?P<include>[^"\n]*+)"'
)


_KEYWORDS = (".decl", ".comp", ".init", ".convention", "include")


def source_of(name: str, text: str | bytes, report: Report) -> Source:
    """A source whose text is valid; what is not is reported, once for the whole text."""
    decoded = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    if _is_binary(decoded[:SAMPLE]):
        shown = Source(name, printable(decoded))
        report(SYNTAX_CODES["TL131"].diagnostic(Span(shown, 0, len(shown.text)), found=name))
        return Source(name, "")
    source = Source(name, decoded.removeprefix("\ufeff"))
    first = _NOT_TEXT.search(source.text)
    if first is not None:
        report(SYNTAX_CODES["TL107"].diagnostic(Span(source, *first.span())))
    return source


def _is_binary(sample: str) -> bool:
    """Whether this is the beginning of something else than a text: null bytes, or hardly anything that is UTF-8."""
    return "\0" in sample or 4 * len(_BROKEN.findall(sample)) > len(sample)


class Sources:
    """Loads included texts, each once."""

    def __init__(self, include: Include | str | Path | None, report: Report) -> None:
        self._include = include if callable(include) or include is None else include_from(Path(include))
        self._report = report
        self._loaded: dict[tuple[str, str], Source] = {}

    def load(self, name: str, including: str) -> Source:
        """The included text; OSError if there is none."""
        key = (name, including)
        if key not in self._loaded:
            if self._include is None:
                raise FileNotFoundError("no folder to search was given")
            self._loaded[key] = source_of(*self._include(name, including), self._report)
        return self._loaded[key]

    def convention_of(self, source: Source) -> str:
        """How the bare identifiers of a text are read, by what it and its includes declare."""
        said, declares = self._convention_in(source, MAX_INCLUDES, set())
        return said or (SOUFFLE if declares else PROLOG)

    def said_outright(self, source: Source) -> str | None:
        """What `.convention` says in a text or in what it includes."""
        return self._convention_in(source, MAX_INCLUDES, set())[0]

    def _convention_in(self, source: Source, depth: int, seen: set[str]) -> tuple[str | None, bool]:
        text = source.text
        if not any(word in text for word in _KEYWORDS):
            return None, False
        said: str | None = None
        declares = False
        for match in _TOKENS.finditer(text):
            if match.lastgroup == "decl":
                declares = True
            elif match.lastgroup == "convention":
                said = said or match["convention"]
            elif match.lastgroup == "include" and depth and match["include"] not in seen:
                seen.add(match["include"])
                inner_said, inner_declares = self._included(match["include"], source.name, depth - 1, seen)
                said, declares = said or inner_said, declares or inner_declares
        return said, declares

    def _included(self, name: str, including: str, depth: int, seen: set[str]) -> tuple[str | None, bool]:
        try:
            return self._convention_in(self.load(name, including), depth, seen)
        except OSError:
            return None, False  # the preprocessor reports it where it stands


def include_from(*folders: Path, allows: Callable[[Path], bool] = lambda path: True) -> Include:
    """Looks beside the including file, then in the folders; what is not allowed is neither read nor looked for."""

    def include(name: str, including: str) -> tuple[str, bytes]:
        if "\0" in name:
            raise FileNotFoundError("the name contains a null character")
        places = [folder / name for folder in (Path(including).parent, *folders)]
        path = next((place for place in places if allows(place) and place.is_file()), places[-1])
        if not allows(path):
            raise PermissionError(EACCES, "it is outside the folders that the program may read (--allow)")
        return str(path), path.read_bytes()

    return include
