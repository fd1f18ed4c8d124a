"""When rules are planned: where the facts are, when a stratum is entered, and again when what they read has grown.

Law: a plan is a table, and which facts a step of it sees does not depend on the order of the steps. So a plan may be
replaced whenever no kernel runs, in the middle of an epoch and even of a batch: a walk that is under way goes on in its
old code, which stays until the epoch is committed, and what is fired next follows the new one. A failed epoch leaves
the plans replaced; their indexes stay, too. An index that no plan uses any more is dropped by a commit.

An epoch that changes little pays for one comparison of sizes per stratum. The order of rules with less than three atoms
is never in question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidelog.partition.assemble import Assembler
from tidelog.partition.machine import Machine
from tidelog.partition.plan_counts import write_down
from tidelog.partition.records import LONGEST_KEY
from tidelog.partition.statistics import Statistics
from tidelog.partition.stratum import RuleCode, Stratum
from tidelog.plan.build import Planning
from tidelog.plan.steps import Expose, Plan
from tidelog.plan.work import RuleForm
from tidelog.program.functions import Function

GROWTH = 4  # the factor by which a relation must have grown or shrunk since
SMALL = 64  # facts; below, any plan will do


class Replanner:
    """Plans the rules of a partition, by its own facts."""

    def __init__(
        self,
        machine: Machine,
        assembler: Assembler,
        functions: Mapping[str, tuple[Function, ...]],
        partitions: int,
    ) -> None:
        self.statistics = Statistics(assembler.relations)
        self.replans = 0  # plans replaced in this epoch
        self._machine, self._assembler, self._functions = machine, assembler, functions
        self._partitions = partitions
        self._entered: Stratum | None = None
        self._loose = False  # whether an index may be without a plan that uses it

    def planning(self, form: RuleForm) -> Planning:
        """What the plans of a rule share."""
        return Planning(form.rule, form.schema, self._functions, form.advised)

    # Plans and code

    def plan(self, code: RuleCode, same: frozenset[str]) -> None:
        """Plan a rule for a stratum with these relations, and assemble it."""
        if code.planning.is_free:
            code.sizes = {name: self.statistics.live(name) for name in code.reads}
        plans = code.planning.deltas(self.statistics.seen_from(same, counted=code.planning.is_free))
        if plans != code.plans or same != code.same:
            self._assemble(code, plans, same)
            self.replans += 1
            self._loose = True
        code.plans = plans  # with new estimates

    def assemble(self, code: RuleCode, same: frozenset[str]) -> None:
        """Assemble the plans of a rule for a stratum with these relations."""
        self._assemble(code, code.plans, same)

    def place_whole(self, code: RuleCode) -> int:
        """The place of code that finds all supports of a rule over the whole state; it serves once."""
        plan = code.planning.whole(self.statistics.seen_from((), counted=code.planning.is_free))
        self._loose = True
        return self._place(code, plan, code.same)

    def _assemble(self, code: RuleCode, plans: tuple[Plan, ...], same: frozenset[str]) -> None:
        places = [self._place(code, plan, same) for plan in plans]
        last = plans[0].steps[-1] if plans and plans[0].steps else None
        choice = self._assembler.choice(code.rule, last) if isinstance(last, Expose) else None
        code.plans, code.places, code.same, code.choice = plans, places, same, choice

    def _place(self, code: RuleCode, plan: Plan, same: frozenset[str]) -> int:
        everywhere = code.everywhere and self._partitions > 1
        cells = self._assembler.assemble(plan, code.number, same, everywhere)
        place = self._machine.add_code(cells)
        write_down(self._machine, code, plan, place, len(cells))
        return place

    # When

    def enter(self, stratum: Stratum) -> None:
        """A stratum is visited: rules that read relations of quite another size than before are planned again."""
        self._entered = stratum
        self.refresh()

    def start_epoch(self) -> None:
        """No stratum is visited yet."""
        self._entered, self.replans = None, 0

    def refresh(self) -> None:
        """Plan again what has outgrown its plans in the stratum that is visited; no kernel runs."""
        stratum, relations = self._entered, self._assembler.relations
        if stratum is None or not stratum.watch(relations.numbers, _bounds).is_crossed(relations.directory):
            return
        for code in stratum.rules.values():
            if any(not low <= self.statistics.live(n) <= high for n, (low, high) in _bounds(code.sizes).items()):
                self.plan(code, stratum.relations)
        stratum.replace_plans(relations.numbers)

    # Indexes

    def drop_unused_indexes(self, codes: Iterable[RuleCode]) -> None:
        """Forget the indexes that were made for plans and that none of the rules uses any more."""
        if not self._loose:
            return
        self._loose = False
        relations = self._assembler.relations
        used = {
            (relations.numbers[relation], columns[:LONGEST_KEY]) for code in codes for relation, columns in code.indexes
        }
        for number, columns in relations.index_columns():
            if (number, columns) not in used and number not in self._assembler.memories:
                relations.drop_index(number, columns)


def _bounds(sizes: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Between which sizes plans that were made for these sizes stay."""
    return {name: (size // GROWTH if size > SMALL else 0, max(size * GROWTH, SMALL)) for name, size in sizes.items()}
