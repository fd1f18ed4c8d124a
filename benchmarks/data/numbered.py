"""A program of symbols as a program of numbers, for systems that are given numbers.

Law: every symbol that facts or rules name has one number, and the other way round; relations keep their names, but for
a small letter in front of a capital. What comes out is text that Tidelog and clingo both read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.data.graphs import Cells
from tidelog.program import Atom, Comparison, Const, Literal, Negation, Program, Rule, Term, Var


@dataclass
class Numbers:
    """Numbers of symbols, in the order in which they were met."""

    of: dict[str, int] = field(default_factory=dict)

    def __getitem__(self, symbol: str) -> int:
        return self.of.setdefault(symbol, len(self.of))

    def cells(self, table: pa.Table) -> Cells:
        """A table of text and numbers as numbers, each row once.

        >>> Numbers().cells(pa.table({"v": ["b", "a", "b"], "n": [7, 8, 7]})).tolist()
        [[0, 7], [1, 8]]
        """
        columns = [self._column(column.combine_chunks()) for column in table.columns]
        rows: Cells = np.stack(columns, axis=1) if columns else np.zeros((len(table), 0), np.int64)
        return np.unique(rows, axis=0)

    def _column(self, column: pa.Array) -> Cells:
        if pa.types.is_integer(column.type):
            return np.asarray(column.cast(pa.int64()), np.int64)
        coded = pc.dictionary_encode(column)
        numbers = np.array([self[text] for text in coded.dictionary.to_pylist()], np.int64)
        found: Cells = numbers[np.asarray(coded.indices)]
        return found

    def texts(self) -> list[str]:
        """The symbols by their numbers."""
        return list(self.of)


def name_of(relation: str) -> str:
    """A name that Prolog takes for a relation's.

    >>> name_of("Method"), name_of("calls")
    ('given_Method', 'calls')
    """
    return f"given_{relation}" if relation[0].isupper() else relation


def numbered_rules(program: Program, numbers: Numbers) -> str:
    """The rules and facts of a program, a line each."""
    facts = [f"{_atom(fact.atom, numbers)}." for fact in program.facts]
    return "\n".join([*facts, *(_rule(rule, numbers) for rule in program.rules)])


def numbered_facts(tables: Mapping[str, pa.Table], numbers: Numbers) -> dict[str, Cells]:
    """All tables as numbers."""
    return {name_of(name): numbers.cells(table) for name, table in tables.items()}


def _rule(rule: Rule, numbers: Numbers) -> str:
    body = ", ".join(_literal(literal, numbers) for literal in rule.body)
    return f"{_atom(rule.head, numbers)} :- {body}." if body else f"{_atom(rule.head, numbers)}."


def _literal(literal: Literal, numbers: Numbers) -> str:
    match literal:
        case Atom():
            return _atom(literal, numbers)
        case Negation(atom=atom):
            return f"!{_atom(atom, numbers)}"
        case Comparison(left=left, op=op, right=right):
            return f"{_term(left, numbers)} {op} {_term(right, numbers)}"
    raise ValueError(f"not a literal that numbers can say: {literal}")


def _atom(atom: Atom, numbers: Numbers) -> str:
    return f"{name_of(atom.predicate)}({', '.join(_term(term, numbers) for term in atom.args)})"


def _term(term: Term, numbers: Numbers) -> str:
    match term:
        case Var(name=name):
            return f"V{name}"
        case Const(value=int() as value):
            return str(value)
        case Const(value=str() as value):
            return str(numbers[value])
    return "_"
