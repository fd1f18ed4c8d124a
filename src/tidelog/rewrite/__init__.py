"""Program-to-program passes: one verb, one file. `pipeline` lists the passes from a text's rules to core rules."""

from tidelog.rewrite.core import is_aggregate_rule, is_core
from tidelog.rewrite.label_rules import label_rules
from tidelog.rewrite.localise import is_localised, localise
from tidelog.rewrite.pipeline import PASSES, to_core, to_core_rule, to_local
from tidelog.rewrite.to_delta_rules import DeltaRule, to_delta_rules

__all__ = [
    "PASSES",
    "DeltaRule",
    "is_aggregate_rule",
    "is_core",
    "is_localised",
    "label_rules",
    "localise",
    "to_core",
    "to_core_rule",
    "to_delta_rules",
    "to_local",
]
