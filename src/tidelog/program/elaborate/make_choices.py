"""Relations with a choice show the facts chosen among their candidates.

Law (`graph.choice`): the facts that the rules of such a relation derive are its candidates; one rule chooses among them
for every key, another shows the chosen ones. A choice that depends on itself is refused (TL509), and so is one among
facts that are also closed, subsumed or inlined (TL510).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from tidelog.errors import Diagnostic
from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.graph.choice import MAY, PICK, choices
from tidelog.program.graph.equivalence import EQREL
from tidelog.program.graph.inline import INLINE
from tidelog.program.graph.strata import stratify
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.schema import Declaration
from tidelog.program.values.term import CHOICE, Aggregate, Atom, Var


def make_choices(elaboration: Elaboration) -> Elaboration:
    """The program with the candidates of choices as heads, and the rules that choose, two for each choice.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> text = ".decl p(x: number, y: number) choice-domain x .decl e(x: number, y: number) p(x, y) :- e(x, y)."
    >>> print(*map(print_rule, make_choices(Elaboration(parse_program(text))).program.rules), sep="\\n")
    __may_p(x, y) :- e(x, y).
    p/choice_1: __pick_p/1(V1, choice<V2>) :- __may_p(V1, V2).
    p/chosen_1: p(V1, V2) :- __pick_p/1(V1, V2).
    """
    program, declared = elaboration.program, choices(elaboration.program)
    refused = dict(_refused(program, declared))
    rules = [
        _proposing(rule) if rule.head.predicate in declared.keys() - refused.keys() else rule for rule in program.rules
    ]
    for name, declaration in declared.items():
        if name not in refused:
            rules += _choosing(declaration)
    return elaboration.then(replace(program, rules=tuple(rules)), refused.values())


def _refused(program: Program, declared: Mapping[str, Declaration]) -> Iterator[tuple[str, Diagnostic]]:
    recursive = {name for stratum in stratify(program.rules) if stratum.recursive for name in stratum.relations}
    subsumed = {rule.head.predicate for rule in program.rules if rule.subsumes}
    for name, declaration in declared.items():
        words = [word for word in declaration.qualifiers if word in (EQREL, INLINE)]
        if words or name in subsumed:
            what = f"`{words[0]}`" if words else "a subsumption"
            yield name, diagnose("TL510", declaration.span, relation=name, what=what)
        elif name in recursive:
            yield name, diagnose("TL509", declaration.span, relation=name)


def _proposing(rule: Rule) -> Rule:
    return replace(rule, head=replace(rule.head, predicate=f"{MAY}{rule.head.predicate}"))


def _choosing(declaration: Declaration) -> Iterable[Rule]:
    name, domains = declaration.relation, declaration.domains
    columns = tuple(Var(f"V{i}") for i, _ in enumerate(declaration.columns, 1))
    group = set[int].intersection(*map(set, domains))
    first, *others = (i for i, _ in enumerate(columns) if i not in group)
    choice = Aggregate(CHOICE, columns[first], None, None, tuple((i, "min") for i in others), domains)
    keys = "_".join("+".join(str(i + 1) for i in domain) for domain in domains)  # different keys are a different choice
    pick = Atom(f"{PICK}{name}/{keys}", columns)
    chosen = replace(pick, args=(*columns[:first], choice, *columns[first + 1 :]))
    yield Rule(chosen, (Atom(f"{MAY}{name}", columns),), f"{name}/choice_{keys}", declaration.span)
    yield Rule(Atom(name, columns), (pick,), f"{name}/chosen_{keys}", declaration.span)
