"""A simulated run in numbers, and whether its tables are right.

Law: the judge is evaluation from scratch of the program as written (`tidelog.testing.evaluate`), which knows nothing
of nodes and messages.
"""

from __future__ import annotations

from rich.console import Console

from tidelog.lab.semantics.algorithm import Tables, as_sets
from tidelog.lab.semantics.fact import Row
from tidelog.lab.semantics.traffic import ALGORITHMS, Recorder, Summary
from tidelog.lab.simulate.inputs import Inputs
from tidelog.lab.simulate.show import show_differences, show_tables
from tidelog.rewrite.names import is_auxiliary
from tidelog.testing import evaluate


def summarise(title: str, schedule: str, seed: int, recorder: Recorder, inputs: Inputs) -> Summary:
    """The run in numbers, judged by evaluation from scratch."""
    ran = recorder.algorithm
    agrees = shown_rows(ran.tables()) == from_scratch(inputs)
    return Summary(title, ran.name, schedule, seed, ran.messages, ran.bytes, ran.updates, recorder.rounds, agrees)


def shown_rows(tables: Tables) -> dict[str, frozenset[Row]]:
    """The rows of all nodes by relation, auxiliary relations left out."""
    rows: dict[str, set[Row]] = {}
    for relations in as_sets(tables).values():
        for name, found in relations.items():
            if not is_auxiliary(name):
                rows.setdefault(name, set()).update(found)
    return {name: frozenset(found) for name, found in rows.items()}


def from_scratch(inputs: Inputs) -> dict[str, frozenset[Row]]:
    """What the program, as written, derives from the base facts that are left."""
    facts: dict[str, list[Row]] = {}
    for relation, row in inputs.base():
        facts.setdefault(relation, []).append(row)
    model = evaluate(inputs.written, facts)
    return {name: rows for name, rows in model.items() if rows}


def show_end(to: Console, summary: Summary, tables: Tables, inputs: Inputs) -> None:
    """Tables per node, numbers, verdict."""
    show_tables(to, tables)
    about = ALGORITHMS[summary.algorithm].about
    to.print(f"algorithm {summary.algorithm}: {about}; schedule {summary.schedule}, seed {summary.seed}")
    to.print(
        f"{summary.messages} messages between nodes ({summary.bytes} bytes), {summary.updates} updates processed, "
        f"{summary.rounds} rounds"
    )
    if summary.agrees:
        to.print("the state equals evaluation from scratch")
    else:
        to.print("the state DIFFERS from evaluation from scratch", style="bold red")
        show_differences(to, shown_rows(tables), from_scratch(inputs))
