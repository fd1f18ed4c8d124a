"""What is known about a relation: its columns, how it is defined, its stratum, its size.

Law: declarations are those of the current text; inferred types and strata come from the last check of the whole text,
and are omitted if that check does not know the relation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tidelog.editor.document import Document
from tidelog.editor.symbols import DERIVE, RELATION
from tidelog.editor.workspace import Workspace
from tidelog.errors.counts import counted
from tidelog.program import Atom, Declaration, Literal, Negation, Rule
from tidelog.program.values.column_names import head_names
from tidelog.program.values.schema import numbered_columns

_SHOWN = 5


@dataclass(slots=True)
class Relation:
    """A relation of a program."""

    name: str
    columns: list[str] = field(default_factory=list)
    types: list[str | None] = field(default_factory=list)
    declaration: Declaration | None = None
    rules: list[str] = field(default_factory=list)
    rule_count: int = 0
    fact_count: int = 0
    location: int | None = None
    stratum: int | None = None
    recursive: bool = False

    @property
    def signature(self) -> str:
        """The name with its columns and their types."""
        parts = [f"{name}: {kind}" if kind else name for name, kind in zip(self.columns, self.types, strict=True)]
        return f"{self.name}({', '.join(parts)})"

    @property
    def origin(self) -> str:
        """How the relation is defined, in a few words.

        >>> Relation("p", rule_count=3, recursive=True).origin
        'derived by 3 rules; recursive'
        """
        if not self.rule_count:
            return f"{counted(self.fact_count, 'fact')} in this text"
        rules = counted(self.rule_count, "rule")
        return f"derived by {rules}" + ("; recursive" if self.recursive else "")


def relation_of(
    workspace: Workspace, document: Document, name: str, family: Sequence[Document] | None = None
) -> Relation:
    """Everything known about a relation with this name in a document and in related documents."""
    relation = Relation(name)
    for member in workspace.family(document) if family is None else family:
        for piece in member.in_order(member.names().get(name, ())):
            _add_piece(relation, piece.program.declarations, name)
            for rule in piece.program.rules:
                _add_rule(relation, rule, name)
            relation.fact_count += sum(fact.atom.predicate == name for fact in piece.program.facts)
            for fact in piece.program.facts:
                _note_columns(relation, fact.atom)
    _add_checked(relation, workspace, document)
    return relation


def _add_piece(relation: Relation, declarations: tuple[Declaration, ...], name: str) -> None:
    for declaration in declarations:
        if declaration.relation == name:
            relation.declaration = declaration
            relation.columns = [column.name for column in declaration.columns]
            relation.types = [column.type for column in declaration.columns]


def _add_rule(relation: Relation, rule: Rule, name: str) -> None:
    if rule.head.predicate == name:
        if not relation.rule_count and relation.declaration is None:
            relation.columns, relation.types = list(head_names(rule.head)), [None] * len(rule.head.args)
        relation.rule_count += not rule.subsumes
        _note_columns(relation, rule.head)
        if rule.span is not None and len(relation.rules) < _SHOWN:
            relation.rules.append(rule.span.text)
    for literal in rule.body:
        _note_literal(relation, literal)


def _note_literal(relation: Relation, literal: Literal) -> None:
    atom = literal.atom if isinstance(literal, Negation) else literal
    if isinstance(atom, Atom):
        _note_columns(relation, atom)


def _note_columns(relation: Relation, atom: Atom) -> None:
    """Number the columns of an undeclared relation."""
    if atom.predicate != relation.name:
        return
    relation.location = atom.location if relation.location is None else relation.location
    if not relation.columns:
        relation.columns = list(numbered_columns(len(atom.args)))
        relation.types = [None] * len(atom.args)


def _add_checked(relation: Relation, workspace: Workspace, document: Document) -> None:
    checked = workspace.checked.get(document.path)
    if checked is None:
        return
    types = checked.schema.get(relation.name)
    if types is not None and relation.declaration is None:
        relation.types = list(types)
        if len(relation.columns) != len(types):
            relation.columns = list(numbered_columns(len(types)))
    level = checked.levels.get(relation.name)
    if level is not None:
        relation.stratum, relation.recursive = level.number, level.recursive


def names_of(document: Document) -> set[str]:
    """The relations of a document."""
    return {
        name
        for name, pieces in document.names().items()
        if any(s.kind == RELATION and s.name == name for piece in list(pieces)[:1] for s in piece.symbols)
    }


def first_places(document: Document) -> dict[str, tuple[int, bool]]:
    """Where each relation is declared, or first derived: the offset, and whether it is declared."""
    found: dict[str, tuple[int, bool]] = {}
    for at, piece in enumerate(document.pieces):
        for symbol in piece.symbols:
            if symbol.kind != RELATION or symbol.scope:
                continue
            if symbol.role == DERIVE and symbol.name not in found:
                found[symbol.name] = (document.places.starts[at] + symbol.start, False)
            elif symbol.role == "define" and not found.get(symbol.name, (0, False))[1]:
                found[symbol.name] = (document.places.starts[at] + symbol.start, True)
    return found
