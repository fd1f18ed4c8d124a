"""What `tidelog test-order` does: report what may make order matter, try many orders, and report the verdict.

Law: what is reported first follows from the program alone; the verdict is what was observed. A counter-example is text,
and on request a page that plays it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tidelog.cli.base.functions import load_functions
from tidelog.cli.base.show import console
from tidelog.cli.input.inputs import read_facts, read_valid
from tidelog.cli.input.load import start_engine
from tidelog.cli.session.script import read_script
from tidelog.lab.order import OrderReport, check_order, suspects
from tidelog.lab.simulate.page import render
from tidelog.program.check import CheckedProgram
from tidelog.program.types.functors import UserFunctions, function_table


@dataclass(frozen=True, slots=True)
class OrderRequest:
    """What is tried, how often, and where a counter-example is written."""

    program: str
    facts: Path | None
    changes: Path | None
    tries: int
    seed: int
    page: Path | None
    functions: Path | None


def try_order(wanted: OrderRequest) -> bool:
    """Try a program and print the verdict; returns whether all ways agree."""
    given: UserFunctions = () if wanted.functions is None else load_functions(wanted.functions)
    checked = read_valid(wanted.program, given)
    script = () if wanted.changes is None else read_script(wanted.changes, checked.program)
    to = console(stderr=True)
    for suspect in suspects(checked.program, function_table(given, checked.program)[1]):
        console().print(str(suspect))

    def heard(done: int, all_: int) -> None:
        if to.is_terminal:
            to.print(f"way {done} of {all_}", end="\r")

    report = check_order(
        replace(checked.program, facts=()),
        _facts(checked, wanted.facts, given),
        script,
        functions=given,
        tries=wanted.tries,
        seed=wanted.seed,
        heard=heard,
    )
    console().print(report.verdict)
    _write_page(report, wanted)
    return report.agrees


def _facts(checked: CheckedProgram, folder: Path | None, given: UserFunctions) -> dict[str, list[tuple[object, ...]]]:
    """The base facts of the text and of the files: their order is tried too."""
    data = () if folder is None else read_facts(checked, folder)
    with start_engine(checked.program, data, functions=given) as db:
        return {name: rows for name in db.relations if (rows := sorted(db.asserted(name), key=repr))}


def _write_page(report: OrderReport, wanted: OrderRequest) -> None:
    if wanted.page is not None and report.difference is not None:
        title = f"{Path(wanted.program).stem}: order matters"
        wanted.page.write_text(render(report.difference.picture(title)), encoding="utf-8")
        console().print(f"{wanted.page} replays it")
