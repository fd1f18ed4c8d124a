"""Pieces of SVG for notebooks and files: boxes with text, arrows, pictures.

Law: everything from facts and programs is text, never markup. There are no scripts and no style sheets. Every drawing
has its own background, with text that is readable on it: dark on light, or light on dark if the viewer prefers dark.
Viewers that do not support `light-dark` show it light. The kind of a box is shown by a tint, but never by the tint
alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from tidelog.errors.render import display_width, visible

FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"
SIZE, SMALL = 12.0, 10.5  # height of letters, in pixels
WIDE = 0.62  # width of a letter, relative to its height
PAD = 9.0
GROUND, INK = ("#ffffff", "#161b22"), ("#1f2328", "#e6edf3")  # light and dark
BLUE, GREEN, AMBER, RED, GREY = "#3b82f6", "#22a06b", "#d08b00", "#d64545", "#8a8f98"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with a line of text, and a fainter one below it; ``dashed`` and ``plain`` are styles."""

    x: float
    y: float
    width: float
    height: float
    text: str
    tint: str
    below: str = ""
    title: str = ""
    dashed: bool = False
    plain: bool = False


def text_width(text: str, size: float = SIZE) -> float:
    """The width of a line of text, in pixels."""
    return display_width(text) * size * WIDE


def shorten(text: str, most: int) -> str:
    """A text, shortened to at most ``most`` characters; control characters are made visible.

    >>> shorten("reach(1, 2)", 8)
    'reach(1…'
    """
    text_visible = visible(text)
    return text_visible if len(text_visible) <= most else text_visible[: most - 1] + "…"


def draw_box(box: Box) -> str:
    """A box with its text; the full title is a tooltip."""
    parts = [f"<g>{f'<title>{escape(visible(box.title))}</title>' if box.title else ''}"]
    if not box.plain:
        dash = ' stroke-dasharray="4 3"' if box.dashed else ""
        parts.append(
            f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="6"'
            f' fill="{box.tint}" fill-opacity=".14" stroke="{box.tint}" stroke-width="1.2"{dash}/>'
        )
    middle, centre = box.y + box.height / 2, box.x + box.width / 2
    parts.append(draw_text(centre, middle + (-3.0 if box.below else 4.2), box.text, middle=True))
    if box.below:
        parts.append(draw_text(centre, middle + 11.5, box.below, size=SMALL, middle=True, faint=True))
    return "".join((*parts, "</g>"))


def draw_text(x: float, y: float, text: str, *, size: float = SIZE, middle: bool = False, faint: bool = False) -> str:
    """A line of text that starts at a position, or is centred there."""
    anchor = ' text-anchor="middle"' if middle else ""
    pale = ' fill-opacity=".65"' if faint else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{anchor}{pale}>{escape(visible(text))}</text>'


def draw_curve(places: Sequence[tuple[float, float]], tint: str, *, dashed: bool = False, arrow: bool = True) -> str:
    """A smooth line from left to right through positions, with an arrow head at its end."""
    path = [f"M{places[0][0]:.1f},{places[0][1]:.1f}"]
    for (x, y), (to_x, to_y) in pairwise(places):
        bend = (to_x - x) * 0.5
        path.append(f"C{x + bend:.1f},{y:.1f} {to_x - bend:.1f},{to_y:.1f} {to_x:.1f},{to_y:.1f}")
    return _stroke("".join(path), tint, dashed=dashed) + (draw_head(*places[-1], tint) if arrow else "")


def draw_loop(x: float, y: float, tint: str, *, dashed: bool = False) -> str:
    """An arrow from a box to itself, above its right end."""
    path = f"M{x - 22:.1f},{y:.1f}C{x - 26:.1f},{y - 20:.1f} {x - 2:.1f},{y - 20:.1f} {x - 6:.1f},{y - 2:.1f}"
    head = f'<path d="M{x - 6:.1f},{y:.1f}l-4.2,-6.4l7,-.8z" fill="{tint}"/>'
    return _stroke(path, tint, dashed=dashed) + head


def draw_head(x: float, y: float, tint: str) -> str:
    """The head of an arrow that points right."""
    return f'<path d="M{x:.1f},{y:.1f}l-7,-3.6v7.2z" fill="{tint}"/>'


def _stroke(path: str, tint: str, *, dashed: bool) -> str:
    dash = ' stroke-dasharray="5 3"' if dashed else ""
    return f'<path d="{path}" fill="none" stroke="{tint}" stroke-width="1.3"{dash}/>'


def picture(width: float, height: float, parts: Iterable[str], title: str) -> str:
    """The complete drawing at its natural size, which a page may scale down."""
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    style = f'fill="{INK[0]}" style="max-width:none;color-scheme:light dark;fill:light-dark({INK[0]},{INK[1]})"'
    ground = f'fill="{GROUND[0]}" style="fill:light-dark({GROUND[0]},{GROUND[1]})"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} font-family="{FONT}" {style}>'
        f"<title>{escape(visible(title))}</title>"
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="6" {ground}/>{"".join(parts)}</svg>'
    )
