"""The naive evaluator and clingo find the same least model.

Can notice: wrong negation, strata, joins, integer arithmetic, aggregates over distinct valuations, the empty group.
Cannot notice: anything about other types, functions, min and max inside recursion, mean, paths.
"""

from random import Random

import pytest

from tidelog.testing import State, random_changes, random_program, states

from .clingo_text import Untranslatable, model_by_clingo

SHARED = frozenset(
    {"arithmetic", "body_aggregates", "comparisons", "constants", "derived_facts", "disjunction", "duplicate_rules",
     "head_aggregates", "head_expressions", "labelled_facts", "negated_wildcards", "negation", "nullary", "ranges",
     "recursion", "rule_changes", "self_joins", "text_facts", "wildcards"}
)  # fmt: skip


@pytest.mark.parametrize("block", range(6))
def test_random_programs_have_the_model_that_clingo_finds(block):
    rng, compared = Random(block), 0
    while compared < 25:
        program = random_program(rng, SHARED)
        for state in states(State.start(program), random_changes(rng, program, 1, SHARED)):
            try:
                expected = model_by_clingo(state.program, state.relations())
            except Untranslatable:
                continue
            assert {name: rows for name, rows in state.model().items() if rows} == expected
            compared += 1
