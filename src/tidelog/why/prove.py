"""Why a fact is true: explore supports from a fact, and lay the proof out as a tree.

Law: every fact is explored once, those nearest to the root first, until the requested number is reached; ranks decrease
along every path, so that the exploration of a finite state terminates. The tree is then laid out in the order of the
text: the first occurrence of a fact is expanded, later ones are shown as ``again``; anything deeper than the limit, or
not explored, is cut.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tidelog.program.elaborate.ground_cycles import HIDDEN
from tidelog.program.elaborate.read_undefined import MAYBE
from tidelog.program.graph.well_founded import TRUTH
from tidelog.program.values.term import Const
from tidelog.syntax import print_atom
from tidelog.why import why_failures as failures
from tidelog.why.errors import OutOfWorkError
from tidelog.why.join import Join
from tidelog.why.ledger import FactKey, Ledger
from tidelog.why.model import UNKNOWN, Reasons
from tidelog.why.premises import Group, Inference, Item, Judged, Premises, hidden_atom, hidden_in
from tidelog.why.proof import Proof
from tidelog.why.support import Supports
from tidelog.why.tree import (
    ABSENT,
    AGAIN,
    ASSERTED,
    CUT,
    DERIVED,
    UNDEFINED,
    Absence,
    Condition,
    FactNode,
    GroupNode,
    Premise,
)

Target: TypeAlias = FactKey | Judged


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of a proof is shown: levels, rows of a group, facts; and how many facts may be visited to find it."""

    depth: int = 100
    width: int = 10
    nodes: int = 1000
    work: int = 5_000_000


def prove(ledger: Ledger, key: FactKey, bounds: Bounds) -> Proof:
    """The proof of a present fact."""
    root: Target = key
    if not ledger.has(key):
        if not ledger.is_undefined(key):
            raise failures.NOT_TRUE.error(fact=ledger.fact_text(key))
        root = Judged(key, None)
    supports = Supports(ledger, Join(ledger))
    explored = _Exploration(ledger, supports, Premises(ledger, supports, bounds.width))
    explored.explore(root, bounds.nodes)
    return _Layout(ledger, explored, bounds.depth).proof(root)


class _Exploration:
    """The inference of a proof by fact; None for an asserted fact."""

    def __init__(self, ledger: Ledger, supports: Supports, premises: Premises) -> None:
        self.ledger = ledger
        self.supports = supports
        self.premises = premises
        self.reasons = Reasons(ledger)
        self.steps: dict[Target, Inference | None] = {}
        self.unexplored: set[Target] = set()

    def explore(self, root: Target, most: int) -> None:
        """Find the steps of the nearest facts."""
        waiting = deque([root])
        while waiting:
            key = waiting.popleft()
            if key in self.steps:
                continue
            if len(self.steps) >= most or not self._find(key):
                self.unexplored.add(key)
                continue
            step = self.steps[key]
            if step is not None:
                following = list(references(step.items))
                self.supports.ahead(new for new in following if isinstance(new, tuple) and new not in self.steps)
                waiting.extend(following)

    def _find(self, key: Target) -> bool:
        """Find the step of one fact; False if the limit of work is reached."""
        name = key.key[0] if isinstance(key, Judged) else key[0]
        if name in self.ledger.rules.bundled and not (isinstance(key, tuple) and self.ledger.is_asserted(key)):
            return False  # computed values have no steps
        try:
            if isinstance(key, Judged) or (key[0] in self.ledger.rules.cyclic and not self.ledger.is_asserted(key)):
                self.steps[key] = self._judged(key.key if isinstance(key, Judged) else key)
            else:
                self.steps[key] = None if self.ledger.is_asserted(key) else self.premises.step(key)
        except OutOfWorkError:
            return False
        return True

    def _judged(self, key: FactKey) -> Inference | None:
        """The step of a fact of a cycle through negation, or of an undefined fact above one."""
        if not self.reasons.knows(key):
            return self.premises.step((f"{MAYBE}{key[0]}", key[1]))
        reason = self.reasons.of(key)
        if reason.instance is None:
            return Inference("", tuple(self._literal(*literal) for literal in reason.failing))
        step = self.premises.step(reason.instance.key)
        assert step is not None, "instances are derived by rules"
        own = {atom for atom, positive in reason.instance.literals if positive}
        items = [self._literal(item, True) if isinstance(item, tuple) and item in own else item for item in step.items]
        for atom, positive in reason.instance.literals:
            if not positive and not atom[0].startswith(UNKNOWN):
                items.append(self._literal(atom, positive))
        return Inference("" if key[0].startswith(HIDDEN) else step.rule, tuple(items))

    def _literal(self, atom: FactKey, positive: bool) -> Item:
        """A literal of an instance, or the fact at which it fails."""
        reason = self.reasons.of(atom)
        if reason.truth and reason.instance is not None and atom[0].startswith(HIDDEN):
            return reason.instance.literals[0][0]  # a fact that is projected
        return atom if reason.truth else Judged(atom, reason.truth, positive)


def references(items: tuple[Item, ...]) -> Iterator[Target]:
    """The facts that items refer to, including those in the rows of groups."""
    for item in items:
        if isinstance(item, Group):
            for row in item.rows:
                yield from references(row)
        elif isinstance(item, Judged):
            yield replace(item, positive=True)
        elif isinstance(item, tuple):
            yield item


@dataclass(slots=True, eq=False)
class _Draft:
    """A node under construction. ``rows`` are the sizes of the rows into which the parts of a group are divided."""

    item: Item
    depth: int
    how: str = ""
    rule: str | None = None
    parts: list[_Draft] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    node: Premise | None = None


class _Layout:
    """Lays the explored steps out as a tree."""

    def __init__(self, ledger: Ledger, explored: _Exploration, depth: int) -> None:
        self.ledger = ledger
        self.explored = explored
        self.depth = depth
        self.expanded: set[Target] = set()
        self.shown: set[Target] = set()
        self.rules: dict[str, str] = {}

    def proof(self, key: Target) -> Proof:
        """The tree: drafted from the root in the order of the text, then built from its leaves."""
        every = self.explored.steps.keys() | self.explored.unexplored
        self.ledger.words_ahead(each for each in every if isinstance(each, tuple))
        root = _Draft(key, 0)
        order, waiting = [], [root]
        while waiting:
            draft = waiting.pop()
            order.append(draft)
            self._expand(draft)
            waiting.extend(reversed(draft.parts))
        for draft in reversed(order):
            draft.node = self._premise(draft)
        assert isinstance(root.node, FactNode)
        labels = dict.fromkeys((*self.ledger.rules.labels, *self.rules))  # followed by those that declarations made
        rules = {self.ledger.rule_name(label): self.rules[label] for label in labels if label in self.rules}
        return Proof(root.node, rules, len(every - self.shown), not self.explored.unexplored)

    def _expand(self, draft: _Draft) -> None:
        item = draft.item
        if isinstance(item, Group):
            self._note(item.rule)
            draft.rows = [len(row) for row in item.rows]
            draft.parts = [_Draft(part, draft.depth) for row in item.rows for part in row]
        elif isinstance(item, Judged):
            self._expand_fact(draft, replace(item, positive=True))
        elif isinstance(item, tuple):
            self._expand_fact(draft, item)

    def _expand_fact(self, draft: _Draft, key: Target) -> None:
        self.shown.add(key)
        if key not in self.explored.steps:
            draft.how = CUT
            return
        step = self.explored.steps[key]
        if step is None:
            draft.how = ASSERTED
            return
        if step.rule:
            draft.rule = self.ledger.rule_name(step.rule)
            self._note(step.rule)
        if key in self.expanded:
            draft.how = AGAIN
        elif draft.depth >= self.depth:
            draft.how = CUT
        else:
            self.expanded.add(key)
            draft.how = DERIVED if isinstance(key, tuple) else UNDEFINED if key.truth is None else ABSENT
            draft.parts = [_Draft(part, draft.depth + 1) for part in step.items]

    def _note(self, label: str) -> None:
        if label not in self.rules:
            self.rules[label] = self.ledger.rule_text(label)

    def _premise(self, draft: _Draft) -> Premise:
        item = draft.item
        if isinstance(item, Absence | Condition):
            return item
        nodes = tuple(part.node for part in draft.parts if part.node is not None)
        if isinstance(item, Group):
            parts = iter(nodes)
            rows = tuple(tuple(next(parts) for _ in range(size)) for size in draft.rows)
            return GroupNode(item.kind, item.text, item.value, item.size, self.ledger.rule_name(item.rule), rows)
        if isinstance(item, Judged):
            text = self._judged_text(item)
            item = item.key
            values = self.ledger.values(item) if item[0] in self.ledger.rules.schema else ()
            return FactNode(item[0], values, text, draft.how, draft.rule, nodes)
        text = self.ledger.fact_text(item)
        return FactNode(item[0], self.ledger.values(item), text, draft.how, draft.rule, nodes)

    def _judged_text(self, item: Judged) -> str:
        """The text of a literal that is true because its fact is false, or that is undefined."""
        if (name := hidden_in(item.key[0])) is None:
            text = self.ledger.fact_text(item.key)
        else:
            types = self.ledger.rules.schema[f"{TRUTH}{name}"]
            values = [Const(self.ledger.value(c, t), t or "any") for c, t in zip(item.key[1], types, strict=False)]
            text = print_atom(hidden_atom(name, values, self.ledger.rules.schema), self.ledger.rules.program.convention)
        if item.truth is None:
            return text if item.positive else f"!{text}"
        return f"no {text}"
