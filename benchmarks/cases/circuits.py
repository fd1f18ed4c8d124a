"""Circuits under change: load, small and large updates, indexes, memory and rule churn, beside the engine.

    python benchmarks/circuits.py --lubm lubm1.tsv.gz            # everything, a table on the screen
    python benchmarks/circuits.py --only closure-dense --nodes 200
    python benchmarks/circuits.py --lubm lubm1.tsv.gz --write    # also benchmarks/results/circuits.md

Every cell is a process of its own, so that peak memory is that of one system on one workload. Each protocol loads a
part of the data, inserts the rest and deletes it again; all systems must agree on the number of facts after each step.
Data sets are given by path; what is absent is skipped by name, as is a system that is not installed.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import importlib.metadata
import importlib.util
import json
import platform
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from tidelog.dbsp import DatalogCircuit, IncrementalCircuit, IndexedCircuit
from tidelog.program import Atom, Const, Program, Rule, Var
from tidelog.syntax import parse_program, print_program, print_rule

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "circuits.md"
RDF, RDFS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#"
RDFS_RULES = """
t(Y, "{type}", X) :- t(A, "{domain}", X), t(Y, A, Z).
t(Z, "{type}", X) :- t(A, "{range}", X), t(Y, A, Z).
t(X, "{subPropertyOf}", Z) :- t(X, "{subPropertyOf}", Y), t(Y, "{subPropertyOf}", Z).
t(X, "{subClassOf}", Z) :- t(X, "{subClassOf}", Y), t(Y, "{subClassOf}", Z).
t(Z, "{type}", Y) :- t(X, "{subClassOf}", Y), t(Z, "{type}", X).
t(X, B, Y) :- t(A, "{subPropertyOf}", B), t(X, A, Y).
"""
CLOSURE_RULES = "reach(X, Y) :- edge(X, Y).  reach(X, Z) :- edge(X, Y), reach(Y, Z)."
Facts = list[tuple[str, tuple[Any, ...]]]


# workloads: rules and facts


def rdfs(options: argparse.Namespace, triples: int | None = None) -> tuple[list[Rule], Facts]:
    names = {name: f"<{RDFS}{name}>" for name in ("domain", "range", "subPropertyOf", "subClassOf")}
    rules = parse_program(RDFS_RULES.format(type=f"<{RDF}type>", **names)).rules
    return list(rules), [("t", triple) for triple in read_triples(options.lubm)[:triples]]


def owl(options: argparse.Namespace) -> tuple[list[Rule], Facts]:
    sys.path.insert(0, str(HERE.parent / "examples"))
    translator = importlib.import_module("owl_rl")
    triples = read_triples(options.lubm)
    facts = [(name, row) for name, rows in translator.to_facts(triples).items() for row in sorted(rows)]
    return translator.to_rules(triples), facts


def dense(nodes: int) -> tuple[list[Rule], Facts]:
    """Every pair is an edge with the chance that gives each node ten: one in a hundred at the paper's 1,000 nodes."""
    rng, chance = random.Random(1), 10 / nodes
    return closure((x, y) for x in range(nodes) for y in range(nodes) if rng.random() < chance)


def sparse(nodes: int) -> tuple[list[Rule], Facts]:
    """R-MAT: ten edges per node, most of them at few nodes (quadrants 0.57, 0.19, 0.19, 0.05)."""
    rng, bits = random.Random(2), max(1, (nodes - 1).bit_length())
    edges: set[tuple[int, int]] = set()
    while len(edges) < min(10 * nodes, nodes * nodes // 4):
        x = y = 0
        for _ in range(bits):
            right, down = rng.choices(((0, 0), (1, 0), (0, 1), (1, 1)), (57, 19, 19, 5))[0]
            x, y = 2 * x + right, 2 * y + down
        edges.add((x, y))
    return closure(sorted(edges))


def closure(edges: Iterable[tuple[int, int]]) -> tuple[list[Rule], Facts]:
    return list(parse_program(CLOSURE_RULES).rules), [("edge", edge) for edge in edges]


def read_triples(path: Path) -> list[tuple[str, ...]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        return [tuple(line.rstrip("\n").split("\t")) for line in lines]


LARGE, SMALL = ("indexed", "engine"), ("indexed", "not-indexed", "engine", "pydbsp")
WORKLOADS: dict[str, tuple[Callable[[argparse.Namespace], tuple[list[Rule], Facts]], tuple[str, ...], bool]] = {
    "lubm-rdfs": (rdfs, LARGE, True),
    "lubm-owl-rl": (owl, LARGE, True),
    "closure-dense": (lambda options: dense(options.nodes), LARGE, False),
    "closure-sparse": (lambda options: sparse(options.nodes), LARGE, False),
    "small-rdfs": (lambda options: rdfs(options, 1500), SMALL, True),
    "small-closure": (lambda options: dense(options.small_nodes), SMALL, False),
}
"""Name: how to make it, which systems run it, whether it needs the LUBM triples."""


# systems: what a protocol asks of each


class Runner(Protocol):
    """A system that keeps the facts of rules under change."""

    def load(self, rules: list[Rule], facts: Facts) -> None: ...
    def change(self, facts: Facts, sign: int) -> None: ...
    def remove_rule(self, number: int) -> None: ...
    def add_rule(self, number: int) -> None: ...
    def size(self) -> int: ...


def by_relation(facts: Facts) -> dict[str, list[tuple[Any, ...]]]:
    grouped: dict[str, list[tuple[Any, ...]]] = {}
    for relation, row in facts:
        grouped.setdefault(relation, []).append(row)
    return grouped


class CircuitRunner:
    """One of the incremental circuits of ``tidelog.dbsp``."""

    def __init__(self, circuit: Callable[[], IncrementalCircuit]) -> None:
        self._circuit = circuit()

    def load(self, rules: list[Rule], facts: Facts) -> None:
        self._rules = [Rule(rule.head, rule.body, f"rule{number}") for number, rule in enumerate(rules)]
        self._db = DatalogCircuit(Program(tuple(self._rules)), by_relation(facts), self._circuit)

    def change(self, facts: Facts, sign: int) -> None:
        rows = by_relation(facts)
        self._db.epoch(insert=rows if sign > 0 else {}, delete=rows if sign < 0 else {})

    def remove_rule(self, number: int) -> None:
        self._db.epoch(remove=(f"rule{number}",))

    def add_rule(self, number: int) -> None:
        self._db.epoch(add=(self._rules[number],))

    def size(self) -> int:
        return len(self._circuit.state())


class EngineRunner:
    """Tidelog's engine, embedded; its kernel is compiled before the clock starts."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        with self._engine("warm(X, Y) :- up(X, Z), warm(Z, Y).") as db, db.epoch() as epoch:
            epoch.insert("up", [(1, 2)])

    def load(self, rules: list[Rule], facts: Facts) -> None:
        labelled = [Rule(rule.head, rule.body, f"rule{number}") for number, rule in enumerate(rules)]
        self._texts = [print_rule(rule) for rule in rules]
        self._db = self._engine(print_program(Program(tuple(labelled))))
        self.change(facts, 1)

    def change(self, facts: Facts, sign: int) -> None:
        with self._db.epoch() as epoch:
            for relation, rows in by_relation(facts).items():
                (epoch.insert if sign > 0 else epoch.delete)(relation, rows)

    def remove_rule(self, number: int) -> None:
        with self._db.epoch() as epoch:
            epoch.remove_rule(f"rule{number}")

    def add_rule(self, number: int) -> None:
        with self._db.epoch() as epoch:
            epoch.add_rule(self._texts[number], f"rule{number}")

    def size(self) -> int:
        return sum(len(self._db[relation]) for relation in self._db.relations)


def engine_runner() -> Runner:
    """The engine's column; imported here, so that circuits can be measured where the engine is not built."""
    return EngineRunner(importlib.import_module("tidelog").Engine)


class PydbspRunner:
    """The interpreter of the pydbsp package, version 2; its variables are texts that begin with a question mark."""

    def __init__(self) -> None:
        self._zset = importlib.import_module("pydbsp.zset").ZSet
        self._driver = importlib.import_module("pydbsp.datalog_stratified").IncrementalDatalogStratified()

    def load(self, rules: list[Rule], facts: Facts) -> None:
        self._rules = [tuple(map(self._atom, (rule.head, *rule.body))) for rule in rules]
        self._driver.push_rules(self._zset(dict.fromkeys(self._rules, 1)))
        self.change(facts, 1)

    def _atom(self, atom: Any) -> tuple[str, tuple[Any, ...]]:
        assert isinstance(atom, Atom)
        terms = (f"?{t.name}" if isinstance(t, Var) else t.value for t in atom.args if isinstance(t, Var | Const))
        return atom.predicate, tuple(terms)

    def change(self, facts: Facts, sign: int) -> None:
        self._driver.push_facts(self._zset(dict.fromkeys(facts, sign)))
        self._state = self._driver.saturate()

    def remove_rule(self, number: int) -> None:
        self._turn(number, -1)

    def add_rule(self, number: int) -> None:
        self._turn(number, 1)

    def _turn(self, number: int, sign: int) -> None:
        self._driver.push_rules(self._zset({self._rules[number]: sign}))
        self._state = self._driver.saturate()

    def size(self) -> int:
        return len(self._state.inner)


SYSTEMS: dict[str, tuple[Callable[[], Runner], str]] = {
    "indexed": (lambda: CircuitRunner(IndexedCircuit), "tidelog"),
    "not-indexed": (lambda: CircuitRunner(IncrementalCircuit), "tidelog"),
    "engine": (engine_runner, "tidelog.engine"),
    "pydbsp": (PydbspRunner, "pydbsp.datalog_stratified"),
}
"""Name: how to make it, which module must be there."""


def is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


# protocols: what is measured, in a process of its own


def measured(action: Callable[[], None]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def update_protocol(runner: Runner, rules: list[Rule], facts: Facts, percent: int) -> dict[str, Any]:
    """Load all but so many percent, insert them, delete them again."""
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
        seconds[name] = measured(action)
        sizes[name] = runner.size()
    return {"seconds": seconds, "facts": sizes}


def churn_protocol(runner: Runner, rules: list[Rule], facts: Facts, _: int) -> dict[str, Any]:
    """Load everything; then remove each rule and add it back."""
    load = measured(lambda: runner.load(rules, facts))
    size, removed, added = runner.size(), [], []
    for number in range(len(rules)):
        removed.append(measured(lambda number=number: runner.remove_rule(number)))  # type: ignore[misc]  # bound now
        added.append(measured(lambda number=number: runner.add_rule(number)))  # type: ignore[misc]  # bound now
    seconds = {"load (recomputation)": load}
    for name, times in (("remove", removed), ("add", added)):
        seconds |= {f"{name}: median": statistics.median(times), f"{name}: worst": max(times)}
    return {"seconds": seconds, "facts": {"loaded": size, "afterwards": runner.size()}}


PROTOCOLS = {"1 %": (update_protocol, 1), "50 %": (update_protocol, 50), "churn": (churn_protocol, 0)}


def run_cell(workload: str, system: str, protocol: str, options: argparse.Namespace) -> dict[str, Any]:
    rules, facts = WORKLOADS[workload][0](options)
    runner = SYSTEMS[system][0]()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    function, percent = PROTOCOLS[protocol]
    result = function(runner, rules, facts, percent)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return result | {"peak": peak // 1024, "before": before // 1024, "rules": len(rules), "rows": len(facts)}


def spawn_cell(workload: str, system: str, protocol: str) -> dict[str, Any] | None:
    command = [sys.executable, __file__, *sys.argv[1:], "--cell", workload, system, protocol]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{workload}, {system}, {protocol}: failed\n{done.stderr}", file=sys.stderr)
        return None
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


# the report


def report(options: argparse.Namespace, say: Callable[[str], None]) -> bool:
    """Runs every cell and tells it; False if systems disagree or a cell failed."""
    good = True
    say(
        f"Python {platform.python_version()}, {platform.machine()}; seconds; peak memory in MiB of the whole process.\n"
    )
    for workload, (_, systems, needs_lubm) in WORKLOADS.items():
        if options.only and workload not in options.only:
            continue
        if needs_lubm and options.lubm is None:
            say(f"\n## {workload}\n\nskipped: no --lubm path was given\n")
            continue
        for protocol in PROTOCOLS if workload == "lubm-owl-rl" else ("1 %", "50 %"):
            good &= tell_cells(workload, protocol, systems, say)
    return good


def tell_cells(workload: str, protocol: str, systems: tuple[str, ...], say: Callable[[str], None]) -> bool:
    absent = [system for system in systems if not is_installed(SYSTEMS[system][1])]
    cells = {system: spawn_cell(workload, system, protocol) for system in systems if system not in absent}
    results = {system: cell for system, cell in cells.items() if cell is not None}
    say(f"\n## {workload}, {protocol}\n")
    for system in absent:
        say(f"skipped: {system} is not installed\n")
    if not results:
        return False
    shape = next(iter(results.values()))
    say(f"{shape['rules']} rules, {shape['rows']:,} facts given.\n")
    columns = list(shape["seconds"])
    say("| system | " + " | ".join(columns) + " | facts after each step | peak MiB | of it data |")
    say("|---|" + "---:|" * (len(columns) + 3))
    for system, cell in results.items():
        times = " | ".join(f"{cell['seconds'][column]:.4f}" for column in columns)
        sizes = ", ".join(f"{size:,}" for size in cell["facts"].values())
        say(f"| {system} | {times} | {sizes} | {cell['peak']} | {cell['peak'] - cell['before']} |")
    if len({tuple(cell["facts"].values()) for cell in results.values()}) > 1:
        say("\nThe systems DISAGREE on the number of facts.")
        return False
    return len(results) == len(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lubm", type=Path, help="triples: subject, predicate, object, tab-separated, plain or .gz")
    parser.add_argument("--nodes", type=int, default=200, help="nodes of the closure graphs (the paper has 1000)")
    parser.add_argument("--small-nodes", type=int, default=24, help="nodes of the graph that all systems run")
    parser.add_argument("--only", nargs="+", choices=WORKLOADS, help="run these workloads only")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.relative_to(HERE.parent)} too")
    parser.add_argument("--cell", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.lubm is not None and not options.lubm.exists():
        print(f"skipped: {options.lubm} does not exist, so no LUBM workload is run", file=sys.stderr)
        options.lubm = None
    if options.cell:
        workload, system, protocol = options.cell
        print(json.dumps(run_cell(workload, system, protocol, options)))
        return
    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    good = report(options, say)
    if options.write:
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text("# Circuits\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
