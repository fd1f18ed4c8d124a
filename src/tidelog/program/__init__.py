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
from tidelog.program.rule import Fact, Rule
from tidelog.program.schema import Column, Declaration, Directive, Materialize, TypeDeclaration
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
    "Declaration",
    "Directive",
    "Disjunction",
    "Fact",
    "Instance",
    "Inverse",
    "Label",
    "Literal",
    "Materialize",
    "Negation",
    "Path",
    "PathAtom",
    "Program",
    "Repeat",
    "Rule",
    "Sequence",
    "Term",
    "TypeDeclaration",
    "Value",
    "Var",
    "Wildcard",
    "subterms",
    "variables",
]
