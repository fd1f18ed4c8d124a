"""A gMark workload by path: a graph with labelled edges, and path queries as rules.

Law: a closure is reflexive at all nodes of the graph; the labels that an update takes are the same on every run.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data.graphs import Cells

VIEW, NODES = "answer", "node"
FILES = ("graph.tsv", "queries.json")
Query = Mapping[str, Any]


class DataMissing(Exception):
    """A file that the workload consists of is not there."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Edges by label, and all nodes."""

    edges: Mapping[str, Cells]

    @property
    def size(self) -> int:
        """The number of edges."""
        return sum(map(len, self.edges.values()))

    def nodes(self) -> Cells:
        """All nodes, one per row."""
        found: Cells = np.unique(np.concatenate(list(self.edges.values())))
        return found.reshape(-1, 1)


def read_graph(path: Path) -> Graph:
    """Source, label, target; tab-separated."""
    found: dict[str, list[tuple[int, int]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        source, label, target = line.split("\t")
        found.setdefault(label, []).append((int(source), int(target)))
    return Graph({label: np.array(rows, np.int64) for label, rows in sorted(found.items())})


def query_to_rule(query: Query) -> str:
    """A query as one rule; a variable that occurs once is `_`.

    >>> part = {"from": "x0", "to": "x1", "paths": [["p1", "^p2"], ["p3"]], "star": True}
    >>> query_to_rule({"head": ["x0"], "body": [part]})
    'answer(X0) :- (p1/^p2|p3)*[node](X0, _).'
    """
    body: Sequence[Query] = query["body"]
    used = [part[end] for part in body for end in ("from", "to")] + list(query["head"])
    names = {name: "_" if used.count(name) == 1 else name.upper() for name in used}
    literals = [f"{_path(part)}({names[part['from']]}, {names[part['to']]})" for part in body]
    head = f"({', '.join(names[name] for name in query['head'])})" if query["head"] else ""
    return f"{VIEW}{head} :- {', '.join(literals)}."


def _path(part: Query) -> str:
    choices = "|".join("/".join(steps) for steps in part["paths"])
    return f"({choices})" + (f"*[{NODES}]" if part["star"] else "")


def labels_of(query: Query) -> list[str]:
    """The labels that a query reads, each once."""
    return sorted({step.lstrip("^") for part in query["body"] for steps in part["paths"] for step in steps})


def chosen_labels(graph: Graph, share: int) -> list[str]:
    """So many per cent of the labels, at random but the same on every run."""
    count = max(1, round(len(graph.edges) * share / 100))
    return sorted(random.Random(share).sample(list(graph.edges), count))


def read_workload(folder: Path, queries: int | None = None) -> tuple[Graph, list[Query]]:
    """The graph and the first queries of a folder."""
    if missing := [name for name in FILES if not (folder / name).is_file()]:
        raise DataMissing(f"{folder} has no {' and no '.join(missing)}")
    read: list[Query] = json.loads((folder / FILES[1]).read_text(encoding="utf-8"))[:queries]
    return read_graph(folder / FILES[0]), read
