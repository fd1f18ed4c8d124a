"""Random programs with components, beside the same programs written out by hand-made text.

What it can notice: names, types, inheritance, overrides and nested instances that the expansion gets wrong, since the
flat text is made from templates and knows nothing of components; and engines that keep something of an instance that
went. What it cannot: components given for parameters, and records.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

BASE = ("e({x}, {y})", "g({x}, {y})")
RELATIONS = ("e", "p", "q")


@dataclass
class Body:
    """The rules of one component for its own relations, as templates: `@p` stands for the instance's relation p."""

    rules: list[str]
    overrides: bool = False

    def in_component(self) -> str:
        return "\n".join("    " + rule.replace("@", "") for rule in self.rules)

    def flat(self, name: str) -> list[str]:
        return [rule.replace("@", name + ".") for rule in self.rules]


@dataclass
class Family:
    """A component `B` with an instance of `L` inside, and a component `D` that inherits it."""

    leaf: Body
    base: Body
    derived: Body
    extra: list[str] = field(default_factory=list)

    def text(self) -> str:
        """The components."""
        override = "    .override p\n" if self.derived.overrides else ""
        return f"""
.comp L<T> {{
    .decl e(x: T, y: T)
    .decl p(x: T, y: T)
{self.leaf.in_component()}
}}
.comp B<T> {{
    .type Id = T
    .init l = L<T>
    .decl e(x: T, y: Id)
    .decl p(x: Id, y: T) overridable
    .decl q(x: T, y: T)
{self.base.in_component()}
}}
.comp D<S> : B<S> {{
{override}{self.derived.in_component()}
}}
"""

    def declarations(self, name: str) -> list[str]:
        """The relations of an instance of `B` or `D`, written out."""
        names = [f"{name}.{r}" for r in RELATIONS] + [f"{name}.l.e", f"{name}.l.p"]
        return [f".decl {n}(x: number, y: number)" for n in names]

    def flat(self, name: str, component: str) -> list[str]:
        """The rules of an instance of `B` or `D`, written out."""
        base = self.base.flat(name)
        if component == "D":
            dropped = f"{name}.p(" if self.derived.overrides else "nothing"
            base = [rule for rule in base if not rule.startswith(dropped)] + self.derived.flat(name)
        return self.leaf.flat(f"{name}.l") + base


def make_family(rng: random.Random) -> Family:
    """Rules that are stratified: q may negate what e, p and the inner instance hold; nothing depends on q but q."""
    leaf = Body([_rule(rng, "@p", ["@e", "@p", "g"]) for _ in range(rng.randint(1, 2))])
    base = Body([_rule(rng, "@p", ["@e", "@p", "@l.p", "g"]) for _ in range(rng.randint(1, 3))])
    base.rules += [_rule(rng, "@q", ["@e", "@p", "@q", "@l.e"], ["@p", "@l.p", "g"]) for _ in range(rng.randint(0, 2))]
    base.rules += [_rule(rng, "all", ["@p", "@e"])] if rng.random() < 0.5 else []
    derived = Body([_rule(rng, "@p", ["@e", "g"]) for _ in range(rng.randint(0, 2))], rng.random() < 0.5)
    return Family(leaf, base, derived)


def _rule(rng: random.Random, head: str, reads: list[str], negates: list[str] | None = None) -> str:
    atoms = rng.choice(
        ["{}(x, y)", "{}(y, x)", "{}(x, z), {}(z, y)", "{}(x, y), {}(y, _)", "{}(x, z), {}(y, z), x < y"]
    )
    body = atoms.format(*(rng.choice(reads) for _ in range(atoms.count("{}"))))
    if negates and rng.random() < 0.6:
        body += rng.choice([", !{}(y, x)", ", !({}(x, y), x < y)", ", !{}(x, _)"]).format(rng.choice(negates))
    return f"{head}(x, y) :- {body}."
