"""Why a fact is not true: for every rule of its relation, how far the evaluation of its body gets.

Law: a fact is absent exactly if it is not asserted and no rule has a support for it. For each rule, the valuations
that agree with the fact are searched in the planner's order; the first that gets furthest is reported, with the literal
that failed. A search that becomes too large is stopped, and the best result so far is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from tidelog.plan.body import literal_variables
from tidelog.plan.plan_rule import aggregate_of
from tidelog.program import Aggregate, Atom, Call, Comparison, Negation, Rule, Term, Var, Wildcard
from tidelog.program.elaborate.read_undefined import DOUBT
from tidelog.program.graph.equivalence import edge_name, equivalences
from tidelog.program.graph.well_founded import UNDEFINED
from tidelog.program.values.pattern import only_opens
from tidelog.program.values.scope import rule_names
from tidelog.program.values.structure import NIL, READ, TEST, structure_of
from tidelog.rewrite.demand.pass_demand import known_args
from tidelog.rewrite.demand.restrict import demand_relation
from tidelog.rewrite.names import KEYED, is_auxiliary
from tidelog.rewrite.paths.names import paths_in_words
from tidelog.syntax import print_atom, print_literal, print_term
from tidelog.why.absence import WhyNot
from tidelog.why.attempt import Attempt
from tidelog.why.choice import chosen_instead, proposing_rules
from tidelog.why.errors import OutOfWorkError
from tidelog.why.join import Join, Part, Question, Valuation
from tidelog.why.ledger import FactKey, Ledger
from tidelog.why.model import two_valued_rules
from tidelog.why.premises import Premises, hidden_atom, hidden_in, written
from tidelog.why.support import Supports


def opened(literal: Comparison) -> tuple[Call | None, Term] | None:
    """What a comparison made from a pattern tests, and of which value; None for any other comparison.

    >>> opened(Comparison("!=", Var("V1"), NIL))
    (None, Var(name='V1'))
    """
    for side in (literal.left, literal.right):
        structure = structure_of(side.function) if isinstance(side, Call) and side.function else None
        if isinstance(side, Call) and structure is not None and structure.kind in (READ, TEST):
            return side, side.args[0]
    return (None, literal.left) if literal.op == "!=" and literal.right == NIL else None


def refute(ledger: Ledger, key: FactKey) -> WhyNot:
    """Why a fact is absent, or that it is present."""
    text = ledger.fact_text(key)
    if ledger.has(key):
        return WhyNot(text, True, note="ask `why`")
    if instead := chosen_instead(ledger, key):
        others = ", ".join(map(ledger.fact_text, instead))
        return WhyNot(text, False, note=f"it is a candidate, but {others} was chosen, which has the same key")
    if ledger.is_undefined(key):
        return WhyNot(text, False, note="it is undefined: `why` shows the cycle through negation that it depends on")
    if key[0] in equivalences(ledger.rules.program):
        return _other_classes(ledger, key, text)
    rules = _asked_rules(ledger, key)
    if not rules and key[0] in ledger.rules.restricted:
        return WhyNot(text, False, note=f"`{key[0]}` is evaluated on demand, and no rule demands this fact: query it")
    if not rules:
        return WhyNot(text, False, note=f"it is not asserted, and `{key[0]}` has no rules")
    refutation = _Refutation(ledger)
    attempts = tuple(attempt for rule in rules for attempt in refutation.attempts(rule, key))
    return WhyNot(text, False, attempts, "it is not asserted, and no rule derives it")


def _other_classes(ledger: Ledger, key: FactKey, text: str) -> WhyNot:
    """Why an equivalence relation does not hold between two values, and which facts would relate them directly."""
    type_ = ledger.rules.schema[key[0]][0]
    alone = [ledger.cell_text(cell, type_) for cell in dict.fromkeys(key[1]) if not ledger.has((key[0], (cell, cell)))]
    left, right = (ledger.cell_text(cell, type_) for cell in key[1])
    which = " and ".join(f"nothing relates {value} to any value" for value in alone)
    note = f"`{key[0]}` is an equivalence relation, and {which or f'{left} and {right} are in different classes'}"
    refutation, edge = _Refutation(ledger), (edge_name(key[0]), key[1])
    rules = ledger.by_head.get(edge[0], ())
    return WhyNot(text, False, tuple(attempt for rule in rules for attempt in refutation.attempts(rule, edge)), note)


def _asked_rules(ledger: Ledger, key: FactKey) -> list[Rule]:
    """The rules of a fact's relation; if it is evaluated on demand, those for which the fact is demanded."""
    if key[0] in ledger.rules.cyclic:
        return two_valued_rules(ledger.by_head, key[0])
    rules, demand = proposing_rules(ledger, key), ledger.rules.demand
    if demand is None or key[0] not in demand.patterns:
        return rules
    asked = [
        pattern
        for pattern in demand.patterns[key[0]]
        if ledger.has((demand_relation(key[0], pattern), known_args(key[1], pattern)))
    ]
    return [rule for rule in rules if any(f"/{pattern}" in (rule.label or "") for pattern in asked)]


class _FurthestValuation:
    """Keeps the first of the valuations that got furthest."""

    def __init__(self, start: Valuation) -> None:
        self.depth = 0
        self.frame = start
        self.count = 0

    def note(self, depth: int, frame: Valuation) -> None:
        """Note a valuation that has satisfied ``depth`` parts."""
        if depth > self.depth:
            self.depth, self.frame, self.count = depth, frame, 0
        if depth == self.depth:
            self.count += 1


class _Refutation:
    """Follows the rules of one relation."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.join = Join(ledger)
        self.supports = Supports(ledger, self.join)
        self.words = Premises(ledger, self.supports, 1)
        self.convention = ledger.rules.program.convention

    def attempts(self, rule: Rule, key: FactKey) -> Iterator[Attempt]:
        """The attempts of a core rule of the fact's relation; for an aggregate, those of the rules behind it."""
        if aggregate_of(rule) is None:
            yield from self._plain(rule, dict(enumerate(key[1])))
        else:
            yield from self._aggregated(rule, key)

    def _aggregated(self, rule: Rule, key: FactKey) -> Iterator[Attempt]:
        """The attempts of an aggregate: its group has another value, or no rows because of the rules behind it."""
        source = rule.body[0]
        assert isinstance(source, Atom)
        if self.ledger.count(source.predicate, self.supports.in_group(rule, key[1])):
            yield self._other_value(rule, key)
            return
        known = dict(zip(rule.head.args, key[1], strict=True))
        columns = {i: known[arg] for i, arg in enumerate(source.args) if arg in known}
        if not is_auxiliary(source.predicate):  # the rows are the user's own facts
            yield from self._plain(replace(rule, head=source), columns)
            return
        for behind in self._rules_behind(source.predicate, columns):
            yield from self._plain(*behind)

    def _rules_behind(self, name: str, known: Mapping[int, int]) -> Iterator[tuple[Rule, Mapping[int, int]]]:
        """The plain rules that derive the valuations behind an aggregate, with the known columns of their heads."""
        for rule in self.ledger.by_head.get(name, ()):
            match rule.body:
                case (Atom() as source,) if is_auxiliary(source.predicate):
                    cells = {rule.head.args[i]: cell for i, cell in known.items()}
                    inner = {i: cells[arg] for i, arg in enumerate(source.args) if arg in cells}
                    yield from self._rules_behind(source.predicate, inner)
                case _:
                    yield rule, known

    def _other_value(self, rule: Rule, key: FactKey) -> Attempt:
        place = next(i for i, arg in enumerate(rule.head.args) if isinstance(arg, Aggregate))
        folded = {place, *(column for column, _ in rule.head.args[place].ties)}  # type: ignore[union-attr]  # an aggregate
        known = {i: cell for i, cell in enumerate(key[1]) if i not in folded}
        labels = self.ledger.owners(rule)
        text = self.words.aggregate_text(labels[0], rule.head.predicate)
        values = []
        for fact in self.ledger.keys(key[0], known):
            if self.supports.group(rule, fact) is not None:
                values.append(self.ledger.cell_text(fact[1][place], self.ledger.rules.schema[key[0]][place]))
        wanted = self.ledger.cell_text(key[1][place], self.ledger.rules.schema[key[0]][place])
        reason = f"it is {values[0]} in this group" if values else "the group has a different value"
        rules = "\n".join(map(self.ledger.rule_text, labels))
        return Attempt(", ".join(labels), rules, (), f"{text or f'column {place + 1}'} = {wanted}", reason)

    def _plain(self, rule: Rule, known: Mapping[int, int]) -> Iterator[Attempt]:
        question = self.join.prepare(rule, sorted(known))
        start = question.start(known, self.join.encode)
        if isinstance(start, int):
            yield self._unlike_head(rule, start, known)
            return
        furthest, complete = _FurthestValuation(start), True
        try:
            for _ in self.join.solve(question, start, reached=furthest.note):
                return  # the rule derives something here: the cause is elsewhere
        except OutOfWorkError:
            complete = False
        yield self._attempt(question, furthest, complete)

    def _unlike_head(self, rule: Rule, column: int, known: Mapping[int, int]) -> Attempt:
        label, types = self.ledger.owner(rule), self.ledger.rules.schema[rule.head.predicate]
        wanted = self.ledger.cell_text(known[column], types[column])
        head = print_atom(self.ledger.user_rule(label).head, self.convention)
        return Attempt(label, self.ledger.rule_text(label), (), head, f"its column {column + 1} is not {wanted}")

    def _attempt(self, question: Question, furthest: _FurthestValuation, complete: bool) -> Attempt:
        label = self.ledger.owner(question.rule)
        done = {part.position for part in question.parts[: furthest.depth] if not part.turned}
        stopped = question.parts[furthest.depth]
        held = [
            self._describe(question, literal_part, furthest.frame)
            for literal_part in sorted(question.parts, key=lambda part: part.position)
            if literal_part.position in done and literal_part.position >= 0 and not literal_part.turned
            if not isinstance(literal_part.literal, Comparison) or not only_opens(literal_part.literal, question.rule)
        ]
        failed, reason = self._stopped(question, stopped, furthest.frame)
        names = sorted(rule_names(self.ledger.user_rule(label)) & furthest.frame.binding.keys())
        bindings = {n: self.ledger.cell_text(furthest.frame.binding[n], question.types.get(n)) for n in names}
        text = self.ledger.rule_text(label)
        return Attempt(label, text, tuple(held), failed, reason, bindings, max(1, furthest.count), complete)

    def _describe(self, question: Question, part: Part, frame: Valuation) -> str:
        """A literal with the known values inserted."""
        literal = part.literal
        if isinstance(literal, Comparison):
            return self.words.condition(question, literal, frame.binding.get).text
        negated = isinstance(literal, Negation)
        written_atom = literal.atom if isinstance(literal, Negation) else literal
        assert isinstance(written_atom, Atom)
        atom = self._nameless(question, self.words.put_in(question, written_atom, frame.binding.get))
        if (request := self.words.request_for(atom)) is not None:
            return f"asked for {print_atom(request, self.convention)}"
        if (reading := self.words.reading(atom)) is not None and reading.predicate.startswith(UNDEFINED):
            atom = replace(reading, predicate=reading.predicate.removeprefix(UNDEFINED))
        if is_auxiliary(atom.predicate):
            source, walk = self.words.projected(atom), self.words.walk_text(atom)
            if walk is not None:
                return ("!" if negated else "") + walk
            if source is None:
                return self._aggregate_words(question, written_atom, atom)
            atom = source
        return ("!" if negated else "") + print_atom(atom, self.convention)

    def _nameless(self, question: Question, atom: Atom) -> Atom:
        """The atom with ``_`` in place of variables that only rewrites use."""
        known = rule_names(self.ledger.user_rule(self.ledger.owner(question.rule)))
        args = (Wildcard() if isinstance(arg, Var) and arg.name not in known else arg for arg in atom.args)
        return replace(atom, args=tuple(args))

    def _aggregate_words(self, question: Question, written_atom: Atom, atom: Atom) -> str:
        """An aggregate of the body with its value, if that is known."""
        label = self.ledger.owner(question.rule)
        text = written(written_atom) or self.words.aggregate_text(label, atom.predicate)
        return f"{text} = {print_term(atom.args[-1], self.convention)}" if atom.args else text

    def _stopped(self, question: Question, part: Part, frame: Valuation) -> tuple[str, str]:
        """Describe the literal that fails, and why it does."""
        if part.turned:
            part = next(p for p in question.parts if p.position == part.position and not p.turned)
        description, literal = self._describe(question, part, frame), part.literal
        if isinstance(literal, Negation) and (reading := self.words.reading(literal.atom)) is not None:
            what = "a row of its group" if reading.predicate.startswith(DOUBT) else description.removeprefix("!")
            return description, f"{what} is undefined"
        if isinstance(literal, Negation):
            return description, f"{self._present(question, literal.atom, frame)} is true"
        if isinstance(literal, Atom):
            return description, self._no_match(question, literal, frame)
        assert isinstance(literal, Comparison)
        found = opened(literal) if part.position >= 0 and only_opens(literal, question.rule) else None
        if found is not None:
            return self._unlike_pattern(question, literal, *found, frame)
        return self._false(question, literal, description, part)

    def _unlike_pattern(
        self, question: Question, literal: Comparison, call: Call | None, value: Term, frame: Valuation
    ) -> tuple[str, str]:
        """Describe a value that does not match a pattern, and the part that differs."""
        shown = print_term(self.words.put_in_term(question, value, frame.binding.get), self.convention)
        structure = None if call is None else structure_of(call.function)
        if call is None or structure is None:
            return shown, "it has no parts"
        if structure.kind == TEST:
            return shown, f"its constructor is not `${structure.constructor}`"
        other = literal.right if literal.left is call else literal.left
        wanted = print_term(self.words.put_in_term(question, other, frame.binding.get), self.convention)
        return shown, f"its part {structure.place + 1} is not {wanted}"

    def _present(self, question: Question, atom: Atom, frame: Valuation) -> str:
        """A present fact that a negated atom excludes."""
        key = (atom.predicate, tuple(cell for cell in self._cells(atom, frame) if cell is not None))
        facts = self._behind(key) if is_auxiliary(atom.predicate) else [key]
        return ", ".join(map(self.ledger.fact_text, facts)) or self._describe(question, Part(atom, 0), frame)

    def _behind(self, key: FactKey) -> list[FactKey]:
        """The facts that an auxiliary fact depends on; none if finding them would visit too many facts."""
        if (name := hidden_in(key[0])) is not None:
            atom = hidden_atom(name, [Var(str(cell)) for cell in key[1]], self.ledger.rules.schema)
            known = {i: int(arg.name) for i, arg in enumerate(atom.args) if isinstance(arg, Var)}
            return list(islice(self.ledger.keys(atom.predicate, known), 1))
        try:
            step = self.words.step(key)
        except OutOfWorkError:
            return []
        return [] if step is None else [item for item in step.items if isinstance(item, tuple)]

    def _false(self, question: Question, literal: object, description: str, part: Part) -> tuple[str, str]:
        assert isinstance(literal, Comparison)
        if part.position < 0:
            column = -1 - part.position
            computed = print_term(question.rule.head.args[column], self.convention)
            return description, f"the head computes column {column + 1} as {computed}"
        known = rule_names(self.ledger.user_rule(self.ledger.owner(question.rule)))
        is_written = bool(description) and known.issuperset(literal_variables(literal))
        return description, f"it is false ({print_literal(literal, self.convention)})" if is_written else "it is false"

    def _no_match(self, question: Question, atom: Atom, frame: Valuation) -> str:
        if not is_auxiliary(atom.predicate):
            return "no fact matches" if None in self._cells(atom, frame) else "no such fact"
        if paths_in_words(atom.predicate) is not None:
            return "no such path"
        if self.words.projected(atom) is not None:
            return "no fact satisfies the equation" if atom.predicate.startswith(KEYED) else "no fact matches"
        known = {i: c for i, c in enumerate(self._cells(atom, frame)) if c is not None and i < len(atom.args) - 1}
        fact = next(self.ledger.keys(atom.predicate, known), None)
        if fact is not None and len(known) == len(atom.args) - 1:
            cell = fact[1][-1]
            return f"its value is {self.ledger.cell_text(cell, self.ledger.rules.schema[atom.predicate][-1])}"
        return "it has no rows"

    def _cells(self, atom: Atom, frame: Valuation) -> list[int | None]:
        found: list[int | None] = []
        for arg in atom.args:
            name = getattr(arg, "name", None)
            if name is not None:
                found.append(frame.binding.get(name))
            else:
                found.append(None if isinstance(arg, Wildcard) else self.join.encode(arg))  # type: ignore[arg-type]  # constant
        return found
