"""Answers about walks along paths: searches and sets, one function per program of `programs/paths`."""

from collections import Counter

from .graphs import search, successors


def closure(pairs):
    graph = successors(pairs)
    return {(x, y) for x in list(graph) for y in search(x, graph)}


def both_ways(pairs):
    return set(pairs) | {(b, a) for a, b in pairs}


def potential_friends(facts, after):
    connected = closure(facts["follows"])
    meet = {(x, y) for x, z in connected for y, other in connected if z == other}
    friends = (facts["knows"] & meet) | facts["contacted"]
    return {"connected": connected, "pfriends": friends, "pconnected": closure(friends)}


def metro(facts, after):
    legs = {line: {(a, b) for a, by, b in facts["leg"] if by == line} for line in ("red", "blue", "green")}
    stations, closed = {s for (s,) in facts["station"]}, {s for (s,) in facts["closed"]}
    every = set().union(*legs.values())
    red, blue = closure(legs["red"]), closure(legs["blue"])
    one = {b for a, b in every if a == "central"}
    reached = search("central", successors(every)) | ({"central"} & stations)
    ends = Counter(a for a, _ in both_ways(every))
    return {
        "along_red": {(a, b) for a, b in closure(both_ways(legs["red"])) if a != b},
        "one_change": {(a, c) for a, b in red for other, c in blue if b == other and c not in closed},
        "near": {(s,) for s in one | {b for a, b in every if a in one}},
        "reachable": {(s,) for s in reached},
        "cut_off": {(s,) for s in stations - reached},
        "neighbours": {(s, ends[s]) for s in stations},
    }


def packages(facts, after):
    needs = closure(facts["needs"])
    every = {p for (p,) in facts["package"]}
    flawed, applications = ({p for (p,) in facts[name]} for name in ("flawed", "application"))
    wanted = {p for _, p in facts["needs"] | facts["suggests"]}
    return {
        "installed": {(a, p) for a, p in needs if a in applications},
        "exposed": {(p,) for p, f in needs if f in flawed} | {(p,) for p in flawed & every},
        "unused": {(p,) for p in every - applications - wanted},
        "loop": {(p,) for p, q in needs if p == q},
        "weight": {(a, sum(1 for b, _ in needs if a == b)) for a in applications},
    }


def family(facts, after):
    parents = facts["parent"]
    people = {p for pair in parents for p in pair}
    asked = {p for (p,) in facts["asked"]}
    up = {p: {a for a, child in parents if child == p} for p in people}
    grand = {p: {g for a in up[p] for g in up[a]} for p in people}
    above = {p: {p} | {a for a, q in closure(parents) if q == p} for p in people}
    related = closure(both_ways(parents))
    return {
        "ancestor": closure(parents),
        "grandparent": {(g, p) for p in people for g in grand[p]},
        "cousin": {(x, y) for x in people for y in people if grand[x] & grand[y] and not up[x] & up[y]},
        "relative": {(x, y) for x, y in related if x in asked and x != y},
        "kin": {(x, y) for x in asked for y in asked if x < y and above.get(x, {x}) & above.get(y, {y})},
    }
