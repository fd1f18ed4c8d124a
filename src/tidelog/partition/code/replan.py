"""When rules are planned: where the facts are, when a stratum is entered, and again when the relations read have grown.

Law: a plan is a table, and which facts a step of it sees does not depend on the order of the steps. So a plan may be
replaced whenever no kernel runs, in the middle of an epoch and even of a batch: a walk in progress continues in its old
code, which is kept until the epoch is committed, and facts fired later use the new one. A failed epoch keeps the new
plans and their indexes. The commit of an epoch that replaced plans chooses the indexes of all plans together, and drops
those that no plan uses any more.

A small epoch only pays for one comparison of sizes per stratum. Rules with fewer than three atoms are never reordered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf

from tidelog.partition.code.assemble import Assembler
from tidelog.partition.code.charts import Charts
from tidelog.partition.code.index_use import IndexUse
from tidelog.partition.code.machine import Machine
from tidelog.partition.code.plan_counts import write_down
from tidelog.partition.code.stratum import RuleCode, Stratum
from tidelog.partition.memory.records import LONGEST_KEY
from tidelog.partition.memory.statistics import GROWING, Statistics
from tidelog.plan.indexes import Lookup, lookups, narrowed, scanned_first, serving, with_estimates
from tidelog.plan.plan_rule import RulePlanner
from tidelog.plan.steps import Expose, Plan, is_ordered
from tidelog.plan.work import RuleForm
from tidelog.program.functions.table import Function

GROWTH = 4  # the factor by which a relation must have grown or shrunk since
SMALL = 64  # facts; below this, any plan is good enough


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
        self.replans = 0  # rules whose plans were replaced in this epoch
        self._machine, self._assembler, self._functions = machine, assembler, functions
        self._partitions = partitions
        self._entered: Stratum | None = None
        self.is_loose = False  # whether an index may be without a plan that uses it
        self._use = IndexUse()
        self.charts = Charts()
        self.keeps_indexes = False  # whether plans that run once may have indexes made
        self._wished: set[Lookup] = set()  # ordered indexes that a question could have used

    def planning(self, form: RuleForm) -> RulePlanner:
        """The context shared by the plans of a rule."""
        return RulePlanner(form.rule, form.schema, self._functions, form.advised)

    # Plans and code

    def plan(self, code: RuleCode, same: frozenset[str]) -> None:
        """Plan a rule for a stratum with these relations, and assemble it; planning many takes time that is limited."""
        self._machine.check_time()
        code.sizes = {}
        if code.planning.is_free:
            code.sizes = {name: self.statistics.live(name) for name in code.reads}
        plans = code.planning.deltas(self.statistics.seen_from(same, counted=code.planning.is_free))
        plans = self._served(code, plans, self._serving(plans))
        if plans != code.plans or same != code.same:
            self.replans += bool(code.plans)
            self._assemble(code, plans, same)
            self.is_loose = True
        code.plans = plans  # with new estimates

    def assemble(self, code: RuleCode, same: frozenset[str]) -> None:
        """Assemble the plans of a rule for a stratum with these relations."""
        self._assemble(code, code.plans, same)

    def estimated(self, code: RuleCode) -> tuple[Plan, ...]:
        """The plans of a rule with present estimates."""
        fresh = code.planning.deltas(self.statistics.seen_from(code.same))
        return tuple(with_estimates(old, new) for old, new in zip(code.plans, fresh, strict=True))

    def place_whole(self, code: RuleCode) -> int:
        """The place of code that finds all supports of a rule over the whole state; it is used once."""
        self._machine.check_time()
        plan = code.planning.whole(self.statistics.seen_from((), counted=code.planning.is_free))
        self.is_loose = True
        plan = narrowed(plan, self._serving((plan,)))
        plan = scanned_first(plan, self._may_begin_with)
        return self._place(code, plan, code.same)

    def _may_begin_with(self, index: Lookup) -> bool:
        """Whether a plan that runs once may start with a look-up by an index: it exists, or is made for later queries.

        Sorting takes as long as ten scans, so that an ordered index is made when it is requested again.
        """
        if not self.keeps_indexes or index in self._indexes():
            return index in self._indexes()
        again = index in self._wished or not is_ordered(index[1])
        self._wished.add(index)
        return again

    def _assemble(self, code: RuleCode, plans: tuple[Plan, ...], same: frozenset[str]) -> None:
        places = [self._place(code, plan, same) for plan in plans]
        last = plans[0].steps[-1] if plans and plans[0].steps else None
        choice = self._assembler.choice(code.rule, last) if isinstance(last, Expose) else None
        code.plans, code.places, code.same, code.choice = plans, places, same, choice
        self._use.change(code, in_force=True)
        self.charts.forget_plans(code.rule.head.predicate)

    def _place(self, code: RuleCode, plan: Plan, same: frozenset[str]) -> int:
        everywhere = code.everywhere and self._partitions > 1
        cells = self._assembler.assemble(plan, code.number, same, everywhere)
        place = self._machine.add_code(cells)
        write_down(self._machine, code, plan, place, len(cells))
        return place

    # When

    def enter(self, stratum: Stratum) -> None:
        """Begin the visit of a stratum: replan rules that read relations whose sizes have changed a lot."""
        self._entered = stratum
        if stratum.watch is None or stratum.watch.is_crossed(self._assembler.relations.directory):
            self.refresh()

    def draw(self, number: int) -> None:
        """Chart a stratum that is about to be visited, with suitable plans."""
        self.enter(self.charts.strata[number])
        self.charts.draw(number, self._assembler.relations.numbers, _bounds)

    def start_epoch(self) -> None:
        """Note that no stratum is visited yet."""
        self._entered, self.replans = None, 0

    def refresh(self) -> None:
        """Replan rules of the visited stratum that have outgrown their plans; no kernel may be running."""
        stratum, relations = self._entered, self._assembler.relations
        if stratum is None:
            return
        watch = stratum.watch or stratum.watch_over(relations.numbers, _bounds)
        if not watch.is_crossed(relations.directory):
            return
        for code in stratum.rules.values():
            if any(not low <= self.statistics.live(n) <= high for n, (low, high) in _bounds(code.sizes).items()):
                self.plan(code, stratum.relations)
                if self._machine.firing:
                    self._fill_indexes(code)
        stratum.replace_plans(relations.numbers)

    def _fill_indexes(self, code: RuleCode) -> None:
        """Let the indexes that a plan reads catch up; the kernel does that only where a batch begins."""
        relations = self._assembler.relations
        for relation, columns in lookups(code.plans):
            relations.index(relations.numbers[relation], columns)

    # Indexes

    def forget(self, code: RuleCode) -> None:
        """Forget a rule that is no longer in force."""
        self._use.change(code, in_force=False)
        self.is_loose = True

    def settle(self, strata: Mapping[str, Stratum]) -> None:
        """Choose the indexes of plans that have changed, and forget those that were made for plans and that none uses.

        ``strata`` are those of all relations.
        """
        self.is_loose = False
        replaced: dict[int, Stratum] = {}
        for code in self._use.choose(self._chain):
            plans = self._served(code, code.plans, self._use.chosen)
            if plans != code.plans:
                self._assemble(code, plans, code.same)
                self._use.note(code)
                stratum = strata[code.rule.head.predicate]
                replaced[id(stratum)] = stratum
        for stratum in replaced.values():
            stratum.replace_plans(self._assembler.relations.numbers)
        self._drop(self._use.used)

    def hand_over(self, before: set[tuple[int, tuple[int, ...]]]) -> set[tuple[int, tuple[int, ...]]]:
        """The indexes created for plans since ``before``, which belong to no plan from now on."""
        made = self._assembler.indexes - before
        self._assembler.indexes -= made
        return made

    @property
    def indexes_created(self) -> set[tuple[int, tuple[int, ...]]]:
        """The indexes that were created for plans."""
        return set(self._assembler.indexes)

    def _drop(self, used: Iterable[Lookup]) -> None:
        relations = self._assembler.relations
        kept = {(relations.numbers[relation], columns[:LONGEST_KEY]) for relation, columns in used}
        for number, columns in relations.index_columns().keys() & self._assembler.indexes - kept:
            relations.drop_index(number, columns)
        self._assembler.indexes &= kept

    def _indexes(self) -> set[Lookup]:
        """The existing indexes."""
        relations = self._assembler.relations
        return {(relations.names[number], columns) for number, columns in relations.index_columns()}

    def _serving(self, plans: tuple[Plan, ...]) -> dict[Lookup, Lookup]:
        """The existing indexes that serve the look-ups of some plans."""
        wanted, made = lookups(plans), self._indexes()
        return {x: serving(x, made, self._chain) for x in wanted if x not in made}

    def _served(self, code: RuleCode, plans: tuple[Plan, ...], served: Mapping[Lookup, Lookup]) -> tuple[Plan, ...]:
        """The plans of a rule with the indexes that serve them; if one replaces a longer index, sizes are watched."""
        for relation, columns in lookups(plans):
            if served.get((relation, columns), (relation, columns))[1] != columns:
                code.sizes.setdefault(relation, self.statistics.live(relation))
        return tuple(narrowed(plan, served) for plan in plans)

    def _chain(self, lookup: Lookup) -> float:
        """The approximate number of rows per key; unknown for a small relation."""
        relation, columns = lookup
        if self.statistics.live(relation) < GROWING:
            return inf
        return self.statistics.keys(relation, columns).chain


def _bounds(sizes: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """The bounds of sizes within which plans made for these sizes are kept."""
    return {name: (size // GROWTH if size > SMALL else 0, max(size * GROWTH, SMALL)) for name, size in sizes.items()}
