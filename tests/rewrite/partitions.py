"""Partitions of paper: localised rules evaluated on the local facts of each of several partitions, heads sent on.

Law: a partition reads nothing but what lives on it. Rounds are those of the naive evaluator: the relations of a stratum
are replaced by their base facts and by what all partitions derived from the last round, until nothing changes.
This shows where facts are, not what it costs to keep them so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from zlib import crc32

from tidelog.program import Program, Rule, Value
from tidelog.rewrite import is_aggregate_rule
from tidelog.rewrite.place.place import PlacedRules
from tidelog.testing import evaluate, strata, supports

Row = tuple[Value, ...]
Local = dict[str, frozenset[Row]]
OUT = "out"
ROUNDS = 500


def owner(value: Value, partitions: int) -> int:
    """Any hash will do that equal values share."""
    if isinstance(value, int | float):
        return hash(value) * 7919 // 3 % partitions
    return (crc32(value.encode()) if isinstance(value, str) else len(value)) % partitions


@dataclass
class Partitions:
    """The facts of a placed program on several partitions; ``messages`` counts what rules sent to others."""

    placed: PlacedRules
    number: int
    base: Mapping[str, Iterable[Row]]
    facts: list[Local] = field(default_factory=list)
    messages: Counter[str] = field(default_factory=Counter)
    seen: dict[object, frozenset[Row]] = field(default_factory=dict)

    def run(self) -> Partitions:
        given = [self._given(partition) for partition in range(self.number)]
        self.facts = [dict(local) for local in given]
        for stratum in strata(self.placed.core.values()):
            rules = {label: rule for label, rule in self.placed.core.items() if rule.head.predicate in stratum}
            for _ in range(ROUNDS):
                before = [[local.get(name) for name in stratum] for local in self.facts]
                self._round(stratum, rules, given)
                if before == [[local.get(name) for name in stratum] for local in self.facts]:
                    break
            else:
                raise AssertionError(f"no fixed point of {sorted(stratum)}")
        return self

    def model(self) -> dict[str, frozenset[Row]]:
        """All facts of all partitions together; a mirrored relation is the same on each."""
        found: dict[str, frozenset[Row]] = {}
        for name in {name for local in self.facts for name in local}:
            parts = [local.get(name, frozenset()) for local in self.facts]
            if self.placed.placements[name].is_mirrored:
                assert len(set(parts)) == 1, name
            else:
                assert sum(map(len, parts)) == len(frozenset().union(*parts)), name
            found[name] = frozenset().union(*parts)
        return found

    def owners(self, name: str, row: Row) -> list[int]:
        home = self.placed.placements[name]
        if home.is_mirrored:
            return list(range(self.number))
        return [0 if home.is_single else owner(row[home.column], self.number)]

    def check_supports(self) -> None:
        """Every support of a plain rule is found once: on one partition, or at its owner if the rule fires on all."""
        whole = self.model()
        for label, rule in self.placed.core.items():
            if is_aggregate_rule(rule):
                continue
            found: Counter[Row] = Counter()
            for partition, local in enumerate(self.facts):
                for row, count in _supports(rule, local).items():
                    owners = self.owners(rule.head.predicate, row)
                    if label not in self.placed.everywhere or partition == owners[0]:
                        found[row] += count
            assert found == _supports(rule, whole), label

    def _given(self, partition: int) -> Local:
        local: Local = {name: frozenset() for name in self.placed.placements}
        for name, rows in self.base.items():
            local[name] = frozenset(row for row in rows if partition in self.owners(name, row))
        return local

    def _round(self, stratum: frozenset[str], rules: Mapping[str, Rule], given: list[Local]) -> None:
        derived = [{name: set(local[name]) for name in stratum} for local in given]
        for label, rule in rules.items():
            name = rule.head.predicate
            for sender, local in enumerate(self.facts):
                for row in self._heads(rule, local):
                    owners = self.owners(name, row)
                    if label in self.placed.everywhere:
                        owners = [sender] if sender in owners else []
                    self.messages[label] += sum(receiver != sender for receiver in owners)
                    for receiver in owners:
                        derived[receiver][name].add(row)
        for local, news in zip(self.facts, derived, strict=True):
            local.update({name: frozenset(rows) for name, rows in news.items()})

    def _heads(self, rule: Rule, local: Local) -> frozenset[Row]:
        """What a rule derives from local facts; few of them change from round to round."""
        facts = _read(rule, local)
        key = (rule.label, *facts.items())
        if key not in self.seen:
            self.seen[key] = evaluate(_alone(rule), facts)[OUT]
        return self.seen[key]


def _alone(rule: Rule) -> Program:
    return Program((replace(rule, head=replace(rule.head, predicate=OUT)),))


def _read(rule: Rule, local: Local) -> Local:
    names = {getattr(getattr(literal, "atom", literal), "predicate", "") for literal in rule.body}
    return {name: rows for name, rows in local.items() if name in names}


def _supports(rule: Rule, local: Local) -> Counter[Row]:
    found = supports(_alone(rule), _read(rule, local))
    return Counter({row: count for (name, row), count in found.items() if name == OUT})
