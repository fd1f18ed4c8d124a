"""Random programs of Regular Datalog with random graphs and updates, as Hypothesis strategies.

Programs are texts: base symbols a, b, c (and triples t with labels u, v), defined symbols p0, p1, ... each reading what
comes before it, and a view of zero to three columns on top. Nodes are small numbers, so that paths meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import strategies as st

from tidelog.lab.semantics.regular import BulkUpdate, Graph

BASE = ("a", "b", "c")
LABELS = ("u", "v")
NODES = 4
Facts = dict[str, frozenset[tuple[int | str, ...]]]


@dataclass(frozen=True)
class Case:
    """A program, the relations that it defines, and the facts it starts from."""

    text: str
    defined: tuple[str, ...]
    facts: Facts


nodes = st.integers(0, NODES - 1)
pairs = st.frozensets(st.tuples(nodes, nodes), max_size=6)


@st.composite
def facts(draw: st.DrawFn, fewest: int = 0) -> Facts:
    some = st.frozensets(st.tuples(nodes, nodes), min_size=fewest, max_size=6)
    labelled = st.frozensets(st.tuples(nodes, st.sampled_from(LABELS), nodes), min_size=fewest, max_size=6)
    return {**{symbol: draw(some) for symbol in BASE}, "t": draw(labelled)}


@st.composite
def paths(draw: st.DrawFn, symbols: tuple[str, ...], depth: int = 2) -> str:
    """A path expression in brackets, or a symbol."""
    kind = draw(st.sampled_from(["step", "triple", "^", "/", "|", "&", "+", "{1,2}", "{2,}"])) if depth else "step"
    if kind == "step":
        return draw(st.sampled_from(symbols))
    if kind == "triple":
        return f"t[{draw(st.sampled_from(LABELS))}]"
    inner = draw(paths(symbols, depth - 1))
    if kind in "/|&":
        return f"({inner} {kind} {draw(paths(symbols, depth - 1))})"
    return f"(^{inner})" if kind == "^" else f"({inner}{kind})"


@st.composite
def bodies(draw: st.DrawFn, symbols: tuple[str, ...], variables: tuple[str, ...]) -> str:
    """A conjunction that binds the variables: a chain through them, and perhaps one literal more."""
    ends = (*variables, draw(st.sampled_from([*variables, "W", "_", "1"])))
    chain = [f"({draw(paths(symbols))})({x}, {y})" for x, y in pairwise(ends)]
    if draw(st.booleans()):
        chain.append(f"{draw(st.sampled_from(symbols))}({draw(st.sampled_from(variables))}, _)")
    return ", ".join(chain)


@st.composite
def clauses(draw: st.DrawFn, head: str, symbols: tuple[str, ...], variables: tuple[str, ...]) -> str:
    found = [draw(bodies(symbols, variables)) for _ in range(draw(st.integers(1, 2)))]
    shown = ", ".join(variables if draw(st.booleans()) else (*variables[:-1], "2"))
    body = found[0] if len(found) == 1 else f"({found[0]} ; {found[1]})"
    return f"{head}({shown}) :- {body}."


@st.composite
def cases(draw: st.DrawFn) -> Case:
    symbols, lines = BASE, []
    for number in range(draw(st.integers(1, 3))):
        lines.append(draw(clauses(f"p{number}", symbols, ("X", "Y"))))
        symbols = (*symbols, f"p{number}")
    columns = draw(st.integers(1, 3))
    lines.append(draw(clauses("view", symbols, ("X", "Y", "Z")[:columns])))
    return Case("\n".join(lines), (*symbols[len(BASE) :], "view"), draw(facts(fewest=3)))


@st.composite
def changed(draw: st.DrawFn, before: Facts, deletions: bool = True) -> Facts:
    """Other facts: some come, and some go."""
    coming = draw(facts())
    if not deletions:
        return {name: before[name] | coming[name] for name in before}
    kept = {name: frozenset(row for row in sorted(rows) if draw(st.booleans())) for name, rows in before.items()}
    touched = draw(st.frozensets(st.sampled_from([*BASE, "t"])))
    return {name: kept[name] | coming[name] if name in touched else before[name] for name in before}


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """A graph over three symbols, closures and all, well formed or not."""
    keys = [(symbol, tag) for symbol in BASE for tag in ("", "+")]
    return Graph({key: draw(pairs) for key in draw(st.lists(st.sampled_from(keys), max_size=4))})


@st.composite
def updates(draw: st.DrawFn) -> BulkUpdate:
    inserted = draw(graphs())
    return BulkUpdate(inserted, draw(graphs()) - inserted)
