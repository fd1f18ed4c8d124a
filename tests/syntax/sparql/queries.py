"""Random small graphs and SPARQL queries over them."""

from random import Random

EX = "http://ex.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIX = f"PREFIX ex: <{EX}> PREFIX xsd: <{XSD}>\n"
NODES = [f"<{EX}n{i}>" for i in range(4)]
PROPERTIES = ["ex:p", "ex:q", "ex:r"]
LITERALS = [
    f'"1"^^<{XSD}integer>', f'"2"^^<{XSD}integer>', f'"2.0"^^<{XSD}decimal>', f'"2.5"^^<{XSD}decimal>',
    f'"1.0E0"^^<{XSD}double>', '"a"', '"ab"', '"a"@en', f'"true"^^<{XSD}boolean>',
]  # fmt: skip
CONSTANTS = ["1", "2.0", '"a"', '"a"@en', "true", "ex:n0", "ex:n1"]
VARIABLES = ["?a", "?b", "?c"]


def full(name: str) -> str:
    return f"<{EX}{name.removeprefix('ex:')}>"


def triples(rng: Random) -> list[tuple[str, str, str]]:
    found = [
        (rng.choice(NODES), full(rng.choice(PROPERTIES)), rng.choice(NODES if rng.random() < 0.7 else LITERALS))
        for _ in range(rng.randrange(8, 16))
    ]
    return sorted({*found})


class Queries:
    """Makes queries; each part has the variables that a caller may use.

    Those with alternatives in paths have no parts: so that one of two judges is right, of which one has a defect in
    scopes and the other one in duplicates of alternatives.
    """

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.alternatives = rng.random() < 0.3

    def node(self) -> str:
        rng = self.rng
        return rng.choice(VARIABLES) if rng.random() < 0.85 else f"ex:n{rng.randrange(4)}"

    def path(self, depth: int = 2) -> str:
        rng, name = self.rng, self.rng.choice(PROPERTIES)
        if depth == 0:
            return name
        kind, inner, either = rng.randrange(9), self.path(depth - 1), "|" if self.alternatives else "/"
        forms = [name, name, f"^({inner})", f"({inner})/({name})", f"({inner}){either}({name})", f"({inner})*",
                 f"({inner})+", f"({inner})?", f"!({name})" if rng.random() < 0.5 else f"!({name}|ex:r)"]  # fmt: skip
        return forms[kind]

    def triple(self) -> str:
        rng = self.rng
        if rng.random() < 0.1:
            return f"{self.node()} {rng.choice(VARIABLES)} {self.node()}"
        end = rng.choice(CONSTANTS) if rng.random() < 0.05 else self.node()
        if rng.random() < 0.1:
            return f"{self.node()} {rng.choice(PROPERTIES)} [ {rng.choice(PROPERTIES)} {end} ]"
        predicate = self.path() if rng.random() < 0.35 else rng.choice(PROPERTIES)
        return f"{self.node()} {predicate} {end}"

    def value(self) -> str:
        rng = self.rng
        variable = rng.choice(VARIABLES)
        return rng.choice([variable, variable, variable, rng.choice(CONSTANTS), f"STR({variable})", f"LANG({variable})",
                           f"DATATYPE({variable})", f"({variable} + 1)", f"STRLEN({variable})",
                           f"COALESCE({variable}, 2)"])  # fmt: skip

    def condition(self, depth: int = 2) -> str:
        rng = self.rng
        if depth and rng.random() < 0.4:
            one, other = self.condition(depth - 1), self.condition(depth - 1)
            return rng.choice([f"({one} && {other})", f"({one} || {other})", f"!({one})"])
        variable = rng.choice(VARIABLES)
        return rng.choice([f"{self.value()} {rng.choice(['=', '!=', '<', '>', '<=', '>='])} {self.value()}",
                           f"BOUND({variable})", f'REGEX(STR({variable}), "n[01]|A", "i")', f"isIRI({variable})",
                           f"isLiteral({variable})", f"isNumeric({variable})", f"sameTerm({variable}, {self.value()})",
                           f"{variable} IN ({self.value()}, {self.value()})", f"{variable} NOT IN (1, ex:n1)",
                           f'CONTAINS(STR({variable}), "1")', f'LANGMATCHES(LANG({variable}), "*")'])  # fmt: skip

    def group(self, depth: int = 2) -> str:
        rng = self.rng
        parts = [self.triple() + " ." for _ in range(rng.randrange(1, 3))]
        if depth and not self.alternatives:
            for _ in range(rng.randrange(0, 3)):
                inner, counted = self.group(depth - 1), rng.choice(["*", "?b", "DISTINCT ?b"])
                parts.append(rng.choice([
                    f"OPTIONAL {{ {inner} }}", f"OPTIONAL {{ {inner} }}", f"{{ {inner} }} UNION {{ {self.group(0)} }}",
                    f"MINUS {{ {inner} }}", f"FILTER EXISTS {{ {self.group(0)} }}",
                    f"FILTER NOT EXISTS {{ {self.group(0)} FILTER({self.condition(1)}) }}",
                    f"{{ SELECT DISTINCT ?a ?b {{ {inner} }} }}",
                    f"{{ SELECT ?a (COUNT({counted}) AS ?n) {{ {inner} }} GROUP BY ?a }}",
                    "VALUES (?a ?b) { (ex:n0 UNDEF) (ex:n1 ex:n2) }",
                ]))  # fmt: skip
        if rng.random() < 0.3:
            parts.append(f"FILTER({self.condition()})")
        return " ".join(parts)

    def query(self) -> str:
        rng = self.rng
        form = rng.choice(["SELECT", "SELECT", "SELECT", "SELECT DISTINCT", "ASK", "COUNT"])
        group = self.group()
        if form == "ASK":
            return f"{PREFIX}ASK {{ {group} }}"
        if form == "COUNT":
            return (f"{PREFIX}SELECT ?a (COUNT(*) AS ?n) (COUNT(DISTINCT ?b) AS ?m) (COUNT(?c) AS ?k)\n"
                    f"{{ {group} }} GROUP BY ?a")  # fmt: skip
        shown = " ".join(rng.sample(VARIABLES, rng.randrange(1, 4)))
        return f"{PREFIX}{form} {shown} {{ {group} }}"
