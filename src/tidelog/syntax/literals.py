"""Reading bodies: atoms, negated atoms, comparisons, groups with disjunction, path atoms.

Law: which kind of literal begins at a token is decided from the tokens ahead, never by trying all kinds, so that
reading is linear. ``a+(X, Y)`` may be a path or the beginning of a sum: it is a path if the bracket after it ends the
literal.
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.program import (
    SOUFFLE,
    Atom,
    Boolean,
    Call,
    Comparison,
    Const,
    Disjunction,
    Literal,
    Negation,
    PathAtom,
    Term,
)
from tidelog.program.elaborate.negate import negated, negated_body
from tidelog.program.values.path import domains
from tidelog.program.values.term import NUMBER as NUMBER_TYPE
from tidelog.syntax.cursor import SyntaxFailure
from tidelog.syntax.paths import PathReader
from tidelog.syntax.terms import AGGREGATE_NAMES, AS, BINARY, UNARY
from tidelog.syntax.tokens import END, NAME, NUMBER, STRING, Token, span_between

COMPARISON_SIGNS = {
    "=": "=", "==": "=", ":=": "=", "!=": "!=", "\\=": "!=", "\\==": "!=", "<>": "!=",
    "<": "<", "<=": "<=", "=<": "<=", ">": ">", ">=": ">=",
}  # fmt: skip
TESTS = frozenset({
    "cidr_contains", "cidr_overlaps", "contains", "ends_with", "f_inPath", "f_member", "is_cidr", "is_ip",
    "is_json", "json_has", "match", "rdf_is_blank", "rdf_is_date", "rdf_is_iri", "rdf_is_literal", "rdf_is_number",
    "rdf_is_timestamp", "regex_find", "starts_with",
})  # fmt: skip
NEGATIONS = ("!", "~", "\\+")
_A_COMPARISON = "a comparison (`=`, `!=`, `<`, `<=`, `>`, `>=`)"
_COMPARING_WORDS = {
    "is": "Write `=`.",
    "like": 'Use `starts_with(X, "a")`, `ends_with(X, "a")`, `contains("a", X)`, or `match("a.*", X)` for a pattern.',
    "in": "A variable takes several values by `(X = 1 ; X = 2)`, and the numbers of an interval by `X = range(1, 9)`.",
}  # of other languages
_TERM_WORDS = frozenset({*AGGREGATE_NAMES, *UNARY})
_ENDS = frozenset({",", ".", ";", ")", "}", END})
_ONLY_PATH = frozenset({"?", "|", "&", "{", "["})
_MAYBE_PATH = frozenset({"+", "*", "/"})


class BodyReader(PathReader):
    """Reads bodies at the cursor. `tests` are the functions that may be literals without a comparison."""

    tests: frozenset[str] = TESTS

    def body(self) -> tuple[Literal, ...]:
        """Literals separated by commas; with semicolons, one disjunction."""
        first = self.token
        branch = self._conjunction_of_literals()
        if self.token.kind != ";":
            return branch
        branches = [branch]
        while self.accept(";"):
            branches.append(self._conjunction_of_literals())
        return (Disjunction(tuple(branches), span_between(first, self.previous)),)

    def _conjunction_of_literals(self) -> tuple[Literal, ...]:
        literals: list[Literal] = []
        while True:
            if self.token.kind == "(":
                literals.extend(self._bracket())
            elif self._negates_group():
                literals.extend(self._negated_group())
            else:
                literals.append(self.literal())
            if self.token.kind != ",":
                return tuple(literals)
            self.advance()

    def literal(self) -> Literal:
        """One literal that does not begin with a bracket."""
        token = self.token
        kind = token.kind
        if kind == NAME:
            return self._named_literal(token, self.tokens[self.at + 1])
        if kind in NEGATIONS:
            return self._negation(self.advance())
        if kind == "^":
            return self._path_atom()
        if kind in (NUMBER, STRING, "-", "[") or (kind == "$" and self.peek().kind == NAME):
            return self._comparison(token)
        if kind == "@" and self._is_functor():
            return self._comparison(token)
        if kind in ("$", "@"):
            raise self._no_term(token)
        raise self.unexpected("a literal (an atom, a negated atom or a comparison)")

    def _named_literal(self, token: Token, following: Token) -> Literal:
        kind = following.kind
        if kind == "(" and (token.text not in _TERM_WORDS or self._after_bracket() in _ENDS):
            return self._atom_or_call(token)
        if token.text in UNARY and kind == "[":
            return self._comparison(token)
        if kind == "@":
            return self.atom()
        if kind in _ENDS:
            return self._bare_name(token, following)
        if kind in _ONLY_PATH:
            return self._path_atom()
        if kind in _MAYBE_PATH:
            return self._path_or_comparison(token)
        if token.text == "not" and kind == NAME and following.text not in BINARY:
            return self._negation(self.advance())
        return self._comparison(token)

    def _atom_or_call(self, token: Token) -> Literal:
        """`p(...)`: an atom, a test, or the left side of a comparison."""
        self.advance()
        opening = self.token
        if token.text == AS and self.convention == SOUFFLE:
            return self._comparison(token, self.cast(token))
        args, location = self.arguments()
        text = self.token.text
        if text in COMPARISON_SIGNS or text in BINARY:
            if location is not None:
                raise self.failure("TL115", opening.span, problem="is not allowed inside a term")
            call = self.application(token.text, args, span_between(token, self.previous))
            return self._comparison(token, call)
        span = span_between(token, self.previous)
        if token.text in self.tests:
            return self._test(Atom(token.text, args, location, span), 1)
        return Atom(self.qualified(token.text), args, location, span)

    def _test(self, atom: Atom, outcome: int) -> Comparison:
        """`contains(a, b)` alone means `contains(a, b) = 1`."""
        call = Call(atom.predicate, atom.args, atom.span)
        return Comparison("=", call, Const(outcome, NUMBER_TYPE, atom.span), atom.span)

    def _bare_name(self, token: Token, following: Token) -> Literal:
        """`true`, `false`, or an atom without arguments."""
        if token.text in ("true", "false"):
            self.advance()
            return Boolean(token.text == "true", token.span)
        if self.convention != SOUFFLE and (token.text[0].isupper() or token.text[0] in "_?"):
            raise self.failure("TL112", found=token.text)
        return self.atom()

    def _negates_group(self) -> bool:
        """Whether a negation of bracketed literals, or a second negation, begins here; a path does not count."""
        if self.token.kind not in NEGATIONS or self.peek().kind not in ("(", *NEGATIONS):
            return False
        if self.peek().kind != "(":
            return True
        start = self.at
        self.advance()
        is_group = not self._is_path() and self._after_bracket() in _ENDS
        self.move_to(start)
        return is_group

    def _negated_group(self) -> tuple[Literal, ...]:
        self.advance()
        self.enter()
        if self._negates_group():
            inner = self._negated_group()
        else:
            inner = self._group() if self.token.kind == "(" else (self.literal(),)
        self.leave()
        return negated_body(inner)

    def _negation(self, sign: Token) -> Literal:
        if self._is_path():
            path = self._path_atom()
            return replace(path, negated=True, span=span_between(sign, self.previous))
        if self.convention == SOUFFLE and self._begins_test():
            return negated(self.literal())[0]
        if self.token.kind != NAME or (self.token.text in ("true", "false") and self.peek().kind in _ENDS):
            cut = "There is no cut: a query always returns all answers." if self.token.kind in _ENDS else None
            raise self.failure("TL116", hint=cut, found=self.describe_token())
        atom = self.atom()
        if self.token.kind not in _ENDS and self.token.text in COMPARISON_SIGNS | BINARY:
            raise self.failure("TL116", span_between(sign, self.token), found="a comparison")
        if atom.predicate in self.tests:
            return self._test(atom, 0)
        return Negation(atom, span_between(sign, self.previous))

    def _begins_test(self) -> bool:
        """After a negation: whether a comparison or a truth value follows, which Soufflé allows to be negated."""
        if self.token.kind == NAME:
            following = self._after_bracket_of_call() if self.peek().kind == "(" else self.peek().text
            return following in COMPARISON_SIGNS or following in BINARY or self.token.text in ("true", "false")
        return self.token.kind in (NUMBER, STRING, "-")

    def _after_bracket_of_call(self) -> str:
        """The token after the arguments of the name at the cursor."""
        start = self.at
        self.advance()
        after = self._after_bracket()
        self.move_to(start)
        return after

    def _is_path(self) -> bool:
        """After a negation: whether a path follows; unlike an atom it has an operator before its arguments."""
        kind = self.token.kind
        following = self._after_bracket() if kind == "(" else self.peek().kind if kind == NAME else ""
        if kind == "^" or following in _ONLY_PATH or (kind == following == "("):
            return True
        return following in _MAYBE_PATH and self._reads_as_path()

    def _comparison(self, first: Token, left: Term | None = None) -> Comparison:
        left = self.term() if left is None else self.operation(left, first)
        sign = COMPARISON_SIGNS.get(self.token.text)
        if sign is None:
            if self.token.kind in _ENDS:
                raise self.failure("TL119", span_between(first, self.previous), found=self.describe_token())
            if self.token.text == "in" and self.peek().kind in ("(", "["):
                raise self.failure("TL176")
            if first.text == "delete" and self.token.kind == NAME:
                raise self.failure("TL175", span_between(first, self.token))
            hint = _COMPARING_WORDS.get(self.token.text)
            raise self.failure("TL100", hint=hint, expected=_A_COMPARISON, found=self.describe_token())
        self.advance()
        right_token = self.token
        right = self.term()
        span = span_between(first, self.previous)
        return Comparison(sign, self._truth(first, left, right), self._truth(right_token, right, left), span)

    def _truth(self, first: Token, term: Term, other: Term) -> Term:
        """`f_inPath(P, X) = false`: beside a function the words are the numbers 1 and 0 that tests give."""
        if (
            first.text in ("true", "false")
            and first.kind == NAME
            and isinstance(other, Call)
            and not isinstance(term, Call)
        ):
            return Const(int(first.text == "true"), NUMBER_TYPE, first.span)
        return term

    def atom(self) -> Atom:
        """`p`, `p(...)`, `p@X` or `p@X(...)`."""
        name = self.expect(NAME, "an atom")
        if self.token.kind == "@":
            return self._located(name)
        relation = name.text if name.text in self.tests else self.qualified(name.text)
        if self.token.kind != "(":
            return Atom(relation, (), None, name.span)
        args, location = self.arguments()
        return Atom(relation, args, location, span_between(name, self.previous))

    def _located(self, name: Token) -> Atom:
        mark = self.advance()
        if self.token.kind == NAME:
            place = self.identifier(self.advance())
        elif self.token.kind in (NUMBER, STRING, "-"):
            place = self.unary()
        else:
            raise self.unexpected("a location (a variable or a constant)")
        args: tuple[Term, ...] = ()
        if self.token.kind == "(":
            args, location = self.arguments()
            if location is not None:
                raise self.failure("TL115", mark.span, problem="occurs twice in one atom")
        return Atom(self.qualified(name.text), (place, *args), 0, span_between(name, self.previous))

    def arguments(self) -> tuple[tuple[Term, ...], int | None]:
        """The arguments in brackets, and the position of the one that carries `@`."""
        opening = self.advance()
        self.enter()
        args: list[Term] = []
        location: int | None = None
        while self.token.kind != ")" or args:
            if self.token.kind == "@" and not self._is_functor():
                if location is not None:
                    raise self.failure("TL115", problem="occurs twice in one atom")
                location = len(args)
                self.advance()
            args.append(self.term())
            if self.token.kind != ",":
                break
            self.advance()
        self.close(opening, "`,`" if args else "a term")
        self.leave()
        return tuple(args), location

    def _is_functor(self) -> bool:
        """Soufflé calls functors as `@f(...)`."""
        return self.convention == SOUFFLE and self.peek().kind == NAME and self.peek(2).kind == "("

    def _bracket(self) -> tuple[Literal, ...]:
        """A construct that starts with `(`: a group, a path or a term, depending on the token after its `)`."""
        first = self.token
        kind = self._after_bracket()
        if kind == "(" or kind in _ONLY_PATH:
            return (self._path_atom(),)
        if kind in _MAYBE_PATH:
            return (self._path_or_comparison(first),)
        if kind in COMPARISON_SIGNS or kind in BINARY:
            return (self._comparison(first),)
        return self._group()

    def _group(self) -> tuple[Literal, ...]:
        opening = self.advance()
        self.enter()
        inner = self.body()
        self.close(opening, "`,` or `;`")
        self.leave()
        return inner

    def _after_bracket(self) -> str:
        """The token after the bracket that closes the one at the cursor; its kind, or its text if it is a word."""
        depth = 0
        for at in range(self.at, len(self.tokens) - 1):
            kind = self.tokens[at].kind
            if kind == "(":
                depth += 1
            elif kind == ")":
                depth -= 1
                if not depth:
                    after = self.tokens[at + 1]
                    return after.text if after.kind == NAME else after.kind
            elif kind == "." or kind == ":-":
                break
        return END

    def _path_or_comparison(self, first: Token) -> Literal:
        return self._path_atom() if self._reads_as_path() else self._comparison(first)

    def _reads_as_path(self) -> bool:
        """Whether a path with its arguments, and then the end of the literal, follow the cursor, which is not moved."""
        start, depth = self.at, self.depth
        try:
            self.path()
            is_path = self.token.kind == "(" and self._after_bracket() in _ENDS
        except SyntaxFailure:
            is_path = False
        self.move_to(start)
        self.depth = depth
        return is_path

    def _path_atom(self) -> PathAtom:
        first = self.token
        path = self.path()
        if self.token.kind != "(":
            raise self.unexpected("the two arguments of the path: `(X, Y)`")
        args, location = self.arguments()
        span = span_between(first, self.previous)
        if self.token.kind not in _ENDS:
            raise self.unexpected("`,` or the end of the clause")
        if len(args) != 2 or location is not None:
            raise self.failure("TL120", span, problem="takes exactly two arguments, without `@`")
        for repeat in domains(path):
            if repeat.least:
                raise self.failure("TL125", repeat.span, found=f"[{repeat.domain}]")
        return PathAtom(path, args[0], args[1], span=span)
