"""Change scripts: sequences of epochs, each a batch of changes of facts and rules.

The forms are ``+fact.`` ``-fact.`` ``+ label: head :- body.`` ``+ head :- body.`` ``- label.``, ``+ .init g = Graph.``
``- .init g.`` for instances of components, and ``commit.``, which ends an epoch; changes after the last ``commit.``
form an epoch, too. An epoch that ends with ``preview.`` is tried out and not committed: its last change is `Preview`.
Law: the text after ``-`` is a label if it is a bare name, and a fact if it has arguments in brackets or an ``@``; so an
atom without arguments is removed as ``-p().``. Facts are ground places: bare identifiers are symbols (D7). The engine
checks whether a label exists and whether a fact fits its relation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from tidelog.errors import Diagnostic, Span
from tidelog.program import PROLOG, Atom, Fact, Instance, Rule, Wildcard
from tidelog.program.values.term import subterms
from tidelog.syntax.clauses import ground_places, is_open
from tidelog.syntax.cursor import SyntaxFailure
from tidelog.syntax.prefixes import WORD, Prefixes
from tidelog.syntax.printer import print_atom, print_instance, print_label, print_rule
from tidelog.syntax.reader import Findings, ProgramReader, raise_errors, tokens_of
from tidelog.syntax.sources import source_of
from tidelog.syntax.syntax_catalogue import SYNTAX_CODES
from tidelog.syntax.tokens import DIRECTIVE, END, NAME, STRING, Token, span_between


@dataclass(frozen=True, slots=True)
class FactChange:
    """A fact that is inserted (`sign` is 1) or deleted (-1)."""

    atom: Atom
    sign: int
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RuleAdded:
    """A rule that is added."""

    rule: Rule
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RuleRemoved:
    """A rule that is removed, by its label."""

    label: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class InstanceAdded:
    """An instance of a component that is added."""

    instance: Instance
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class InstanceRemoved:
    """An instance that is removed, by its name."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Preview:
    """The end of an epoch that is tried out and not committed."""

    span: Span | None = field(default=None, compare=False, repr=False)


Change: TypeAlias = FactChange | RuleAdded | RuleRemoved | InstanceAdded | InstanceRemoved | Preview
Epoch: TypeAlias = tuple[Change, ...]


def parse_changes(
    text: str | bytes, name: str = "<changes>", *, convention: str = PROLOG, prefixes: Prefixes = ()
) -> tuple[Epoch, ...]:
    """The epochs of a change script; a ProgramError with every diagnostic if it has an error.

    >>> parse_changes("+p(1). - r3. commit. -p(1).")
    ((FactChange(atom=Atom(predicate='p', args=(Const(value=1, type='number'),), location=None), sign=1), \
RuleRemoved(label='r3')), (FactChange(atom=Atom(predicate='p', args=(Const(value=1, type='number'),), \
location=None), sign=-1),))
    """
    epochs, found = read_changes(text, name, convention=convention, prefixes=prefixes)
    raise_errors(found)
    return epochs


def read_changes(
    text: str | bytes, name: str = "<changes>", *, convention: str = PROLOG, prefixes: Prefixes = ()
) -> tuple[tuple[Epoch, ...], tuple[Diagnostic, ...]]:
    """The epochs as far as they can be read, and all diagnostics."""
    findings = Findings()
    source = source_of(name, text, findings.report)
    reader = ChangeReader(tokens_of(source, convention, findings), convention, findings, prefixes)
    return reader.epochs(), findings.in_order()


def parse_changes_file(path: str | Path, *, convention: str = PROLOG, prefixes: Prefixes = ()) -> tuple[Epoch, ...]:
    """The epochs of a change script in a file."""
    try:
        text = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise_errors((SYNTAX_CODES["TL122"].diagnostic(None, found=str(path), reason=reason),))
        return ()
    return parse_changes(text, str(path), convention=convention, prefixes=prefixes)


def print_changes(epochs: tuple[Epoch, ...], convention: str = PROLOG) -> str:
    """The script of these epochs; reading it returns equal epochs."""
    lines: list[str] = []
    for epoch in epochs:
        lines += (print_change(change, convention) for change in epoch)
        if not is_preview(epoch):
            lines.append("commit.")
    return "".join(line + "\n" for line in lines)


def is_preview(epoch: Epoch) -> bool:
    """Whether an epoch is tried out and not committed.

    >>> [is_preview(epoch) for epoch in parse_changes("+p(1). preview. +p(2).")]
    [True, False]
    """
    return bool(epoch) and isinstance(epoch[-1], Preview)


def print_change(change: Change, convention: str = PROLOG) -> str:
    """One change as it is written in a script."""
    match change:
        case FactChange(atom=atom, sign=sign):
            brackets = "" if atom.args else "()"
            text = atom.predicate + brackets if brackets else print_atom(atom, convention)
            return f"{'+' if sign > 0 else '-'}{text}."
        case RuleAdded(rule=rule):
            return "+ " + print_rule(rule, convention)
        case RuleRemoved(label=label):
            return f"- {print_label(label, convention)}."
        case InstanceAdded(instance=instance):
            return f"+ {print_instance(instance)}."
        case InstanceRemoved(name=name):
            return f"- .init {name}."
        case Preview():
            return "preview."


class ChangeReader(ProgramReader):
    """Reads changes in turn and continues after mistakes."""

    takes_severity = True

    def __init__(self, tokens: list[Token], convention: str, findings: Findings, prefixes: Prefixes = ()) -> None:
        super().__init__(tokens, convention, findings, prefixes)
        self.epoch: list[Change] = []

    def epochs(self) -> tuple[Epoch, ...]:
        """Read everything up to the end of the text."""
        done: list[Epoch] = []
        while self.token.kind != END and not self.findings.full:
            start = self.at
            try:
                if self.change():
                    done.append(tuple(self.epoch))
                    self.epoch = []
            except SyntaxFailure as failure:
                self.findings.report(failure.diagnostic)
                self.recover(start, failure.diagnostic.code)
        return (*done, tuple(self.epoch)) if self.epoch else tuple(done)

    def change(self) -> bool:
        """Read one change and keep it for its epoch; returns whether it ends the epoch."""
        if self.token.kind == DIRECTIVE and self.token.text.startswith(WORD):
            self.prefix()
            return False
        end = self._end()
        self.epoch.extend(self._changes() if end is None else end)
        return end is not None

    def begins_line(self, token: Token) -> bool:
        """Whether a new change begins here: in a script, it begins with its sign."""
        if token.kind in ("+", "-"):
            return token.start == 0 or token.source.text[token.start - 1] == "\n"
        return super().begins_line(token)

    def _end(self) -> tuple[Change, ...] | None:
        """The end of an epoch, besides its changes; None if it does not end here."""
        word = self.token
        if word.text not in ("commit", "preview") or self.peek().kind != ".":
            return None
        self.advance()
        self.advance()
        return (Preview(span_between(word, self.previous)),) if word.text == "preview" else ()

    def _changes(self) -> list[Change]:
        sign = self.token
        if sign.kind not in ("+", "-"):
            raise self.failure("TL140", found=self.describe_token())
        self.advance()
        if self.token.text == ".init":
            return [self._instance_change(sign)]
        return self._added(sign) if sign.kind == "+" else [self._removed(sign)]

    def _instance_change(self, sign: Token) -> Change:
        first = self.advance()
        if sign.kind == "+":
            instance = self.instance(first)
            return InstanceAdded(instance, span_between(sign, self.previous))
        name = self.expect(NAME, "the name of an instance").text
        self.expect(".", "a period")
        return InstanceRemoved(name, span_between(sign, self.previous))

    def _added(self, sign: Token) -> list[Change]:
        values = self.clause()
        span = span_between(sign, self.previous)
        return [
            FactChange(self._closed(value.atom), 1, span) if isinstance(value, Fact) else self._rule_added(value, span)
            for value in values
        ]

    def _rule_added(self, rule: Rule, span: Span) -> RuleAdded:
        if not rule.body and rule.label is None:
            self._closed(rule.head)
        return RuleAdded(rule, span)

    def _removed(self, sign: Token) -> Change:
        label = self._removed_label()
        if label is None:
            atom = self.atom()
            if self.accept(":-") and self.token.kind != ".":
                raise self.failure("TL141", span_between(sign, self.previous))
            self.expect(".", "a period")
            return FactChange(self._closed(ground_places(atom)), -1, span_between(sign, self.previous))
        self.expect(".", "a period")
        return RuleRemoved(label, span_between(sign, self.previous))

    def _removed_label(self) -> str | None:
        """The label after a minus: a name or a string followed by the period."""
        if self.token.kind == STRING and self.peek().kind == ".":
            return self.string()
        if self.token.kind != NAME:
            raise self.unexpected("a fact or a label")
        start = self.at
        name = self.label_name()
        if self.token.kind == ".":
            return name
        if self.token.kind == ":":
            raise self.failure("TL141", self.previous.span)
        self.move_to(start)
        return None

    def _closed(self, atom: Atom) -> Atom:
        """The atom if it is ground."""
        for term in (t for arg in atom.args for t in subterms(arg)):
            if is_open(term):
                found = "`_`" if isinstance(term, Wildcard) else "an aggregate"
                raise self.failure("TL142", term.span, found=found)
        return atom
