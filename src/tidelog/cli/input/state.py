"""What commands on state folders share: opening a state, and reporting problems with it.

Law: a command that only reads takes no lock and sees a committed epoch; one that writes is the only writer. Damage
without loss is reported on the standard error and does not change the exit code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tidelog.cli.base.arrow import leave_pandas_out
from tidelog.cli.base.cli_failures import NO_STATE
from tidelog.cli.base.guard import guarded
from tidelog.cli.base.options import LAST
from tidelog.cli.base.show import shown_warnings
from tidelog.engine.engine import Engine
from tidelog.program.types.functors import UserFunctions


def holds_state(place: str) -> bool:
    """Whether a folder holds a state."""
    from tidelog.store import open_store
    from tidelog.store.base.notes import check_format

    return check_format(open_store(place))


def partitions_of_state(place: str) -> int:
    """The number of partitions that are stored separately there; 0 for one embedded partition."""
    from tidelog.store import open_store
    from tidelog.store.log.markers import partitions_of

    return partitions_of(open_store(place))


@contextmanager
def opened(place: str, at: int | None = LAST, functions: UserFunctions = ()) -> Iterator[Engine]:
    """The engine of an existing state folder, opened for reading at an epoch or (``at`` None) for writing."""
    with guarded(), shown_warnings():
        if not holds_state(place):
            raise NO_STATE.error(place=place)
        leave_pandas_out()
        with Engine(path=place, at=at, functions=functions) as db:
            yield db
