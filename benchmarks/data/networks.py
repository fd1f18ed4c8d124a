"""Networks and the two programs that run on them.

Law: *reachability* is cyclic: algorithms that count derivations or carry sets of facts explode or never end on a cycle.
*Path vector* carries the path and selects the least cost with ``a_MIN`` inside the recursion, as routers do, so that
all algorithms end. Files that cannot be used are named.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tidelog import DataError
from tidelog.lab.semantics.traffic import FIGURE, FIGURE_BOTH_WAYS, Topology, read_topology, ring

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
BUILT_IN = (FIGURE, FIGURE_BOTH_WAYS, ring(4), ring(6))
QUICK = (FIGURE, ring(4))


def topologies(folder: Path | None, largest: int, quick: bool) -> list[Topology]:
    """The papers' figure and small rings, then the networks of a folder."""
    return [*(QUICK if quick else BUILT_IN), *([] if folder is None else read_folder(folder, largest))]


def read_folder(folder: Path, largest: int) -> list[Topology]:
    """The topologies of a folder, small ones first."""
    found: list[Topology] = []
    for path in sorted(folder.glob("*.tsv")):
        try:
            found.append(read_topology(path))
        except DataError as error:
            _skip(f"{path.name} is not a file of links ({error})")
    for topology in found:
        if len(topology.nodes) > largest:
            _skip(f"{topology.name} has {len(topology.nodes)} nodes, more than --largest {largest}")
    return sorted((t for t in found if len(t.nodes) <= largest), key=lambda t: len(t.nodes))


def _skip(reason: str) -> None:
    print(f"skipped: {reason}", file=sys.stderr)
