"""Types of terms that build records, algebraic values and lists.

Law: a bracket makes a list unless its place has a
record type: then it has as many parts as the type has fields, each of the field's type. A mismatch is reported once, at
its place (TL420 and following).
"""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.errors import Span
from tidelog.errors.counts import counted
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.messages.nearest import KnownNames
from tidelog.program.types.places import Places
from tidelog.program.types.structures import Bracket, TypedConstructor
from tidelog.program.types.unify import NIL, Reason
from tidelog.program.values.structure import MAKE, Structure, signature
from tidelog.program.values.term import ANY_TYPE, LIST, RECORD, Call, Const


def make_place(call: Call, parts: tuple[int, ...], inference: Places) -> int:
    """The place of a term that builds a structure, or a list, from these parts."""
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


def _construct(call: Call, parts: tuple[int, ...], place: int, inference: Places) -> None:
    name = call.function[1:]
    made = inference.structures.constructors.get(name)
    if made is None:
        hint = KnownNames(f"${known}" for known in inference.structures.constructors).hint(f"${name}", "")
        inference.findings.append(diagnose("TL421", call.span, hint=hint or None, name=name))
        unknown = Structure(MAKE, name, RECORD, (ANY_TYPE,) * len(parts)).constructor_name
        inference.structures.names[inference.structures.clause, id(call)] = unknown
        return
    inference.classes.set(place, made.type, Reason(f"`${name}` makes a {made.type}", call.span))
    _fill(call, made, parts, inference, inference.structures.clause)


def _fill(call: Call, constructor: TypedConstructor, parts: tuple[int, ...], inference: Places, clause: int) -> None:
    """Assign the types of the fields to the parts."""
    inference.structures.names[clause, id(call)] = constructor.name(len(parts))
    if len(parts) != len(constructor.fields):
        wanted, found = (counted(n, "part") for n in (len(constructor.fields), len(parts)))
        inference.findings.append(diagnose("TL420", call.span, name=constructor.shown, wanted=wanted, found=found))
        return
    for arg, part, (name, type_) in zip(call.args, parts, constructor.fields, strict=True):
        if isinstance(arg, Const) and arg.value is None and type_ not in inference.structures.records:
            inference.findings.append(diagnose("TL422", arg.span, found=type_.lstrip("'")))
            continue
        reason = Reason(f"field `{name}` of `{constructor.shown}` is {type_}", arg.span or call.span)
        if not inference.classes.set(part, type_, reason):
            inference.conflict(part, type_, arg.span or call.span, f"field `{name}` of `{constructor.shown}` holds")


def _set_all(places: Iterable[int], types: Iterable[str], span: Span | None, inference: Places) -> None:
    for place, type_ in zip(places, types, strict=True):
        if type_ != ANY_TYPE:
            inference.classes.set(place, type_, Reason(f"a {type_}", span))


def settle_brackets(inference: Places) -> bool:
    """Settle the parts of brackets whose place now has a type; returns whether there were any."""
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


def settle_lists(inference: Places) -> bool:
    """Make lists of the remaining brackets without a record type; returns whether there were any."""
    waiting, inference.structures.brackets = inference.structures.brackets, []
    reported: set[int] = set()
    for bracket in waiting:
        types = (inference.classes.type(part) for part in (bracket.place, *bracket.parts))
        if any(type_ in (NIL, RECORD) or type_ in inference.structures.shapes for type_ in types):
            root = inference.classes.root(bracket.place)
            inference.findings += [] if root in reported else [diagnose("TL426", bracket.call.span)]
            reported.add(root)
            unknown = Structure(MAKE, "", RECORD, (ANY_TYPE,) * len(bracket.parts)).constructor_name
            inference.structures.names[bracket.clause, id(bracket.call)] = unknown
        else:
            _is_list(bracket, inference)
    return bool(waiting)


def _is_list(bracket: Bracket, inference: Places) -> None:
    call = bracket.call
    if not inference.classes.set(bracket.place, LIST, Reason("this is a list", call.span)):
        inference.conflict(bracket.place, LIST, call.span, "this place holds")
        return
    inference.in_list(bracket.parts, call)
    for place, arg in zip(bracket.parts, call.args, strict=True):
        inference.no_structure(place, arg.span or call.span, "a list")
