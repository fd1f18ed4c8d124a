"""`tidelog simulate` shows the run, judges it, and saves it; the page is played in a real browser.

The browser test needs chromium with its driver and the selenium package (Debian: chromium, chromium-driver) and is
skipped by name where they are absent.
"""

import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from tests.runner import CliRunner
from tidelog.cli import app
from tidelog.lab.semantics.fact import Fact
from tidelog.lab.semantics.schedule import schedule_by_name
from tidelog.lab.semantics.trace import check
from tidelog.lab.semantics.trace_json import trace_from_json
from tidelog.lab.semantics.traffic import Recorder, algorithm_by_name
from tidelog.lab.simulate.inputs import read_inputs
from tidelog.lab.simulate.page import layout, render
from tidelog.lab.simulate.show import show_run
from tidelog.syntax import parse_program

PROGRAMS = Path(__file__).parents[2] / "programs" / "network"
RUNNER = CliRunner()


def simulate(name: str, *options: str):
    folder = PROGRAMS / name
    files = ["--topology", str(folder / "topology.dl"), "--changes", str(folder / "changes.dl")]
    return RUNNER.invoke(app, ["simulate", str(PROGRAMS / f"{name}.dl"), *files, *options])


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_run_ends_with_tables_numbers_and_verdict() -> None:
    result = simulate("hops")
    assert result.exit_code == 0
    assert "epoch 1: +link(d,f) +link(a,f) -link(a,b)" in result.output
    assert "node a\n" in result.output
    assert "  tri_hop(a, h)\n" in result.output
    assert "messages between nodes" in result.output
    assert result.output.endswith("the state equals evaluation from scratch\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--delay=2"], "--delay: describes runs in virtual time; add --until SECONDS"),
        (["--jitter=0"], "--jitter: describes runs in virtual time"),
        (["--reorder"], "--reorder: describes runs in virtual time"),
        (["--with=other.olg"], "--with: describes runs in virtual time"),
        (["--until=1", "--algorithm=psn"], "--algorithm: has no meaning with --until; omit one of them"),
        (["--until=1", "--every"], "--every: has no meaning with --until"),
    ],
)
def test_an_option_that_the_run_would_ignore_is_refused(options: list[str], message: str) -> None:
    result = RUNNER.invoke(app, ["simulate", str(PROGRAMS / "hops.dl"), *options])
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


@pytest.mark.parametrize("name", sorted(path.stem for path in PROGRAMS.glob("*.dl")))
def test_every_program_ends_in_the_state_of_evaluation_from_scratch(name: str) -> None:
    result = simulate(name, "--no-steps", "--schedule=random", "--seed=11")
    assert result.output.endswith("the state equals evaluation from scratch\n")


def test_every_schedule_of_the_last_epoch_is_followed_and_an_infinite_one_is_shown(tmp_path: Path) -> None:
    program = write(tmp_path, "cycle.dl", "p@1 :- a@1. p@1 :- p@1, b@1. b@1 :- c@2.")
    topology = write(tmp_path, "topology.dl", "c(2).")
    changes = write(tmp_path, "changes.dl", "+a(1). -a(1). -c(2). commit.")
    files = [program, "--topology", topology, "--changes", changes, "--every", "--no-steps"]
    result = RUNNER.invoke(app, ["simulate", *files, "--algorithm=psn-original", "--limit=100"])
    lines = result.output.splitlines()
    assert lines[:9] == [
        "every schedule of the last epoch: 19 states, an infinite schedule",
        "a schedule that never ends:",
        "     1  +a(1) at 1",
        "     2  -a(1) at 1",
        "  and then forever",
        "     3  +p(1) at 1",
        "     4  -p(1) at 1",
        "  while these are waiting: -c(2) at 2",
        lines[8],
    ]
    result = RUNNER.invoke(app, ["simulate", *files, "--algorithm=psn-extended"])
    assert "all end in the state of evaluation from scratch, after at most" in result.output
    result = RUNNER.invoke(app, ["simulate", *files, "--algorithm=base-facts", "--limit=500"])
    assert "a shortest schedule that ends in another state:" in result.output
    result = RUNNER.invoke(app, ["simulate", *files, "--algorithm=sn"])
    assert (result.exit_code, "TL912" in result.output) == (1, True)


def test_a_run_is_turned_into_the_other_kind_of_execution_and_drawn(tmp_path: Path) -> None:
    program = write(tmp_path, "join.dl", "p@1 :- s@2, t@2, r@2. s@2 :- q@3. t@2 :- u@4.")
    topology = write(tmp_path, "topology.dl", "q(3). u(4).")
    changes = write(tmp_path, "changes.dl", "+r(2). -q(3). -u(4). commit.")
    page = tmp_path / "turned.html"
    files = [program, "--topology", topology, "--changes", changes, "--no-steps", "--turn", str(page)]
    for algorithm, schedule, lemma in (
        ("psn", "newest", "Lemma 11"),
        ("psn-extended", "fifo", "Lemma 12"),
        ("sn", "fifo", "Lemma 12, backwards"),
    ):
        result = RUNNER.invoke(app, ["simulate", *files, f"--algorithm={algorithm}", f"--schedule={schedule}"])
        assert result.exit_code == 0, result.output
        assert f"{lemma} " in result.output.splitlines()[-1]
        text = page.read_text()
        assert f"<b>{lemma}" in text
        assert 'class="before"' in text
        assert 'class="after"' in text
        assert "%" not in text.partition("<body>")[2]
    for algorithm in (
        "dred",
        "psn-lossy",
        "psn-cancelling",
    ):  # TL7491, reported without its code next to the run itself
        result = RUNNER.invoke(app, ["simulate", *files, f"--algorithm={algorithm}"])
        assert (result.exit_code, "does not run in complete iterations" in result.output) == (1, True)


def test_without_steps_only_the_end_is_shown() -> None:
    result = simulate("hops", "--no-steps")
    assert result.output.startswith("node a\n")


def test_multiset_tables_show_their_counts() -> None:
    result = RUNNER.invoke(
        app,
        [
            "simulate",
            str(PROGRAMS / "hops.dl"),
            "--topology",
            str(PROGRAMS / "hops" / "topology.dl"),
            "--algorithm=psn",
        ],
    )
    assert "  hop(a, c)  x2\n" in result.output


def test_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    one, two, other = (simulate("reachability", "--schedule=random", f"--seed={seed}").output for seed in (1, 1, 2))
    assert one == two
    assert one != other


def test_wrong_algorithm_is_found_out(tmp_path: Path) -> None:
    program = write(tmp_path, "p.dl", "p(@1) :- a(@1).")
    changes = write(tmp_path, "c.dl", "+a(1). -a(1). commit.")
    result = RUNNER.invoke(
        app, ["simulate", program, "--changes", changes, "--algorithm=unchecked", "--schedule=newest"]
    )
    assert result.exit_code == 0
    assert "the state DIFFERS from evaluation from scratch" in result.output
    assert "a(1) should not be present" in result.output


def test_run_that_does_not_end_is_stopped_by_the_limit(tmp_path: Path) -> None:
    program = write(tmp_path, "p.dl", "p(@1) :- a(@1). p(@1) :- p(@1). a(@1).")
    result = RUNNER.invoke(app, ["simulate", program, "--algorithm=psn", "--limit=50", "--no-steps"])
    assert result.exit_code == 1
    assert "TL913" in result.output
    assert "psn has not finished after 50 steps" in result.output
    assert "On the initial facts, p(1) is derived from itself (p(1) <- p(1))" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("program", "note"),
    [
        ("p(@1) :- a(@1). p(@1) :- q(@1). q(@1) :- p(@1), b(@1). a(@1).", "On these facts, every fact has finitely"),
        ("q(@Y) :- p(@X), l(@X,Y). p(@1). l(@1,2). l(@1,3).", "finitely many derivations on any data"),
    ],
)
def test_limit_of_a_long_run_is_not_blamed_on_cycles(tmp_path: Path, program: str, note: str) -> None:
    result = RUNNER.invoke(app, ["simulate", write(tmp_path, "p.dl", program), "--algorithm=psn", "--limit=1"])
    assert result.exit_code == 1
    assert note in " ".join(result.output.split())


def test_deletion_and_insertion_of_one_fact_in_an_epoch_leave_it(tmp_path: Path) -> None:
    program, changes = (
        write(tmp_path, "p.dl", "p(@1) :- a(@1). a(@1)."),
        write(tmp_path, "c.dl", "-a(1). +a(1). commit."),
    )
    result = RUNNER.invoke(app, ["simulate", program, "--changes", changes, "--algorithm=psn"])
    assert "the state equals evaluation from scratch" in result.output


def test_cycle_that_a_change_closes_is_named_with_its_epoch(tmp_path: Path) -> None:
    program = write(tmp_path, "p.dl", "p(@1) :- a(@1). p(@1) :- q(@1). q(@1) :- p(@1), b(@1). a(@1).")
    changes = write(tmp_path, "c.dl", "-a(1). +a(1). commit. +b(1). commit.")
    result = RUNNER.invoke(app, ["simulate", program, "--changes", changes, "--algorithm=psn", "--limit=90"])
    assert "After epoch 2 of the changes, p(1) is derived from itself (p(1) <- q(1) <- p(1))" in " ".join(
        result.output.split()
    )


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--algorithm=magic", "unknown algorithm `magic`. Known algorithms: ranked"),
        ("--schedule=magic", "unknown schedule `magic`. Known schedules: fifo"),
        ("--topology=/nowhere.dl", "/nowhere.dl"),
        ("--loss=0.1", "messages of algorithm `ranked` cannot be lost"),
    ],
)
def test_wrong_options_get_a_diagnostic(option: str, said: str) -> None:
    result = RUNNER.invoke(app, ["simulate", str(PROGRAMS / "hops.dl"), option])
    assert result.exit_code == 1
    assert said in result.output
    assert "Traceback" not in result.output


def test_changes_of_rules_are_refused_with_their_place(tmp_path: Path) -> None:
    changes = write(tmp_path, "c.dl", "+link(a,b).\n+ hop(@X,Y) :- link(@X,Y).")
    result = RUNNER.invoke(app, ["simulate", str(PROGRAMS / "hops.dl"), "--changes", changes])
    assert result.exit_code == 1
    assert "c.dl:2" in result.output


def test_negation_is_refused_by_name(tmp_path: Path) -> None:
    program = write(tmp_path, "p.dl", "p(@X) :- q(@X), !r(@X).")
    result = RUNNER.invoke(app, ["simulate", program])
    assert result.exit_code == 1
    assert "a negation in rule" in result.output


def test_trace_holds_the_run_and_its_legal_commands(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    simulate("hops", "--algorithm=psn", f"--trace={file}")
    run = json.loads(file.read_text())
    assert run["format"] == "tidelog run 1"
    assert run["agrees"] is True
    assert {node["name"] for node in run["nodes"]} == set("abcdfgh")
    assert ["a", "b"] in run["links"]
    assert run["epochs"][1]["gone"] == [["a", "b"]]
    assert check(trace_from_json(json.dumps(run["trace"]))).final


def test_recorded_changes_add_up_to_the_tables(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    simulate("reachability", f"--trace={file}")
    rows = {}
    for step in json.loads(file.read_text())["steps"]:
        for node, relation, row, count in step["changes"]:
            rows[node, relation, tuple(row)] = count
    reached = {row for (_, relation, row), count in rows.items() if relation == "reachable" and count}
    text = "".join(sorted("\t".join(row) + "\n" for row in reached))
    assert text == (PROGRAMS / "reachability" / "expected_after" / "reachable.csv").read_text()


def test_page_cannot_be_broken_by_what_it_shows() -> None:
    run = {"title": "</title><script>", "nodes": [], "links": [], "steps": [], "epochs": [], "note": "</script>%RUN%"}
    page = render(run)
    assert page.count("</script>") == 2
    assert "<title>Tidelog: &lt;/title&gt;&lt;script&gt;</title>" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page


def test_layout_is_deterministic_and_inside_the_unit_square() -> None:
    nodes = [f"n{i}" for i in range(20)]
    links = [(f"n{i}", f"n{(i * 7 + 1) % 20}") for i in range(20)]
    places = layout(nodes, links)
    assert places == layout(nodes, links)
    assert len(set(places.values())) == 20
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in places.values())


@pytest.mark.long
def test_page_plays_the_run_in_a_browser(browser, tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    simulate("reachability", "--algorithm=psn-extended", "--no-steps", f"--page={file}", "--limit=100000")
    browser.get_log("browser")  # of pages before
    browser.get(file.as_uri())

    def find(selector: str):
        return browser.find_element("css selector", selector)

    count = int(find("#slider").get_attribute("max"))
    assert find("#where").text == f"0 / {count}"
    assert len(browser.find_elements("css selector", ".node")) == 7
    assert find("#verdict").text == "equals evaluation from scratch"

    find("#next").click()
    assert find("#where").text == f"1 / {count}"
    assert "link(" in find("#event").text
    find("#back").click()
    assert find("#where").text == f"0 / {count}"

    find("#last").click()
    find('[data-node="d"]').click()
    assert find("#chosen").text == "tables of node d"
    shown = find("#tables").text
    assert "reachable (" in shown
    assert "d, f" in shown
    assert "d, c" not in shown

    slide = (
        "const slider = document.getElementById('slider'); slider.value = 5; slider.dispatchEvent(new Event('input'))"
    )
    browser.execute_script(slide)
    assert find("#where").text == f"5 / {count}"
    find("#play").click()
    assert find("#play").text == "Pause"
    browser.execute_async_script("setTimeout(arguments[0], 900)")
    find("#play").click()
    assert int(find("#where").text.split(" / ")[0]) > 5
    assert find("#play").text == "Play"
    assert not browser.get_log("browser")


def test_terminal_sees_nodes_and_the_latest_steps_live() -> None:
    screen = StringIO()
    inputs = read_inputs(PROGRAMS / "hops.dl", PROGRAMS / "hops" / "topology.dl", PROGRAMS / "hops" / "changes.dl")
    recorder = Recorder(algorithm_by_name("ranked"), schedule_by_name("fifo"))
    recorder.algorithm.load(inputs.network.program, inputs.facts)
    show_run(Console(file=screen, force_terminal=True, width=110), recorder, inputs.script, steps=True)
    last = screen.getvalue().rpartition("epoch 1: ")[2]
    assert "pending messages" in last
    assert "tri_hop" in last
    assert f"{recorder.algorithm.messages} messages" in last


def test_live_picture_leaves_out_nodes_beyond_its_size() -> None:
    screen = StringIO()
    recorder = Recorder(algorithm_by_name("ranked"), schedule_by_name("fifo"))
    recorder.algorithm.load(parse_program("q(@X) :- p(@X)."), [Fact("p", (i,)) for i in range(30)])
    show_run(Console(file=screen, force_terminal=True, width=110), recorder, [], steps=True)
    assert "and 6 more" in screen.getvalue()


def test_tables_of_links_and_of_their_changes_are_read(tmp_path: Path) -> None:
    links = write(tmp_path, "net.tsv", "New York\tChicago\nChicago\tHouston\n")
    changes = write(tmp_path, "net.updates.tsv", "200001\t+\tHouston\tAtlanta\n")
    program = str(PROGRAMS / "shortest_path.dl")
    result = RUNNER.invoke(app, ["simulate", program, "--topology", links, "--changes", changes, "--no-steps"])
    assert result.exit_code == 0
    assert "  shortest(New York, Atlanta, 3)\n" in result.output
    assert result.output.endswith("the state equals evaluation from scratch\n")


def test_program_without_locations_runs_on_one_node(tmp_path: Path) -> None:
    program = write(tmp_path, "p.dl", "q(X) :- p(X). p(1).")
    result = RUNNER.invoke(app, ["simulate", program])
    assert result.exit_code == 0
    assert "node (the node)\n  p(1)\n  q(1)\n" in result.output
