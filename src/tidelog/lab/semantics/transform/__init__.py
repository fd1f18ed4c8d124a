"""Executions turned into one another, as the proof of Theorem 14 does it: permuted, merged, split, pairs worked off."""

from tidelog.lab.semantics.transform.labels import labelled, last_burst
from tidelog.lab.semantics.transform.moves import Move, Transformation
from tidelog.lab.semantics.transform.run import Run
from tidelog.lab.semantics.transform.turn import to_pipelined, to_semi_naive

__all__ = ["Move", "Run", "Transformation", "labelled", "last_burst", "to_pipelined", "to_semi_naive"]
