"""Deletions picked without looking for the fact (the rules of Navarro and Rybalchenko, criticised in LAM 2010L).

A node takes any update of its bag. A deletion of a fact that is not there leaves the tables as they are, yet fires its
delta rules. Everything else is as in the corrected pipelined algorithm.

This breaks the law of `algorithm`: a deletion that overtakes the insertion it takes back is lost, and the insertion,
arriving later, stays for ever. `p :- a` with +a and -a under way is enough.
"""

from __future__ import annotations

from tidelog.lab.semantics.baselines.baseline import Baseline
from tidelog.lab.semantics.delta import fire_rules
from tidelog.lab.semantics.fact import Node, Update


class UncheckedBaseline(Baseline):
    """Pipelined evaluation whose pick does not look."""

    name = "unchecked"

    def receive(self, node: Node, update: Update) -> tuple[list[Update], str]:
        """Enter the update if that is possible, and fire it in any case."""
        before, note = self._state, ""
        if update.sign > 0:
            self._state = before.plus(node, update.occurrence)
        elif before.holds(node, update.occurrence):
            self._state = before.minus(node, update.occurrence)
        else:
            note = "the fact is not present; fired anyway"
        return fire_rules(self.network, self.annotation, update, before, self._state), note
