"""Proofs as drawings: the fact on the left, its premises to the right.

Law: the drawing shows what the text shows (`render`), part by part. A large proof is drawn as far as it is readable,
and states how much is omitted; the text contains the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tidelog.io import svg
from tidelog.why.render import Part, below, line_parts
from tidelog.why.tree import AGAIN, ASSERTED, CUT, Absence, Condition, FactNode, GroupNode

MOST = 60  # parts that are drawn
WIDEST = 44  # characters of a line that are shown
HEIGHT, THIN, GAP, BETWEEN, MARGIN = 36.0, 22.0, 9.0, 38.0, 10.0


@dataclass(slots=True)
class _DrawingPart:
    """A part of the proof in the drawing."""

    part: Part
    level: int
    inner: list[_DrawingPart] = field(default_factory=list)
    middle: float = 0.0
    hidden: int = 0


def draw_proof(fact: FactNode) -> str:
    """The drawing as the text of an SVG file."""
    root = _chosen(fact)
    drawn = list(_all(root))
    widths: dict[int, float] = {}
    for each in drawn:
        widths[each.level] = max(widths.get(each.level, 0.0), _width(each))
    lefts = {level: MARGIN + sum(widths[i] + BETWEEN for i in range(level)) for level in widths}
    height = _place(root)
    boxes = {id(each): _box(each, lefts[each.level], widths[each.level]) for each in drawn}
    parts = [
        svg.draw_curve([(b.x + b.width, each.middle), (boxes[id(i)].x, i.middle)], svg.GREY, arrow=False)
        for each in drawn
        for b in (boxes[id(each)],)
        for i in each.inner
    ]
    parts += [svg.draw_box(box) for box in boxes.values()]
    width = max(box.x + box.width for box in boxes.values()) + MARGIN
    return svg.picture(width, height + MARGIN, parts, f"why {fact.text}")


def _chosen(fact: FactNode) -> _DrawingPart:
    """As much of the proof as is drawn, level by level."""
    root = _DrawingPart(fact, 0)
    count, level = 1, [root]
    while level:
        following = []
        for each in level:
            inner = below(each.part)
            if count + len(inner) > MOST:
                each.hidden = len(inner)
                continue
            each.inner = [_DrawingPart(part, each.level + 1) for part in inner]
            count += len(inner)
            following += each.inner
        level = following
    return root


def _all(root: _DrawingPart) -> Iterator[_DrawingPart]:
    waiting = [root]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += reversed(each.inner)


def _place(root: _DrawingPart) -> float:
    """Set the middle of every part: leaves below each other, other parts centred on theirs; returns the height."""
    y = MARGIN
    for each in _all(root):
        if not each.inner:
            each.middle = y + _height(each) / 2
            y += _height(each) + GAP
    for each in reversed(list(_all(root))):
        if each.inner:
            each.middle = (each.inner[0].middle + each.inner[-1].middle) / 2
    return y


def _texts(each: _DrawingPart) -> tuple[str, str]:
    what, how = line_parts(each.part)
    if each.hidden:
        how = f"{how}, {each.hidden:,} parts not drawn".removeprefix(", ")
    return svg.shorten(what, WIDEST), svg.shorten(how, WIDEST)


def _height(each: _DrawingPart) -> float:
    return HEIGHT if _texts(each)[1] else THIN


def _width(each: _DrawingPart) -> float:
    what, how = _texts(each)
    return max(svg.text_width(what), svg.text_width(how, svg.SMALL), 30.0) + 2 * svg.PAD


def _box(each: _DrawingPart, x: float, width: float) -> svg.Box:
    what, how = _texts(each)
    height = _height(each)
    full = "  ".join(part for part in line_parts(each.part) if part)
    tint, dashed, plain = _look(each.part)
    own = _width(each) if plain or not each.inner else width
    return svg.Box(x, each.middle - height / 2, own, height, what, tint, how, full, dashed, plain)


def _look(part: Part) -> tuple[str, bool, bool]:
    """Tint, dashed, plain: asserted facts are green, derived ones blue, groups amber, absences red and dashed."""
    match part:
        case FactNode(how=how):
            return (svg.GREEN if how == ASSERTED else svg.BLUE), how in (AGAIN, CUT), False
        case GroupNode():
            return svg.AMBER, False, False
        case Absence():
            return svg.RED, True, False
        case Condition():
            return svg.GREY, False, False
    return svg.GREY, False, True
