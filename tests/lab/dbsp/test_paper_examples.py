"""The worked examples of the DYRE paper, executed; where the print is wrong the test says what it should be.

docs/design/circuits.md lists the corrections under the same numbers.
"""

from tidelog.lab.dbsp import (
    ZSETS,
    IndexedCircuit,
    Kit,
    NaiveCircuit,
    Stream,
    ZSet,
    add,
    delay,
    differentiate,
    distinct,
    eliminate,
    incremental_distinct,
    integrate,
    introduce,
    lift,
    lift2,
    streams,
    to_diff,
)
from tidelog.lab.dbsp.bilinear import cross
from tidelog.lab.dbsp.clause import Variable
from tidelog.lab.dbsp.feedback import feedback
from tidelog.lab.dbsp.incremental_circuit import summed_parts
from tidelog.lab.dbsp.integral import incremental2
from tidelog.lab.dbsp.nested import NestedJoin
from tidelog.lab.dbsp.rewriting import apply, combine, consequences, product
from tidelog.lab.dbsp.trace import Trace

from .notation import facts, pattern, rule, rules, weighted

X, Y, Z = Variable("x"), Variable("y"), Variable("z")
P_TO_R = rule("R(x,y) <- P(x,y)")
R_P_TO_R = rule("R(x,z) <- R(x,y), P(y,z)")
NOTHING = ZSet()


def test_example_3_1_grounds_the_second_variable_not_the_third():
    assert apply({X: "a", Y: "b", Z: "c"}, pattern("P(x,y)")) == pattern('P("a","b")')  # printed: P("a","c")


def test_definition_3_1_rewrites_form_a_monoid():
    a, b, c = {X: 1}, {X: 2, Y: 3}, {Z: 4}
    assert combine({}, a) == a == combine(a, {})
    assert combine(combine(a, b), c) == combine(a, combine(b, c)) == {X: 1, Y: 3, Z: 4}


def test_example_3_2_rewrite_product():
    found = product([{X: "a"}, {X: "b"}], pattern("P(x,y)"), list(weighted(Pab=1, Pbc=1, Pcd=1)))
    assert found == [{X: "a", Y: "b"}, {X: "b", Y: "c"}]


def test_example_4_1_delay_toset_and_todiff_on_streams_that_are_no_sets():
    first = Stream.of(ZSETS, [weighted(Pab=1), weighted(Pbc=2), weighted(Pcd=1)])  # printed as streams of sets
    second = Stream.of(ZSETS, [weighted(Pab=-1), weighted(Pbc=2), weighted(Pcd=-1)])
    third = Stream.of(ZSETS, [weighted(Pab=1), weighted(Pbc=2)])
    assert not first[1].is_set()
    assert lift(distinct, ZSETS)(first).prefix(3) == [weighted(Pab=1), weighted(Pbc=1), weighted(Pcd=1)]
    assert lift(to_diff, ZSETS)(second).prefix(3) == [weighted(Pab=-1), weighted(Pbc=1), weighted(Pcd=-1)]
    assert delay(third).prefix(3) == [ZSet(), weighted(Pab=1), weighted(Pbc=2)]


def figure_1_distinct(states):
    """What Figure 1 needs: the state at each time against what has been sent so far, I(S') where the print has I(S)."""
    return feedback(
        ZSETS, lambda sent: lift2(lambda now, so_far: to_diff(now - so_far), ZSETS)(states, integrate(sent))
    )


def test_section_4_1_the_distinct_of_figure_1_receives_states():
    states = Stream.of(ZSETS, [weighted(Pab=1), weighted(Pab=1, Pbc=1), weighted(Pbc=1), ZSet()])
    sent = figure_1_distinct(states).prefix(4)
    assert sent == [weighted(Pab=1), weighted(Pbc=1), weighted(Pab=-1), weighted(Pbc=-1)]
    assert sent == differentiate(lift(distinct, ZSETS)(states)).prefix(4), "NaiveCircuit writes it with two operators"
    printed = [to_diff(states[t] - delay(integrate(states))[t]) for t in range(3)]
    assert printed[1] == weighted(Pbc=1)
    assert printed[2] == weighted(Pab=-1), "right so far: P(a,b) has come twice as a state and is taken off once"
    assert to_diff(states[3] - delay(integrate(states))[3]) == weighted(Pab=-1, Pbc=-1), "printed: P(a,b) goes again"


def test_section_4_1_the_distinct_of_figure_1_follows_weights_one_time_late_for_each():
    states = Stream.of(ZSETS, [weighted(Pab=2), weighted(Pab=2), ZSet(), ZSet(), ZSet()])
    assert figure_1_distinct(states).prefix(5) == [weighted(Pab=n) for n in (1, 1, -1, -1)] + [ZSet()]
    assert differentiate(lift(distinct, ZSETS)(states)).prefix(3) == [weighted(Pab=1), ZSet(), weighted(Pab=-1)]


def test_section_4_1_the_distinct_of_changes_gives_nothing_for_nothing():
    changes = Stream.of(ZSETS, [weighted(Pab=1), ZSet()])
    assert incremental_distinct(changes)[1] == ZSet()


def figure_1(stateful_distinct, times):
    """Figure 1 on Example 4.2 with a distinct of one's choice; the state after that many times."""
    rules_in = integrate(Stream.of(ZSETS, RULES))
    facts_in = Stream.of(ZSETS, FACTS)

    def infer(earlier):
        return stateful_distinct(lift2(consequences, ZSETS)(rules_in, integrate(add(facts_in, earlier))))

    inferred = feedback(ZSETS, infer)
    return lift(distinct, ZSETS)(integrate(add(facts_in, inferred)))[times]


def test_section_4_1_the_distinct_of_changes_never_retracts_in_figure_1():
    end = weighted(Pab=1, Pbc=1, Pcd=1)
    assert figure_1(figure_1_distinct, 8) == end
    stale = figure_1(incremental_distinct, 8) - end
    assert stale == weighted(Rab=1, Rac=1, Rad=1, Rbc=1, Rbd=1)


FACTS = [weighted(Pab=1), weighted(Pbc=1), weighted(Pcd=1)]
RULES = [ZSet.of(P_TO_R), ZSet.of(R_P_TO_R), ZSet({P_TO_R: -1})]


def test_example_4_2_integration_adds_each_fact_once():
    sums = integrate(Stream.of(ZSETS, FACTS))
    assert sums[1] == weighted(Pab=1, Pbc=1)  # printed with weight 2 for P("b","c")
    assert sums[2] == weighted(Pab=1, Pbc=1, Pcd=1)


def test_example_4_2_the_third_state_needs_more_times_to_settle():
    circuit = NaiveCircuit()
    shown = [circuit.tick(*change) for change in zip(RULES, FACTS, strict=True)]
    assert shown[0] == weighted(Pab=1, Rab=1)
    assert shown[1] == shown[0] + weighted(Pbc=1, Rbc=1, Rac=1)
    assert shown[2] == shown[1] + weighted(Rab=-1, Rbc=-1, Rbd=1, Rad=1, Pcd=1)  # printed: already without R("a","c")
    later = [circuit.tick(NOTHING, NOTHING) for _ in range(2)]
    assert later == [weighted(Pab=1, Pbc=1, Pcd=1, Rad=1), weighted(Pab=1, Pbc=1, Pcd=1)]


def test_example_4_2_on_the_indexed_circuit_settles_in_one_step():
    circuit = IndexedCircuit()
    changes = [circuit.step(*change) for change in zip(RULES, FACTS, strict=True)]
    assert changes[1] == weighted(Pbc=1, Rbc=1, Rac=1)
    assert changes[2] == weighted(Rab=-1, Rbc=-1, Rac=-1, Pcd=1)


def test_section_4_1_the_materialisation_of_figure_1_is_no_set_when_a_base_fact_is_derived_too():
    known, program = weighted(Pab=1, Rab=1), ZSet.of(P_TO_R)
    assert (known + distinct(consequences(program, known)))["R", ("a", "b")] == 2


def bilinear_form(program, known):
    immediate = lift2(consequences, ZSETS)
    old_program, old_known = delay(integrate(program)), delay(integrate(known))
    return add(immediate(program, known), add(immediate(old_program, known), immediate(program, old_known)))


def test_example_4_3_as_printed_shows_no_difference():
    program, known = Stream.of(ZSETS, RULES[:2]), Stream.of(ZSETS, FACTS[:2])
    whole = lift2(consequences, ZSETS)(integrate(program), integrate(known))
    assert whole[1] == weighted(Rab=1, Rbc=1)  # printed with R("a","c"), which needs R("a","b") among the facts
    assert integrate(bilinear_form(program, known))[1] == whole[1]


def test_example_4_3_corrected_consequences_are_not_bilinear():
    program, known = Stream.of(ZSETS, RULES[:2]), Stream.of(ZSETS, [weighted(Pab=1, Rab=1), weighted(Pbc=1)])
    whole = lift2(consequences, ZSETS)(integrate(program), integrate(known))
    assert whole[1] == weighted(Rab=1, Rbc=1, Rac=1)
    assert integrate(bilinear_form(program, known))[1] == weighted(Rab=1, Rbc=1)


def test_example_4_4_grounding_kit():
    kit, program = Kit(), rules("R(x,y) <- P(x,y)", "R(x,z) <- P(x,y), R(y,z)")
    directions = summed_parts(kit.directions, program)
    assert directions == {(0, 1): 2, (1, 2): 1}  # printed without the provenance that each direction starts from
    assert {kit.signal(clause)[0] for clause in program} == {1, 2}


def test_definition_4_3_a_direction_leads_from_one_provenance_to_the_next():
    kit = Kit()
    assert kit.directions(rule("H(x) <- A(x), B(x), C(x)")) == [(0, 1), (1, 2), (2, 3)]  # printed: from each to itself
    assert kit.directions(rule("H(x) <- A(x), C(x)")) == [(0, 1), (1, 4)]


def test_example_4_5_introduction_and_elimination():
    changes, inner = Stream.of(ZSETS, FACTS[:2]), streams(ZSETS)
    nested = lift(lambda z: introduce(ZSETS, z), inner)(changes)
    assert introduce(ZSETS, FACTS[0]).prefix(2) == [FACTS[0], ZSet()]
    assert [s.prefix(2) for s in nested.prefix(2)] == [[FACTS[0], ZSet()], [FACTS[1], ZSet()]]
    assert eliminate(changes) == weighted(Pab=1, Pbc=1)
    assert lift(eliminate, ZSETS)(nested).prefix(2) == FACTS[:2]
    assert integrate(nested)[1].prefix(2) == [weighted(Pab=1, Pbc=1), ZSet()]


def nested(changes):
    """A stream of streams of Z-sets: ``changes[t][i]`` comes at outer time t and inner time i."""
    return Stream.of(streams(ZSETS), [Stream.of(ZSETS, [ZSet.of(*rows) for rows in inner]) for inner in changes])


LEFT = [[["a"], ["b"], []], [[], [], ["c"]]]
RIGHT = [[[1], [], [2]], [[3], [], []]]


def test_example_4_6_the_lifted_integral_adds_iterations_and_the_other_one_arrivals():
    stream = nested(LEFT)
    lifted, arrivals = lift(integrate, streams(ZSETS))(stream), integrate(stream)
    for time in range(2):
        for inner in range(3):
            assert lifted[time][inner] == sum((stream[time][i] for i in range(inner + 1)), NOTHING)
            assert arrivals[time][inner] == sum((stream[i][inner] for i in range(time + 1)), NOTHING)
    # The parallel with semi-naive evaluation: in one arrival the left side has all that was inferred in it so far.
    assert lifted[0][1] == ZSet.of("a", "b")
    assert arrivals[1][0] == ZSet.of("a")


def test_section_4_2_a_nested_product_has_each_pair_of_changes_at_the_later_of_both_times():
    inner = incremental2(lift2(cross, ZSETS))
    found = incremental2(lift2(inner, streams(ZSETS)))(nested(LEFT), nested(RIGHT))
    for time in range(2):
        for place in range(3):
            pairs = [
                (x, y)
                for t, i, x in arriving(LEFT)
                for u, j, y in arriving(RIGHT)
                if (max(t, u), max(i, j)) == (time, place)
            ]
            assert found[time][place] == ZSet.of(*pairs)


def arriving(changes):
    return [(t, i, row) for t, inner in enumerate(changes) for i, rows in enumerate(inner) for row in rows]


def test_section_4_2_the_bound_of_a_nested_product_is_printed_for_one_of_its_terms_only():
    """Printed: the lifted integral of the left times the integral of the right. Here a new right meets an old left."""
    left, right = nested([[["a"]], [[]]]), nested([[[]], [[1]]])
    inner = incremental2(lift2(cross, ZSETS))
    assert incremental2(lift2(inner, streams(ZSETS)))(left, right)[1][0] == ZSet.of(("a", 1))
    assert lift(integrate, streams(ZSETS))(left)[1][0] == NOTHING  # so that the printed bound is 0


def test_section_4_2_operators_cost_their_changes_and_matches():
    """Counted: a join looks at each pair of a change and an element with its key once, and at nothing else."""
    looked: list[tuple[object, object]] = []
    left: Trace[str, int] = Trace()
    join = NestedJoin(left, lambda key, a, b: looked.append((a, b)) or (a, b))
    left.update(0, {(f"k{i}", i): 1 for i in range(100)})
    join.step(0, {(f"k{i}", i): 1 for i in range(100)}, {})
    assert looked == []
    join.step(0, {}, {("k7", -7): 1, ("k8", -8): 1, ("other", 0): 1})
    assert looked == [(7, -7), (8, -8)]
    left.update(0, {("k7", 70): 1})
    join.step(0, {("k7", 70): 1}, {})
    assert looked[2:] == [(70, -7)]


def test_example_4_7_join_order_of_the_second_atom_is_its_known_column():
    kit = Kit()
    orders = kit.join_orders(rule("T(x,z) <- E(x,y), T(y,z)"))  # printed with the head T(x,y)
    assert [(name, kit.orders[number].mask) for name, number in orders] == [("E", ()), ("T", (0,))]


def test_equation_7_with_its_corrected_head_is_transitive_closure():
    edges = facts("E(1,2)", "E(2,3)")
    printed, corrected = IndexedCircuit(), IndexedCircuit()
    printed.step(rules("T(x,y) <- E(x,y)", "T(x,y) <- E(x,y), T(y,z)"), edges)
    corrected.step(rules("T(x,y) <- E(x,y)", "T(x,z) <- E(x,y), T(y,z)"), edges)
    assert corrected.state() - printed.state() == facts("T(1,3)")


def test_equation_5_rdfs_on_a_small_ontology():
    text = """T(y,"type",x) <- T(a,"domain",x), T(y,a,z);T(z,"type",x) <- T(a,"range",x), T(y,a,z);
    T(x,"subProp",z) <- T(x,"subProp",y), T(y,"subProp",z);T(x,"subClass",z) <- T(x,"subClass",y), T(y,"subClass",z);
    T(z,"type",y) <- T(x,"subClass",y), T(z,"type",x);T(x,b,y) <- T(a,"subProp",b), T(x,a,y)"""
    ontology = facts('T("head","subProp","works")', 'T("works","domain","Person")', 'T("Person","subClass","Agent")')
    circuit = IndexedCircuit()
    circuit.step(rules(*text.split(";")), ontology)
    new = facts('T("ann","head","cs")')
    derived = circuit.step(NOTHING, new) - new
    assert derived == facts('T("ann","works","cs")', 'T("ann","type","Person")', 'T("ann","type","Agent")')
    assert circuit.step(NOTHING, -new) == -derived - new
