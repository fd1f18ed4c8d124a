"""DuckDB for rules that recur together: semi-naive evaluation by statements of SQL, made from the rules themselves.

Law: recursive SQL knows one relation that recurs. Where several do, people write the loop around the database; here it
is written once for all. Per stratum, every rule joins what is new in one place with all that is known in the others;
what was known is left out of what is new; the loop ends when nothing is. Strata are those of `tidelog.testing`. Terms
are variables, numbers and `_`; aggregates and arithmetic are not spoken here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import duckdb

from tidelog.program import Atom, Comparison, Const, Literal, Negation, Rule, Term, Var
from tidelog.syntax import parse_program
from tidelog.testing.strata import strata

OPERATORS = {"=": "=", "!=": "<>", "<": "<", ">": ">", "<=": "<=", ">=": ">="}


class Unspoken(Exception):
    """A rule says what these loops cannot."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the atoms of a rule are read: the table of each, by its place in the body."""

    rule: Rule
    tables: Mapping[int, str]

    def select(self) -> str:
        """The heads that the rule derives, each once."""
        places: dict[str, str] = {}
        tests: list[str] = []
        tables = []
        for number, literal in enumerate(self.rule.body):
            if isinstance(literal, Atom):
                tables.append(f"{self.tables.get(number, quoted(literal.predicate))} a{number}")
                tests += _matches(literal, f"a{number}", places)
        for literal in self.rule.body:
            if not isinstance(literal, Atom):
                tests.append(_test(literal, places))
        heads = ", ".join(f"{_term(term, places)} AS c{i}" for i, term in enumerate(self.rule.head.args))
        source = f" FROM {', '.join(tables)}" if tables else ""
        return f"SELECT DISTINCT {heads}{source}" + (f" WHERE {' AND '.join(tests)}" if tests else "")


def _matches(atom: Atom, alias: str, places: dict[str, str]) -> Iterator[str]:
    """Conditions of one atom; variables that are new get their place."""
    for i, term in enumerate(atom.args):
        if isinstance(term, Const) or (isinstance(term, Var) and term.name in places):
            yield f"{alias}.c{i} = {_term(term, places)}"
        elif isinstance(term, Var):
            places[term.name] = f"{alias}.c{i}"


def _test(literal: Literal, places: Mapping[str, str]) -> str:
    match literal:
        case Negation(atom=Atom() as atom):
            same = [f"n.c{i} = {_term(t, places)}" for i, t in enumerate(atom.args) if isinstance(t, Const | Var)]
            return f"NOT EXISTS (SELECT 1 FROM {quoted(atom.predicate)} n WHERE {' AND '.join(same) or 'true'})"
        case Comparison(left=left, op=op, right=right) if op in OPERATORS:
            return f"{_term(left, places)} {OPERATORS[op]} {_term(right, places)}"
    raise Unspoken(str(literal))


def _term(term: Term, places: Mapping[str, str]) -> str:
    match term:
        case Const(value=int() as value):
            return f"{value}::BIGINT"
        case Var(name=name) if name in places:
            return places[name]
    raise Unspoken(str(term))


def evaluate(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    """Make a table of every relation that rules derive; base facts are in tables with columns c0, c1, ..."""
    rules = parse_program(text).rules
    known = {row[0] for row in connection.execute("SELECT table_name FROM information_schema.tables").fetchall()}
    for atom in (a for rule in rules for a in (rule.head, *_atoms(rule))):
        if atom.predicate not in known:
            columns = ", ".join(f"c{i} BIGINT" for i in range(len(atom.args)))
            connection.execute(f"CREATE TABLE {quoted(atom.predicate)} ({columns})")
            known.add(atom.predicate)
    for stratum in strata(rules):
        _settle(connection, [rule for rule in rules if rule.head.predicate in stratum], stratum)


def _atoms(rule: Rule) -> Iterator[Atom]:
    for literal in rule.body:
        if isinstance(literal, Atom):
            yield literal
        elif isinstance(literal, Negation) and isinstance(literal.atom, Atom):
            yield literal.atom


def _settle(connection: duckdb.DuckDBPyConnection, rules: Sequence[Rule], stratum: frozenset[str]) -> None:
    """One stratum, round by round; base facts of its relations are known before the first."""
    for name in stratum:
        connection.execute(f"CREATE TEMP TABLE {new(name)} AS SELECT * FROM {quoted(name)}")
    later = {name: [part for rule in _of(rules, name) for part in _deltas(rule, stratum)] for name in stratum}
    grown = _round(connection, {name: [Sources(rule, {}).select() for rule in _of(rules, name)] for name in stratum})
    while grown and any(later.values()):
        parts = {name: [part.select for part in found if part.reads in grown] for name, found in later.items()}
        grown = _round(connection, parts)
    for name in stratum:
        connection.execute(f"DROP TABLE {new(name)}")


def _of(rules: Sequence[Rule], name: str) -> Iterator[Rule]:
    return (rule for rule in rules if rule.head.predicate == name)


@dataclass(frozen=True, slots=True)
class Delta:
    """A rule that reads what is new of one relation."""

    reads: str
    select: str


def _deltas(rule: Rule, stratum: frozenset[str]) -> Iterator[Delta]:
    """The rule once for every atom that recurs."""
    for number, literal in enumerate(rule.body):
        if isinstance(literal, Atom) and literal.predicate in stratum:
            name = literal.predicate
            yield Delta(name, Sources(rule, {number: new(name)}).select())


def _round(connection: duckdb.DuckDBPyConnection, selects: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Find what is new in every relation, then make it known; the relations that have grown."""
    for name, parts in selects.items():
        if parts:
            found = f"FROM ({' UNION '.join(parts)}) f ANTI JOIN {quoted(name)} k ON {_same(connection, name)}"
        else:
            found = f"FROM {quoted(name)} f LIMIT 0"
        connection.execute(f"CREATE TEMP TABLE {quoted('found ' + name)} AS SELECT f.* {found}")
    grown = set()
    for name in selects:
        connection.execute(f"DROP TABLE {new(name)}")
        connection.execute(f"ALTER TABLE {quoted('found ' + name)} RENAME TO {new(name)}")
        ((size,),) = connection.execute(f"INSERT INTO {quoted(name)} SELECT * FROM {new(name)}").fetchall()
        if size:
            grown.add(name)
    return frozenset(grown)


def _same(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    columns = connection.execute(f"SELECT * FROM {quoted(name)} LIMIT 0").description or ()
    return " AND ".join(f"f.{column[0]} = k.{column[0]}" for column in columns)


def quoted(name: str) -> str:
    """A name that may be a word of SQL."""
    return f'"{name}"'


def new(name: str) -> str:
    """The table of what the last round found."""
    return quoted(f"new {name}")
