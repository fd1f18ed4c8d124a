"""Changes as values, and the state after a sequence of them.

Law (D3, D4): within an epoch the signs of a fact are summed, so the order of its changes does not matter: above 0 the
fact is asserted afterwards, below 0 it is not, at 0 nothing changes. Rules are added and removed by label.
Keys (``materialize``) and automatic labels belong to the engine and are not modelled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from tidelog.program import Program, Rule
from tidelog.program.check import check_program
from tidelog.testing.naive import asserted, evaluate
from tidelog.testing.values import Row

GroundFact = tuple[str, Row]


@dataclass(frozen=True, slots=True)
class EpochChanges:
    """The changes of one epoch: facts as (relation, row), rules as values, removed rules by label."""

    inserts: tuple[GroundFact, ...] = ()
    deletes: tuple[GroundFact, ...] = ()
    add_rules: tuple[Rule, ...] = ()
    remove_labels: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.inserts or self.deletes or self.add_rules or self.remove_labels)

    def signs(self) -> Counter[GroundFact]:
        """The sum of the signs of every fact that is mentioned."""
        signs: Counter[GroundFact] = Counter(self.inserts)
        signs.subtract(self.deletes)
        return signs


@dataclass(frozen=True)
class State:
    """A program and the facts asserted outside its text; `start` moves those of the text here.

    >>> state = State(Program()).after(EpochChanges(inserts=(("p", (1,)), ("p", (2,))), deletes=(("p", (2,)),)))
    >>> state.relations()
    {'p': frozenset({(1,)})}
    """

    program: Program
    facts: frozenset[GroundFact] = frozenset()

    @classmethod
    def start(cls, program: Program) -> State:
        """The initial state of a program."""
        facts = frozenset((relation, row) for relation, rows in asserted(program).items() for row in rows)
        return cls(replace(program, facts=()), facts)

    def after(self, changes: EpochChanges) -> State:
        """The state after one more epoch; removing an unknown label raises a KeyError."""
        signs = changes.signs()
        gone, come = (frozenset(f for f, sign in signs.items() if sign * way > 0) for way in (-1, 1))
        labels = {rule.label for rule in self.program.rules}
        for label in changes.remove_labels:
            if label not in labels:
                raise KeyError(label)
        kept = tuple(rule for rule in self.program.rules if rule.label not in changes.remove_labels)
        return State(replace(self.program, rules=kept + changes.add_rules), (self.facts - gone) | come)

    def relations(self) -> Mapping[str, frozenset[Row]]:
        """The asserted facts by relation, as an argument of `naive.evaluate`."""
        return {
            name: frozenset(row for n, row in self.facts if n == name) for name in sorted({n for n, _ in self.facts})
        }

    def model(self) -> dict[str, frozenset[Row]]:
        """The least model, computed by the naive evaluator."""
        return evaluate(_elaborated(self.program), self.relations())


@lru_cache(maxsize=8)  # of the same program there are many states
def _elaborated(program: Program) -> Program:
    """The program with its records and variants typed, if it has any; other programs are unchanged."""
    return check_program(program).program if any(declared.constructors for declared in program.types) else program


def states(start: State, sequence: Iterable[EpochChanges]) -> list[State]:
    """The state before the first epoch and after each."""
    found = [start]
    for changes in sequence:
        found.append(found[-1].after(changes))
    return found
