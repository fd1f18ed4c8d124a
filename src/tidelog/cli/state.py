"""What the commands about state folders share: opening one, and telling what is wrong with it.

Law: a command that only reads takes no lock and sees a committed epoch; one that writes is the only writer. Damage
that was got round is told on the standard error and changes no exit code.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from tidelog.cli.guard import guarded
from tidelog.cli.session import EXAMPLES, ViewChange
from tidelog.cli.show import console
from tidelog.engine.engine import Engine
from tidelog.engine.epoch import Epoch
from tidelog.errors import StateError
from tidelog.store import open_store
from tidelog.store.durable import Durable
from tidelog.store.notes import check_format

LAST = -1
StateArgument = Annotated[
    str, typer.Argument(metavar="DIR", help="The state folder, or a URI such as s3://bucket/state.")
]
StateOption = Annotated[str, typer.Option("--state", metavar="DIR", help="The state folder, or a URI.")]
AtOption = Annotated[
    int,
    typer.Option("--at", metavar="EPOCH", help="Read the state of this epoch; -1 is the last, -2 the one before it."),
]


@contextmanager
def opened(place: str, at: int | None = LAST) -> Iterator[Engine]:
    """The engine of a state folder that is there, to be read at an epoch or (``at`` None) to be written."""
    with guarded(), told_warnings():
        if not check_format(open_store(place)):
            raise StateError(f"{place} holds no state; `tidelog run PROGRAM --state {place}` makes one")
        with Engine(path=place, at=at) as db:
            yield db


def partitions_of(place: str) -> int:
    """How many partitions a state was made by, each with a piece of its own; 0 for one embedded partition."""
    durable = Durable.open(place, LAST)
    try:
        return durable.partitions
    finally:
        durable.close()


@contextmanager
def told_warnings() -> Iterator[None]:
    """Warnings of Tidelog as lines on the standard error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            for warning in caught:
                console(stderr=True).print(f"warning: {warning.message}")


def view_changes(epoch: Epoch) -> dict[str, ViewChange]:
    """What an epoch changed, by relation: counts and a few rows."""
    return {
        name: ViewChange(
            len(change.inserted),
            len(change.deleted),
            tuple(change.inserted.head(EXAMPLES)),
            tuple(change.deleted.head(EXAMPLES)),
        )
        for name, change in epoch.changes.items()
    }
