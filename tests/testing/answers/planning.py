"""Answers about rights, parts, classes, builds and plans."""

from collections import Counter, defaultdict
from fractions import Fraction

from .graphs import search, successors


def roles(facts, after):
    includes = successors(facts["inherits"])
    holds = set(facts["member"])
    size = -1
    while size != len(holds):
        size = len(holds)
        holds |= {(u, s) for u, r in holds for s in search(r, includes)}
        if not after:
            holds |= {(v, r) for u, v, r in facts["delegates"] if (u, r) in holds and (v, "staff") in holds}
    folders = successors(facts["within"])
    places = {place for pair in facts["within"] for place in pair}
    covered = {f: {x for x in places if x == f or f in search(x, folders)} for f in places}
    granted = {(u, a, x) for u, r in holds for s, a, f in facts["grants"] if r == s for x in covered.get(f, ())}
    denied = {(u, a, x) for u, r in holds for s, a, f in facts["denies"] if r == s for x in covered.get(f, ())}
    may = granted - denied
    counts = Counter(u for u, _, _ in may)
    return {
        "holds": holds,
        "may": may,
        "refused": granted & denied,
        "powerful": {(u,) for u, _ in holds if counts[u] >= 6},
    }


def bill_of_materials(facts, after):
    parts = defaultdict(dict)
    for whole, part, quantity in facts["uses"]:
        parts[whole][part] = quantity
    price, own_days = dict(facts["price"]), dict(facts["assembly_days"])
    names = set(parts) | {p for inside in parts.values() for p in inside}

    def needs(whole):
        total = Counter()
        for part, quantity in parts.get(whole, {}).items():
            total[part] += quantity
            for deeper, inside in needs(part).items():
                total[deeper] += quantity * inside
        return total

    def depth(name):
        return 1 + max(map(depth, parts[name])) if name in parts else 0

    def days(name):
        """Parts that are bought take no days, and neither do parts without a time of assembly."""
        return own_days[name] + max(map(days, parts[name])) if name in own_days else 0

    def cost(whole):
        return float(sum(Fraction(float(q) * price[p]) for p, q in needs(whole).items() if p in price))

    return {
        "needs": {(whole, p, q) for whole in parts for p, q in needs(whole).items()},
        "cost": {(whole, cost(whole)) for whole in parts},
        "unpriced": {(p,) for p in names if p not in parts and p not in price},
        "depth": {(name, depth(name)) for name in names},
        "days": {(name, days(name)) for name in names},
    }


def rdfs(facts, after):
    triples = set(facts["triple"])
    classes = successors([(s, o) for s, p, o in triples if p == "subClassOf"])
    properties = successors([(s, o) for s, p, o in triples if p == "subPropertyOf"])
    said = {t for t in triples if t[1] not in {"subClassOf", "subPropertyOf", "domain", "range", "type"}}
    said |= {(s, q, o) for s, p, o in said for q in search(p, properties)}
    types = {(s, o) for s, p, o in triples if p == "type"}
    for s, p, o in said:
        types |= {(s, c) for q, kind, c in triples if q == p and kind == "domain"}
        if not after:
            types |= {(o, c) for q, kind, c in triples if q == p and kind == "range"}
    types |= {(x, d) for x, c in types for d in search(c, classes)}
    return {"type": types, "statement": said, "instances": set(Counter(c for _, c in types).items())}


def dependencies(facts, after):
    needs, modified = successors(facts["needs"]), dict(facts["modified"])
    files = set(needs) | {f for inside in needs.values() for f in inside}
    cyclic = {t for t in files if t in search(t, needs)}
    missing = {f for f in files if f not in needs and f not in modified}
    blocked = {f for f in files if ({f} | search(f, needs)) & (cyclic | missing)}
    reasons = {t: {f for f in needs[t] if f in modified and modified[f] > modified[t]} for t in needs if t in modified}

    def again(t):
        return t in needs and (t not in modified or bool(reasons[t]) or any(map(again, needs[t])))

    rebuild = {t for t in files - blocked if again(t)}

    def level(t):
        return 1 + max((level(f) for f in needs[t] & rebuild), default=0)

    return {
        "rebuild": {(t,) for t in rebuild},
        "round": {(t, level(t)) for t in rebuild},
        "missing": {(f,) for f in missing},
        "cyclic": {(t,) for t in cyclic},
        "first_reason": {(t, min(reasons[t])) for t in rebuild if reasons.get(t)},
    }


def schedule(facts, after):
    days, later = dict(facts["task"]), successors(facts["before"])
    earlier = successors([(b, a) for a, b in facts["before"]])
    order = sorted(days, key=lambda t: len(search(t, earlier)))
    start, finish = {}, {}
    for t in order:
        start[t] = max((start[a] + days[a] for a in earlier[t]), default=0)
    length = max(start[t] + days[t] for t in days)
    for t in reversed(order):
        finish[t] = min((finish[b] - days[b] for b in later[t]), default=length)
    slack = {t: finish[t] - days[t] - start[t] for t in days}
    people = successors(facts["assigned"])
    overlap = {
        (p, a, b)
        for p, tasks in people.items()
        for a in tasks
        for b in tasks
        if a < b and max(start[a], start[b]) < min(start[a] + days[a], start[b] + days[b])
    }
    return {
        "start": set(start.items()),
        "length": {(length,)},
        "slack": set(slack.items()),
        "critical": {(t,) for t, n in slack.items() if n == 0},
        "clash": overlap,
        "busy": {(p, sum(days[t] for t in tasks)) for p, tasks in people.items()},
    }
