"""Judges for tests: a naive evaluator of the whole language, and random programs and changes for it.

Law: the judges share only the program values and the table of functions with the engine. The Hypothesis
strategies are in `tidelog.testing.strategies`, which needs the ``dev`` extra. `check_order` is exported here for the
test suites of users; it runs the engine, is defined in `tidelog.lab.order` and imported on first use. The judges never
use it.
"""

from importlib import import_module
from typing import Any

from tidelog.testing.changes import EpochChanges, State, states
from tidelog.testing.generate import AGGREGATION, FEATURES, PLAIN, is_acceptable, random_program
from tidelog.testing.generate_changes import random_changes
from tidelog.testing.naive import asserted, evaluate, supports, violations
from tidelog.testing.strata import is_stratified, strata

__all__ = [
    "AGGREGATION",
    "FEATURES",
    "PLAIN",
    "EpochChanges",
    "State",
    "asserted",
    "check_order",
    "evaluate",
    "is_acceptable",
    "is_stratified",
    "random_changes",
    "random_program",
    "states",
    "strata",
    "supports",
    "violations",
]


def __getattr__(name: str) -> Any:
    if name != "check_order":
        raise AttributeError(f"module `tidelog.testing` has no attribute `{name}`")
    return import_module("tidelog.lab.order").check_order
