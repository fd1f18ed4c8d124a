"""Every schedule of the last epoch: whether all of them end, and end in the state of evaluation from scratch.

Law: nothing is sampled. Either all orders of delivery have been followed and agree, or one that ends elsewhere is
shown, a shortest one, and one that never ends, with the messages that come round again and again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from tidelog.lab.semantics.algorithm import Schedule, run
from tidelog.lab.semantics.explore import Exploration, end_of, explore_algorithm
from tidelog.lab.semantics.scratch import least_model
from tidelog.lab.semantics.traffic import explorable_by_name
from tidelog.lab.simulate.inputs import Inputs


def explore_last_epoch(name: str, schedule: Schedule, inputs: Inputs, limit: int) -> Exploration:
    """Bring the network to rest before its last epoch, then follow every order of delivery."""
    algorithm = explorable_by_name(name)
    algorithm.load(inputs.network.program, inputs.facts)
    for changes in inputs.script:
        run(algorithm, schedule, limit)
        algorithm.apply(changes)
    right = end_of(dict.fromkeys(least_model(inputs.network, inputs.base()), 1))
    return explore_algorithm(algorithm, right, limit)


def show_every(to: Console, found: Exploration) -> None:
    """The verdict over all schedules, and what is wrong under some."""
    for line in lines_about(found):
        to.print(line)


def lines_about(found: Exploration) -> Iterator[str]:
    """The output of `tidelog simulate --every`."""
    yield f"every schedule of the last epoch: {found.states} states, {_verdict(found)}"
    if found.counterexample is not None:
        yield "a shortest schedule that ends in another state:"
        yield from _numbered(found.counterexample)
    if found.cycle is not None:
        yield "a schedule that never ends:"
        yield from _numbered(found.cycle.way)
        yield "  and then forever"
        yield from _numbered(found.cycle.around, len(found.cycle.way))
        if found.cycle.starved:
            yield f"  while these are waiting: {', '.join(found.cycle.starved)}"


def _verdict(found: Exploration) -> str:
    if found.agrees:
        return f"all end in the state of evaluation from scratch, after at most {found.longest} steps"
    wrong = [end for end in found.ends if end != found.expected]
    parts = [f"{len(wrong)} wrong final states"] if wrong else []
    return " and ".join([*parts, "an infinite schedule"] if found.cycle is not None else parts)


def _numbered(moves: Sequence[str], before: int = 0) -> Iterator[str]:
    for number, move in enumerate(moves, before + 1):
        yield f"{number:6}  {move}"
