"""Termination: whether evaluation over finite data surely reaches its fixpoint, reported before anything runs (TL760).

Law: a stratum ends on finite data if every column of its relations takes finitely many values. A value is finite if it
is read from a lower stratum, or is computed from finite values without a way round (`ranks`); an integer also if it has
a bound on both sides (`numbers`); a list if none of its elements occurs twice or its size is bounded, and a text if it
only gets shorter (`lists`); the best value of a group if no step makes it better (`best`). And however values are
computed, there are finitely many if something finite gets strictly larger with every step round the cycle (`measure`).
What is called ending ends; what is not may end all the same, and the finding names the value whose end is not seen.
Nothing is evaluated here. Sizes are not judged: a program that ends may still take longer than anybody waits.
"""

from tidelog.program.checks.termination.check import TerminationResult, check_ending

__all__ = ["TerminationResult", "check_ending"]
