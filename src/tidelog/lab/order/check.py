"""The trial itself: many ways of the same changes, compared with the first, counted, and reduced if they differ.

Law: the first way is the story as written, on one partition. The trial reports only what it observed: that all ways
agree, how many there were and which kinds were exhausted; or two ways that differ, reduced as far as possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from tidelog.io.texts import show_fact
from tidelog.lab.order.compare import WayResult, run_way
from tidelog.lab.order.picture import picture
from tidelog.lab.order.schedules import SchedulesResult, explore_messages
from tidelog.lab.order.shrink import Pair, shrink
from tidelog.lab.order.suspects import Suspect, suspects
from tidelog.lab.order.ways import Story, Way, all_orders, net, random_way, show_batches
from tidelog.program import Atom, Program
from tidelog.program.functions.table import Function
from tidelog.program.types.functors import UserFunctions, function_table
from tidelog.syntax import Epoch, FactChange, RuleAdded, parse_changes, parse_ground_atom, parse_program
from tidelog.trial import trial_failures as failures

TRIES = 60
MOST_ORDERS = 130
SHOWN = 6
Facts = Mapping[str, Iterable[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class Difference:
    """Two ways that come to different ends."""

    ways: Pair
    ends: tuple[WayResult, WayResult]
    convention: str

    @property
    def relations(self) -> list[str]:
        """The relations that differ."""
        return self.ends[0].differs(self.ends[1])

    def __str__(self) -> str:
        names = ", ".join(f"`{name}`" for name in self.relations)
        lines = [f"order matters: {names} {'differs' if len(self.relations) == 1 else 'differ'}"]
        again = "and when repeated in the same order" if self.ways[0] == self.ways[1] else "and in this order"
        for word, way, end in zip(("in this order", again), self.ways, self.ends, strict=True):
            lines += [f"{word} ({way}):", *(f"    {line}" for line in show_batches(way.batches, self.convention))]
            lines += [f"  results in {_shown(name, end)}" for name in self.relations]
        return "\n".join(lines)

    def picture(self, title: str) -> dict[str, Any]:
        """The run that the page of `tidelog simulate` plays."""
        return picture(title, self.ways, self.ends, self.convention)


def _shown(name: str, end: WayResult) -> str:
    rows = sorted(show_fact(name, row) for row in end.rows.get(name, ()))
    more = f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
    return (", ".join(rows[:SHOWN]) + more) if rows else f"no facts of {name}"


@dataclass(frozen=True, slots=True)
class OrderReport:
    """The result of trying different orders; true if all ways agree.

    ``orders`` is the number of orders of single changes if all were tried, otherwise None; ``refused`` ways had a
    batch that was refused and do not count.
    """

    tried: int
    refused: int
    orders: int | None
    explored: SchedulesResult
    suspects: tuple[Suspect, ...]
    difference: Difference | None = None
    changes: int = 0

    @property
    def agrees(self) -> bool:
        """Whether no two ways were seen to differ."""
        return self.difference is None and not self.explored.differs

    def __bool__(self) -> bool:
        return self.agrees

    def __str__(self) -> str:
        return "\n".join([*map(str, self.suspects), self.verdict])

    @property
    def verdict(self) -> str:
        """The result, without the suspects."""
        if self.difference is not None:
            return str(self.difference)
        if self.explored.differs:
            return f"order matters: messages in this order lead to a different result: {self.explored.differs}"
        if not self.changes:
            return "nothing was tried: there are neither facts nor changes"
        lines = [f"all agree: {self.tried} ways tried: batches, partitions, messages, repetitions, restarts"]
        if self.orders is not None:
            lines.append(f"exhausted: all {self.orders} orders of single changes")
        if self.explored.states:
            lines.append(f"exhausted: all schedules of messages on the simulator, {self.explored.states} states")
        else:
            lines.append(f"not exhausted: schedules of messages ({self.explored.why_not})")
        if self.refused:
            lines.append(f"{self.refused} ways had a refused batch and do not count")
        return "\n".join(lines)


def check_order(
    program: str | Program,
    facts: Facts | None = None,
    changes: str | Iterable[Epoch] = (),
    *,
    functions: UserFunctions = (),
    tries: int = TRIES,
    seed: int = 0,
    heard: Callable[[int, int], None] = lambda done, all_: None,
) -> OrderReport:
    """Run a program over the same changes in many ways and compare the results.

    ``facts`` are base facts by relation, in addition to those of the program's text; ``changes`` is a change script.
    ``heard`` is called with the number of ways tried and the total number.

    >>> report = check_order("reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z).",
    ...                      {"edge": [(1, 2), (2, 3)]}, tries=5)
    >>> report.agrees, report.orders
    (True, 2)
    """
    if tries < 1:
        raise failures.OTHER_ARGUMENT.error(what="tries", found=tries)
    parsed = parse_program(program) if isinstance(program, str) else program
    _, own = function_table(functions, parsed)
    script = parse_changes(changes, convention=parsed.convention) if isinstance(changes, str) else tuple(changes)
    return _Trial(parsed, _story(facts or {}, script), tuple(own), heard).run(tries, seed)


def _story(facts: Facts, script: Iterable[Epoch]) -> Story:
    first = tuple(FactChange(_atom(name, row), 1) for name, rows in facts.items() for row in rows)
    return tuple(epoch for epoch in (first, *script) if epoch)


def _atom(name: str, row: Iterable[Any]) -> Atom:
    return parse_ground_atom(show_fact(name, row)) if row else Atom(name, ())


@dataclass(slots=True)
class _Trial:
    program: Program
    story: Story
    functions: tuple[Function, ...]
    heard: Callable[[int, int], None]

    def run(self, tries: int, seed: int) -> OrderReport:
        first = Way(tuple(map(net, self.story)))
        wanted = run_way(self.program, first, self.functions)
        whole = self._is_constrained()
        orders = None if whole else all_orders(self.story, MOST_ORDERS)
        rng = Random(seed)
        ways = [*(orders or ()), *(random_way(self.story, rng, whole=whole) for _ in range(tries))]
        tried = refused = 0
        difference = None
        for number, way in enumerate(ways, 1):
            self.heard(number, len(ways))
            found = run_way(self.program, way, self.functions)
            if found.error and not wanted.error:
                refused += 1
                continue
            tried += 1
            if wanted.differs(found):
                difference = self._small((first, way))
                break
        explored = (
            SchedulesResult(why_not="the order already matters")
            if difference
            else explore_messages(self.program, self.story)
        )
        suspected = tuple(suspects(self.program, self.functions))
        changes = sum(map(len, self.story))
        return OrderReport(tried, refused, len(orders) if orders else None, explored, suspected, difference, changes)

    def _is_constrained(self) -> bool:
        added = [change.rule for epoch in self.story for change in epoch if isinstance(change, RuleAdded)]
        return any(rule.constraint is not None for rule in (*self.program.rules, *added))

    def _small(self, pair: Pair) -> Difference:
        small = shrink(pair, lambda smaller: bool(self._differences(smaller)))
        ends = self._ends(small)
        if not ends[0].differs(ends[1]):  # an impure function may return something else when it is called again
            small, ends = pair, self._ends(pair)
        return Difference(small, ends, self.program.convention)

    def _ends(self, pair: Pair) -> tuple[WayResult, WayResult]:
        first, other = (run_way(self.program, way, self.functions, watched=True) for way in pair)
        return first, other

    def _differences(self, pair: Pair) -> list[str]:
        first, other = (run_way(self.program, way, self.functions) for way in pair)
        return [] if first.error or other.error else first.differs(other)
