"""A directed link distinguishes the localisations of texts 000 and 002.

LAM 2010 lets node Z send to every S that Z itself has a link to; that is right only if links are symmetric. PPDP 2011
sends to every S that has a link to Z, which Z knows by `co-link`. Tidelog's mirror of the link is the latter.
"""

import pytest

from tidelog.lab.semantics.network import prepare
from tidelog.lab.semantics.scratch import least_model
from tidelog.lab.semantics.traffic import FIGURE, FIGURE_BOTH_WAYS, localised
from tidelog.program import Program
from tidelog.syntax import parse_program
from tidelog.testing import evaluate

WRITTEN = parse_program(
    """
    r1: reachable(@S,D) :- link(@S,D).
    r2: reachable(@S,D) :- link(@S,Z), reachable(@Z,D).
    """
)
TEXT_000 = parse_program(
    """
    r1: reachable(@S,D) :- link(@S,D).
    r2-1: reachable(@S,D) :- link(@S,Z), aux(@S,Z,D).
    r2-2: aux(@S,Z,D) :- reachable(@Z,D), link(@Z,S).
    """
)
TEXT_002 = parse_program(
    """
    r1: reachable(@S,D) :- link(@S,D).
    r2-1: reachable(@S,D) :- link(@S,Z), aux(@S,Z,D).
    r2-2: aux(@S,Z,D) :- reachable(@Z,D), colink(@Z,S).
    r2-3: colink(@Z,S) :- link(@S,Z).
    """
)


def reachable(program: Program, topology) -> set[tuple]:
    model = least_model(prepare(program), topology.facts())
    return {fact.row for fact in model if fact.relation == "reachable"}


def by_definition(topology) -> set[tuple]:
    return set(evaluate(WRITTEN, {"link": [fact.row for fact in topology.facts()]})["reachable"])


@pytest.mark.parametrize("program", [TEXT_002, localised(WRITTEN)], ids=["PPDP 2011", "tidelog"])
@pytest.mark.parametrize("topology", [FIGURE, FIGURE_BOTH_WAYS], ids=lambda t: t.name)
def test_mirrored_links_localise_directed_and_symmetric_networks(program: Program, topology) -> None:
    assert reachable(program, topology) == by_definition(topology)


def test_localisation_of_text_000_needs_symmetric_links() -> None:
    assert reachable(TEXT_000, FIGURE_BOTH_WAYS) == by_definition(FIGURE_BOTH_WAYS)
    assert reachable(TEXT_000, FIGURE) < by_definition(FIGURE)


def test_rules_that_share_a_mirror_bring_it_once() -> None:
    twice = parse_program("p(@S,D) :- link(@S,Z), q(@Z,D). r(@S,D) :- link(@S,Z), s(@Z,D).")
    heads = [rule.head.predicate for rule in localised(twice).rules]
    assert heads.count("__at_link_2") == 1
