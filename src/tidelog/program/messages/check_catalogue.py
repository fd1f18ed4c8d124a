"""The codes of the checks.

Families: names (TL2xx), safety (TL3xx), types (TL4xx), strata (TL5xx), limits (TL6xx), warnings (TL7xx).
Law: a check never formulates a finding itself; it names a code and fills the template that is defined here once. Codes
are stable: the meaning of a code never changes, and a new finding gets a new code. The codes of the syntax (TL1xx) are
defined with the parser.
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
        "In the Soufflé convention, every relation must be declared with `.decl`.",
        "Declare the relation, or correct its name.",
        ".decl path(x: number, y: number)\npath(x, y) :- pth(x, y).\n",
    ),
    CodeEntry(
        "TL202",
        "conflicting number of columns",
        "`{name}` has {expected}, but {found} here",
        "The number of columns is fixed by the declaration of a relation, or by its first use.",
        "Use the same number of arguments everywhere. `_` matches any value in a column.",
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
        "duplicate label",
        "label `{name}` is used for two rules",
        "A label identifies one rule in `remove_rule`, `why` and profiles.",
        "Rename or remove one of the labels.",
        "r1: p(X) :- q(X).\nr1: p(X) :- s(X).\n",
    ),
    CodeEntry(
        "TL205",
        "reserved name",
        "the name `{name}` is reserved",
        "Names that start with two underscores are reserved for auxiliary relations.",
        "Choose a name that does not start with `__`.",
        ".decl __seen(x: number)\n",
    ),
    CodeEntry(
        "TL206",
        "unknown type",
        "unknown type `{name}`",
        "The type of a column is number, unsigned, float, symbol, list, boolean, date, timestamp or a type "
        "declared with `.type`.",
        "Declare the type with `.type`, or correct its name.",
        ".decl edge(x: City, y: City)\n",
    ),
    CodeEntry(
        "TL207",
        "unknown function",
        "unknown function `{name}`",
        "A function is built in, or registered from Python before the program is read.",
        'Correct the name, or pass a Python function: `Engine(program, functions={"f": f})`, on the command line '
        "`--functions FILE`.",
        "size(X, N) :- word(X), N = strlne(X).\n",
    ),
    CodeEntry(
        "TL208",
        "wrong number of arguments",
        "function `{name}` takes {expected}, but {found} given",
        "A call has one argument for each parameter of the function.",
        "Add or remove arguments.",
        "size(X, N) :- word(X), N = strlen(X, 1).\n",
    ),
    CodeEntry(
        "TL209",
        "key column out of range",
        "key column {column} is not a column of `{name}`, which has {arity}",
        "`keys(...)` lists columns by number, starting at 1, each at most once.",
        "List column numbers between 1 and the number of columns, each once.",
        "materialize(link, infinity, infinity, keys(1, 3)).\nlink(1, 2).\n",
    ),
    CodeEntry(
        "TL210",
        "directive for an unknown relation",
        "`{directive}` refers to the unknown relation `{name}`",
        "A directive refers to a relation that the program declares, derives or reads.",
        "Correct the name, or declare the relation.",
        "path(X, Y) :- edge(X, Y).\n.output pth\n",
    ),
    CodeEntry(
        "TL211",
        "type declared twice",
        "type `{name}` is declared twice",
        "A type is declared once, and the names of the base types are reserved.",
        "Remove one of the declarations, or choose another name.",
        ".type City <: symbol\n.type City <: symbol\n.decl city(x: City)\n",
    ),
    CodeEntry(
        "TL212",
        "circular type",
        "type `{name}` is defined in terms of itself",
        "Every type is based on a base type.",
        "Define one of the types in the cycle in terms of a base type.",
        ".type A = B\n.type B = A\n.decl p(x: A)\n",
    ),
    CodeEntry(
        "TL213",
        "duplicate column name",
        "relation `{name}` has two columns named `{column}`",
        "The column names of a relation are unique.",
        "Rename one of the columns.",
        ".decl edge(x: number, x: number)\n",
    ),
    CodeEntry(
        "TL214",
        "relation materialized twice",
        "relation `{name}` is materialized twice",
        "A relation has at most one `materialize`.",
        "Keep the line with the intended keys.",
        "materialize(link, infinity, infinity, keys(1)).\n"
        "materialize(link, infinity, infinity, keys(2)).\nlink(1, 2).\n",
    ),
    CodeEntry(
        "TL217",
        "repeated `.printsize`",
        "`.printsize` of `{name}` is repeated",
        "The size of a relation is printed once.",
        "Remove one of the directives.",
        ".decl p(x: number)\n.printsize p\n.printsize p\n",
    ),
    CodeEntry(
        "TL215",
        "conflicting location columns",
        "the location of `{name}` is column {expected}, but column {found} here",
        "The argument marked `@` determines where a fact is stored. It is the same column wherever the relation is "
        "used.",
        "Mark the same argument with `@` everywhere.",
        "link(@a, b).\nback(@Y, X) :- link(X, @Y).\n",
    ),
    CodeEntry(
        "TL216",
        "file included twice",
        "`{file}` is included twice, so its declarations occur twice",
        "Each `#include` inserts the whole text of the file.",
        "Write `.once` at the start of the file, or remove one of the includes.",
        '#include "edge.dl"\n#include "edge.dl"\n.decl path(x: number, y: number)\npath(x, y) :- edge(x, y).\n',
    ),
)

_SAFETY = (
    CodeEntry(
        "TL301",
        "unbound variable in the head",
        "variable `{name}` in the head is not bound by the body",
        "Every variable of a head must be bound in the body, by a positive atom or by `=` with a bound term.",
        "Use the variable in a positive atom of the body, or replace it with a constant.",
        "reach(X, Y) :- node(X).\n",
    ),
    CodeEntry(
        "TL302",
        "unbound variable in a negation",
        "variable `{name}` in a negated atom is not bound",
        "A negation does not bind variables: a positive literal of the same body must bind them.",
        "Bind the variable in a positive atom, or write `_` to match any value.",
        "lonely(X) :- node(X), !edge(X, Y).\n",
    ),
    CodeEntry(
        "TL303",
        "unbound variable in a comparison",
        "variable `{name}` in a comparison is not bound",
        "A comparison does not bind variables, except `=`, which binds a variable when its other side is bound.",
        "Bind the variable in a positive atom of the body.",
        "big(X) :- node(X), X > Y.\n",
    ),
    CodeEntry(
        "TL304",
        "unbound variable in an expression",
        "variable `{name}` in an expression is not bound",
        "An expression in an atom is computed and does not bind variables: they must be bound elsewhere in the body.",
        "Bind the variable in a positive atom, or use a new variable as the argument and solve for the other: "
        "`edge(X, Z), Y = Z - 1`.",
        "next(X) :- node(X), edge(X, Y + 1).\n",
    ),
    CodeEntry(
        "TL305",
        "`_` instead of a value",
        "`_` is used where a value is needed",
        "`_` matches any value. It is allowed only as a whole argument of an atom in a body.",
        "Use a variable and bind it, or remove the column.",
        "reach(X, _) :- node(X).\n",
    ),
    CodeEntry(
        "TL306",
        "unbound variable in a range",
        "variable `{name}` in a range is not bound",
        "The bounds and the step of a range must be bound elsewhere in the body.",
        "Bind the variable in a positive atom, or use numbers.",
        "slot(X) :- node(Y), X = range(0, N).\n",
    ),
    CodeEntry(
        "TL307",
        "misplaced range",
        "`{name}` is used where a single value is needed",
        "A range has several values, so it is allowed only as one side of `=` in a body.",
        "Bind a variable to the range and use the variable: `X = range(0, 10)`.",
        "slot(X) :- node(Y), X = range(0, 3) + Y.\n",
    ),
    CodeEntry(
        "TL308",
        "variable bound only inside an aggregate",
        "variable `{name}` is bound only inside an aggregate",
        "count, sum and mean return only their value; min and max also bind the variables of the best row. "
        "Variables shared with the rest of the rule form the groups and must be bound outside the aggregate.",
        "Bind the variable in a positive atom outside the aggregate, or rename it inside.",
        "total(X, D) :- node(X), D = sum C : { path(X, Y, C) }, far(Z), Y != Z.\n",
    ),
    CodeEntry(
        "TL309",
        "unbound variable in an aggregate",
        "variable `{name}` in an aggregate is not bound",
        "The value of an aggregate and the literals of its body use variables that are bound in that body, or "
        "outside it in the rule.",
        "Bind the variable in a positive atom of the aggregate's body.",
        "total(X, S) :- node(X), S = sum C : { edge(X, Y) }.\n",
    ),
    CodeEntry(
        "TL310",
        "misplaced aggregate",
        "`{kind}` ranges over the body of its rule and is only allowed as a whole argument of a head",
        "`min<C>` ranges over the body of its rule. An aggregate inside a body has a separate body in braces.",
        "In a body, write `M = min C : { path(X, C) }`. In a head, use the aggregate as a whole argument.",
        "next(X, min<C> + 1) :- path(X, C).\n",
    ),
)

_LIMITS = (
    CodeEntry(
        "TL601",
        "timers are not supported",
        "`periodic` is a timer, and timers are not supported",
        "Facts change only in epochs. No facts are created by a clock.",
        "Run the program in virtual time with `tidelog simulate --until SECONDS`, or insert the timer's facts from "
        "outside, one epoch per tick.",
        "beat(@X) :- periodic(@X, E, 10).\n",
    ),
    CodeEntry(
        "TL602",
        "lifetime for derived facts",
        "`{name}` has a lifetime of {value}, but not all of its facts are asserted",
        "A lifetime applies to asserted facts. Derived facts hold as long as the facts they depend on.",
        "Set the lifetime on the relations that `{name}` is derived from, or run the program in virtual time with "
        "`tidelog simulate --until SECONDS`.",
        "materialize(route, 30, infinity, keys(1)).\nlink(1, 2).\nroute(X, Y) :- link(X, Y).\n",
    ),
    CodeEntry(
        "TL603",
        "size limit for derived facts",
        "`{name}` is limited to {value:1 fact}, but not all of its facts are asserted",
        "When a size limit is exceeded, the oldest asserted facts are removed. Derived facts hold as long as their "
        "rules apply.",
        "Write `infinity`, and select the facts with an aggregate, or run the program in virtual time with `tidelog "
        "simulate --until SECONDS`.",
        "materialize(route, infinity, 100, keys(1)).\nlink(1, 2).\nroute(X, Y) :- link(X, Y).\n",
    ),
)

_WARNINGS = (
    CodeEntry(
        "TL701",
        "possibly misspelled relation",
        "`{name}` has no facts or rules; did you mean `{nearest}`?",
        "A relation without a declaration, facts or rules is empty until facts are inserted from outside.",
        "Correct the name, or declare the relation with `.decl` or `.input` if its facts come from outside.",
        "path(X, Y) :- edge(X, Y).\npath(X, Z) :- pth(X, Y), edge(Y, Z).\n",
    ),
    CodeEntry(
        "TL702",
        "variable used once",
        "variable `{name}` is used only once",
        "A variable that occurs once matches any value, like `_`.",
        "Write `_`, start the name with `_`, or correct the name.",
        "source(X) :- edge(X, Y).\n",
    ),
    CodeEntry(
        "TL703",
        "event relation is stored",
        "`{name}` is not materialized: NDlog would treat its facts as events, but Tidelog stores them",
        "All relations are stored. No facts disappear after one round.",
        "Add a `materialize` line for the relation, and delete its facts when they are no longer needed.",
        "materialize(link, infinity, infinity, keys(1, 2)).\nlink(@a, b).\npong(@Y, X) :- ping(@X, Y), link(@X, Y).\n",
    ),
    CodeEntry(
        "TL704",
        "symbol that looks like a variable",
        '`{name}` is the symbol "{name}", not a variable: the rule has no variables',
        "In a program without `.decl` lines, variables start with a capital letter or `_`. Other bare identifiers "
        "are symbols.",
        'Write `{variable}` for a variable, or "{name}" in quotes for the symbol. To use lowercase variables, '
        "declare the relations with `.decl`.",
        "reach(x, y) :- edge(x, y).\n",
    ),
    CodeEntry(
        "TL705",
        "redundant rule",
        "every fact of `{relation}` that this rule derives is derived by another rule, too",
        "The path of the other rule contains the path of this one: on any facts, it joins at least the same pairs.",
        "Remove the rule, or correct its path.",
        "reach(X, Y) :- edge+(X, Y).\nreach(X, Y) :- (edge/edge)(X, Y).\nedge(1, 2).\n",
    ),
    CodeEntry(
        "TL760",
        "recursion may not terminate",
        "evaluation may not end: `{term}` computes column {column} of `{relation}` from its own values, through "
        "{cycle}",
        "A value that recursion computes from its own results needs a bound: a comparison for a number, `f_inPath` "
        "or `f_size` for a list, min or max for a cost that only gets worse. No bound was found here. On data "
        "without cycles, evaluation may still end.",
        "Bound the value in the rule (`X < 100`, `f_inPath(P, X) = false`), or run with limits, which stop an "
        "epoch that does not end.",
        "step(0).\nstep(Y) :- step(X), Y = X + 1.\n",
    ),
    CodeEntry(
        "TL720",
        "value outside the declared type (legacy)",
        "{what} has type `{found}`, but the column is declared `{expected}`",
        'With `.pragma "legacy"`, a column accepts values of another type with the same base type, as in Soufflé.',
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
