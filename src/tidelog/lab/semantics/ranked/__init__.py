"""Ranked support: Tidelog's own algorithm as a small, slow transition system over nodes."""

from tidelog.lab.semantics.ranked.algorithm import RankedAlgorithm
from tidelog.lab.semantics.ranked.invariants import broken_invariants
from tidelog.lab.semantics.ranked.rank import GROUND, Rank
from tidelog.lab.semantics.ranked.support import Support

__all__ = ["GROUND", "Rank", "RankedAlgorithm", "Support", "broken_invariants"]
