"""Programs as frozen values, and the checks that need nothing but them."""

from tidelog.program.component import Component, ComponentType, Instance
from tidelog.program.literal import (
    COMPARISONS,
    Atom,
    Boolean,
    Comparison,
    Disjunction,
    Literal,
    Negation,
    PathAtom,
)
from tidelog.program.path import Alternative, Conjunction, Inverse, Label, Path, Repeat, Sequence
from tidelog.program.program import PROLOG, SOUFFLE, Program
from tidelog.program.rule import Constraint, Fact, Key, Reference, Rule
from tidelog.program.schema import Column, Constructor, Declaration, Directive, Functor, Materialize, TypeDeclaration
from tidelog.program.term import (
    AGGREGATES,
    Aggregate,
    Call,
    Const,
    Term,
    Value,
    Var,
    Wildcard,
    subterms,
    variables,
)
from tidelog.program.variant import Variant

__all__ = [
    "AGGREGATES",
    "COMPARISONS",
    "PROLOG",
    "SOUFFLE",
    "Aggregate",
    "Alternative",
    "Atom",
    "Boolean",
    "Call",
    "Column",
    "Comparison",
    "Component",
    "ComponentType",
    "Conjunction",
    "Const",
    "Constraint",
    "Constructor",
    "Declaration",
    "Directive",
    "Disjunction",
    "Fact",
    "Functor",
    "Instance",
    "Inverse",
    "Key",
    "Label",
    "Literal",
    "Materialize",
    "Negation",
    "Path",
    "PathAtom",
    "Program",
    "Reference",
    "Repeat",
    "Rule",
    "Sequence",
    "Term",
    "TypeDeclaration",
    "Value",
    "Var",
    "Variant",
    "Wildcard",
    "subterms",
    "variables",
]
