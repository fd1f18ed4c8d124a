"""clingo: facts are grounded, then rules, and the one stable model is the result.

Law: load (facts into the system) and compute (from facts to the full result inside the system) are timed apart;
fetching the result for comparison is in neither.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import clingo
import numpy as np

from benchmarks.data.graphs import Cells
from benchmarks.data.workloads import Workload
from benchmarks.measure import Duration, now, timed
from benchmarks.outcome import Outcome


def run_clingo(workload: Workload) -> Outcome:
    """Ground the facts, then the rules, and solve; the result is the one stable model."""
    load, compute, atoms = solved(workload)
    return Outcome.of_rows("clingo", load, compute, atoms(workload.view))


def solved(workload: Workload) -> tuple[Duration, Duration, Callable[[str], Cells]]:
    """Both times, and the rows of any relation of the model."""
    control = clingo.Control(["--warn=none"])
    began = now()
    control.add("facts", [], _fact_text(workload))
    control.ground([("facts", [])])
    load = now() - began
    control.add("rules", [], rule_text(workload.rules))
    _, compute = timed(lambda: _ground_and_solve(control))
    return load, compute, lambda view: _atoms(control, view)


def rule_text(rules: str) -> str:
    """The rules in clingo's words.

    >>> rule_text("p(X) :- q(X, Y), !r(X), X != Y.")
    'p(X) :- q(X, Y), not r(X), X != Y.'
    """
    return re.sub(r"!(?!=)", "not ", rules)


def _fact_text(workload: Workload) -> str:
    lines = [f"{name}({','.join(map(str, row))})." for name, rows in workload.facts.items() for row in rows.tolist()]
    return "\n".join(lines)


def _ground_and_solve(control: clingo.Control) -> None:
    control.ground([("rules", [])])
    control.solve()


def _atoms(control: clingo.Control, view: str) -> Cells:
    arity = next(arity for name, arity, _ in control.symbolic_atoms.signatures if name == view)
    found = [[a.number for a in atom.symbol.arguments] for atom in control.symbolic_atoms.by_signature(view, arity)]
    return np.array(found, np.int64).reshape(-1, arity)
