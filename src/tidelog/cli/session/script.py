"""Run a change script, epoch by epoch.

Law: each epoch is reported on the standard output when it is done; an error names the lines of the epoch that failed,
and the epochs before it stay committed. A preview is reported in the same way and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.cli.base.progress import progress
from tidelog.cli.base.show import console
from tidelog.cli.output.view_change import change_lines
from tidelog.cli.session.session import ProgramSession, SessionEpoch
from tidelog.errors import DataError, EngineError, EvaluationError, LimitError, TidelogError
from tidelog.errors.counts import counted
from tidelog.explain.numbers import duration
from tidelog.program import Program
from tidelog.syntax import Epoch, parse_changes_file

if TYPE_CHECKING:
    from rich.console import Console


def read_script(path: Path, program: Program) -> tuple[Epoch, ...]:
    """Read the epochs of a change script; the file must exist."""
    return parse_changes_file(path, convention=program.convention, prefixes=program.prefixes)


def run_script(session: ProgramSession, script: Iterable[Epoch], path: Path | None) -> list[SessionEpoch]:
    """Run the epochs in turn, and report each when it is done."""
    steps, to = [], console()
    for epoch in script:
        try:
            with progress("changing", lambda: session.fact_count):
                steps.append(session.apply(epoch))
        except (DataError, EngineError, EvaluationError, LimitError) as error:
            raise _placed(error, epoch, path, len(steps)) from None
        show_step(steps[-1], len(epoch), to)
    return steps


def show_step(step: SessionEpoch, change_count: int, to: Console) -> None:
    """Print one epoch: how long it took, and for each view how many rows were added and removed, with a few of them."""
    what = "preview" if step.previewed else f"epoch {step.number}"
    change_count -= step.previewed
    to.print(f"{what}: {counted(change_count, 'change')}, {duration(step.seconds)}")
    for line in change_lines(step.changes):
        to.print(line)
    if not step.changes:
        to.print("  no view changed")


def _placed(error: TidelogError, epoch: Epoch, path: Path | None, done: int) -> TidelogError:
    """The error, with the lines of the epoch that failed."""
    spans = [change.span for change in epoch if change.span is not None]
    lines = "" if not spans else f":{spans[0].line}"
    return error.reworded(f"{path}{lines}: epoch {done + 1} of the script was not committed: {error}")
