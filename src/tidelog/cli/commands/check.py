"""`tidelog check FILE...`: report every mistake in a program before anything runs.

Law: for a file with errors, all of them are reported, of syntax and of meaning, and the exit code is 1; any bytes at
all result in diagnostics, never in a traceback. For a file without errors, one line summarizes its contents.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.functions import functions_of
from tidelog.cli.base.options import AllowOption, Format, FunctionsOption, SandboxOption
from tidelog.cli.base.sandbox import sandboxed
from tidelog.cli.base.show import console, diagnostic_to_json, show_diagnostics
from tidelog.cli.input.report import Fragment, Report, check_file
from tidelog.errors.counts import counted


@app.command()
def check(
    files: Annotated[list[str], typer.Argument(help="Programs to check, or - for standard input.", metavar="FILE")],
    format_: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.text,
    fragment: Annotated[
        Fragment | None,
        typer.Option("--fragment", help="Also report constructs outside this fragment of the language."),
    ] = None,
    functions: FunctionsOption = None,
    sandbox: SandboxOption = False,
    allow: AllowOption = None,
) -> None:
    """Check programs and report every mistake, without running anything.

    For each program, prints one line if it is valid, and otherwise every error with its location, an explanation and a
    hint. The exit code is 1 if any program has an error.
    """
    user_functions = functions_of(functions)
    reports = []
    for file in files:
        with sandboxed(sandbox, allow, file):
            reports.append(check_file(file, fragment, user_functions))
    if format_ is Format.json:
        typer.echo(json.dumps([report_to_json(report) for report in reports], indent=2, ensure_ascii=True))
    else:
        show_reports(reports)
    if any(report.errors for report in reports):
        raise typer.Exit(1)


def show_reports(reports: Sequence[Report]) -> None:
    """Print findings and a summary line per file to the standard output."""
    to = console()
    for report in reports:
        show_diagnostics(report.findings, to)
        to.print(summary(report))


def summary(report: Report) -> str:
    """A summary of a file in one line."""
    counts = ", ".join(counted(number, _singular(things)) for things, number in report.counts.items())
    if report.errors:
        return f"{report.name}: {counted(report.errors, 'error')}, {counted(report.counts['warnings'], 'warning')}"
    held = f"; in the fragment `{report.fragment}`" if report.fragment else ""
    ends = f"; terminates if {' and '.join(report.checked.ends_if)}" if report.checked.ends_if else ""
    return f"{report.name}: ok: {counts}{held}{ends}"


def _singular(things: str) -> str:
    return "stratum" if things == "strata" else things.removesuffix("s")


def report_to_json(report: Report) -> dict[str, object]:
    """The report as plain values for `json`."""
    return {
        "file": report.name,
        "ok": not report.errors,
        **report.counts,
        "errors": report.errors,
        "ends": report.ends,
        "ends_if": list(report.checked.ends_if),
        "monotone": report.monotone,
        **({"fragment": str(report.fragment)} if report.fragment else {}),
        "diagnostics": [diagnostic_to_json(finding) for finding in report.findings],
    }
