"""The invariants of ranked support, checked from outside.

Law: I1 and I2 of `support`. Every support is counted again from the visible facts, with none of the bookkeeping that is
being judged; so a quiescent network that passes holds the least model.
"""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.lab.semantics.annotation import PLAIN
from tidelog.lab.semantics.delta import axioms, chosen, join
from tidelog.lab.semantics.fact import Fact
from tidelog.lab.semantics.ranked.algorithm import RankedAlgorithm
from tidelog.lab.semantics.ranked.rank import GROUND, Rank
from tidelog.lab.semantics.ranked.support import Support


def broken_invariants(ranked: RankedAlgorithm) -> list[str]:
    """What is wrong with a quiescent network, one sentence per fact; empty if nothing is."""
    found: dict[Fact, list[Rank]] = {}
    for fact, body_rank in _supports(ranked):
        found.setdefault(fact, []).append(body_rank)
    findings: list[str] = []
    for fact in sorted(set(found) | set(ranked.supports), key=str):
        entry = ranked.supports.get(fact, Support(GROUND))
        ranks = found.get(fact, [])
        low = sum(rank < entry.rank for rank in ranks)
        if entry.all != len(ranks):
            findings.append(f"I1: {fact} has {len(ranks)} supports, all = {entry.all}")
        if entry.low != low:
            findings.append(f"I2: {fact} has {low} supports of lower rank, low = {entry.low}")
        if entry.present and not low:
            findings.append(f"I2: {fact} is present without a support of lower rank")
        if not entry.present:
            findings.append(f"I1: {fact} is absent with {len(ranks)} supports")
    return findings


def _supports(ranked: RankedAlgorithm) -> Iterator[tuple[Fact, Rank]]:
    network = ranked.network
    for fact in ranked.asserted:
        yield fact, GROUND
    for update in axioms(network, PLAIN):
        yield update.fact, GROUND
    for rule in network.rules:
        for node in ranked.visible.state.nodes() if rule.atoms else ():
            tables = [ranked.visible.state.table(node, atom.predicate) for atom in rule.atoms]
            for instance in join(rule, tables):
                for _ in range(instance.copies):
                    yield instance.head, ranked.body_rank(instance)
    for candidate in ranked.shown_candidates():
        yield chosen(network.choice_of[candidate.relation], candidate), ranked.rank_of(candidate)
