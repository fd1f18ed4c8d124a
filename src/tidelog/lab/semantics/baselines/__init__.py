"""Algorithms that others proposed, faults included: what Tidelog's are compared with."""

from tidelog.lab.semantics.baselines.base_facts import BaseFacts, NumberedBaseFacts
from tidelog.lab.semantics.baselines.heights import Heights, UnsynchronisedHeights
from tidelog.lab.semantics.baselines.unchecked import UncheckedBaseline

__all__ = ["BaseFacts", "Heights", "NumberedBaseFacts", "UncheckedBaseline", "UnsynchronisedHeights"]
