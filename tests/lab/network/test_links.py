"""What links may do to protocols: order and losses (LAM 2010, sections 3.2 and 7).

Hard state needs links that lose nothing and keep their order. Soft state is announced again and again, and recovers
from both. `python -m tests.lab.network.test_links` prints the table of `docs/design/events.md`.
"""

import pytest

from tests.lab.network.judge import PROGRAMS, Links, distances, routes_are_shortest
from tests.lab.network.test_judge import LINKS
from tidelog.lab.network.program import Program
from tidelog.lab.network.read import read_program, read_script, read_topology
from tidelog.lab.network.runtime import NetworkRun, Settings

HARD = """
    materialize(link, infinity, infinity, keys(1, 2)). materialize(path, infinity, infinity, keys(1, 2, 3, 4)).
    materialize(route, infinity, infinity, keys(1, 2)).
    r1 path(@X, Y, P, C) :- link(@X, Y), P := [X, Y], C := 1.
    r2 path(@X, Y, P, C) :- link(@X, Z), route(@Z, Y, N, C2, P2), f_member(P2, X) == 0,
                            P := f_concat(f_append(X), P2), C := C2 + 1.
    r3 route(@X, Y, N, a_MIN<C>, P) :- path(@X, Y, P, C), N := f_item(P, 2).
    """
FLAPS = "at 40. -link(a,b). -link(b,a). at 40.1. +link(a,b). +link(b,a). at 40.2. -link(a,b). -link(b,a)."
KINDS = {
    "in order, none lost": Settings(delay=0.05, jitter=0.2),
    "out of order, none lost": Settings(delay=0.05, jitter=0.2, reorder=True),
    "in order, 2 % lost": Settings(delay=0.05, jitter=0.2, loss=0.02),
    "out of order, 10 % lost": Settings(delay=0.05, jitter=0.2, loss=0.1, reorder=True),
}


def programs() -> dict[str, Program]:
    return {
        "hard state": read_program(HARD),
        "soft state": read_program((PROGRAMS / "sequenced_routes.olg").read_text()),
    }


def is_right(program: Program, settings: Settings) -> bool:
    """Run with a link that flaps; whether all routes are right 40 seconds later."""
    facts = " ".join(f"link({a},{b}). link({b},{a})." for a, b in sorted(LINKS))
    net = NetworkRun(program, read_topology(facts), read_script(FLAPS), settings).run(79)
    left: Links = LINKS - {("a", "b")}
    assert len(distances(left)) == 8
    return routes_are_shortest(net, left)


def with_seed(settings: Settings, seed: int) -> Settings:
    return Settings(seed, settings.delay, settings.jitter, settings.loss, settings.reorder)


@pytest.mark.parametrize("state", ["hard state", "soft state"])
def test_links_in_order_that_lose_nothing_are_enough(state: str) -> None:
    settings = KINDS["in order, none lost"]
    assert all(is_right(programs()[state], with_seed(settings, seed)) for seed in range(3))


def test_hard_state_needs_them_and_soft_state_recovers() -> None:
    settings = KINDS["in order, 2 % lost"]
    assert not all(is_right(programs()["hard state"], with_seed(settings, seed)) for seed in range(3))
    assert any(is_right(programs()["soft state"], with_seed(settings, seed)) for seed in range(3))


if __name__ == "__main__":
    for name, kind in KINDS.items():
        counts = [
            sum(is_right(program, with_seed(kind, seed)) for seed in range(20)) for program in programs().values()
        ]
        print(f"| {name} | {counts[0]} | {counts[1]} |", flush=True)
