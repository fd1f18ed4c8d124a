"""Find the valuations of a core rule's body for a known head, in Python.

Law: the literals are visited in the order of the engine's own planner, given the variables that the head binds; so
every visit is narrowed by everything known. An equation ``V = X + C`` is also read as ``X = V - C``, which is valid for
whole numbers, so that a counter's predecessor is looked up and not searched. A value that cannot be computed belongs to
a valuation that the rest of the body rejects (a committed epoch contains no others), so such a valuation is rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from tidelog.errors import EvaluationError
from tidelog.partition.code.call import structure_cell
from tidelog.partition.reading.fact_pages import FactPattern
from tidelog.partition.texts.dictionary import natural_type
from tidelog.partition.texts.structures import NIL_CELL
from tidelog.plan.body import is_generator
from tidelog.plan.order import order_literals
from tidelog.plan.term_types import term_type, variable_types
from tidelog.program import Atom, Call, Comparison, Const, Literal, Negation, Rule, Term, Value, Var
from tidelog.program.functions.arithmetic import default_step
from tidelog.program.functions.structure_signatures import StructureSignature
from tidelog.program.functions.table import ANY, Function, holds, resolve
from tidelog.program.values.shape import Shape, shapes_in
from tidelog.program.values.structure import READ, is_structural, structure_of
from tidelog.program.values.term import RECORD
from tidelog.why.ledger import FactKey, Ledger

Binding = dict[str, int]
WHOLE = ("number", "unsigned")
FEW, MANY = 16, 1024  # valuations whose look-ups are made together, at first and later
_INVERSE = {"+": "-", "-": "+"}


@dataclass(frozen=True, slots=True)
class Part:
    """A literal to be satisfied. ``position`` is its place in the body, or -1 - i for the computation of head column i.

    A ``turned`` equation is implied by the literal at the same position and adds nothing.
    """

    literal: Literal
    position: int
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Valuation:
    """A partial valuation: the cells of variables, and the facts matched with the atoms so far."""

    binding: Binding
    facts: tuple[tuple[int, FactKey], ...] = ()
    rank: int = 0


@dataclass(slots=True)
class Question:
    """A core rule with some known columns of its head, and its literals in the order of visits."""

    rule: Rule
    types: dict[str, str | None]
    parts: tuple[Part, ...]
    columns: Mapping[int, str | Const] = field(default_factory=dict)

    def start(self, known: Mapping[int, int], encode: Callable[[Const], int]) -> Valuation | int:
        """The valuation that follows from the known head columns, or the first column that the head cannot have."""
        binding: Binding = {}
        for column, cell in known.items():
            place = self.columns[column]
            if isinstance(place, Const):
                if encode(place) != cell:
                    return column
            elif binding.setdefault(place, cell) != cell:
                return column
        return Valuation(binding)


class Join:
    """Answers questions over a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.functions = ledger.rules.functions
        self._prepared: dict[tuple[str, tuple[int, ...]], Question] = {}

    def prepare(self, rule: Rule, known: Sequence[int]) -> Question:
        """The question for a rule with these head columns known."""
        key = (rule.label or "", tuple(known))
        question = self._prepared.get(key)
        if question is None:
            question = self._prepared[key] = self._prepare(rule, known)
        return question

    def _prepare(self, rule: Rule, known: Sequence[int]) -> Question:
        types = self._types(rule)
        columns: dict[int, str | Const] = {}
        parts = [Part(literal, i) for i, literal in enumerate(rule.body)]
        for column in known:
            arg = rule.head.args[column]
            if isinstance(arg, Const):
                columns[column] = arg
            elif isinstance(arg, Var):
                columns[column] = arg.name
            else:
                name = f"column {column + 1}"  # no text can name such a variable
                types[name] = self.ledger.rules.schema[rule.head.predicate][column]
                columns[column] = name
                parts.append(Part(Comparison("=", Var(name), arg), -1 - column))
        parts += [turned for part in parts for turned in self._turned(part, types)]
        bound = {name for name in columns.values() if isinstance(name, str)}
        return Question(rule, types, self._ordered(parts, bound), columns)

    def _types(self, rule: Rule) -> dict[str, str | None]:
        """The types of a rule's variables; those of records that are parts of others include their shapes."""
        types = dict(variable_types(rule, self.ledger.rules.schema, self.functions))
        reads = [x for x in rule.body if isinstance(x, Comparison) and isinstance(x.right, Call)]
        read = {x.left.name: structure_of(x.right.function) for x in reads if isinstance(x.left, Var)}  # type: ignore[union-attr]  # calls
        if any(types.get(name) == RECORD for name in read):
            shapes = shapes_in(type_ for columns in self.ledger.rules.schema.values() for type_ in columns)
            for name, structure in read.items():
                if structure is not None and structure.kind == READ:
                    types[name] = shapes.get(structure.parts[structure.place], types.get(name))
        return types

    def _turned(self, part: Part, types: Mapping[str, str | None]) -> Iterator[Part]:
        """``V = a + b`` as ``a = V - b`` and ``b = V - a``; ``V = a - b`` as ``a = V + b`` and ``b = a - V``."""
        match part.literal:
            case (
                Comparison(op="=", left=Var() as result, right=Call(function="+" | "-" as op, args=(one, other)))
                | Comparison(op="=", right=Var() as result, left=Call(function="+" | "-" as op, args=(one, other)))
            ) if types.get(result.name) in WHOLE:
                if isinstance(one, Var):
                    yield Part(Comparison("=", one, Call(_INVERSE[op], (result, other))), part.position, True)
                if isinstance(other, Var):
                    args = (result, one) if op == "+" else (one, result)
                    yield Part(Comparison("=", other, Call("-", args)), part.position, True)

    def _ordered(self, parts: Sequence[Part], bound: set[str]) -> tuple[Part, ...]:
        order = order_literals([part.literal for part in parts], bound, self.ledger.sizes)
        return tuple(parts[following.position] for following in order)

    def solve(
        self,
        question: Question,
        start: Valuation,
        below: int | None = None,
        reached: Callable[[int, Valuation], None] | None = None,
    ) -> Iterator[Valuation]:
        """All valuations that extend the start; ``below``: facts of the rule's own stratum must have a lower rank."""
        frames: Iterator[Valuation] = iter((start,))
        for depth, part in enumerate(question.parts):
            frames = self._satisfied(question, part, _noted(frames, depth, reached), below)
        return _noted(frames, len(question.parts), reached)

    def _satisfied(
        self, question: Question, part: Part, frames: Iterator[Valuation], below: int | None
    ) -> Iterator[Valuation]:
        """The valuations that satisfy one more part, in the same order.

        If facts are remote, the look-ups of several valuations are made together: a few at first, then more.
        """
        together = FEW if self.ledger.pages.far else 1
        while chunk := list(islice(frames, together)):
            if together > 1:
                self.ledger.pages.ahead(look for frame in chunk for look in self._looks(question, part, frame, below))
                together = min(4 * together, MANY)
            for frame in chunk:
                yield from self._extended(question, part, frame, below)

    def looks(self, question: Question, start: Valuation, below: int | None = None) -> Iterator[FactPattern]:
        """The look-ups with which answering a question begins."""
        if question.parts:
            yield from self._looks(question, question.parts[0], start, below)

    def _looks(self, question: Question, part: Part, frame: Valuation, below: int | None) -> Iterator[FactPattern]:
        """The look-ups needed to extend a valuation by a part."""
        if isinstance(part.literal, Atom):
            yield self._fact_pattern(question, part.literal, frame, below)
        elif isinstance(part.literal, Negation):
            yield self.ledger.whole(self._denied(part.literal, frame))

    def _fact_pattern(self, question: Question, atom: Atom, frame: Valuation, below: int | None) -> FactPattern:
        known = self._known(atom, frame)
        own = self.ledger.same_stratum(question.rule.head.predicate, atom.predicate)
        return self.ledger.pattern(atom.predicate, known, below if own and len(known) < len(atom.args) else None)

    def _known(self, atom: Atom, frame: Valuation) -> dict[int, int]:
        return {i: self._cell(a, frame.binding) for i, a in enumerate(atom.args) if _is_known(a, frame.binding)}

    def _denied(self, literal: Negation, frame: Valuation) -> FactKey:
        return literal.atom.predicate, tuple(self._cell(a, frame.binding) for a in literal.atom.args)

    def _extended(self, question: Question, part: Part, frame: Valuation, below: int | None) -> Iterator[Valuation]:
        literal = part.literal
        if isinstance(literal, Atom):
            return self._visited(question, part.position, literal, frame, below)
        if isinstance(literal, Negation):
            return iter(() if self.ledger.has(self._denied(literal, frame)) else (frame,))
        assert isinstance(literal, Comparison)
        return self._compared(question, literal, frame)

    def _visited(
        self, question: Question, position: int, atom: Atom, frame: Valuation, below: int | None
    ) -> Iterator[Valuation]:
        ledger, name = self.ledger, atom.predicate
        own = ledger.same_stratum(question.rule.head.predicate, name)
        for cells, found in ledger.pages.facts(self._fact_pattern(question, atom, frame, below)):
            ledger.spend()
            rank = found if own else 0
            if below is not None and rank >= below:
                continue
            binding = _matched(atom, cells, frame.binding)
            if binding is not None:
                yield Valuation(binding, (*frame.facts, (position, (name, cells))), max(rank, frame.rank))

    def _compared(self, question: Question, literal: Comparison, frame: Valuation) -> Iterator[Valuation]:
        try:
            if is_generator(literal):
                yield from self._generated(question, literal, frame)
                return
            for here, there in ((literal.left, literal.right), (literal.right, literal.left)):
                if literal.op == "=" and isinstance(here, Var) and here.name not in frame.binding:
                    cell = self._computed(question, there, frame.binding, question.types.get(here.name))
                    yield Valuation({**frame.binding, here.name: cell}, frame.facts, frame.rank)
                    return
            if self.is_true(question, literal, frame.binding):
                yield frame
        except EvaluationError:
            return

    def is_true(self, question: Question, literal: Comparison, binding: Binding) -> bool:
        """Whether a comparison of known values holds."""
        left, right = (self.evaluate(question, side, binding)[0] for side in (literal.left, literal.right))
        types = [term_type(side, question.types, self.functions) for side in (literal.left, literal.right)]
        return holds(literal.op, left, right, types[0] or types[1] or "number")

    def _generated(self, question: Question, literal: Comparison, frame: Valuation) -> Iterator[Valuation]:
        here, there = literal.left, literal.right
        if not isinstance(there, Call) or there.function != "range":
            here, there = there, here
        assert isinstance(there, Call)
        args = [self.evaluate(question, a, frame.binding) for a in there.args]
        function = resolve("range", [type_ for _, type_ in args], self.functions)
        assert function is not None, "the type check admits the range"
        encode = self.ledger.dictionary.encode
        if isinstance(here, Var) and here.name not in frame.binding:
            for value in function.evaluate(*(v for v, _ in args)):
                self.ledger.spend()
                yield Valuation({**frame.binding, here.name: encode(value, function.result)}, frame.facts, frame.rank)
            return
        if self._is_member(self.evaluate(question, here, frame.binding)[0], [v for v, _ in args]):
            yield frame

    def _is_member(self, value: Value, args: Sequence[Value]) -> bool:
        """Whether a range contains the value: computed for whole numbers, searched for floats."""
        first, end = args[0], args[1]
        if isinstance(value, int) and isinstance(first, int) and isinstance(end, int):
            step = args[2] if len(args) > 2 else default_step(first, end)
            assert isinstance(step, int)
            inside = first <= value < end if step > 0 else end < value <= first
            return inside and step != 0 and (value - first) % step == 0
        function = resolve("range", ["float"] * len(args), self.functions)
        assert function is not None, "ranges are of numbers"
        return any(value == member for member in function.evaluate(*args))

    def _cell(self, term: Term, binding: Binding) -> int:
        if isinstance(term, Var):
            return binding[term.name]
        assert isinstance(term, Const)
        return self.encode(term)

    def encode(self, constant: Const) -> int:
        """The cell of a constant."""
        return self.ledger.dictionary.encode(constant.value, constant.type)

    def _computed(self, question: Question, term: Term, binding: Binding, expected: str | None) -> int:
        if isinstance(term, Var):
            return binding[term.name]
        value, type_ = self.evaluate(question, term, binding)
        return self.ledger.dictionary.encode(value, expected or type_)

    def evaluate(self, question: Question, term: Term, binding: Binding) -> tuple[Value, str]:
        """The value of a scalar term and its type."""
        if isinstance(term, Const):
            return (NIL_CELL, RECORD) if term.value is None else (term.value, term.type)
        if isinstance(term, Var):
            if question.types.get(term.name) == RECORD:  # compared by its cell
                return binding[term.name], RECORD
            value = self.ledger.dictionary.decode_any(binding[term.name], question.types.get(term.name))
            return value, question.types.get(term.name) or natural_type(value)
        assert isinstance(term, Call)
        if is_structural(term.function):
            return self._structure(question, term, binding)
        args = [self.evaluate(question, arg, binding)[0] for arg in term.args]
        types = [term_type(arg, question.types, self.functions) or "any" for arg in term.args]
        function = resolve(term.function, types, self.functions)
        assert function is not None, f"the type check admits {term.function}{types}"
        if function.structures is not None:
            return self._on_structures(function, function.structures, args)
        result = function.evaluate(*args)
        return result, natural_type(result) if function.result == "any" else function.result

    def _on_structures(self, function: Function, types: StructureSignature, args: Sequence[Value]) -> tuple[Value, str]:
        """The result of a user's function on records; a record is represented by its cell, but not for the function."""
        dictionary = self.ledger.dictionary
        given = [
            dictionary.decode(arg, type_) if isinstance(type_, Shape) and isinstance(arg, int) else arg
            for arg, type_ in zip(args, types.params, strict=True)
        ]
        result = function.evaluate(*given)
        if isinstance(types.result, Shape):
            return dictionary.encode(result, types.result), RECORD
        return result, function.result if function.result != ANY else natural_type(result)

    def _structure(self, question: Question, term: Call, binding: Binding) -> tuple[Value, str]:
        """The result of a function that makes, reads or tests records; a record is represented by its cell."""
        function = resolve(term.function, [ANY] * len(term.args), self.functions)
        assert function is not None, "a structure names its own types"
        params = zip(term.args, function.params, strict=True)
        cells = [self._computed(question, arg, binding, type_) for arg, type_ in params]
        cell = structure_cell(term.function, cells, self.ledger.dictionary)
        return self.ledger.dictionary.decode(cell, function.result), function.result


def _noted(
    frames: Iterator[Valuation], depth: int, reached: Callable[[int, Valuation], None] | None
) -> Iterator[Valuation]:
    """Pass valuations through; a callback receives the number of parts that each has satisfied."""
    for frame in frames:
        if reached is not None:
            reached(depth, frame)
        yield frame


def _is_known(term: Term, binding: Binding) -> bool:
    return isinstance(term, Const) or (isinstance(term, Var) and term.name in binding)


def _matched(atom: Atom, cells: tuple[int, ...], binding: Binding) -> Binding | None:
    """The binding extended by the variables of an atom; None if a repeated variable would have two values."""
    extended = dict(binding)
    for arg, cell in zip(atom.args, cells, strict=True):
        if isinstance(arg, Var) and extended.setdefault(arg.name, cell) != cell:
            return None
    return extended
