"""Algorithms that others proposed, faults included: what Tidelog's are compared with."""

from tidelog.semantics.baselines.base_facts import BaseFacts, NumberedBaseFacts
from tidelog.semantics.baselines.heights import Heights, HeightsAlone
from tidelog.semantics.baselines.unchecked import Unchecked

__all__ = ["BaseFacts", "Heights", "HeightsAlone", "NumberedBaseFacts", "Unchecked"]
