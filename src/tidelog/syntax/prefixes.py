"""Prefixes: `.prefix ex: <http://ex.org/>`, after which `ex:ann` is the symbol `<http://ex.org/ann>`.

Law: a name with a prefix is a string in every respect, so only the reader handles prefixes. It is written without
blanks, and needs a declared prefix. Names of columns with their types, labels of rules, and values of aggregates before
an atom (`sum x:p(x)`) are never read as such names: they are followed by an atom, begin a clause, or are part of a
declaration.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from tidelog.program.functions.rdf_terms import iri_text, is_absolute
from tidelog.syntax.tokens import DIRECTIVE, NAME, STRING, Token
from tidelog.syntax.values import write_string

Prefixes = tuple[tuple[str, str], ...]
WORD = ".prefix"
_FORM = re.compile(r"\.prefix[ \t]+([^\W\d]\w*):[ \t]*<([^<>\n]*)>")
_LOCAL = re.compile(r"\w+(?:[.\-]+\w+)*")
_ENDS = {".decl": ")", ".functor": ")", ".type": "("}  # the latest possible end of a declaration


def read_prefix(text: str) -> tuple[str, str] | None:
    """The name and the IRI of a directive; None if it has another form.

    >>> read_prefix(".prefix ex: <http://ex.org/>"), read_prefix(".prefix ex: <here>")
    (('ex', 'http://ex.org/'), None)
    """
    found = _FORM.fullmatch(text)
    return (found[1], found[2]) if found is not None and _is_iri(found[2]) else None


def _is_iri(text: str) -> bool:
    return is_absolute(text) and iri_text(text) is not None


def resolve_prefixes(tokens: list[Token], known: Iterable[tuple[str, str]] = ()) -> list[Token]:
    """The tokens with a string for each name with a prefix; a prefix is known from its directive on.

    >>> from tidelog.errors import Source
    >>> from tidelog.syntax.tokens import scan
    >>> text = '.prefix ex: <urn:x:> p(ex:a-1, X) :- X != ex:b.'
    >>> [t.text for t in resolve_prefixes(scan(Source("a", text), "prolog", print))][3:6]
    ['"<urn:x:a-1>"', ',', 'X']
    """
    prefixes = dict(known)
    if not prefixes and not any(token[0] == DIRECTIVE and token[1].startswith(WORD) for token in tokens):
        return tokens
    done: list[Token] = []
    at, end = 0, ""
    while at < len(tokens):
        token = tokens[at]
        if token.kind == DIRECTIVE:
            end = _ENDS.get(token.text, "")
            if token.text.startswith(WORD) and (found := read_prefix(token.text)):
                prefixes.setdefault(*found)
        end = "" if token.kind == end else end
        count = 0 if end else _length(tokens, at, prefixes, done)
        if count:
            done.append(_string(tokens[at : at + count], prefixes))
        else:
            done.append(token)
        at += count or 1
    return done


def _length(tokens: list[Token], at: int, prefixes: Mapping[str, str], before: list[Token]) -> int:
    """The number of tokens in the name that begins at a place; 0 if none does."""
    token, colon = tokens[at], tokens[min(at + 1, len(tokens) - 1)]
    if token.kind != NAME or token.text not in prefixes or colon.kind != ":" or colon.start != token.end:
        return 0
    if not before or before[-1].kind in (".", DIRECTIVE):  # a label
        return 0
    found = _LOCAL.match(token.source.text, colon.end)
    if found is None:
        return 0
    last = at + 2
    while tokens[last].end < found.end() and tokens[last + 1].start < found.end():
        last += 1
    if tokens[last].end != found.end() or tokens[last].source is not token.source or tokens[last + 1].kind == "(":
        return 0
    return last + 1 - at


def _string(tokens: list[Token], prefixes: Mapping[str, str]) -> Token:
    first, last = tokens[0], tokens[-1]
    local = first.source.text[tokens[1].end : last.end]
    return Token(STRING, write_string(f"<{prefixes[first.text]}{local}>"), first.start, last.end, first.source)
