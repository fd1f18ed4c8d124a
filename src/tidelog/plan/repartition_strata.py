"""How strata change when the number of partitions of an engine changes.

Law: facts and ``all`` of the rules' own relations do not depend on the placement of facts: every ground body of a rule
is one support, on one partition. Ranks and ``low`` may be kept if nothing that they compare has changed:

- A relation outside recursion has ``low = all``, whatever its ranks are.
- A recursive stratum is *moved* if it has the same relations as before, its rules read the same of them, and none of
  them is on every partition, before or after: copies of a fact have separate ranks, which rules read on their
  partition.
- Any other recursive stratum is *built* again, from its asserted facts and the facts below: copies have been added or
  removed, so that different ranks are compared.

Strata depend only on the current rules: relations that only removed rules kept together are separated.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from tidelog.plan.form import Form
from tidelog.plan.plan_rule import aggregate_of, is_folded
from tidelog.plan.strata import group_strata
from tidelog.program import Atom, Rule
from tidelog.program.values.scope import atoms
from tidelog.rewrite.place.placement import MIRRORED, copied

Group = frozenset[str]


@dataclass(frozen=True, slots=True)
class Move:
    """A change of the number of partitions: both forms of the rules, and what happens to each stratum.

    ``plain`` are the relations outside recursion, ``copies`` the new copies with the relations that they copy, and
    ``exposing`` the relations of which a min or max exposes facts, with those of which it exposed facts before.
    """

    old: Form
    new: Form
    strata: tuple[Group, ...]
    moved: tuple[Group, ...]
    built: tuple[Group, ...]
    plain: frozenset[str]
    copies: Mapping[str, str]
    exposing: Mapping[str, frozenset[str]]

    def __str__(self) -> str:
        if not self.built:
            return "all facts were moved with their ranks and counts"
        names = sorted(name for group in self.built for name in group if name not in self.copies)
        return f"facts were moved with their ranks and counts, and new ranks were computed for {', '.join(names)}"


def plan_move(old: Form, new: Form, groups: Iterable[Group], relations: Collection[str]) -> Move:
    """Plan the change of strata between two forms of the same rules; ``groups`` were evaluated together before.

    ``relations`` are those of the rules themselves, without copies.
    """
    before = [group for group in groups if len(group) > 1]
    strata = group_strata(list(new.core.values()), ())
    rules = {group: [rule for rule in new.core.values() if rule.head.predicate in group] for group in strata}
    recursive = [group for group in strata if len(group) > 1 or _reads(rules[group], group)]
    together = frozenset[str]().union(*before)
    known = {*before, *(frozenset((name,)) for name in old.schema if name not in together)}
    moved = tuple(group for group in recursive if group in known and _is_as_before(old, new, group, rules[group]))
    return Move(
        old,
        new,
        strata,
        moved,
        tuple(group for group in recursive if group not in moved),
        frozenset(new.schema).difference(*recursive),
        {name: found[0] for name in new.schema if (found := copied(name, relations)) is not None},
        _exposing(old, new),
    )


def _reads(rules: Iterable[Rule], group: Group) -> bool:
    return any(atom.predicate in group for rule in rules for atom in atoms(rule.body))


def _is_as_before(old: Form, new: Form, group: Group, rules: Iterable[Rule]) -> bool:
    """Whether the ranks of a stratum are compared as before."""
    if any(MIRRORED in (old.places.get(name), new.places.get(name)) for name in group):
        return False
    before = (old.core.get(rule.label or "") for rule in rules)
    return all(
        other is not None and _within(rule, group) == _within(other, group)
        for rule, other in zip(rules, before, strict=True)
    )


def _within(rule: Rule, group: Group) -> list[str]:
    """The relations of its own stratum that a rule reads, in order."""
    return [atom.predicate for atom in atoms(rule.body) if atom.predicate in group]


def _exposing(old: Form, new: Form) -> dict[str, frozenset[str]]:
    """The relations of which a min or max exposes facts, each with its counterparts in the old form."""
    found: dict[str, frozenset[str]] = {}
    for label, rule in new.core.items():
        if (source := exposed_source(rule)) is not None and (before := exposed_source(old.core[label])) is not None:
            found[source] = found.get(source, frozenset()) | {before}
    return found


def exposed_source(rule: Rule) -> str | None:
    """The relation whose facts the min or max of a rule exposes; None for other rules."""
    aggregate = aggregate_of(rule)
    if aggregate is None or aggregate.value is None or is_folded(rule) or not isinstance(rule.body[0], Atom):
        return None
    return rule.body[0].predicate
