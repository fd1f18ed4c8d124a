"""The rules of a partition: by label, by number, and as code of the machine.

Law: a rule has one number for as long as it exists; numbers of forgotten rules are reused. Code is only ever appended;
when most of it belongs to removed rules, all of it is rewritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from weakref import WeakValueDictionary

from tidelog.kernel.cells import Cells
from tidelog.partition.code.fold import fold_of
from tidelog.partition.code.instance_model import ModelPart, Models
from tidelog.partition.code.machine import Machine
from tidelog.partition.code.plan_counts import PlanCounts, plan_counts, retire
from tidelog.partition.code.replan import Replanner
from tidelog.partition.code.stratum import RuleCode, Stratum
from tidelog.plan.plan_rule import aggregate_of
from tidelog.plan.steps import Plan
from tidelog.plan.work import RuleForm


class Rules:
    """All rules of a partition; their supports are counted elsewhere."""

    def __init__(self, machine: Machine, replanner: Replanner) -> None:
        self.codes: dict[str, RuleCode] = {}
        self._machine = machine
        self._replanner = replanner
        self._by_number: dict[int, RuleCode] = {}
        self._free_numbers: list[int] = []
        self.models: Models = WeakValueDictionary()

    def add(self, form: RuleForm) -> RuleCode:
        """Add a rule; it is planned, and its supports are found, when its stratum is asserted."""
        number = self._next_number()
        self._machine.fit_tally(number + 1)
        self._machine.tally[number] = self._machine.losses[number] = 0
        self._machine.counters.visits[number] = 0
        planning, dictionary = self._replanner.planning(form), self._machine.assembler.dictionary
        fold = None if aggregate_of(form.rule) is None else fold_of(form, dictionary, self.models, planning.functions)
        code = RuleCode(form.rule, number, planning, fold=fold, everywhere=form.everywhere, sends=form.sends)
        self._by_number[number] = code
        self.codes[code.label] = code
        return code

    def _next_number(self) -> int:
        return self._free_numbers.pop() if self._free_numbers else len(self._by_number)

    def forget(self, code: RuleCode) -> None:
        """Remove a rule; its supports are already lost, or the epoch that added it is undone."""
        del self.codes[code.label]
        del self._by_number[code.number]
        self._free_numbers.append(code.number)
        self._replanner.forget(code)

    def restore(self, code: RuleCode) -> None:
        """Undo `forget`: the rule gets a number again, maybe another; its code has to be assembled with it."""
        code.number = self._next_number()
        self._by_number[code.number] = code
        self.codes[code.label] = code

    def numbered(self, number: int) -> RuleCode | None:
        """The rule with this number, if there is one."""
        return self._by_number.get(number)

    def count_supports(self, rebuilt: Mapping[int, tuple[int, int]]) -> None:
        """On commit, add what rules gained and lost in the epoch; for those ``rebuilt``, since the rebuild."""
        tally, losses = self._machine.tally, self._machine.losses
        numbers = (tally + losses).nonzero()[0]
        for number, gained, lost in zip(
            numbers.tolist(), tally[numbers].tolist(), losses[numbers].tolist(), strict=True
        ):
            code = self._by_number.get(number)
            if code is not None and number in rebuilt:
                before = rebuilt[number]
                code.supports = gained - before[0] - lost + before[1]
            elif code is not None and code.supports >= 0:
                code.supports += gained - lost

    def by_label(self, counted: Cells) -> dict[str, int]:
        """The counts by number of the rule that are not 0."""
        numbers = counted.nonzero()[0]
        codes = self._by_number
        pairs = zip(numbers.tolist(), counted[numbers].tolist(), strict=True)
        return {codes[number].label: count for number, count in pairs if number in codes}

    def plan_counts(self) -> list[PlanCounts]:
        """What the plans of all rules did since they were made."""
        estimated = self._replanner.estimated
        return [part for code in self.codes.values() for part in plan_counts(self._machine, code, estimated(code))]

    def model_sizes(self) -> dict[str, str]:
        """The sizes of the models of cycles through negation, by the rules that read truth from them."""
        folds = ((code.label, code.fold) for code in self.codes.values())
        return {label: fold.model.size_in_words() for label, fold in folds if isinstance(fold, ModelPart)}

    def plans(self) -> dict[str, tuple[Plan, ...]]:
        """The plans of every rule, by label."""
        return {code.label: code.plans for code in self.codes.values()}

    def compact_code(self, strata: Iterable[Stratum]) -> None:
        """Rewrite the code of all rules when most of it belongs to removed rules."""
        strata = list(strata)
        for stratum in strata:
            for code in stratum.rules.values():
                retire(self._machine, code)
        self._machine.forget_beside()
        self._machine.code_length = 0
        self._machine.counters.clear()
        for stratum in strata:
            for code in stratum.rules.values():
                self._replanner.assemble(code, stratum.relations)
            stratum.forget_tables()
