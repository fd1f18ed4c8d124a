"""A short history with everything in it: facts, rules, negation, recursion, min, symbols, lists, a snapshot."""

from __future__ import annotations

from collections.abc import Callable

from tidelog import Engine
from tidelog.engine.write.epoch import Epoch

PROGRAM = """
base: reach(X, Y) :- edge(X, Y).
step: reach(X, Z) :- edge(X, Y), reach(Y, Z).
cost(X, min<C>) :- start(X), C = 0.
cost(Y, min<C>) :- cost(X, D), road(X, Y, L), C = D + L.
quiet(X) :- place(X, _), !loud(X).
edge(1, 2).
"""
Facts = dict[str, list[tuple[object, ...]]]


def _first(e: Epoch) -> None:
    e.insert("edge", [(2, 3), (3, 1), (3, 4)])
    e.insert("start", [("a",)])
    e.insert("road", [("a", "b", 4), ("a", "c", 1), ("c", "b", 1)])


def _second(e: Epoch) -> None:
    e.insert("place", [("market", ("north", 1)), ("park", ())])
    e.insert("loud", [("market",)])
    e.delete("edge", [(3, 1)])


def _third(e: Epoch) -> None:
    e.add_rule("back(Y, X) :- reach(X, Y), !edge(X, Y).", label="back")
    e.delete("road", [("c", "b", 1)])


def _fourth(e: Epoch) -> None:
    e.remove_rule("step")
    e.add_rule("reach(X, Z) :- reach(X, Y), reach(Y, Z).")
    e.insert("edge", [(4, 1)])


def _fifth(e: Epoch) -> None:
    e.delete("loud", [("market",)])
    e.delete("edge", [(1, 2)])


EPOCHS: list[Callable[[Epoch], None]] = [_first, _second, _third, _fourth, _fifth]
SNAPSHOTS_AFTER = (2, 3, 5)  # epochs, the first one being the program's own


def facts_of(db: Engine) -> Facts:
    """All facts of all relations the user knows."""
    return {name: sorted(db[name], key=repr) for name in db.relations if len(db[name])}


def expected() -> list[Facts]:
    """The facts before anything, after the program's epoch and after every other one."""
    db = Engine(PROGRAM)
    states: list[Facts] = [{}, facts_of(db)]
    for change in EPOCHS:
        with db.epoch() as e:
            change(e)
        states.append(facts_of(db))
    return states
