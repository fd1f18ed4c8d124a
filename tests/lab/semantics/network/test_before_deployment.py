"""Properties checked before deployment (PPDP 2011, section 8), on the papers' programs.

What holds of the central model holds on the network, because the two semantics coincide. So it is tried that they do,
in any order (`tidelog test-order`); then a property is checked on the central model and on the network alike.
"""

import itertools
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.runner import CliRunner
from tidelog.cli import app
from tidelog.lab.semantics import (
    Fact,
    PipelinedExecution,
    RankedAlgorithm,
    deletion,
    flatten,
    least_model,
    prepare,
    run,
)
from tidelog.lab.semantics.executions import AcknowledgedExecution
from tidelog.lab.semantics.schedule import schedule_by_name

from ..examples import PATH_VECTOR, ring

ROOT = Path(__file__).parents[4]
PROGRAMS = ROOT / "programs" / "network"
PAGE = ROOT / "docs" / "design" / "semantics.md"


def _table() -> list[tuple[str, str, str, str, str]]:
    """The rows of the page: program, changes, and what `test-order` finds; "the same" is the program above."""
    section = PAGE.read_text(encoding="utf-8").split("## Before deployment")[1].split("\n## ")[0]
    rows: list[tuple[str, str, str, str, str]] = []
    for line in re.findall(r"^\| (.+) \|$", section, re.MULTILINE)[1:]:
        program, changes, verdict, orders, schedules = (cell.strip("`") for cell in line.split(" | "))
        rows.append((rows[-1][0] if program == "the same" else program, changes, verdict, orders, schedules))
    return rows


TABLE = _table()


def _inputs(program: str, changes: str, folder: Path) -> tuple[Path, Path]:
    rules, script = folder / "program.dl", folder / "changes.dl"
    if changes == "its script":
        rules.write_text((PROGRAMS / f"{program}.dl").read_text() + (PROGRAMS / program / "topology.dl").read_text())
        return rules, PROGRAMS / program / "changes.dl"
    rules.write_text(program)
    script.write_text(changes + " commit.")
    return rules, script


@pytest.mark.parametrize("row", TABLE, ids=[f"{row[0][:20]} with {row[1]}" for row in TABLE])
def test_what_test_order_finds_on_the_programs_of_the_papers_is_what_the_page_says(row, tmp_path: Path) -> None:
    program, changes, *said = row
    rules, script = _inputs(program, changes, tmp_path)
    report = CliRunner().invoke(app, ["test-order", str(rules), "--changes", str(script), "--tries", "4"])
    assert report.exit_code == 0, report.output
    verdict = report.output.partition(":")[0]
    orders = re.search(r"^exhausted: (all \d+) orders of single changes$", report.output, re.MULTILINE)
    schedules = re.search(r"^exhausted: all schedules of messages .*, (\d+ states)$", report.output, re.MULTILINE)
    found = [verdict, orders[1] if orders else "drawn", f"all, {schedules[1]}" if schedules else "drawn"]
    assert found == said


def test_the_page_tells_of_all_programs_that_the_papers_run() -> None:
    assert {row[0] for row in TABLE if row[1] == "its script"} == {"hops", "reachability", "path_vector", "best_path"}
    assert len(TABLE) == 12


def _sound(paths: list[Fact], links: set[tuple[object, ...]]) -> bool:
    """No path visits a node twice, every hop is a link, and its cost is the sum of theirs."""
    for _, (source, target, hops, cost) in paths:
        ends = hops[0] == source and hops[-1] == target
        walked = all((a, b, 1) in links for a, b in itertools.pairwise(hops))
        if not (ends and walked and cost == len(hops) - 1 and max(Counter(hops).values()) == 1):
            return False
    return True


@pytest.mark.parametrize(
    "make", [PipelinedExecution, RankedAlgorithm, lambda: AcknowledgedExecution(losses=20, repeats=20)]
)
@pytest.mark.parametrize("schedule", ["random", "newest"])
def test_what_holds_of_the_central_model_holds_on_the_network(make, schedule: str) -> None:
    links = ring(3, 1)
    algorithm = make()
    algorithm.load(PATH_VECTOR, links)
    run(algorithm, schedule_by_name(schedule, 3), 50_000)
    algorithm.apply([deletion("link", *links[0].row)])
    run(algorithm, schedule_by_name(schedule, 4), 50_000)
    central = [f for f in least_model(prepare(PATH_VECTOR), links[1:]) if f.relation == "path"]
    network = [f for f in flatten(algorithm.tables()) if f.relation == "path"]
    there = {fact.row for fact in links[1:]}
    assert len(central) > 5
    assert _sound(central, there)
    assert _sound(network, there)
    assert set(central) == set(network)
