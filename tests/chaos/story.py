"""The changes of an engine, epoch by epoch, determined by a seed and the number of the epoch alone.

Now and then an epoch changes the number of partitions and nothing else; each has its own, and all have that epoch.

So a twin can get the same changes up to any epoch, whatever happened to the engine between them.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.engine.write.epoch import Epoch
from tidelog.errors import StateError
from tidelog.store.base.store_failures import OTHER_PROGRAM
from tidelog.store.log.log import FOLDER as LOG_FOLDER

PROGRAM = """
reach(X, Y) :- edge(X, Y).
reach(X, Z) :- edge(X, Y), reach(Y, Z).
alone(X) :- node(X), !linked(X).
linked(X) :- edge(X, _).
linked(Y) :- edge(_, Y).
size(X, count<Y>) :- reach(X, Y).
name(X, cat("n", to_string(X))) :- edge(X, X).
"""
EXTRA = "back(X, Y) :- reach(Y, X), name(X, _)."
RELATIONS = ("edge", "node", "reach", "alone", "linked", "size", "name")
NODES, MOST = 24, 12
MOST_PARTITIONS = 3
Facts = dict[str, frozenset[tuple[Any, ...]]]


def repartitions(number: int) -> bool:
    """Whether the epoch of that number changes where facts live, and nothing else."""
    return number % 14 == 3


def act(db: Engine, seed: int, number: int) -> None:
    """Carry out the epoch of that number, which is the next."""
    if repartitions(number):
        db.repartition(_other_number(db))
        return
    with db.epoch() as epoch:
        tell(epoch, seed, number)


def _other_number(db: Engine) -> int:
    """How many partitions come next; on Spark never one: opening that state in this process is a separate epoch."""
    runtime = core_of(db).runtime
    least = 1 if runtime.session is None else 2
    return runtime.partitions + 1 if runtime.partitions < MOST_PARTITIONS else least


def tell(epoch: Epoch, seed: int, number: int) -> None:
    """Say what the epoch of that number changes; epoch 1 is the program itself."""
    random = Random(f"{seed} {number}")
    for _ in range(random.randrange(1, MOST)):
        edge = (random.randrange(NODES), random.randrange(NODES))
        (epoch.insert if random.random() < 0.6 else epoch.delete)("edge", [edge])
    epoch.insert("node", [(random.randrange(2 * NODES),)])
    if number % 14 == 7:
        epoch.add_rule(f"extra: {EXTRA}")
    elif number > 13 and number % 14 == 0:
        epoch.remove_rule("extra")


def open_state(folder: Path, partitions: int = 1, **options: Any) -> Engine:
    """The engine of a state folder: with the program and these partitions where the folder is new, else as it is."""
    if not (folder / LOG_FOLDER).exists():
        options["partitions"] = partitions
    try:
        return Engine(PROGRAM, path=folder, **options)
    except StateError as error:
        if error.code != OTHER_PROGRAM.code:
            raise
        return Engine(path=folder, **options)


def twin(db: Engine, seed: int, number: int) -> Facts:
    """What an undisturbed engine contains after this many epochs; missing ones are applied to it."""
    while db.epoch_number < number:
        act(db, seed, db.epoch_number + 1)
    assert db.epoch_number == number, "a twin is asked about epochs in order"
    return facts(db)


def facts(db: Engine) -> Facts:
    """All facts of an engine."""
    known = set(db.relations)
    return {name: frozenset(db[name]) for name in (*RELATIONS, "back") if name in known}
