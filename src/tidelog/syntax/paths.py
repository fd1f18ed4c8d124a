"""Reading path expressions (D10), which occur only in predicate position, ``(a/^b|c)(X, Y)``.

Law: `[...]` after a name is a constant, `edge["p"]`, never a variable; after a repetition that may be empty it is a
domain, `edge*[node]`.
From tight to loose the operators are the postfix ones (``+ * ? {m,n}``), ``^``, ``/``, ``&``, ``|``. Parts of one
operator written without brackets form one node; brackets are kept as separate nodes.
"""

from __future__ import annotations

from collections.abc import Callable

from tidelog.program import Alternative, Conjunction, Const, Inverse, Label, Path, Repeat, Sequence
from tidelog.syntax.cursor import MAX_DEPTH
from tidelog.syntax.terms import TermReader
from tidelog.syntax.tokens import NAME, NUMBER, STRING, Token, span_between
from tidelog.syntax.values import INT_MAX, read_number

_BRACKET_LEVELS = 3
_POSTFIX: dict[str, tuple[int, int | None]] = {"+": (1, None), "*": (0, None), "?": (0, 1)}


class PathReader(TermReader):
    """Reads path expressions at the cursor."""

    def path(self) -> Path:
        """A whole path expression."""
        return self._chain("|", self._conjunction, Alternative)

    def _conjunction(self) -> Path:
        return self._chain("&", self._sequence, Conjunction)

    def _sequence(self) -> Path:
        return self._chain("/", self._inverse, Sequence)

    def _chain(self, sign: str, part: Callable[[], Path], node: Callable[[tuple[Path, ...]], Path]) -> Path:
        parts = [part()]
        while self.accept(sign):
            parts.append(part())
        return node(tuple(parts)) if len(parts) > 1 else parts[0]

    def _inverse(self) -> Path:
        if not self.accept("^"):
            return self._repeated()
        self.enter()
        inner = self._inverse()
        self.leave()
        return Inverse(inner)

    def _repeated(self) -> Path:
        path = self._step()
        times = 0
        while self.token.kind in ("+", "*", "?", "{"):
            times += 1
            if times > MAX_DEPTH:
                raise self.failure("TL110", limit=MAX_DEPTH)
            token = self.advance()
            least, most = _POSTFIX[token.kind] if token.kind != "{" else self._bounds(token)
            domain = self._domain() if self.token.kind == "[" else None
            path = Repeat(path, least, most, domain, span_between(token, self.previous))
        return path

    def _domain(self) -> str:
        """`[node]` after a repetition: where it may be empty."""
        opening = self.advance()
        name = self.expect(NAME, "the name of a relation with one column, at whose members the path may be empty")
        self.close(opening)
        return self.qualified(name.text)

    def _step(self) -> Path:
        if self.token.kind == "(":
            opening = self.advance()
            self.enter(_BRACKET_LEVELS)
            inner = self.path()
            self.close(opening, "a path operator")
            self.leave(_BRACKET_LEVELS)
            return inner
        name = self.expect(NAME, "the name of a relation or `(` in the path expression")
        if self.token.kind != "[":
            return Label(self.qualified(name.text), None, name.span)
        opening = self.advance()
        value = self._label_value()
        self.close(opening)
        return Label(self.qualified(name.text), value, span_between(name, self.previous))

    def _label_value(self) -> str | int:
        token = self.token
        if token.kind == STRING:
            return self.string()
        if token.kind == NAME:
            if not isinstance(self.identifier(token), Const):
                raise self.failure("TL138", token.span, found=token.text)
            return self.advance().text
        negative = self.accept("-")
        return self._integer("a symbol or a number in `[...]`", negative)

    def _integer(self, expected: str, negative: bool = False) -> int:
        token = self.expect(NUMBER, expected)
        read = read_number(token.text, negative)
        if read is None or read[0] > INT_MAX:
            raise self.failure("TL108", token.span, found=token.text)
        if not isinstance(read[0], int):
            raise self.failure("TL100", token.span, expected=expected, found=self.describe_token(token))
        return read[0]

    def _bounds(self, opening: Token) -> tuple[int, int | None]:
        """`{m}`, `{m,}` or `{m,n}`, after the brace."""
        least = self._integer("the number of repetitions")
        most: int | None = least
        if self.accept(","):
            most = None if self.token.kind == "}" else self._integer("the highest number of repetitions")
        self.close(opening, "`,`")
        if most is not None and most < least:
            span = span_between(opening, self.previous)
            raise self.failure("TL121", span, found=span.text)
        return least, most
