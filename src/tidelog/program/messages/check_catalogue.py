"""The codes of the checks.

Families: names (TL2xx), safety (TL3xx), types (TL4xx), strata (TL5xx), limits (TL6xx), warnings (TL7xx).
Law: a check never words a finding itself; it names a code and fills the template that stands here once. Codes are
stable: a code is never given another meaning, and a new finding gets a new code.
The codes of the syntax (TL1xx) live with the parser.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tidelog.errors import Diagnostic, Span
from tidelog.errors.entry import CodeEntry
from tidelog.program.messages.governing_catalogue import GOVERNING
from tidelog.program.messages.strata_catalogue import STRATA
from tidelog.program.messages.type_catalogue import PATTERNS, TYPES

_NAMES = (
    CodeEntry(
        "TL201",
        "unknown relation",
        "unknown relation `{name}`",
        "In the Soufflé convention every relation is declared with `.decl` before its facts and rules mean anything.",
        "Declare the relation, or correct its name.",
        ".decl path(x: number, y: number)\npath(x, y) :- pth(x, y).\n",
    ),
    CodeEntry(
        "TL202",
        "conflicting number of columns",
        "`{name}` has {expected}, but {found} here",
        "A relation has one number of columns, fixed by its declaration or else by its first use.",
        "Give every use of the relation the same number of arguments; `_` fills a column that does not matter.",
        "edge(1, 2).\nreach(X) :- edge(X).\n",
    ),
    CodeEntry(
        "TL203",
        "relation declared twice",
        "relation `{name}` is declared twice",
        "A relation has at most one `.decl`.",
        "Remove one of the declarations.",
        ".decl edge(x: number, y: number)\n.decl edge(x: number, y: number)\n",
    ),
    CodeEntry(
        "TL204",
        "label given twice",
        "label `{name}` is given to two rules",
        "A label names one rule: it is what `remove_rule`, `why` and profiles call the rule by.",
        "Give one of the rules another label, or none.",
        "r1: p(X) :- q(X).\nr1: p(X) :- s(X).\n",
    ),
    CodeEntry(
        "TL205",
        "reserved name",
        "the name `{name}` is reserved",
        "Names that start with two underscores belong to the relations that Tidelog makes itself.",
        "Choose a name that does not start with `__`.",
        ".decl __seen(x: number)\n",
    ),
    CodeEntry(
        "TL206",
        "unknown type",
        "unknown type `{name}`",
        "A column's type is number, unsigned, float, symbol, list, boolean, date, timestamp or a name made by `.type`.",
        "Declare the type with `.type`, or correct its name.",
        ".decl edge(x: City, y: City)\n",
    ),
    CodeEntry(
        "TL207",
        "unknown function",
        "unknown function `{name}`",
        "A function is built in or registered from Python before the program is read.",
        "Correct the name, or register the function.",
        "size(X, N) :- word(X), N = strlne(X).\n",
    ),
    CodeEntry(
        "TL208",
        "wrong number of arguments",
        "function `{name}` takes {expected}, but {found} given",
        "A function is applied to as many arguments as it has parameters.",
        "Add or remove arguments.",
        "size(X, N) :- word(X), N = strlen(X, 1).\n",
    ),
    CodeEntry(
        "TL209",
        "key column out of range",
        "key column {column} is not a column of `{name}`, which has {arity}",
        "`keys(...)` lists columns of the relation, counted from 1, each at most once.",
        "List column numbers between 1 and the number of columns, each once.",
        "materialize(link, infinity, infinity, keys(1, 3)).\nlink(1, 2).\n",
    ),
    CodeEntry(
        "TL210",
        "directive for an unknown relation",
        "`{directive}` names the unknown relation `{name}`",
        "A directive speaks about a relation that the program declares, derives or reads.",
        "Correct the name, or declare the relation.",
        "path(X, Y) :- edge(X, Y).\n.output pth\n",
    ),
    CodeEntry(
        "TL211",
        "type declared twice",
        "type `{name}` is declared twice",
        "A type name has one meaning; the names of the base types are taken.",
        "Remove one of the declarations, or choose another name.",
        ".type City <: symbol\n.type City <: symbol\n.decl city(x: City)\n",
    ),
    CodeEntry(
        "TL212",
        "circular type",
        "type `{name}` is defined by itself",
        "Every type name leads to a base type in finitely many steps.",
        "Break the circle: let one of the types be defined by a base type.",
        ".type A = B\n.type B = A\n.decl p(x: A)\n",
    ),
    CodeEntry(
        "TL213",
        "column named twice",
        "relation `{name}` has two columns called `{column}`",
        "The columns of one relation have different names.",
        "Rename one of the columns.",
        ".decl edge(x: number, x: number)\n",
    ),
    CodeEntry(
        "TL214",
        "relation materialized twice",
        "relation `{name}` is materialized twice",
        "A relation has at most one `materialize`.",
        "Keep the line whose keys you mean.",
        "materialize(link, infinity, infinity, keys(1)).\n"
        "materialize(link, infinity, infinity, keys(2)).\nlink(1, 2).\n",
    ),
    CodeEntry(
        "TL215",
        "conflicting location columns",
        "`{name}` is placed by column {expected}, but by column {found} here",
        "The facts of a relation live where one and the same column says: the argument marked `@`.",
        "Mark the same argument with `@` wherever the relation is used.",
        "link(@a, b).\nback(@Y, X) :- link(X, @Y).\n",
    ),
    CodeEntry(
        "TL216",
        "file included twice",
        "`{file}` is included twice, so that all that it declares is declared twice",
        "An `#include` puts the whole text of a file in its place, each time.",
        "Write `.once` at the beginning of the file, or remove one of the includes.",
        '#include "edge.dl"\n#include "edge.dl"\n.decl path(x: number, y: number)\npath(x, y) :- edge(x, y).\n',
    ),
)

_SAFETY = (
    CodeEntry(
        "TL301",
        "unbound variable in the head",
        "variable `{name}` of the head is not bound by the body",
        "Every variable of a head gets its values from the body: from a positive atom, or from `=` with a bound term.",
        "Use the variable in a positive atom of the body, or replace it by a constant.",
        "reach(X, Y) :- node(X).\n",
    ),
    CodeEntry(
        "TL302",
        "unbound variable in a negation",
        "variable `{name}` of a negated atom is not bound",
        "A negation only tests: each of its variables is bound by a positive literal of the same body.",
        "Bind the variable in a positive atom, or write `_` if any value will do.",
        "lonely(X) :- node(X), !edge(X, Y).\n",
    ),
    CodeEntry(
        "TL303",
        "unbound variable in a comparison",
        "variable `{name}` of a comparison is not bound",
        "A comparison only tests, except `=`, which binds a variable once its other side is bound.",
        "Bind the variable in a positive atom of the body.",
        "big(X) :- node(X), X > Y.\n",
    ),
    CodeEntry(
        "TL304",
        "unbound variable in an expression",
        "variable `{name}` of an expression is not bound",
        "An expression inside an atom is computed, never solved: its variables are bound elsewhere in the body.",
        "Bind the variable in a positive atom, or name the argument and solve for it: `edge(X, Z), Y = Z - 1`.",
        "next(X) :- node(X), edge(X, Y + 1).\n",
    ),
    CodeEntry(
        "TL305",
        "`_` where a value is needed",
        "`_` stands where a value is needed",
        "`_` matches anything, so it stands only as a whole argument of an atom in a body.",
        "Name the variable and bind it, or leave the column out.",
        "reach(X, _) :- node(X).\n",
    ),
    CodeEntry(
        "TL306",
        "range with an unbound end",
        "variable `{name}` of a range is not bound",
        "A range counts between values that are known: its ends and its step are bound elsewhere in the body.",
        "Bind the ends in a positive atom, or write numbers.",
        "slot(X) :- node(Y), X = range(0, N).\n",
    ),
    CodeEntry(
        "TL307",
        "range in the wrong place",
        "`{name}` stands where a single value is needed",
        "A range has several values, so it stands only as one side of `=` in a body.",
        "Bind a variable to the range and use the variable: `X = range(0, 10)`.",
        "slot(X) :- node(Y), X = range(0, 3) + Y.\n",
    ),
    CodeEntry(
        "TL308",
        "variable taken out of an aggregate",
        "variable `{name}` is bound only inside an aggregate",
        "A count, sum or mean gives back its value, not the facts it came from (only min and max have witnesses): a "
        "variable that its body shares with the rest of the rule forms the group and is bound outside.",
        "Bind the variable in a positive atom outside the aggregate, or rename it inside.",
        "total(X, D) :- node(X), D = sum C : { path(X, Y, C) }, far(Z), Y != Z.\n",
    ),
    CodeEntry(
        "TL309",
        "unbound variable in an aggregate",
        "variable `{name}` of an aggregate is not bound",
        "An aggregate ranges over the valuations of its body, so its value and every literal inside are bound there, "
        "or outside by the rule.",
        "Bind the variable in a positive atom of the aggregate's body.",
        "total(X, S) :- node(X), S = sum C : { edge(X, Y) }.\n",
    ),
    CodeEntry(
        "TL310",
        "aggregate in the wrong place",
        "`{kind}` is an aggregate of the rule's own body and stands only as a whole argument of a head",
        "The form `min<C>` ranges over the body of its rule; inside a body an aggregate brings its own body.",
        "In a body write `M = min C : { path(X, C) }`; in a head use the aggregate as a whole argument.",
        "next(X, min<C> + 1) :- path(X, C).\n",
    ),
)

_LIMITS = (
    CodeEntry(
        "TL601",
        "timer",
        "`periodic` is a timer, and timers are not maintained",
        "Facts change when you change them, in epochs; no clock makes facts.",
        "Insert the facts of the timer from outside, one epoch per tick.",
        "beat(@X) :- periodic(@X, E, 10).\n",
    ),
    CodeEntry(
        "TL602",
        "lifetime of facts that rules derive",
        "`{name}` has a lifetime of {value}, and its facts are not only asserted",
        "A lifetime is that of asserted facts; what rules derive lives as long as what it rests on.",
        "Give the lifetime to the relations that `{name}` is derived from.",
        "materialize(route, 30, infinity, keys(1)).\nlink(1, 2).\nroute(X, Y) :- link(X, Y).\n",
    ),
    CodeEntry(
        "TL603",
        "bounded table of facts that rules derive",
        "`{name}` is bounded to {value} facts, and they are not only asserted",
        "A bound is kept by retracting the oldest asserted facts; a derived fact is there as long as its rule holds.",
        "Write `infinity`, and select the facts you want with an aggregate.",
        "materialize(route, infinity, 100, keys(1)).\nlink(1, 2).\nroute(X, Y) :- link(X, Y).\n",
    ),
)

_WARNINGS = (
    CodeEntry(
        "TL701",
        "relation that may be misspelt",
        "nothing in the program makes facts of `{name}`; did you mean `{nearest}`?",
        "A relation without declaration, facts and rules is empty until facts are inserted from outside.",
        "Correct the name, or declare the relation with `.decl` or `.input` to say that its facts come from outside.",
        "path(X, Y) :- edge(X, Y).\npath(X, Z) :- pth(X, Y), edge(Y, Z).\n",
    ),
    CodeEntry(
        "TL702",
        "variable used once",
        "variable `{name}` is used only once",
        "A variable that occurs once matches anything, as `_` does.",
        "Write `_`, start the name with `_`, or correct it.",
        "source(X) :- edge(X, Y).\n",
    ),
    CodeEntry(
        "TL703",
        "relation kept that NDlog would drop",
        "`{name}` is not materialized: NDlog would take its facts as messages of an instant, Tidelog keeps them",
        "Every relation is kept; there are no events that vanish after one round.",
        "Add a `materialize` line for the relation, and remove its facts when they are over.",
        "materialize(link, infinity, infinity, keys(1, 2)).\nlink(@a, b).\npong(@Y, X) :- ping(@X, Y), link(@X, Y).\n",
    ),
    CodeEntry(
        "TL704",
        "symbol that looks like a variable",
        '`{name}` is the symbol "{name}", not a variable: the rule has no variables',
        "In a program without `.decl` lines variables start with a capital letter or `_`. Other bare identifiers are "
        "symbols.",
        'Write `{variable}` for a variable, or "{name}" in quotes for the symbol. Declare the relations with `.decl` '
        "to write variables in lower case.",
        "reach(x, y) :- edge(x, y).\n",
    ),
    CodeEntry(
        "TL760",
        "value that may grow without end",
        "evaluation may not end: `{term}` makes column {column} of `{relation}` from its own values, through {cycle}",
        "Facts are finite, and so is what rules copy from them. A value that recursion computes from its own results "
        "needs a bound: a comparison for a number, `f_inPath` or `f_size` for a list, min or max for a cost that only "
        "gets worse. Nothing here gives one; on data that has no cycle it may end all the same.",
        "Bound the value in the rule (`X < 100`, `f_inPath(P, X) = false`), or run with limits, which stop an epoch "
        "that does not end.",
        "step(0).\nstep(Y) :- step(X), Y = X + 1.\n",
    ),
    CodeEntry(
        "TL720",
        "value outside the declared type of a legacy program",
        "{what} has type `{found}`, but the column is declared `{expected}`",
        'Under `.pragma "legacy"` a value may go into a column of another type with the same base, as in Soufflé.',
        "Cast the value (`as(x, {expected})`), or declare the column with the wider type.",
        '.pragma "legacy"\n.type City\n.decl name(x: symbol)\n.decl city(x: City)\ncity(x) :- name(x).\n',
    ),
)

CATALOGUE: Mapping[str, CodeEntry] = {
    entry.code: entry for entry in (*_NAMES, *GOVERNING, *_SAFETY, *TYPES, *PATTERNS, *STRATA, *_LIMITS, *_WARNINGS)
}


def diagnose(
    code: str,
    span: Span | None,
    *,
    hint: str | None = None,
    related: Iterable[tuple[str, Span]] = (),
    **values: object,
) -> Diagnostic:
    """The finding with this code; codes of the family TL7xx are warnings, all others errors.

    >>> diagnose("TL206", None, name="City").message
    'unknown type `City`'
    """
    finding = CATALOGUE[code].diagnostic(span, hint=hint, related=related, **values)
    return replace(finding, severity="warning") if code.startswith("TL7") else finding
