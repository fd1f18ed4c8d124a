"""Random programs with timers, events, lifetimes, keys, bounded tables, deletions, aggregates and messages: at every
moment that is compared, every table of every node, and the number of messages, are those of a slow, obvious run.

What these tests cannot notice: functions, rules that read several nodes, delays that differ, and losses."""

from __future__ import annotations

from random import Random

import pytest

from tests.lab.network.naive_run import NaiveRun
from tests.law.share import share
from tidelog.lab.network.program import Program
from tidelog.lab.network.read import read_program, read_script, read_topology
from tidelog.lab.network.runtime import NetworkRun, Settings

CASES = share(4, 20)
NODES = ("n0", "n1", "n2")
TABLES, EVENTS = ("t0", "t1", "t2", "t3", "t4"), ("e0", "e1", "e2", "e3")
MOMENTS = (0.5, 3.0, 5.2, 8.1, 12.0, 20.0)


def declarations(rng: Random) -> list[str]:
    """Tables with a random lifetime, size and key."""
    lines = ["materialize(link, infinity, infinity, keys(1, 2)).", "materialize(path, infinity, infinity, keys(1, 2))."]
    for table in TABLES:
        life = rng.choice(["infinity", "infinity", "2.31", "3.73"])
        size = rng.choice(["infinity", "2"])
        lines.append(f"materialize({table}, {life}, {size}, keys({rng.choice(['1, 2', '1, 2, 3', '1, 3'])})).")
    return lines


def program(rng: Random) -> str:
    """Rules whose heads come after their bodies in a random order of relations, so that every step ends."""
    order = [*TABLES, *EVENTS]
    rng.shuffle(order)
    rules = ["path(@M, X) :- link(@N, M), path(@N, X).", "path(@N, N) :- link(@N, M)."][: rng.choice([0, 2])]
    for period in rng.sample([0.71, 1.37, 2.93], k=rng.choice([0, 1, 2])):
        count, head = rng.choice([0, 1, 3]), rng.choice(order)
        rules.append(f"{head}(@N, {rng.randrange(3)}, {rng.randrange(3)}) :- periodic(@N, E, {period}, {count}).")
    for _ in range(rng.choice([3, 5, 8])):
        rules.append(rule(rng, order))
    rng.shuffle(rules)
    return "\n".join([*declarations(rng), *(f"r{number} {text}" for number, text in enumerate(rules, 1))])


def rule(rng: Random, order: list[str]) -> str:
    """One rule of a random shape."""
    low, high = sorted(rng.sample(range(len(order)), k=2))
    trigger, head = order[low], order[high]
    tables = [name for name in order[:high] if name in TABLES]
    shape = rng.random()
    if shape < 0.1:
        return f"delete {rng.choice(TABLES)}(@N, K, {rng.choice(['_', 'V'])}) :- {trigger}(@N, K, V)."
    if shape < 0.2 and tables:
        return f"{head}(@N, K, V) :- delete {rng.choice(tables)}(@N, K, V)."
    if shape < 0.35:
        event = next((name for name in order[:high] if name in EVENTS), None)
        kind = rng.choice(["a_count<*>", "a_MIN<V>", "a_max<V>"])
        if event is not None and tables and rng.random() < 0.5:
            return f"{head}(@N, K, {kind.replace('V', 'W')}) :- {event}(@N, K, V), {rng.choice(tables)}(@N, K2, W)."
        if tables:
            return f"{head}(@N, K, {kind}) :- {rng.choice(tables)}(@N, K, V)."
    body, place, values = [f"{trigger}(@N, K, V)"], "N", ["K", "V"]
    joined = rng.random()
    if joined < 0.3:
        body.append("link(@N, M)")
        place = rng.choice(["N", "M"])
    elif joined < 0.6 and tables:
        body.append(f"{rng.choice(tables)}(@N, {rng.choice(['K', 'V', 'W'])}, {rng.choice(['W', 'V', '_'])})")
        values += ["W"] if "W" in body[-1] else []
    elif joined < 0.75:
        place = "Broadcast"
    if rng.random() < 0.3:
        body.append(rng.choice(["K != V", "V > 0", "K > 1"]))
    if rng.random() < 0.2:
        body.append(f"notin {rng.choice(TABLES)}(@N, K, {rng.choice(['_', 'V'])})")
    if rng.random() < 0.3:
        body.append("S := (V + 1) % 3")
        values.append("S")
    rng.shuffle(body[1:])
    return f"{head}(@{place}, {rng.choice(values)}, {rng.choice(values)}) :- {', '.join(body)}."


def script(rng: Random) -> str:
    """Facts, events and links that come and go, and a node that stops, at times that never coincide."""
    lines = []
    for number in range(rng.choice([6, 15])):
        lines.append(f"at {0.6137 * (number + 1):.4f}.")
        node, chance = rng.choice(NODES), rng.random()
        if chance < 0.1:
            lines.append(f"stop {node}.")
        elif chance < 0.35:
            lines.append(f"{rng.choice('+-')}link({node}, {rng.choice(NODES)}).")
        else:
            sign = "-" if chance < 0.5 else "+"
            name = rng.choice(TABLES if sign == "-" else (*TABLES, *EVENTS))
            lines.append(f"{sign}{name}({node}, {rng.randrange(3)}, {rng.randrange(3)}).")
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(CASES))
def test_every_table_is_that_of_a_slow_run_at_every_moment(seed: int) -> None:
    rng = Random(f"{seed} timed")
    rules = read_program(program(rng))
    links = {(rng.choice(NODES), rng.choice(NODES)) for _ in range(4)}
    topology = read_topology(" ".join(f"link({a}, {b})." for a, b in sorted(links)))
    steps = read_script(script(rng))
    net, slow = NetworkRun(rules, topology, steps, Settings(seed=seed)), NaiveRun(rules, topology, steps)
    for moment in MOMENTS:
        net.run(moment)
        slow.run(moment)
        for table in ("link", "path", *TABLES):
            assert net.rows(table) == slow.rows(table), f"{table} at {moment}"
        assert net.counters.messages == slow.messages


def test_the_programs_of_the_law_have_every_construct() -> None:
    texts = [program(Random(f"{seed} timed")) for seed in range(200)]
    for construct in ("periodic", "delete t", ":- delete", "notin", "Broadcast", "a_count", "a_MIN", "2.31", "@M"):
        assert sum(construct in text for text in texts) > 10, construct
    assert all(isinstance(read_program(text), Program) for text in texts)
