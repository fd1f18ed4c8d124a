"""The reasons why rewrites refuse rules, by code: TL42xx.

Law: a rewrite accepts rules of the form that the previous pass produces; these codes name the missing form.
"""

from __future__ import annotations

from tidelog.errors import EngineError
from tidelog.errors.entry import FailureEntry

NO_LABEL = FailureEntry(
    "TL4201",
    EngineError,
    "rule without a label",
    "a rule needs a label before it is rewritten",
    "Auxiliary relations are named after the label of their rule.",
    "Label the rules first with `tidelog.rewrite.label_rules`.",
    "from tidelog.program import Atom, Rule\nfrom tidelog.rewrite.label_rules import label_of\n"
    "label_of(Rule(Atom('p', ())))\n",
)
COPY_NAME = FailureEntry(
    "TL4202",
    EngineError,
    "label causes a name conflict",
    "`{name}` is both generated from rule `{label}` and the name of a copy: use another label for the rule",
    "Copies of relations, and relations created from rules, have generated names, which must differ.",
    "",
    test="tests/rewrite/test_place.py::test_copy_with_the_name_of_another_auxiliary_relation_is_refused",
)
NOT_CORE = FailureEntry(
    "TL4203",
    EngineError,
    "rule is not in core form",
    "delta rules need atoms, negated atoms and comparisons; rewrite the rule to core first",
    "Delta rules are derived from core rules, which contain only atoms, negated atoms and comparisons.",
    "",
    "from tidelog.rewrite import to_delta_rules\nfrom tidelog.syntax import parse_rule\n"
    "to_delta_rules(parse_rule('p(X) :- (q(X) ; r(X)).'))\n",
)

ENTRIES = (NO_LABEL, COPY_NAME, NOT_CORE)
