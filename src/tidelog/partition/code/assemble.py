"""Translate plans into the cells that the kernel interprets.

Law: which facts a step sees depends on the phase, on whether its relation is of the rule's own stratum, and on
whether its atom is before or after the trigger: the accept masks below are the table of design.md, section 3, and
the only place where it is encoded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from tidelog.kernel import aggregate, ordered_index, scalar, structures
from tidelog.kernel import layout as at
from tidelog.kernel.meet import VISITS
from tidelog.partition.base import partition_failures as failures
from tidelog.partition.code.call import structure_use
from tidelog.partition.memory.relations import Relations
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.partition.texts.ids import chain_of
from tidelog.plan.plan_rule import ORDERED_BY_CELL
from tidelog.plan.steps import (
    Absent,
    Apply,
    Compare,
    Compute,
    Expose,
    Generate,
    Meet,
    Operand,
    Plan,
    Range,
    Step,
    Visit,
)
from tidelog.program import Const, Rule
from tidelog.program.functions.table import WRAP
from tidelog.program.values.structure import MAKE, TEST, signature, structure_of

SHOWN = "__shown "  # prefix of the relation with what the groups of a rule show
VARIABLES = 1024  # registers below hold variables, registers from here on hold constants
MOST_ATOMS = 512
GENERATORS = MOST_ATOMS + 1  # places: the first is the trigger's
COMPARE_CODES = {
    "=": scalar.EQ,
    "!=": scalar.NE,
    "<": scalar.LT,
    "<=": scalar.LE,
    ">": scalar.GT,
    ">=": scalar.GE,
}
CELL_KINDS = {"unsigned": scalar.AS_UNSIGNED, "float": scalar.AS_FLOAT}
NUMBER_CODES = {
    ("+", 2): scalar.ADD,
    ("-", 2): scalar.SUB,
    ("*", 2): scalar.MUL,
    ("/", 2): scalar.DIV,
    ("%", 2): scalar.REM,
    ("-", 1): scalar.NEG,
    ("band", 2): scalar.BAND,
    ("bor", 2): scalar.BOR,
    ("bxor", 2): scalar.BXOR,
    ("wrap +", 2): scalar.WADD,
    ("wrap -", 2): scalar.WSUB,
    ("wrap *", 2): scalar.WMUL,
    ("wrap /", 2): scalar.WDIV,
    ("wrap -", 1): scalar.WNEG,
}
FLOAT_CODES = {
    ("+", 2): scalar.FADD,
    ("-", 2): scalar.FSUB,
    ("*", 2): scalar.FMUL,
    ("/", 2): scalar.FDIV,
    ("-", 1): scalar.FNEG,
}


ORDERS = {"unsigned": aggregate.UNSIGNEDS, "float": aggregate.FLOATS}


def _mask(counts: Callable[[int], bool]) -> int:
    return sum(1 << flags for flags in range(16) if counts(flags))


_OLD = _mask(lambda f: bool(f & at.OLD))
_NEW = _mask(lambda f: bool(f & at.NEW))
_COMMON = _OLD & _NEW
_EITHER = _OLD | _NEW
_VISIBLE = _mask(lambda f: bool(f & at.VISIBLE))
_WITH_BATCH = _mask(lambda f: bool(f & (at.VISIBLE | at.BATCH)))
_ALL = (1 << 16) - 1


@cache
def accept_masks(same: bool, before: bool, negated: bool) -> tuple[int, ...]:
    """The accept mask of an atom for each phase; ``before`` means before the trigger in the body."""
    if same:
        retract, gain = (_VISIBLE, _WITH_BATCH) if before else (_WITH_BATCH, _VISIBLE)
        return (_VISIBLE, retract, _VISIBLE, gain, _VISIBLE, _VISIBLE, retract)
    if negated:
        seen = (_EITHER if before else _OLD, _EITHER, _NEW if before else _EITHER, _NEW, _EITHER, _OLD, _NEW)
        return tuple(_ALL & ~mask for mask in seen)
    return (_COMMON if before else _OLD, _COMMON, _NEW if before else _COMMON, _NEW, _COMMON, _OLD, _NEW)


@dataclass(frozen=True, slots=True)
class Choice:
    """A min or max: its candidates, the groups shown, the index of a group's candidates, order and column of values.

    ``ties``: further columns decide between equal values, and such a recursion is cleaned up until it is settled.
    ``group`` are the columns of candidates that identify their group.
    """

    candidates: int
    shown: int
    index: int
    order: int
    column: int
    ties: bool = False
    group: tuple[int, ...] = ()


class Assembler:
    """Turns plans into code; shares constants, indexes and the memories of functions between rules."""

    def __init__(self, relations: Relations, dictionary: Dictionary) -> None:
        self.relations = relations
        self.dictionary = dictionary
        self.constants: list[int] = []
        self.has_structures = False  # whether a plan makes, reads or tests records or variants
        self.memories: dict[int, Apply] = {}
        self.indexes: set[tuple[int, tuple[int, ...]]] = set()  # created for plans
        self._constant_places: dict[int, int] = {}

    def assemble(self, plan: Plan, rule_number: int, same: frozenset[str], everywhere: bool = False) -> list[int]:
        """The code of a plan; ``same`` are the relations of the rule's own stratum.

        A rule that fires ``everywhere`` fires on every partition, and each keeps the heads that it owns.
        """
        if plan.registers > VARIABLES:
            raise failures.TOO_MANY_VARIABLES.error(label=plan.rule.label, most=VARIABLES)
        checks = [(column, at.CHECK, self._register(operand)) for column, operand in plan.checks]
        constants = checks[: len(plan.checks) - sum(isinstance(o, int) for _, o in plan.checks)]
        repeated = checks[len(constants) :]
        matches = [*constants, *((column, at.BIND, register) for column, register in plan.binds), *repeated]
        code = [rule_number, len(matches), 0, 0, *(cell for match in matches for cell in match)]
        back, generators, meet = -1, 0, -1 - VISITS
        for place, step in enumerate(plan.steps):
            start = len(code)
            if isinstance(step, Meet):
                meet = place
            is_within = meet < place <= meet + VISITS
            if isinstance(step, Visit | Generate):
                generators += 1 if place != meet + 3 else -1  # the second list begins where the first one did
            cells = self._step(step, plan, same, generators)
            code += [cells[0], len(cells) + 2, start - back if back >= 0 else 0, *cells[1:]]
            if isinstance(step, Visit | Generate | Meet) and not is_within:
                back = start
        if generators >= GENERATORS:
            raise failures.TOO_MANY_ATOMS.error(label=plan.rule.label, most=MOST_ATOMS)
        head = [self._register(operand) for operand in plan.head]
        number = self.relations.numbers[plan.rule.head.predicate] | (at.EVERYWHERE if everywhere else 0)
        way = len(code) - back if back >= 0 else 0
        return [*code, at.EMIT, at.S_ACCEPT + len(head), way, generators, number, len(head), *head]

    def _step(self, step: Step, plan: Plan, same: frozenset[str], generator: int) -> list[int]:
        """The cells of a step without its length and the way back."""
        register = self._register
        if isinstance(step, Visit):
            return self._visit(step, plan, same, generator)
        if isinstance(step, Absent):
            masks = accept_masks(False, step.position in plan.before, True)
            keys = [register(a) for a in step.args]
            number = self.relations.numbers[step.relation]
            return [at.NEGATE, -1, number, 0, *masks, -1, len(keys), 0, *keys]
        if isinstance(step, Compare):
            kind = CELL_KINDS.get(step.type, scalar.AS_NUMBER)
            return [at.COMPARE, COMPARE_CODES[step.op], kind, register(step.left), register(step.right)]
        if isinstance(step, Compute):
            args = [register(a) for a in step.args]
            name = (step.op.removeprefix(WRAP), len(args))
            code = FLOAT_CODES[name] if step.type == "float" else NUMBER_CODES[step.op, len(args)]
            return [at.COMPUTE, code, step.target, args[0], args[-1]]
        if isinstance(step, Generate):
            by = -1 if step.step is None else register(step.step)
            return [at.RANGE, generator, step.target, register(step.first), register(step.end), by]
        if isinstance(step, Meet):
            return [at.MEET, generator + 1]
        if isinstance(step, Expose):
            return self._expose(step, plan, same, generator)
        return self._apply(step)

    def _visit(self, step: Visit, plan: Plan, same: frozenset[str], generator: int) -> list[int]:
        number = self.relations.numbers[step.relation]
        masks = accept_masks(step.relation in same, step.position in plan.before, False)
        keys, index, op = list(step.key), -1, at.SCAN
        rest = [(column, at.CHECK, self._register(o)) for column, o in step.filters]
        if step.range is not None:
            op, index = at.BETWEEN, self.index(number, (*step.columns, step.range.ordered))
        elif len(keys) == step.arity:
            op = at.ONE
        elif step.index is not None:
            op, index = at.LOOKUP, self.index(number, step.columns, filled=False)
            rest += [(column, at.CHECK, self._register(o)) for column, o in keys[at.MAX_KEY :]]
            keys = keys[: at.MAX_KEY]
        rest += [(column, at.BIND, r) for column, r in step.binds] + [(c, at.CHECK, r) for c, r in step.checks]
        found = [self._register(o) for _, o in keys] + ([] if step.range is None else self._bounds(step.range))
        cells = [op, generator, number, int(step.relation in same), *masks, index, len(found), len(rest)]
        return [*cells, *found, *(cell for match in rest for cell in match)]

    def _bounds(self, within: Range) -> list[int]:
        """The registers of both bounds (any register for a missing one), and which bounds exist."""
        bounds = ordered_index.ABOVE_LOW * within.above | ordered_index.BELOW_HIGH * within.below
        bounds |= ordered_index.HAS_LOW * (within.low is not None) | ordered_index.HAS_HIGH * (within.high is not None)
        low, high = (0 if bound is None else self._register(bound) for bound in (within.low, within.high))
        return [low, high, bounds]

    def _expose(self, step: Expose, plan: Plan, same: frozenset[str], generator: int) -> list[int]:
        choice = self.choice(plan.rule, step)
        own = int(step.relation in same)
        fixed = [choice.candidates, own, choice.shown, choice.order, step.value, generator]
        cells = [at.EXPOSE, *fixed, *self._comparing(step.type), len(step.group), *step.group, step.column]
        cells.append(len(step.ties))
        for tie in step.ties:
            cells += [value_order(tie.type, tie.kind), tie.value, tie.column, *self._comparing(tie.type)]
        return cells

    def _comparing(self, type_: str) -> tuple[int, int]:
        """The memory of comparisons of values whose cells have no order, and its index; -1 for the others."""
        if type_ in ORDERED_BY_CELL:
            return -1, -1
        cells = self._apply(Apply("compare", (type_, type_), "number", 0, (0, 0)))
        return cells[2], cells[4 + at.PHASES]

    def choice(self, rule: Rule, step: Expose) -> Choice:
        """The relations and the index behind a min or max."""
        candidates = self.relations.numbers[step.relation]
        shown = self.relations.add(f"{SHOWN}{rule.label}", len(step.group))
        index = self.index(candidates, step.group_columns)
        return Choice(
            candidates,
            shown,
            index,
            value_order(step.type, step.kind),
            step.column,
            bool(step.ties),
            step.group_columns,
        )

    def _apply(self, step: Apply) -> list[int]:
        """The code of a function: a look-up of its result in a relation of remembered results."""
        name = f"__function {step.function}({', '.join(step.types)}) {step.result}"
        number = self.relations.add(name, len(step.args) + 1)
        self.memories[number] = step
        index = self.relations.index(number, tuple(range(len(step.args))))
        keys = [self._register(a) for a in step.args]
        *way, other = self._structure(step.function)
        return [at.APPLY, -1, number, step.target, 0, 0, 0, 0, *way, index, len(keys), 0, *keys, other]

    def _structure(self, function: str) -> tuple[int, int, int, int]:
        """What the kernel itself does with structures: function, constructor, place, and the result for others."""
        if structure_of(function) is None:
            return 0, 0, 0, 0
        self.has_structures = True
        use = structure_use(function, self.dictionary)
        tag = use.tag[0] if use.tag else 0
        if use.kind == MAKE:
            parts = len(use.tag) + len(signature(function)[0])
            return structures.MAKES, tag, chain_of(parts, use.tag), 0
        return structures.TESTS if use.kind == TEST else structures.READS, tag, use.place, use.other

    def index(self, number: int, columns: tuple[int, ...], *, filled: bool = True) -> int:
        """The number of an index that plans need."""
        self.indexes.add((number, columns[: at.MAX_KEY]))
        return self.relations.index(number, columns, filled=filled)

    def _register(self, operand: Operand) -> int:
        if isinstance(operand, int):
            return operand
        return self.constant(operand)

    def constant(self, constant: Const) -> int:
        """The register that holds a constant."""
        cell = self.dictionary.encode(constant.value, constant.type)
        place = self._constant_places.get(cell)
        if place is None:
            place = VARIABLES + len(self.constants)
            self._constant_places[cell] = place
            self.constants.append(cell)
        return place


def value_order(type_: str, kind: str) -> int:
    """The order of the values of a type, the best first."""
    order = ORDERS.get(type_, aggregate.NUMBERS) if type_ in ORDERED_BY_CELL else aggregate.BY_TEXT
    return order + (kind == "max")
