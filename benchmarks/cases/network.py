"""Messages and bytes per algorithm when a link fails and comes back: a table and a plot by one command.

    python -m benchmarks.network [--topologies FOLDER] [--replay FILE] [--limit N] [--out FOLDER]

Without files the networks are the papers' figure (directed, and both ways) and small rings. ``--topologies`` names a
folder of ``*.tsv`` files, one undirected link per line; ``--replay`` a file of changes (month, sign, ends), replayed
month by month from an empty network. Files that are not there are skipped by name.

Two programs are compared. *Reachability* is cyclic: algorithms that count derivations or carry sets of facts explode or
never end on a cycle, which the limit turns into a cell ``> N``. *Path vector* carries the path and selects the least
cost with ``a_MIN`` inside the recursion, as routers do, so that all algorithms end. A cell with ``!`` ended in a wrong
state; ``-`` was refused; ``?`` follows an epoch that did not end. The numbers tell nothing of time or lost messages.
"""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.errors import DataError
from tidelog.program import Program
from tidelog.semantics.algorithm import Tables
from tidelog.semantics.fact import Fact
from tidelog.semantics.schedule import Fifo
from tidelog.semantics.traffic import (
    FIGURE,
    FIGURE_BOTH_WAYS,
    FIGURE_LINK,
    Cost,
    Line,
    Topology,
    algorithm_by_name,
    compare,
    localised,
    measure,
    read_changes,
    read_topology,
    ring,
    table_text,
)
from tidelog.semantics.traffic.measure import USUAL_SIZE
from tidelog.syntax import parse_program

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REACHABILITY = """
r1: reachable(@S,D) :- link(@S,D).
r2: reachable(@S,D) :- link(@S,Z), reachable(@Z,D).
"""
PATH_VECTOR = """
b1: path(@S,D,P,C) :- link(@S,D,C), P = f_init(S,D).
b2: path(@S,D,P,C) :- link(@S,Z,C1), best(@Z,D,P2,C2), C = C1 + C2, P = f_concat(S,P2), f_inPath(P2,S) = false.
b3: least(@S,D,a_MIN<C>) :- path(@S,D,_,C).
b4: best(@S,D,P,C) :- least(@S,D,C), path(@S,D,P,C).
"""
ON_CYCLES = ("ranked", "heights", "dred", "base-facts", "psn-extended", "psn")
SELECTING = ("ranked", "dred", "base-facts", "psn-extended", "psn")
REPLAYED = ("ranked", "psn", "dred")
BUILT_IN = (FIGURE, FIGURE_BOTH_WAYS, ring(4), ring(6))
MEASURES = ("messages", "bytes")
Section = tuple[str, Sequence[str], list[Line]]
Replay = dict[str, list[tuple[str, Cost]]]
COLOURS = {
    "ranked": "tab:blue",
    "heights": "tab:cyan",
    "dred": "tab:orange",
    "base-facts": "tab:purple",
    "psn-extended": "tab:red",
    "psn": "tab:green",
}
JUDGED_UP_TO = 12
"""Networks with more nodes are judged by hop distances, since evaluation from scratch would take too long."""


def main() -> None:
    """Read the command line, measure, print and save."""
    options = _options()
    topologies = [*BUILT_IN, *_files(options.topologies, options.largest)]
    sections = [
        ("Reachability", *_section(REACHABILITY, topologies, ON_CYCLES, options.limit, cost=False)),
        ("Path vector with a_MIN", *_section(PATH_VECTOR, topologies, SELECTING, options.limit, cost=True)),
    ]
    options.out.mkdir(parents=True, exist_ok=True)
    text = _report(sections, options.limit)
    months = _replayed(options.replay, options.limit)
    text += _replay_report(months)
    (options.out / "network.md").write_text(text, encoding="utf-8")
    _plot(sections, months, options.out / "network.png")
    print(text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.network", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--topologies", type=Path, help="folder of *.tsv files with one link per line")
    parser.add_argument("--replay", type=Path, help="file of changes: month, sign, ends")
    parser.add_argument("--largest", type=int, default=1000, help="leave out networks with more nodes")
    parser.add_argument("--limit", type=int, default=20_000, help="messages per epoch after which a cell says > N")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"), help="folder for table and plot")
    return parser.parse_args()


def _files(folder: Path | None, largest: int) -> list[Topology]:
    """The topologies of a folder, small ones first; what cannot be used is named."""
    if folder is None or not folder.is_dir():
        print(f"skipped: real networks ({'no --topologies' if folder is None else f'{folder} is absent'})")
        return []
    found: list[Topology] = []
    for path in sorted(folder.glob("*.tsv")):
        try:
            found.append(read_topology(path))
        except DataError as error:
            print(f"skipped: {path.name} is not a file of links ({error})")
    for topology in found:
        if len(topology.nodes) > largest:
            print(f"skipped: {topology.name} has {len(topology.nodes)} nodes, more than --largest {largest}")
    return sorted((t for t in found if len(t.nodes) <= largest), key=lambda t: len(t.nodes))


def _section(
    text: str, topologies: Iterable[Topology], algorithms: Sequence[str], limit: int, *, cost: bool
) -> tuple[Sequence[str], list[Line]]:
    program = localised(parse_program(text))
    lines: list[Line] = []
    for topology in topologies:
        link = FIGURE_LINK if topology in (FIGURE, FIGURE_BOTH_WAYS) else min(topology.links - topology.bridges())
        judge = hop_distances if cost and len(topology.nodes) > JUDGED_UP_TO else None
        lines += compare(program, topology, link, algorithms, limit=limit, cost=cost, judge=judge)
        print(f"measured {topology.name}", flush=True)
    return algorithms, lines


def hop_distances(base: frozenset[Fact], tables: Tables) -> bool:
    """Whether the least costs are the distances that breadth-first search finds; every link costs one."""
    near: dict[object, set[object]] = {}
    for _, (source, target, _cost) in base:
        near.setdefault(source, set()).add(target)
    found = {row for relations in tables.values() for row in relations.get("least", ())}
    return found == {(source, d, c) for source in near for d, c in _search(near, source).items() if d != source}


def _search(near: dict[object, set[object]], source: object) -> dict[object, int]:
    distance, todo = {source: 0}, deque([source])
    while todo:
        here = todo.popleft()
        for node in near.get(here, set()) - distance.keys():
            distance[node] = distance[here] + 1
            todo.append(node)
    return distance


def _replayed(file: Path | None, limit: int) -> Replay:
    """Per algorithm the cost of every month, up to the month that does not end."""
    if file is None or not file.exists():
        print(f"skipped: replay ({'no --replay' if file is None else f'{file} is absent'})")
        return {}
    program: Program = localised(parse_program(PATH_VECTOR))
    months = read_changes(file, cost=True)
    series: Replay = {}
    for name in REPLAYED:
        costs = measure(algorithm_by_name(name), Fifo(), program, (), months.values(), limit, hop_distances)
        series[name] = list(zip(months, costs[1:], strict=False))
        print(f"replayed {file.stem} with {name}", flush=True)
    return series


def _report(sections: Iterable[Section], limit: int) -> str:
    parts = [
        "# A link fails and comes back\n\n"
        f"Schedule fifo. An epoch is stopped after {limit} messages, or {USUAL_SIZE} bytes for each of those, "
        "or ten updates for each: its cell says `> N`, and `?` follows. `!` ended in a wrong state.\n"
        "States are compared with evaluation from scratch; those of the path vector on networks of more than "
        f"{JUDGED_UP_TO} nodes by their least costs only, with breadth-first search.\n"
    ]
    for title, algorithms, lines in sections:
        for measured in MEASURES:
            parts.append(f"\n## {title}: {measured}\n\n{table_text(lines, algorithms, measured)}\n")
    return "".join(parts)


def _replay_report(series: Replay) -> str:
    if not series:
        return ""
    head = "\n## Replay: path vector with a_MIN, month by month from an empty network\n\n"
    head += "| algorithm | months | from | to | messages | bytes | stopped |\n"
    return head + "| --- | ---: | --- | --- | ---: | ---: | --- |\n" + "".join(map(_replay_line, series.items()))


def _replay_line(item: tuple[str, list[tuple[str, Cost]]]) -> str:
    name, points = item
    ended = [(month, cost) for month, cost in points if cost.state in ("right", "wrong")]
    stopped = "".join(f"{month}: {cost.text('messages')} messages" for month, cost in points[len(ended) :])
    sums = f"{sum(cost.messages for _, cost in ended)} | {sum(cost.bytes for _, cost in ended)}"
    return f"| {name} | {len(ended)} | {ended[0][0]} | {ended[-1][0]} | {sums} | {stopped or '-'} |\n"


def _plot(sections: Sequence[Section], series: Replay, file: Path) -> None:
    """Messages of a failure per network and algorithm, and the replay as cumulated messages."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = len(sections) + bool(series)
    figure, axes = pyplot.subplots(rows, 1, figsize=(11, 4.2 * rows))
    for axis, section in zip(axes, sections, strict=False):
        _plot_failures(axis, section)
    if series:
        _plot_replay(axes[-1], series)
    figure.tight_layout()
    figure.savefig(file, dpi=110)
    pyplot.close(figure)


def _plot_failures(axis: Axes, section: Section) -> None:
    title, algorithms, lines = section
    failures = [line for line in lines if line.event == "failure"]
    width = 0.8 / len(algorithms)
    for i, name in enumerate(algorithms):
        places = [n + (i - len(algorithms) / 2 + 0.5) * width for n in range(len(failures))]
        costs = [line.costs[name] for line in failures]
        heights = [cost.messages if cost.state in ("right", "wrong") else 0 for cost in costs]
        axis.bar(places, heights, width, label=name, color=COLOURS[name])
    axis.set_yscale("log")
    axis.set_ylabel("messages")
    axis.set_title(f"{title}: a link fails (no bar: over the limit)")
    axis.set_xticks(range(len(failures)), [line.network.partition(" (")[0] for line in failures], fontsize=8)
    axis.legend(ncols=3, fontsize=8)


def _plot_replay(axis: Axes, series: Replay) -> None:
    for name, points in series.items():
        ended = [(month, cost.messages) for month, cost in points if cost.state in ("right", "wrong")]
        years = [int(month[:4]) + (int(month[4:6]) - 1) / 12 for month, _ in ended]
        sums = list(accumulate(count for _, count in ended))
        axis.plot(years, sums, label=name, color=COLOURS[name], drawstyle="steps-post", marker=".")
    axis.set_yscale("log")
    axis.set_ylabel("messages so far")
    axis.set_title("Replay: path vector with a_MIN (a line ends where a month went over the limit)")
    axis.legend()


if __name__ == "__main__":
    main()
