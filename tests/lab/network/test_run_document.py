"""The document of a run has what the page shows: times, events, expiries, links that are cut."""

from tidelog.lab.network.read import read_program, read_script, read_topology
from tidelog.lab.network.run_document import run_to_document
from tidelog.lab.network.runtime import NetworkRun
from tidelog.lab.simulate.page import render

BEACON = """
    materialize(neighbour, 5, infinity, keys(1, 2)).
    r1 beacon(@Broadcast, N) :- periodic(@N, E, 2).
    r2 neighbour(@Here, N) :- beacon(@X, N).
    """


def document() -> dict:
    topology = read_topology("link(a,b). link(b,a). link(b,c). link(c,b).")
    net = NetworkRun(read_program(BEACON), topology, read_script("at 9. -link(b,c). -link(c,b)."))
    return run_to_document("beacon", net, list(net.advance(20)))


def test_steps_have_times_events_and_expiries() -> None:
    run = document()
    times = [step["time"] for step in run["steps"]]
    assert times == sorted(times)
    assert run["lifetimes"] == {"neighbour": 5}
    (received,) = (step for step in run["steps"] if step["time"] == 2.01 and step["node"] == "a")
    assert received["events"] == ["beacon(a,b)"]
    assert received["changes"] == [["a", "neighbour", ["a", "b"], 1, 7.01]]
    lost = [step for step in run["steps"] if step["kind"] == "expiry"]
    assert sorted(step["changes"][0][:4] for step in lost) == [
        ["b", "neighbour", ["b", "c"], 0],
        ["c", "neighbour", ["c", "b"], 0],
    ]


def test_cut_links_are_gone_from_their_time_on() -> None:
    run = document()
    assert run["links"] == [["a", "b"], ["b", "c"]]
    assert [epoch["gone"] for epoch in run["epochs"]] == [[], [["b", "c"]]]
    assert {step["epoch"] for step in run["steps"] if step["time"] < 9} == {0}
    assert {step["epoch"] for step in run["steps"] if step["time"] >= 9} == {1}


def test_the_page_contains_the_run_and_loads_nothing() -> None:
    page = render(document())
    assert '"lifetimes":{"neighbour":5}' in page
    assert "http" not in page.split("<script")[0]
