"""All that can be asked of an engine and of what it gave out: for tests of engines that can be asked no more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tidelog import Engine
from tidelog.engine.read.query import PreparedQuery
from tidelog.engine.read.view import ChangeSet, View
from tidelog.engine.write.epoch import Epoch

PROGRAM = "p(X) :- e(X)."
KNOWN = ("relations", "rules", "program", "convention", "epoch_number", "time", "profiling")  # without its partitions
HARMLESS = ("close", "preview", "stream", "from_file")  # asked otherwise below, or not of an engine


@dataclass
class Handles:
    """An engine with what it gave out before: a view, a query, epochs, and changes that have not been read."""

    db: Engine
    view: View
    prepared: PreparedQuery
    waiting: Epoch
    committed: Epoch
    changed: ChangeSet


def handles(db: Engine) -> Handles:
    """What is given out by an engine of the program above."""
    with db.epoch() as e:
        e.insert("e", [(1,), (2,)])
    view, prepared = db["p"], db.prepare("p(X)", bind="X")
    with db.epoch() as e:
        e.insert("e", [(3,)])
    waiting = db.epoch()
    waiting.insert("e", [(7,)])
    return Handles(db, view, prepared, waiting, e, e.changes["p"])


def calls(given: Handles, feed: Path) -> dict[str, Callable[[], object]]:
    """By name, every call that needs the partitions or the state folder."""
    db, view = given.db, given.view
    return {
        "epoch": db.epoch,
        "advance": lambda: db.advance(5),
        "repartition": lambda: db.repartition(3),
        "preview": lambda: db.preview(given.waiting),
        "epoch_to": lambda: db.epoch_to("p(1)."),
        "revert": lambda: db.revert(given.committed),
        "fact_count": lambda: db.fact_count,
        "memory": lambda: db.memory,
        "metrics": db.metrics,
        "view": lambda: db["p"],
        "asserted": lambda: db.asserted("e"),
        "undefined": lambda: db.undefined("e"),
        "query": lambda: db.query("p(X), e(X)"),
        "sparql": lambda: db.sparql("ASK { ?s ?p ?o }"),
        "prepare": lambda: db.prepare("p(X)", bind="X"),
        "aquery": lambda: asyncio.run(db.aquery("p(X)")),
        "why": lambda: db.why("p(1)"),
        "why_not": lambda: db.why_not("p(9)"),
        "blame": lambda: db.blame("p(1)"),
        "contains": lambda: db.contains({"p": [(1,)]}),
        "what_if": lambda: db.what_if("+e(5)."),
        "release": db.release,
        "explain": db.explain,
        "state": db.state,
        "verify": db.verify,
        "changes": lambda: db.changes("p"),
        "feed": lambda: db.feed("p"),
        "on_change": lambda: db.on_change("p", print),
        "write_feed": lambda: db.write_feed("p", folder=feed),
        "log": db.log,
        "snapshot": db.snapshot,
        "rows of a view": view.rows,
        "length of a view": lambda: len(view),
        "rows of a view, one by one": lambda: list(view),
        "first rows of a view": view.head,
        "row of a view": lambda: view[0],
        "fact in a view": lambda: (1,) in view,
        "view as Arrow": view.to_arrow,
        "view as numpy": view.to_numpy,
        "prepared query": lambda: given.prepared(1),
        "commit of an epoch": given.waiting.commit,
        "blame of an epoch": lambda: given.committed.blame("p(3)"),
    }
