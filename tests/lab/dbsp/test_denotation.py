"""Figure 2 written with plain streams of streams, as the figure draws it, against the circuit that keeps traces.

Every operator here is its definition: integrate twice, apply, differentiate twice. Slow, and the same answers.
"""

import pytest

from tidelog.lab.dbsp import (
    ZSETS,
    IncrementalCircuit,
    Kit,
    Stream,
    ZSet,
    delay,
    differentiate,
    distinct,
    eliminate,
    incremental_distinct,
    integrate,
    introduce,
    lift,
    lift2,
    nested_feedback,
    streams,
)
from tidelog.lab.dbsp.incremental_circuit import summed_parts

from .notation import facts, rules

INNER, ROUNDS = streams(ZSETS), 9
NOTHING = ZSet()
CLOSURE = rules("T(x,y) <- E(x,y)", "T(x,z) <- E(x,y), T(y,z)")
EPOCHS = {
    "facts": [(CLOSURE, facts("E(0,1)", "E(1,2)")), (NOTHING, facts("E(2,0)")), (NOTHING, -facts("E(0,1)"))],
    "rules": [
        (rules("T(x,y) <- E(x,y)"), facts("E(0,1)", "E(1,0)")),
        (rules("T(x,z) <- E(x,y), T(y,z)"), NOTHING),
        (-rules("T(x,y) <- E(x,y)"), NOTHING),
    ],
}


def states(s):
    return integrate(lift(integrate, INNER)(s))


def changes(s):
    return lift(differentiate, INNER)(differentiate(s))


def nested_join(function):
    def scalar(left, right):
        found = (
            (function(key, a, b), v * w)
            for (key, a), v in left.items()
            for (other, b), w in right.items()
            if key == other
        )
        return ZSet.counted((element, weight) for element, weight in found if element is not None)

    operator = lift2(lift2(scalar, ZSETS), INNER)
    return lambda left, right: changes(operator(states(left), states(right)))


def nested_distinct(s):
    return changes(lift(lift(distinct, ZSETS), INNER)(states(s)))


def figure_2(epochs):
    """The change of the state at each outer time."""
    kit, enter, plus = Kit(), lift(lambda z: introduce(ZSETS, z), INNER), streams(INNER).add
    parts = (kit.directions, lambda rule: [kit.signal(rule)])
    directions, signals = (
        enter(incremental_distinct(Stream.of(ZSETS, [ZSet(summed_parts(part, r)) for r, _ in epochs])))
        for part in parts
    )
    arrived = enter(Stream.of(ZSETS, [f for _, f in epochs]))
    start = enter(Stream.of(ZSETS, [ZSet.of((0, ()))]))
    gatekeep, product, ground = map(nested_join, (kit.propose, kit.unify, kit.ground))

    def materialise(rewrites):
        return nested_distinct(plus(arrived, ground(rewrites, signals)))

    def loop(earlier):
        rewrites = plus(start, earlier)
        return nested_distinct(product(gatekeep(rewrites, directions), materialise(rewrites)))

    found = materialise(plus(start, lift(delay, INNER)(nested_feedback(ZSETS, loop))))
    return [eliminate(found[outer], least=ROUNDS) for outer in range(len(epochs))]


@pytest.mark.parametrize("name", EPOCHS)
def test_figure_2_as_plain_streams_gives_the_changes_of_the_circuit(name):
    circuit = IncrementalCircuit()
    assert figure_2(EPOCHS[name]) == [circuit.step(*epoch) for epoch in EPOCHS[name]]
