"""The names of rules and relations that users see.

Law: rules are shown with the user's labels and texts, relations with their names or, if a rewrite made them, in words;
core rules, if requested, are shown unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidelog.plan.plan_text import columns_text
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Atom, Comparison, Literal, Negation, Rule, Term
from tidelog.program.elaborate.lift_inner_aggregates import INNER
from tidelog.program.elaborate.read_undefined import DOUBT, EITHER, MAYBE, MOST, SURE
from tidelog.program.graph.choice import MAY, PICK, declaration_behind
from tidelog.program.graph.constraint import is_hidden
from tidelog.program.graph.lifetime import EXPIRIES, NOW
from tidelog.program.graph.subsumption import GIVEN
from tidelog.program.graph.well_founded import GROUND, TRUTH, UNDEFINED
from tidelog.program.values.term import POSSIBLE
from tidelog.rewrite.demand.pass_demand import BOUND
from tidelog.rewrite.demand.restrict import demanded_by_name
from tidelog.rewrite.names import KEYED, OPENED, PROJECTION, in_words, is_auxiliary
from tidelog.rewrite.paths.names import paths_in_words
from tidelog.rewrite.place.placement import copied
from tidelog.syntax import print_literal, print_rule, print_term
from tidelog.syntax.printer import print_declaration

if TYPE_CHECKING:
    from tidelog.rewrite.place.place import PlacedRules

CYCLE_WORDS = {
    INNER: "an aggregate of",
    GIVEN: "asserted facts of",
    GROUND: "instances of",
    POSSIBLE: "possible facts of",
    TRUTH: "the truth of",
    UNDEFINED: "undefined facts of",
    MAYBE: "facts that may be true of",
    DOUBT: "groups with undefined rows of",
    SURE: "results over true rows of",
    MOST: "results over possible rows of",
    EITHER: "true and undefined facts of",
}


class Names:
    """Rules by their user's labels and texts, relations by their names or, if a rewrite made them, in words."""

    def __init__(self, rules: Ruleset, core: bool = False, placed: PlacedRules | None = None) -> None:
        self.core = core
        self._rules = rules
        self.owners: dict[str, list[str]] = {}  # the user's labels of each core rule and copy
        for label, made in rules.core_labels.items():
            for name in made:
                self.owners.setdefault(name, []).append(label)
        self._heads: dict[str, list[Rule]] = {}
        for rule in rules.core.values():
            self._heads.setdefault(rule.head.predicate, []).append(rule)
        for label, needed in ({} if placed is None else placed.local_labels).items():
            for name in needed[:-1]:
                readers = self.owners.setdefault(name, [])
                readers += [owner for owner in self.owners.get(label, []) if owner not in readers]

    def label(self, rule: Rule) -> str:
        """The label under which a core rule is shown; if several rules share it, all of their labels."""
        return rule.label or "" if self.core else self._labels(rule)

    def _labels(self, rule: Rule) -> str:
        return ", ".join(self.owners.get(rule.label or "", [rule.label or ""]))

    def text(self, rule: Rule) -> str:
        """The text of a core rule, or of the user's rule it comes from; a shared one is described in words."""
        label, labels = rule.label or "", self._labels(rule)
        if self.core:
            return print_rule(rule, self._rules.program.convention)
        if label != labels and not label.startswith(f"{labels}/"):
            return f"{labels}: {self.relation(rule.head.predicate)}"
        declared = declaration_behind(self._rules.program, labels)
        if declared is not None and labels not in self._rules.labels:
            return print_declaration(declared)
        return print_rule(self._rules.rule(labels), self._rules.program.convention)

    def relation(self, name: str) -> str:
        """A relation's name, or words for one that a rewrite made."""
        if self.core or not is_auxiliary(name):
            return name
        if is_hidden(name) and name in self._rules.constraints:
            return f"constraint {self._rules.constraints[name].users_label}"
        if name == NOW or name.startswith(EXPIRIES):
            return "the time" if name == NOW else f"expiries of {name.removeprefix(EXPIRIES)}"
        if (walks := paths_in_words(name)) is not None:
            return walks
        if (copy := copied(name, self._rules.schema)) is not None:
            return f"copy of {self.relation(copy[0])} {copy[1]}"
        if (asked := demanded_by_name(name)) is not None:
            known = [i for i, mark in enumerate(asked[1], 1) if mark == BOUND]
            return f"demand for {self.relation(asked[0])} by {columns_text(known)}"
        if name.startswith((MAY, PICK)):
            return f"candidates of {name.removeprefix(MAY)}" if name.startswith(MAY) else "the chosen facts"
        for prefix, words in CYCLE_WORDS.items():
            if name.startswith(prefix):
                return f"{words} {self.relation(name.removeprefix(prefix).partition(' ')[0].partition('/')[0])}"
        if name not in self._heads:
            return name
        if name.startswith(OPENED):
            source = self._heads[name][0].body[0]
            assert isinstance(source, Atom)
            return f"{self.relation(source.predicate)}, opened"
        if name.startswith(KEYED):
            source, key = self._heads[name][0].body
            assert isinstance(source, Atom)
            assert isinstance(key, Comparison)
            return f"{self.relation(source.predicate)} by {self.term(key.right)}"
        if name.startswith(PROJECTION):
            return self._projection(self._heads[name][0])
        labels = dict.fromkeys(label for made in self._heads[name] for label in self.owners[made.label or ""])
        return f"{in_words(name)} of {', '.join(labels)}"

    def _projection(self, rule: Rule) -> str:
        """Some columns of another relation."""
        (source,) = rule.body
        assert isinstance(source, Atom)
        if not rule.head.args:
            args = ", ".join(self.term(arg) for arg in source.args)
            return f"some {self.relation(source.predicate)}({args})"
        kept = [source.args.index(arg) + 1 for arg in rule.head.args]
        return f"{self.relation(source.predicate)} on {columns_text(kept)}"

    def literal(self, literal: Literal) -> str:
        """A literal with its relation in words."""
        atom = literal.atom if isinstance(literal, Negation) else literal
        if isinstance(atom, Atom) and self.relation(atom.predicate) != atom.predicate:
            args = ", ".join(self.term(arg) for arg in atom.args)
            text = f"[{self.relation(atom.predicate)}]({args})"
            return f"!{text}" if isinstance(literal, Negation) else text
        return print_literal(literal, self._rules.program.convention)

    def term(self, term: Term) -> str:
        """The text of a term."""
        return print_term(term, self._rules.program.convention)
