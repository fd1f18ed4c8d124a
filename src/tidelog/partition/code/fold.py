"""Count, sum, mean, min, max, any and all of groups of rows, exact to the last bit.

Law (D12): the result depends on the group's values alone, never on the order in which they were added. A fold over rows
of a lower stratum keeps its groups (`groups`), so that the cost of a change follows its size; groups follow from the
facts, are read from them when they are first needed, and are undone with the epoch. The facts of a counted relation
(`plan.count_rows`) are rows as often as they have supports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from tidelog.errors import EvaluationError
from tidelog.kernel import fold as at
from tidelog.kernel.cells import Cells
from tidelog.kernel.layout import NEW, OLD
from tidelog.partition.code.assemble import value_order
from tidelog.partition.code.bundle_model import BundleModel
from tidelog.partition.code.gather import Gather
from tidelog.partition.code.ground_model import GroundModel
from tidelog.partition.code.instance_model import InstanceModel, ModelPart, Models
from tidelog.partition.code.pick import Pick
from tidelog.partition.memory.groups import Groups, Overflow, Shape
from tidelog.partition.memory.relations import NOTHING, Relations
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.partition.texts.value_order import order_of
from tidelog.plan.plan_rule import ORDERED_BY_CELL, aggregate_of, is_folded
from tidelog.plan.term_types import Functions
from tidelog.plan.work import RuleForm
from tidelog.program import Atom, Const
from tidelog.program.functions.arithmetic import in_range
from tidelog.program.functions.whole_groups import WHOLE_GROUPS
from tidelog.program.graph.well_founded import TRUTH
from tidelog.program.values.scope import atoms
from tidelog.program.values.term import CHOICE, MODEL, PARAMETRIC, SUM, WRAPPING_SUM, GroundRule
from tidelog.rewrite.names import is_counted

ORDERED = {"min": "min", "max": "max", "any": "max", "all": "min"}  # false is below true
ADDED = {"float": at.FLOATS, "unsigned": at.UNSIGNEDS}
Group = tuple[int, ...]
Look = Callable[[], None]
T = TypeVar("T")


@dataclass(slots=True)
class Fold:
    """One aggregate rule: the columns of its source with the group and the value, and their places in the head."""

    kind: str
    type: str
    group: tuple[int, ...]  # in the order of columns
    value: int | None
    head: tuple[int, ...]  # for each head column the place in the group, or -1 for the result
    label: str
    counted: bool = False  # whether a source row counts as often as it has supports
    order: Callable[[int], Any] = int  # the key by which values of a min or max are compared
    _shape: Shape = field(init=False)
    _groups: Groups | None = None
    _is_fresh: bool = False  # whether the groups were read in the running epoch

    def __post_init__(self) -> None:
        """Determine what the groups accumulate and show."""
        kind, shows = _kind(self.kind, self.type)
        order = value_order(self.type, ORDERED[self.kind]) if kind == at.BEST else 0
        self._shape = Shape(kind, shows, self.group, self.value or 0, order, self.head, self.counted)

    def results(self, rows: Cells, weights: Cells = NOTHING) -> Cells:
        """The head facts of all groups of some source rows; with the weight of each, if they are counted."""
        if self.kind in ORDERED and self.type not in ORDERED_BY_CELL:
            return self._best(rows)
        groups = Groups(self._shape)
        groups.begin()
        if self.counted:
            groups.fold_items(np.ascontiguousarray(rows), np.arange(len(rows)), 1, _nothing, weights)
        else:
            groups.fold(np.ascontiguousarray(rows), 1, _nothing)
        return self._with_rule(groups.all_results)

    def change(
        self, relations: Relations, number: int, inserted: Cells, deleted: Cells, look: Look
    ) -> tuple[Cells, Cells]:
        """Head facts lost and gained when source records, given as items, are inserted and deleted."""
        groups, records = self._read(relations, number, OLD, look), relations.records(number)
        groups.begin()
        if self.counted:
            groups.fold_counts(relations, number, look)
        else:
            groups.fold_items(records, deleted, -1, look)
            groups.fold_items(records, inserted, 1, look)
        groups.look_again(relations, number)
        return self._with_rule(groups.net_results)

    def before(self, relations: Relations, number: int, look: Look) -> Cells:
        """The head facts of all groups before the epoch, which has changed none of them so far."""
        return self._with_rule(self._read(relations, number, OLD, look).all_results)

    def now(self, relations: Relations, number: int, look: Look) -> Cells:
        """The head facts of all groups after the epoch's changes."""
        return self._with_rule(self._read(relations, number, NEW, look).all_results)

    @property
    def memory(self) -> int:
        """Bytes held by groups."""
        return 0 if self._groups is None else self._groups.memory

    def commit(self) -> None:
        """Keep the groups after the last change as those of the committed epoch."""
        self._is_fresh = False
        if self._groups is not None:
            self._groups.commit()

    def undo(self) -> None:
        """Undo the changes of the epoch."""
        if self._is_fresh:
            self._groups, self._is_fresh = None, False
        elif self._groups is not None:
            self._groups.undo()

    def _read(self, relations: Relations, number: int, flag: int, look: Look) -> Groups:
        """The groups; if there are none yet, they are created from the records that have a flag."""
        if self._groups is None:
            groups = Groups(self._shape)
            groups.begin()
            groups.fold_all(relations.records(number), flag, look)
            if self.counted and flag == OLD:
                groups.restore_counts(relations, number, look)
            groups.commit()
            self._groups, self._is_fresh = groups, True
        return self._groups

    def _with_rule(self, read: Callable[[], T]) -> T:
        """What groups show; if a sum overflows its type, the error names the rule."""
        try:
            return read()
        except Overflow as overflow:
            try:
                in_range(overflow.total, self.type)
            except EvaluationError as error:
                raise error.reworded(f"rule {self.label}: sum: {error}; nothing was changed") from None
            raise

    def _best(self, rows: Cells) -> Cells:
        """Head facts where values are compared by their texts."""
        found: dict[Group, int] = {}
        choose = min if ORDERED[self.kind] == "min" else max
        keys, values = rows[:, list(self.group)].tolist(), rows[:, self.value].tolist()
        for key, cell in zip(map(tuple, keys), values, strict=True):
            found[key] = choose(found.get(key, cell), cell, key=self.order)
        heads = [[cell if place < 0 else key[place] for place in self.head] for key, cell in found.items()]
        return np.array(heads, np.int64).reshape(len(heads), len(self.head))


def _nothing() -> None:
    pass


def _kind(kind: str, type_: str) -> tuple[int, int]:
    """What is accumulated and what is shown."""
    if kind == "count":
        return at.COUNTS, at.NUMBER
    if kind in ORDERED:
        return at.BEST, at.BEST_VALUE
    added = ADDED.get(type_, at.INTEGERS)
    if kind == "mean":
        return added, at.MEAN
    assert kind in (SUM, WRAPPING_SUM)
    if added == at.FLOATS:
        return added, at.ROUNDED
    return added, at.TOTAL if kind == SUM else at.WRAPPED


def fold_of(
    form: RuleForm, dictionary: Dictionary, models: Models, functions: Functions
) -> Fold | Gather | Pick | ModelPart | None:
    """How the groups of an aggregate rule are computed; None for rules that are not folded."""
    aggregate, source = aggregate_of(form.rule), form.rule.body[0] if form.rule.body else None
    if aggregate is None or not is_folded(form.rule) or not isinstance(source, Atom):
        return None
    if aggregate.kind == CHOICE:
        types = (type_ or "number" for type_ in form.schema[source.predicate])
        return Pick(aggregate.domains, tuple(types), dictionary)
    if aggregate.kind == MODEL:
        return ModelPart(
            form.rule.head.predicate.removeprefix(TRUTH),
            _model_for(form, aggregate.ground, dictionary, models, functions),
        )
    args = form.rule.head.args
    group = sorted(source.args.index(arg) for arg in args if arg is not aggregate)
    head = tuple(-1 if arg is aggregate else group.index(source.args.index(arg)) for arg in args)
    values = tuple(map(source.args.index, aggregate.measured))
    if aggregate.kind in WHOLE_GROUPS:
        types = (form.schema[source.predicate][place] or "number" for place in values)
        parameter = aggregate.arguments[1] if aggregate.kind in PARAMETRIC else None
        constant = parameter.value if isinstance(parameter, Const) else None
        return Gather(aggregate.kind, tuple(types), tuple(group), values, head, constant, dictionary)
    value = values[0] if values else None
    order = order_of(form.value_type, dictionary)
    counted = is_counted(source.predicate)
    return Fold(aggregate.kind, form.value_type, tuple(group), value, head, form.rule.users_label or "", counted, order)


def _model_for(
    form: RuleForm, rules: tuple[GroundRule, ...], dictionary: Dictionary, models: Models, functions: Functions
) -> InstanceModel:
    """The model that all relations of a component share."""
    read = {atom.predicate for rule in rules if rule.formula for atom in (rule.formula.head, *atoms(rule.formula.body))}
    schema = {name: tuple(form.schema.get(name, ())) for name in sorted(read)}
    key = (rules, tuple(schema.items()))  # other types are other formulas
    found = models.get(key)
    if found is None:
        has_values = rules[0].formula is not None
        found = BundleModel(rules, schema, functions, dictionary) if has_values else GroundModel(rules)
        models[key] = found
    return found
