"""Reading terms: variables, constants, operators by precedence, function applications, lists, aggregates.

Law: operators bind as in Soufflé, from loose to tight: ``lor lxor land bor bxor band``, shifts,
``+ -``, ``* / %``, the unary ones, ``^`` (to the right). A minus before a number makes a negative constant unless ``^``
follows. Whether a bare identifier is a variable or a symbol depends only on the convention (D7); ``true`` and ``false``
are booleans in both. A quoted text in ``date(...)`` or ``timestamp(...)`` makes a constant.
"""

from __future__ import annotations

from abc import abstractmethod

from tidelog.errors import Span
from tidelog.program import AGGREGATES, SOUFFLE, Aggregate, Atom, Call, Const, Literal, Term, Var, Wildcard
from tidelog.program.functions.calendar import TRUTH, read_date, read_timestamp
from tidelog.program.graph.lifetime import UNITS
from tidelog.program.types.arity import TIMER
from tidelog.program.types.casts import CAST
from tidelog.program.values.program import SEPARATOR
from tidelog.program.values.term import (
    ARGUMENTS,
    BOOLEAN,
    DATE,
    FLOAT,
    PAIRED_AGGREGATES,
    PARAMETRIC,
    RECORD,
    SUM,
    SYMBOL,
    TIMESTAMP,
)
from tidelog.program.values.term import NUMBER as NUMBER_TYPE
from tidelog.syntax.cursor import Cursor
from tidelog.syntax.tokens import NAME, NUMBER, STRING, Token, span_between
from tidelog.syntax.values import read_number, read_string

UNARY_LEVEL, POWER_LEVEL = 10, 11
BINARY = {
    "lor": 1, "lxor": 2, "land": 3, "bor": 4, "bxor": 5, "band": 6, "bshl": 7, "bshr": 7, "bshru": 7,
    "+": 8, "-": 8, "*": 9, "/": 9, "%": 9, "mod": 9, "^": POWER_LEVEL,
}  # fmt: skip
UNARY = ("-", "bnot", "lnot")
RESERVED_AGGREGATES = ("count", SUM, "min", "max", "mean")  # Soufflé's: no variable has such a name
AGGREGATE_NAMES = {kind: kind for kind in (*AGGREGATES, *PAIRED_AGGREGATES)} | {"avg": "mean"}
AGGREGATE_NAMES |= {f"a_{kind.upper()}": kind for kind in RESERVED_AGGREGATES} | {"a_AVG": "mean", "a_LIST": "collect"}
DISTINCT = "distinct"
_AGGREGATE_LEVELS = 4
AS = "as"
JOINT = "::"  # between a namespace and a name
_COUNTERS = ("autoinc", "recursive_iteration_cnt")
_TERM_STARTS = frozenset({NAME, NUMBER, STRING, "(", "[", "-", "$"})


class TermReader(Cursor):
    """Reads terms at the cursor. `in_head` allows the aggregates with angle brackets."""

    in_head = False
    namespace = ""

    def qualified(self, name: str) -> str:
        """The relation that a name means inside the namespace: `::p` is `p`, and `n::p` is never changed."""
        if name[:2] == JOINT:
            return name[2:]
        return name if not self.namespace or JOINT in name or name == TIMER else f"{self.namespace}{JOINT}{name}"

    @abstractmethod
    def body(self) -> tuple[Literal, ...]:
        """A body at the cursor (for aggregates)."""

    @abstractmethod
    def atom(self) -> Atom:
        """An atom at the cursor (for aggregates without braces)."""

    def term(self, level: int = 1) -> Term:
        """A term whose operators all bind at least as tightly as `level`."""
        token = self.token
        if token[0] == NAME:
            following = self.tokens[self.at + 1]
            if following[0] in (",", ")"):  # by far the most common case: one name between commas
                self.at += 1
                self.token = following
                return self.identifier(token)
        return self.operation(self.unary(), token, level)

    def operation(self, left: Term, first: Token, level: int = 1) -> Term:
        """Continue with binary operators after the operand `left`, which began at `first`."""
        while True:
            sign = self.token.text
            binding = BINARY.get(sign, 0)
            if not binding or binding < level:
                return left
            self.advance()
            self.enter()
            right = self.term(binding if binding == POWER_LEVEL else binding + 1)
            self.leave()
            left = Call("%" if sign == "mod" else sign, (left, right), span_between(first, self.previous))

    def unary(self) -> Term:
        """An operand with its unary operators."""
        token = self.token
        if token.text not in UNARY or not self._is_prefix(token):
            return self.primary()
        self.advance()
        negated = self._negative_number(token)
        if negated is not None:
            return negated
        self.enter()
        operand = self.term(POWER_LEVEL)
        self.leave()
        return Call(token.text, (operand,), span_between(token, self.previous))

    def _is_prefix(self, token: Token) -> bool:
        """Whether a word is a prefix operator: `bnot x` is an operation, `bnot` alone an ordinary identifier."""
        return token.kind == "-" or self.peek().kind in _TERM_STARTS

    def _negative_number(self, minus: Token) -> Const | None:
        number = self.token
        if minus.kind != "-" or number.kind != NUMBER or self.peek().kind == "^" or number.text[-1] in "uU":
            return None
        self.advance()
        return self._number(number, span_between(minus, number), negative=True)

    def primary(self) -> Term:
        """A term without operators around it."""
        token = self.token
        kind = token.kind
        if kind == NAME:
            return self._named(self.advance())
        if kind == NUMBER:
            return self.duration() or self._number(self.advance(), token.span)
        if kind == STRING:
            return Const(self.string(), SYMBOL, token.span)
        if kind == "(":
            return self._grouped(self.advance())
        if kind == "[":
            return self._list(self.advance())
        if kind == "@" and self.convention == SOUFFLE and self.peek().kind == NAME and self.peek(2).kind == "(":
            self.advance()
            return self._call(self.advance(), is_functor=True)
        if kind == "$" and self.peek().kind == NAME:
            return self._variant(self.advance())
        raise self._no_term(token)

    def identifier(self, token: Token) -> Term:
        """A bare identifier: wildcard, variable or symbol, by the convention."""
        _, name, start, end, source = token
        span = Span(source, start, end)
        if name == "_":
            return Wildcard(span)
        if name in TRUTH:
            return Const(TRUTH.index(name), BOOLEAN, span)
        if self.convention == SOUFFLE:
            if name == "nil":
                return Const(None, RECORD, span)
            if SEPARATOR in name:
                raise self.failure("TL130", span, found=name)
            return Var(name, span)
        first = name[0]
        if first.isupper() or first in "_?":
            return Var(name, span)
        return Const(name, SYMBOL, span)

    def string(self) -> str:
        """The value of the string at the cursor."""
        value = read_string(self.token.text)
        if value is None:
            raise self.failure("TL109")
        self.advance()
        return value

    def terms_until(self, opening: Token) -> tuple[Term, ...]:
        """Terms separated by commas up to the bracket that closes `opening`; both brackets are stepped over."""
        self.enter()
        terms: list[Term] = []
        if self.token.kind not in (")", "]"):
            terms.append(self.term())
            while self.accept(","):
                terms.append(self.term())
        self.close(opening, "`,`" if terms else "a term")
        self.leave()
        return tuple(terms)

    def _named(self, token: Token) -> Term:
        kind = self.token.kind
        aggregate = AGGREGATE_NAMES.get(token.text)
        if aggregate is None and kind == "<" and self.in_head and token.text.startswith("a_"):
            aggregate = AGGREGATE_NAMES.get(f"a_{token.text[2:].upper()}")  # P2 writes a_min as well as a_MIN
        if aggregate is not None and (kind in _TERM_STARTS or kind in (":", "<")) and self._may_aggregate(aggregate):
            return self._aggregate(token, aggregate)
        if kind == "(":
            return self._call(token)
        return self.identifier(token)

    def _may_aggregate(self, kind: str) -> bool:
        """Whether the name before the cursor may be an aggregate: `all - 1` and `any < x` contain variables."""
        if kind in RESERVED_AGGREGATES:
            return True
        return self.token.kind in (NAME, NUMBER, STRING, "(", ":") or (self.token.kind == "<" and self.in_head)

    def _call(self, token: Token, is_functor: bool = False) -> Call | Const:
        if token.text == AS and self.convention == SOUFFLE:
            return self.cast(token)
        args = self.terms_until(self.advance())
        if token.text in _COUNTERS and not args:
            raise self.failure("TL158", token.span, found=f"`{token.text}()`")
        span = span_between(token, self.previous)
        return Call(token.text, args, span) if is_functor else self.application(token.text, args, span)

    def application(self, name: str, args: tuple[Term, ...], span: Span) -> Call | Const:
        """A function applied to terms; of a quoted text `date` and `timestamp` are literals."""
        text = args[0] if len(args) == 1 and name in (DATE, TIMESTAMP) else None
        if not isinstance(text, Const) or text.span is None or text.span.text[:1] not in ("'", '"'):
            return Call(name, args, span)
        assert isinstance(text.value, str), "it is quoted"
        try:
            value, zoned = (read_date(text.value), False) if name == DATE else read_timestamp(text.value)
        except ValueError as error:
            raise self.failure("TL135", text.span, found=text.value, type=name, reason=error) from None
        return Const(value, name, span, zoned)

    def cast(self, token: Token) -> Call:
        """`(term, Type)` after `as`: a value of another type with the same base."""
        opening = self.advance()
        self.enter()
        value = self.term()
        self.expect(",", "`,` and the name of a type")
        name = self.expect(NAME, "the name of a type")
        self.close(opening)
        self.leave()
        return Call(CAST, (value, Const(name.text, SYMBOL, name.span)), span_between(token, self.previous))

    def _number(self, token: Token, span: Span, negative: bool = False) -> Const:
        read = read_number(token.text, negative)
        if read is None:
            whole = not {".", "e"} & set(token.text.lower()) or token.text.lower().startswith("0x")
            hint = None if whole else "Use a smaller number."
            raise self.failure("TL108", span, hint=hint, found=span.text)
        return Const(read[0], read[1], span)

    def duration(self) -> Const | None:
        """`5m`, `30s`, `250ms`: a number of microseconds; None where no unit follows a number at once."""
        number, last = self.token, self.peek()
        digits = number.text.rstrip("u")  # the unit `us` begins with the suffix of unsigned numbers
        unit = number.text[len(digits) :] + last.text
        if unit not in UNITS or last.start != number.end or not digits.isdigit():
            return None
        self.advance()
        self.advance()
        return Const(int(digits) * UNITS[unit], NUMBER_TYPE, span_between(number, last))

    def _grouped(self, opening: Token) -> Term:
        self.enter()
        inner = self.term()
        self.close(opening)
        self.leave()
        return inner

    def _list(self, opening: Token) -> Call:
        args = self.terms_until(opening)
        return Call("list", args, span_between(opening, self.previous))

    def _variant(self, sign: Token) -> Call:
        """`$A(x, y)`, and `$B` for a constructor without fields."""
        name = self.advance().text
        args = self.terms_until(self.advance()) if self.token.kind == "(" else ()
        return Call(f"${name}", args, span_between(sign, self.previous))

    def _aggregate(self, token: Token, kind: str) -> Term:
        """An aggregate in either form, or the function `min(a, b)`, or an identifier that looks like one."""
        self.enter(_AGGREGATE_LEVELS)
        following = self.token.kind
        if following == "<" and self.in_head:
            result: Term = self._head_aggregate(token, kind)
        elif following == "<":
            result = self._not_an_aggregate(token)
        elif following == "(":
            result = self._aggregate_or_call(token, kind)
        else:
            distinct = self._distinct()
            value = None if self.token.kind == ":" else self.term()
            result = self._body_aggregate(token, kind, () if value is None else (value,), distinct)
        self.leave(_AGGREGATE_LEVELS)
        return result

    def _head_aggregate(self, token: Token, kind: str) -> Aggregate:
        opening = self.advance()
        if self.token.kind == "*" and self.accept("*"):
            self.close(opening)
            return self._made(token, kind, (), None)
        distinct = self._distinct()
        arguments = [self.term()]
        while self.accept(","):
            arguments.append(self.term())
        self.close(opening)
        return self._made(token, kind, tuple(arguments), None, distinct)

    def _distinct(self) -> bool:
        """Whether `distinct` is at the cursor, before what is aggregated; it is stepped over."""
        if (
            self.token.text != DISTINCT
            or self.token.kind != NAME
            or self.peek().kind not in (NAME, NUMBER, STRING, "(")
        ):
            return False
        self.advance()
        return True

    def _made(
        self,
        token: Token,
        kind: str,
        arguments: tuple[Term, ...],
        body: tuple[Literal, ...] | None,
        distinct: bool = False,
    ) -> Aggregate:
        """An aggregate of the right number of arguments."""
        span = span_between(token, self.previous)
        expected = 2 if kind in PAIRED_AGGREGATES else 1
        if len(arguments) != expected and not (kind in RESERVED_AGGREGATES and not arguments):
            raise self.failure("TL136", span, found=kind, count=len(arguments), expected=expected)
        if kind in PARAMETRIC:
            self._check_parameter(kind, arguments[1], span)
        value = Call(ARGUMENTS, arguments) if expected == 2 else next(iter(arguments), None)
        return Aggregate(kind, value, body, span, distinct=distinct)

    def _check_parameter(self, kind: str, term: Term, span: Span) -> None:
        value = term.value if isinstance(term, Const) else None
        fits = isinstance(value, str)
        needed = "a text in quotes"
        if kind == "quantile":
            needed = "a number from 0 to 1, such as 0.9"
            fits = isinstance(term, Const) and term.type in (NUMBER_TYPE, FLOAT) and 0 <= value <= 1  # type: ignore[operator]  # a number
        if not fits:
            raise self.failure("TL137", term.span or span, found=kind, needed=needed)

    def _not_an_aggregate(self, token: Token) -> Term:
        """`min<Y>` in a body is a mistake; `min < y` compares an identifier."""
        inner, closing = self.peek(1), self.peek(2)
        if closing.kind == ">" and (inner.kind in (NAME, "*")):
            raise self.failure("TL114", span_between(token, closing), found=token.text)
        return self.identifier(token)

    def _aggregate_or_call(self, token: Token, kind: str) -> Term:
        if self.peek().text == DISTINCT and self.peek(2).kind in (NAME, NUMBER, STRING, "("):
            opening = self.advance()
            self.advance()
            return self._body_aggregate(token, kind, self.terms_until(opening), True)
        call = self._call(token)
        if isinstance(call, Const) or self.token.kind != ":" or not call.args:
            return call
        return self._body_aggregate(token, kind, call.args, False)

    def _body_aggregate(self, token: Token, kind: str, arguments: tuple[Term, ...], distinct: bool) -> Aggregate:
        self.expect(":", "`:` and the body of the aggregate")
        in_head, self.in_head = self.in_head, False
        if self.token.kind == "{":
            opening = self.advance()
            body = self.body()
            self.close(opening, "`,`")
        else:
            body = (self.atom(),)
        self.in_head = in_head
        return self._made(token, kind, arguments, body, distinct)

    def _no_term(self, token: Token) -> Exception:
        if token.kind == "$":
            return self.failure("TL158", found="`$`")
        if token.kind == "@":
            if self.convention == SOUFFLE and self.peek().kind == "@":
                return self.failure("TL153", span_between(token, self.peek()))
            return self.failure("TL115", problem="is not allowed inside a term")
        return self.unexpected("a term (a variable, a constant, a function or a bracket)")
