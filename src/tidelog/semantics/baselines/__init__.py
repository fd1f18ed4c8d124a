"""Algorithms that others proposed, faults included: what Tidelog's are compared with."""

from tidelog.semantics.baselines.base_facts import BaseFacts
from tidelog.semantics.baselines.heights import Heights
from tidelog.semantics.baselines.unchecked import Unchecked

__all__ = ["BaseFacts", "Heights", "Unchecked"]
