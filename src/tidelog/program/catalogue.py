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
)

_CONSTRAINTS = (
    CodeEntry(
        "TL241",
        "key or reference of a relation that is not declared",
        "`{word}` names `{name}`, which is not declared",
        "A key or a reference speaks of columns, which the relation's `.decl` names.",
        "Declare the relation with `.decl`, or write the constraint out: `:- {name}(...), ...`.",
        "likes(X, Y) :- knows(X, Y).\n.key knows(1)\n",
    ),
    CodeEntry(
        "TL242",
        "column of a key or reference",
        "`{word}` names column `{column}`, and `{name}` {problem}",
        "The columns of a key or a reference are columns of the relation, by name or by number from 1, each once.",
        "Name some of its columns: {known}.",
        ".decl employee(id: number, name: symbol)\n.key employee(number)\n",
    ),
    CodeEntry(
        "TL243",
        "reference between different numbers of columns",
        "the reference has {first} columns before the arrow and {second} behind it",
        "A reference says of each of its columns which column of the other relation holds the same value.",
        "Name as many columns behind the arrow as before it.",
        ".decl member(name: symbol, team: symbol)\n.decl team(name: symbol)\n"
        ".reference member(name, team) -> team(name)\n",
    ),
    CodeEntry(
        "TL244",
        "lifetime given twice",
        "`{name}` has two lifetimes",
        "A relation has at most one lifetime, by `.lifetime` or by `materialize`.",
        "Remove one of them.",
        ".decl ping(x: number)\n.lifetime ping 30m\n.lifetime ping 1h\n",
    ),
    CodeEntry(
        "TL245",
        "lifetime by a column that tells no time",
        "the lifetime of `{name}` counts from column `{column}`, whose type is {found}",
        "A lifetime `by` a column begins with the time in that column, which is declared as a timestamp.",
        "Declare the column as `timestamp`, or leave `by {column}` out: then the lifetime begins with the insertion.",
        ".decl ping(x: number)\n.lifetime ping 30m by x\n",
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

_TYPES = (
    CodeEntry(
        "TL401",
        "conflicting types",
        "{what} {first} and {second}",
        "A variable and a column hold values of one type, and `=` compares values of one type.",
        "Correct one of the places, or convert: `to_number`, `to_string`, `to_float`, `to_unsigned`.",
        "p(1).\nq(X) :- p(X), X = a.\n",
    ),
    CodeEntry(
        "TL402",
        "wrong type of argument",
        "`{name}` cannot be applied to ({found})",
        "A function is applied to arguments of the types of one of its signatures.",
        "Convert the argument: `to_number`, `to_string`, `to_float`, `to_unsigned`.",
        "word(a).\nnext(Y) :- word(X), Y = X * X.\n",
    ),
    CodeEntry(
        "TL403",
        "aggregate over the wrong type",
        "`{kind}` cannot be taken over values of type {found}",
        "sum and mean are taken over numbers; min and max over values that have an order, which lists have not.",
        "Aggregate over another column, or convert it.",
        "word(a).\ntotal(sum<X>) :- word(X).\n",
    ),
    CodeEntry(
        "TL404",
        "order of unordered values",
        "values of type {found} cannot be ordered by `{op}`",
        "Numbers are ordered by value and symbols by their text; lists have no order.",
        "Compare a part or the size of the list, or use `=` or `!=`.",
        "p([1, 2]).\nq(X) :- p(X), p(Y), X < Y.\n",
    ),
    CodeEntry(
        "TL405",
        "value outside the declared type",
        "{what} has type `{found}`, but the column is declared `{expected}`",
        "A column declared with a subtype holds only values of that subtype.",
        "Join with a relation that has the narrower type, or declare the column with the wider one. What Soufflé "
        'takes only as a legacy program needs `.pragma "legacy"`.',
        ".type City <: symbol\n.decl name(x: symbol)\n.decl city(x: City)\ncity(x) :- name(x).\n",
    ),
    CodeEntry(
        "TL406",
        "types without common values",
        "`{name}` is both `{first}` and `{second}`, which have no values in common",
        "A variable stands for values that belong to the declared types of all the columns it occurs in.",
        "Declare a common subtype, or use different variables.",
        ".type City <: symbol\n.type Person <: symbol\n.decl city(x: City)\n.decl person(x: Person)\n"
        ".decl both(x: symbol)\nboth(x) :- city(x), person(x).\n",
    ),
    CodeEntry(
        "TL407",
        "union of different base types",
        "type `{name}` joins {first} and {second}",
        "All members of a union have the same base type.",
        "Keep the members with one base type, or convert one of them.",
        ".type Id = number | symbol\n.decl p(x: Id)\n",
    ),
    CodeEntry(
        "TL408",
        "number out of range",
        "{value} does not fit into type {type}",
        "A number has 64 bits with sign (-2^63 to 2^63-1), an unsigned 64 bits without (0 to 2^64-1).",
        "Use a smaller number, another type, or a float.",
        ".decl p(x: unsigned)\np(-1).\n",
    ),
    CodeEntry(
        "TL409",
        "cast between kinds of values",
        "a {found} cannot be cast to `{name}`, whose values are of type {base}",
        "A cast `as(x, T)` says that a value belongs to another type over the same values; it changes no value.",
        "Convert the value with a function such as `to_number`, `to_float` or `to_string`.",
        ".decl p(x: symbol)\n.decl q(x: number)\nq(as(x, number)) :- p(x).\n",
    ),
    CodeEntry(
        "TL420",
        "wrong number of parts",
        "`{name}` has {wanted}, but {found} here",
        "A record, and a value of a constructor, has one part for each field of its declaration.",
        "Give every field a part; in a pattern `_` fills a part that does not matter.",
        ".type Pair = [x: number, y: number]\n.decl p(x: Pair)\np([1, 2, 3]).\n",
    ),
    CodeEntry(
        "TL421",
        "unknown constructor",
        "unknown constructor `${name}`",
        "Constructors are declared by `.type T = A {x: number} | B {}` and written `$A(1)` and `$B`.",
        "Declare the constructor, or correct its name.",
        ".type T = A {x: number} | B {}\n.decl p(x: T)\np($C(1)).\n",
    ),
    CodeEntry(
        "TL422",
        "`nil` where no record is",
        "`nil` stands where {found} is expected",
        "`nil` is a value of record types only; an algebraic type has a constructor for what is empty.",
        "Use a constructor without fields, or declare a record type.",
        ".type T = A {x: number} | B {}\n.decl p(x: T)\np(nil).\n",
    ),
    CodeEntry(
        "TL423",
        "constructor declared twice",
        "constructor `${name}` belongs to `{first}` and to `{second}`",
        "A constructor belongs to one type, so that `$A(1)` says by itself what it makes.",
        "Give one of them another name.",
        ".type T = A {x: number}\n.type S = A {}\n.decl p(x: T, y: S)\n",
    ),
    CodeEntry(
        "TL424",
        "field declared twice",
        "`{type}` has two fields named `{name}`",
        "The fields of a record, and of a constructor, have different names.",
        "Give one of them another name.",
        ".type Pair = [x: number, x: number]\n.decl p(x: Pair)\n",
    ),
    CodeEntry(
        "TL425",
        "record among values without a type",
        "{where} cannot hold a value of type `{found}`",
        "Lists hold values that tell their own type; records and algebraic values are known by their declaration.",
        "Use a record type that holds the value in a field.",
        ".type Pair = [x: number, y: number]\n.decl p(x: Pair)\n.decl q(x: list)\nq(f_init(x, 1)) :- p(x).\n",
    ),
    CodeEntry(
        "TL426",
        "record of unknown type",
        "nothing tells which record type this is",
        "A record has the type of the column, or of the variable, that it stands for.",
        "Use it in a column of the record type, or compare it with a variable that has the type.",
        ".type P = [x: number, next: P]\n.decl p(x: number)\np(x) :- [x, nil] = [1, nil].\n",
    ),
)

_PATTERNS = (
    CodeEntry(
        "TL414",
        "text that is no regular expression",
        "{problem}",
        "The first argument of `match` is a regular expression of ECMAScript's, as C++ and Soufflé read them.",
        "Correct the pattern; `contains` takes any text as it is.",
        'word("a").\nfound(X) :- word(X), match("[[:vowel:]]", X).\n',
    ),
)

_STRATA = (
    CodeEntry(
        "TL501",
        "negation through recursion",
        "`{target}` depends on its own negation: {cycle}",
        "Negation is stratified: a relation is complete before anything depends on what it does not contain.",
        "Break the cycle, so that the negated relation does not depend on the relation derived here.",
        "win(X) :- move(X, Y), !win(Y).\n",
    ),
    CodeEntry(
        "TL502",
        "aggregate through recursion",
        "`{target}` depends on its own {kind}: {cycle}",
        "count, sum and mean are stratified: a relation is complete before they are taken. Only min and max may recur.",
        "Break the cycle, or use min or max if they say what you mean.",
        "size(X, count<*>) :- part(X, Y), size(Y, N).\n",
    ),
    CodeEntry(
        "TL503",
        "body aggregate through recursion",
        "`{kind}` over `{relation}` recurs through a body",
        "min and max recur in the form that stands in a head, because there each group keeps its best value.",
        "Give the aggregate a relation of its own: `best(X, min<C>) :- path(X, C).`, and read `best` here.",
        "path(X, C) :- edge(X, C).\npath(X, C) :- edge(_, D), node(X), M = min E : { path(X, E) }, C = M + D.\n",
    ),
    CodeEntry(
        "TL504",
        "recursive min or max that does not agree with itself",
        "the recursive `{relation}` {reason}",
        "A relation that recurs through min or max keeps one best value per group: all its rules aggregate the same "
        "column in the same way, and all aggregates of one recursion go the same way.",
        "Write every rule of the relation with the same aggregate in the same column: "
        "`dist(X, min<C>) :- start(X), C = 0.`",
        "dist(X, min<C>) :- start(X, C).\ndist(Y, min<C>) :- dist(X, D), edge(X, Y, W), C = D + W.\n"
        "dist(X, 0) :- origin(X).\n",
    ),
    CodeEntry(
        "TL505",
        "recursive min or max that is not monotone",
        "this rule may not recur through {kind}: {reason}",
        "In a recursion through min or max either all rules give a strictly better value for a better value (shortest "
        "path), or no rule gives a value better than those it reads (widest path); only then is there one result.",
        "Compute the value from the values read with `+`, `-`, `min`, `max` or a positive factor, and use it for "
        "nothing else; or take the aggregate outside the recursion.",
        "dist(X, min<C>) :- start(X, C).\ndist(Y, min<C>) :- dist(X, D), edge(X, Y, W), C = W - D.\n",
    ),
    CodeEntry(
        "TL506",
        "list beside a best value without a key",
        "`{relation}` needs a key: {column} is a list beside a min or max",
        "In NDlog the key of a relation says what a best value is the best of; other columns come with it. Without a "
        "key every column that is not aggregated is part of the group, and there is a best value for each list.",
        "Write `materialize({relation}, infinity, infinity, keys({key})).` for one row of each group, with the list "
        "that comes with it; or list all columns as the key.",
        "path(@S, D, C, P) :- link(@S, D, C), P = f_init(S, D).\nbest(@S, D, min<C>, P) :- path(@S, D, C, P).\n",
    ),
    CodeEntry(
        "TL507",
        "witness of several aggregates",
        "column {column} of `{relation}` is neither in its key nor aggregated, and its head has several aggregates",
        "A column outside the key comes with the best value of one min or max; of several nothing says which.",
        "Use a relation for each of them, or put the column into the key.",
        "materialize(best, infinity, infinity, keys(1)).\nbest(X, min<C>, max<D>, P) :- path(X, C, D, P).\n",
    ),
    CodeEntry(
        "TL508",
        "subsumption inside recursion",
        "`{relation}` reads itself, and its subsumption is not a best row for each group",
        "Inside recursion a fact may give way to a better one where the columns that both share are a group and the "
        "others are compared one after the other, as in `p(x, a) <= p(x, b) :- b <= a.` and in "
        "`p(x, a, c) <= p(x, b, d) :- b < a; b = a, d <= c.`; nothing else settles best first.",
        "Compare columns in order, or let a second relation, outside the recursion, have the subsumption.",
        "r(1, 9).\nr(X, Y) :- r(X, Z), r(Z, Y).\nr(A, B) <= r(C, D) :- C <= A, B <= D.\n",
    ),
    CodeEntry(
        "TL509",
        "choice inside recursion",
        "`{relation}` reads itself, and what it chooses would depend on its own choice",
        "A relation with `choice-domain` chooses among facts that are complete before anything is chosen. Where a "
        "choice decides which facts there are to choose from, the result depends on the order of evaluation, and "
        "facts that go would take chosen ones with them.",
        "Derive the facts in a second relation without `choice-domain`, and choose from it outside the recursion; or "
        "choose with `min` or `max`, which may recur.",
        ".decl edge(x: number, y: number)\n.decl tree(x: number, y: number) choice-domain y\n"
        "tree(0, 0).\ntree(x, y) :- tree(_, x), edge(x, y).\n",
    ),
    CodeEntry(
        "TL510",
        "choice beside another meaning",
        "`{relation}` has `choice-domain`, and {what} beside it",
        "Facts are chosen from what rules give; a relation that is closed, subsumed or put into other rules has no "
        "facts of its own to choose from.",
        "Use two relations, and a rule that leads from one to the other.",
        ".decl p(x: number, y: number) eqrel choice-domain x\np(1, 2).\n",
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
    entry.code: entry
    for entry in (*_NAMES, *_CONSTRAINTS, *_SAFETY, *_TYPES, *_PATTERNS, *_STRATA, *_LIMITS, *_WARNINGS)
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
