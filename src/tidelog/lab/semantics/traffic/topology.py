"""Topologies: which nodes are linked, from files or from the papers, and how they change.

Files hold one undirected link per line, two names separated by a tab. A file of changes has four columns: month, sign,
and the two ends; one month is one epoch.

Law: a link of a file is undirected: its facts are symmetric, it has no copy of itself, and a link that joins a node to
itself is none; so a change file can be replayed whatever it repeats. The papers' figure is directed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tidelog.lab.semantics import semantics_failures as failures
from tidelog.lab.semantics.fact import DELETE, INSERT, Fact, Update

Link = tuple[str, str]
Epoch = tuple[Update, ...]

COST = 1


@dataclass(frozen=True, slots=True)
class Topology:
    """A named set of links; an undirected one is written with its smaller end first."""

    name: str
    links: frozenset[Link]
    directed: bool = False

    @classmethod
    def of(cls, name: str, links: Iterable[Sequence[str]], *, directed: bool = False) -> Topology:
        """The topology of these links; undirected ones may be written either way round.

        >>> Topology.of("ring", ["ab", "bc", "ca", "ba"]).links == {("a", "b"), ("b", "c"), ("a", "c")}
        True
        """
        return cls(name, frozenset((a, b) if directed else _link(a, b) for a, b in links if a != b), directed)

    @property
    def nodes(self) -> frozenset[str]:
        """All ends of links."""
        return frozenset(end for link in self.links for end in link)

    def facts(self, relation: str = "link", *, cost: bool = False) -> list[Fact]:
        """A fact for each direction of each link, with a cost of one if the program uses costs."""
        return [fact for link in sorted(self.links) for fact in self._facts(link, relation, cost)]

    def failure(self, link: Link, relation: str = "link", *, cost: bool = False) -> Epoch:
        """Remove the link, in both directions if it has two."""
        return tuple(Update(DELETE, fact) for fact in self._facts(link, relation, cost))

    def recovery(self, link: Link, relation: str = "link", *, cost: bool = False) -> Epoch:
        """Restore the link."""
        return tuple(Update(INSERT, fact) for fact in self._facts(link, relation, cost))

    def _facts(self, link: Link, relation: str, cost: bool) -> list[Fact]:
        there, back = _facts(link, relation, cost)
        return [there] if self.directed else [there, back]

    def bridges(self) -> frozenset[Link]:
        """The links whose loss cuts the network in two, whatever their direction."""
        return frozenset(link for link in self.links if not self._has_bypass(link))

    def _has_bypass(self, without: Link) -> bool:
        near: dict[str, set[str]] = {}
        for a, b in self.links - {without}:
            near.setdefault(a, set()).add(b)
            near.setdefault(b, set()).add(a)
        seen, todo = {without[0]}, deque([without[0]])
        while todo:
            fresh = near.get(todo.popleft(), set()) - seen
            seen |= fresh
            todo.extend(fresh)
        return without[1] in seen


def ring(size: int) -> Topology:
    """Nodes n1 to n``size`` in a circle."""
    return Topology.of(f"ring of {size}", [(f"n{i}", f"n{i % size + 1}") for i in range(1, size + 1)])


def read_topology(path: Path) -> Topology:
    """The topology of a file of links; its name is the file's."""
    return Topology.of(path.stem, [(row[0], row[1]) for row in _rows(path, 2)])


def read_changes(path: Path, relation: str = "link", *, cost: bool = False) -> dict[str, Epoch]:
    """Per month the changes that change something; a link that is there is not inserted again."""
    epochs: dict[str, dict[Link, str]] = {}
    for month, sign, a, b in _rows(path, 4):
        if sign not in "+-":
            raise failures.CHANGE_SIGN.error(path=path, sign=sign)
        if a != b:
            epochs.setdefault(month, {})[_link(a, b)] = sign
    return {month: changes for month, changes in _effective(epochs, relation, cost) if changes}


def _effective(epochs: Mapping[str, Mapping[Link, str]], relation: str, cost: bool) -> Iterator[tuple[str, Epoch]]:
    present: set[Link] = set()
    for month, signs in epochs.items():
        changes: list[Update] = []
        for link, sign in signs.items():
            if (sign == "+") != (link in present):
                present ^= {link}
                kind = INSERT if sign == "+" else DELETE
                changes += [Update(kind, fact) for fact in _facts(link, relation, cost)]
        yield month, tuple(changes)


def _rows(path: Path, columns: int) -> Iterator[list[str]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise failures.LINKS_NOT_READ.error(path=path, reason=error.strerror) from error
    for number, line in enumerate(lines, 1):
        row = line.split("\t")
        if line and len(row) != columns:
            raise failures.LINK_COLUMNS.error(path=path, number=number, found=len(row), expected=columns)
        if line:
            yield row


def _link(a: str, b: str) -> Link:
    return (a, b) if a < b else (b, a)


def _facts(link: Link, relation: str, cost: bool) -> list[Fact]:
    extra = (COST,) if cost else ()
    return [Fact(relation, (*link, *extra)), Fact(relation, (*link[::-1], *extra))]


_DRAWN = ("ab", "ad", "dc", "bc", "ch", "fg", "df", "af")
FIGURE = Topology.of("figure 1", _DRAWN, directed=True)
"""Figure 1 of PPDP 2011 after its two insertions and before its deletion."""
FIGURE_BOTH_WAYS = Topology.of("figure 1, both ways", _DRAWN)
"""The same with links in both directions, as routers have them; reachability is then cyclic."""
FIGURE_LINK: Link = ("a", "b")
"""The link that fails there."""
