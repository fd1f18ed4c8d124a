"""From the program of a text to the rules to evaluate: the passes, in order.

Law: each pass maps a program to an equivalent one without a feature of the language; `rewrite.pipeline.PASSES`
continues from there, rule by rule. These passes need the whole program: its declarations, or other rules. A pass runs
only if the program has its feature. Checks examine the program while it still has the words of the text, so the
elaboration after every pass is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import dropwhile

from tidelog.program.elaborate.assign_types import assign_types
from tidelog.program.elaborate.choose_witnesses import choose_witnesses
from tidelog.program.elaborate.close_equivalences import close_equivalences
from tidelog.program.elaborate.count_columns import count_columns
from tidelog.program.elaborate.drop_casts import drop_casts
from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.elaborate.expand_generators import expand_generators
from tidelog.program.elaborate.expand_inline import expand_inline
from tidelog.program.elaborate.features import Feature, features_of
from tidelog.program.elaborate.ground_bundles import ground_bundles
from tidelog.program.elaborate.ground_cycles import ground_cycles
from tidelog.program.elaborate.hide_heads import hide_heads
from tidelog.program.elaborate.lift_inner_aggregates import lift_inner_aggregates
from tidelog.program.elaborate.make_choices import make_choices
from tidelog.program.elaborate.mark_witnesses import mark_witnesses
from tidelog.program.elaborate.resolve_subsumption import resolve_subsumption
from tidelog.program.elaborate.send_broadcasts import send_broadcasts
from tidelog.program.elaborate.separate_scopes import separate_scopes
from tidelog.program.elaborate.wrap_arithmetic import wrap_arithmetic

Pass = Callable[[Elaboration], Elaboration]
Stages = Mapping[Pass, Elaboration]  # the elaboration after each pass

ELABORATE: tuple[tuple[Feature, Pass], ...] = (
    (Feature.CONSTRAINTS, hide_heads),
    (Feature.KEYS, mark_witnesses),
    (Feature.KEYS, choose_witnesses),
    (Feature.BROADCASTS, send_broadcasts),
    (Feature.AGGREGATES, separate_scopes),
    (Feature.RULES, count_columns),
    (Feature.INLINE, expand_inline),
    (Feature.CHOICES, make_choices),
    (Feature.EQUIVALENCES, close_equivalences),
    (Feature.NEGATIONS, ground_cycles),
    (Feature.SUBSUMPTIONS, resolve_subsumption),
    (Feature.RULES, assign_types),
    (Feature.CASTS, drop_casts),
    (Feature.AGGREGATES, lift_inner_aggregates),
    (Feature.RULES, ground_bundles),
    (Feature.GENERATORS, expand_generators),
    (Feature.WRAPPING, wrap_arithmetic),
)


def elaborate(elaboration: Elaboration, first: Pass = hide_heads) -> Stages:
    """The elaboration after every pass, from the ``first`` on.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> text = ".decl p(x: number, y: number) eqrel p(x, y) :- e(x, y, count : { e(x, _, _) })."
    >>> stages = elaborate(Elaboration(parse_program(text)))
    >>> for step in (separate_scopes, close_equivalences):
    ...     print(print_rule(stages[step].program.rules[0]))
    p(x, y) :- e(x, y, count : { e(x, _, _) }).
    __edge_p(x, y) :- e(x, y, count : { e(x, _, _) }).
    """
    features = features_of(elaboration.program)
    elaboration = replace(elaboration, features=features)
    stages: dict[Pass, Elaboration] = {}
    for feature, step in dropwhile(lambda each: each[1] is not first, ELABORATE):
        elaboration = step(elaboration) if feature in features else elaboration
        stages[step] = elaboration
    return stages
