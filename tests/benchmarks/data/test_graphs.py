"""The generators of the benchmarks: same arguments, same rows; sizes and shapes as the benchmarks say.

These tests see the data only; that systems agree on results is checked by every benchmark run itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from benchmarks.data.circuits import dense, sparse
from benchmarks.data.graphs import Cells
from benchmarks.measure import checksum

from benchmarks.data import graphs

GENERATORS: dict[str, Callable[[], Cells]] = {
    "random": lambda: graphs.random_graph(100, 0.05),
    "rmat": lambda: graphs.rmat(8, 1_000),
    "upwards": lambda: graphs.rmat_upwards(10, 1_000),
    "grid": lambda: graphs.grid(6),
    "tree": lambda: graphs.tree(3, 4),
    "islands": lambda: graphs.islands(7),
    **{name: lambda name=name: graphs.pointer_program(500)[name] for name in ("address", "copy", "load", "store")},
}


def closure_size(edges: Cells) -> int:
    """How many pairs are connected, by matrix squaring."""
    names = np.unique(edges)
    matrix = np.zeros((len(names), len(names)), bool)
    matrix[np.searchsorted(names, edges[:, 0]), np.searchsorted(names, edges[:, 1])] = True
    while True:
        grown = matrix | ((matrix.astype(np.float32) @ matrix.astype(np.float32)) > 0)
        if (grown == matrix).all():
            return int(matrix.sum())
        matrix = grown


@pytest.mark.parametrize("name", GENERATORS)
def test_same_arguments_give_same_rows(name: str) -> None:
    assert (GENERATORS[name]() == GENERATORS[name]()).all()


@pytest.mark.parametrize("name", GENERATORS)
def test_rows_are_distinct_cells(name: str) -> None:
    rows = GENERATORS[name]()
    assert rows.dtype == np.int64
    assert len(np.unique(rows, axis=0)) == len(rows) > 0


def test_rmat_has_exactly_the_edges_asked_for_and_no_loops() -> None:
    edges = graphs.rmat(10, 10_000)
    assert edges.shape == (10_000, 2)
    assert edges.min() >= 0
    assert edges.max() < 1 << 10
    assert (edges[:, 0] != edges[:, 1]).all()


def test_oriented_rmat_goes_upwards_only() -> None:
    edges = graphs.rmat_upwards(12, 3_000)
    assert (edges[:, 0] < edges[:, 1]).all()


def test_random_graph_of_the_benchmark_connects_every_pair() -> None:
    edges = graphs.random_graph(1000, 0.01)
    assert len(edges) == 10_035
    assert closure_size(edges) == 1_000_000


def test_grid_closure_is_the_square_of_a_triangle_number_without_the_corners() -> None:
    squares = 6
    triangle = (squares + 1) * (squares + 2) // 2
    assert closure_size(graphs.grid(squares)) == triangle**2 - (squares + 1) ** 2


def test_grid_of_the_benchmark_would_close_to_three_and_a_half_million_pairs() -> None:
    assert (61 * 62 // 2) ** 2 - 61**2 == 3_572_160
    assert len(graphs.grid(60)) == 2 * 60 * 61


def test_every_node_of_a_tree_but_the_root_has_one_parent() -> None:
    rows = graphs.tree(2, 10)
    assert rows[:, 1].tolist() == list(range(1, 2047))
    assert np.bincount(rows[:, 0]).tolist() == [2] * 1023


def test_islands_have_one_shape_and_no_bridges() -> None:
    nodes, count = 20, 5
    edges = graphs.islands(count, nodes)
    assert (edges[:, 0] // nodes == edges[:, 1] // nodes).all()
    shapes = (edges % nodes).reshape(count, -1)
    assert (shapes == shapes[0]).all()


def test_nodes_of_edges_stand_once_each() -> None:
    assert graphs.nodes_of(np.array([[1, 2], [2, 1], [3, 1]], np.int64)).tolist() == [[1], [2], [3]]


def test_sample_takes_different_rows_of_the_data() -> None:
    rows = graphs.rmat(8, 1_000)
    taken = {tuple(row) for row in graphs.sample(rows, 100, seed=1).tolist()}
    assert len(taken) == 100
    assert taken <= {tuple(row) for row in rows.tolist()}


def test_checksum_ignores_order_and_sees_every_cell() -> None:
    rows = graphs.rmat(8, 500)
    assert checksum(rows) == checksum(rows[::-1])
    changed = rows.copy()
    changed[17, 1] += 1
    assert checksum(rows) != checksum(changed)
    assert checksum(rows) != checksum(rows[:, ::-1])
    assert checksum(rows) != checksum(rows[:-1])


@pytest.mark.parametrize("make", [dense, sparse])
def test_graphs_of_the_circuits_are_the_same_on_every_run(make: Callable[[int], object]) -> None:
    assert make(20) == make(20)
    assert len(make(20)[1]) > 60
