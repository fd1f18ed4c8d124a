"""Heads at `@Broadcast` are joined with the neighbours of the sending node.

Law: `graph.broadcast` defines the rules.
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.graph.broadcast import with_neighbours


def send_broadcasts(elaboration: Elaboration) -> Elaboration:
    """The pass: `with_neighbours` of the program, which may read a `link` that exists outside it."""
    return replace(elaboration, program=with_neighbours(elaboration.program, elaboration.columns()))
