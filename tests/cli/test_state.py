"""State folders from outside: log, changes, apply, snapshot, export."""

from __future__ import annotations

import datetime
import json
import math
from pathlib import Path

import pytest

from tests.runner import CliRunner, Result
from tidelog import Engine
from tidelog.cli import app
from tidelog.cli.input.load import load_engine

PROGRAM = """\
base: reach(X, Y) :- edge(X, Y).
step: reach(X, Z) :- edge(X, Y), reach(Y, Z).
edge(1, 2).
"""


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    with Engine(PROGRAM, path=folder) as db:
        with db.epoch(source="orders", offset=17) as e:
            e.insert("edge", [(2, 3)])
        with db.epoch() as e:
            e.remove_rule("step")
    return folder


def test_log_tells_time_duration_rules_and_facts_of_every_epoch(state: Path) -> None:
    lines = run("log", state).stdout.splitlines()
    assert lines[0].startswith("epoch 1: 20")
    assert "  + rule base: reach(X, Y) :- edge(X, Y)." in lines
    assert any(line.startswith("epoch 2") and line.endswith(", orders at 17") for line in lines)
    assert "  facts: edge +1 -0" in lines
    assert lines[-2:] == ["  - rule step", "  views: reach +0 -1"]
    entries = json.loads(run("log", state, "--format", "json").stdout)
    assert [entry["epoch"] for entry in entries] == [1, 2, 3]
    assert entries[2]["changed"] == {"reach": [0, 1]}


def test_log_shows_who_made_an_epoch_and_the_note(state: Path, tmp_path: Path) -> None:
    edited = tmp_path / "edited.dl"
    edited.write_text("base: reach(X, Y) :- edge(X, Y).\nedge(1, 2).\nedge(8, 9).\n")
    run("apply", edited, "--state", state, "--author", "ann", "--note", "the bridge\nis open")
    lines = run("log", state).stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("epoch 4"))
    assert lines[at].endswith(" bytes, by ann")
    assert lines[at + 1 : at + 3] == ["  the bridge", "  is open"]
    last = json.loads(run("log", state, "--format", "json").stdout)[-1]
    assert (last["author"], last["note"]) == ("ann", "the bridge\nis open")


def test_changes_tell_each_epoch_once_also_those_of_rule_changes(state: Path) -> None:
    whole = run("changes", state, "reach").stdout
    assert sorted(whole.splitlines()) == [
        "1\t+\treach(1, 2)",
        "2\t+\treach(1, 3)",
        "2\t+\treach(2, 3)",
        "3\t-\treach(1, 3)",
    ]
    assert run("changes", state, "reach", "--since", 2).stdout == "3\t-\treach(1, 3)\n"
    assert run("changes", state, "reach", "--since", 3).stdout == ""
    (line,) = run("changes", state, "reach", "--since", 2, "--format", "json").stdout.splitlines()
    assert json.loads(line) == {"epoch": 3, "sign": -1, "fact": [1, 3]}
    assert "unknown relation `rich`" in run("changes", state, "rich", code=1).stderr


def test_changes_show_records_dates_and_infinity_in_text_and_json(tmp_path: Path) -> None:
    program = ".type P = [a: number, b: P]\n.decl p(x: P, d: date, f: float)\n.decl q(x: P, d: date, f: float)\n"
    with Engine(program + "q(x, d, f) :- p(x, d, f).", path=tmp_path / "state") as db, db.epoch() as e:
        e.insert("p", [((1, (2, None)), datetime.date(1969, 12, 31), math.inf)])
    text = run("changes", tmp_path / "state", "q").stdout
    assert text.startswith("2\t+\tq([1, [2, nil]], ")
    (line,) = run("changes", tmp_path / "state", "q", "--format", "json").stdout.splitlines()
    assert json.loads(line) == {"epoch": 2, "sign": 1, "fact": ["[1, [2, nil]]", "1969-12-31", "Infinity"]}


def test_apply_shows_and_commits_the_difference_as_one_epoch(state: Path, tmp_path: Path) -> None:
    edited = tmp_path / "edited.dl"
    edited.write_text("base: reach(X, Y) :- edge(Y, X).\nfar(X) :- reach(X, 1).\nedge(1, 2). edge(7, 8).\n")
    dry = run("apply", edited, "--state", state, "--dry-run").stdout
    assert dry.splitlines()[:4] == [
        "- base: reach(X, Y) :- edge(X, Y).",
        "+ base: reach(X, Y) :- edge(Y, X).",
        "+ far(X) :- reach(X, 1).",
        "+ edge(7, 8).",
    ]
    assert "dry run, nothing was changed" in dry
    assert "  far    +1 -0  +far(2)" in dry
    assert len(Engine(path=state, at=-1).log()) == 3
    assert "epoch 4 committed" in run("apply", edited, "--state", state).stdout
    db = Engine(path=state, at=-1)
    assert sorted(db["reach"]) == [(2, 1), (3, 2), (8, 7)]
    assert list(db["far"]) == [(2,)]
    assert "nothing to do" in run("apply", edited, "--state", state).stdout


def test_apply_changes_declarations(tmp_path: Path) -> None:
    first, second = (
        ".decl q(x: number)\n.decl p(x: number)\np(x) :- q(x).\nq(1).\n",
        ".decl r(x: number)\nr(x) :- p(x).\n",
    )
    Engine(first, path=tmp_path / "s").close()
    edited = tmp_path / "edited.dl"
    edited.write_text(first + second)
    assert "+ .decl r(x: number)" in run("apply", edited, "--state", tmp_path / "s").stdout
    assert list(Engine(path=tmp_path / "s", at=-1)["r"]) == [(1,)]


def test_apply_of_a_folder_replaces_the_facts_of_its_files_only(state: Path, tmp_path: Path) -> None:
    folder = tmp_path / "facts"
    folder.mkdir()
    (folder / "edge.facts").write_text("2\t3\n5\t6\n")
    dry = run("apply", folder, "--state", state, "--dry-run").stdout
    assert "  edge   +1 -1  +edge(5, 6) -edge(1, 2)" in dry
    run("apply", folder, "--state", state)
    assert sorted(Engine(path=state, at=-1)["reach"]) == [(2, 3), (5, 6)]
    (folder / "edge.facts").rename(folder / "egde.facts")
    assert "unknown relation `egde`" in run("apply", folder, "--state", state, code=1).stderr


def test_apply_of_a_program_with_mistakes_changes_nothing(state: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.dl"
    wrong.write_text("reach(X, Y) :- edge(X, Z).\n")
    assert "error" in run("apply", wrong, "--state", state, code=1).stderr
    assert len(Engine(path=state, at=-1).log()) == 3


def test_snapshot_writes_a_file_and_tells_its_epoch(state: Path) -> None:
    assert run("snapshot", state).stdout == f"{state}: snapshot of epoch 3, 4 facts\n"
    assert (state / "snapshots" / "000000000003.snapshot").exists()
    assert sorted(Engine(path=state, at=-1)["reach"]) == [(1, 2), (2, 3)]


def test_export_writes_files_from_which_run_makes_the_same_state(tmp_path: Path) -> None:
    with (
        Engine(
            "a: p(X, L) :- q(X, L), !r(X). 'odd label': s() :- p(_, _).".replace("'", '"'), path=tmp_path / "s"
        ) as db,
        db.epoch() as e,
    ):
        e.insert("q", [("x y", (1, ("b",))), ("plain", ())])
        e.insert("odd", [("x\ty",)])
        e.insert("r", [("plain",)])
        e.insert("extra", [(2**64 - 1, 0.1)])
        e.insert("alone", [()])
    out = tmp_path / "out"
    assert "2 rules, 6 base facts of epoch 2" in run("export", tmp_path / "s", out).stdout
    before = Engine(path=tmp_path / "s", at=-1)
    after = load_engine(str(out / "program.dl"), out)
    assert after.rules == before.rules
    for name in before.relations:
        assert sorted(after[name], key=repr) == sorted(before[name], key=repr), name
        assert sorted(after.asserted(name), key=repr) == sorted(before.asserted(name), key=repr), name
    shown = run("run", out / "program.dl", "-F", out).stdout
    assert "p" in shown
    assert "not empty" in run("export", tmp_path / "s", out, code=1).stderr


def test_export_of_an_earlier_epoch(state: Path, tmp_path: Path) -> None:
    assert "2 rules, 1 base fact of epoch 1" in run("export", state, tmp_path / "out", "--at", 1).stdout
    assert "there is no epoch 9" in run("export", state, tmp_path / "more", "--at", 9, code=1).stderr


@pytest.mark.parametrize("command", [("log",), ("changes", "p"), ("snapshot",), ("export", "out")])
def test_a_folder_without_a_state_is_refused(tmp_path: Path, command: tuple[str, ...]) -> None:
    name, *rest = command
    assert "contains no state" in run(name, tmp_path / "none", *rest, code=1).stderr
    assert not (tmp_path / "none").exists()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("hello")
    assert "not a state folder: it contains letter.txt" in run(name, tmp_path / "other", *rest, code=1).stderr


def test_apply_of_a_folder_reads_the_files_that_directives_name(tmp_path: Path) -> None:
    text = (
        ".decl e(x: number, y: number)\n.decl v(x: number)\n.decl r(x: number)\n"
        '.input e(filename="data/e-*.csv", IO=csv)\n.input v(filename="nodes.txt", delimiter=";")\n'
        "r(x) :- e(x, _), v(x).\n"
    )
    Engine(text, path=tmp_path / "s").close()
    folder = tmp_path / "facts"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "e-1.csv").write_text("1,2\n")
    (folder / "data" / "e-2.csv").write_text("3,4\n")
    (folder / "nodes.txt").write_text("3\n")
    run("apply", folder, "--state", tmp_path / "s")
    with Engine(path=tmp_path / "s", at=-1) as db:
        assert (sorted(db["e"]), list(db["r"])) == ([(1, 2), (3, 4)], [(3,)])
    (folder / "data" / "e-1.csv").unlink()
    (folder / "e.facts").write_text("9\t9\n")
    result = run("apply", folder, "--state", tmp_path / "s")
    assert "TL1076" in result.stderr
    assert list(Engine(path=tmp_path / "s", at=-1)["e"]) == [(3, 4)]


def test_apply_of_a_script_commits_its_epochs(tmp_path: Path) -> None:
    Engine("p(X) :- q(X).", path=tmp_path / "s").close()
    script = tmp_path / "changes.txt"
    script.write_text("+q(1).\npreview.\n+q(2).\ncommit.\n+q(3).\n- r1.\n")
    assert "TL4891" in run("apply", script, "--script", "--state", tmp_path / "s", "--dry-run", code=1).stderr
    assert "dry run" in run("apply", script, "--script", "--state", tmp_path / "s").stdout
    with Engine(path=tmp_path / "s", at=-1) as db:
        assert (db.epoch_number, sorted(db["q"]), db.rules) == (3, [(2,), (3,)], {})


def test_apply_changes_columns(tmp_path: Path) -> None:
    text = ".decl p(x: number, y: number)\n.decl r(x: number)\nr(x) :- p(x, _).\np(1, 2).\n"
    Engine(text, path=tmp_path / "s").close()
    edited = tmp_path / "edited.dl"
    edited.write_text('.decl p(x: number, z: symbol = "none")\n.decl r(x: number)\nr(x) :- p(x, _).\np(5, "a").\n')
    with Engine(path=tmp_path / "s") as db, db.epoch() as e:
        e.insert("p", [(3, 4)])
    state = ("--state", tmp_path / "s")
    assert "TL4662" in run("apply", edited, *state, "--dry-run", code=1).stderr
    dry = run("apply", edited, *state, "--drop-column", "p.y", "--dry-run").stdout
    assert '* p(x: number, y: number) -> p(x: number, z: symbol = "none"): z = "none"; 2 facts' in dry
    run("apply", edited, *state, "--drop-column", "p.y")
    with Engine(path=tmp_path / "s", at=-1) as db:
        assert (sorted(db["p"]), sorted(db["r"]), db.epoch_number) == ([(3, "none"), (5, "a")], [(3,), (5,)], 3)
    assert "nothing to do" in run("apply", edited, *state).stdout


def test_a_backup_is_checked_and_certified(state: Path, tmp_path: Path) -> None:
    with Engine(path=state) as db:  # beside its writer
        result = run("backup", state, tmp_path / "copy")
        with db.epoch() as e:
            e.insert("edge", [(5, 6)])
    assert result.stdout.startswith(f"{tmp_path}/copy: copy of {state} at epoch 3, ".replace("\n", ""))
    assert "certified: " in result.stdout
    with Engine(path=tmp_path / "copy") as copy:
        assert sorted(copy["reach"]) == [(1, 2), (2, 3)]
    assert "certified" not in run("backup", state, tmp_path / "other", "--no-verify").stdout
    assert "TL5115" in run("backup", state, tmp_path / "copy", code=1).stderr
