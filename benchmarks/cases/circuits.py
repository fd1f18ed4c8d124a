"""Circuits under change: load, small and large updates, indexes, memory and rule churn, beside the engine.

Law: every cell is a separate process, so that peak memory is that of one system on one workload. Each protocol loads
a part of the data, inserts the rest and deletes it again; all systems must agree on the number of facts after each
step. A system that is not installed is left out by name. Under *growth* (Figure 4 of the DYRE paper) more and more of
the data is loaded, each part in a separate process; a system continues as long as one load takes less than a limit.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

from benchmarks.apart import call_apart, peak
from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.circuits import Facts, dense, owl, rdfs, sparse
from benchmarks.measure import timed
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.peers.circuits import SYSTEMS, CircuitRunner, Runner, is_installed
from benchmarks.record import Record, Value
from tidelog.program import Rule

LARGE, SMALL = ("indexed", "chained", "engine"), ("indexed", "chained", "not-indexed", "engine", "pydbsp")
LARGEST = ("indexed", "engine")
UPDATES = ("1 %", "50 %")
PERCENTAGES = (1, 5, 10, 25, 50, 75, 100)
ENOUGH, GIVEN_UP = 15.0, 90.0
"""Seconds of one load after which a system is not given more, and after which it is stopped."""
QUICK_TRIPLES, SMALL_TRIPLES = 1_500, 1_500
Made = tuple[list[Rule], Facts]
Sizes = Mapping[str, Any]
MAKERS: Mapping[str, Callable[[Sizes], Made]] = {
    "lubm-rdfs": lambda sizes: rdfs(Path(sizes["data"]), sizes["triples"]),
    "lubm-owl-rl": lambda sizes: owl(Path(sizes["data"]), sizes["triples"]),
    "closure-dense": lambda sizes: dense(sizes["nodes"]),
    "closure-sparse": lambda sizes: sparse(sizes["nodes"]),
    "small-rdfs": lambda sizes: rdfs(Path(sizes["data"]), SMALL_TRIPLES),
    "small-closure": lambda sizes: dense(sizes["small_nodes"]),
}


# protocols: what is measured, in a separate process


def update_protocol(runner: Runner, rules: list[Rule], facts: Facts, percent: int) -> dict[str, Any]:
    """Load all but a share in percent, insert it, delete it again."""
    chosen = set(random.Random(percent).sample(range(len(facts)), max(1, len(facts) * percent // 100)))
    kept = [fact for number, fact in enumerate(facts) if number not in chosen]
    rest = [facts[number] for number in sorted(chosen)]
    steps = (
        (f"load {100 - percent} %", lambda: runner.load(rules, kept)),
        (f"+{percent} %", lambda: runner.change(rest, 1)),
        (f"-{percent} %", lambda: runner.change(rest, -1)),
    )
    seconds, sizes = {}, {}
    for name, action in steps:
        seconds[name] = seconds_of(action)
        sizes[name] = runner.size()
    return {"seconds": seconds, "facts": sizes}


def churn_protocol(runner: Runner, rules: list[Rule], facts: Facts, _: int) -> dict[str, Any]:
    """Load everything; then remove each rule and add it back."""
    load = seconds_of(lambda: runner.load(rules, facts))
    size, removed, added = runner.size(), [], []
    for number in range(len(rules)):
        removed.append(seconds_of(lambda number=number: runner.remove_rule(number)))  # type: ignore[misc]  # bound now
        added.append(seconds_of(lambda number=number: runner.add_rule(number)))  # type: ignore[misc]  # bound now
    seconds = {"load (recomputation)": load}
    for name, times in (("remove", removed), ("add", added)):
        seconds |= {f"{name}: median": statistics.median(times), f"{name}: worst": max(times)}
    return {"seconds": seconds, "facts": {"loaded": size, "afterwards": runner.size()}}


def seconds_of(action: Callable[[], None]) -> float:
    """Processor time of the process, which includes allocating and freeing memory."""
    return timed(action)[1].cpu


def load_protocol(runner: Runner, rules: list[Rule], facts: Facts, percent: int) -> dict[str, Any]:
    """Load the first share of the data in percent, in a separate order."""
    some = random.Random(7).sample(facts, max(1, len(facts) * percent // 100))
    return {"seconds": {"load": seconds_of(lambda: runner.load(rules, some))}, "facts": {"loaded": runner.size()}}


PROTOCOLS = {"1 %": (update_protocol, 1), "50 %": (update_protocol, 50), "churn": (churn_protocol, 0)}
PROTOCOLS |= {f"first {percent} %": (load_protocol, percent) for percent in PERCENTAGES}


def run_cell(workload: str, system: str, protocol: str, sizes: Sizes) -> dict[str, Any]:
    """One system on one workload: seconds and facts of every step, and memory in MiB."""
    rules, facts = MAKERS[workload](sizes)
    runner = SYSTEMS[system][0]()
    before = peak() >> 20
    function, percent = PROTOCOLS[protocol]
    result = function(runner, rules, facts, percent)
    result |= {"indexes": runner.indexes()} if isinstance(runner, CircuitRunner) else {}
    return result | {"peak": peak() >> 20, "before": before, "rules": len(rules), "rows": len(facts)}


# the cases


def cells(workload: str, systems: tuple[str, ...], protocols: tuple[str, ...], options: Options) -> Iterator[Record]:
    """All systems under all protocols."""
    absent = tuple(f"{system} is not installed" for system in systems if not is_installed(system))
    for protocol in protocols:
        present = [system for system in systems if is_installed(system)]
        found = {system: _apart(workload, system, protocol, sizes_of(options)) for system in present}
        must_agree(found, f"{workload}, {protocol}")
        for system, cell in found.items():
            yield _record(workload, system, protocol, cell, absent)


def growth(workload: str, options: Options) -> Iterator[Record]:
    """All systems on more and more of the data, as far as each goes."""
    absent = tuple(f"{system} is not installed" for system in SMALL if not is_installed(system))
    counts: dict[int, set[int]] = {}
    for system in filter(is_installed, SMALL):
        values: list[Value] = []
        for percent in PERCENTAGES:
            try:
                cell = _apart(workload, system, f"first {percent} %", sizes_of(options), limit=GIVEN_UP)
            except TimeoutExpired:
                absent = (*absent, f"{system} was aborted at {percent} %, after {GIVEN_UP:.0f} s")
                break
            counts.setdefault(percent, set()).add(cell["facts"]["loaded"])
            if len(counts[percent]) > 1:
                raise Disagreement(f"{workload}, first {percent} %: the systems disagree on the number of facts")
            values.append(Value(f"{percent} %", cell["seconds"]["load"], "s", "cpu"))
            values.append(Value(f"memory of {percent} %", cell["peak"] - cell["before"], "MiB"))
            if cell["seconds"]["load"] > ENOUGH:
                break
        facts = {"workload": workload, "system": system, "rules": cell["rules"], "rows": cell["rows"]}
        yield Record("growth", f"{workload}, {system}", tuple(values), {**facts, "enough": ENOUGH}, absent)


def sizes_of(options: Options) -> dict[str, Any]:
    """What the makers of workloads need to know."""
    return {
        "data": None if options.data is None else str(options.data.resolve()),
        "triples": QUICK_TRIPLES if options.quick else None,
        "nodes": options.chosen("nodes", 1_000, 30),
        "small_nodes": options.chosen("small_nodes", 24, 8),
    }


def _apart(workload: str, system: str, protocol: str, sizes: Sizes, limit: float | None = None) -> dict[str, Any]:
    named = {"workload": workload, "system": system, "protocol": protocol, "sizes": sizes}
    cell: dict[str, Any] = call_apart("benchmarks.cases.circuits:run_cell", limit, **named)
    return cell


def must_agree(found: Mapping[str, Mapping[str, Any]], title: str) -> None:
    """Refuse numbers of facts that differ."""
    counts = {system: list(cell["facts"].values()) for system, cell in found.items()}
    if len(set(map(tuple, counts.values()))) > 1:
        raise Disagreement(f"{title}: the systems disagree on the number of facts: {counts}")


def _record(workload: str, system: str, protocol: str, cell: Mapping[str, Any], notes: tuple[str, ...]) -> Record:
    times = (Value(step, seconds, "s", "cpu") for step, seconds in cell["seconds"].items())
    memory = Value("peak", cell["peak"], "MiB"), Value("data", cell["peak"] - cell["before"], "MiB")
    facts = {
        "workload": workload,
        "protocol": protocol,
        "system": system,
        "steps": list(cell["seconds"]),
        "rules": cell["rules"],
        "rows": cell["rows"],
        "facts": list(cell["facts"].values()),
        "indexes": cell.get("indexes"),
    }
    return Record("cell", f"{workload}, {protocol}, {system}", (*times, *memory), facts, notes)


def _case(line: str, workload: str, systems: tuple[str, ...], *, churn: bool = False, needs: str | None = None) -> Case:
    protocols = (*UPDATES, "churn") if churn else UPDATES
    return Case(line, partial(cells, workload, systems, protocols), needs)


GROUP = Group(
    {
        "lubm-rdfs": _case("LUBM-1 under RDFS", "lubm-rdfs", LARGE, needs="data"),
        "lubm-owl-rl": _case("LUBM-1 under OWL RL, and rules that go and come", "lubm-owl-rl", LARGE, churn=True,
                             needs="data"),
        "closure-dense": _case("closure of a random graph", "closure-dense", LARGEST),
        "closure-sparse": _case("closure of an R-MAT graph", "closure-sparse", LARGEST),
        **{
            f"growth-{name}": Case(f"{line}, more and more of it, all systems", partial(growth, name), needs)
            for name, line, needs in (
                ("lubm-rdfs", "LUBM-1 under RDFS", "data"),
                ("lubm-owl-rl", "LUBM-1 under OWL RL", "data"),
                ("closure-dense", "closure of a random graph", None),
                ("closure-sparse", "closure of an R-MAT graph", None),
            )
        },
        "small-rdfs": _case("a part of LUBM-1, all systems", "small-rdfs", SMALL, needs="data"),
        "small-closure": _case("a small closure, all systems", "small-closure", SMALL),
    }
)  # fmt: skip
