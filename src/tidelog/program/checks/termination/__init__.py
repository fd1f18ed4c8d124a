"""Termination: whether evaluation over finite data surely reaches its fixpoint, reported before anything runs (TL760).

Law: a stratum ends on finite data if every column of its relations takes finitely many values. A value is finite if it
is read from a lower stratum, or is computed from finite values without a cycle (`ranks`); an integer also if it has
a bound on both sides (`numbers`); a list if none of its elements occurs twice or its size is bounded, and a text if it
only gets shorter (`lists`); the best value of a group if no step makes it better (`best`). And however values are
computed, there are finitely many if something finite gets strictly larger with every step around the cycle (`measure`).
A stratum reported as ending ends; another one may end as well, and the finding names the value that could not be
bounded. Nothing is evaluated here. Sizes are not considered: a program that ends may still run for an impractically
long time.
"""

from tidelog.program.checks.termination.acyclic import circular_strata
from tidelog.program.checks.termination.check import TerminationResult, check_ending

__all__ = ["TerminationResult", "check_ending", "circular_strata"]
