"""`tidelog snapshot DIR`: write a whole state, so that it opens faster next time."""

from __future__ import annotations

from tidelog.cli.base.application import app
from tidelog.cli.base.options import StateArgument
from tidelog.errors.counts import counted


@app.command("snapshot")
def snapshot_command(state: StateArgument) -> None:
    """Write a snapshot of a state now and remove files that are no longer needed.

    Snapshots are also written automatically when the log outgrows the state.
    """
    from tidelog.cli.base.show import console
    from tidelog.cli.input.state import opened

    with opened(state, at=None) as db:
        db.snapshot()
        console().print(f"{state}: snapshot of epoch {db.epoch_number}, {counted(db.fact_count, 'fact')}")
