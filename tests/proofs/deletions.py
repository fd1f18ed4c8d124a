"""Deletions from ground programs by five algorithms: which facts does each of them touch?

A program is a list of rules, a head and the facts of its body; an assertion is a rule without body. Everything is
counted again after every step: this is written to be read beside the definitions, not to be fast.

- *ranked*: facts suspended, with ranks of depth and clock that stay from epoch to epoch (proofs/Epoch.v);
- *DRed*: facts over-deleted: those with a derivation that uses a rule that goes (Gupta, Mumick, Subrahmanian 1993);
- *backward/forward*: facts checked or deleted (Motik, Nenov, Piro, Horrocks 2015);
- *DBSP*: facts whose first iteration changes, or that go: what a nested circuit sees (Budiu et al. 2023);
- *counting*: facts whose count reaches 0; without recursion only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import TypeAlias

Fact: TypeAlias = int
Rule: TypeAlias = tuple[Fact, tuple[Fact, ...]]
Rank: TypeAlias = tuple[int, int]
Program: TypeAlias = list[Rule]


def heights(rules: Sequence[Rule]) -> dict[Fact, int]:
    """The facts of the least model, each with the first iteration that has it."""
    found: dict[Fact, int] = {}
    stage = 0
    while True:
        stage += 1
        new = {head for head, body in rules if head not in found and all(fact in found for fact in body)}
        if not new:
            return found
        found.update(dict.fromkeys(new, stage))


class Ranked:
    """A state of ranked support: rules, and ranks of the facts present."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self.rules: Program = []
        self.ranks: dict[Fact, Rank] = {}
        self._clock = 0
        self.change(gained=rules)

    def change(self, lost: Iterable[Rule] = (), gained: Iterable[Rule] = ()) -> set[Fact]:
        """One epoch; the facts that were suspended."""
        for rule in lost:
            self.rules.remove(rule)
        old: dict[Fact, Rank] = {}
        while gone := [fact for fact in self.ranks if not self._low(fact)]:
            old.update((fact, self.ranks.pop(fact)) for fact in gone)
        self.rules += gained
        top = max((depth for depth, _ in (*self.ranks.values(), *old.values())), default=0)
        while new := [fact for fact in dict(self.rules) if fact not in self.ranks and self._bodies(fact)]:
            given = {}
            for fact in sorted(new, key=lambda fact: old.get(fact, (top + 1, fact))):
                depth = top + 1 if fact in old else 1 + min(map(self._depth, self._bodies(fact)))
                self._clock += 1
                given[fact] = (depth, self._clock)
            self.ranks.update(given)
        return set(old)

    def _bodies(self, fact: Fact) -> list[tuple[Fact, ...]]:
        return [body for head, body in self.rules if head == fact and all(each in self.ranks for each in body)]

    def _low(self, fact: Fact) -> int:
        return sum(all(self.ranks[each] < self.ranks[fact] for each in body) for body in self._bodies(fact))

    def _depth(self, body: tuple[Fact, ...]) -> int:
        return max((self.ranks[fact][0] for fact in body), default=0)


def overdeleted(old: Sequence[Rule], new: Sequence[Rule]) -> set[Fact]:
    """DRed: what has a derivation over the old facts in which a rule is used that goes."""
    model = heights(old)
    live = [rule for rule in old if all(fact in model for fact in rule[1])]
    found = {rule[0] for rule in live if rule not in new}
    while more := {head for head, body in live if head not in found and not found.isdisjoint(body)}:
        found |= more
    return found


def checked(old: Sequence[Rule], new: Sequence[Rule]) -> set[Fact]:
    """Backward/forward: facts that are checked, until each is proved or has no other proof, and those deleted."""
    search = _Search(heights(old), new)
    queue = [head for head, body in old if (head, body) not in new and all(fact in search.model for fact in body)]
    while queue:
        fact = queue.pop(0)
        if fact in search.deleted or search.is_proved(fact):
            continue
        queue += [h for h, body in new if fact in body and all(f in search.model for f in body)]
        search.deleted.add(fact)
    return search.checked | search.deleted


class _Search:
    """Backward chaining from a fact, with forward chaining through what is checked."""

    def __init__(self, model: Iterable[Fact], rules: Sequence[Rule]) -> None:
        self.model, self._rules = set(model), rules
        self.checked: set[Fact] = set()
        self.deleted: set[Fact] = set()
        self._proved: set[Fact] = set()

    def is_proved(self, fact: Fact) -> bool:
        self._check(fact)
        return fact in self._proved

    def _check(self, fact: Fact) -> None:
        if fact in self.checked:
            return
        self.checked.add(fact)
        self._saturate()
        for head, body in self._rules:
            if head == fact and self.deleted.isdisjoint(body) and self.model.issuperset(body):
                for each in body:
                    if fact in self._proved:
                        return
                    self._check(each)

    def _saturate(self) -> None:
        while more := {
            head
            for head, body in self._rules
            if head in self.checked and head not in self._proved and self._proved.issuperset(body)
        }:
            self._proved |= more


def moved(old: Sequence[Rule], new: Sequence[Rule]) -> set[Fact]:
    """DBSP: facts that another iteration has first, or none."""
    before, after = heights(old), heights(new)
    return {fact for fact in before if after.get(fact) != before[fact]}


def counted(old: Sequence[Rule], new: Sequence[Rule]) -> set[Fact]:
    """Counting: facts that have no derivation left, facts that are gone taken away one after the other."""
    present, gone = set(heights(old)), set[Fact]()
    while more := {
        fact for fact in present if not any(head == fact and present.issuperset(body) for head, body in new)
    }:
        present -= more
        gone |= more
    return gone


Touch: TypeAlias = Callable[[Sequence[Rule], Sequence[Rule]], set[Fact]]
OTHERS: dict[str, Touch] = {"DRed": overdeleted, "backward/forward": checked, "DBSP": moved}


def touched(state: Ranked, lost: Rule) -> dict[str, int]:
    """How many facts each algorithm touches when a rule goes; the state goes through the epoch."""
    old = list(state.rules)
    suspended = state.change(lost=[lost])
    return {"ranked": len(suspended), **{name: len(touch(old, state.rules)) for name, touch in OTHERS.items()}}


def feeders(chain: int, downstream: int) -> tuple[Program, Rule]:
    """A fact that an assertion feeds, and the end of a chain; more facts follow from it. The assertion goes."""
    rules: Program = [(0, ()), (1, ()), *((fact + 1, (fact,)) for fact in range(1, chain))]
    fed = chain + 1
    rules += [(fed, (0,)), (fed, (chain,)), *((fed + i + 1, (fed + i,)) for i in range(downstream))]
    return rules, (0, ())


def ladder(rungs: int) -> tuple[Program, Rule]:
    """Two rails, 0, 2, 4, ... and 1, 3, 5, ..., each following from the other at every rung but the first."""
    rules: Program = [(0, ()), (1, ())]
    for i in range(2, 2 * rungs + 2, 2):
        rules += [(i, (i - 2,)), (i + 1, (i - 1,)), (i, (i + 1,)), (i + 1, (i,))]
    return rules, (0, ())


def random_deletion(rng: Random, *, recursive: bool = True) -> tuple[Ranked, Rule]:
    """A state after some epochs of a random program, and a rule that is about to go."""
    facts = rng.randint(3, 7)

    def rule() -> Rule:
        head = rng.randrange(facts)
        known = range(facts) if recursive else range(head)
        return head, tuple(sorted(rng.sample(known, min(len(known), rng.choice((0, 1, 1, 2))))))

    state = Ranked({rule() for _ in range(rng.randint(3, 14))})
    for _ in range(rng.randint(0, 3)):
        lost = [each for each in state.rules if rng.random() < 0.2]
        state.change(lost, {each for each in (rule() for _ in range(3)) if each not in state.rules})
    if not state.rules:
        state.change(gained=[(0, ())])
    return state, rng.choice(state.rules)
