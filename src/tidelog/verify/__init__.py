"""Certificates: an independent check that a state is exactly the least (perfect) model of its program.

It shares no evaluation code with the engine, its rewrites or the naive evaluator: it uses only their syntax of
programs, the checks, the table of functions, and the state that the engine exposes.
"""

from tidelog.verify.check import verify
from tidelog.verify.core_text import export_core
from tidelog.verify.report import Certificate, Verdict, Violation
from tidelog.verify.stages import verify_facts

__all__ = ["Certificate", "Verdict", "Violation", "export_core", "verify", "verify_facts"]
