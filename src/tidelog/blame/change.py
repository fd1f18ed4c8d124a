"""The changes of an epoch, one by one: each can be undone separately.

Law: the changes of an epoch are net: undoing all of them restores the base facts and rules of the epoch before. Rows
with the same key are one change, and so are rules with the same label: the new one and the one that it replaced.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from tidelog.io.fact_text import FactWriter
from tidelog.io.json_values import json_value
from tidelog.program import PROLOG, Program, Rule
from tidelog.syntax import print_rule
from tidelog.syntax.value_printer import write_fact

Row: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """The epoch that made a change, with its author, note and source."""

    epoch: int | None = None  # None: not committed
    author: str | None = None
    note: str | None = None
    source: str | None = None
    offset: int | None = None
    time: float | None = None

    def __str__(self) -> str:
        what = "an uncommitted epoch" if self.epoch is None else f"epoch {self.epoch}"
        author = f", by {self.author}" if self.author is not None else ""
        source = f", {self.source} at {self.offset}" if self.source is not None else ""
        note = f": {' '.join(self.note.split())}" if self.note else ""
        return f"{what}{source}{author}{note}"


@dataclass(frozen=True, slots=True)
class FactChanged:
    """A base fact that was asserted, was retracted, ``expired``, or replaced an old one with its key."""

    relation: str
    new: Row | None
    old: Row | None
    origin: Origin = field(default=Origin(), compare=False)
    expired: bool = field(default=False, compare=False)
    writer: FactWriter | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        write = self.writer or partial(write_fact, self.relation)
        if self.new is None:
            return f"{write(self.old or ())} {'expired' if self.expired else 'was retracted'}"
        asserted = f"{write(self.new)} was asserted"
        return asserted if self.old is None else f"{asserted} and replaced {write(self.old)}"


@dataclass(frozen=True, slots=True)
class RuleChanged:
    """A rule that was added, was removed, or replaced an old one with its label."""

    label: str
    new: Rule | None
    old: Rule | None
    convention: str = PROLOG
    origin: Origin = field(default=Origin(), compare=False)

    def __str__(self) -> str:
        what = "removed" if self.new is None else "added" if self.old is None else "changed"
        return f"rule `{self.label}` was {what}"

    @property
    def text(self) -> str:
        """The new rule, or the old one if it was removed."""
        rule = self.old if self.new is None else self.new
        assert rule is not None, "a change changes something"
        return print_rule(rule, self.convention)


@dataclass(frozen=True, slots=True)
class ProgramChanged:
    """A change of declarations, types, keys or directives."""

    new: Program
    old: Program
    origin: Origin = field(default=Origin(), compare=False)

    def __str__(self) -> str:
        return "the declarations were changed"


Change: TypeAlias = FactChanged | RuleChanged | ProgramChanged


def order_of(change: Change) -> tuple[int, str]:
    """The order of preference if several changes would be sufficient: declarations, rules, then facts."""
    kind = 0 if isinstance(change, ProgramChanged) else 1 if isinstance(change, RuleChanged) else 2
    return kind, str(change)


@dataclass(frozen=True, slots=True)
class Cause:
    """A change that caused another; ``path`` leads from the fact down to it, one line for each step."""

    change: Change
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        return str(self.change)

    def to_json(self) -> dict[str, Any]:
        """Plain values for `json`."""
        return {**change_json(self.change), "path": list(self.path)}


def origin_json(origin: Origin) -> dict[str, Any]:
    """The epoch of a change, as plain values."""
    names = ("epoch", "author", "note", "source", "offset", "time")
    return {name: getattr(origin, name) for name in names}


def change_json(change: Change) -> dict[str, Any]:
    """A change, as plain values."""
    common: dict[str, Any] = {"text": str(change), "origin": origin_json(change.origin)}
    if isinstance(change, FactChanged):
        rows = (None if row is None else [json_value(value) for value in row] for row in (change.new, change.old))
        asserted, retracted = rows
        named = {"kind": "fact", "relation": change.relation, "asserted": asserted, "retracted": retracted}
        return {**common, **named, "expired": change.expired}
    if isinstance(change, RuleChanged):
        new, old = change.new is not None, change.old is not None
        return {**common, "kind": "rule", "label": change.label, "rule": change.text, "added": new, "removed": old}
    return {**common, "kind": "declarations"}
