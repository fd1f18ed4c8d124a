"""The meaning of the words of the language, in one line each, for completion and hover."""

from __future__ import annotations

from tidelog.program.functions.table import Function

DIRECTIVES = {
    "comp": "A component: `.comp Name<T> : Base<T> { ... }`. `.init` creates instances.",
    "constraint": "Whether a violated constraint refuses the epoch or warns: `.constraint name severity(warn)`.",
    "convention": "How bare identifiers are read: `.convention souffle` or `.convention prolog`.",
    "decl": "Declares a relation: `.decl edge(x: number, y: number)`.",
    "functor": "Declares a function that is provided from Python: `.functor f(number): number`.",
    "include": 'Includes another file here: `.include "other.dl"`.',
    "init": "Creates an instance of a component: `.init graph = Graph<number>`.",
    "input": 'Reads facts from a file: `.input edge(filename="edges.csv")`.',
    "key": "Declares a key, which no two facts share: `.key employee(id)`.",
    "number_type": "A subtype of number.",
    "once": "Reads the file only once, even if it is included several times.",
    "output": "Writes a view to a file: `.output reach`.",
    "override": "Redefines a relation of a base component.",
    "plan": "Sets the join order of the preceding rule: `.plan 0:(2, 1)`.",
    "pragma": 'An option: `.pragma "overflow" "wrap"`.',
    "prefix": "Abbreviates IRIs: after `.prefix ex: <http://ex.org/>`, `ex:ann` is the term `<http://ex.org/ann>`.",
    "printsize": "Prints the number of facts of a view.",
    "reference": "Declares a foreign key: `.reference member(team) -> team(name)`.",
    "symbol_type": "A subtype of symbol.",
    "type": "A type: a subtype (`<:`), an alias, a union, a record `[x: number]`, or `A {x: number} | B {}`.",
}
AGGREGATES = {
    "count": "Number of rows: `n = count : { edge(x, _) }` in a body, `count<*>` in a head.",
    "sum": "The sum: `s = sum d : { task(t, d) }` in a body, `sum<d>` in a head.",
    "min": "The least: `m = min d : { task(t, d) }` in a body, `min<d>` in a head.",
    "max": "The greatest: `m = max d : { task(t, d) }` in a body, `max<d>` in a head.",
    "mean": "The mean: `m = mean d : { task(t, d) }` in a body, `mean<d>` in a head.",
    "any": "Whether any value is true: `b = any d : { task(t, d) }` in a body, `any<d>` in a head.",
    "all": "Whether all values are true: `b = all d : { task(t, d) }` in a body, `all<d>` in a head.",
    "median": "The median: `m = median d : { task(t, d) }` in a body, `median<d>` in a head.",
    "quantile": "A quantile: `q = quantile(d, 0.9) : { task(t, d) }` in a body, `quantile<d, 0.9>` in a head.",
    "variance": "The variance of a sample: `v = variance d : { task(t, d) }` in a body, `variance<d>` in a head.",
    "stddev": "The standard deviation of a sample: `s = stddev d : { task(t, d) }` in a body, `stddev<d>` in a head.",
    "var_pop": "The variance of a whole population: `v = var_pop d : { task(t, d) }`, `var_pop<d>` in a head.",
    "stddev_pop": "The standard deviation of a whole population: `stddev_pop d : { task(t, d) }`, `stddev_pop<d>`.",
    "collect": "The values as a sorted list: `l = collect d : { task(t, d) }` in a body, `collect<d>` in a head.",
    "string_agg": 'Texts in order, joined: `string_agg(t, ", ") : { task(t, d) }`, `string_agg<t, ", ">` in a head.',
    "argmin": "The value with the least key: `t = argmin(t1, d) : { task(t1, d) }`, `argmin<t, d>` in a head.",
    "argmax": "The value with the greatest key: `t = argmax(t1, d) : { task(t1, d) }`, `argmax<t, d>` in a head.",
}
TYPES = {
    "number": "Signed 64-bit integers.",
    "unsigned": "Unsigned 64-bit integers.",
    "float": "64-bit floating-point numbers (IEEE 754).",
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
