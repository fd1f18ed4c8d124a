"""The strata of many rules, kept from one change of rules to the next.

Law: layers are a value. Every relation that a stratum reads is in the same or a lower stratum, and a negation or an
aggregate never reads its own stratum unless the rules themselves are recursive there. Strata may be coarser than the
rules demand: removing rules splits nothing. Adding rules recomputes only the strata between the lowest one that a new
edge enters and the highest one that it comes from; all others keep their places.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tidelog.plan.strata import core_edges, group_strata
from tidelog.plan.work import StrataChange
from tidelog.program import Rule
from tidelog.program.graph.dependency import POSITIVE, Edge

Groups = tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Layers:
    """The relations of each stratum, lower ones first, and the place and the readers and writers of every relation."""

    groups: Groups = ()
    place: Mapping[str, int] = field(default_factory=dict)
    makers: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict)
    readers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # by relation and head, the number of edges
    unmade: frozenset[str] = frozenset()  # relations that are alone in a stratum and no longer have rules

    @classmethod
    def of(cls, rules: Iterable[Rule], groups: Iterable[frozenset[str]]) -> Layers:
        """The layers of rules whose strata are known.

        >>> from tidelog.program import Atom
        >>> p, q, e = Atom("p", ()), Atom("q", ()), Atom("e", ())
        >>> layers = Layers.of([Rule(p, (q,))], [frozenset({"p"})])
        >>> more, change = layers.with_rules([Rule(q, (e,))])
        >>> more.groups == (frozenset({"q"}), frozenset({"p"}))
        True
        >>> layers.with_rules([Rule(p, (e,))])[1] is None
        True
        """
        rules, groups = list(rules), tuple(groups)
        makers = {name: tuple(own) for name, own in _by_head(rules).items()}
        unmade = frozenset(name for group in groups if len(group) == 1 for name in group if name not in makers)
        counted = cls()._counted(core_edges(rules), 1)
        return cls(groups, _places(groups), makers, counted, unmade)

    def names(self, relation: str) -> bool:
        """Whether a rule derives or reads a relation."""
        return bool(self.makers.get(relation) or self.readers.get(relation))

    def exchanging(self, others: Mapping[int, Rule]) -> Layers:
        """The layers with new forms of rules that read the same relations; old forms are found by identity."""
        if not others:
            return self
        heads = dict.fromkeys(rule.head.predicate for rule in others.values())
        own = {name: tuple(others.get(id(rule), rule) for rule in self.makers[name]) for name in heads}
        return replace(self, makers={**self.makers, **own})

    def without(self, removed: Sequence[Rule]) -> Layers:
        """The layers without some rules; the strata do not change."""
        if not removed:
            return self
        makers, gone = dict(self.makers), {id(rule) for rule in removed}
        unmade = set(self.unmade)
        for name in _by_head(removed):
            left = tuple(rule for rule in makers.pop(name) if id(rule) not in gone)
            if left:
                makers[name] = left
            elif len(self.groups[self.place[name]]) == 1:
                unmade.add(name)
        readers = self._counted(core_edges(removed), -1)
        return replace(self, makers=makers, readers=readers, unmade=frozenset(unmade))

    def with_rules(self, added: Sequence[Rule]) -> tuple[Layers, StrataChange | None]:
        """The layers with more rules, which are known to be stratified; None if the strata do not change."""
        edges, own = core_edges(added), _by_head(added)
        makers, heads = dict(self.makers), own.keys()
        makers.update((name, (*makers.get(name, ()), *rules)) for name, rules in own.items())
        grown = replace(self, makers=makers, readers=self._counted(edges, 1), unmade=frozenset())
        dropped = self.unmade - heads
        if dropped:
            groups = tuple(group for group in self.groups if group.isdisjoint(dropped))
            grown = replace(grown, groups=groups, place=_places(groups))
        fresh = dict.fromkeys(name for name in heads if name not in grown.place)  # in the order of the rules
        first, last = grown._window(edges, fresh)
        if first == last and not fresh and not dropped:
            return grown, None
        change = StrataChange(grown._again(first, last, fresh), first, last, dropped)
        return grown._moved(change), change

    def stays_positive(self, added: Sequence[Rule]) -> bool:
        """Whether only positive edges lie inside the strata that more rules change or add to."""
        grown, change = self.with_rules(added)
        places = {grown.place[rule.head.predicate] for rule in added}
        if change is not None:
            places.update(range(change.first, change.first + len(change.groups)))
        rules = (rule for i in places for name in grown.groups[i] for rule in grown.makers.get(name, ()))
        return not any(
            edge.kind != POSITIVE and grown.place.get(edge.source) == grown.place[edge.target]
            for edge in core_edges(rules)
        )

    def _counted(self, edges: Iterable[Edge], sign: int) -> dict[str, Mapping[str, int]]:
        changes: dict[str, dict[str, int]] = {}
        for edge in edges:
            heads = changes.setdefault(edge.source, {})
            heads[edge.target] = heads.get(edge.target, 0) + sign
        readers = dict(self.readers)
        for source, changed in changes.items():
            known = readers.pop(source, {})
            counts = {**known, **{head: known.get(head, 0) + count for head, count in changed.items()}}
            left = {head: count for head, count in counts.items() if count} if sign < 0 else counts
            if left:
                readers[source] = left
        return readers

    def _window(self, edges: Sequence[Edge], fresh: Collection[str]) -> tuple[int, int]:
        """The range of strata that new edges affect, from the first up to, but not including, the last.

        New relations are placed between those that they read and those that read them.
        """
        place, end = self.place, len(self.groups)
        wrong = [
            edge
            for edge in edges
            if edge.source in place
            and edge.target in place
            and place[edge.source] >= place[edge.target]
            and (edge.kind != POSITIVE or place[edge.source] != place[edge.target])
        ]
        first = min((place[edge.target] for edge in wrong), default=end)
        last = max((place[edge.source] + 1 for edge in wrong), default=0)
        if fresh:
            reading = {head for name in fresh for head in self.readers.get(name, ())} & place.keys()
            above = min((place[head] for head in reading), default=end)
            below = max((place[e.source] + 1 for e in edges if e.target in fresh and e.source in place), default=0)
            if above < below or first < last:
                first, last = min(first, above), max(last, below)
            else:
                first = last = above
        return (first, last) if first <= last else (end, end)

    def _again(self, first: int, last: int, fresh: Collection[str]) -> Groups:
        """Compute the strata of a window with new relations again."""
        window = self.groups[first:last]
        names = [*(name for group in window for name in sorted(group)), *fresh]
        rules = [rule for name in names for rule in self.makers.get(name, ())]
        return group_strata(rules, window)

    def _moved(self, change: StrataChange) -> Layers:
        before, after = self.groups[: change.first], self.groups[change.last :]
        groups = (*before, *change.groups, *after)
        if after:
            return replace(self, groups=groups, place=_places(groups))
        place = dict(self.place)
        for name in (name for group in self.groups[change.first :] for name in group):
            del place[name]
        place.update((name, i) for i, group in enumerate(change.groups, change.first) for name in group)
        return replace(self, groups=groups, place=place)


def _by_head(rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    found: dict[str, list[Rule]] = {}
    for rule in rules:
        found.setdefault(rule.head.predicate, []).append(rule)
    return found


def _places(groups: Sequence[frozenset[str]]) -> dict[str, int]:
    return {name: i for i, group in enumerate(groups) for name in group}
