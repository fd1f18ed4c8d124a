"""Types of records and algebraic values: which structure each bracket and each constructor of a program makes.

Law: a constructor belongs to one algebraic type, and its name says which. A bracket makes a list unless its place has a
record type: then it has as many parts as the type has fields, each of the field's type. What does not fit is reported
once, at its place (TL420 and following).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tidelog.errors import Diagnostic, Span
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.messages.nearest import KnownNames
from tidelog.program.types.subtypes import TypeNames
from tidelog.program.types.unify import NIL, Reason
from tidelog.program.values.schema import TypeDeclaration
from tidelog.program.values.shape import Shape, make_shapes, structure_name
from tidelog.program.values.structure import MAKE, Structure, signature
from tidelog.program.values.term import ANY_TYPE, LIST, NUMBER, RECORD, Call, Const

if TYPE_CHECKING:
    from tidelog.program.types.inference import Environment, Inference


class Made(NamedTuple):
    """A constructor, or the bracket of a record type: its type, and the names and types of its fields."""

    constructor: str
    type: str
    fields: tuple[tuple[str, str], ...]

    @property
    def shown(self) -> str:
        """What messages call it."""
        return f"${self.constructor}" if self.constructor else self.type.lstrip("'")

    def name(self, count: int) -> str:
        """The function that a term with this number of parts is elaborated to."""
        fits = count == len(self.fields)
        parts = tuple(type_ for _, type_ in self.fields) if fits else (ANY_TYPE,) * count
        return Structure(MAKE, self.constructor, self.type, parts).made


class Bracket(NamedTuple):
    """``[a, b]`` whose type is not settled: the places of its parts, and its own."""

    call: Call
    parts: tuple[int, ...]
    place: int
    clause: int


@dataclass(slots=True)
class Structures:
    """The record types and constructors of a program, and what was found out about its terms.

    ``names`` holds the function that each term is elaborated to, by the number of its clause and its identity: clauses
    that were made of one text share terms. ``clause`` is the one that is looked at.
    """

    records: dict[str, Made] = field(default_factory=dict)
    constructors: dict[str, Made] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    names: dict[tuple[int, int], str] = field(default_factory=dict)
    clause: int = -1
    brackets: list[Bracket] = field(default_factory=list)

    @property
    def any(self) -> bool:
        """Whether the program declares any."""
        return bool(self.shapes)

    def shape(self, type_: str | None) -> str | None:
        """A type as columns have it: a shape for a structure, anything else as it is."""
        return type_ if type_ is None else RECORD if type_ == NIL else self.shapes.get(type_, type_)


def structures_of(names: TypeNames) -> Structures:
    """The structures that type names declare."""
    declared = list(names.structures)
    found = Structures(shapes=make_shapes(declared, names.bases))
    for declaration in declared:
        for made in _made(declaration, names):
            known = found.constructors.get(made.constructor)
            if known is not None:
                found.findings.append(
                    diagnose("TL423", declaration.span, name=made.constructor, first=known.type, second=made.type)
                )
            elif made.constructor:
                found.constructors[made.constructor] = made
            else:
                found.records[made.type] = made
        found.findings.extend(_repeated(declaration))
    return found


def _made(declaration: TypeDeclaration, names: TypeNames) -> Iterator[Made]:
    for constructor in declaration.constructors:
        fields = tuple((field.name, names.base(field.type) or NUMBER) for field in constructor.fields)
        yield Made(constructor.name, structure_name(declaration.name), fields)


def _repeated(declaration: TypeDeclaration) -> Iterator[Diagnostic]:
    for constructor in declaration.constructors:
        names = [field.name for field in constructor.fields]
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            where = f"${constructor.name}" if constructor.name else declaration.name
            yield diagnose("TL424", declaration.span, name=name, type=where)


def make_place(call: Call, env: Environment, inference: Inference) -> int:
    """The place of a term that makes a structure, or a list."""
    parts = tuple(inference.term(arg, env) for arg in call.args)
    place = inference.classes.fresh()
    structures = inference.structures
    if call.function == LIST:
        structures.brackets.append(Bracket(call, parts, place, structures.clause))
    elif call.function[0] == "$" and " " not in call.function:
        _construct(call, parts, place, inference)
    else:
        params, result = signature(call.function)
        _set_all((*parts, place), (*params, result), call.span, inference)
    return place


def _construct(call: Call, parts: tuple[int, ...], place: int, inference: Inference) -> None:
    name = call.function[1:]
    made = inference.structures.constructors.get(name)
    if made is None:
        hint = KnownNames(f"${known}" for known in inference.structures.constructors).hint(f"${name}", "")
        inference.findings.append(diagnose("TL421", call.span, hint=hint or None, name=name))
        unknown = Structure(MAKE, name, RECORD, (ANY_TYPE,) * len(parts)).made
        inference.structures.names[inference.structures.clause, id(call)] = unknown
        return
    inference.classes.set(place, made.type, Reason(f"`${name}` makes a {made.type}", call.span))
    _fill(call, made, parts, inference, inference.structures.clause)


def _fill(call: Call, made: Made, parts: tuple[int, ...], inference: Inference, clause: int) -> None:
    """Give the parts the types of the fields."""
    inference.structures.names[clause, id(call)] = made.name(len(parts))
    if len(parts) != len(made.fields):
        wanted, found = (f"{n} part{'s' * (n != 1)}" for n in (len(made.fields), len(parts)))
        inference.findings.append(diagnose("TL420", call.span, name=made.shown, wanted=wanted, found=found))
        return
    for arg, part, (name, type_) in zip(call.args, parts, made.fields, strict=True):
        if isinstance(arg, Const) and arg.value is None and type_ not in inference.structures.records:
            inference.findings.append(diagnose("TL422", arg.span, found=type_.lstrip("'")))
            continue
        reason = Reason(f"field `{name}` of `{made.shown}` is {type_}", arg.span or call.span)
        if not inference.classes.set(part, type_, reason):
            inference.conflict(part, type_, arg.span or call.span, f"field `{name}` of `{made.shown}` holds")


def _set_all(places: Iterable[int], types: Iterable[str], span: Span | None, inference: Inference) -> None:
    for place, type_ in zip(places, types, strict=True):
        if type_ != ANY_TYPE:
            inference.classes.set(place, type_, Reason(f"a {type_}", span))


def settle_brackets(inference: Inference) -> bool:
    """Give brackets whose place has a type by now their parts; whether there were any."""
    waiting, inference.structures.brackets = inference.structures.brackets, []
    for bracket in waiting:
        type_ = inference.classes.type(bracket.place)
        made = inference.structures.records.get(type_ or "")
        if made is not None:
            _fill(bracket.call, made, bracket.parts, inference, bracket.clause)
        elif type_ in (None, NIL):
            inference.structures.brackets.append(bracket)
        else:
            _is_list(bracket, inference)
    return len(inference.structures.brackets) < len(waiting)


def settle_lists(inference: Inference) -> bool:
    """What is left in brackets and has no record type is a list; whether there were any."""
    waiting, inference.structures.brackets = inference.structures.brackets, []
    told: set[int] = set()
    for bracket in waiting:
        types = (inference.classes.type(part) for part in (bracket.place, *bracket.parts))
        if any(type_ in (NIL, RECORD) or type_ in inference.structures.shapes for type_ in types):
            root = inference.classes.root(bracket.place)
            inference.findings += [] if root in told else [diagnose("TL426", bracket.call.span)]
            told.add(root)
            unknown = Structure(MAKE, "", RECORD, (ANY_TYPE,) * len(bracket.parts)).made
            inference.structures.names[bracket.clause, id(bracket.call)] = unknown
        else:
            _is_list(bracket, inference)
    return bool(waiting)


def _is_list(bracket: Bracket, inference: Inference) -> None:
    call = bracket.call
    if not inference.classes.set(bracket.place, LIST, Reason("this is a list", call.span)):
        inference.conflict(bracket.place, LIST, call.span, "this place holds")
        return
    inference.in_list(bracket.parts, call)
    for place, arg in zip(bracket.parts, call.args, strict=True):
        inference.no_structure(place, arg.span or call.span, "a list")
