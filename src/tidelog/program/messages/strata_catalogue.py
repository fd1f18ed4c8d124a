"""The codes of strata: what may recur, and what is chosen (TL5xx).

Law: as in `program.catalogue`, a code stands here once and keeps its meaning.
"""

from __future__ import annotations

from tidelog.errors.entry import CodeEntry

STRATA = (
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
