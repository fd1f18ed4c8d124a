"""The history of a view: sizes agree with counts, and the plot shows the numbers of the table."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tests.explain.test_graph import SVG
from tidelog.explain.draw_history import BARS
from tidelog.explain.history import ViewHistory, view_history
from tidelog.io import svg

COUNTS = [(2, 5, 0), (3, 0, 0), (4, 1, 3), (7, 0, 3)]


def numbers(history: ViewHistory) -> list[tuple[int, ...]]:
    """Inserted, deleted and size, as the plot shows them for every bar."""
    titles = [title.text or "" for title in ElementTree.fromstring(history.svg()).iter(f"{SVG}title")]
    found = [title.replace(",", "") for title in titles if title.startswith("epoch")]
    return [tuple(map(int, re.findall(r"\d+", title.partition(":")[2]))) for title in found]


def test_sizes_follow_from_the_counts() -> None:
    history = view_history("p", 2, 8, COUNTS)
    assert history.start == 2
    assert [(step.epoch, step.size) for step in history.steps] == [(2, 7), (4, 5), (7, 2)]
    assert history.to_json()["steps"][1] == {"epoch": 4, "inserted": 1, "deleted": 3, "size": 5}


def test_the_plot_has_every_epoch_from_the_first_change() -> None:
    shown = numbers(view_history("p", 2, 8, COUNTS))
    assert shown == [(5, 0, 7), (0, 0, 7), (1, 3, 5), (0, 0, 5), (0, 0, 5), (0, 3, 2), (0, 0, 2)]


@pytest.mark.parametrize("epochs", [BARS, BARS + 1, 1000])
def test_many_epochs_share_bars_that_add_up(epochs: int) -> None:
    history = view_history("p", 3 * epochs, epochs, [(epoch, 5, 2) for epoch in range(1, epochs + 1)])
    shown = numbers(history)
    assert len(shown) <= BARS
    assert sum(bar[0] for bar in shown) == 5 * epochs
    assert sum(bar[1] for bar in shown) == 2 * epochs
    assert shown[-1][2] == 3 * epochs
    assert len(str(history).splitlines()) == 43


def test_a_view_that_never_changed_says_so() -> None:
    history = view_history("<b>", 0, 4, [])
    assert str(history) == "<b>: 0 facts after epoch 4\nno epoch has changed it"
    ElementTree.fromstring(history.svg())


def test_a_drawing_has_a_ground_and_ink_for_light_and_dark_viewers() -> None:
    picture = ElementTree.fromstring(view_history("p", 2, 8, COUNTS).svg())
    ground = picture.find(f"{SVG}rect")
    assert ground is not None
    assert [ground.get(name) for name in ("width", "height")] == [picture.get(name) for name in ("width", "height")]
    for element, (light, dark) in ((ground, svg.GROUND), (picture, svg.INK)):
        assert element.get("fill") == light
        assert f"fill:light-dark({light},{dark})" in (element.get("style") or "")
