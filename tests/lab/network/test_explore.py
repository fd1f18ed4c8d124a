"""Every order of delivery on small networks: with order on every link all end in the tables of a search.

LAM 2010 (section 3.2) asks for links that keep their order. Without it a retraction overtakes the insertion that it
takes back, and orders exist that end elsewhere.
"""

import pytest

from tidelog.errors import TidelogError
from tidelog.lab.network.explore import explore
from tidelog.lab.network.read import read_program, read_script, read_topology

REACH = """
    materialize(link, infinity, infinity, keys(1, 2)). materialize(path, infinity, infinity, keys(1, 2, 3)).
    r1 path(@X, Y, P) :- link(@X, Y), P := [X, Y].
    r2 path(@X, Y, P) :- link(@X, Z), path(@Z, Y, P2), f_member(P2, X) == 0, P := f_concat(f_append(X), P2).
    """
FLOOD = """
    materialize(link, infinity, infinity, keys(1, 2)). materialize(known, infinity, infinity, keys(1, 2)).
    f1 seen(@N, I, a_COUNT<*>) :- news(@N, I), known(@N, I).
    f2 known(@N, I) :- seen(@N, I, C), C == 0.
    f3 flood(@Broadcast, I) :- seen(@N, I, C), C == 0.
    f4 news(@Here, I) :- flood(@X, I).
    """
TRIANGLE = "link(a,b). link(b,a). link(b,c). link(c,b). link(a,c). link(c,a)."


def explored(text: str, topology: str, changes: str, **options):
    return explore(read_program(text), read_topology(topology), read_script(changes), **options)


def paths(end) -> set[tuple]:
    return {row for _, relation, row in end if relation == "path"}


def test_all_orders_of_a_failure_end_in_the_paths_that_are_left() -> None:
    found = explored(REACH, TRIANGLE, "-link(a,b). -link(b,a).")
    (end,) = found.ends
    assert paths(end) == {
        ("a", "c", ("a", "c")), ("c", "a", ("c", "a")), ("b", "c", ("b", "c")), ("c", "b", ("c", "b")),
        ("a", "b", ("a", "c", "b")), ("b", "a", ("b", "c", "a")),
    }  # fmt: skip
    assert found.states > 10
    assert found.longest > 3


def test_all_orders_of_a_flood_inform_every_node() -> None:
    found = explored(FLOOD, TRIANGLE, "+news(a, 1). +news(b, 2).")
    (end,) = found.ends
    assert {row for _, relation, row in end if relation == "known"} == {(n, i) for n in "abc" for i in (1, 2)}


def test_without_order_on_links_some_orders_end_elsewhere() -> None:
    burst = "+link(a,b). -link(a,b). +link(a,b). -link(a,b)."
    kept = explored(REACH, "link(b,c). link(c,b). here(a).", f"+link(b,a). {burst}")
    assert len(kept.ends) == 1
    mixed = explored(REACH, "link(b,c). link(c,b). here(a).", f"+link(b,a). {burst}", reorder=True)
    assert len(mixed.ends) > 1


def test_large_explorations_stop() -> None:
    with pytest.raises(TidelogError) as caught:
        explored(REACH, TRIANGLE, "-link(a,b). -link(b,a).", limit=5)
    assert caught.value.code == "TL7460"
