"""Terms (variables, constants, function applications, body aggregates), atoms and the other literals of a body.

Law: terms are values. Two terms are equal when they mean the same text, wherever they occur: spans never take
part in a comparison, and a constant carries its type, so that ``1`` and ``1.0`` differ.
A body is a conjunction of literals; its meaning does not depend on their order.
Evaluation is defined elsewhere (`testing` for the slow judge, `kernel` for the engine).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from tidelog.errors import Span
from tidelog.program.values.path import Path

if TYPE_CHECKING:
    from tidelog.program.values.variant import Variant

Value: TypeAlias = "int | float | str | tuple[Value, ...] | Variant | None"

NUMBER, UNSIGNED, FLOAT, SYMBOL, LIST = "number", "unsigned", "float", "symbol", "list"
BOOLEAN, DATE, TIMESTAMP = "boolean", "date", "timestamp"
RECORD, ANY_TYPE = "record", "any"
NAN = math.nan
SUM, WRAPPING_SUM = "sum", "wrap sum"  # no text can write the second
CHOICE = "choice"  # cannot be written in a text: the aggregate of a choice domain (`program.choice`)
MODEL = "model"  # cannot be written in a text either: the truth of facts in a model (`graph.well_founded`)
POSSIBLE = "__possible_"  # begins the relation of facts that may be true in it
VARIANCES = ("variance", "stddev", "var_pop", "stddev_pop")
AGGREGATES = ("count", SUM, "min", "max", "mean", "any", "all", "median", *VARIANCES, "collect")
PARAMETRIC = ("quantile", "string_agg")  # of a value and a constant
CHOSEN_BY = ("argmin", "argmax")  # of a value and the key by which it is chosen
PAIRED_AGGREGATES = (*PARAMETRIC, *CHOSEN_BY)
AGGREGATE_RESULTS = {
    **dict.fromkeys(("mean", "median", "quantile", *VARIANCES), FLOAT),
    **dict.fromkeys(("any", "all"), BOOLEAN),
    "collect": LIST,
    "string_agg": SYMBOL,
}  # the others have the type of their values
ARGUMENTS = ","  # no function has this name: a `Call` of it holds the two arguments of an aggregate


@dataclass(frozen=True, slots=True)
class Var:
    """A named variable."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Wildcard:
    """The anonymous variable ``_``; every occurrence is a separate variable."""

    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Const:
    """A constant with its type: a number, a symbol, a date..., or ``nil`` (None, a record). (Lists are applications.)

    Booleans are 1 and 0, dates and timestamps the numbers that `calendar` counts; a timestamp that was written with a
    zone is ``zoned``: an instant.

    >>> Const(1, "number") == Const(1.0, "float")
    False
    >>> Const(float("nan"), "float") == Const(float("nan"), "float")
    True
    >>> Const(-0.0, "float")
    Const(value=0.0, type='float')
    """

    value: Value
    type: str
    span: Span | None = field(default=None, compare=False, repr=False)
    zoned: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        if self.type == FLOAT:
            object.__setattr__(self, "value", canonical_float(float(self.value)))  # type: ignore[arg-type]  # float type


@dataclass(frozen=True, slots=True)
class Call:
    """A function applied to terms. Operators are functions with symbolic names (``+``, ``-`` also unary, ``band``).

    ``list`` builds a list from its arguments; ``range`` yields several values and is a generator of the body.
    """

    function: str
    args: tuple[Term, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class GroundRule:
    """The relation with the instances of a rule: ``width`` columns of its head, then those of each of its literals.

    A literal is (relation, whether it is positive, number of columns). Where facts have values (`graph.bundles`), these
    are only the columns of keys; the values are computed by the ``formula``, from the variables in these columns and
    the ``names`` in further ones.
    """

    relation: str
    head: str
    width: int
    literals: tuple[tuple[str, bool, int], ...]
    formula: Derivation | None = field(default=None, repr=False)
    names: tuple[str, ...] = field(default=(), repr=False)

    @property
    def columns(self) -> int:
        """The number of columns."""
        return self.width + sum(width for _, _, width in self.literals) + len(self.names)


@dataclass(frozen=True, slots=True)
class Derivation:
    """The head and the body of a rule by which values are computed, and the label under which users know it."""

    head: Atom
    body: tuple[Literal, ...]
    label: str


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate: ``kind`` over ``value`` (None for count).

    With a ``body`` it is Soufflé's form ``min d : { path(x, y, d) }`` and occurs in a rule's body or in any term.
    With ``body is None`` it is the head form ``min<D>`` and ranges over the rule's own body; it occurs in heads only.
    ``ties`` are columns of that head, counted from 0, that do not belong to the group: they accompany the best value,
    and among equal values they are compared in this order, each by ``min`` or ``max`` (`program.witnesses`).
    ``domains`` are the keys of a choice, each by its columns of the head (`program.choice`). ``distinct``: each value
    of a group counts once, however many valuations have it. ``folded``: a min or max of rows that come from a lower
    stratum (`plan.fold_rows`). ``ground`` are the rules whose instances determine a model (`graph.well_founded`).
    """

    kind: str
    value: Term | None
    body: tuple[Literal, ...] | None
    span: Span | None = field(default=None, compare=False, repr=False)
    ties: tuple[tuple[int, str], ...] = ()
    domains: tuple[tuple[int, ...], ...] = ()
    folded: bool = False
    distinct: bool = False
    ground: tuple[GroundRule, ...] = ()

    @property
    def arguments(self) -> tuple[Term, ...]:
        """The terms in its brackets.

        >>> Aggregate("quantile", Call(ARGUMENTS, (Var("X"), Const(0.5, "float"))), None).arguments[0]
        Var(name='X')
        """
        if isinstance(self.value, Call) and self.value.function == ARGUMENTS:
            return self.value.args
        return () if self.value is None else (self.value,)

    @property
    def measured(self) -> tuple[Term, ...]:
        """The arguments that have a value for each valuation; a count needs none."""
        if self.kind == "count" and not self.distinct:
            return ()
        return self.arguments[:1] if self.kind in PARAMETRIC else self.arguments

    def measuring(self, terms: Sequence[Term], body: tuple[Literal, ...] | None = None) -> Aggregate:
        """The aggregate with other measured terms, over another body."""
        arguments = (*terms, *self.arguments[1:]) if self.kind in PARAMETRIC else tuple(terms)
        value = Call(ARGUMENTS, arguments) if len(arguments) > 1 else next(iter(arguments), None)
        return replace(self, value=value, body=body)


Term: TypeAlias = Var | Wildcard | Const | Call | Aggregate


def canonical_float(value: float) -> float:
    """One object for NaN, one zero (D11)."""
    return NAN if math.isnan(value) else value + 0.0


def subterms(term: Term) -> Iterator[Term]:
    """The term and all terms inside it, outermost first; the bodies of aggregates are not entered."""
    yield term
    if isinstance(term, Call):
        for arg in term.args:
            yield from subterms(arg)
    elif isinstance(term, Aggregate) and term.value is not None:
        yield from subterms(term.value)


def variables(term: Term) -> Iterator[Var]:
    """The named variables of a term, left to right with repetitions; the bodies of aggregates are not entered."""
    return (t for t in subterms(term) if isinstance(t, Var))


COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate applied to terms. ``location`` is the position of the argument that carries ``@``, if any.

    ``p@1`` is ``p(@1)``: an atom with one argument at location 0.
    """

    predicate: str
    args: tuple[Term, ...]
    location: int | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Negation:
    """``!atom``: no fact matches the atom."""

    atom: Atom
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left op right``. ``=`` also binds: a variable with a term, and (with ``range``) with each of several values.

    ``:=`` of NDlog is read as ``=``. Tests such as ``contains(a, b)`` and ``match(p, s)`` are comparisons of a call
    with the number 1: ``contains(a, b) = 1``.
    """

    op: str
    left: Term
    right: Term
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Boolean:
    """``true`` or ``false`` as a literal."""

    value: bool
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Disjunction:
    """``(body ; body ; ...)``."""

    branches: tuple[tuple[Literal, ...], ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PathAtom:
    """A path expression between two terms: ``follows+(X, Y)``; ``negated``, no such path: ``!follows+(X, Y)``."""

    path: Path
    source: Term
    target: Term
    negated: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


Literal: TypeAlias = Atom | Negation | Comparison | Boolean | Disjunction | PathAtom
