"""Theorem 1 of LAM 2010L as functions: from a proof of one kind to a proof of the other, of the same sequent.

Law: `as_sn_proof` and `as_psn_proof` run the other algorithm from the proof's end sequent. `turned_to_sn` and
`turned_to_psn` follow the paper's argument: they return every intermediate proof, each obtained from the one before by
one of its lemmas (permute, merge, split), and each a proof of the same sequent. For these the view D has to be empty,
since which derivation an occurrence of D has is not written in the sequent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from tidelog.lab.semantics.algorithm import Schedule
from tidelog.lab.semantics.annotation import stripped
from tidelog.lab.semantics.configuration import Configuration, Semantics
from tidelog.lab.semantics.executions.pipelined import pipelined_trace
from tidelog.lab.semantics.executions.synchronous import synchronous_trace
from tidelog.lab.semantics.fact import Fact
from tidelog.lab.semantics.sellf import instructions as i
from tidelog.lab.semantics.sellf.encoding import configuration_of, update_of
from tidelog.lab.semantics.sellf.formula import AtomFormula
from tidelog.lab.semantics.sellf.proofs import derivation_of, trace_of
from tidelog.lab.semantics.sellf.rules import SequentDerivation
from tidelog.lab.semantics.trace import RunTrace
from tidelog.lab.semantics.transform import Transformation, to_pipelined, to_semi_naive


def asked_in(derivation: SequentDerivation) -> Fact:
    """s: the fact that the end sequent asks for."""
    (atom,) = derivation.end.contexts[i.QUERY]
    return update_of((*cast("AtomFormula", atom).args, i.INS)).fact


def as_sn_proof(semantics: Semantics, derivation: SequentDerivation) -> SequentDerivation:
    """An SN-proof of the sequent that a proof is of."""
    start = configuration_of(semantics, derivation.end)
    return derivation_of(synchronous_trace(semantics, start), asked_in(derivation))


def as_psn_proof(semantics: Semantics, derivation: SequentDerivation, schedule: Schedule) -> SequentDerivation:
    """A PSN-proof of the sequent that a proof is of, in the order of a schedule."""
    start = configuration_of(semantics, derivation.end)
    return derivation_of(pipelined_trace(semantics, start, schedule), asked_in(derivation))


def turned_to_sn(semantics: Semantics, derivation: SequentDerivation) -> list[tuple[str, SequentDerivation]]:
    """From left to right: the lemma that gave it and the proof, from the given one to an SN-proof."""
    return _turned(semantics, derivation, to_semi_naive(trace_of(semantics, derivation)))


def turned_to_psn(semantics: Semantics, derivation: SequentDerivation) -> list[tuple[str, SequentDerivation]]:
    """From right to left: the lemma that gave it and the proof, from the given one to a PSN-proof."""
    return _turned(semantics, derivation, to_pipelined(trace_of(semantics, derivation)))


def _turned(
    semantics: Semantics, derivation: SequentDerivation, turning: Transformation
) -> list[tuple[str, SequentDerivation]]:
    asked = asked_in(derivation)
    return [(move.lemma, derivation_of(_plain(semantics, move.run.trace), asked)) for move in turning.moves]


def _plain(semantics: Semantics, trace: RunTrace) -> RunTrace:
    """A trace from empty tables without the labels by which the lemmas distinguish occurrences."""
    start = Configuration().sent(semantics.network, map(stripped, trace.start.waiting()))
    steps = [replace(step, update=stripped(step.update), sent=tuple(map(stripped, step.sent))) for step in trace.steps]
    return RunTrace(semantics, start, tuple(steps))
