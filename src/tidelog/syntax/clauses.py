"""Reading clauses: labels, heads, rules and facts, and NDlog's ``materialize``.

Law: a clause without a head is a constraint (`constraints`). One without a body is a ground place (D7): its bare
identifiers are symbols. Without a label and without variables it is a fact. A clause with several heads stands for one
rule for each of them. A `.plan` belongs to the rule before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tidelog.program import (
    SOUFFLE,
    Aggregate,
    Atom,
    Call,
    Const,
    Disjunction,
    Fact,
    Literal,
    Materialize,
    PathAtom,
    Rule,
    Term,
    Var,
    Wildcard,
)
from tidelog.program.types.casts import cast_type, without_cast
from tidelog.program.values.term import SYMBOL, subterms, variables
from tidelog.syntax.constraints import SUGAR, ConstraintReader
from tidelog.syntax.cursor import NOT_SQL, SQL
from tidelog.syntax.depth import MAX_HEIGHT, is_too_deep
from tidelog.syntax.tokens import END, NAME, NUMBER, STRING, Token, span_between

_PATH_SIGNS = ("+", "*", "?", "/", "|", "&", "{", "[")
_KEY_TYPES = ("int32", "int", "str", "list", "cid", "id", "real", "double", "ipv4addr", "bool")
_MISSPELT = (("<", "-"), ("-", ">"), (":", "="), ("=", ">"), ("-", ":"), ("=", ":"), (":", ":"), ("|", "-"))


class ClauseReader(ConstraintReader):
    """Reads rules and facts at the cursor. `capitalised` are the symbols of the last fact that look like variables."""

    capitalised: tuple[Var, ...] = ()

    def clause(self) -> list[Rule] | list[Fact]:
        """A rule or a fact with its period: one value for each head."""
        first, start = self.token, self.at
        self.capitalised = ()
        if first.text in SUGAR:
            return [self.sugar()]
        label = self.label()
        if self.token.kind == ":-":
            rule = self.headless(first, label)
            self.refuse_depth(start, [], rule.body)
            return [rule]
        heads = self.heads()
        if self.token.kind == "<=" and len(heads) == 1:
            return [self._subsumption(first, start, label, heads[0])]
        body: tuple[Literal, ...] = ()
        if self.accept(":-"):
            if self.token.kind != ".":
                body = self.body()
            elif self.convention == SOUFFLE:  # NDlog writes facts in this way
                raise self.failure("TL188", self.previous.span)
        elif self.token.kind != ".":
            raise self._no_arrow()
        if self.token.kind != ".":
            raise self.unexpected("`,`, `;` or a period")
        self.advance()
        self.refuse_depth(start, heads, body)
        span = span_between(first, self.previous)
        if not body:
            heads = self._ground_heads(heads)
            if label is None and not any(_has_open(head) for head in heads):
                return [Fact(head, span) for head in heads]
        plans = self._plans(body)
        return [
            Rule(h, body, name, span, plans=plans) for h, name in zip(heads, _labels(label, len(heads)), strict=True)
        ]

    def _subsumption(self, first: Token, start: int, label: str | None, less: Atom) -> Rule:
        """`p(x, a) <= p(x, b) :- b <= a.`: a fact that is removed if there is a better one."""
        sign = self.advance()
        self.in_head = True
        more = self._head()
        self.in_head = False
        if more.predicate != less.predicate:
            raise self.failure("TL156", span_between(sign, self.previous), less=less.predicate, more=more.predicate)
        self.expect(":-", "`:-` and a condition")
        body = self.body()
        if not self.accept("."):
            raise self.unexpected("`,`, `;` or a period")
        self.refuse_depth(start, [less, more], body)
        less, more = _named_wildcards(less, "l"), _named_wildcards(more, "m")
        whole = (less, more, *body)
        span = span_between(first, self.previous)
        return Rule(less, whole, label, span, plans=self._plans(whole), subsumes=True)

    def _plans(self, body: tuple[Literal, ...]) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """`.plan 0:(2, 1), 1:(1, 2)` after a rule: Soufflé's advice on join orders."""
        if self.token.text != ".plan":
            return ()
        first = self.advance()
        found: dict[int, tuple[int, ...]] = {}
        while not found or self.accept(","):
            version = self._integer("the number of a version")
            self.expect(":", "`:`")
            if self.token.kind != "(":
                raise self.unexpected("`(` and an order of atoms")
            found[version] = self._order(self.advance())
        self.accept(".")
        sizes = atom_counts(body)
        for order in found.values():
            if len(order) not in sizes or sorted(order) != list(range(1, len(order) + 1)):
                most = " or ".join(map(str, sorted(sizes)))
                text = ", ".join(map(str, order))
                raise self.failure("TL127", span_between(first, self.previous), found=f"({text})", most=most)
        return tuple(sorted(found.items()))

    def _order(self, opening: Token) -> tuple[int, ...]:
        order: list[int] = []
        while self.token.kind != ")" or order:
            order.append(self._integer("the number of an atom, counted from 1"))
            if not self.accept(","):
                break
        self.close(opening, "`,`")
        return tuple(order)

    def _ground_heads(self, heads: list[Atom]) -> list[Atom]:
        """The heads of a clause without a body, their identifiers read as symbols."""
        grounded = [ground_places(head) for head in heads]
        if self.convention != SOUFFLE:
            changed = (head for head, ground in zip(heads, grounded, strict=True) if ground is not head)
            self.capitalised = tuple(t for head in changed for arg in head.args for t in variables(arg))
        return grounded

    def label(self) -> str | None:
        """`r1:`, `r1`, `r2-1:`, `"any text":` before a head, if there is one."""
        token, following = self.token, self.tokens[self.at + 1] if self.token.kind != END else self.token
        if following.kind in ("(", ":-", ".", ","):
            return None
        if token.kind == STRING and following.kind == ":":
            value = self.string()
            self.advance()
            return value
        if token.kind != NAME:
            return None
        return self._name_label()

    def _name_label(self) -> str | None:
        start, first = self.at, self.token
        name = self.label_name()
        if self.accept(":"):
            return name
        if self.token.kind == NAME and "\n" not in first.source.text[self.previous.end : self.token.start]:
            return name
        self.move_to(start)
        return None

    def heads(self) -> list[Atom]:
        """One or more heads separated by commas."""
        self.in_head = True
        heads = [self._head()]
        while self.accept(","):
            heads.append(self._head())
        self.in_head = False
        return heads

    def _head(self) -> Atom:
        if self.token.kind in ("(", "^"):
            raise self.failure("TL120", problem="cannot be the head of a rule")
        if self.token.kind != NAME:
            raise self.unexpected("the head of a clause (an atom such as `p(X)`)")
        atom = self.atom()
        if self.token.kind in _PATH_SIGNS and self.previous.kind == NAME:
            hint = NOT_SQL if self.previous.text.lower() in SQL else None
            where = span_between(self.previous, self.token)
            raise self.failure("TL120", where, hint=hint, problem="cannot be the head of a rule")
        return atom

    def _no_arrow(self) -> Exception:
        token, following = self.token, self.peek()
        if self.previous.text == "delete" and token.kind == NAME:
            return self.failure("TL175", span_between(self.previous, token))
        adjacent = (token.kind, following.kind) in _MISSPELT and following.start == token.end
        if adjacent or token.kind in (":", ":=", "=", "<", "-", "<>") or token.text in ("if", "where"):
            last = following if adjacent else token
            return self.failure("TL102", span_between(token, last), found=span_between(token, last).text)
        return self.unexpected("`:-`, `,` or a period")

    def refuse_depth(self, start: int, heads: list[Atom], body: tuple[Literal, ...] = ()) -> None:
        """Refuse clauses that are nested too deeply, also by long chains of operators; short clauses cannot be."""
        if self.at - start > MAX_HEIGHT and is_too_deep((*heads, *body)):
            raise self.failure("TL110", self.tokens[start].span, limit=MAX_HEIGHT)

    def materialize(self) -> Materialize:
        """`materialize(relation, lifetime, size, keys(1, 2)).`"""
        first = self.advance()
        opening = self.advance()
        relation = self.qualified(self._part(NAME, "the name of a relation").text)
        self._part(",", "`,` and the lifetime")
        lifetime = self._amount()
        self._part(",", "`,` and the size")
        size = self._amount()
        keys = self._keys() if self.accept(",") else ()
        self.close(opening, "`,`")
        self._part(".", "a period")
        return Materialize(relation, lifetime, size, keys, span_between(first, self.previous))

    def _part(self, kind: str, expected: str) -> Token:
        if self.token.kind != kind:
            raise self.failure("TL118", expected=expected, found=self.describe_token())
        return self.advance()

    def _amount(self) -> int | None:
        if self.token.text == "infinity":
            self.advance()
            return None
        if self.token.kind != NUMBER:
            raise self.failure("TL118", expected="a number or `infinity`", found=self.describe_token())
        return self._integer("a whole number")

    def _keys(self) -> tuple[int, ...]:
        if self.token.text != "keys" or self.peek().kind != "(":
            raise self.failure("TL118", expected="`keys(...)`", found=self.describe_token())
        self.advance()
        opening = self.advance()
        keys: list[int] = []
        while self.token.kind != ")" or keys:
            keys.append(self._integer("the number of a column, counted from 1"))
            if self.accept(":"):
                self._key_type()
            if not self.accept(","):
                break
        self.close(opening, "`,`")
        return tuple(keys)

    def _key_type(self) -> None:
        """`keys(4:list)`: RapidNet specifies how to compare a column; here every type is compared by value."""
        if self.token.text not in _KEY_TYPES:
            raise self.failure("TL118", expected=f"a type ({', '.join(_KEY_TYPES)})", found=self.describe_token())
        self.advance()


def _labels(label: str | None, count: int) -> Iterator[str | None]:
    """The label for one head; `label-1`, `label-2`, ... for several."""
    if label is None or count == 1:
        return iter([label] * count)
    return (f"{label}-{number}" for number in range(1, count + 1))


def _named_wildcards(atom: Atom, side: str) -> Atom:
    """The atom with a name for each `_`: the two facts of a subsumption are compared as a whole."""
    args = (Var(f"_{side}{i}", a.span) if isinstance(a, Wildcard) else a for i, a in enumerate(atom.args, 1))
    return Atom(atom.predicate, tuple(args), atom.location, atom.span)


def atom_counts(body: Iterable[Literal]) -> frozenset[int]:
    """The number of atoms that are not negated in a body, for each choice of branches."""
    counts = frozenset({0})
    for literal in body:
        if isinstance(literal, Disjunction):
            more = frozenset(count for branch in literal.branches for count in atom_counts(branch))
        else:
            is_atom = isinstance(literal, Atom) or (isinstance(literal, PathAtom) and not literal.negated)
            more = frozenset({1 if is_atom else 0})
        counts = frozenset(a + b for a in counts for b in more)
    return counts


def ground_places(atom: Atom) -> Atom:
    """The atom with its bare identifiers read as symbols (D7); one with aggregates is unchanged."""
    if all(type(arg) is Const for arg in atom.args):
        return atom
    if any(isinstance(t, Aggregate) for arg in atom.args for t in subterms(arg)):
        return atom
    return Atom(atom.predicate, tuple(_ground(arg) for arg in atom.args), atom.location, atom.span)


def _ground(term: Term) -> Term:
    if isinstance(term, Var):
        return Const(term.name, SYMBOL, term.span)
    if cast_type(term) is not None:
        return _ground(without_cast(term))
    if isinstance(term, Call):
        return Call(term.function, tuple(_ground(arg) for arg in term.args), term.span)
    return term


def is_open(term: Term) -> bool:
    """Whether this is a term that a ground atom cannot contain."""
    return isinstance(term, (Wildcard, Aggregate))


def _has_open(atom: Atom) -> bool:
    return any(is_open(t) for arg in atom.args for t in subterms(arg))
