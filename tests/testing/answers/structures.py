"""Answers of programs over records and algebraic values: a type checker, unification, a build planner."""

from tidelog.program import Variant

NAT, BOOL = Variant("Nat"), Variant("Bool")


def type_checker(facts, after):
    unbound = set()

    def type_of(term, scope):
        """The type, or None; every part is looked at, for the variables that are not bound."""
        match term.constructor, term.parts:
            case "Num", _:
                return NAT
            case "True" | "False", _:
                return BOOL
            case "Var", (name,):
                if name not in scope:
                    unbound.add(name)
                return scope.get(name)
            case "Add" | "Less" as kind, (left, right):
                found = [type_of(left, scope), type_of(right, scope)]
                return (NAT if kind == "Add" else BOOL) if found == [NAT, NAT] else None
            case "If", (condition, yes, no):
                tested, one, other = (type_of(part, scope) for part in (condition, yes, no))
                fits = tested == BOOL or (after and tested == NAT)
                return one if fits and one == other else None
            case "Lam", (name, type_, body):
                result = type_of(body, {**scope, name: type_})
                return None if result is None else Variant("Arrow", type_, result)
            case "App", (function, argument):
                applied, given = type_of(function, scope), type_of(argument, scope)
                fits = applied is not None and applied.constructor == "Arrow" and applied.parts[0] == given
                return applied.parts[1] if fits else None

    types = {name: type_of(term, {}) for name, term in facts["source"]}
    typed = {(name, type_) for name, type_ in types.items() if type_ is not None}
    arrows = sum(type_.constructor == "Arrow" for _, type_ in typed)
    return {
        "typed": typed,
        "wrong": {(name,) for name, type_ in types.items() if type_ is None},
        "unbound": {(name,) for name in unbound},
        "functions": {(arrows,)},
    }


def planner(facts, after):
    releases, needs = facts["release"], facts["needs"]

    def usable(what):
        for artifact, name, least in needs:
            if artifact == what:
                found = [v for n, v in releases if n == name and v[0] == least[0] and v >= least]
                yield name, found

    def chains(what):
        found = [with_ for with_ in uses if with_[0] == what]
        if not found:
            yield (what, None)
        for _, next_ in found:
            yield from ((what, chain) for chain in chains(next_))

    def length(chain):
        return 0 if chain is None else 1 + length(chain[1])

    selected = {(name, max(v for n, v in releases if n == name)) for (name,) in facts["wanted"]}
    uses, missing, waiting = set(), set(), list(selected)
    while waiting:
        what = waiting.pop()
        for name, versions in usable(what):
            if not versions:
                missing.add((what, name))
                continue
            uses.add((what, (name, max(versions))))
            if (name, max(versions)) not in selected:
                selected.add((name, max(versions)))
                waiting.append((name, max(versions)))
    every = {chain for what in selected for chain in chains(what)}
    names = [name for name, _ in selected]
    lengths = {name: [length(c) for c in every if c[0][0] == name] for (name,) in facts["wanted"]}
    return {
        "selected": {(what,) for what in selected},
        "uses": uses,
        "chain": {(chain, length(chain)) for chain in every},
        "longest": {(name, max(found)) for name, found in lengths.items() if found},
        "conflict": {(name,) for name in names if names.count(name) > 1},
        "missing": missing,
    }


def unification(facts, after):
    parent = {}

    def find(term):
        while parent[term] != term:
            term = parent[term]
        return term

    def parts(term):
        return term.parts[1:] if term.constructor == "Fun" else ()

    def enter(term):
        parent.setdefault(term, term)
        for part in parts(term):
            enter(part)

    for equation in facts["equation"]:
        for side in equation:
            enter(side)
    constants = {term.parts[0]: term for term in parent if term.constructor == "Con"}
    waiting = list(facts["equation"])
    if after:
        waiting += [(constants[c], constants[d]) for c, d in facts["synonym"] if {c, d} <= constants.keys()]
    while waiting:
        one, other = map(find, waiting.pop())
        if one != other:
            made = [(a, b) for a in parent if find(a) == one for b in parent if find(b) == other]
            parent[one] = other
            waiting += [
                pair
                for a, b in made
                if a.constructor == b.constructor == "Fun" and a.parts[0] == b.parts[0]
                for pair in zip(parts(a), parts(b), strict=True)
            ]

    def reached(term):
        """The classes inside a class."""
        found, left = set(), [find(term)]
        while left:
            here = left.pop()
            new = {find(part) for t in parent if find(t) == here for part in parts(t)} - found
            found |= new
            left += new
        return found

    equal = [(a, b) for a in parent for b in parent if find(a) == find(b)]
    built = [(a, b) for a, b in equal if "Var" not in (a.constructor, b.constructor)]
    clash = {(a, b) for a, b in built if (a.constructor, b.constructor) == ("Con", "Fun")}
    alike = {(constants.get(c), constants.get(d)) for c, d in facts["synonym"]}
    clash |= {(a, b) for a, b in built if a.constructor == b.constructor and a.parts[0] < b.parts[0]} - alike
    endless = {(term,) for term in parent if find(term) in reached(term)}
    variables = [(a, b) for a, b in equal if a.constructor == "Var"]
    return {
        "value": {(a.parts[0], b) for a, b in variables if b.constructor != "Var"},
        "alias": {(a.parts[0], b.parts[0]) for a, b in variables if b.constructor == "Var" and a.parts < b.parts},
        "clash": clash,
        "endless": endless,
        "solved": set() if clash or endless else {(1,)},
    }
