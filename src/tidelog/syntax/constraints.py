"""Reading constraints: clauses without a head, ``.key``, ``.reference``, and ``.constraint`` about their severity.

Law: a constraint is parsed as a rule with an empty head. A key or reference without an explicit name is named after its
text. `.constraint` may occur anywhere in the block of the constraint that it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tidelog.errors import Diagnostic, Span
from tidelog.program import Constraint, Key, Literal, Reference, Rule
from tidelog.program.graph.constraint import constraint_rule, sugar_label
from tidelog.program.values.rule import REFUSE, WARN
from tidelog.syntax.literals import BodyReader
from tidelog.syntax.syntax_catalogue import SYNTAX_CODES
from tidelog.syntax.tokens import NAME, NUMBER, STRING, Token, span_between

SUGAR = (".key", ".reference")
SEVERITIES = (REFUSE, WARN)


@dataclass(frozen=True, slots=True)
class Severity:
    """``.constraint name severity(warn)``."""

    name: str
    severity: str
    span: Span


class ConstraintReader(BodyReader):
    """Reads constraints at the cursor; with ``takes_severity`` a `.constraint` that follows belongs to the clause."""

    takes_severity = False

    def label_name(self) -> str:
        """A name with parts joined by `-` or `/` and no space between: `r2-1`, `r3/1`."""
        name = self.advance().text
        while self.token.kind in ("-", "/", NUMBER, NAME) and self.token.start == self.previous.end:
            name += self.advance().text
        return name

    def headless(self, first: Token, label: str | None) -> Rule:
        """`:- body.`"""
        self.advance()
        body: tuple[Literal, ...] = self.body()
        if not self.accept("."):
            raise self.unexpected("`,`, `;` or a period")
        span = span_between(first, self.previous)
        return replace(constraint_rule(body, label, Constraint(self._severity_after(label))), span=span)

    def sugar(self) -> Rule:
        """`.key relation(columns)` or `.reference relation(columns) -> relation(columns)`, perhaps with `as name`."""
        first = self.advance()
        relation, columns = self._columns_of_relation()
        says: Key | Reference = Key(relation, columns)
        if first.text == ".reference":
            self.expect("-", "`->` and the columns that are referred to")
            self.expect(">", "`->` and the columns that are referred to")
            says = Reference(relation, columns, *self._columns_of_relation())
        label = sugar_label(says)
        if self.token.text == "as" and self.peek().kind in (NAME, STRING):
            self.advance()
            label = self._constraint_name()
        self.accept(".")
        span = span_between(first, self.previous)
        return replace(constraint_rule((), label, Constraint(self._severity_after(label), says)), span=span)

    def _columns_of_relation(self) -> tuple[str, tuple[str, ...]]:
        relation = self.qualified(self.expect(NAME, "the name of a relation").text)
        opening = self.expect("(", "`(` and the columns")
        columns: list[str] = []
        while not columns or self.accept(","):
            if self.token.kind not in (NAME, NUMBER):
                raise self.unexpected("the name or the number of a column")
            columns.append(self.advance().text)
        self.close(opening, "`,`")
        return relation, tuple(columns)

    def severity(self) -> Severity:
        """`.constraint name severity(warn)`."""
        first = self.advance()
        if self.token.kind not in (NAME, STRING):
            raise self.unexpected("the name of a constraint")
        name = self._constraint_name()
        if self.token.text != "severity":
            raise self.unexpected("`severity(warn)` or `severity(refuse)`")
        self.advance()
        opening = self.expect("(", "`(` and a severity")
        if self.token.text not in SEVERITIES:
            raise self.failure("TL132", found=self.describe_token())
        word = self.advance().text
        self.close(opening)
        self.accept(".")
        return Severity(name, word, span_between(first, self.previous))

    def _constraint_name(self) -> str:
        return self.string() if self.token.kind == STRING else self.label_name()

    def _severity_after(self, label: str | None) -> str:
        """The severity in a `.constraint` that follows directly; one that names another constraint is not read."""
        start = self.at
        if self.takes_severity and label is not None and self.token.text == ".constraint":
            found = self.severity()
            if found.name == label:
                return found.severity
            self.move_to(start)
        return REFUSE


def with_severities(rules: Sequence[Rule], severities: Iterable[Severity]) -> tuple[tuple[Rule, ...], list[Diagnostic]]:
    """The rules with the severities from `.constraint` lines, and the lines that name no constraint."""
    said = {each.name: each for each in severities}
    if not said:
        return tuple(rules), []
    known = {rule.label for rule in rules if rule.constraint is not None}
    wrong = [
        SYNTAX_CODES["TL133"].diagnostic(each.span, found=each.name) for each in said.values() if each.name not in known
    ]
    return tuple(_severe(rule, said.get(rule.label or "")) for rule in rules), wrong


def _severe(rule: Rule, said: Severity | None) -> Rule:
    if said is None or rule.constraint is None:
        return rule
    return replace(rule, constraint=replace(rule.constraint, severity=said.severity))
