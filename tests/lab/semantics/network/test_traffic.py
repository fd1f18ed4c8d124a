"""Topologies, costs and recordings: the numbers are those that can be counted by hand on small networks."""

from pathlib import Path

import pytest

from tidelog.errors import DataError, EngineError, LimitError
from tidelog.lab.semantics.algorithm import as_sets
from tidelog.lab.semantics.fact import Fact, deletion, insertion
from tidelog.lab.semantics.schedule import Fifo, schedule_by_name
from tidelog.lab.semantics.traffic import (
    ALGORITHMS,
    FIGURE,
    FIGURE_BOTH_WAYS,
    FIGURE_LINK,
    Cost,
    Recorder,
    Topology,
    algorithm_by_name,
    compare,
    localised,
    measure,
    read_changes,
    read_topology,
    ring,
    table_text,
)
from tidelog.syntax import parse_program

CHAIN = parse_program("q(@2) :- p(@1). r(@3) :- q(@2). s(@3) :- r(@3).")
LOOP = parse_program("p(@1) :- a(@1). p(@1) :- p(@1).")
REACHABILITY = localised(
    parse_program("r1: reachable(@S,D) :- link(@S,D). r2: reachable(@S,D) :- link(@S,Z), reachable(@Z,D).")
)


def test_links_of_a_file_are_undirected_and_distinct(tmp_path: Path) -> None:
    file = tmp_path / "net.tsv"
    file.write_text("b\ta\na\tb\nb\tc\nc\tc\n")
    topology = read_topology(file)
    assert topology == Topology("net", frozenset({("a", "b"), ("b", "c")}))
    assert topology.nodes == set("abc")
    assert topology.facts(cost=True)[:2] == [Fact("link", ("a", "b", 1)), Fact("link", ("b", "a", 1))]


@pytest.mark.parametrize(("text", "said"), [("a\n", "line 1: found 1 tab"), ("a\tb\nc\td\te\n", "line 2: found 3 tab")])
def test_malformed_files_name_the_line(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "net.tsv"
    file.write_text(text)
    with pytest.raises(DataError, match=said):
        read_topology(file)


def test_absent_file_is_a_data_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read"):
        read_topology(tmp_path / "absent.tsv")


def test_changes_that_change_nothing_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "changes.tsv"
    file.write_text("199901\t+\ta\tb\n199902\t+\tb\ta\n199903\t-\tb\ta\n199903\t+\tc\tc\n")
    assert read_changes(file) == {
        "199901": (insertion("link", "a", "b"), insertion("link", "b", "a")),
        "199903": (deletion("link", "a", "b"), deletion("link", "b", "a")),
    }


def test_unknown_sign_of_a_change_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "changes.tsv"
    file.write_text("199901\t*\ta\tb\n")
    with pytest.raises(DataError, match=r"invalid sign `\*`"):
        read_changes(file)


def test_bridges_are_the_links_that_hold_the_network_together() -> None:
    assert ring(5).bridges() == frozenset()
    assert FIGURE.bridges() == {("c", "h"), ("f", "g")}


def test_directed_link_fails_in_one_direction() -> None:
    assert FIGURE.failure(FIGURE_LINK) == (deletion("link", "a", "b"),)
    assert len(FIGURE_BOTH_WAYS.recovery(FIGURE_LINK)) == 2


def test_only_messages_between_nodes_are_traffic_and_rounds_are_their_longest_chain() -> None:
    (load, change) = measure(algorithm_by_name("psn"), Fifo(), CHAIN, [], [[insertion("p", 1)]], 100)
    assert load == Cost()
    assert (change.messages, change.updates, change.rounds, change.state) == (2, 4, 2, "right")
    assert change.bytes == len('[1,"q",[2]]') + len('[1,"r",[3]]')


def test_run_over_the_limit_says_so_and_stops() -> None:
    costs = measure(algorithm_by_name("psn"), Fifo(), LOOP, [Fact("a", (1,))], [[deletion("a", 1)]], 20)
    assert [cost.state for cost in costs] == ["over limit"]
    assert costs[0].text("messages") == "> 0"
    assert costs[0].text("updates") == "> 201"


def test_wrong_and_stuck_states_are_marked() -> None:
    burst = [insertion("p", 1), deletion("p", 1)]
    (_, wrong) = measure(algorithm_by_name("unchecked"), schedule_by_name("newest"), CHAIN, [], [burst], 100)
    assert wrong.text("messages").endswith(" !")
    two_ways = parse_program("s(@1) :- q(@1). s(@1) :- u(@1). t(@1) :- s(@1).")
    facts, gone = [Fact("q", (1,)), Fact("u", (1,))], [deletion("q", 1), deletion("u", 1)]
    costs = measure(algorithm_by_name("psn-sets"), Fifo(), two_ways, facts, [gone], 100)
    assert costs[-1].text("updates").endswith(" stuck")


def test_refused_program_is_a_dash() -> None:
    least = parse_program("best(@X,a_MIN<C>) :- cost(@X,C).")
    (cost,) = measure(algorithm_by_name("heights"), Fifo(), least, [], [], 100)
    assert cost.text("messages") == "-"


def test_deletion_costs_less_with_supports_than_with_rederivation() -> None:
    lines = compare(REACHABILITY, FIGURE, FIGURE_LINK, ["ranked", "psn", "dred"], limit=2000)
    costs = {line.event: {name: cost.messages for name, cost in line.costs.items()} for line in lines}
    assert costs["failure"]["psn"] < costs["failure"]["dred"]
    assert costs["failure"]["ranked"] <= costs["failure"]["psn"]
    assert {cost.state for line in lines for cost in line.costs.values()} == {"right"}


def test_counting_does_not_end_on_a_ring_and_the_table_says_so() -> None:
    lines = compare(REACHABILITY, ring(3), ("n1", "n2"), ["ranked", "psn", "heights"], limit=200)
    table = table_text(lines, ["ranked", "psn", "heights"], "messages").splitlines()
    assert table[0].split() == ["|", "network", "|", "event", "|", "ranked", "|", "psn", "|", "heights", "|"]
    assert "> 20" in table[2]
    assert table[3].split("|")[4].strip() == "?"


def test_refused_program_is_a_dash_throughout_the_table() -> None:
    least = localised(parse_program("s(@S,D,a_MIN<C>) :- link(@S,D,C)."))
    lines = compare(least, ring(3), ("n1", "n2"), ["heights", "ranked"], limit=200, cost=True)
    assert [line.costs["heights"].text("messages") for line in lines] == ["-", "-", "-"]
    assert all(line.costs["ranked"].state == "right" for line in lines)


def test_every_registered_algorithm_is_made_afresh_under_its_own_name() -> None:
    for name in ALGORITHMS:
        assert algorithm_by_name(name).name == name
        assert algorithm_by_name(name) is not algorithm_by_name(name)
    with pytest.raises(EngineError, match="unknown algorithm `magic`"):
        algorithm_by_name("magic")


@pytest.mark.parametrize("name", ["ranked", "psn", "sn", "batched", "dred", "heights"])
def test_recorded_changes_add_up_to_the_tables(name: str) -> None:
    recorder = Recorder(algorithm_by_name(name), Fifo())
    recorder.algorithm.load(REACHABILITY, FIGURE.facts())
    recorder.play([FIGURE.failure(FIGURE_LINK), FIGURE.recovery(FIGURE_LINK)])
    rows = {}
    for step in recorder.steps:
        rows |= {(change.node, change.relation, change.row): change.count for change in step.changes}
    tables = {}
    for (node, relation, row), count in rows.items():
        if count:
            tables.setdefault(node, {}).setdefault(relation, set()).add(row)
    assert tables == as_sets(recorder.algorithm.tables())
    assert recorder.rounds > 0


def test_every_message_sent_is_delivered_once() -> None:
    recorder = Recorder(algorithm_by_name("batched"), schedule_by_name("random", 2))
    recorder.algorithm.load(REACHABILITY, FIGURE.facts())
    recorder.play([])
    sent = [message.number for step in recorder.steps for message in step.event.sent]
    delivered = [message.number for step in recorder.steps for message in step.delivered]
    assert len(set(delivered)) == len(delivered)
    assert set(sent) <= set(delivered)


def test_recording_stops_at_its_limit() -> None:
    recorder = Recorder(algorithm_by_name("psn"), Fifo(), limit=30)
    recorder.algorithm.load(LOOP, [Fact("a", (1,))])
    with pytest.raises(LimitError, match="psn has not finished after 30 steps") as late:
        recorder.play([])
    assert late.value.code == "TL7301"
