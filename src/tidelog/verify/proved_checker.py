"""The checker that is extracted from the proofs, run on a state.

Law: a state that it accepts has exactly the facts of the perfect model of its core rules over its base facts, by the
theorem `check_perfect_model` (docs/design/proofs.md). Nothing is decided here: the state is written as text, and the
verdict is read. Rules that the theorem does not cover are refused by name.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from tidelog.program import Negation
from tidelog.program.values.state import EngineState
from tidelog.verify import verify_failures as failures
from tidelog.verify.core_text import export_core

NAME = "tidelog-check-core"
BUILD = Path(__file__).parents[3] / "proofs" / "build"  # of a clone
ACCEPTED, REJECTED = "accepted", "rejected: "


@dataclass(frozen=True, slots=True)
class ProvedVerdict:
    """Whether the extracted checker accepts a state; if not, why."""

    accepted: bool
    violation: str
    facts: int
    rules: int
    model: str  # "least", or "perfect" if rules have negated atoms
    seconds: float

    def __bool__(self) -> bool:
        return self.accepted

    def __str__(self) -> str:
        if not self.accepted:
            return f"{REJECTED}{self.violation}"
        return (
            f"certified: {self.facts:,} facts are the {self.model} model of {self.rules:,} core rules "
            f"(extracted from the proofs, {self.seconds:.2f} s)"
        )


def find_checker(build: Path = BUILD, path: str | None = None) -> Path:
    """Find the checker: on the search path for programs (``path``), or where `make -C proofs` puts it in a clone."""
    found = shutil.which(NAME, path=path) or shutil.which(build / NAME)
    if found is None:
        raise failures.NO_CHECKER.error(name=NAME)
    return Path(found)


def verify_proved(state: EngineState, checker: Path) -> ProvedVerdict:
    """The verdict of the extracted checker on a state."""
    text = export_core(state)
    began = time.perf_counter()
    done = subprocess.run([checker], input=text, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - began
    verdict = done.stdout.strip()
    if verdict != ACCEPTED and not verdict.startswith(REJECTED):
        raise failures.CHECKER_FAILED.error(checker=checker, reason=done.stderr.strip() or f"exit {done.returncode}")
    facts = sum(map(len, state.facts.values()))
    negated = any(isinstance(literal, Negation) for rule in state.rules for literal in rule.body)
    model = "perfect" if negated else "least"
    return ProvedVerdict(verdict == ACCEPTED, verdict.removeprefix(REJECTED), facts, len(state.rules), model, seconds)
