"""Placements of programs everybody knows: which are free of messages, which copies the others read.

That the localised rules are right is shown by `test_place_locality`; here is tested which of the right ones are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tidelog.errors import EngineError
from tidelog.program import Program, Rule
from tidelog.program.check import check_program
from tidelog.rewrite import to_core
from tidelog.rewrite.place.describe import describe, describe_relations, describe_rule, describe_rules
from tidelog.rewrite.place.heavy import HeavyColumns
from tidelog.rewrite.place.place import PlacedRules, place
from tidelog.rewrite.place.placement import MIRRORED, SINGLE, Placement
from tidelog.syntax import parse_program, print_rule
from tidelog.testing import evaluate

from .partitions import Partitions, Row
from .test_meaning import relations

NETWORK = Path(__file__).parents[2] / "programs" / "network"
FIRST, SECOND = Placement(0), Placement(1)
REACH = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- edge(X, Y), reach(Y, Z)."
CYCLE = {(i, (i * i + 1) % 7) for i in range(7)} | {(i, (i + 1) % 5) for i in range(5)}
Facts = Mapping[str, Iterable[Row]]
NOTHING: dict[str, Placement] = {}


def core_of(text: str) -> dict[str, Rule]:
    return {rule.label or "": rule for rule in to_core(check_program(parse_program(text)).program.rules)}


def placed_text(text: str, known: Mapping[str, Placement] = NOTHING, **located: int) -> PlacedRules:
    core = core_of(text)
    return place(core, relations(core.values()), known, located)


def texts(placed: PlacedRules) -> list[str]:
    return [print_rule(rule) for rule in placed.core.values()]


def spread(placed: PlacedRules, text: str, facts: Facts, number: int = 3) -> Partitions:
    """The program on three partitions; its result is compared with the program's own model."""
    partitions = Partitions(placed, number, facts).run()
    model = evaluate(check_program(parse_program(text)).program, facts)
    found = partitions.model()
    assert {name: found[name] for name in model} == model
    partitions.check_supports()
    return partitions


def test_right_linear_closure_is_placed_by_its_second_column_and_sends_nothing() -> None:
    placed = placed_text(REACH)
    assert placed.placements == {"edge": Placement(MIRRORED), "reach": SECOND}
    assert placed.core == core_of(REACH)
    assert (placed.everywhere, set(placed.sends.values())) == ({"r1"}, {""})
    assert spread(placed, REACH, {"edge": CYCLE}).messages.total() == 0


def test_left_linear_closure_is_placed_by_its_first_column_and_sends_nothing() -> None:
    text = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), edge(Y, Z)."
    placed = placed_text(text)
    assert placed.placements == {"edge": Placement(MIRRORED), "reach": FIRST}
    assert spread(placed, text, {"edge": CYCLE}).messages.total() == 0


def test_closure_of_both_forms_has_no_pivot_and_keeps_one_copy() -> None:
    text = "t(X, Y) :- e(X, Y). t(X, Z) :- t(X, Y), t(Y, Z)."
    placed = placed_text(text)
    assert placed.placements == {"e": FIRST, "t": FIRST, "__t_by_2": SECOND}
    assert "r2: t(X, Z) :- __t_by_2(X, Y), t(Y, Z)." in texts(placed)
    assert placed.sends["r1"] == ""
    assert spread(placed, text, {"e": CYCLE}).messages["r2"] > 0


def test_same_generation_joins_at_the_parent() -> None:
    text = "sg(X, Y) :- par(X, P), par(Y, P). sg(X, Y) :- par(X, A), sg(A, B), par(Y, B)."
    placed = placed_text(text)
    assert placed.placements == {"par": SECOND, "sg": FIRST, "__par_on_all": Placement(MIRRORED)}
    assert placed.local_labels == {"r1": ("r1",), "r2": ("__par_on_all", "r2")}
    spread(placed, text, {"par": {(i, i // 2) for i in range(1, 12)}})


def test_candidates_of_a_shortest_distance_are_placed_by_their_group() -> None:
    text = "d(X, min<C>) :- s(X), C = 0. d(Y, min<C>) :- d(X, D), e(X, Y, W), C = D + W."
    placed = placed_text(text)
    assert set(placed.placements.values()) == {FIRST}
    assert [label for label, target in placed.sends.items() if target] == ["r2"]
    spread(placed, text, {"s": {(0,)}, "e": {(x, y, 1 + x % 3) for x, y in CYCLE}})


def test_shortest_paths_between_all_pairs_send_nothing() -> None:
    text = "d(X, Y, min<C>) :- e(X, Y, C). d(X, Z, min<C>) :- d(X, Y, D), e(Y, Z, W), C = D + W."
    placed = placed_text(text)
    assert placed.placements == {"e": Placement(MIRRORED), "d": FIRST, "__val_d/min3": FIRST}
    assert spread(placed, text, {"e": {(x, y, 1 + x % 3) for x, y in CYCLE}}).messages.total() == 0


def test_shortest_paths_over_a_placed_relation_copy_it_once_and_recur_without_messages() -> None:
    text = "d(X, Y, min<C>) :- e(X, Y, C). d(X, Z, min<C>) :- d(X, Y, D), e(Y, Z, W), C = D + W."
    placed = placed_text(text, {"e": FIRST})
    assert placed.local_labels["r2"] == ("__e_on_all", "r2")
    assert [label for label, target in placed.sends.items() if target] == ["__e_on_all"]


def test_mutual_recursion_is_placed_by_one_pivot_for_each_relation() -> None:
    text = "even(X, X) :- n(X). even(X, Z) :- odd(Y, X), e(Y, Z). odd(Z, X) :- even(X, Y), e(Y, Z)."
    placed = placed_text(text)
    assert placed.placements == {"e": Placement(MIRRORED), "even": FIRST, "n": FIRST, "odd": SECOND}
    assert not any(placed.sends.values())
    spread(placed, text, {"n": {(0,), (3,)}, "e": CYCLE})


def test_relation_on_partition_0_in_a_recursion_leaves_no_pivot() -> None:
    text = "p(X, Y) :- e(X, Y), go. p(X, Z) :- p(X, Y), e(Y, Z), go. go :- s. go :- p(1, 1)."
    placed = placed_text(text)
    assert (placed.placements["go"], placed.placements["p"]) == (Placement(SINGLE), FIRST)
    spread(placed, text, {"s": {()}, "e": CYCLE})


def test_columns_of_a_pivot_may_be_free_to_choose() -> None:
    text = "p(X, X) :- n(X). p(X, X) :- q(X, X). q(X, X) :- p(X, X), n(X)."
    placed = placed_text(text)
    assert not any(placed.sends.values())
    spread(placed, text, {"n": {(1,), (2,)}})


def test_located_relations_live_where_the_text_says() -> None:
    text = (NETWORK / "path_vector.dl").read_text("utf-8")
    placed = placed_text(text, link=0, path=0, best=0, route=0)
    assert placed.local_labels["r2"] == ("__link_by_2", "r2")
    assert {label for label, target in placed.sends.items() if target} == {"__link_by_2", "r2"}
    links = {(1, 2, 1), (2, 3, 1), (1, 3, 5), (3, 1, 1), (3, 4, 2)}
    spread(placed, text, {"link": links})


@pytest.mark.parametrize("path", sorted(NETWORK.glob("*.dl")), ids=lambda path: path.stem)
def test_network_programs_read_relations_at_their_location_or_from_copies(path: Path) -> None:
    program: Program = check_program(parse_program(path.read_text("utf-8"))).program
    core = {rule.label or "": rule for rule in to_core(program.rules)}
    atoms = [a for r in core.values() for a in (r.head, *(x for x in r.body if hasattr(x, "location")))]
    located = {a.predicate: a.location for a in atoms if a.location is not None and a.predicate[:2] != "__"}
    placed = place(core, relations(core.values()), {}, located)
    assert located
    assert {name: placed.placements[name].column for name in located} == located


def test_relations_without_columns_live_on_partition_0() -> None:
    text = "ok :- e(X, Y), !f(Y, X). bad :- !ok. q(X) :- p(X), ok. both :- ok, fine. fine :- p(_), e(_, _)."
    placed = placed_text(text)
    assert {placed.placements[name] for name in ("ok", "bad", "both", "fine")} == {Placement(SINGLE)}
    assert placed.sends["r1"] == "to partition 0"
    assert placed.everywhere == {"r2"}
    assert placed.local_labels["r4"] == ("r4",)
    spread(placed, text, {"e": CYCLE, "f": set(), "p": {(1,), (2,)}})


def test_constant_at_the_location_is_a_site() -> None:
    text = "p(X) :- q(1, X), r(1, X). s(1, X) :- q(1, X), !r(1, X)."
    placed = placed_text(text, dict.fromkeys("pqrs", FIRST))
    assert placed.core == core_of(text)
    assert placed.sends == {"r1": "to the owner of p by column 1", "r2": ""}
    spread(placed, text, {"q": {(1, 2), (1, 3), (2, 3)}, "r": {(1, 2), (2, 3)}})


def test_negated_atom_that_lives_elsewhere_reads_a_copy() -> None:
    text = "p(X) :- q(X, Y), !r(Y)."
    placed = placed_text(text, {"q": FIRST, "r": FIRST, "p": FIRST})
    assert placed.local_labels["r1"] in [("__q_by_2", "r1"), ("__r_on_all", "r1")]
    spread(placed, text, {"q": {(1, 2), (2, 3), (3, 4)}, "r": {(3,)}})


def test_rule_over_mirrored_atoms_is_anchored_before_it_negates_a_placed_one() -> None:
    text = "p(X) :- q(X), !r(X)."
    placed = placed_text(text, {"q": Placement(MIRRORED), "r": FIRST})
    assert texts(placed) == ["__q_by_1: __q_by_1(V1) :- q(V1).", "r1: p(X) :- __q_by_1(X), !r(X)."]
    assert (placed.everywhere, set(placed.sends.values())) == ({"__q_by_1"}, {""})
    spread(placed, text, {"q": {(1,), (2,), (3,)}, "r": {(2,)}})


def test_join_of_mirrored_relations_is_divided_by_a_copy_that_sends_nothing() -> None:
    text = "p(X, Z) :- q(X, Y), q(Y, Z)."
    placed = placed_text(text, {"q": Placement(MIRRORED)})
    assert placed.everywhere == {"__q_by_1"}
    assert spread(placed, text, {"q": CYCLE}).messages.total() == 0


def test_rule_whose_head_is_mirrored_sends_to_every_partition() -> None:
    text = "p(X) :- q(X, Y)."
    placed = placed_text(text, {"p": Placement(MIRRORED), "q": FIRST})
    assert placed.sends == {"r1": "to every partition"}
    spread(placed, text, {"q": CYCLE})


def test_count_without_group_gathers_its_valuations_on_partition_0() -> None:
    text = "n(count<*>) :- e(X, Y), X != Y."
    placed = placed_text(text)
    assert placed.placements["__val_r1_0"] == Placement(SINGLE)
    assert placed.sends["r1/1"] == "to partition 0"
    spread(placed, text, {"e": CYCLE})


def test_aggregate_over_a_placed_relation_reads_a_copy_by_a_group_column() -> None:
    core = {"r1": parse_program("r1: deg(X, count<*>) :- e(X, Y).").rules[0]}
    placed = place(core, {"e": 2}, {"e": SECOND}, {})
    assert placed.local_labels == {"r1": ("__e_by_1", "r1")}
    whole = {"r1": parse_program("r1: n(count<*>) :- e(X, Y).").rules[0]}
    assert place(whole, {}, {"e": FIRST}, {}).local_labels == {"r1": ("__e_on_one", "r1")}
    assert place(whole, {}, {}, {}).placements["e"] == Placement(SINGLE)
    assert place(whole, {}, {}, {}, {"e"}).placements["e"] != Placement(SINGLE)
    assert place(whole, {}, {"e": Placement(MIRRORED)}, {}).everywhere == {"r1"}


def test_base_relations_that_join_are_placed_by_the_join_column() -> None:
    placed = placed_text("h(X, Z) :- a(X, Y), b(Z, Y).")
    assert placed.placements == {"a": SECOND, "b": SECOND, "h": FIRST}
    assert placed.sends["r1"] == "to the owner of h by column 1"


def test_base_relation_with_other_readers_is_copied_and_not_mirrored() -> None:
    placed = placed_text("h(X, Z) :- a(X, Y), b(Y, Z). k(Y) :- a(X, Y), c(X). m(Y) :- a(X, Y), d(X).")
    assert Placement(MIRRORED) not in placed.placements.values()
    assert placed.local_labels["r1"] == ("__a_by_2", "r1")


def test_relation_without_rules_and_readers_is_placed_by_its_first_column() -> None:
    placed = place({}, {"e": 2, "flag": 0}, {"old": SECOND}, {"gone": 1})
    assert placed.placements == {"old": SECOND, "e": FIRST, "flag": Placement(SINGLE)}


def test_rule_added_later_copies_a_relation_that_stays_where_it_is() -> None:
    first = "h(X) :- e(X, Y)."
    known = placed_text(first).placements
    assert known == {"e": FIRST, "h": FIRST}
    text = f"{first} {REACH.replace('edge', 'e')}"
    placed = placed_text(text, known)
    assert placed.placements == {"e": FIRST, "h": FIRST, "reach": SECOND, "__e_on_all": Placement(MIRRORED)}
    assert placed.core["__e_on_all"].root in parse_program(text).rules
    assert spread(placed, text, {"e": CYCLE}).messages["r3"] == 0


def test_localised_rule_remembers_the_rule_it_comes_from() -> None:
    placed = placed_text("p(X, Z) :- q(X, Y), r(Y, Z).", {"q": FIRST, "r": FIRST})
    rule = placed.core["r1"]
    assert print_rule(rule) == "r1: p(X, Z) :- __q_by_2(X, Y), r(Y, Z)."
    assert rule.origin is not None
    assert print_rule(rule.root) == "p(X, Z) :- q(X, Y), r(Y, Z)."
    assert rule.span == rule.root.span == placed.core["__q_by_2"].span


def test_copy_with_the_name_of_another_auxiliary_relation_is_refused() -> None:
    text = "a_by: p(X, C) :- val_a(X, _), C = max Y : { q(X, Y) }. r(Y) :- val_a(X, Y), s(X)."
    with pytest.raises(EngineError, match="`__val_a_by_1` is both generated from rule `a_by`") as refused:
        placed_text(text, {"val_a": SECOND, "s": FIRST})
    assert refused.value.code == "TL4202"


def test_description_tells_places_messages_and_copies() -> None:
    text = (NETWORK / "path_vector.dl").read_text("utf-8")
    placed = placed_text(text, link=0, path=0, best=0, route=0)
    assert describe_relations(placed) == {
        "best": "best: placed by column 1; 0 messages between partitions",
        "link": "link: placed by column 1",
        "path": "path: placed by column 1; messages from __link_by_2, r2",
        "route": "route: placed by column 1; 0 messages between partitions",
    }
    lines = describe_rules(placed, core_of(text))
    assert lines["r1"] == "r1: sends nothing"
    assert lines["r2"] == "r2: sends to the owner of path by column 1; reads the copy __link_by_2"
    assert "reach: placed by column 2; 0 messages between partitions" in describe(placed_text(REACH), core_of(REACH))


def test_description_of_a_rule_names_all_its_copies() -> None:
    placed = placed_text("p(X, Y) :- q(X), r(Y), !s(X, Y), !t(Y, X).", dict.fromkeys("pqrst", FIRST))
    (line,) = describe_rules(placed, {"r1": placed.core["r1"]}).values()
    assert line == "r1: sends nothing; reads the copies __r_on_all, __t_by_2"


def test_description_of_a_rule_of_the_text_tells_all_that_is_made_of_it() -> None:
    placed = placed_text("p(X, Y) :- q(X), r(Y), !s(X, Y), !t(Y, X).", dict.fromkeys("pqrst", FIRST))
    line = "r1: sends r to every partition, t to the owners by column 2"
    assert describe_rule("r1", ["r1"], placed, str) == line
    assert describe_relations(placed, {"__r_on_all": ["r1"], "__t_by_2": ["r1"]})["p"] == (
        "p: placed by column 1; messages from r1"
    )
    total = placed_text("n(count<*>) :- p(X, Y), X != Y.")
    assert describe_rule("r1", ["r1/1", "r1/2"], total, str.upper).startswith("r1: sends __VAL_R1_0 to partition 0")
    everywhere = "r1: sends nothing; fires on every partition, each keeps what it owns"
    assert describe_rule("r1", ["r1"], placed_text(REACH), str) == everywhere


def around(text: str, heavy: HeavyColumns, **located: int) -> dict[str, str]:
    """Where the relations of a program live that are placed around heavy columns."""
    core = core_of(text)
    placed = place(core, relations(core.values()), NOTHING, located, ("edge", "label"), heavy=heavy)
    return {name: str(home) for name, home in placed.placements.items()}


LAB = "lab(X, Y, L) :- edge(X, Y), label(X, L)."
STAR = {"edge": {0}, "lab": {0}, "reach": {0}}
SMALL = {"edge": {"label"}, "reach": {"label", "edge"}}


def test_a_relation_leaves_a_heavy_column_where_no_copy_by_it_is_read() -> None:
    assert around("copy(X, Y) :- edge(X, Y).", HeavyColumns(STAR)) == {"copy": "by column 2", "edge": "by column 2"}
    assert around(
        "reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), edge(Y, Z).", HeavyColumns({"reach": {0}})
    ) == {
        "edge": "by column 1",
        "reach": "by column 2",
    }


def test_a_relation_stays_where_a_copy_would_be_as_heavy() -> None:
    first = {"edge": "by column 1", "lab": "by column 1", "label": "by column 1"}
    assert around(LAB, HeavyColumns(STAR)) == first
    assert around(LAB, HeavyColumns({"edge": {0}})) == first
    assert around("deg(X, count<Y>) :- edge(X, Y), X != Y.", HeavyColumns({"edge": {0}, "__val_r1_0": {0}})) == {
        "__val_r1_0": "by column 1",
        "deg": "by column 1",
        "edge": "by column 1",
    }


def test_small_relations_are_put_on_every_partition_where_that_frees_a_heavy_one() -> None:
    second = {"edge": "by column 2", "lab": "by column 2", "label": "on every partition"}
    assert around(LAB, HeavyColumns(STAR, SMALL)) == second
    located = around(LAB, HeavyColumns(STAR, SMALL), label=0)
    assert located == {"edge": "by column 1", "lab": "by column 1", "label": "by column 1"}


def test_what_was_put_on_every_partition_in_vain_is_not() -> None:
    also = f"{LAB} deg(X, count<Y>) :- lab(X, Y, _)."
    found = around(also, HeavyColumns({"edge": {0}, "lab": {0}, "__val_r2_0": {0}}, SMALL))
    assert {found[name] for name in ("edge", "lab", "label")} == {"by column 1"}


def test_what_is_in_recursion_is_not_put_on_every_partition() -> None:
    text = f"{LAB} label(Y, L) :- label(X, L), next(X, Y)."
    found = around(text, HeavyColumns(STAR))
    assert {found[name] for name in ("edge", "lab", "__label_by_1")} == {"by column 1"}
    found = around(text, HeavyColumns(STAR, SMALL))  # a copy of it is
    assert (found["label"], found["__label_on_all"], found["edge"]) == (
        "by column 2",
        "on every partition",
        "by column 2",
    )
