"""Reading directives: declarations, types, input and output, and the parts of Soufflé that are refused by name.

Law: a directive has no period at its end; it ends where its form ends. Everything of Soufflé that is not part of the
language has a separate diagnostic (D8); words that only control Soufflé's storage and optimiser are ignored.
"""

from __future__ import annotations

from tidelog.program import (
    PROLOG,
    SOUFFLE,
    Column,
    Constructor,
    Declaration,
    Directive,
    Functor,
    Lifetime,
    TypeDeclaration,
)
from tidelog.program.messages.nearest import LOOSELY, KnownNames
from tidelog.program.values.pragmas import OVERFLOW, OVERFLOW_MODES
from tidelog.program.values.schema import QUALIFIERS
from tidelog.program.values.term import Term, variables
from tidelog.syntax.clauses import ClauseReader
from tidelog.syntax.tokens import DIRECTIVES, END, NAME, NUMBER, STRING, Token, span_between

IGNORED_QUALIFIERS = frozenset({"brie", "btree", "btree_delete", "btree_minimal", "no_inline", "provenance"})
_IO_QUALIFIERS = ("input", "output", "printsize")
_QUALIFIERS = IGNORED_QUALIFIERS.union(_IO_QUALIFIERS, QUALIFIERS, ("eqrel", "choice"))
_REFUSED = {
    "limitsize": "TL158",
    "lattice": "TL160",
}

Item = Declaration | TypeDeclaration | Directive | Functor


class DirectiveReader(ClauseReader):
    """Reads directives at the cursor."""

    def directive(self) -> list[Item]:
        """The directive at the cursor, with all it declares."""
        first = self.advance()
        word = first.text[1:]
        if word in _REFUSED:
            raise self.failure(_REFUSED[word], first.span, found=f"`{first.text}`")
        items = self._directive_of(word, first)
        self.accept(".")
        return items

    def _directive_of(self, word: str, first: Token) -> list[Item]:
        match word:
            case "decl":
                return self._declarations(first)
            case "type" | "number_type" | "symbol_type":
                return [self._type(first, word)]
            case "input" | "output" | "printsize":
                return self._directives(first, word)
            case "functor":
                return [self._functor(first)]
            case "convention":
                self._convention()
            case "plan":
                raise self.failure("TL126", first.span)
            case _:
                raise self.unknown_directive(first, word)
        return []

    def unknown_directive(self, token: Token, word: str) -> Exception:
        """The failure for `.word` with the nearest known directive as hint."""
        known = [name for name in DIRECTIVES if name not in _REFUSED and name not in ("once", "include")]
        near = KnownNames(known).nearest(word, LOOSELY)
        hint = f"Did you mean `.{near}`?" if near else ""
        listed = ", ".join(f"`.{name}`" for name in known)
        return self.failure("TL111", token.span, hint=hint, found=word, known=listed)

    def _declarations(self, first: Token) -> list[Item]:
        """`.decl a, b(x: number) qualifiers`"""
        names = [self.qualified(self._relation("the name of the declared relation"))]
        while self.accept(","):
            names.append(self.qualified(self._relation("the name of the declared relation")))
        if self.token.kind == "=" and self.peek().text == "debug_delta":
            raise self.failure("TL158", self.peek().span, found="`debug_delta`")
        if self.token.kind != "(":
            raise self.unexpected("`(` and the columns of the relation")
        columns = self._columns(self.advance(), defaults=True)
        span = span_between(first, self.previous)
        domains: list[tuple[int, ...]] = []
        words = self._qualifiers(names[0], columns, domains)
        kept = tuple(sorted({word.text for word in words if word.text in QUALIFIERS}))
        if "eqrel" in kept and (len(columns) != 2 or columns[0].type != columns[1].type):
            raise self.failure("TL154", span, name=names[0])
        declared: list[Item] = [Declaration(name, columns, span, kept, tuple(domains)) for name in names]
        for word in words:
            if word.text in _IO_QUALIFIERS:
                declared.extend(Directive(word.text, name, (), word.span) for name in names)
        return declared

    def _columns(self, opening: Token, *, defaults: bool = False) -> tuple[Column, ...]:
        """Names with types, and with default values where these are allowed."""
        columns: list[Column] = []
        while self.token.kind not in (")", "]", "}") or columns:
            name = self.expect(NAME, "the name of a column").text
            self.expect(":", "`:` and the type of the column")
            type_ = self._type_name()
            columns.append(Column(name, type_, self._default(name) if defaults and self.accept("=") else None))
            if not self.accept(","):
                break
        self.close(opening, "`,`" if columns else "a column")
        return tuple(columns)

    def _default(self, column: str) -> Term:
        """The value after `=`: a term without variables."""
        began = self.token
        term = self.term()
        if any(variables(term)):
            raise self.failure("TL187", span_between(began, self.previous), column=column)
        return term

    def _type_name(self) -> str:
        return self.expect(NAME, "the name of a type").text

    def _relation(self, expected: str) -> str:
        return self.expect(NAME, expected).text

    def _qualifiers(self, name: str, columns: tuple[Column, ...], domains: list[tuple[int, ...]]) -> list[Token]:
        """The words after a declaration; meaningful ones are returned, others ignored or refused.

        The keys after `choice-domain` are added to ``domains``.
        """
        kept: list[Token] = []
        seen: set[str] = set()
        while self.token.kind == NAME and not self._begins_clause():
            word = self.advance()
            if word.text in seen:
                raise self.failure("TL189", word.span, found=word.text, name=name)
            seen.add(word.text)
            if word.text in _IO_QUALIFIERS or word.text in QUALIFIERS:
                kept.append(word)
            elif word.text == "choice" and self.token.kind == "-":
                self._choice_domains(name, [column.name for column in columns], domains)
            elif word.text not in IGNORED_QUALIFIERS:
                raise self.failure("TL161", word.span, found=word.text)
        return kept

    def _choice_domains(self, name: str, columns: list[str], domains: list[tuple[int, ...]]) -> None:
        """`choice-domain x, (y, z)`: each key is a column, or several in parentheses."""
        self.advance()
        if self.token.text != "domain":
            raise self.unexpected("`domain`, as in `choice-domain`")
        self.advance()
        while True:
            if self.token.kind == "(":
                opening = self.advance()
                key = [self._domain_column(name, columns)]
                while self.accept(","):
                    key.append(self._domain_column(name, columns))
                self.close(opening, "`,`")
            else:
                key = [self._domain_column(name, columns)]
            domains.append(tuple(sorted(set(key))))
            if not self.accept(","):
                return

    def _domain_column(self, name: str, columns: list[str]) -> int:
        word = self.expect(NAME, "the name of a column, or several in parentheses")
        if word.text not in columns:
            raise self.failure("TL155", word.span, name=name, column=word.text)
        return columns.index(word.text)

    def _begins_clause(self) -> bool:
        """Whether a name after a declaration begins a clause, by its next token or a new line; if not, a qualifier."""
        if self.peek().kind in ("(", ":-", "@", ":", ",", "."):
            return True
        if self.token.text in _QUALIFIERS:
            return False
        return "\n" in self.token.source.text[self.previous.end : self.token.start]

    def _type(self, first: Token, word: str) -> TypeDeclaration:
        name = self._relation("the name of the type")
        if self.token.kind not in ("=", "<:"):
            base = "number" if word == "number_type" else "symbol"
            return TypeDeclaration(name, (base,), True, span_between(first, self.previous))
        subtype = self.advance().kind == "<:"
        if self.token.kind == "[" and not subtype:
            record = (Constructor("", self._columns(self.advance())),)
            return TypeDeclaration(name, (), False, span_between(first, self.previous), record)
        if self.peek().kind == "{" and not subtype:
            made = self._constructors()
            return TypeDeclaration(name, (), False, span_between(first, self.previous), made)
        bases = [self._type_name()]
        while self.accept("|"):
            bases.append(self._type_name())
        return TypeDeclaration(name, tuple(bases), subtype, span_between(first, self.previous))

    def _constructors(self) -> tuple[Constructor, ...]:
        """`A { x: number } | B {}`"""
        made: list[Constructor] = []
        while not made or self.accept("|"):
            name = self.expect(NAME, "the name of a constructor").text
            if self.token.kind != "{":
                raise self.unexpected("`{` and the fields of the constructor")
            made.append(Constructor(name, self._columns(self.advance())))
        return tuple(made)

    def _directives(self, first: Token, kind: str) -> list[Item]:
        """`.input a, b(IO=file)`: parameters belong to all names since the previous parameters."""
        done: list[Item] = []
        while True:
            names = [self.qualified(self._relation("the name of a relation"))]
            while self.token.kind == "," and self.peek().kind == NAME:
                self.advance()
                names.append(self.qualified(self._relation("the name of a relation")))
            params = self._params(self.advance()) if self.token.kind == "(" else ()
            span = span_between(first, self.previous)
            done.extend(Directive(kind, name, params, span) for name in names)
            if not self.accept(","):
                return done

    def _params(self, opening: Token) -> tuple[tuple[str, str], ...]:
        params: list[tuple[str, str]] = []
        while self.token.kind != ")" or params:
            name = self.expect(NAME, "the name of a parameter").text
            self.expect("=", "`=` and the value of the parameter")
            params.append((name, self._param_value()))
            if not self.accept(","):
                break
        self.close(opening, "`,`" if params else "a parameter")
        return tuple(params)

    def _param_value(self) -> str:
        if self.token.kind == STRING:
            return self.string()
        sign = "-" if self.accept("-") else ""
        if self.token.kind in (NAME, NUMBER):
            return sign + self.advance().text
        raise self.unexpected("the value of the parameter (a string, a number or a word)")

    def _convention(self) -> None:
        if self.token.text not in (SOUFFLE, PROLOG):
            raise self.failure("TL117", found=self.describe_token())
        self.advance()

    def _functor(self, first: Token) -> Functor:
        """`.functor f(x: number, symbol): number stateful`; names of arguments and `stateful` are ignored."""
        name = self.expect(NAME, "the name of the functor")
        if self.token.kind != "(":
            raise self.unexpected("`(` and the types of the arguments")
        opening, params = self.advance(), list[str]()
        while self.token.kind != ")" or params:
            if self.peek().kind == ":":
                self.advance()
                self.advance()
            params.append(self._type_name())
            if not self.accept(","):
                break
        self.close(opening, "`,`" if params else "a type")
        self.expect(":", "`:` and the type of the result")
        result = self._type_name()
        span = span_between(first, self.previous)
        if self.token.text == "stateful":
            self.advance()
        return Functor(name.text, tuple(params), result, span)

    def lifetime(self) -> Lifetime:
        """`.lifetime relation 30m`, perhaps with `by column`."""
        first = self.advance()
        relation = self.qualified(self._relation("the name of a relation"))
        length = self.duration() if self.token.kind == NUMBER else None
        if length is None or not length.value:
            raise self.failure("TL134", found=self.describe_token())
        column = None
        if self.token.text == "by" and self.peek().kind == NAME:
            self.advance()
            column = self.advance().text
        self.accept(".")
        assert isinstance(length.value, int)
        return Lifetime(relation, length.value, column, span_between(first, self.previous))

    def pragma(self) -> tuple[str, str]:
        """`"option"` or `"option" "value"` after `.pragma`."""
        if self.token.kind != STRING:
            raise self.unexpected("the name of an option in quotes")
        option = self.string()
        value = self.string() if self.token.kind == STRING else ""
        if option == OVERFLOW and value not in OVERFLOW_MODES:
            raise self.failure("TL168", self.previous.span, found=f'"{value}"')
        self.accept(".")
        return option, value

    def skip_braces(self) -> None:
        """After a refused directive: step over the block in braces that belongs to it, if there is one."""
        while self.token.kind not in ("{", END, ".", ":-") and not self.begins_line(self.token):
            self.advance()
        depth = 0
        while self.token.kind == "{" or (depth and self.token.kind != END):
            kind = self.advance().kind
            depth += (kind == "{") - (kind == "}")
