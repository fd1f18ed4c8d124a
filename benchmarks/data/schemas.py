"""Graphs with labelled edges after two schemas, a shop and a social network, and path queries over them.

Law: the same seed yields the same graph and the same queries, on every machine. A label has a kind of node at either
end; a walk over a schema follows labels forwards or backwards from kind to kind, so that a query never asks for what
no graph of the schema can hold. Queries are within Regular Datalog: unions of conjunctions of two-way paths, with
closures of labels whose two ends are of one kind.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.data.gmark import Graph

QUERIES = 10


@dataclass(frozen=True, slots=True)
class Schema:
    """Kinds of nodes with their shares of all, labels with the kinds at their ends, and edges per node."""

    name: str
    kinds: Mapping[str, float]
    labels: Mapping[str, tuple[str, str]]
    density: float


def _labels(text: str) -> dict[str, tuple[str, str]]:
    """Labels by the kinds that they join: one line per pair of kinds."""
    lines = (line.split() for line in text.strip().splitlines())
    return {label: (source, target) for source, target, *labels in lines for label in labels}


SHOP = Schema(
    "shop",
    {"user": 0.4, "product": 0.25, "review": 0.15, "offer": 0.1, "retailer": 0.03, "place": 0.04, "topic": 0.03},
    _labels("""
user user follows friend_of trusts recommends_to shares_with invites gifts_to blocks
user product likes buys wishes views rates returns compares tags_product owns saves
user place lives_in born_in works_in ships_to visits
user topic interested_in studies moderates teaches
user review writes votes_up votes_down reports quotes
user retailer subscribes complains_to prefers employed_by
product product similar_to part_of replaces bundled_with accessory_of variant_of cheaper_than
product topic genre subject keyword award
product place made_in stored_in designed_in sold_in
product user author editor performer director
review product reviews mentions warns_of praises
review user answers addressed_to thanks cites
review topic about tagged_with
offer product includes discounts advertises
offer place eligible_in picked_up_in
offer retailer sold_by fulfilled_by
retailer place located_in delivers_to
retailer offer publishes features
retailer retailer partner_of supplies owned_by
place place near contained_in
topic topic narrower
"""),
    7.0,
)
SOCIAL = Schema(
    "social network",
    {"person": 0.3, "message": 0.45, "forum": 0.1, "place": 0.05, "tag": 0.06, "organisation": 0.04},
    _labels("""
person person knows follows
person message likes creates
person place located_in
person organisation studies_at works_at
person tag has_interest
message message reply_of quotes
message person mentions
message place posted_in
message tag has_tag
message forum belongs_to
forum person has_member has_moderator
forum message contains
forum tag forum_tag
place place part_of near
tag tag type_of subclass_of
organisation place seated_in active_in
organisation organisation partner_of
organisation tag known_for
organisation person employs
"""),
    2.0,
)
SCHEMAS = {"shop": SHOP, "social": SOCIAL}


def graph_of(schema: Schema, nodes: int, density: float = 1.0, seed: int = 1) -> Graph:
    """A graph with this many nodes; ``density`` multiplies the schema's edges per node.

    Sources are drawn evenly, targets by preference for few: as fame is.
    """
    bounds, share = _bounds(schema, nodes), schema.density * nodes / len(schema.labels)
    edges = {}
    for place, (label, (source, target)) in enumerate(schema.labels.items()):
        draw = np.random.default_rng([seed, place])  # its own, so that labels keep their shares whatever the density
        number = max(1, round(density * draw.gamma(2.0, share / 2)))
        (low, high), (first, last) = bounds[source], bounds[target]
        famous = (draw.power(0.6, number) * (last - first)).astype(np.int64) + first
        edges[label] = np.unique(np.stack([draw.integers(low, high, number), famous], axis=1), axis=0)
    return Graph(dict(sorted(edges.items())))


def _bounds(schema: Schema, nodes: int) -> dict[str, tuple[int, int]]:
    """The numbers of the nodes of each kind: one stretch for each."""
    ends = np.cumsum([0, *(max(2, round(share * nodes)) for share in schema.kinds.values())]).tolist()
    return {kind: (low, high) for kind, low, high in zip(schema.kinds, ends, ends[1:], strict=False)}


def drawn_labels(graph: Graph, share: int, draw: int) -> list[str]:
    """So many per cent of the labels; those of a smaller share are among those of a larger one."""
    names = sorted(graph.edges)
    random.Random(draw).shuffle(names)
    return names[: max(1, round(len(names) * share / 100))]


def views_of(schema: Schema, number: int = QUERIES, seed: int = 1) -> dict[str, str]:
    """So many views by name, each one rule: a union of one or two chains of two paths."""
    draw = random.Random(seed)
    names = [f"view{place}" for place in range(number)]
    return {name: _rule(schema, draw, name) for name in names}


def _rule(schema: Schema, draw: random.Random, name: str) -> str:
    start = draw.choice(list(schema.kinds))
    chains = [", ".join(_chain(schema, draw, start)) for _ in range(draw.choice((1, 2)))]
    body = chains[0] if len(chains) == 1 else f"({' ; '.join(chains)})"
    return f"{name}(X0, X2) :- {body}."


def _chain(schema: Schema, draw: random.Random, kind: str) -> Iterator[str]:
    """Two paths, the second from where the first ends."""
    for number in range(2):
        steps = list(_walk(schema, draw, kind, draw.choice((1, 1, 2))))
        kind = steps[-1][1]
        yield f"{_path([label for label, _ in steps])}(X{number}, X{number + 1})"


def _path(steps: list[str]) -> str:
    return steps[0] if len(steps) == 1 else f"({'/'.join(steps)})"


def _walk(schema: Schema, draw: random.Random, kind: str, length: int) -> Iterator[tuple[str, str]]:
    """Labels with the kinds that they lead to; one that leads back to its own kind may be closed."""
    for _ in range(length):
        label, kind = draw.choice(sorted(_ways(schema, kind)))
        yield label, kind


def _ways(schema: Schema, kind: str) -> Iterator[tuple[str, str]]:
    for label, (source, target) in schema.labels.items():
        if source == target == kind:
            yield f"{label}+", kind
        elif source == kind:
            yield label, target
        elif target == kind:
            yield f"^{label}", source
