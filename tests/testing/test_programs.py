"""The programs in ``programs/``: read, checked and evaluated, they give the relations in their folders.

The expected files are the answers of `answers`, which knows no Datalog; a test keeps the two equal.
"""

from collections import defaultdict
from pathlib import Path

import pytest

from tidelog.errors import DataError
from tidelog.program import Directive
from tidelog.syntax import parse_file
from tidelog.testing.programs import find_programs, load_program, read_rows, write_rows

from .answers import ANSWERS

ROOT = Path(__file__).parents[2] / "programs"
PROGRAMS = {f"{path.parent.name}/{path.stem}": path for path in find_programs(ROOT)}


@pytest.fixture(scope="module", params=sorted(PROGRAMS))
def case(request):
    return load_program(PROGRAMS[request.param])


def name_of(case):
    return f"{case.path.parent.name}/{case.path.stem}"


def facts_of(state):
    return defaultdict(frozenset, state.relations())


def final_state(case):
    state = case.start
    for epoch in case.epochs:
        state = state.after(epoch)
    return state


def only(relations, model):
    return {name: model[name] for name in relations}


def test_every_program_has_an_answer_found_another_way():
    assert set(PROGRAMS) == set(ANSWERS)
    assert len(PROGRAMS) >= 14


def test_model_is_the_expected_one(case):
    assert case.expected
    assert only(case.expected, case.start.model()) == case.expected


def test_model_after_the_changes_is_the_expected_one(case):
    assert bool(case.epochs) == bool(case.expected_after)
    state = final_state(case)
    assert only(case.expected_after, state.model()) == case.expected_after


def test_expected_files_are_the_answers_found_another_way(case):
    answer = ANSWERS[name_of(case)]
    assert case.expected == answer(facts_of(case.start), False)
    if case.epochs:
        assert case.expected_after == answer(facts_of(final_state(case)), True)
        assert case.expected_after != case.expected


def test_files_and_directives_name_the_same_relations(case):
    directives = [d for d in parse_file(case.path).directives if isinstance(d, Directive)]
    folder = case.path.with_suffix("")
    assert {d.relation for d in directives if d.kind == "input"} == {path.stem for path in folder.glob("*.facts")}
    assert {d.relation for d in directives if d.kind == "output"} == set(case.expected)
    assert "Expected: " in case.path.read_text("utf-8")


def test_both_conventions_and_all_sizes_occur():
    conventions = {parse_file(path).convention for path in PROGRAMS.values()}
    assert conventions == {"souffle", "prolog"}
    sizes = [len(path.read_text("utf-8").splitlines()) for path in PROGRAMS.values()]
    assert min(sizes) <= 15
    assert max(sizes) >= 100


def test_rows_are_read_as_they_were_written(tmp_path):
    rows = {("a b", 1, 0.1, ("x", 2)), ("", -3, 2.0, ())}
    write_rows(tmp_path / "r.csv", rows)
    assert set(read_rows(tmp_path / "r.csv", ("symbol", "number", "float", "list"))) == rows
    write_rows(tmp_path / "n.csv", [()])
    assert read_rows(tmp_path / "n.csv", ()) == [()]
    with pytest.raises(DataError, match="4 columns, 1 expected"):
        read_rows(tmp_path / "r.csv", ("symbol",))
