"""Definitions 1 to 3, Theorem 1 and Corollary 1 of LAM 2010L, run on every schedule of small programs.

The explorer follows all PSN-iterations. For each of them the trace of its three commands becomes a derivation that the
checker accepts, and whose open premise is the next state's sequent: by putting derivations one above the other every
schedule has its PSN-proof. What these tests cannot notice: a difference that needs a larger program.
"""

import pytest
from hypothesis import given, settings

from tests.lab.semantics.examples import (
    FOUR_NODES,
    HOPS,
    PATH_VECTOR,
    TWICE,
    TWO_DERIVATIONS,
    UNARY_FACTS,
    changes_of,
    propositions,
    settled,
)
from tests.lab.semantics.linear.test_correspondence import PAIRS, RELATIONS, semantics_of, without_recursion
from tidelog.errors import DataError
from tidelog.lab.semantics import (
    Bag,
    Configuration,
    Fact,
    IllegalStep,
    RunTrace,
    Semantics,
    StuckError,
    TraceStep,
    check,
    check_precondition,
    complete_iteration,
    deletion,
    explore,
    insertion,
    is_pipelined,
    is_synchronous,
    pipelined_trace,
    prepare,
    synchronous_trace,
)
from tidelog.lab.semantics.commands import choices
from tidelog.lab.semantics.schedule import Fifo, Random
from tidelog.lab.semantics.sellf import (
    BASIC_COMMANDS,
    FormulaContexts,
    SequentDerivation,
    as_psn_proof,
    as_sn_proof,
    configuration_of,
    derivation_of,
    executions,
    executions_of,
    is_proof,
    is_psn_proof,
    is_sn_proof,
    proof_iterations,
    sequent_of,
    theory_of,
    trace_of,
    turned_to_psn,
    turned_to_sn,
)
from tidelog.lab.semantics.sellf import check as open_premises
from tidelog.lab.semantics.sellf import rules as r
from tidelog.lab.semantics.sellf.checker import sequents
from tidelog.lab.semantics.sellf.proofs import iterations_of
from tidelog.lab.semantics.sellf.term import ConstantTerm
from tidelog.lab.semantics.trace import perform
from tidelog.syntax import parse_program

CASES = {
    "four nodes": (FOUR_NODES, [], [insertion("r", 2), deletion("q", 3), deletion("u", 4)]),
    "twice": (TWICE, [Fact("t", (1,))], [insertion("t", 1), deletion("t", 1)]),
    "two derivations": (TWO_DERIVATIONS, [Fact("q")], [insertion("u"), deletion("q"), deletion("u")]),
    "conflict": (parse_program("p :- s, t. s :- q. t :- u."), [Fact("q")], [insertion("u"), deletion("q")]),
    "hops": (HOPS, [Fact("link", ("a", "b"))], [insertion("link", "b", "c"), deletion("link", "a", "b")]),
}


def started(program, base, changes):
    semantics = Semantics(prepare(program))
    return semantics, settled(semantics, *base).sent(semantics.network, changes)


def explored(semantics, start):
    """All states and iterations that PSN reaches, each iteration proved and checked on the way."""
    theory, ends = theory_of(semantics.network), []

    def moves(configuration):
        following = [
            _iterated(theory, semantics, configuration, update) for _, update in choices(semantics, configuration)
        ]
        if not following:
            ends.append(configuration)
        return following

    explore(start, moves, lambda c: c, None, limit=3_000)
    return ends


def _iterated(theory, semantics, configuration, update):
    after, steps = complete_iteration(semantics, configuration, [update])
    trace = RunTrace(semantics, configuration, tuple(steps))
    derivation = derivation_of(trace)
    assert open_premises(theory, derivation) == (sequent_of(semantics, after),)
    back = trace_of(semantics, derivation)
    assert (back.start, back.steps[0], check(back)) == (configuration, steps[0], after)
    assert [Bag(step.sent) for step in back.steps] == [Bag(step.sent) for step in steps]
    return str(update), after


def entailed(semantics, configuration, facts):
    """The facts whose query the sequent of a configuration answers."""
    theory = theory_of(semantics.network)
    proved = set()
    for fact in facts:
        sequent = sequent_of(semantics, configuration, fact)
        found = [each for each in executions(theory, sequent) if each.premise is None]
        assert all(is_proof(theory, SequentDerivation(sequent, each.rules)) for each in found)
        proved |= {fact for _ in found}
    return proved


def agree(semantics, start, facts):
    """Corollary 1: the same facts are entailed by PSN, along every schedule, as by SN."""
    end = check(synchronous_trace(semantics, start))
    asked = {*start.old.facts(), *end.old.facts(), *facts}
    by_rounds = entailed(semantics, end, asked)
    ends = explored(semantics, start)
    assert ends
    for other in ends:
        assert entailed(semantics, other, asked) == by_rounds == set(end.old.facts())
    return by_rounds


def agreed(program, base, changes):
    semantics, start = started(program, base, changes)
    facts = agree(semantics, start, [Fact(name, (1,) * n) for name, n in semantics.network.arity.items()])
    return semantics, start, facts


@pytest.mark.parametrize("name", [pytest.param("four nodes", marks=pytest.mark.long), *list(CASES)[1:]])
def test_corollary_1_every_schedule_entails_what_rounds_entail(name):
    semantics, start, facts = agreed(*CASES[name])
    theory = theory_of(semantics.network)
    for asked in sorted(facts)[:2]:
        pipelined = derivation_of(pipelined_trace(semantics, start, Random(3)), asked)
        rounds = as_sn_proof(semantics, pipelined)
        again = as_psn_proof(semantics, rounds, Fifo())
        assert pipelined.end == rounds.end == again.end
        assert all(is_proof(theory, each) for each in (pipelined, rounds, again))
        assert is_psn_proof(theory, pipelined)
        assert is_psn_proof(theory, again)
        assert is_sn_proof(theory, rounds)


@settings(max_examples=4, deadline=None)
@given(propositions(), changes_of(UNARY_FACTS))
def test_corollary_1_on_random_programs(program, data):
    base, changes = data
    kept = [update for update in changes if update.sign > 0 or update.fact in base[:2]][:2]
    try:
        check_precondition({fact: base[:2].count(fact) for fact in base[:2]}, kept)
    except DataError:  # a deletion too many
        kept = [update for update in kept if update.sign > 0]
    agreed(program, base[:2], kept)


@pytest.mark.long
@pytest.mark.parametrize("case", ["+a", "-a", "+a -a"])
def test_corollary_1_on_all_programs_of_two_rules_without_recursion(case):
    programs = [rules for rules in PAIRS if without_recursion(rules)]
    assert len(programs) == 62
    for rules in programs:
        semantics = semantics_of(*rules)
        begin = Configuration().sent(semantics.network, [insertion("a")])
        if case == "-a":
            begin = check(synchronous_trace(semantics, begin))
        burst = [deletion("a")] if "-" in case else []
        agree(semantics, begin.sent(semantics.network, burst), [Fact(name) for name in RELATIONS])


TURNED = {
    "two derivations": ("s :- q. s :- u.", [insertion("q"), insertion("u"), deletion("u")]),
    "conflict": ("p :- s, t. s :- q. t :- u.", [insertion("q"), insertion("u"), deletion("q")]),
    "twice": ("p :- t, t.", [insertion("t"), insertion("t"), deletion("t")]),
    "two steps": ("p :- q. r :- p, u.", [insertion("q"), insertion("u"), deletion("u")]),
}


@pytest.mark.parametrize(
    "name", ["two steps", *(pytest.param(name, marks=pytest.mark.long) for name in TURNED if name != "two steps")]
)
def test_theorem_1_turns_proofs_into_one_another_lemma_by_lemma(name):
    program, burst = TURNED[name]
    semantics = Semantics(prepare(parse_program(program)))
    theory, used = theory_of(semantics.network), set()
    begin = Configuration().sent(semantics.network, burst)
    assert any(update.sign < 0 for update in begin.waiting())
    asked = min(check(synchronous_trace(semantics, begin)).old.facts())
    for seed in range(4):
        pipelined = derivation_of(pipelined_trace(semantics, begin, Random(seed)), asked)
        steps = turned_to_sn(semantics, pipelined)
        used |= {lemma for lemma, _ in steps}
        assert all(proof.end == pipelined.end and is_proof(theory, proof) for _, proof in steps)
        rounds = steps[-1][1]
        assert is_psn_proof(theory, steps[0][1])
        assert is_sn_proof(theory, rounds)
        back = turned_to_psn(semantics, rounds)
        assert all(proof.end == pipelined.end and is_proof(theory, proof) for _, proof in back)
        assert is_psn_proof(theory, back[-1][1])
    assert used >= {"start", "Lemma 11", "Lemma 12"}


def test_a_proof_over_a_view_has_no_derivations_to_turn():
    semantics, begin = started(*CASES["hops"])
    proof = derivation_of(synchronous_trace(semantics, begin), Fact("link", ("b", "c")))
    with pytest.raises(IllegalStep, match="derivations are unknown"):
        turned_to_psn(semantics, proof)


def test_traces_and_proofs_have_the_same_iterations():
    semantics, start = started(*CASES["four nodes"])
    theory, asked = theory_of(semantics.network), Fact("r", (2,))
    for trace in (pipelined_trace(semantics, start, Random(5)), synchronous_trace(semantics, start)):
        proof = derivation_of(trace, asked)
        assert is_psn_proof(theory, proof) == is_pipelined(trace)
        assert is_sn_proof(theory, proof) == is_synchronous(trace)
        assert check(trace_of(semantics, proof)).old == check(trace).old
    assert max(len(each.used) for each in proof_iterations(theory, proof)) == 3


def test_a_recursive_program_with_functions_that_ends_has_its_proofs():
    changes = [insertion("link", "b", "c", 2), deletion("link", "a", "b", 1)]
    semantics, start = started(PATH_VECTOR, [Fact("link", ("a", "b", 1))], changes)
    asked = Fact("path", ("b", "c", ("b", "c"), 2))
    proof = derivation_of(pipelined_trace(semantics, start, Random(1)), asked)
    assert is_psn_proof(theory_of(semantics.network), proof)
    assert is_sn_proof(theory_of(semantics.network), as_sn_proof(semantics, proof))


@pytest.fixture(scope="module")
def proof():
    semantics, start = started(parse_program("p(X) :- t(X), s(X)."), [Fact("s", (1,))], [insertion("t", 1)])
    return semantics, derivation_of(synchronous_trace(semantics, start), Fact("p", (1,)))


def _contradicted(rule):
    """What one rule could say instead, or nothing at all."""
    yield "left out", ()
    match rule:
        case r.ChooseBranch(branch):
            yield "other branch", (r.ChooseBranch(1 - branch),)
        case r.Witness(term):
            yield "other witness", (r.Witness(ConstantTerm((term.value, "other"))),)
        case r.Decide(index, formula):
            yield from (("other focus", (r.Decide(index, c),)) for c in BASIC_COMMANDS.values() if c != formula)
        case r.Split(_, contexts) if any(True for _ in contexts):
            yield "nothing to the left", (r.Split(),)
        case r.PROMOTE:
            yield "released", (r.RELEASE,)


def test_no_mutant_of_a_proof_is_accepted(proof):
    """Each rule altered, one at a time; what is below it is right, so it is checked from there."""
    semantics, right = proof
    theory = theory_of(semantics.network)
    kinds, begin = set(), (0, right.end)
    for at, goals in enumerate(list(sequents(theory, right))[:-1]):
        begin = (at, goals[0]) if len(goals) == 1 else begin
        for kind, instead in _contradicted(right.rules[at]):
            rules = (*right.rules[begin[0] : at], *instead, *right.rules[at + 1 :])
            assert not is_proof(theory, SequentDerivation(begin[1], rules)), kind
            kinds.add(kind)
    assert is_proof(theory, right)
    assert len(kinds) == 6


def test_a_context_cannot_be_split_in_favour_of_the_wrong_side(proof):
    semantics, right = proof
    theory = theory_of(semantics.network)
    extra = next((i, a) for i, bag in right.end.contexts.items() for a in bag if i == "table s")
    at = next(n for n, rule in enumerate(right.rules) if isinstance(rule, r.Split) and list(rule.contexts))
    given = r.Split(contexts=FormulaContexts.of([*_pairs(right.rules[at].contexts), extra]))
    with pytest.raises(IllegalStep, match="formulas other than"):
        open_premises(theory, SequentDerivation(right.end, (*right.rules[:at], given, *right.rules[at + 1 :])))


def _pairs(contexts):
    return [(index, formula) for index, bag in contexts.items() for formula in bag]


def test_a_loop_cannot_stop_early(proof):
    semantics, right = proof
    theory = theory_of(semantics.network)
    at = next(n for n, rule in enumerate(right.rules) if rule == r.ChooseBranch(0) and _loops(theory, right, n))
    with pytest.raises(IllegalStep, match=r"!\^empty delta t needs delta t empty"):
        open_premises(theory, SequentDerivation(right.end, (*right.rules[:at], r.ChooseBranch(1), r.PROMOTE)))


def _loops(theory, derivation, at):
    (goal, *_) = open_premises(theory, SequentDerivation(derivation.end, derivation.rules[:at]))
    return str(goal.focus.right).startswith("!^{empty delta")


def test_a_command_cannot_begin_inside_another(proof):
    semantics, right = proof
    at = next(n for n, rule in enumerate(right.rules) if isinstance(rule, r.DecideLinear))
    begun = (*right.rules[:at], r.Decide("inf", BASIC_COMMANDS["fire"]), r.PROMOTE)
    with pytest.raises(IllegalStep, match="the linear context is not empty under !\\^-inf"):
        open_premises(theory_of(semantics.network), SequentDerivation(right.end, begun))


def test_a_query_cannot_be_asked_while_updates_are_pending():
    semantics, start = started(*CASES["hops"])
    sequent = sequent_of(semantics, start, Fact("link", ("a", "b")))
    rules = (r.Decide("inf", BASIC_COMMANDS["query"]), r.PROMOTE, r.STORE)
    theory = theory_of(semantics.network)
    (goal,) = open_premises(theory, SequentDerivation(sequent, rules))
    (stored,) = goal.linear
    asked = (*rules, r.DecideLinear(stored), r.UNFOLD, r.PROMOTE)
    with pytest.raises(IllegalStep, match=r"!\^test needs upd empty"):
        open_premises(theory, SequentDerivation(sequent, asked))


def test_a_fact_that_does_not_hold_has_no_proof():
    semantics, start = started(*CASES["hops"])
    trace = synchronous_trace(semantics, start)
    with pytest.raises(StuckError, match="does not prove link") as caught:
        derivation_of(trace, Fact("link", ("a", "b")))
    assert caught.value.code == "TL7395"


def test_steps_without_a_derivation_are_refused():
    semantics, start = started(*CASES["hops"])
    for step in (TraceStep("fire", insertion("link", "b", "c")), TraceStep("change", insertion("link", "x", "y"))):
        with pytest.raises(IllegalStep, match="step 1, ") as caught:
            derivation_of(RunTrace(semantics, start, (step,)))
        assert caught.value.code == "TL7297"


def test_what_is_no_sequence_of_iterations_is_refused(proof):
    semantics, right = proof
    theory = theory_of(semantics.network)
    with pytest.raises(IllegalStep, match="it ends inside a command") as caught:
        list(executions_of(theory, SequentDerivation(right.end, right.rules[:5])))
    assert caught.value.code == "TL7296"
    with pytest.raises(IllegalStep, match="does not end with query"):
        proof_iterations(theory, SequentDerivation(right.end, ()))
    configuration = configuration_of(semantics, right.end)
    (_, first), *_ = choices(semantics, configuration)
    _, steps = complete_iteration(semantics, configuration, [first])
    early = derivation_of(RunTrace(semantics, configuration, tuple(steps[:2])))
    with pytest.raises(IllegalStep, match="does not end with query"):
        proof_iterations(theory, early)


def test_an_iteration_that_is_not_complete_makes_no_proof():
    """An update that is picked, fired and committed with another one that began later: all commands, no iterations."""
    semantics, start = started(parse_program("p :- q. r :- s."), [], [insertion("q"), insertion("s")])
    q, s = insertion("q"), insertion("s")
    mixed = [("pick", q), ("fire", q), ("pick", s), ("commit", q), ("fire", s), ("commit", s)]
    steps = [TraceStep(c, u, (insertion("p" if u is q else "r"),) if c == "fire" else ()) for c, u in mixed]
    steps += complete_iteration(semantics, check(RunTrace(semantics, start, tuple(steps))), [insertion("p")])[1]
    steps += complete_iteration(semantics, check(RunTrace(semantics, start, tuple(steps))), [insertion("r")])[1]
    proof = derivation_of(RunTrace(semantics, start, tuple(steps)), Fact("p"))
    theory = theory_of(semantics.network)
    assert is_proof(theory, proof)
    with pytest.raises(IllegalStep, match="no complete iteration starts at command 1"):
        is_psn_proof(theory, proof)


def test_an_iteration_that_fires_what_it_has_not_picked_is_not_complete():
    """The start has picked `s` already: what the iteration picks and what it fires are one update each, but not one."""
    semantics, begin = started(parse_program("p :- q. r :- s."), [], [insertion("s")])
    picked, _ = perform(semantics, begin, "pick", insertion("s"))
    begin = picked.sent(semantics.network, [insertion("q")])
    theory = theory_of(semantics.network)
    for first, why in ((insertion("s"), "starts at command 1"), (insertion("q"), "starts at command 4")):
        configuration, steps = begin, []
        for command, update in (("pick", insertion("q")), ("fire", first), ("commit", first)):
            configuration, step = perform(semantics, configuration, command, update)
            steps.append(step)
        rest = insertion("q") if first.fact == Fact("s") else insertion("s")
        for command in ("fire", "commit"):
            configuration, step = perform(semantics, configuration, command, rest)
            steps.append(step)
        derivation = derivation_of(RunTrace(semantics, begin, tuple(steps)))
        with pytest.raises(IllegalStep, match=why):
            iterations_of(list(executions_of(theory, derivation)))
