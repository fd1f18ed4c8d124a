"""A process that follows a database until it is killed: `python -m tests.follow.kills FOLDER DSN`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tidelog import Engine
from tidelog.follow import follow
from tidelog.follow.patience import Patience

PROGRAM = """
.decl tick(n: number, source: symbol, target: symbol)
.decl reach(source: symbol, target: symbol)
reach(x, y) :- tick(_, x, y).
reach(x, z) :- reach(x, y), tick(_, y, z).
"""
TABLES = {"tick": "public.tick"}
PUBLISH = {"reach": "public.reach"}


def main(folder: str, dsn: str) -> None:
    """Follow, and say so once it does."""
    engine = Engine("" if (Path(folder) / "log").exists() else PROGRAM, path=folder, history=None)
    follower = follow(engine, dsn, tables=TABLES, publish=PUBLISH, patience=Patience(0.02, 0.2)).start()
    while follower.health.state != "following":
        time.sleep(0.01)
    print("following", flush=True)
    assert follower.wait(1 << 63)


if __name__ == "__main__":
    main(*sys.argv[1:])
