"""Terms of RDF as texts: the grammar of N-Triples, and the one text that each term has.

Law (D16): equal terms have one text, so that they join as symbols: that of canonical N-Triples. A literal escapes only
characters that must be escaped, a language tag is lower case, and the datatype `xsd:string` is omitted; an IRI has no
escapes. Values are not compared here: `"1"` and `"01"` as integers are two terms (`rdf`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
STRING_TYPE, LANGUAGE_TYPE = f"{XSD}string", f"{RDF}langString"
IRI = r'<(?:[^\x00-\x20<>"{}|^`\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*>'
BLANK = r"_:[^\W_][\w.\-:·]*(?<!\.)|_:_[\w.\-:·]*(?<!\.)"
STRING = r'"(?:[^"\\\n\r]|\\[tbnrf"\'\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*"'
TAG = r"[a-zA-Z]+(?:-[a-zA-Z0-9]+)*"
LITERAL = rf"{STRING}(?:\^\^{IRI}|@{TAG})?"
_TERM = re.compile(rf"{IRI}|{BLANK}|{LITERAL}")
_PARTS = re.compile(rf'"((?:[^"\\]|\\.)*+)"(?:\^\^<([^>]*)>|@({TAG}))?', re.DOTALL)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_PLAIN_IRI = re.compile(r'[^\x00-\x20<>"{}|^`\\]*')
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_MEANT = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_WRITTEN = {ord(meant): f"\\{sign}" for sign, meant in _MEANT.items() if meant != "'"}
_WRITTEN |= {code: f"\\u{code:04X}" for code in (*range(32), 127, 0xFFFE, 0xFFFF) if code not in _WRITTEN}
MAYBE_OTHER = re.compile(rf'[\\\x00-\x09\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]|\^\^<{re.escape(STRING_TYPE)}>|"@[^ ]*[A-Z]')
"""Finds something in every text of terms that has a term whose text is not canonical, and in some others."""


class LiteralParts(NamedTuple):
    """A literal: its lexical form, the IRI of its datatype, and its language tag or nothing."""

    text: str
    datatype: str
    tag: str = ""

    def __str__(self) -> str:
        """The canonical text."""
        quoted = f'"{self.text.translate(_WRITTEN)}"'
        if self.tag:
            return f"{quoted}@{self.tag}"
        return quoted if self.datatype == STRING_TYPE else f"{quoted}^^<{self.datatype}>"


def canonical_term(text: str) -> str | None:
    """The one text of a term; None if the text is not a term.

    >>> canonical_term(r'"caf\\u00e9"@FR'), canonical_term(f'"a"^^<{STRING_TYPE}>'), canonical_term("a")
    ('"café"@fr', '"a"', None)
    """
    if not _TERM.fullmatch(text):
        return None
    if not MAYBE_OTHER.search(text):
        return text
    try:
        if text[0] == "<":
            return iri_text(unescape(text[1:-1]))
        parts = literal_parts(text)
        return text if parts is None else str(parts) if _PLAIN_IRI.fullmatch(parts.datatype) else None
    except ValueError:
        return None


def iri_text(iri: str) -> str | None:
    """An IRI as a term; None if it has characters that no IRI has."""
    return f"<{iri}>" if _PLAIN_IRI.fullmatch(iri) else None


def literal_parts(term: str) -> LiteralParts | None:
    """The parts of a literal; None for another term."""
    found = _PARTS.fullmatch(term)
    if found is None:
        return None
    text, datatype, tag = found.groups()
    if tag is not None:
        return LiteralParts(unescape(text), LANGUAGE_TYPE, tag.lower())
    return LiteralParts(unescape(text), STRING_TYPE if datatype is None else unescape(datatype))


def is_absolute(iri: str) -> bool:
    """Whether an IRI begins with a scheme."""
    return _SCHEME.match(iri) is not None


def unescape(text: str) -> str:
    """The characters that escapes mean; a ValueError for an invalid escape."""
    return _ESCAPE.sub(_meaning, text) if "\\" in text else text


def _meaning(found: re.Match[str]) -> str:
    digits = found[1] or found[2]
    if digits is None:
        return _MEANT[found[3]]
    code = int(digits, 16)
    if 0xD800 <= code < 0xE000:
        raise ValueError("a surrogate is not a character")
    return chr(code)
