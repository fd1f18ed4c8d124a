"""The state of an engine, read one fact at a time, wherever its facts are.

Law: a look-up requests the facts that agree with everything known from where they are stored (`fact_pages`), page by
page (`pages`). Only facts of one state are seen: the last committed epoch, or one that is not committed yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeAlias

import numpy as np

from tidelog.io.columns import decode_column
from tidelog.io.fact_text import with_zone
from tidelog.partition.code.stratum import RuleCode
from tidelog.partition.reading.fact_pages import FactPattern
from tidelog.plan.result_types import Outside, outside_types
from tidelog.plan.ruleset import Ruleset
from tidelog.plan.statistics import Sizes
from tidelog.program import Const, Rule, Value, Var
from tidelog.program.graph.asserted_facts import users_name
from tidelog.program.graph.choice import as_copy, declaration_behind
from tidelog.program.graph.constraint import is_hidden
from tidelog.program.graph.well_founded import UNDEFINED
from tidelog.program.values.shape import Shape
from tidelog.program.values.term import Atom
from tidelog.runtime.protocol.runtime import Runtime
from tidelog.syntax import print_atom, print_rule, print_term
from tidelog.syntax.printer import print_declaration
from tidelog.why import why_failures as failures
from tidelog.why.pages import Pages

FactKey: TypeAlias = tuple[str, tuple[int, ...]]
_CALENDAR = ("boolean", "date", "timestamp")  # types that are stored as numbers and shown as something else


class Ledger:
    """Facts, ranks, rules and texts of an engine in one state; ``running``: that of the epoch that is not committed."""

    def __init__(self, runtime: Runtime, rules: Ruleset, work: int, *, running: bool = False) -> None:
        self._node = runtime.node
        self.pages = Pages(runtime.facts, running=running, far=runtime.partitions > 1 or runtime.session is not None)
        self.dictionary = runtime.dictionary
        self.rules = rules
        self.asserted_elsewhere = rules.asserted_elsewhere
        self.work = work
        self.sizes = Sizes(runtime.facts.live, runtime.facts.key_counts(), {}, frozenset())
        self.by_head: dict[str, list[Rule]] = {}
        for rule in map(as_copy, rules.core.values()):  # a chosen fact follows from its candidate
            self.by_head.setdefault(rule.head.predicate, []).append(rule)
        self._owners: dict[str, list[str]] = {}
        for label, made in rules.core_labels.items():
            for core in made:
                self._owners.setdefault(core, []).append(label)

    # Facts

    def pattern(self, name: str, known: Mapping[int, int], below: int | None = None) -> FactPattern:
        """The pattern of the facts that have these cells in these columns, optionally only those of lower rank."""
        columns = tuple(sorted(known))
        return FactPattern(name, columns, tuple(known[c] for c in columns), below, ranked=name in self.by_head)

    def whole(self, key: FactKey) -> FactPattern:
        """The pattern of one fact."""
        return FactPattern(key[0], tuple(range(len(key[1]))), key[1], ranked=key[0] in self.by_head)

    def has(self, key: FactKey) -> bool:
        """Whether a fact is present."""
        return self.pages.page(self.whole(key)).total > 0

    def is_undefined(self, key: FactKey) -> bool:
        """Whether a fact is neither true nor false."""
        name = f"{UNDEFINED}{key[0]}"
        return name in self.rules.schema and self.has((name, key[1]))

    def rank(self, key: FactKey) -> int:
        """The rank of a fact that is present."""
        return int(self.pages.page(self.whole(key)).ranks[0])

    def is_asserted(self, key: FactKey) -> bool:
        """Whether a present fact is asserted, looked up where that is stored."""
        found = self.pages.page(self.whole(self.asserted_as(key)))
        return found.total > 0 and bool(found.asserted[0])

    def asserted_as(self, key: FactKey) -> FactKey:
        """The fact that records whether another is asserted: the fact itself, or one that is stored separately."""
        return (self.asserted_elsewhere.get(key[0], key[0]), key[1])

    def shown(self, rule: Rule, candidate: FactKey) -> int | None:
        """The rank of a candidate that its group shows; None for any other."""
        columns = tuple(range(len(candidate[1])))
        found = self.pages.page(FactPattern(candidate[0], columns, candidate[1], shown_by=rule.label or ""))
        return int(found.ranks[0]) if found.total else None

    def count(self, name: str, known: Mapping[int, int]) -> int:
        """How many facts have these cells in these columns."""
        return self.pages.page(self.pattern(name, known)).total

    def keys(self, name: str, known: Mapping[int, int]) -> Iterator[FactKey]:
        """The facts that have these cells in these columns."""
        return ((name, cells) for cells, _ in self.pages.facts(self.pattern(name, known)))

    def code(self, rule: Rule) -> RuleCode:
        """What partitions know about a rule."""
        return self._node.partition.rules.codes[rule.label or ""]

    def spend(self, visits: int = 1) -> None:
        """Count visited facts; raises an error if the question has used up its limit."""
        self.work -= visits
        if self.work < 0:
            raise failures.OUT_OF_WORK.error()

    def same_stratum(self, one: str, other: str) -> bool:
        """Whether two relations are evaluated together, so that their ranks are comparable."""
        stratum = self._node.strata.get(one)
        return stratum is not None and other in stratum.relations

    # Texts

    def owner(self, rule: Rule) -> str:
        """The label of the user's rule that a core rule comes from; the first label if several rules share it."""
        return self.owners(rule)[0]

    def owners(self, rule: Rule) -> list[str]:
        """The labels of the user's rules that need a core rule."""
        return self._owners[rule.label or ""]

    def users_fact(self, key: FactKey) -> FactKey:
        """The user's fact for an asserted auxiliary fact: an edge, a candidate, or the fact that is compared."""
        name = users_name(key[0])
        assert name is not None, "other auxiliary facts are never asserted"
        return name, key[1]

    def rule_text(self, label: str) -> str:
        """The text of the user's rule with a label, or of the declaration that made the rule."""
        declared = declaration_behind(self.rules.program, label)
        if declared is not None and label not in self.rules.labels:
            return print_declaration(declared)
        return print_rule(self.rules.rule(label), self.rules.program.convention)

    def rule_name(self, label: str) -> str:
        """The name of a rule: its label, or the declaration that made it."""
        declared = None if label in self.rules.labels else declaration_behind(self.rules.program, label)
        return label if declared is None else f".decl {declared.relation}"

    def user_rule(self, label: str) -> Rule:
        """The user's rule with a label, or the rule that a declaration made."""
        if label not in self.rules.labels:
            made = next((r for r in self.rules.core.values() if r.users_label == label), None)
            if made is not None:
                return made.root
        return self.rules.rule(label)

    def value(self, cell: int, type_: str | None) -> Value:
        """The Python value of a cell."""
        if type_ in _CALENDAR or isinstance(type_, Shape):
            decoded: Value = decode_column(np.array([cell], np.int64), type_, self.dictionary)[0]
            return decoded
        return self.dictionary.decode_any(cell, type_)

    def words_ahead(self, keys: Iterable[FactKey]) -> None:
        """Look up together the values behind ids that are shown next."""
        if self.pages.far:
            types = self.rules.schema
            cells = {c for name, row in keys for c, t in zip(row, types[name], strict=True) if t in ("symbol", "list")}
            self.dictionary.values_of(sorted(cells))

    def values(self, key: FactKey) -> tuple[Value, ...]:
        """The Python values of a fact."""
        types = self.rules.schema[key[0]]
        return tuple(self.value(cell, type_) for cell, type_ in zip(key[1], types, strict=True))

    def constants(self, key: FactKey) -> tuple[Const, ...]:
        """The columns of a fact as constants of the language."""
        types, values = self.rules.schema[key[0]], self.values(key)
        if any(type_ == "timestamp" or isinstance(type_, Shape) for type_ in types):
            values = tuple(map(with_zone, values, types, self._outside.get(key[0], ("",) * len(types))))
        return tuple(Const(v, t or "any") for v, t in zip(values, types, strict=True))

    @cached_property
    def _outside(self) -> Outside:
        """The types of the inserted data, which show whether times are instants."""
        return outside_types(self.rules)

    def fact_text(self, key: FactKey) -> str:
        """The text of a fact; for a violation, the values of its constraint's variables."""
        if is_hidden(key[0]):
            names = (arg.name for arg in self.by_head[key[0]][0].head.args if isinstance(arg, Var))
            shown = (self.cell_text(*each) for each in zip(key[1], self.rules.schema[key[0]], strict=True))
            return ", ".join(f"{name} = {value}" for name, value in zip(names, shown, strict=True)) or "always"
        return print_atom(Atom(key[0], self.constants(key)), self.rules.program.convention)

    def cell_text(self, cell: int, type_: str | None) -> str:
        """The text of a value."""
        return print_term(Const(self.value(cell, type_), type_ or "any"), self.rules.program.convention)
