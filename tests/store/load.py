"""A writer under load that prints every epoch before and after its commit, to be killed at any moment."""

from __future__ import annotations

import random
from multiprocessing.connection import Connection

from tidelog import Engine
from tidelog.store.folder import durable

RULES = "reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z). far(X,max<Y>) :- reach(X,Y)."
Engine(RULES + " edge(1, 2).").close()  # the kernel is loaded here, before the server of the tests forks


def write(folder: str, seed: int, told: Connection) -> None:
    """Random epochs for ever, with snapshots every few."""
    durable.MARGIN = 20_000
    rng = random.Random(seed)
    db = Engine(path=folder, history=20)
    while True:
        number = db.epoch_number + 1
        told.send(("begin", number))
        with db.epoch(source="load", offset=number) as e:
            for _ in range(rng.randrange(1, 30)):
                row = (rng.randrange(12), rng.randrange(12))
                (e.insert if rng.random() < 0.55 else e.delete)("edge", [row])
            e.insert("written", [(number,)])
        told.send(("done", number))


def hold(folder: str, seed: int, told: Connection) -> None:
    """Keep the state open and do nothing until the other end is closed."""
    with Engine(path=folder):
        told.send(("open", seed))
        told.recv()
