"""clingo: facts are grounded, then rules, and the one stable model is the result.

Law: load (facts into the system) and compute (from facts to the full result inside the system) are timed apart;
fetching the result for comparison is in neither.
"""

from __future__ import annotations

import clingo
import numpy as np

from benchmarks.data.graphs import Cells
from benchmarks.data.workloads import Workload
from benchmarks.measure import now, timed
from benchmarks.outcome import Outcome


def run_clingo(workload: Workload) -> Outcome:
    """Ground the facts, then the rules, and solve; the result is the one stable model."""
    control = clingo.Control(["--warn=none"])
    began = now()
    control.add("facts", [], _fact_text(workload))
    control.ground([("facts", [])])
    load = now() - began
    control.add("rules", [], workload.rules)
    _, compute = timed(lambda: _ground_and_solve(control))
    return Outcome.of_rows("clingo", load, compute, _atoms(control, workload.view))


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
