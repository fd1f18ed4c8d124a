"""Where the nodes of a network are drawn on the page: a force layout that starts from a circle.

Law: the layout depends on the nodes and links only, never on chance or on the clock, so that the same network looks the
same on every page. Positions lie in the unit square; the page scales them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Name = TypeVar("Name", bound=Hashable)
Points = npt.NDArray[np.float64]

ROUNDS = 300
CIRCLE_UP_TO = 7


def layout(nodes: Sequence[Name], links: Iterable[tuple[Name, Name]]) -> dict[Name, tuple[float, float]]:
    """A position for every node: a circle for few nodes, springs and charges for more.

    >>> layout(["a"], [])
    {'a': (0.5, 0.5)}
    """
    if not nodes:
        return {}
    number = {node: i for i, node in enumerate(nodes)}
    ends = np.array([(number[a], number[b]) for a, b in links if a != b], dtype=np.int64).reshape(-1, 2)
    points = _circle(len(nodes))
    if len(nodes) > CIRCLE_UP_TO:
        points = _relaxed(points, ends)
    scaled = _fitted(points)
    return {node: (round(float(x), 4), round(float(y), 4)) for node, (x, y) in zip(nodes, scaled, strict=True)}


def _circle(count: int) -> Points:
    angles = np.arange(count) * (2 * math.pi / max(count, 1)) - math.pi / 2
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _relaxed(points: Points, ends: npt.NDArray[np.int64]) -> Points:
    """Fruchterman and Reingold: all nodes repel each other, links pull, steps shrink as it cools."""
    ideal = math.sqrt(4 / len(points))
    for turn in range(ROUNDS):
        force = _repulsion(points, ideal)
        pull = points[ends[:, 1]] - points[ends[:, 0]]
        pull = pull * (np.linalg.norm(pull, axis=1, keepdims=True) / ideal)
        np.add.at(force, ends[:, 0], pull)
        np.add.at(force, ends[:, 1], -pull)
        length = np.linalg.norm(force, axis=1, keepdims=True)
        step = 0.1 * (1 - turn / ROUNDS)
        points = points + force / np.maximum(length, 1e-9) * np.minimum(length, step)
    return points


def _repulsion(points: Points, ideal: float) -> Points:
    apart = points[:, None, :] - points[None, :, :]
    square = np.maximum((apart**2).sum(axis=2, keepdims=True), 1e-4)
    force: Points = (apart * (ideal**2 / square)).sum(axis=1)
    return force


def _fitted(points: Points) -> Points:
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.where(high - low < 1e-9, 1.0, high - low)
    centred = np.where(high - low < 1e-9, 0.5, (points - low) / span)
    fitted: Points = centred
    return fitted
