"""Reading whole texts: programs, rules, atoms, facts.

Law: parsing is total. Any text or bytes result in a program and a list of diagnostics; after a mistake parsing
resumes at the next clause, so that all mistakes are reported at once. `read_program` returns both; `parse_program`
raises if there is an error. The parser is written by hand over one compiled pattern. Measured on 10,000 rules of 48
tokens: 3.3 to 5.6 s, and 2.1 to 2.7 s with the collector paused, against 7.4 to 8.4 s (collector running) for an LALR
parser made by lark from a small part of the grammar, with an inline transformer; and lists of expected tokens make
poorer hints.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tidelog.errors import Diagnostic, ProgramError, Source
from tidelog.program import SOUFFLE, Program, Rule
from tidelog.program.elaborate.expand_components import expand_components
from tidelog.program.graph.inline import hold_inline_facts
from tidelog.syntax.components import ComponentReader, Parts
from tidelog.syntax.cursor import SyntaxFailure
from tidelog.syntax.literals import TESTS
from tidelog.syntax.prefixes import WORD, Prefixes, read_prefix, resolve_prefixes
from tidelog.syntax.preprocess import MARKS, NO_MACROS, Preprocessor
from tidelog.syntax.sources import Include, Sources, source_of
from tidelog.syntax.syntax_catalogue import SYNTAX_CODES
from tidelog.syntax.tokens import DIRECTIVE, END, NAME, Token, scan

MAX_ERRORS, MAX_WARNINGS = 200, 20
_COMPONENT_LEVELS = 8
NAMESPACE = "namespace"
_BRACES = {"{": 1, "}": -1}
_WITH_BLOCKS = (".comp", ".lattice", ".type")
ALSO = 3  # further places of refused features
FAULTS = frozenset({"TL104", "TL105", "TL106"})
REFUSED = frozenset(f"TL{number}" for number in range(150, 161))


class Findings(list[Diagnostic]):
    """Errors in the order they are found, up to a limit; warnings are separate, as they must never stop the reading."""

    def __init__(self) -> None:
        super().__init__()
        self.warnings: dict[str, Diagnostic] = {}

    def warn(self, diagnostic: Diagnostic) -> None:
        """Keep a warning unless the same one was already kept, or too many were."""
        if len(self.warnings) < MAX_WARNINGS:
            self.warnings.setdefault(diagnostic.message, replace(diagnostic, severity="warning"))

    def report(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic; beyond the limit, report once that there are more. A feature is refused only once."""
        if diagnostic.code in REFUSED and any(self._joins(i, diagnostic) for i in range(len(self))):
            return
        if len(self) < MAX_ERRORS:
            self.append(diagnostic)
        elif len(self) == MAX_ERRORS:
            self.append(SYNTAX_CODES["TL149"].diagnostic(diagnostic.span, limit=MAX_ERRORS))

    def _joins(self, at: int, diagnostic: Diagnostic) -> bool:
        """Whether the same was already refused; the first report lists some of the others."""
        first = self[at]
        if first.code != diagnostic.code:
            return False
        if diagnostic.span is not None and len(first.related) < ALSO:
            self[at] = replace(first, related=(*first.related, ("and here", diagnostic.span)))
        return True

    @property
    def full(self) -> bool:
        """Whether searching for more is useless."""
        return len(self) > MAX_ERRORS

    def in_order(self) -> tuple[Diagnostic, ...]:
        """By position; those about included texts after those about the text itself, as they were found."""
        order: dict[str, int] = {}
        everything = [*self, *self.warnings.values()]
        for found in everything:
            if found.span is not None:
                order.setdefault(found.span.source.name, len(order))
        return tuple(
            sorted(everything, key=lambda d: (-1, 0) if d.span is None else (order[d.span.source.name], d.span.start))
        )


class ProgramReader(ComponentReader):
    """Reads clauses in turn and continues after mistakes; ``parts`` are those read of the innermost block."""

    def __init__(self, tokens: list[Token], convention: str, findings: Findings, prefixes: Prefixes = ()) -> None:
        may_have_prefixes = prefixes or any(token[0] == DIRECTIVE for token in tokens)
        super().__init__(resolve_prefixes(tokens, prefixes) if may_have_prefixes else tokens, convention)
        self.prefixes: dict[str, str] = {}
        self.findings = findings
        self.faults = frozenset((d.span.source, d.span.start) for d in findings if d.span and d.code in FAULTS)
        self.unread: set[str] = set()
        self.tests = TESTS - _defined_tests(tokens)
        self.parts = Parts()

    def read(self) -> Program:
        """Read everything up to the end of the text."""
        self._items()
        program = self.parts.program(self.convention, self.findings.report)
        return replace(program, prefixes=tuple(self.prefixes.items()), unread=frozenset(self.unread))

    def _items(self) -> None:
        """Read everything up to the end of the text, or of the component."""
        while self.token.kind != END and not self.findings.full and not (self.blocks and self.token.kind == "}"):
            start, made = self.at, [len(items) for items in self.parts.lists] if self.faults else []
            try:
                self._item()
            except SyntaxFailure as failure:
                self.recover(start, failure.diagnostic.code)
                if not self._is_faulty(start, self.token.start):
                    self.findings.report(failure.diagnostic)
                self._leave_unread(start)
            else:
                if self.tokens[start].text not in (".comp", NAMESPACE) and self._is_faulty(
                    start, self.previous.end - 1
                ):
                    for items, count in zip(self.parts.lists, made, strict=True):
                        del items[count:]
                    self._leave_unread(start)

    def _is_faulty(self, start: int, end: int) -> bool:
        """Whether something was already reported between a token and a place: consequences are not reported again."""
        first = self.tokens[start]
        return any(source is first.source and first.start <= place <= end for source, place in self.faults)

    def _leave_unread(self, start: int) -> None:
        """Record what the text between a token and here would have declared or derived."""
        whole = self.tokens[start].kind == DIRECTIVE
        for at in range(start, self.at):
            token = self.tokens[at]
            if token.kind == NAME and (whole or at == start or self.tokens[at - 1].kind in (".", ":")):
                self.unread.add(token.text)

    def _item(self) -> None:
        token = self.token
        if token.kind == DIRECTIVE:
            self._directive(token)
        elif token.text == "materialize" and self.peek().kind == "(":
            self.parts.keys.append(self.materialize())
        elif self.convention != SOUFFLE and begins_namespace(self.tokens, self.at):
            self._namespace()
        elif token.kind == "." and self.peek().kind == NAME and self.peek().start == token.end:
            raise self.unknown_directive(self.peek(), self.peek().text)
        else:
            self._clause()

    def _directive(self, token: Token) -> None:
        match token.text:
            case ".comp":
                self._component()
            case ".init":
                self.parts.instances.append(self.instance(self.advance()))
            case ".override":
                self.parts.overrides.append(self.override())
            case ".pragma":
                self.advance()
                self.parts.pragmas.append(self.pragma())
            case ".key" | ".reference":
                self._clause()
            case ".lifetime":
                self.parts.lifetimes.append(self.lifetime())
            case ".constraint":
                self.parts.severities.append(self.severity())
            case word if word.startswith(WORD):
                self.prefix()
            case _:
                self.parts.items.extend(self.directive())

    def prefix(self) -> None:
        """`.prefix ex: <http://ex.org/>`; the names that use it were resolved before."""
        token = self.advance()
        found = read_prefix(token.text)
        if found is None:
            raise self.failure("TL143", token.span, found=token.text)
        name, iri = found
        if self.prefixes.setdefault(name, iri) != iri:
            raise self.failure("TL144", token.span, found=name, iri=self.prefixes[name])
        self.accept(".")

    def _component(self) -> None:
        head = self.component_head()
        opening = self.expect("{", "`{` and the content of the component")
        self.enter(_COMPONENT_LEVELS)
        outer, self.parts = self.parts, Parts()
        self.blocks += 1
        self._items()
        inner, self.parts = self.parts, outer
        self.blocks -= 1
        content = inner.program(self.convention, self.findings.report)
        self.parts.components.append(replace(head, content=content, overrides=tuple(inner.overrides)))
        self.depth = max(self.depth - _COMPONENT_LEVELS, 0)
        self.close(opening)

    def _namespace(self) -> None:
        """`namespace n { ... }`: its relations are `n::name`."""
        self.advance()
        outer, self.namespace = self.namespace, self.qualified(self.advance().text)
        opening = self.advance()
        self.enter(_COMPONENT_LEVELS)
        self.blocks += 1
        self._items()
        self.blocks -= 1
        self.namespace = outer
        self.depth = max(self.depth - _COMPONENT_LEVELS, 0)
        self.close(opening)

    def _clause(self) -> None:
        for value in self.clause():
            if isinstance(value, Rule):
                self.parts.rules.append(value)
            else:
                self.parts.facts.append(value)
        self.warn_of_capitals()

    def warn_of_capitals(self) -> None:
        """Warn of symbols of the fact just read that look like variables."""
        for var in self.capitalised:
            self.findings.warn(SYNTAX_CODES["TL123"].diagnostic(var.span, found=var.name))

    def recover(self, start: int, code: str) -> None:
        """Move to the place where the next clause seems to begin."""
        self.depth, self.in_head = 0, False
        first = self.tokens[start]
        if first.kind == DIRECTIVE or code == "TL111":
            self._recover_directive(start, first)
        elif code not in ("TL101", "TL127") and (self.at == start or self.previous.kind != "."):
            self._recover_clause(start)
        if self.at <= start and not self._ends_block():
            self.move_to(start)
            self.advance()

    def _recover_clause(self, start: int) -> None:
        """Move past the period that ends the clause; in a component, not beyond its closing brace."""
        braces = self._braces(start) if self.blocks else 0
        while self.token.kind not in (END, DIRECTIVE) and not (braces <= 0 and self._ends_block()):
            if self.token.kind == "." and (braces <= 0 or self.begins_line(self.peek())):
                break
            braces += _BRACES.get(self.token.kind, 0) if self.blocks else 0
            self.advance()
        self.accept(".")

    def _recover_directive(self, start: int, first: Token) -> None:
        self.move_to(start)
        self.advance()
        if first.text in _WITH_BLOCKS:
            self.skip_braces()
        while not self.begins_line(self.token) and not self._ends_block():
            self.advance()

    def _braces(self, start: int) -> int:
        """The number of braces opened by a clause that are not closed at the cursor."""
        return sum(_BRACES.get(token.kind, 0) for token in self.tokens[start : self.at])

    def _ends_block(self) -> bool:
        return self.blocks > 0 and self.token.kind == "}"


def begins_namespace(tokens: Sequence[Token], at: int = 0) -> bool:
    """Whether `namespace n {` is at a position."""
    return tokens[at].text == NAMESPACE and [token.kind for token in tokens[at : at + 3]] == [NAME, NAME, "{"]


def _defined_tests(tokens: list[Token]) -> frozenset[str]:
    """The tests that the program defines as relations: they begin a clause, follow a label or are declared."""
    starts = (".", ":", DIRECTIVE)
    uses = [at for at, token in enumerate(tokens) if token[1] in TESTS]
    return frozenset(tokens[at].text for at in uses if at == 0 or tokens[at - 1].kind in starts)


def read_program(
    text: str | bytes,
    name: str = "<text>",
    *,
    convention: str | None = None,
    include: Include | str | Path | None = None,
    macros: Mapping[str, str] = NO_MACROS,
    prefixes: Prefixes = (),
) -> tuple[Program, tuple[Diagnostic, ...]]:
    """The program as far as it can be read, and all diagnostics in order of position.

    `include` finds the files of ``#include``: a folder, or a function. `macros` are defined before the text
    begins. A ``.convention`` in the text overrides the argument `convention`; without either, the text decides (D7).
    ``prefixes`` are known before the text declares any.

    >>> program, found = read_program("p(1. q(2). r(X) :- .")
    >>> [d.code for d in found], len(program.facts)
    (['TL103', 'TL123'], 2)
    """
    findings = Findings()
    with _collector_paused():
        source = source_of(name, text, findings.report)
        sources = Sources(include, findings.report)
        chosen = sources.convention_of(source) if convention is None else sources.said_outright(source) or convention
        tokens = Preprocessor(sources, chosen, findings.report, macros).tokens(source)
        program = ProgramReader(tokens, chosen, findings, prefixes).read()
        program = hold_inline_facts(expand_components(program, findings.report))
    return program, findings.in_order()


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the collector: reading creates many values and no cycles, and searching for cycles takes half the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def parse_program(
    text: str | bytes,
    name: str = "<text>",
    *,
    convention: str | None = None,
    include: Include | str | Path | None = None,
    prefixes: Prefixes = (),
) -> Program:
    """The program of a text; a ProgramError with every diagnostic if the text has an error.

    >>> program = parse_program("reach(X, Y) :- edge(X, Y). edge(1, 2).")
    >>> len(program.rules), len(program.facts), program.convention
    (1, 1, 'prolog')
    """
    program, found = read_program(text, name, convention=convention, include=include, prefixes=prefixes)
    raise_errors(found)
    return program


def parse_file(
    path: str | Path, *, convention: str | None = None, include: Include | str | Path | None = None
) -> Program:
    """The program of a file; includes are looked up beside it unless `include` is passed."""
    program, found = read_file(path, convention=convention, include=include)
    raise_errors(found)
    return program


def read_file(
    path: str | Path,
    *,
    convention: str | None = None,
    include: Include | str | Path | None = None,
    macros: Mapping[str, str] = NO_MACROS,
) -> tuple[Program, tuple[Diagnostic, ...]]:
    """Like `read_program`, for a file; a file that cannot be read is a diagnostic, too."""
    try:
        text = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return Program(), (SYNTAX_CODES["TL122"].diagnostic(None, found=str(path), reason=reason),)
    folder = Path(path).parent
    return read_program(
        text, str(path), convention=convention, include=folder if include is None else include, macros=macros
    )


def raise_errors(diagnostics: tuple[Diagnostic, ...]) -> None:
    """Raise a ProgramError with all diagnostics if one of them is an error."""
    if any(diagnostic.severity == "error" for diagnostic in diagnostics):
        raise ProgramError(diagnostics)


def tokens_of(source: Source, convention: str, findings: Findings) -> list[Token]:
    """The tokens of a text that includes no other."""
    if not any(mark in source.text for mark in MARKS):
        return scan(source, convention, findings.report)
    return Preprocessor(Sources(None, findings.report), convention, findings.report).tokens(source)
