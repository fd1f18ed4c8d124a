"""The state of a partition, read one fact at a time.

Law: every look narrows by what is known: a whole fact is found by its hash, some columns of it through an index. An
index that no rule keeps is made for the duration of the question and dropped with it, so that a question leaves no
trace in the cost of later epochs. Only facts of one state are seen (`sight`): by itself the last committed epoch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TypeAlias

import numpy as np

from tidelog.io.columns import decode_column
from tidelog.kernel.cells import Cells
from tidelog.partition.partition import Partition
from tidelog.partition.records import (
    LONGEST_KEY,
    arity_of,
    cells_of,
    is_asserted,
    rank,
)
from tidelog.partition.stratum import Stratum
from tidelog.plan.ruleset import Ruleset
from tidelog.plan.statistics import Sizes
from tidelog.program import Const, Rule, Value, Var
from tidelog.program.asserted import kept_apart, users_name
from tidelog.program.choice import as_copy, declaration_behind
from tidelog.program.constraint import is_hidden
from tidelog.program.literal import Atom
from tidelog.syntax import print_atom, print_rule, print_term
from tidelog.syntax.printer import print_declaration
from tidelog.why import failures
from tidelog.why.sight import CommittedSight, Sight

FactKey: TypeAlias = tuple[str, tuple[int, ...]]
_CALENDAR = ("boolean", "date", "timestamp")  # types that are numbers inside and something else outside
NOTHING: Cells = np.zeros(0, np.int64)


class Ledger:
    """Facts, ranks, rules and words of an engine in one state."""

    def __init__(
        self,
        partition: Partition,
        strata: Mapping[str, Stratum],
        rules: Ruleset,
        work: int,
        sight: Sight | None = None,
    ) -> None:
        self.partition = partition
        self.relations = partition.relations
        self.sight: Sight = sight or CommittedSight(partition.relations)
        self.dictionary = partition.dictionary
        self.rules = rules
        self.strata = strata
        self.apart = kept_apart(rules.program)
        self.work = work
        self.sizes = Sizes(self._live, self._keys, {}, frozenset())
        self.by_head: dict[str, list[Rule]] = {}
        for rule in map(as_copy, rules.core.values()):  # what was chosen follows from its candidate
            self.by_head.setdefault(rule.head.predicate, []).append(rule)
        self._owners: dict[str, list[str]] = {}
        for label, made in rules.needed.items():
            for core in made:
                self._owners.setdefault(core, []).append(label)
        self._made: list[tuple[int, tuple[int, ...]]] = []

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, columns in self._made:
            self.relations.drop_index(number, columns)
        self._made.clear()

    # Facts

    def find(self, number: int, cells: Sequence[int]) -> int:
        """The row of a fact, -1 if it is absent."""
        return self.sight.find(number, cells)

    def row_of(self, key: FactKey) -> int:
        """The row of a fact, -1 if it is absent."""
        number = self.relations.numbers.get(key[0])
        return -1 if number is None else self.find(number, key[1])

    def rank(self, name: str, row: int) -> int:
        """The rank of a fact that is present."""
        return rank(self.relations, self.relations.numbers[name], row)

    def is_asserted(self, key: FactKey) -> bool:
        """Whether a present fact is asserted, where that is kept."""
        if key[0] in self.apart:
            key = (self.apart[key[0]], key[1])
            if self.row_of(key) < 0:
                return False
        return is_asserted(self.relations, self.relations.numbers[key[0]], self.row_of(key))

    def cells(self, name: str, row: int) -> tuple[int, ...]:
        """The columns of a record."""
        return cells_of(self.relations, self.relations.numbers[name], row)

    def rows(self, name: str, known: Mapping[int, int]) -> Cells:
        """The rows of the facts that have these cells in these columns, oldest records first."""
        number = self.relations.numbers.get(name)
        if number is None:
            return NOTHING
        columns = tuple(sorted(known))
        if len(columns) == arity_of(self.relations, number):
            row = self.find(number, [known[c] for c in columns])
            return NOTHING if row < 0 else np.array([row], np.int64)
        if not columns:
            return self.sight.rows(number)
        found = self._look_up(number, columns[:LONGEST_KEY], known)
        for column in columns[LONGEST_KEY:]:
            found = found[self.relations.records(number)[found, column] == known[column]]
        return found

    def _look_up(self, number: int, columns: tuple[int, ...], known: Mapping[int, int]) -> Cells:
        index = self._index(number, columns)
        key: Cells = np.array([known[c] for c in columns], np.int64)
        return self.sight.matching(number, index, columns, key)

    def _index(self, number: int, columns: tuple[int, ...]) -> int:
        is_new = self.relations.distinct_keys(number, columns) is None
        index = self.relations.index(number, columns)
        if is_new:
            self._made.append((number, columns))
        return index

    def spend(self, visits: int = 1) -> None:
        """Count visited facts; raises where the question has used up its work."""
        self.work -= visits
        if self.work < 0:
            raise failures.OUT_OF_WORK.error()

    def same_stratum(self, one: str, other: str) -> bool:
        """Whether two relations are evaluated together, so that their ranks are compared."""
        stratum = self.strata.get(one)
        return stratum is not None and other in stratum.relations

    def _live(self, name: str) -> int:
        number = self.relations.numbers.get(name)
        return 0 if number is None else self.relations.live(number)

    def _keys(self, name: str, columns: tuple[int, ...]) -> int | None:
        number = self.relations.numbers.get(name)
        return None if number is None else self.relations.distinct_keys(number, columns)

    # Words

    def owner(self, rule: Rule) -> str:
        """The label of the user's rule that a core rule comes from; of the first, if several share it."""
        return self.owners(rule)[0]

    def owners(self, rule: Rule) -> list[str]:
        """The labels of the user's rules that need a core rule."""
        return self._owners[rule.label or ""]

    def users_fact(self, key: FactKey) -> FactKey:
        """The fact that the user knows an asserted auxiliary fact as: an edge, a candidate, or what is compared."""
        name = users_name(key[0])
        assert name is not None, "other auxiliary facts are never asserted"
        return name, key[1]

    def rule_text(self, label: str) -> str:
        """The user's rule with a label, as text; the declaration, where that made the rule."""
        declared = declaration_behind(self.rules.program, label)
        if declared is not None and label not in self.rules.labels:
            return print_declaration(declared)
        return print_rule(self.rules.rule(label), self.rules.program.convention)

    def user_rule(self, label: str) -> Rule:
        """The user's rule with a label; for one that a declaration made, that rule."""
        if label not in self.rules.labels:
            made = next((r for r in self.rules.core.values() if r.users_label == label), None)
            if made is not None:
                return made.root
        return self.rules.rule(label)

    def value(self, cell: int, type_: str | None) -> Value:
        """The Python value of a cell."""
        if type_ in _CALENDAR:
            decoded: Value = decode_column(np.array([cell], np.int64), type_, self.dictionary)[0]
            return decoded
        return self.dictionary.decode_any(cell, type_)

    def values(self, key: FactKey) -> tuple[Value, ...]:
        """The Python values of a fact."""
        types = self.rules.schema[key[0]]
        return tuple(self.value(cell, type_) for cell, type_ in zip(key[1], types, strict=True))

    def constants(self, key: FactKey) -> tuple[Const, ...]:
        """The columns of a fact as constants of the language."""
        types = self.rules.schema[key[0]]
        return tuple(Const(v, t or "any") for v, t in zip(self.values(key), types, strict=True))

    def fact_text(self, key: FactKey) -> str:
        """A fact as it is written; a violation by the values of its constraint's variables."""
        if is_hidden(key[0]):
            names = (arg.name for arg in self.by_head[key[0]][0].head.args if isinstance(arg, Var))
            shown = (self.cell_text(*each) for each in zip(key[1], self.rules.schema[key[0]], strict=True))
            return ", ".join(f"{name} = {value}" for name, value in zip(names, shown, strict=True)) or "always"
        return print_atom(Atom(key[0], self.constants(key)), self.rules.program.convention)

    def cell_text(self, cell: int, type_: str | None) -> str:
        """A value as it is written."""
        return print_term(Const(self.value(cell, type_), type_ or "any"), self.rules.program.convention)
