"""`tidelog verify --proved`: the checker extracted from the proofs as a command.

What the checker itself decides is judged in tests/proofs; here it is what surrounds it. A stand-in for the checker
gives the verdicts, so that no proof has to be built; one test builds it.
"""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.proofs.build import MISSING, REASON, Built
from tests.runner import CliRunner
from tidelog import Engine
from tidelog.cli import app
from tidelog.errors import EngineError
from tidelog.verify import proved_checker
from tidelog.verify.proved_checker import find_checker, verify_proved

REACH = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- edge(X, Y), reach(Y, Z). edge(1, 2). edge(2, 1)."


@pytest.fixture
def state(tmp_path: Path) -> Path:
    with Engine(REACH, path=tmp_path / "state"):
        return tmp_path / "state"


def checker(folder: Path, says: str, code: int) -> Path:
    """A program that reads a state and gives one verdict."""
    file = folder / proved_checker.NAME
    file.write_text(f"#!/bin/sh\ncat > /dev/null\necho '{says}'\nexit {code}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


def run(*arguments: object, code: int) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_verdicts_become_lines_exit_codes_and_json(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    checker(tmp_path, "accepted", 0)
    assert run("verify", state, "--proved", code=0).startswith(
        "certified: 6 facts are the least model of 2 core rules (extracted from the proofs, "
    )
    assert json.loads(run("verify", state, "--proved", "--format", "json", code=0))["certified"] is True
    checker(tmp_path, "rejected: fact `reach n:1 n:9` is listed twice", 1)
    assert run("verify", state, "--proved", code=1) == "rejected: fact `reach n:1 n:9` is listed twice\n"


def test_other_options_are_refused(state: Path, tmp_path: Path) -> None:
    assert "TL4821" in run("verify", state, "--proved", "-F", tmp_path, code=1)


def test_checker_that_is_not_there_or_gives_no_verdict_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="was not found"):
        find_checker(tmp_path, "")
    with Engine(REACH) as db, pytest.raises(EngineError, match="did not return a verdict: exit 3"):
        verify_proved(db.state(), checker(tmp_path, "", 3))


def test_rule_that_the_theorem_does_not_cover_is_refused_by_name(tmp_path: Path) -> None:
    with Engine("p(X + 1) :- q(X). q(1).") as db, pytest.raises(EngineError, match="has a function"):
        verify_proved(db.state(), checker(tmp_path, "accepted", 0))


def test_model_of_a_program_with_negation_is_called_perfect(tmp_path: Path) -> None:
    with Engine("p(X) :- q(X), !r(X). q(1).") as db:
        verdict = verify_proved(db.state(), checker(tmp_path, "accepted", 0))
    assert str(verdict).startswith("certified: 2 facts are the perfect model of 1 core rules")


@pytest.mark.long
@pytest.mark.skipif(bool(MISSING), reason=REASON)
def test_extracted_checker_accepts_a_state_after_deletions(tmp_path: Path) -> None:
    built = Built(tmp_path / "proofs")
    built.make()
    with Engine(REACH) as db:
        with db.epoch() as epoch:
            epoch.delete("edge", [(2, 1)])
        assert verify_proved(db.state(), find_checker(built.folder, ""))
