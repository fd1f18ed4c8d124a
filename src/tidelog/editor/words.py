"""What the words of the language mean, in a line each, for completion and hover."""

from __future__ import annotations

from tidelog.program.functions.table import Function

DIRECTIVES = {
    "comp": "A component: `.comp Name<T> : Base<T> { ... }`. Instances are made by `.init`.",
    "constraint": "What a violated constraint does: `.constraint name severity(warn)`.",
    "convention": "How bare identifiers are read: `.convention souffle` or `.convention prolog`.",
    "decl": "Declares a relation: `.decl edge(x: number, y: number)`.",
    "functor": "Declares a function that comes from Python: `.functor f(number): number`.",
    "include": 'Reads another file in this place: `.include "other.dl"`.',
    "init": "Makes an instance of a component: `.init graph = Graph<number>`.",
    "input": 'Facts come from a file: `.input edge(filename="edges.csv")`.',
    "key": "No two facts agree in these columns: `.key employee(id)`.",
    "number_type": "A subtype of number.",
    "once": "The file is read once, however often it is included.",
    "output": "The view is written to a file: `.output reach`.",
    "override": "Defines a relation of a base component anew.",
    "plan": "Advice on the join order of the rule before it: `.plan 0:(2, 1)`.",
    "pragma": 'An option: `.pragma "overflow" "wrap"`.',
    "printsize": "The number of facts of a view is printed.",
    "reference": "Every value here is one there: `.reference member(team) -> team(name)`.",
    "symbol_type": "A subtype of symbol.",
    "type": "A type: a subtype (`<:`), an alias, a union, a record `[x: number]`, or `A {x: number} | B {}`.",
}
AGGREGATES = {
    "count": "How many: `n = count : { edge(x, _) }` in a body, `count<*>` in a head.",
    "sum": "The sum: `s = sum d : { task(t, d) }` in a body, `sum<d>` in a head.",
    "min": "The least: `m = min d : { task(t, d) }` in a body, `min<d>` in a head.",
    "max": "The greatest: `m = max d : { task(t, d) }` in a body, `max<d>` in a head.",
    "mean": "The mean: `m = mean d : { task(t, d) }` in a body, `mean<d>` in a head.",
}
TYPES = {
    "number": "Whole numbers of 64 bits with a sign.",
    "unsigned": "Whole numbers of 64 bits without a sign.",
    "float": "Numbers with a fraction (64 bits, IEEE 754).",
    "symbol": "Texts.",
    "list": "Lists of values.",
}


def is_written(name: str) -> bool:
    """Whether a function is called by its name, unlike an operator."""
    return name.replace("_", "a").isalnum() and name[0].isalpha()


def signature(function: Function) -> str:
    """An overload as it would be declared.

    >>> from tidelog.program.functions.table import FUNCTIONS
    >>> signature(FUNCTIONS["strlen"][0])
    'strlen(symbol): number'
    """
    params = list(function.params)
    if function.variadic:
        params[-1] += "..."
    return f"{function.name}({', '.join(params)}): {function.result}"
