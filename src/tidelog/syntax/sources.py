"""Sources of texts: bytes to text, included files, and the convention that a text follows (D7).

Law: any bytes make a source; bytes that are not UTF-8 become U+FFFD, which is reported once, at its first place. Binary
data is reported as such, and read as an empty text. A text follows Soufflé if it or a file it includes has a ``.decl``
or a component; ``.convention`` sets it explicitly; the first one wins.
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
LIBRARY = Path(__file__).parent / "library"
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
    """A source whose text is valid; invalid bytes are reported, once for the whole text."""
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
    """Whether this is the beginning of binary data: it has null bytes, or hardly any of it is UTF-8."""
    return "\0" in sample or 4 * len(_BROKEN.findall(sample)) > len(sample)


class Sources:
    """Loads included texts, each once."""

    def __init__(self, include: Include | str | Path | None, report: Report) -> None:
        self._include = include if callable(include) or include is None else include_from(Path(include))
        self._report = report
        self._loaded: dict[tuple[str, str, bool], Source] = {}

    def load(self, name: str, including: str, *, library: bool = False) -> Source:
        """The included text; OSError if there is none. In angle brackets it may also be a file of Tidelog's library."""
        key = (name, including, library)
        if key not in self._loaded:
            self._loaded[key] = source_of(*self._find(name, including, library), self._report)
        return self._loaded[key]

    def _find(self, name: str, including: str, library: bool) -> tuple[str, str | bytes]:
        own = LIBRARY / name
        is_own = library and own.parent == LIBRARY and own.is_file()
        if self._include is None:
            if is_own:
                return str(own), own.read_bytes()
            raise FileNotFoundError("no folder to search was given")
        try:
            return self._include(name, including)
        except OSError:
            if not is_own:
                raise
            return str(own), own.read_bytes()

    def convention_of(self, source: Source) -> str:
        """How the bare identifiers of a text are read, determined by its declarations and those of its includes."""
        said, declares = self._convention_in(source, MAX_INCLUDES, set())
        return said or (SOUFFLE if declares else PROLOG)

    def said_outright(self, source: Source) -> str | None:
        """The convention set by `.convention` in a text or in its includes."""
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
            return None, False  # the preprocessor reports it in its place


def include_from(*folders: Path, allows: Callable[[Path], bool] = lambda path: True) -> Include:
    """Looks beside the including file, then in the folders; forbidden files are neither read nor searched for."""

    def include(name: str, including: str) -> tuple[str, bytes]:
        if "\0" in name:
            raise FileNotFoundError("the name contains a null character")
        places = [folder / name for folder in (Path(including).parent, *folders)]
        path = next((place for place in places if allows(place) and place.is_file()), places[-1])
        if not allows(path):
            raise PermissionError(EACCES, "it is outside the folders that the program may read (--allow)")
        return str(path), path.read_bytes()

    return include
