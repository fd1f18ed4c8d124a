"""Graphs of autonomous systems that look like the Internet's, and the routing policy that is run on them.

Law: the same seed yields the same graph. The provider relation has no cycle: systems are numbered in the order in which
they join, and providers have lower numbers. The first few peer with each other and have no provider. A newcomer
prefers providers that have many customers already, which produces the long tail of degrees, and most systems have no
customer. Both ends of a link between peers are drawn by their number of customers too, and neither serves the other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmarks.data.graphs import Cells

TOP = 12
PROVIDERS = (0.42, 0.36, 0.14, 0.08)
"""The shares of newcomers with one, two, three and four providers: 1.9 on average."""
PEERS_EACH = 2.0
"""Links between peers, per system."""
SELLING, MEETING = 0.3, 0.25
"""The shares of newcomers that will ever have a customer, and of systems that peer without having one."""

POLICY = """
u1: from_customer(@X, D, X, 0) :- destination(@X), D = X.
u2: from_customer(@X, D, Y, L + 1) :- provider(@Y, X), up(@Y, D, L).
u3: up(@X, D, a_MIN<L>) :- from_customer(@X, D, _, L).

p1: from_peer(@X, D, Y, L + 1) :- peer(@Y, X), up(@Y, D, L).
p2: across(@X, D, a_MIN<L>) :- from_peer(@X, D, _, L).

d1: offered(@X, D, L) :- up(@X, D, L).
d2: offered(@X, D, L) :- across(@X, D, L), !up(@X, D, _).
d3: offered(@X, D, L) :- down(@X, D, L), !up(@X, D, _), !across(@X, D, _).
d4: from_provider(@X, D, Y, L + 1) :- customer(@Y, X), offered(@Y, D, L).
d5: down(@X, D, a_MIN<L>) :- from_provider(@X, D, _, L).

n1: next(@X, D, a_MIN<Y>) :- up(@X, D, L), from_customer(@X, D, Y, L).
n2: next(@X, D, a_MIN<Y>) :- across(@X, D, L), from_peer(@X, D, Y, L), !up(@X, D, _).
n3: next(@X, D, a_MIN<Y>) :- down(@X, D, L), from_provider(@X, D, Y, L), !up(@X, D, _), !across(@X, D, _).
"""
"""Routes as providers, peers and customers sell them.

Routes of a customer are announced to everybody, those of peers and providers only to customers. A route through a
customer is taken before one through a peer, that before one through a provider, then the shortest, then the neighbour
with the lowest number. The three kinds are three strata, so that each least value is found once.
"""
PATHS = """
w1: path(@X, D, P) :- next(@X, D, X), P = f_init(X, X).
w2: path(@X, D, P) :- next(@X, D, Y), X != Y, path(@Y, D, Q), P = f_concat(X, Q).
"""
LEAK = "u4: from_customer(@X, D, Y, L + 1) :- provider(@Y, X), across(@Y, D, L), Y = {system}."
"""One system announces the routes of its peers to its providers: a route leak."""


@dataclass(frozen=True)
class Internet:
    """Systems 0 to ``systems`` - 1: rows of (customer, provider), and of (peer, peer) once each."""

    systems: int
    provided: Cells
    peering: Cells

    @cached_property
    def customers(self) -> Cells:
        """How many customers each system has."""
        return np.bincount(self.provided[:, 1], minlength=self.systems)

    @cached_property
    def degrees(self) -> Cells:
        """How many neighbours each system has."""
        ends = np.concatenate([self.provided.ravel(), self.peering.ravel()])
        return np.bincount(ends, minlength=self.systems)

    def facts(self, destinations: Cells) -> dict[str, Cells]:
        """The relations that the policy reads; both ends of a link know of it."""
        return {**link_facts(self.provided, self.peering), "destination": destinations.reshape(-1, 1)}

    def tail_exponent(self, least: int = 5) -> float:
        """How fast degrees fall off: the exponent of a power law fitted to those of at least ``least``."""
        tail = self.degrees[self.degrees >= least]
        return float(1 + len(tail) / np.log(tail / (least - 0.5)).sum())


def link_facts(provided: Cells, peering: Cells) -> dict[str, Cells]:
    """Links as facts of the policy."""
    return {
        "provider": provided,
        "customer": provided[:, ::-1].copy(),
        "peer": np.concatenate([peering, peering[:, ::-1]]),
    }


def internet(systems: int, seed: int = 1) -> Internet:
    """An Internet of this many systems."""
    draw = random.Random(seed)
    provided = list(_providers(systems, draw))
    return Internet(systems, _cells(provided), _cells(_peers(systems, provided, draw)))


def _providers(systems: int, draw: random.Random) -> Iterator[tuple[int, int]]:
    """(customer, provider), by preference for those who have customers: ``urn`` holds each of them once more."""
    urn = list(range(TOP))
    for newcomer in range(TOP, systems):
        wanted = draw.choices(range(1, len(PROVIDERS) + 1), PROVIDERS)[0]
        chosen: set[int] = set()
        while len(chosen) < wanted:
            chosen.add(draw.choice(urn))
        yield from ((newcomer, provider) for provider in sorted(chosen))
        urn += sorted(chosen)
        if draw.random() < SELLING:
            urn.append(newcomer)


def _peers(systems: int, provided: list[tuple[int, int]], draw: random.Random) -> list[tuple[int, int]]:
    """The clique of the first, and links whose ends are drawn by their customers."""
    served = set(provided)
    found = {(low, high) for high in range(TOP) for low in range(high)}
    urn = [system for system in range(TOP, systems) if draw.random() < MEETING]
    urn += [provider for _, provider in provided if provider >= TOP]
    while len(found) < PEERS_EACH * systems:
        low, high = sorted((draw.choice(urn), draw.choice(urn)))
        if low != high and (high, low) not in served:
            found.add((low, high))
    return sorted(found)


def _cells(rows: list[tuple[int, int]]) -> Cells:
    return np.array(rows, dtype=np.int64)
