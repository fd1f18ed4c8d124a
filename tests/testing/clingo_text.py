"""Programs over integers as text for clingo, and its answer as a model.

What both languages share: rules, stratified negation, comparisons, integer arithmetic, ranges, disjunction, and count,
sum, min, max in both forms. Anything else raises `Untranslatable`.
"""

from __future__ import annotations

from itertools import product

import clingo

from tidelog.program import Aggregate, Atom, Call, Comparison, Const, Disjunction, Negation, Var, Wildcard
from tidelog.testing.occurrences import head_aggregates, names_inside, names_of_body
from tidelog.testing.solutions import with_named_wildcards

_INFIX = {"+": "+", "-": "-", "*": "*", "/": "/", "%": "\\", "band": "&", "bor": "?", "bxor": "^"}
_EMPTY = {"min": "#sup", "max": "#inf"}


class Untranslatable(Exception):
    """The program says something that clingo does not."""


def model_by_clingo(program, facts):
    """The only stable model: every relation that is not empty."""
    (model,) = stable_models(program, facts, 2)
    return model


def stable_models(program, facts, most):
    """The stable models, each with every relation that is not empty; at most so many."""
    lines = [
        f"{name}({','.join(map(_number, row))})." if row else f"{name}." for name, rows in facts.items() for row in rows
    ]
    for index, rule in enumerate(program.rules):
        lines += _rule(index, rule)
    control = clingo.Control(["--warn=none", f"--models={most}"])
    control.add("base", [], "\n".join(lines))
    control.ground([("base", [])])
    models = []

    def keep(answer):
        model: dict[str, set] = {}
        for symbol in answer.symbols(atoms=True):
            model.setdefault(symbol.name, set()).add(tuple(argument.number for argument in symbol.arguments))
        models.append({name: frozenset(rows) for name, rows in model.items() if not name.startswith("group")})

    control.solve(on_model=keep)
    return models


def _rule(index, rule):
    """One line per choice of branches; an aggregate in the head needs a relation of its groups."""
    body = with_named_wildcards(rule.body)
    folded = head_aggregates(rule)
    if not folded:
        head = _atom(rule.head)
        return [f"{head} :- {', '.join(choice)}." if choice else f"{head}." for choice in _choices(body)]
    if any(isinstance(literal, Disjunction) for literal in body):
        raise Untranslatable("disjunction under an aggregate")
    (position, aggregate), *more = folded.items()
    if more:
        raise Untranslatable("several aggregates")
    group = [_term(arg) for i, arg in enumerate(rule.head.args) if i != position]
    (literals,) = _choices(body)
    row = [*group]
    row.insert(position, "Result")
    return [
        f"group{index}({','.join(group) or '0'}) :- {', '.join(literals)}.",
        f"{rule.head.predicate}({','.join(row)}) :- group{index}({','.join(group) or '0'}), "
        f"Result = {_fold(aggregate, names_of_body(body), literals)}.",
    ]


def _choices(body):
    options = []
    for literal in body:
        if isinstance(literal, Disjunction):
            options.append([part for branch in literal.branches for part in _choices(branch)])
        else:
            options.append([[_literal(literal)]])
    return [[text for part in choice for text in part] for choice in product(*options)]


def _fold(aggregate, names, literals):
    if aggregate.kind == "mean":
        raise Untranslatable("mean")
    valuation = sorted(map(_name, names)) or ["0"]
    value = [] if aggregate.kind == "count" else [_term(aggregate.value)]
    return f"#{aggregate.kind} {{ {','.join(value + valuation)} : {', '.join(literals)} }}"


def _literal(literal):
    match literal:
        case Atom():
            return _atom(literal)
        case Negation(atom=atom):
            return f"not {_atom(atom)}"
        case Comparison(left=Var() as left, op="=", right=Aggregate() as aggregate):
            return _body_aggregate(left, aggregate)
        case Comparison(left=Var() as left, op="=", right=Call(function="range", args=args)):
            return f"{_term(left)} = ({';'.join(map(str, range(*_bounds(args))))})"
        case Comparison(left=left, op=op, right=right):
            return f"{_term(left)} {op} {_term(right)}"
    raise Untranslatable(str(literal))


def _bounds(args):
    bounds = [arg.value for arg in args]
    return bounds if len(bounds) == 3 else [*bounds, 1 if bounds[0] <= bounds[1] else -1]


def _body_aggregate(left, aggregate):
    if aggregate.kind == "mean":
        raise Untranslatable("mean")
    body = with_named_wildcards(aggregate.body, frozenset(f"_{i}" for i in range(50)))
    (literals,) = _choices(body)
    result = f"{_term(left)} = {_fold(aggregate, names_of_body(body) | names_inside(aggregate), literals)}"
    return f"{result}, {_term(left)} != {_EMPTY[aggregate.kind]}" if aggregate.kind in _EMPTY else result


def _atom(atom):
    return f"{atom.predicate}({','.join(map(_term, atom.args))})" if atom.args else atom.predicate


def _name(name):
    return name if name[0].isupper() else f"N{name}"


def _number(value):
    return f"({value})" if value < 0 else str(value)


def _term(term):
    match term:
        case Var(name=name):
            return _name(name)
        case Wildcard():
            return "_"
        case Const(value=value, type="number"):
            return _number(value)
        case Call(function="-", args=(inner,)):
            return f"(-{_term(inner)})"
        case Call(function="bnot", args=(inner,)):
            return f"(~{_term(inner)})"
        case Call(function=function, args=(left, right)) if function in _INFIX:
            return f"({_term(left)} {_INFIX[function]} {_term(right)})"
    raise Untranslatable(str(term))
