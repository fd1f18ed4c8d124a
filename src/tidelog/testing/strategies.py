"""The random programs and changes as Hypothesis strategies, so that failures shrink.

Law: one generator serves both; Hypothesis only takes the place of the random source. Needs the ``dev`` extra.
"""

from __future__ import annotations

from hypothesis import strategies as st

from tidelog.program import Program
from tidelog.testing.changes import EpochChanges
from tidelog.testing.generate import FEATURES, random_program
from tidelog.testing.generate_changes import random_changes


def programs(features: frozenset[str] = FEATURES) -> st.SearchStrategy[Program]:
    """Programs as `random_program` makes them."""
    return st.randoms(use_true_random=False).map(lambda rng: random_program(rng, features))


@st.composite
def histories(
    draw: st.DrawFn, features: frozenset[str] = FEATURES, most_epochs: int = 5
) -> tuple[Program, list[EpochChanges]]:
    """A program with a sequence of changes for it."""
    rng = draw(st.randoms(use_true_random=False))
    program = random_program(rng, features)
    return program, random_changes(rng, program, draw(st.integers(1, most_epochs)), features)
