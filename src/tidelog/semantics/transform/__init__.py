"""Executions turned into one another, as the proof of Theorem 14 does it: permuted, merged, split, pairs worked off."""

from tidelog.semantics.transform.labels import labelled, last_burst
from tidelog.semantics.transform.moves import Move, Transformation
from tidelog.semantics.transform.run import Run
from tidelog.semantics.transform.turn import to_pipelined, to_semi_naive

__all__ = ["Move", "Run", "Transformation", "labelled", "last_burst", "to_pipelined", "to_semi_naive"]
