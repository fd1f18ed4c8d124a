"""The rules of a partition: by label, by number, and as code of the machine.

Law: a rule has one number for as long as it is there; numbers of forgotten rules are used again. Code is only ever
appended; when most of it belongs to rules that are gone, all of it is written anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidelog.partition.assemble import Assembler
from tidelog.partition.fold import Fold
from tidelog.partition.machine import Machine
from tidelog.partition.records import LONGEST_KEY
from tidelog.partition.stratum import RuleCode, Stratum
from tidelog.plan.steps import Expose, Plan
from tidelog.program import Rule


class Rules:
    """All rules of a partition; their supports are counted elsewhere."""

    def __init__(self, machine: Machine, assembler: Assembler, partitions: int) -> None:
        self.codes: dict[str, RuleCode] = {}
        self._machine = machine
        self._assembler = assembler
        self._partitions = partitions
        self._by_number: dict[int, RuleCode] = {}
        self._free_numbers: list[int] = []

    def add(
        self,
        rule: Rule,
        plans: tuple[Plan, ...],
        whole: Plan,
        same: frozenset[str],
        fold: Fold | None = None,
        *,
        everywhere: bool = False,
        sends: bool = False,
    ) -> RuleCode:
        """Take a rule in; its supports are found when its stratum is asserted."""
        number = self._next_number()
        self._machine.fit_tally(number + 1)
        self._machine.tally[number] = self._machine.losses[number] = 0
        code = RuleCode(rule, number, plans, whole, fold=fold, everywhere=everywhere, sends=sends)
        self._by_number[number] = code
        self.assemble(code, same)
        self.codes[code.label] = code
        return code

    def _next_number(self) -> int:
        return self._free_numbers.pop() if self._free_numbers else len(self._by_number)

    def assemble(self, code: RuleCode, same: frozenset[str]) -> None:
        """Assemble the plans of a rule for a stratum with these relations."""
        everywhere = code.everywhere and self._partitions > 1

        def place(plan: Plan) -> int:
            return self._machine.add_code(self._assembler.assemble(plan, code.number, same, everywhere))

        code.places = [place(plan) for plan in code.plans]
        code.whole_place = place(code.whole)
        last = code.whole.steps[-1] if code.whole.steps else None
        code.choice = self._assembler.choice(code.rule, last) if isinstance(last, Expose) else None

    def forget(self, code: RuleCode) -> None:
        """Leave a rule out; its supports are already lost, or the epoch that added it is undone."""
        del self.codes[code.label]
        del self._by_number[code.number]
        self._free_numbers.append(code.number)

    def restore(self, code: RuleCode) -> None:
        """Undo `forget`: the rule gets a number again, maybe another; its code has to be assembled with it."""
        code.number = self._next_number()
        self._by_number[code.number] = code
        self.codes[code.label] = code

    def numbered(self, number: int) -> RuleCode | None:
        """The rule with this number, if there is one."""
        return self._by_number.get(number)

    def count_supports(self, rebuilt: Mapping[int, tuple[int, int]]) -> None:
        """A commit: what rules gained and lost in the epoch, for those ``rebuilt`` since then, is held from now on."""
        tally, losses = self._machine.tally, self._machine.losses
        for number in (tally + losses).nonzero()[0].tolist():
            code = self._by_number.get(number)
            if code is not None and number in rebuilt:
                before = rebuilt[number]
                code.supports = int(tally[number]) - before[0] - int(losses[number]) + before[1]
            elif code is not None and code.supports >= 0:
                code.supports += int(tally[number] - losses[number])

    def drop_unused_indexes(self) -> None:
        """Forget the indexes that no plan needs any more."""
        relations = self._assembler.relations
        used = {
            (relations.numbers[relation], columns[:LONGEST_KEY])
            for code in self.codes.values()
            for plan in (*code.plans, code.whole)
            for relation, columns in plan.indexes
        }
        for number, columns in relations.index_columns():
            if (number, columns) not in used and number not in self._assembler.memories:
                relations.drop_index(number, columns)

    def compact_code(self, strata: Iterable[Stratum]) -> None:
        """Write the code of all rules anew when most of it belongs to rules that are gone."""
        self._machine.code_length = 0
        for stratum in strata:
            for code in stratum.rules.values():
                self.assemble(code, stratum.relations)
            stratum.forget_tables()
