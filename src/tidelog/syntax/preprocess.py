"""The preprocessor: ``#include``, ``#define`` with and without parameters and with ``##``, ``#if`` and related lines.

Law: it works on tokens, never on text, so that every token keeps a place in a text the user wrote: the expansion of a
macro has the place where the macro is used. A macro does not expand inside its own expansion, and expansion has a
budget, so preprocessing ends. Soufflé's own ``.include`` and ``.once`` are also processed here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tidelog.errors import Source
from tidelog.program.values.program import SEPARATOR
from tidelog.syntax.conditions import condition_holds
from tidelog.syntax.sources import MAX_INCLUDES, Sources
from tidelog.syntax.syntax_catalogue import SYNTAX_CODES
from tidelog.syntax.tokens import DIRECTIVE, END, NAME, NUMBER, PREPROCESS, STRING, Report, Token, scan
from tidelog.syntax.values import read_string, write_string

MAX_EXPANSION = 50_000
MAX_NESTING = 50
_LINE = re.compile(r"\#[ \t]*(\w+)[ \t]*")
_INCLUDED = re.compile(r'"([^"]+)"|<([^>]+)>')
_MACRO = re.compile(r"([^\W\d]\w*)(\(([^)]*)\))?")
_JOINED = re.compile(r'("(?:[^"\\]|\\.)*")|\s*##\s*')
JOIN = "##"  # a token that joins the tokens on both sides; it exists only in the bodies of macros
DOMAIN_SIZE = "RAM_DOMAIN_SIZE"  # which Soufflé defines: the bits of a number
MARKS = ("#", ".include", ".once", "__LINE__", "__FILE__", DOMAIN_SIZE)
_PLACES = ("__LINE__", "__FILE__")
NO_MACROS: Mapping[str, str] = {}
_IGNORED = ("line", "pragma", "warning")


@dataclass(frozen=True, slots=True)
class Macro:
    """The definition of a name; `params` is None for a macro that is used without brackets."""

    params: tuple[str, ...] | None
    tokens: tuple[Token, ...]


@dataclass(slots=True)
class _Condition:
    token: Token
    active: bool
    outer: bool
    in_else: bool = False
    taken: bool = False


class Preprocessor:
    """Expands one program: its text and all included texts share the macros."""

    def __init__(
        self, sources: Sources, convention: str, report: Report, macros: Mapping[str, str] = NO_MACROS
    ) -> None:
        self._sources = sources
        self._convention = convention
        self._report = report
        self._macros: dict[str, Macro] = {}
        self._open: list[str] = []
        self._once: set[str] = set()
        self._budget = MAX_EXPANSION
        for name, text in macros.items():
            body = scan(Source("<command line>", text), convention, report)
            self._macros[name] = Macro(None, tuple(token for token in body if token.kind != END))

    def tokens(self, source: Source) -> list[Token]:
        """All tokens of the program, an end token last."""
        tokens = scan(source, self._convention, self._report)
        if not self._macros and not any(mark in source.text for mark in MARKS):
            return tokens
        if DOMAIN_SIZE in source.text and DOMAIN_SIZE not in self._macros:
            self._macros[DOMAIN_SIZE] = Macro(None, (Token(NUMBER, "64", 0, 0, source),))
        self._open.append(source.name)
        expanded = self._expanded(tokens)
        self._open.pop()
        return expanded

    def _expanded(self, tokens: list[Token]) -> list[Token]:
        done: list[Token] = []
        conditions: list[_Condition] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            at += 1
            if token.kind == PREPROCESS:
                done.extend(self._line(token, conditions))
            elif conditions and not conditions[-1].active and token.kind != END:
                continue
            elif token.kind == NAME and token.text in self._macros:
                at = self._use(tokens, at - 1, done, ())
            elif token.kind == NAME and SEPARATOR in token.text:
                done.append(self._qualified(token))
            elif token.kind == DIRECTIVE and token.text in (".include", ".once"):
                at = self._dotted(tokens, at, done)
            else:
                done.append(_located(token) if token.text in _PLACES else token)
        for condition in conditions:
            self._fault("TL183", condition.token, word=_word(condition.token), problem="has no `#endif`")
        return done

    def _qualified(self, token: Token) -> Token:
        """`G.edge` where a macro `G` is defined as a name."""
        first, rest = token.text.split(SEPARATOR, 1)
        macro = self._macros.get(first)
        if macro is None or macro.params is not None or [t.kind for t in macro.tokens] != [NAME]:
            return token
        return token._replace(text=macro.tokens[0].text + SEPARATOR + rest)

    def _dotted(self, tokens: list[Token], at: int, done: list[Token]) -> int:
        """Process `.include "file"` or `.once` before `at`; returns the position after it."""
        word, following = tokens[at - 1], tokens[at]
        if word.text == ".once":
            self._once.add(word.source.name)
            return at
        if following.kind == "<":
            end = next((i for i in range(at, len(tokens)) if tokens[i].kind == ">"), len(tokens) - 1)
            name = word.source.text[following.end : tokens[end].start]
            done.extend(self._included(name, word, library=True))
            return end + 1
        wanted = read_string(following.text) if following.kind == STRING else None
        if wanted is None:
            self._fault("TL182", word, expected="a file name in quotes", word="include")
            return at
        done.extend(self._included(wanted, word))
        return at + 1

    def _fault(self, code: str, token: Token, **values: object) -> list[Token]:
        self._report(SYNTAX_CODES[code].diagnostic(token.span, hint=None, related=(), **values))
        return []

    def _line(self, token: Token, conditions: list[_Condition]) -> list[Token]:
        """Process one preprocessor line; an include yields tokens."""
        word = _word(token)
        if word in ("if", "ifdef", "ifndef", "elif", "else", "endif"):
            return self._condition(token, word, conditions)
        if conditions and not conditions[-1].active:
            return []
        if word == "include":
            return self._include(token)
        if word in ("define", "undef"):
            return self._define(token, word)
        return [] if word in _IGNORED else self._fault("TL184", token, word=word)

    def _condition(self, token: Token, word: str, conditions: list[_Condition]) -> list[Token]:
        if word in ("if", "ifdef", "ifndef"):
            outer = not conditions or conditions[-1].active
            holds = outer and self._holds(token, word)
            conditions.append(_Condition(token, holds, outer, taken=holds))
        elif not conditions:
            self._fault("TL183", token, word=word, problem="has no `#ifdef` before it")
        elif word == "endif":
            conditions.pop()
        elif conditions[-1].in_else:
            self._fault("TL183", token, word=word, problem="occurs twice")
        else:
            last = conditions[-1]
            last.in_else = word == "else"
            open_still = last.outer and not last.taken
            last.active = open_still and (word == "else" or self._holds(token, "if"))
            last.taken = last.taken or last.active
        return []

    def _holds(self, token: Token, word: str) -> bool:
        if word == "if":
            return self._expression_holds(token)
        name = _MACRO.match(_rest(token))
        if name is None:
            self._fault("TL182", token, expected="a name", word=word)
        return (name is not None and name[1] in self._macros) == (word == "ifdef")

    def _expression_holds(self, token: Token) -> bool:
        texts = {
            name: None if macro.params is not None else " ".join(t.text for t in macro.tokens)
            for name, macro in self._macros.items()
        }
        holds = condition_holds(_rest(token), texts)
        if holds is None:
            self._fault("TL182", token, expected="a condition over numbers and macros", word=_word(token))
        return bool(holds)

    def _include(self, token: Token) -> list[Token]:
        match = _INCLUDED.match(_rest(token))
        if match is None:
            return self._fault("TL182", token, expected="a file name in quotes", word="include")
        return self._included(match[1] or match[2], token, library=match[1] is None)

    def _included(self, name: str, token: Token, *, library: bool = False) -> list[Token]:
        try:
            source = self._sources.load(name, token.source.name, library=library)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            return self._fault("TL180", token, found=name, reason=reason)
        if source.name in self._once:
            return []
        if source.name in self._open or len(self._open) >= MAX_INCLUDES:
            return self._fault("TL181", token, found=name, limit=MAX_INCLUDES)
        return self.tokens(replace(source, included=token.span))[:-1]

    def _define(self, token: Token, word: str) -> list[Token]:
        rest = _rest(token)
        match = _MACRO.match(rest)
        if match is None:
            return self._fault("TL182", token, expected="a macro name", word=word)
        if word == "undef":
            self._macros.pop(match[1], None)
            return []
        params = None if match[2] is None else tuple(p.strip() for p in match[3].split(",") if p.strip())
        body = rest[match.end() :].replace("\\\n", " \n")
        at_definition = [
            t._replace(start=token.start, end=token.end, source=token.source) for t in self._body(body, token)
        ]
        self._macros[match[1]] = Macro(params, tuple(at_definition))
        return []

    def _body(self, text: str, token: Token) -> Iterator[Token]:
        """The tokens of a macro's text, with a token for each `##`."""
        start = 0
        for join in _JOINED.finditer(text):
            if join[1] is None:
                yield from self._scan(Source(token.source.name, text[start : join.start()]), token)
                yield token._replace(kind=JOIN, text=JOIN)
                start = join.end()
        yield from self._scan(Source(token.source.name, text[start:]), token)

    def _scan(self, body: Source, token: Token) -> list[Token]:
        """The tokens of a macro's text; its faults are shown at the definition."""
        faults: list[str] = []
        tokens = scan(body, self._convention, lambda found: faults.append(found.code))
        for code in faults:
            self._fault(code, token, found=body.text.strip())
        return tokens[:-1]

    def _use(self, tokens: list[Token], at: int, done: list[Token], hidden: tuple[str, ...]) -> int:
        """Append the expansion of the macro at `at` to `done`; returns the position after its use."""
        token = tokens[at]
        macro = self._macros[token.text]
        body = list(macro.tokens)
        after = at + 1
        if macro.params is not None:
            if after >= len(tokens) or tokens[after].kind != "(":
                done.append(token)
                return after
            args, after = _arguments(tokens, after)
            if len(args) != len(macro.params) and not (not macro.params and args == [[]]):
                self._fault("TL185", token, found=token.text, expected=len(macro.params), given=len(args))
                done.extend(tokens[at:after])
                return after
            body = _substituted(body, dict(zip(macro.params, args, strict=False)))
        if any(t.kind == JOIN for t in body):
            body = self._joined(body, token)
        placed = [_placed(t, token) if _from_definition(t, macro) else t for t in body]
        self._expand(placed, token, done, (*hidden, token.text))
        return after

    def _joined(self, body: list[Token], use: Token) -> list[Token]:
        """Tokens around each `##` made one, where they are one; the arguments that are joined are not expanded."""
        done: list[Token] = []
        joins = False
        for token in body:
            if token.kind == JOIN:
                joins = True
            elif joins and done:
                last = done.pop()
                one = self._scan(Source(use.source.name, last.text + token.text), use)
                done.extend([last._replace(kind=one[0].kind, text=one[0].text)] if len(one) == 1 else [last, token])
                joins = False
            else:
                done.append(token)
                joins = False
        return done

    def _expand(self, body: list[Token], use: Token, done: list[Token], hidden: tuple[str, ...]) -> None:
        exhausted = self._budget < 0
        self._budget -= len(body)
        if self._budget < 0 or len(hidden) > MAX_NESTING:
            self._budget = -1
            if not exhausted:
                self._fault("TL186", use, found=use.text, limit=MAX_EXPANSION)
            done.append(use)
            return
        at = 0
        while at < len(body):
            token = body[at]
            if token.kind == NAME and token.text in self._macros and token.text not in hidden:
                at = self._use(body, at, done, hidden)
            else:
                done.append(token)
                at += 1


def _located(token: Token) -> Token:
    """The line or the file of a token, in its place."""
    if token.text == "__LINE__":
        return token._replace(kind=NUMBER, text=str(token.span.line))
    return token._replace(kind=STRING, text=write_string(token.source.name))


def _word(token: Token) -> str:
    match = _LINE.match(token.text)
    assert match is not None
    return match[1]


def _rest(token: Token) -> str:
    return _LINE.sub("", token.text, count=1)


def _placed(token: Token, use: Token) -> Token:
    return Token(token.kind, token.text, use.start, use.end, use.source)


def _from_definition(token: Token, macro: Macro) -> bool:
    return bool(macro.tokens) and token.start == macro.tokens[0].start and token.end == macro.tokens[0].end


def _arguments(tokens: list[Token], at: int) -> tuple[list[list[Token]], int]:
    """The arguments of a macro whose bracket opens at `at`, and the position after the closing one."""
    args: list[list[Token]] = [[]]
    depth = 0
    for position in range(at, len(tokens)):
        token = tokens[position]
        depth += (token.kind in ("(", "[", "{")) - (token.kind in (")", "]", "}"))
        if not depth:
            return args, position + 1
        if token.kind == END:
            return args, position
        if depth == 1 and token.kind == ",":
            args.append([])
        elif position > at:
            args[-1].append(token)
    return args, len(tokens)


def _substituted(body: list[Token], values: dict[str, list[Token]]) -> list[Token]:
    return [t for token in body for t in (values.get(token.text, [token]) if token.kind == NAME else [token])]
