"""The plot of a view over epochs: its size above, what each epoch inserted and deleted below.

Law: the plot shows the numbers of the table. If there are many epochs, neighbours share a bar, labelled as their sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tidelog.explain.epoch_step import EpochStep
from tidelog.io import svg

BARS = 120  # at most
WIDEST = 40.0  # of a bar
LEFT, RIGHT, TOP, PLOT = 84.0, 12.0, 34.0, 560.0
SIZES, GAP, CHANGES = 110.0, 26.0, 90.0  # heights: of the sizes, between, of the changes
WIDTH, HEIGHT = LEFT + PLOT + RIGHT, TOP + SIZES + GAP + CHANGES + 26.0


@dataclass(frozen=True, slots=True)
class _Bar:
    """Epochs drawn as one bar, the rows they inserted and deleted, and the size after the last of them."""

    first: int
    last: int
    inserted: int = 0
    deleted: int = 0
    size: int = 0

    @property
    def epochs(self) -> str:
        return f"epoch {self.first}" if self.first == self.last else f"epochs {self.first} to {self.last}"


def draw_history(view: str, start: int, last: int, steps: Sequence[EpochStep], none_shown: str) -> str:
    """The plot as the text of an SVG file; ``none_shown`` is shown instead of steps if there are none."""
    title = f"{view} over epochs"
    parts = [svg.draw_text(LEFT, 18, title)]
    if not steps:
        parts.append(svg.draw_text(LEFT, TOP + 20, none_shown, faint=True))
        return svg.picture(WIDTH, TOP + 34, parts, title)
    bars = _bars(start, last, steps)
    parts += [*_sizes(bars, start), *_changes(bars), *_epochs(bars)]
    return svg.picture(WIDTH, HEIGHT, parts, title)


def _bars(start: int, last: int, steps: Sequence[EpochStep]) -> list[_Bar]:
    """Every epoch from the first that changed the view to the last of the engine, in bars of equal width."""
    first = steps[0].epoch
    wide = -(-(last - first + 1) // BARS)
    bars = [_Bar(e, min(e + wide - 1, last)) for e in range(first, last + 1, wide)]
    size, waiting = start, list(reversed(steps))
    for place, bar in enumerate(bars):
        inserted = deleted = 0
        while waiting and waiting[-1].epoch <= bar.last:
            step = waiting.pop()
            inserted, deleted, size = inserted + step.inserted, deleted + step.deleted, step.size
        bars[place] = _Bar(bar.first, bar.last, inserted, deleted, size)
    return bars


def _sizes(bars: Sequence[_Bar], start: int) -> Iterator[str]:
    """The size as a line of steps, with the area below it."""
    most = max(start, *(bar.size for bar in bars)) or 1
    bottom = TOP + SIZES
    wide = PLOT / len(bars)
    places = "".join(
        f"V{bottom - SIZES * bar.size / most:.1f}H{LEFT + wide * (i + 1):.1f}" for i, bar in enumerate(bars)
    )
    begin = f"M{LEFT:.1f},{bottom - SIZES * start / most:.1f}"
    area = f"M{LEFT:.1f},{bottom:.1f}V{bottom - SIZES * start / most:.1f}{places}V{bottom:.1f}Z"
    yield f'<path d="{area}" fill="{svg.BLUE}" fill-opacity=".14"/>'
    yield f'<path d="{begin}{places}" fill="none" stroke="{svg.BLUE}" stroke-width="1.6"/>'
    yield _line(bottom)
    yield from (_label(TOP + 4, f"{most:,}"), _label(bottom + 4, "0 facts"))


def _changes(bars: Sequence[_Bar]) -> Iterator[str]:
    """Inserted rows as bars up from a line, deleted rows down, on one scale."""
    up, down = max(bar.inserted for bar in bars), max(bar.deleted for bar in bars)
    scale = CHANGES / ((up + down) or 1)
    top = TOP + SIZES + GAP
    zero = top + up * scale
    for place, bar in enumerate(bars):
        hover_text = f"{bar.epochs}: +{bar.inserted:,} -{bar.deleted:,}, {bar.size:,} facts"
        x, wide = LEFT + PLOT / len(bars) * place, PLOT / len(bars)
        shapes = [
            f'<rect x="{x:.1f}" y="{TOP:.1f}" width="{wide:.1f}" height="{HEIGHT - TOP - 20:.1f}" fill-opacity="0"/>',
            _rect(x, zero - bar.inserted * scale, wide, bar.inserted * scale, svg.GREEN),
            _rect(x, zero, wide, bar.deleted * scale, svg.RED),
        ]
        yield f"<g><title>{hover_text}</title>{''.join(shapes)}</g>"
    yield _line(zero)
    if up:
        yield _label(top + 8, f"+{up:,}")
    if down:
        yield _label(top + CHANGES, f"-{down:,}")


def _rect(x: float, y: float, wide: float, height: float, tint: str) -> str:
    if not height:
        return ""
    bar = min(WIDEST, wide - min(2.0, wide / 4))
    left = x + (wide - bar) / 2
    return f'<rect x="{left:.1f}" y="{y:.1f}" width="{bar:.1f}" height="{height:.1f}" fill="{tint}"/>'


def _epochs(bars: Sequence[_Bar]) -> Iterator[str]:
    """The numbers of the first and the last epoch, and of some in between."""
    y, wide = HEIGHT - 8, PLOT / len(bars)
    distance = -(-len(bars) // 12)
    for place in range(0, len(bars), distance):
        yield svg.draw_text(LEFT + wide * (place + 0.5), y, f"{bars[place].first:,}", size=svg.SMALL, middle=True)
    yield svg.draw_text(8, y, "epoch", size=svg.SMALL, faint=True)


def _line(y: float) -> str:
    return f'<path d="M{LEFT:.1f},{y:.1f}H{LEFT + PLOT:.1f}" stroke="{svg.GREY}" stroke-width="1"/>'


def _label(y: float, text: str) -> str:
    x = LEFT - 8 - svg.text_width(text, svg.SMALL)
    return svg.draw_text(x, y, text, size=svg.SMALL, faint=True)
