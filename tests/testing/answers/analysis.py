"""Answers of program analyses: work-lists and the textbook iterations over sets."""

from collections import defaultdict

from .graphs import search, successors


def points_to(facts, after):
    values, heap = defaultdict(set), defaultdict(set)
    for v, o in facts["new"]:
        values[v].add(o)
    size = -1
    while size != sum(map(len, [*values.values(), *heap.values()])):
        size = sum(map(len, [*values.values(), *heap.values()]))
        for to, source in facts["assign"]:
            values[to] |= values[source]
        for base, field, source in facts["store"]:
            for o in values[base]:
                heap[o, field] |= values[source]
        for to, base, field in facts["load"]:
            values[to] = values[to].union(*(heap[o, field] for o in values[base]))
    names = [v for v in values if values[v]]
    return {
        "points_to": {(v, o) for v in names for o in values[v]},
        "heap": {(o, f, p) for (o, f), objects in heap.items() for p in objects},
        "alias": {(v, w) for v in names for w in names if v < w and values[v] & values[w]},
        "unset": {(v,) for (v,) in facts["call"] if not values[v]},
        "targets": {(v, len(values[v])) for (v,) in facts["call"]},
    }


def pointer_analyses(facts, after):
    def held(place=lambda f: f, both=False):
        statements = dict(facts)
        statements["load"] = {(to, base, place(f)) for to, base, f in facts["load"]}
        statements["store"] = {(base, place(f), source) for base, f, source in facts["store"]}
        if both:
            statements["assign"] = facts["assign"] | {(w, v) for v, w in facts["assign"]}
        return points_to(statements, after)

    fields, blurred = held(), held(lambda f: "any", both=after)
    # The script takes the rule of the unifying analysis away, so that it is left with one direction.
    unified = held(both=not after)
    return {
        "fields.points_to": fields["points_to"],
        "blurred.points_to": blurred["points_to"],
        "unified.points_to": unified["points_to"],
        "fields.report.alias": fields["alias"],
        "fields.report.targets": fields["targets"],
        "blurred.report.unset": blurred["unset"],
        "lost": (blurred["points_to"] | unified["points_to"]) - fields["points_to"],
    }


def class_hierarchy(facts, after):
    parent = dict(facts["extends"])
    methods = {(c, n): m for c, n, m in facts["declares"]}
    classes = {c for c, _, _ in facts["declares"]} | {c for pair in facts["extends"] for c in pair}
    classes |= {c for c, _ in facts["implements"]}

    def lookup(c, n):
        while (c, n) not in methods and c in parent:
            c = parent[c]
        return methods.get((c, n))

    def supertypes(c):
        return {c} | search(c, successors([*facts["extends"], *facts["implements"]]))

    dispatch = {(c, n, lookup(c, n)) for c in classes for _, n, _ in facts["declares"] if lookup(c, n)}
    reachable, created, calls = {m for (m,) in facts["entry"]}, set(), set()
    size = -1
    while size != len(reachable) + len(created) + len(calls):
        size = len(reachable) + len(created) + len(calls)
        created |= {c for m, c in facts["creates"] if m in reachable and (c,) not in facts["abstract"]}
        for m, receiver, n in facts["invokes"]:
            if m in reachable:
                calls |= {(m, lookup(c, n)) for c in created if receiver in supertypes(c) and lookup(c, n)}
        reachable |= {t for _, t in calls}
    # Targets among all classes, created or not, but only methods that the caller really reaches.
    targets = {
        (m, r, n): {t for c, k, t in dispatch if k == n and r in supertypes(c) and (m, t) in calls}
        for m, r, n in facts["invokes"]
        if m in reachable
    }
    return {
        "dispatch": dispatch,
        "reachable": {(m,) for m in reachable},
        "may_call": calls,
        "dead": {(m,) for _, _, m in facts["declares"] if m not in reachable},
        "single": {(m, n) for (m, _, n), found in targets.items() if len(found) == 1},
    }


def settle(points, new_value, start):
    """Values for points, computed from each other until nothing changes."""
    found = {p: start(p) for p in points}
    changed = True
    while changed:
        changed = False
        for p in points:
            new = new_value(p, found)
            changed |= new != found[p]
            found[p] = new
    return found


def united(sets):
    return set().union(*sets)


def natural_loops(graph, back, dominators):
    loops = defaultdict(set)
    for p in dominators:
        for head in graph[p] & dominators[p]:
            body, stack = {head}, [p]
            while stack:
                q = stack.pop()
                if q not in body:
                    body.add(q)
                    stack += back[q] & set(dominators)
            loops[head] |= body
    return loops


def dataflow(facts, after):
    graph, back = successors(facts["next"]), successors([(b, a) for a, b in facts["next"]])
    ((entry,),) = facts["entry"]
    reachable = sorted({entry} | search(entry, graph))
    points = {p for edge in facts["next"] for p in edge} | {p for name in ("defines", "uses") for p, _ in facts[name]}
    defines, uses = successors(facts["defines"]), successors(facts["uses"])

    def dominating(p, found):
        return {p} if p == entry else {p} | set.intersection(*(found[q] for q in back[p] if q in found))

    def leaving(p, found):
        arriving = united(found[q] for q in back[p] if q in found)
        return {(d, v) for d, v in arriving if v not in defines[p]} | {(p, v) for v in defines[p]}

    def living(p, found):
        return uses[p] | (united(found[q] for q in graph[p]) - defines[p])

    dominators = settle(reachable, dominating, lambda p: set(reachable))
    leaves = settle(reachable, leaving, lambda p: set())
    live = settle(reachable[::-1], living, lambda p: set())
    loops = natural_loops(graph, back, dominators)
    by_use = {
        (p, v): {d for q in back[p] if q in leaves for d, w in leaves[q] if v == w} for p in points for v in uses[p]
    }
    strictly = {p: dominators[p] - {p} for p in reachable}
    return {
        "unreachable": {(p,) for p in points - set(reachable)},
        "immediate": {(d, p) for p in reachable for d in strictly[p] if strictly[p] == dominators[d]},
        "in_loop": {(h, p) for h, body in loops.items() for p in body},
        "loop_depth": {(p, sum(p in body for body in loops.values())) for p in reachable},
        "use_def": {(p, v, d) for (p, v), definitions in by_use.items() for d in definitions},
        "undefined": {(p, v) for (p, v), definitions in by_use.items() if p in reachable and not definitions},
        "live_in": {(p, v) for p in reachable for v in live[p]},
        "pressure": {(max(map(len, live.values())),)},
        **optimisations(facts, by_use, loops, {p: united(live[q] for q in graph[p]) for p in reachable}),
    }


def optimisations(facts, by_use, loops, live_after):
    literal, effects, defines = dict(facts["literal"]), {p for (p,) in facts["output_"]}, successors(facts["defines"])
    known = {use: {literal.get(d) for d in definitions} for use, definitions in by_use.items()}
    operands = defaultdict(set)
    for (p, _), definitions in by_use.items():
        operands[p] |= definitions
    return {
        "dead": {(p,) for p in live_after if p not in effects and defines[p] - live_after[p]},
        "constant": {(*use, *numbers) for use, numbers in known.items() if len(numbers) == 1 and None not in numbers},
        "invariant": {
            (h, p) for h, body in loops.items() for p in body - {h} - effects if defines[p] and not operands[p] & body
        },
    }
