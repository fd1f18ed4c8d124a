"""The programs of `programs/network/timed` end in their expected tables, also over links that delay and reorder."""

from pathlib import Path

import pytest

from tests.runner import CliRunner
from tidelog.cli import app
from tidelog.lab.network.compile import evaluator
from tidelog.lab.network.functions import Surroundings, sha1
from tidelog.lab.network.read import read_program, read_script, read_topology
from tidelog.lab.network.runtime import NetworkRun, Settings

PROGRAMS = Path(__file__).parents[3] / "programs" / "network" / "timed"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.olg"))


def run(name: str, settings: Settings | None = None) -> NetworkRun:
    folder = PROGRAMS / name
    return NetworkRun(
        read_program((PROGRAMS / f"{name}.olg").read_text(), name),
        read_topology((folder / "topology.dl").read_text()),
        read_script((folder / "changes.txt").read_text()),
        settings,
    ).run(float((folder / "until").read_text()))


def expected(name: str) -> dict[str, set[tuple]]:
    found: dict[str, set[tuple]] = {}
    for fact in read_topology((PROGRAMS / name / "expected.dl").read_text()).facts:
        row = tuple(evaluator(arg)({}, Surroundings(0.0, None)) for arg in fact.atom.args)
        found.setdefault(fact.atom.relation, set()).add(row)
    return found


@pytest.mark.parametrize("settings", [None, Settings(seed=7, delay=0.02, jitter=0.05)], ids=["plain", "jitter"])
@pytest.mark.parametrize("name", NAMES)
def test_programs_end_in_their_expected_tables(name: str, settings: Settings | None) -> None:
    net = run(name, settings)
    for relation, rows in expected(name).items():
        assert {row for found in net.rows(relation).values() for row in found} == rows


def test_the_expected_ring_is_the_order_of_the_hashes() -> None:
    following = dict(expected("ring_lookup")["next"])
    order = sorted(following, key=sha1)
    assert following == {a: order[(i + 1) % len(order)] for i, a in enumerate(order)}
    for _, key, responsible in expected("ring_lookup")["answer"]:
        assert responsible == next((node for node in order if sha1(node) >= key), order[0])


def simulate(name: str, *options: str):
    folder = PROGRAMS / name
    files = ["--topology", str(folder / "topology.dl"), "--changes", str(folder / "changes.txt")]
    until = (folder / "until").read_text().strip()
    return CliRunner().invoke(app, ["simulate", str(PROGRAMS / f"{name}.olg"), *files, "--until", until, *options])


def test_the_command_prints_steps_tables_and_counts() -> None:
    result = simulate("route_request")
    assert result.exit_code == 0
    assert "     1.000  a: is given query(a, d, 1); sends request(b, a, d, 1, (a)) to b" in result.output
    assert "expires; -route(a, d, 2, (a,e,d))" in result.output
    assert "\n  route(a, d, 3, (a,b,c,d))\n" in result.output
    assert "60 s: " in result.output
    assert " messages between nodes (" in result.output


def test_the_command_reads_tables_of_links_macros_and_further_programs(tmp_path: Path) -> None:
    (tmp_path / "links.tsv").write_text("a\tb\nb\tc\n")
    (tmp_path / "one.olg").write_text(
        "materialize(n, infinity, infinity, keys(1, 2)). n(@X, Y) :- b(@X, Y), f_size(NAMES) > 0."
    )
    (tmp_path / "two.olg").write_text("b(@Broadcast, X) :- periodic(@X, E, 1, 1).")
    result = CliRunner().invoke(
        app,
        ["simulate", str(tmp_path / "one.olg"), "--with", str(tmp_path / "two.olg"), "--topology",
         str(tmp_path / "links.tsv"), "--define", "NAMES=[a]", "--until", "3", "--no-steps"],
    )  # fmt: skip
    assert result.exit_code == 0
    assert "  n(b, a)\n  n(b, c)\nnode c\n" in result.output


@pytest.mark.parametrize(
    ("options", "code"),
    [(["--define", "X"], "TL912"), (["--evict", "succ:zero"], "TL912"), (["--limit", "3"], "TL913")],
)
def test_wrong_options_are_refused(options: list[str], code: str) -> None:
    result = simulate("rumours", *options)
    assert result.exit_code == 1
    assert code in result.output


def test_wrong_programs_are_refused_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "wrong.olg").write_text("p(@X) :- e(@X), d(@X).")
    result = CliRunner().invoke(app, ["simulate", str(tmp_path / "wrong.olg"), "--until", "1"])
    assert result.exit_code == 1
    assert "TL932" in result.output
