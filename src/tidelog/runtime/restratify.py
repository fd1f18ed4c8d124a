"""Strata at run time: which relations are evaluated together, and what changes when rules do.

Laws (design, section 3). *Merging*: stack the old strata in their old order, one rank offset per old stratum; no count
changes. *Splitting*: parts stay one stratum; only where that would put a negation inside a group are they split for
real, and then the supports of rules that cross the parts are compared anew. The same holds for min and max: a value
improved upon may support another group's best only where the rules themselves recur.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tidelog.partition.partition import Partition
from tidelog.partition.ranks import highest_rank, raise_ranks
from tidelog.partition.rule_supports import compare_rule, settle_split
from tidelog.partition.stratum import Stratum
from tidelog.program import Atom
from tidelog.runtime.request import Steps


@dataclass
class Restratification:
    """Moves a partition from its old strata to new ones, before any stratum is evaluated.

    All partitions do the same at the same time: `compare` hands supports compared anew to the owners of their heads,
    `highest` agrees on the highest number.
    """

    partition: Partition
    old: dict[str, Stratum]
    compare: Callable[[int], Steps[None]]
    highest: Callable[[int], Steps[int]]

    def apply(self, groups: Sequence[frozenset[str]]) -> Steps[list[Stratum]]:
        """The new strata in order; those whose relations did not change are the old objects."""
        found, made = [], []
        for group in groups:
            stratum = next((s for name in group if (s := self.old.get(name)) and s.relations == group), None)
            if stratum is None:
                stratum = Stratum(group)
                made.append(stratum)
            found.append(stratum)
        for stratum in made:
            yield from self._move_rules(stratum)
        for stratum in made:
            yield from self._stack(stratum)
        settle_split(self.partition)
        for order, stratum in enumerate(found):
            stratum.order = order
        return found

    def _move_rules(self, stratum: Stratum) -> Steps[None]:
        """Give every rule of a new stratum its new code; those that cross the parts of a split are compared anew."""
        for name in sorted(stratum.relations & self.old.keys()):
            old = self.old[name]
            left = old.relations - stratum.relations
            for code in [c for c in old.rules.values() if c.rule.head.predicate == name]:
                crosses = any(isinstance(x, Atom) and x.predicate in left for x in code.rule.body)
                if crosses:
                    compare_rule(self.partition, code, -1)
                    yield from self.compare(-1)
                    self.partition.rules.assemble(code, stratum.relations & old.relations)
                    compare_rule(self.partition, code, 1)
                    yield from self.compare(1)
                self.partition.rules.assemble(code, stratum.relations)
                stratum.rules[code.label] = code

    def _stack(self, stratum: Stratum) -> Steps[None]:
        """Stack what the old strata bring into a merged one, in their old order, alike on all partitions."""
        parts: dict[int, set[str]] = {}
        for name in stratum.relations & self.old.keys():
            parts.setdefault(self.old[name].order, set()).add(name)
        offset = 0
        for order in sorted(parts):
            top = yield from self.highest(highest_rank(self.partition.relations, parts[order]))
            raise_ranks(self.partition.relations, parts[order], offset)
            offset += top
        self.partition.raise_clock(offset)
