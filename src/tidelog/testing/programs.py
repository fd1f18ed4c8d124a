"""Whole programs with their facts, changes and expected relations, read from a folder.

Law: beside ``name.dl`` is a folder ``name`` with ``relation.facts`` (tab-separated, as Soufflé reads them),
``expected/relation.csv`` (the same format, sorted), and, if the program also has changes, a script ``changes.txt``
with the relations afterwards in ``expected_after/``. The files of expected relations are the only ones compared.
Rows are read here by the types that the checks found; if those leave a column open, whole numbers are numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from tidelog.errors import DataError
from tidelog.program import Call, Const, Rule, Term, Value, Variant
from tidelog.program.check import check_program
from tidelog.program.values.shape import Shape
from tidelog.program.values.term import NUMBER, SYMBOL
from tidelog.syntax import parse_file, parse_ground_atom
from tidelog.syntax.changes import Epoch, FactChange, RuleAdded, RuleRemoved, parse_changes_file
from tidelog.testing.changes import EpochChanges, GroundFact, State
from tidelog.testing.values import Row

Relations = Mapping[str, frozenset[Row]]


@dataclass(frozen=True)
class ProgramCase:
    """One program: its initial facts, its changes, and what it must derive before and after."""

    path: Path
    start: State
    epochs: tuple[EpochChanges, ...]
    expected: Relations
    expected_after: Relations


def find_programs(root: Path, *, leave_out: Iterable[str] = ("network", "rejected")) -> list[Path]:
    """The programs of a folder of areas, in order of name."""
    return sorted(path for path in root.glob("*/*.dl") if path.parent.name not in set(leave_out))


def load_program(path: Path) -> ProgramCase:
    """The case that a program and the folder beside it describe; the program has passed the checks."""
    checked = check_program(parse_file(path))
    program = replace(checked.program, rules=_labelled(checked.program.rules))
    folder = path.with_suffix("")
    facts = read_relations(folder, "*.facts", checked.schema)
    state = State.start(program)
    given = frozenset((relation, row) for relation, rows in facts.items() for row in rows)
    script = folder / "changes.txt"
    epochs = parse_changes_file(script, convention=program.convention) if script.exists() else ()
    return ProgramCase(
        path,
        State(state.program, state.facts | given),
        tuple(epoch_changes(epoch) for epoch in epochs),
        read_relations(folder / "expected", "*.csv", checked.schema),
        read_relations(folder / "expected_after", "*.csv", checked.schema),
    )


def _labelled(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Rules without a label get r1, r2, ... (D4)."""
    taken = {rule.label for rule in rules}
    fresh = (label for label in map("r{}".format, count(1)) if label not in taken)
    return tuple(rule if rule.label else replace(rule, label=next(fresh)) for rule in rules)


def epoch_changes(epoch: Epoch) -> EpochChanges:
    """An epoch of a change script as a value for `State.after`; instances of components are for the engine."""
    if not all(isinstance(change, FactChange | RuleAdded | RuleRemoved) for change in epoch):
        raise DataError("a script for whole programs changes facts and rules only")
    return EpochChanges(
        tuple(_ground(change) for change in epoch if isinstance(change, FactChange) and change.sign > 0),
        tuple(_ground(change) for change in epoch if isinstance(change, FactChange) and change.sign < 0),
        tuple(change.rule for change in epoch if isinstance(change, RuleAdded)),
        tuple(change.label for change in epoch if isinstance(change, RuleRemoved)),
    )


def _ground(change: FactChange) -> GroundFact:
    return change.atom.predicate, tuple(_value_of(term) for term in change.atom.args)


def _value_of(term: Term, type_: str | None = None) -> Value:
    match term:
        case Const(value="nil") if isinstance(type_, Shape):
            return None
        case Call(function=name, args=args) if isinstance(type_, Shape):
            constructor = name[1:] if name[0] == "$" else ""
            fields = type_.constructors[constructor]
            parts = tuple(_value_of(arg, field.type) for arg, field in zip(args, fields, strict=True))
            return Variant(constructor, *parts) if constructor else parts
        case Call(function=name, args=args) if name[0] == "$":
            return Variant(name[1:], *map(_value_of, args))
        case Const(value=value):
            return value
        case Call(function="list", args=args):
            return tuple(_value_of(arg) for arg in args)
    raise DataError(f"not a constant: {term}")


def read_relations(folder: Path, pattern: str, schema: Mapping[str, Sequence[str | None]]) -> Relations:
    """Every relation that has a file in the folder."""
    files = sorted(folder.glob(pattern))
    return {path.stem: frozenset(read_rows(path, schema.get(path.stem))) for path in files}


def read_rows(path: Path, types: Sequence[str | None] | None = None) -> list[Row]:
    """The rows of a tab-separated file; an empty line is the empty row of a relation without columns."""
    rows = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        cells = line.split("\t") if line or types != () else []
        wanted = (None,) * len(cells) if types is None else types
        if len(cells) != len(wanted):
            raise DataError(f"{path}:{number}: {len(cells)} columns, {len(wanted)} expected")
        rows.append(tuple(_read(cell, type_) for cell, type_ in zip(cells, wanted, strict=True)))
    return rows


def _read(cell: str, type_: str | None) -> Value:
    if isinstance(type_, Shape):
        return _value_of(parse_ground_atom(f"cell({cell})").args[0], type_)
    match type_ or (NUMBER if cell.lstrip("-").isdecimal() else SYMBOL):
        case "float":
            return float(cell)
        case "symbol":
            return cell
        case "list":
            return _value_of(parse_ground_atom(f"cell({cell})").args[0])
        case _:
            return int(cell)


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """The rows as `read_rows` reads them, sorted."""
    path.write_text("".join("\t".join(map(_show, row)) + "\n" for row in sorted(rows, key=_order)), "utf-8")


def _order(row: Row) -> tuple[object, ...]:
    """Structures as their text, everything else unchanged."""
    return tuple(_show(value) if value is None or isinstance(value, tuple | Variant) else value for value in row)


def _show(value: Value) -> str:
    if isinstance(value, Variant):
        return f"${value.constructor}({', '.join(map(_show, value.parts))})" if value.parts else f"${value.constructor}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_show, value))}]"
    return "nil" if value is None else str(value)


__all__ = ["ProgramCase", "epoch_changes", "find_programs", "load_program", "read_relations", "read_rows", "write_rows"]
