"""The content of a file of cases, as values.

Law: a case consists of initial facts and steps, each with some epochs of changes and what must hold after them.
Nothing is run here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tidelog.program import Atom
from tidelog.syntax import Epoch

CONTAINS, LACKS, EQUALS, EMPTY, GOLDEN, REFUSED = "contains", "lacks", "equals", "empty", "golden", "refused"
VERBS = (CONTAINS, LACKS, EQUALS, EMPTY, GOLDEN, REFUSED)


@dataclass(frozen=True, slots=True)
class Expectation:
    """One line under ``then:``. ``atoms`` may have `_`; ``name`` is a relation, or what refuses an epoch."""

    verb: str
    line: int
    atoms: tuple[Atom, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """Epochs, and what must hold after the last of them."""

    epochs: tuple[Epoch, ...] = ()
    then: tuple[Expectation, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a file."""

    name: str
    line: int
    given: tuple[Atom, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class CaseFile:
    """The cases of a file, the program that they test, and perhaps a folder of facts and a file of functions."""

    path: Path
    program: Path
    cases: tuple[Case, ...]
    facts: Path | None = None
    functions: Path | None = None
