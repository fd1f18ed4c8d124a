"""`tidelog scrub DIR`: read and check every file of a state folder."""

from __future__ import annotations

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import StateArgument
from tidelog.errors.counts import counted


@app.command("scrub")
def scrub_command(state: StateArgument) -> None:
    """Read and check every file of a state folder, including those that opening it does not need.

    Reports each damaged or invalid file and what is wrong with it; the exit code is 1 if there are any. Nothing is
    changed, and a state may be scrubbed while it is in use. To check that the facts follow from the rules, use
    `tidelog verify`.
    """
    from tidelog.cli.base.guard import guarded
    from tidelog.cli.base.show import console
    from tidelog.store.folder.scrub import scrub

    with guarded():
        report = scrub(state)
        for problem in report.wrong:
            console(stderr=True).print(problem, soft_wrap=True, markup=False, highlight=False)
        typer.echo(
            f"read {counted(report.files, 'file')}, {counted(report.frames, 'frame')}, {counted(report.bytes, 'byte')}"
        )
        verdict = f"{counted(len(report.wrong), 'problem')} found" if report.wrong else "no problems found"
        typer.echo(f"{state}: {verdict}, up to epoch {report.epoch}")
        if report.wrong:
            raise typer.Exit(1)
