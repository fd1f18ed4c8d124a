"""Reading Overlog: the texts of P2 and RapidNet, with SeNDlog's `says` and `At S:`.

Law: a name that begins with a capital letter is a variable, except in facts of topologies and scripts, where every
name is a symbol. Operators bind, from loose to tight: `? :`, `||`, `&&`, comparisons and `in`, `+ -`, `* / %`,
`<< >>`, unary ones. (The original parsers have no levels in arithmetic; their programs mean the same under these.)
A name inside `namespace n { ... }` is `n::name`; one that begins with `::` is read as written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tidelog.errors import ProgramError, Source, Span
from tidelog.lab.network.network_catalogue import FACT, SYNTAX
from tidelog.lab.network.program import (
    AGGREGATES,
    PERIODIC,
    Absence,
    Aggregate,
    Anything,
    Apply,
    Assignment,
    Atom,
    Condition,
    Constant,
    Deletion,
    Literal,
    Program,
    ProgramFact,
    ProgramVariable,
    Rule,
    TableDeclaration,
    Term,
)
from tidelog.lab.network.ring import Id
from tidelog.lab.network.scan import END, NAME, NUMBER, STRING, Token, scan

_LEVELS = (("||",), ("&&",), ("==", "!=", "<", "<=", ">", ">=", "in"), ("+", "-"), ("*", "/", "%"), ("<<", ">>"))
_COMPARISONS = _LEVELS[2]
_WORDS: Mapping[str, bool | None] = {"true": True, "false": False, "null": None}
_IGNORED = ("watch", "watchmod", "watchfine")
INSERT, DELETE, STOP = "+", "-", "stop"


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """What happens from outside at a time: a fact is inserted or deleted, or a node stops."""

    time: float
    action: str
    atom: Atom


def read_program(text: str, name: str = "<text>", macros: Mapping[str, str] | None = None) -> Program:
    """The program of a text; `macros` are defined before it begins.

    >>> program = read_program("r1 delete p(@X, _) :- e(@X), X != f_now().")
    >>> program.rules[0].deletes, program.rules[0].head.relation
    (True, 'p')
    """
    return _Reader(scan(Source(name, text), macros or {})).program()


def read_topology(text: str, name: str = "<topology>") -> Program:
    """The facts and tables of a topology; names are symbols.

    >>> read_topology("link(a, B).").facts[0].atom.args
    (Constant(value='a'), Constant(value='B'))
    """
    program = _Reader(scan(Source(name, text), {})).program()
    if program.rules:
        raise ProgramError([FACT.diagnostic(program.rules[0].span, problem="a topology contains a rule")])
    return replace(program, facts=tuple(_with_symbols(fact) for fact in program.facts))


def read_script(text: str, name: str = "<script>") -> tuple[ScriptStep, ...]:
    """The steps of a script: `at 30.` sets the time of what follows, `+fact.`, `-fact.`, `stop node.`

    >>> [(step.time, step.action) for step in read_script("+link(a,b). at 3.5. stop a.")]
    [(0, '+'), (3.5, 'stop')]
    """
    return tuple(_Reader(scan(Source(name, text), {})).script())


def _with_symbols(fact: ProgramFact) -> ProgramFact:
    atom = fact.atom
    args = tuple(_symbol(arg) for arg in atom.args)
    return replace(fact, atom=replace(atom, args=args, place=_symbol(atom.place)))


def _symbol(term: Term) -> Term:
    return Constant(term.name) if isinstance(term, ProgramVariable) else term


class _Reader:
    """A cursor over the tokens, with the namespace and the SeNDlog context around it."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.namespace = ""
        self.context: ProgramVariable | None = None

    # ---- statements

    def program(self) -> Program:
        rules: list[Rule] = []
        tables: list[TableDeclaration] = []
        facts: list[ProgramFact] = []
        while self.token.kind != END:
            following = self.peek().kind
            if self.token.text == "materialize" and following == "(":
                tables.append(self._table())
            elif self.token.text in _IGNORED and following == "(":
                self._skip_statement()
            elif self.token.text == "namespace" and following == NAME:
                self._open_namespace()
            elif self.namespace and self.token.kind == "}":
                self.advance()
                self.namespace = self.namespace.rpartition("::")[0]
            elif self.token.text == "At" and following == NAME and self.peek(2).kind == ":":
                self.advance()
                self.context = self._variable(self.advance())
                self.advance()
            else:
                self._clause(rules, facts)
        if self.namespace:
            raise self.failure("`}`")
        return Program(tuple(rules), tuple(tables), tuple(facts))

    def script(self) -> list[ScriptStep]:
        steps: list[ScriptStep] = []
        time: float = 0
        while self.token.kind != END:
            if self.token.text == "at":
                self.advance()
                time = self._number("a time in seconds")
            elif self.token.text == STOP:
                self.advance()
                node = _symbol(self._unary())
                steps.append(ScriptStep(time, STOP, Atom(STOP, (), node)))
            elif self.token.kind in (INSERT, DELETE):
                action = self.advance().kind
                fact = _with_symbols(ProgramFact(self._atom()))
                _refuse_open(fact)
                steps.append(ScriptStep(time, action, fact.atom))
            else:
                raise self.failure("`at TIME.`, `+fact.`, `-fact.` or `stop NODE.`")
            self.expect(".", "a period")
        return steps

    def _table(self) -> TableDeclaration:
        self.advance()
        self.expect("(", "`(`")
        relation = self._qualified(self.expect(NAME, "the name of a table").text)
        self.expect(",", "`,` and the lifetime")
        lifetime = self._amount("the lifetime: seconds or `infinity`")
        self.expect(",", "`,` and the size")
        size = self._amount("the size: a number or `infinity`")
        keys = self._keys() if self.accept(",") else ()
        self.expect(")", "`)`")
        self.expect(".", "a period")
        return TableDeclaration(relation, lifetime, None if size is None else int(size), keys)

    def _amount(self, expected: str) -> float | None:
        if self.token.text == "infinity":
            self.advance()
            return None
        return self._number(expected)

    def _number(self, expected: str) -> float:
        value = _number_value(self.expect(NUMBER, expected).text)
        return value if isinstance(value, float) else int(value)

    def _keys(self) -> tuple[int, ...]:
        if self.token.text != "keys":
            raise self.failure("`keys(...)`")
        self.advance()
        self.expect("(", "`(`")
        keys: list[int] = []
        while not keys or self.accept(","):
            keys.append(int(self._number("the number of a column, counted from 1")) - 1)
            if self.accept(":"):  # RapidNet names the type of a column; values are compared by themselves here
                self.expect(NAME, "the name of a type")
        self.expect(")", "`)`")
        return tuple(keys)

    def _skip_statement(self) -> None:
        while self.token.kind not in (".", END):
            self.advance()
        self.expect(".", "a period")

    def _open_namespace(self) -> None:
        self.advance()
        name = self.advance().text
        self.namespace = f"{self.namespace}::{name}" if self.namespace else name
        self.expect("{", "`{`")

    def _clause(self, rules: list[Rule], facts: list[ProgramFact]) -> None:
        first = self.token
        label = self._label()
        deletes = self.token.text == "delete" and self.peek().kind == NAME
        if deletes:
            self.advance()
        head = self._said()
        if self.accept(":-"):
            body = [self._literal()]
            while self.accept(","):
                body.append(self._literal())
            self.expect(".", "`,` or a period")
            rules.append(Rule(label or f"rule{len(rules) + 1}", head, tuple(body), deletes, self._since(first)))
            return
        self.expect(".", "`:-` or a period")
        fact = ProgramFact(head, self._since(first))
        _refuse_open(fact)
        facts.append(fact)

    def _label(self) -> str | None:
        """A name before the head, perhaps with a number after a minus or a colon: `r1`, `r2-1:`."""
        at, name = self.at, self.token
        if name.kind != NAME or name.text in ("delete", "encrypts") or self.peek().text in ("(", "says"):
            return None
        self.advance()
        label = name.text
        while self.token.kind == "-" and self.peek().kind in (NUMBER, NAME):
            label += self.advance().text + self.advance().text
        if not self.accept(":") and self.token.kind != NAME:
            self.at = at
            return None
        return label

    # ---- atoms and literals

    def _literal(self) -> Literal:
        token, following = self.token, self.peek()
        if token.text == "delete" and following.kind == NAME:
            self.advance()
            return Deletion(self._atom())
        if token.text == "notin" and following.kind == NAME:
            self.advance()
            return Absence(self._atom())
        if token.kind == "!" and following.kind == NAME and self.peek(2).kind == "(" and not _is_function(following):
            self.advance()
            return Absence(self._atom())
        if token.kind == NAME and following.kind in (":=", "="):
            self.advance()
            self.advance()
            return Assignment(self._variable(token), self._term())
        if token.text == "encrypts" or following.text == "says":
            return self._said()
        if token.kind == NAME and following.kind == "(" and not _is_function(token):
            return self._atom()
        return Condition(self._term())

    def _said(self) -> Atom:
        """`encrypts X says p(...)@D`; each part but the atom may be missing."""
        encrypted = self.token.text == "encrypts" and self.peek().kind == NAME
        if encrypted:
            self.advance()
        sayer: Term | None = None
        if self.peek().text == "says":
            sayer = self._unary()
            self.advance()
        return replace(self._atom(), sayer=sayer, encrypted=encrypted)

    def _atom(self) -> Atom:
        first = self.expect(NAME, "an atom")
        self.expect("(", "`(` and the columns of the atom")
        args: list[Term] = []
        place: Term | None = None
        while self.token.kind != ")":
            is_place = self.accept("@")
            arg = self._argument()
            if isinstance(arg, tuple):  # min<@BI>
                is_place, arg = True, arg[0]
            if is_place:
                place = arg.value if isinstance(arg, Aggregate) else arg
            args.append(arg)
            if not self.accept(","):
                break
        self.expect(")", "`,` or `)`")
        if self.accept("@"):
            place = self._unary()
        if place is None:
            place = self.context or (args[0] if args else Anything())
        relation = first.text if first.text == PERIODIC else self._qualified(first.text)
        return Atom(relation, tuple(args), place, span=self._since(first))

    def _argument(self) -> Term | tuple[Term]:
        kind = self.token.text.lower().removeprefix("a_")
        if self.token.kind != NAME or self.peek().kind != "<" or kind not in AGGREGATES:
            return self._term()
        if self.peek(2).kind not in ("*", ">", "@") and self.peek(3).kind != ">":
            return self._term()
        self.advance()
        self.advance()
        is_place = self.accept("@")
        value = None if self.accept("*") or self.token.kind == ">" else self._unary()
        self.expect(">", "`>`")
        aggregate = Aggregate(kind, value)
        return (aggregate,) if is_place else aggregate

    def _qualified(self, name: str) -> str:
        if name.startswith("::"):
            return name[2:]
        return f"{self.namespace}::{name}" if self.namespace and "::" not in name else name

    # ---- terms

    def _term(self) -> Term:
        condition = self._level(0)
        if not self.accept("?"):
            return condition
        first = self._term()
        self.expect(":", "`:`")
        return Apply("?:", (condition, first, self._term()))

    def _level(self, level: int) -> Term:
        if level == len(_LEVELS):
            return self._unary()
        first = self.token
        left = self._level(level + 1)
        while self.token.text in _LEVELS[level] and self.token.kind not in (STRING,):
            sign = self.advance().text
            if sign == "in":
                left = self._interval(left)
            else:
                left = Apply(sign, (left, self._level(level + 1)), self._since(first))
        return left

    def _interval(self, value: Term) -> Term:
        if self.token.kind not in ("(", "["):
            raise self.failure("an interval such as `(N, S]`")
        opening = self.advance().kind
        low = self._term()
        self.expect(",", "`,` and the upper bound")
        high = self._term()
        if self.token.kind not in (")", "]"):
            raise self.failure("`)` or `]`")
        return Apply(f"in{opening}{self.advance().kind}", (value, low, high))

    def _unary(self) -> Term:
        token = self.advance()
        if token.kind in ("-", "!"):
            operand = self._unary()
            if token.kind == "-" and isinstance(operand, Constant) and isinstance(operand.value, int | float):
                return Constant(-operand.value)
            return Apply(f"unary {token.kind}", (operand,), token.span)
        if token.kind == NUMBER:
            return Constant(_number_value(token.text))
        if token.kind == STRING:
            return Constant(token.text[1:-1].replace('\\"', '"').replace("\\\\", "\\"))
        if token.kind == "(":
            inner = self._term()
            self.expect(")", "`)`")
            return inner
        if token.kind == "[":
            return Apply("list", self._arguments("]"), token.span)
        if token.kind == NAME:
            return self._named(token)
        self.at -= 1
        raise self.failure("a term")

    def _named(self, token: Token) -> Term:
        if self.token.kind == "(":
            self.advance()
            return Apply(token.text, self._arguments(")"), token.span)
        if token.text == "_":
            return Anything()
        if token.text in _WORDS:
            return Constant(_WORDS[token.text])
        if token.text == "infinity":
            return Constant(float("inf"))
        return self._variable(token) if token.text[0].isupper() else Constant(token.text)

    def _arguments(self, closing: str) -> tuple[Term, ...]:
        args: list[Term] = []
        while self.token.kind != closing:
            args.append(self._term())
            if not self.accept(","):
                break
        self.expect(closing, f"`,` or `{closing}`")
        return tuple(args)

    def _variable(self, token: Token) -> ProgramVariable:
        return ProgramVariable(token.text, token.span)

    # ---- the cursor

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def peek(self, ahead: int = 1) -> Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def advance(self) -> Token:
        token = self.token
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def accept(self, kind: str) -> bool:
        if self.token.kind != kind:
            return False
        self.advance()
        return True

    def expect(self, kind: str, expected: str) -> Token:
        if self.token.kind != kind:
            raise self.failure(expected)
        return self.advance()

    def failure(self, expected: str) -> ProgramError:
        found = f"`{self.token.text}`" if self.token.kind != END else "the end of the text"
        return ProgramError([SYNTAX.diagnostic(self.token.span, expected=expected, found=found)])

    def _since(self, first: Token) -> Span:
        last = self.tokens[max(self.at - 1, 0)].span
        return first.span.to(last) if first.span.source is last.source else first.span


def _is_function(token: Token) -> bool:
    return token.text.startswith("f_")


def _number_value(text: str) -> int | float | Id:
    if text.endswith("I"):
        return Id(int(text[:-1], 0) if text[:2].lower() == "0x" else int(text[:-1]))
    if text[:2].lower() == "0x":
        return int(text, 16)
    if text.endswith("U"):
        return int(text[:-1])
    return float(text) if "." in text else int(text)


def _refuse_open(fact: ProgramFact) -> None:
    """A fact is ground, but for a variable in place of the node, which may also be a column."""
    for arg in fact.atom.args:
        if isinstance(arg, Anything | Aggregate):
            raise ProgramError([FACT.diagnostic(fact.span, problem="a fact contains `_` or an aggregate")])
