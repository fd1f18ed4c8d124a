"""The drawing of a program's graph: base relations on the left, what is derived from them to the right.

Law: the drawing has the same content as the text. An arrow points from a relation to one that reads it; dashed red
arrows are negations, amber ones aggregates; relations that derive each other are in one frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tidelog.errors.counts import counted
from tidelog.explain.layers import Layers
from tidelog.explain.relation_node import BASE, ReadEdge, RelationNode
from tidelog.io import svg
from tidelog.program.graph.dependency import AGGREGATE, NEGATIVE, POSITIVE
from tidelog.program.graph.strata import strong_components

HEIGHT, GAP, PASSING, BETWEEN, MARGIN = 36.0, 16.0, 18.0, 64.0, 22.0
WIDEST = 28  # characters of a name that are shown
TINTS: Mapping[str, str] = {POSITIVE: svg.GREY, AGGREGATE: svg.AMBER, NEGATIVE: svg.RED}
LEGEND = (("reads", POSITIVE), ("all of a group", AGGREGATE), ("not", NEGATIVE))


def draw_graph(nodes: Sequence[RelationNode], edges: Sequence[ReadEdge]) -> str:
    """The drawing as the text of an SVG file."""
    if not nodes:
        return svg.picture(160, 30, [svg.draw_text(8, 20, "no relations", faint=True)], "no relations")
    groups = _groups(nodes, edges)
    columns = _columns(nodes, edges, groups)
    forward = [e for e in edges if columns[e.source] < columns[e.target]]
    layers = Layers(columns, [(e.source, e.target) for e in forward], groups)
    middles = layers.heights(dict.fromkeys(columns, HEIGHT), GAP, PASSING)
    boxes = _boxes(nodes, columns, middles)
    lefts = _lefts(boxes, len(layers.columns))
    parts = [
        *_frames(groups, boxes),
        *_arrows(edges, layers, boxes, middles, lefts),
        *map(svg.draw_box, boxes.values()),
    ]
    width = max(box.x + box.width for box in boxes.values()) + MARGIN
    height = max(middles.values()) + HEIGHT / 2 + 2 * MARGIN
    kinds = {edge.kind for edge in edges}
    legend, end = _legend([pair for pair in LEGEND if pair[1] in kinds], height)
    return svg.picture(max(width, end), height + (24 if legend else 0), [*parts, *legend], "the program as a graph")


def _groups(nodes: Sequence[RelationNode], edges: Sequence[ReadEdge]) -> dict[str, int]:
    """Every relation with the number of its group of relations that derive each other."""
    reads: dict[str, list[str]] = {node.name: [] for node in nodes}
    for edge in edges:
        reads[edge.target].append(edge.source)
    return {name: number for number, names in enumerate(strong_components(reads)) for name in names}


def _columns(nodes: Sequence[RelationNode], edges: Sequence[ReadEdge], groups: Mapping[str, int]) -> dict[str, int]:
    """The column of every relation: after all that it reads; a base relation is placed before the first that reads it.

    Groups have higher numbers than those that they read.
    """
    column: dict[int, int] = {}
    reads: dict[int, set[int]] = {}
    for edge in edges:
        reads.setdefault(groups[edge.target], set()).add(groups[edge.source])
    for group in sorted(set(groups.values())):
        column[group] = max((column[other] + 1 for other in reads.get(group, ()) if other != group), default=0)
    first: dict[int, int] = {}
    for edge in edges:
        source, target = groups[edge.source], column[groups[edge.target]]
        first[source] = min(first.get(source, target), target)
    base = {groups[node.name] for node in nodes if node.stratum == BASE}
    return {
        node.name: first.get(group, 1) - 1 if (group := groups[node.name]) in base else column[group] for node in nodes
    }


def _boxes(
    nodes: Sequence[RelationNode], columns: Mapping[str, int], middles: Mapping[object, float]
) -> dict[str, svg.Box]:
    widths = {node.name: _width(node) for node in nodes}
    column_widths: dict[int, float] = {}
    for name, column in columns.items():
        column_widths[column] = max(column_widths.get(column, 0.0), widths[name])
    left = {c: MARGIN + sum(column_widths.get(i, 0.0) + BETWEEN for i in range(c)) for c in column_widths}
    return {
        node.name: svg.Box(
            left[columns[node.name]],
            MARGIN + middles[node.name] - HEIGHT / 2,
            column_widths[columns[node.name]],
            HEIGHT,
            svg.shorten(node.name, WIDEST),
            svg.GREEN if node.stratum == BASE else svg.BLUE,
            _beside(node),
            node.name,
        )
        for node in nodes
    }


def _width(node: RelationNode) -> float:
    lines = (svg.text_width(svg.shorten(node.name, WIDEST)), svg.text_width(_beside(node), svg.SMALL))
    return max(*lines, 40.0) + 2 * svg.PAD


def _beside(node: RelationNode) -> str:
    rules = counted(node.rules, "rule") if node.rules else ""
    facts = "" if node.facts is None else counted(node.facts, "fact")
    return ", ".join(part for part in (rules, facts) if part)


def _lefts(boxes: Mapping[str, svg.Box], count: int) -> list[tuple[float, float]]:
    """The left and the right edge of every column."""
    spans = sorted({(box.x, box.x + box.width) for box in boxes.values()})
    assert len(spans) == count
    return spans


def _frames(groups: Mapping[str, int], boxes: Mapping[str, svg.Box]) -> Iterator[str]:
    """A frame around every group of several relations."""
    members: dict[int, list[svg.Box]] = {}
    for name, group in groups.items():
        members.setdefault(group, []).append(boxes[name])
    for inside in members.values():
        if len(inside) > 1:
            top, bottom = min(box.y for box in inside) - 7, max(box.y for box in inside) + HEIGHT + 7
            left, width = inside[0].x - 7, inside[0].width + 14
            yield svg.draw_box(svg.Box(left, top, width, bottom - top, "", svg.GREY, dashed=True))


def _arrows(
    edges: Sequence[ReadEdge],
    layers: Layers,
    boxes: Mapping[str, svg.Box],
    middles: Mapping[object, float],
    spans: Sequence[tuple[float, float]],
) -> Iterator[str]:
    place = {box.x: number for number, box in enumerate(sorted({b.x: b for b in boxes.values()}.values(), key=_x))}
    for edge in edges:
        source, target = boxes[edge.source], boxes[edge.target]
        tint, dashed = TINTS[edge.kind], edge.kind == NEGATIVE
        title = f"<title>{_words(edge)}</title>"
        route = layers.routes.get((edge.source, edge.target))
        if edge.source == edge.target:
            drawn = svg.draw_loop(source.x + source.width, source.y, tint, dashed=dashed)
        elif route is None:
            drawn = _beside_each_other(source, target, tint, dashed=dashed)
        else:
            places = [(source.x + source.width, MARGIN + middles[edge.source])]
            for column, node in enumerate(route[1:-1], place[source.x] + 1):
                places += [(spans[column][0], MARGIN + middles[node]), (spans[column][1], MARGIN + middles[node])]
            places.append((target.x, MARGIN + middles[edge.target]))
            drawn = svg.draw_curve(places, tint, dashed=dashed)
        yield f"<g>{title}{drawn}</g>"


def _x(box: svg.Box) -> float:
    return box.x


def _words(edge: ReadEdge) -> str:
    from html import escape

    verb = {POSITIVE: "reads", AGGREGATE: "reads all of", NEGATIVE: "reads the absence of"}[edge.kind]
    rules = f" ({', '.join(edge.labels)})" if edge.labels else ""
    return escape(f"{edge.target} {verb} {edge.source}{rules}")


def _beside_each_other(source: svg.Box, target: svg.Box, tint: str, *, dashed: bool) -> str:
    """An arrow between two relations of one column: downwards along the right side, upwards along the left."""
    down = source.y < target.y
    x = source.x + source.width if down else source.x
    bow = (22 if down else -22) + (6 if down else -6) * abs(source.y - target.y) / (HEIGHT + GAP)
    start, end = source.y + HEIGHT / 2 + 6, target.y + HEIGHT / 2 - 6
    path = f"M{x:.1f},{start:.1f}C{x + bow:.1f},{start:.1f} {x + bow:.1f},{end:.1f} {x:.1f},{end:.1f}"
    dash = ' stroke-dasharray="5 3"' if dashed else ""
    side = 7 if down else -7
    head = f'<path d="M{x:.1f},{end:.1f}l{side},-3.6v7.2z" fill="{tint}"/>'
    return f'<path d="{path}" fill="none" stroke="{tint}" stroke-width="1.3"{dash}/>{head}'


def _legend(kinds: Sequence[tuple[str, str]], y: float) -> tuple[list[str], float]:
    """The meaning of the arrows, if there is more than one kind, and the position where the legend ends."""
    if len(kinds) < 2:
        return [], 0.0
    parts, x = [], MARGIN
    for words, kind in kinds:
        parts.append(svg.draw_curve([(x, y), (x + 28, y)], TINTS[kind], dashed=kind == NEGATIVE))
        parts.append(svg.draw_text(x + 34, y + 4, words, size=svg.SMALL, faint=True))
        x += 34 + svg.text_width(words, svg.SMALL) + 20
    return parts, x
