"""The look-ups of rules by columns, and the indexes that serve them.

Law: the index of a look-up is chosen among those of its relation alone. So when the plans of some rules change, only
the relations that they look up are considered again, and other rules get new plans only where an index was exchanged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from tidelog.partition.code.stratum import RuleCode
from tidelog.plan.indexes import Lookup, choose_indexes, lookups


class _Use(NamedTuple):
    """What a rule needs: its look-ups, the indexes that no other can replace, and those that its plans use."""

    code: RuleCode
    lookups: frozenset[Lookup]
    fixed: frozenset[Lookup]
    indexes: frozenset[Lookup]


class IndexUse:
    """The look-ups of all rules, by relation, and the index chosen for each."""

    def __init__(self) -> None:
        self.chosen: dict[Lookup, Lookup] = {}
        self._chosen_in: dict[str, dict[Lookup, Lookup]] = {}  # the same by relation
        self.used: Counter[Lookup] = Counter()  # indexes, and how many rules use each
        self._of: dict[int, _Use] = {}  # by identity of the rule's code
        self._lookups: dict[str, Counter[Lookup]] = {}
        self._fixed: dict[str, Counter[Lookup]] = {}
        self._codes: dict[str, dict[int, RuleCode]] = {}
        self._changed: dict[int, tuple[RuleCode, bool]] = {}

    def change(self, code: RuleCode, *, in_force: bool) -> None:
        """Note that the plans of a rule have changed, or that the rule is no longer in force."""
        self._changed[id(code)] = code, in_force

    def choose(self, chain: Callable[[Lookup], float]) -> list[RuleCode]:
        """Choose indexes for the relations that changed rules look up; returns the rules that may need other plans."""
        concerned: dict[int, RuleCode] = {}
        relations: set[str] = set()
        for key, (code, in_force) in self._changed.items():
            relations |= self._forget(key)
            if in_force:
                relations |= self._note(code)
                concerned[key] = code
        self._changed = {}
        for relation in sorted(relations):
            concerned.update(self._choose(relation, chain))
        return list(concerned.values())

    def note(self, code: RuleCode) -> None:
        """Note that the plans of a rule were replaced by others with the same look-ups."""
        self._forget(id(code))
        self._note(code)
        self._changed.pop(id(code), None)

    def _choose(self, relation: str, chain: Callable[[Lookup], float]) -> Mapping[int, RuleCode]:
        """Choose the indexes of a relation; returns the rules that look it up if one was exchanged."""
        wanted: Iterable[Lookup] = self._lookups.get(relation, ())
        before = self._chosen_in.pop(relation, {})
        for lookup in before:
            del self.chosen[lookup]
        found = choose_indexes(wanted, self._fixed.get(relation, ()), chain)
        self.chosen.update(found)
        self._chosen_in[relation] = found
        kept = all(before.get(lookup, index) == index for lookup, index in found.items())
        return {} if kept else self._codes.get(relation, {})

    def _note(self, code: RuleCode) -> set[str]:
        use = _Use(code, frozenset(lookups(code.plans)), frozenset(code.fixed_indexes), frozenset(code.indexes))
        self._of[id(code)] = use
        for found, counts in ((use.lookups, self._lookups), (use.fixed, self._fixed)):
            for lookup in found:
                counts.setdefault(lookup[0], Counter())[lookup] += 1
        self.used.update(use.indexes)
        for relation, _ in use.lookups:
            self._codes.setdefault(relation, {})[id(code)] = code
        return _relations(use)

    def _forget(self, key: int) -> set[str]:
        use = self._of.pop(key, None)
        if use is None:
            return set()
        for found, counts in ((use.lookups, self._lookups), (use.fixed, self._fixed)):
            for lookup in found:
                _take(counts[lookup[0]], lookup)
        for index in use.indexes:
            _take(self.used, index)
        for relation in {relation for relation, _ in use.lookups}:
            del self._codes[relation][key]
        return _relations(use)


def _take(counts: Counter[Lookup], lookup: Lookup) -> None:
    counts[lookup] -= 1
    if not counts[lookup]:
        del counts[lookup]


def _relations(use: _Use) -> set[str]:
    found: Iterable[Lookup] = use.lookups | use.fixed
    return {relation for relation, _ in found}
