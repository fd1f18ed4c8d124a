"""Placements in words: where each relation lives, and what each rule sends.

Law: a line says what is so for every run of the rules. "0 messages between partitions" means that deriving the relation
from the relations that its rules name never sends anything, the copies and other auxiliary relations in between
included. A line about a rule that sends says where to, not how often.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from tidelog.program import Rule
from tidelog.rewrite.place import Placed
from tidelog.rewrite.place_sites import body_atoms

AUXILIARY = "__"


def describe(placed: Placed, core: Mapping[str, Rule]) -> list[str]:
    """A line for each relation of the user's, then a line for each core rule.

    >>> from tidelog.rewrite.place import place
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


def describe_relations(placed: Placed) -> dict[str, str]:
    """A line for each relation that is not auxiliary, by its name."""
    deriving: dict[str, list[str]] = defaultdict(list)
    for label, rule in placed.core.items():
        deriving[rule.head.predicate].append(label)
    names = sorted(name for name in placed.placements if not name.startswith(AUXILIARY))
    return {name: f"{name}: {_place(name, placed)}{_messages(name, placed, deriving)}" for name in names}


def describe_rules(placed: Placed, core: Mapping[str, Rule]) -> dict[str, str]:
    """A line for each core rule, by its label: what it sends, and which copies it reads."""
    return {label: f"{label}: {_sending(label, placed)}{_reading(label, placed)}" for label in core}


def _place(name: str, placed: Placed) -> str:
    home = placed.placements[name]
    return f"{'placed ' if home.column >= 0 else ''}{home}"


def _messages(name: str, placed: Placed, deriving: Mapping[str, list[str]]) -> str:
    """Which rules send messages on the way to the relation; nothing about a relation without rules."""
    if name not in deriving:
        return ""
    senders = sorted(label for label in _way(name, placed, deriving) if placed.sends[label])
    return f"; messages from {', '.join(senders)}" if senders else "; 0 messages between partitions"


def _way(name: str, placed: Placed, deriving: Mapping[str, list[str]]) -> list[str]:
    """The labels of the rules of a relation and of all auxiliary relations that they read, directly or not."""
    labels: list[str] = []
    for relation in (waiting := [name]):
        labels += deriving.get(relation, [])
        read = (atom.predicate for label in deriving.get(relation, []) for atom in body_atoms(placed.core[label]))
        waiting += dict.fromkeys(n for n in read if n.startswith(AUXILIARY) and n not in waiting)
    return labels


def _sending(label: str, placed: Placed) -> str:
    if label in placed.everywhere:
        return "sends nothing; fires on every partition, each keeps what it owns"
    return f"sends {placed.sends[label] or 'nothing'}"


def _reading(label: str, placed: Placed) -> str:
    copies = [name for name in placed.needed[label] if name != label]
    if not copies:
        return ""
    return f"; reads {'the copy' if len(copies) == 1 else 'the copies'} {', '.join(copies)}"
