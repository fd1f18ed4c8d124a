"""The codes of strata, about recursion and choices (TL5xx).

Law: as in `program.catalogue`, a code is defined here once and keeps its meaning.
"""

from __future__ import annotations

from tidelog.errors.entry import CodeEntry

STRATA = (
    CodeEntry(
        "TL501",
        "unsupported negation through recursion",
        "`{target}` depends on its own negation in a way that is not supported: {cycle}",
        "A relation may depend on its own negation if the rules of the cycle read its relations as plain atoms and "
        "negations. Aggregates, disjunctions, paths, subsumptions and locations in such a cycle are not supported.",
        "Write each alternative as a rule of its own and each path as a relation, or break the cycle so that the "
        "negated relation does not depend on the relation derived here.",
        "win(X) :- move(X, Y), (!win(Y) ; lost(Y)).\n",
    ),
    CodeEntry(
        "TL502",
        "unsupported aggregate through recursion",
        "`{target}` depends on its own {kind} in a way that is not supported: {cycle}",
        "A relation may depend on its own aggregate if the rules of the cycle read its relations as plain atoms, in "
        "their bodies or in those of aggregates. Not supported are nested aggregates, subsumptions, locations, "
        "witnesses, and negations, paths, disjunctions or structures that need a value of the cycle.",
        "Compute what needs the value in a separate rule that the cycle does not read, or break the cycle.",
        "weight(X, sum<W>) :- part(X, Y), weight(Y, W), !ignored(W).\n",
    ),
    CodeEntry(
        "TL503",
        "body aggregate through recursion",
        "`{kind}` over `{relation}` is in a body and part of a recursion",
        "min and max can be recursive only in a head, where each group keeps its best value.",
        "Compute the aggregate in a separate relation, `best(X, min<C>) :- path(X, C).`, and read `best` here.",
        "path(X, C) :- edge(X, C).\npath(X, C) :- edge(_, D), node(X), M = min E : { path(X, E) }, C = M + D.\n",
    ),
    CodeEntry(
        "TL504",
        "inconsistent recursive min or max",
        "the recursive `{relation}` {reason}",
        "A relation that is recursive through min or max keeps one best value per group. All its rules must use "
        "the same aggregate in the same column, and all aggregates of one recursion must be of the same kind.",
        "Write every rule of the relation with the same aggregate in the same column: "
        "`dist(X, min<C>) :- start(X), C = 0.`",
        "dist(X, min<C>) :- start(X, C).\ndist(Y, min<C>) :- dist(X, D), edge(X, Y, W), C = D + W.\n"
        "dist(X, 0) :- origin(X).\n",
    ),
    CodeEntry(
        "TL505",
        "recursive min or max is not monotone",
        "this rule cannot be recursive through {kind}: {reason}",
        "In a recursion through min or max, either every rule derives a strictly better value from a better value "
        "(shortest path), or no rule derives a better value than it reads (widest path). Otherwise the result is "
        "not unique.",
        "Compute the value from the values read with `+`, `-`, `min`, `max` or a positive factor, and use it for "
        "nothing else. Or move the aggregate outside the recursion.",
        "dist(X, min<C>) :- start(X, C).\ndist(Y, min<C>) :- dist(X, D), edge(X, Y, W), C = W - D.\n",
    ),
    CodeEntry(
        "TL506",
        "list next to a min or max without a key",
        "`{relation}` needs a key: {column} is a list next to a min or max",
        "In NDlog, the key of a relation defines the groups of its min or max, and the other columns come from the "
        "best row. Without a key, every column that is not aggregated is part of the group, so each list would "
        "form a separate group.",
        "Write `materialize({relation}, infinity, infinity, keys({key})).` for one row per group, with the list of "
        "its best row. Or list all columns as the key.",
        "path(@S, D, C, P) :- link(@S, D, C), P = f_init(S, D).\nbest(@S, D, min<C>, P) :- path(@S, D, C, P).\n",
    ),
    CodeEntry(
        "TL507",
        "column not determined by several aggregates",
        "column {column} of `{relation}` is neither in its key nor aggregated, and its head has several aggregates",
        "A column outside the key comes from the best row of one min or max. With several aggregates, the row is "
        "not determined.",
        "Use a separate relation for each aggregate, or add the column to the key.",
        "materialize(best, infinity, infinity, keys(1)).\nbest(X, min<C>, max<D>, P) :- path(X, C, D, P).\n",
    ),
    CodeEntry(
        "TL508",
        "unsupported subsumption in recursion",
        "`{relation}` reads itself, and its subsumption is not a best row for each group",
        "Inside recursion, a subsumption must group by the columns that both sides share and compare the others in "
        "order, as in `p(x, a) <= p(x, b) :- b <= a.` and in `p(x, a, c) <= p(x, b, d) :- b < a; b = a, d <= c.`.",
        "Compare columns in order, or move the subsumption to a second relation outside the recursion.",
        "r(1, 9).\nr(X, Y) :- r(X, Z), r(Z, Y).\nr(A, B) <= r(C, D) :- C <= A, B <= D.\n",
    ),
    CodeEntry(
        "TL509",
        "choice in recursion",
        "`{relation}` reads itself, so its choice would depend on its own result",
        "`choice-domain` chooses among facts that are already complete. In a recursion, each choice would change "
        "the candidates, and the result would depend on the order of evaluation.",
        "Derive the facts in a second relation without `choice-domain`, and choose from it outside the recursion. "
        "Or choose with `min` or `max`, which can be recursive.",
        ".decl edge(x: number, y: number)\n.decl tree(x: number, y: number) choice-domain y\n"
        "tree(0, 0).\ntree(x, y) :- tree(_, x), edge(x, y).\n",
    ),
    CodeEntry(
        "TL510",
        "`choice-domain` combined with another feature",
        "`{relation}` cannot combine `choice-domain` with {what}",
        "`choice-domain` chooses among the facts that rules derive. It cannot be combined with `eqrel`, `inline` "
        "or a subsumption.",
        "Use two relations, and a rule that derives one from the other.",
        ".decl p(x: number, y: number) eqrel choice-domain x\np(1, 2).\n",
    ),
)
