"""Properties checked before deployment (PPDP 2011, section 8), on the papers' programs.

What holds of the central model holds on the network, because the two semantics coincide. So it is tried that they do,
in any order (`tidelog test-order`); then a property is checked on the central model and on the network alike.
"""

import itertools
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tidelog.cli import app
from tidelog.semantics import Fact, Pipelined, Ranked, deletion, flatten, least_model, prepare, run
from tidelog.semantics.executions import Acknowledged
from tidelog.semantics.schedule import schedule_by_name

from ..examples import PATH_VECTOR, ring

PROGRAMS = Path(__file__).parents[3] / "programs" / "network"


@pytest.mark.parametrize("name", ["hops", "reachability", "path_vector"])
def test_order_does_not_matter_for_the_programs_of_the_papers(name: str, tmp_path: Path) -> None:
    whole = tmp_path / f"{name}.dl"
    whole.write_text((PROGRAMS / f"{name}.dl").read_text() + (PROGRAMS / name / "topology.dl").read_text())
    changes = str(PROGRAMS / name / "changes.dl")
    result = CliRunner().invoke(app, ["test-order", str(whole), "--changes", changes, "--tries", "4"])
    assert result.exit_code == 0, result.output
    assert "all agree: 4 ways tried" in result.output


def _sound(paths: list[Fact], links: set[tuple[object, ...]]) -> bool:
    """No path visits a node twice, every hop is a link, and its cost is the sum of theirs."""
    for _, (source, target, hops, cost) in paths:
        ends = hops[0] == source and hops[-1] == target
        walked = all((a, b, 1) in links for a, b in itertools.pairwise(hops))
        if not (ends and walked and cost == len(hops) - 1 and max(Counter(hops).values()) == 1):
            return False
    return True


@pytest.mark.parametrize("make", [Pipelined, Ranked, lambda: Acknowledged(losses=20, repeats=20)])
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
