"""The law with several threads that share out everything: the same facts, exact counts, valid ranks (D34).

Tiny programs run on threads that all take part, with a free record or a journal entry at a time, so that claims, gaps
and stops are met everywhere. This notices counts that are lost or doubled, entries that settle in the wrong place and
state that does not survive a stop. How often two threads meet at one fact is up to the machine: the larger graphs
below make them meet often. Weaker memory than this machine's it cannot notice.
"""

from __future__ import annotations

import pytest

from tests.law.crowded import stragglers, threads
from tests.law.harness import Case, counts_of, run
from tests.law.sabotage import tiny_slices
from tests.law.share import share
from tidelog import Engine
from tidelog.program.functions.table import FUNCTIONS
from tidelog.testing.invariants import violations

REACH = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z)."
FAR = REACH + "  far(X,Y) :- node(X), node(Y), !reach(X,Y).  node(X) :- edge(X,_).  node(X) :- edge(_,X)."
TWICE = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- reach(X,Y), reach(Y,Z)."


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize(("count", "handful"), [(2, 1), (2, 4), (3, 1), (3, 3)])
def test_law_holds_with_threads(count: int, handful: int, kind: str) -> None:
    with threads(count, handful):
        for seed in range(5 * 10**6 + 10 * count + handful, 5 * 10**6 + 10 * count + handful + share(8, 8)):
            try_case(seed, kind)


@pytest.mark.parametrize("budget", [1, 3])
def test_law_holds_with_threads_that_stop_all_the_time(budget: int) -> None:
    with threads(2, 2), tiny_slices(budget):
        for seed in range(6 * 10**6 + budget, 6 * 10**6 + budget + 5):
            try_case(seed, "plain")


@pytest.mark.parametrize(("count", "late"), [(2, 0), (2, 1), (3, 0), (3, 2)])
def test_law_holds_with_threads_that_come_late(count: int, late: int) -> None:
    """The calling thread had an item under way; the other came first, and ended the batch and the run without it."""
    with stragglers(count, late):
        for seed in range(7 * 10**6 + 10 * count + late, 7 * 10**6 + 10 * count + late + 4):
            try_case(seed, "plain")


def try_case(seed: int, kind: str) -> None:
    case = Case.random(seed, kind, epochs=3)
    try:
        run(case)
    except Exception as error:
        raise AssertionError(f"seed {seed}, kind {kind}: {error}\n{case}") from error


def test_rows_that_a_thread_gives_back_are_linked_when_they_are_filled() -> None:
    """An index had passed by rows that were claimed and never filled; whatever came there later was not found."""
    with threads(2, 64):
        run(Case.random(9 * 10**6, "all"))


@pytest.mark.parametrize("program", [REACH, FAR, TWICE])
@pytest.mark.parametrize("count", [2, 3])
def test_threads_that_meet_at_the_same_facts_count_them_once(count: int, program: str) -> None:
    nodes = 19 if program == FAR else 37  # the judge looks at all pairs of nodes that are far apart
    rows = [(i % nodes, (i * i + 3 * (i // nodes)) % nodes) for i in range(4 * nodes + 2)]

    def history(number: int) -> list[object]:
        found: list[object] = []
        with Engine(program, threads=number) as db:
            for delete, insert in (([], rows), (rows[: nodes + 3], []), (rows[60:70], rows[: nodes // 2 + 2])):
                with db.epoch() as e:
                    e.delete("edge", delete)
                    e.insert("edge", insert)
                found.append((counts_of(db), {n: (len(c.inserted), len(c.deleted)) for n, c in e.changes.items()}))
            assert not violations(db.state(), FUNCTIONS)
        return found

    expected = history(1)
    with threads(count, 2):
        for _ in range(3):
            assert history(count) == expected
