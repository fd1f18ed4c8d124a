"""Descriptions of placements: where each relation is placed, and what each rule sends.

Law: a line is true for every run of the rules. "0 messages between partitions" means that deriving the relation from
the relations that its rules name never sends anything, including the copies and other auxiliary relations in between. A
line about a rule that sends shows the destination, not the number of messages. Rules are shown as core rules, or as
those of the text, with all core rules made from one, and the copies that those read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from tidelog.program import Rule
from tidelog.rewrite.names import is_auxiliary
from tidelog.rewrite.place.place import PlacedRules
from tidelog.rewrite.place.sites import body_atoms

MULTIPLIES = "; warning: it joins its recursion with itself, and may send many messages for each fact that it keeps"


def describe(placed: PlacedRules, core: Mapping[str, Rule]) -> list[str]:
    """A line for each relation of the user's, then a line for each core rule.

    >>> from tidelog.rewrite.place.place import place
    >>> from tidelog.syntax import parse_program
    >>> text = "r1: reach(X, Y) :- edge(X, Y). r2: reach(X, Z) :- edge(X, Y), reach(Y, Z)."
    >>> core = {rule.label: rule for rule in parse_program(text).rules}
    >>> for line in describe(place(core, {"edge": 2, "reach": 2}, {}, {}), core):
    ...     print(line)
    edge: on every partition
    reach: placed by column 2; 0 messages between partitions
    r1: sends nothing; fires on every partition, each keeps what it owns
    r2: sends nothing
    """
    return [*describe_relations(placed).values(), *describe_rules(placed, core).values()]


def describe_relations(placed: PlacedRules, owners: Mapping[str, Sequence[str]] | None = None) -> dict[str, str]:
    """A line for each relation that is not auxiliary, by its name.

    ``owners`` maps core rules and copies to the labels under which they are shown; without it, they have their own.
    """
    deriving: dict[str, list[str]] = defaultdict(list)
    for label, rule in placed.core.items():
        deriving[rule.head.predicate].append(label)
    names = sorted(name for name in placed.placements if not is_auxiliary(name))
    return {name: f"{name}: {_place(name, placed)}{_messages(name, placed, deriving, owners or {})}" for name in names}


def describe_rules(
    placed: PlacedRules, core: Mapping[str, Rule], multiplying: AbstractSet[str] = frozenset()
) -> dict[str, str]:
    """A line for each core rule, by its label: what it sends, and which copies it reads."""
    lines = {label: f"{label}: {_sending(label, placed)}{_reading(label, placed)}" for label in core}
    return {label: line + (MULTIPLIES if label in multiplying else "") for label, line in lines.items()}


def multiplying_rules(placed: PlacedRules, strata: Mapping[str, int]) -> frozenset[str]:
    """The labels of rules that send what a recursion finds when it is joined with itself; ``strata`` by relation.

    >>> from tidelog.rewrite.place.place import place
    >>> from tidelog.syntax import parse_program
    >>> text = "r1: reach(X, Y) :- edge(X, Y). r2: reach(X, Z) :- reach(X, Y), reach(Y, Z)."
    >>> core = {rule.label: rule for rule in parse_program(text).rules}
    >>> placed = place(core, {"edge": 2, "reach": 2}, {}, {})
    >>> sorted(multiplying_rules(placed, {"reach": 1}))
    ['r2']
    """
    copies = (rule for label, rule in placed.core.items() if label == rule.head.predicate)
    copied = {rule.head.predicate: body_atoms(rule)[0].predicate for rule in copies}

    def joins_itself(rule: Rule) -> bool:
        own = strata.get(rule.head.predicate)
        read = [copied.get(atom.predicate, atom.predicate) for atom in body_atoms(rule)]
        return own is not None and sum(strata.get(name) == own for name in read) > 1

    return frozenset(label for label, rule in placed.core.items() if placed.sends[label] and joins_itself(rule))


def describe_rule(
    label: str,
    core_labels: Sequence[str],
    placed: PlacedRules,
    words: Callable[[str], str],
    multiplying: AbstractSet[str] = frozenset(),
) -> str:
    """A line for a rule of the text, from the core rules ``core_labels`` of it; ``words`` describes a relation.

    ``multiplying``: the rules that `multiplying_rules` returns.

    >>> from tidelog.rewrite.place.place import place
    >>> from tidelog.syntax import parse_program
    >>> core = {"r1": parse_program("r1: reach(@S, D) :- link(@S, Z), reach(@Z, D).").rules[0]}
    >>> print(describe_rule("r1", ["r1"], place(core, {"link": 2, "reach": 2}, {}, {"link": 0, "reach": 0}), str))
    r1: sends link to the owners by column 2, reach to the owners by column 1
    """
    used = dict.fromkeys(name for core in core_labels for name in placed.local_labels[core])
    sent = dict.fromkeys(_sent(name, placed, words) for name in used if placed.sends[name])
    everywhere = "; fires on every partition, each keeps what it owns" if placed.everywhere.issuperset(used) else ""
    if not sent:
        return f"{label}: sends nothing{everywhere}"
    return f"{label}: sends {', '.join(sent)}{'' if multiplying.isdisjoint(used) else MULTIPLIES}"


def _sent(label: str, placed: PlacedRules, words: Callable[[str], str]) -> str:
    """The relation that a core rule sends: its head, or the relation that it copies."""
    rule = placed.core[label]
    home = placed.placements[rule.head.predicate]
    name = body_atoms(rule)[0].predicate if label == rule.head.predicate else rule.head.predicate
    if home.is_mirrored:
        return f"{words(name)} to every partition"
    return f"{words(name)} to partition 0" if home.is_single else f"{words(name)} to the owners {home}"


def _place(name: str, placed: PlacedRules) -> str:
    home = placed.placements[name]
    return f"{'placed ' if home.column >= 0 else ''}{home}"


def _messages(
    name: str, placed: PlacedRules, deriving: Mapping[str, list[str]], owners: Mapping[str, Sequence[str]]
) -> str:
    """The rules that send messages when the relation is derived; empty for a relation without rules."""
    if name not in deriving:
        return ""
    sending = (label for label in _way(name, placed, deriving) if placed.sends[label])
    senders = sorted({owner for label in sending for owner in owners.get(label, [label])})
    return f"; messages from {', '.join(senders)}" if senders else "; 0 messages between partitions"


def _way(name: str, placed: PlacedRules, deriving: Mapping[str, list[str]]) -> list[str]:
    """The labels of the rules of a relation and of all auxiliary relations that they read, directly or not."""
    labels: list[str] = []
    for relation in (waiting := [name]):
        labels += deriving.get(relation, [])
        read = (atom.predicate for label in deriving.get(relation, []) for atom in body_atoms(placed.core[label]))
        waiting += dict.fromkeys(n for n in read if is_auxiliary(n) and n not in waiting)
    return labels


def _sending(label: str, placed: PlacedRules) -> str:
    if label in placed.everywhere:
        return "sends nothing; fires on every partition, each keeps what it owns"
    return f"sends {placed.sends[label] or 'nothing'}"


def _reading(label: str, placed: PlacedRules) -> str:
    copies = [name for name in placed.local_labels[label] if name != label]
    if not copies:
        return ""
    return f"; reads {'the copy' if len(copies) == 1 else 'the copies'} {', '.join(copies)}"
