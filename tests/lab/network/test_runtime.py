"""What programs mean in virtual time, construct by construct (`docs/design/events.md`)."""

import pytest

from tidelog.lab.network.functions import sha1
from tidelog.lab.network.read import read_program, read_script, read_topology
from tidelog.lab.network.runtime import NetworkRun, Settings

LINE = "link(a,b,1). link(b,a,1). link(b,c,1). link(c,b,1)."


def network(text: str, topology: str = "", script: str = "", **settings) -> NetworkRun:
    return NetworkRun(read_program(text), read_topology(topology), read_script(script), Settings(**settings))


def rows(net: NetworkRun, relation: str) -> set[tuple]:
    return {row for found in net.rows(relation).values() for row in found}


def test_timers_fire_after_delay_and_period_and_as_often_as_they_say() -> None:
    net = network(
        """
        materialize(seen, infinity, infinity, keys(2)).
        seen(@X, T, N) :- periodic(@X, E, 2, 3), T := f_now(), N := 0.
        seen(@X, T, N) :- periodic(@X, E, 0, 1), T := f_now(), N := 1.
        seen(@X, T, N) :- periodic(@X, E, 10, 0, 5), T := f_now(), N := 2.
        """,
        "here(a).",
    )
    net.run(30)
    assert {row[1:] for row in rows(net, "seen")} == {(0, 1), (2, 0), (4, 0), (6, 0), (5, 2), (15, 2), (25, 2)}


def test_events_are_gone_after_one_step() -> None:
    net = network(
        """
        materialize(ready, infinity, infinity, keys(1)).
        materialize(met, infinity, infinity, keys(1, 2)).
        met(@X, Y) :- e(@X, Y), ready(@X).
        """,
        "here(a).",
        "at 1. +e(a, early). at 2. +ready(a). at 3. +e(a, late).",
    )
    assert rows(net.run(5), "met") == {("a", "late")}


def test_rows_expire_and_live_on_when_they_are_refreshed() -> None:
    text = "materialize(t, 10, infinity, keys(1, 2)). t(@X, Y) :- e(@X, Y)."
    net = network(text, "here(a).", "at 1. +e(a, once). +e(a, twice). at 8. +e(a, twice).")
    assert rows(net.run(10.9), "t") == {("a", "once"), ("a", "twice")}
    assert rows(net.run(11.1), "t") == {("a", "twice")}
    assert rows(net.run(18.1), "t") == set()


def test_refreshing_a_soft_row_refreshes_what_is_derived_from_it() -> None:
    text = """
        materialize(t, 10, infinity, keys(1)). materialize(u, 10, infinity, keys(1)).
        t(@X) :- e(@X). u(@X) :- t(@X).
        """
    net = network(text, "here(a).", "at 1. +e(a). at 9. +e(a).")
    assert rows(net.run(15), "u") == {("a",)}
    assert rows(net.run(20), "u") == set()


def test_keys_replace_and_full_tables_evict() -> None:
    text = "materialize(t, infinity, 2, keys(2)). t(@X, K, V) :- e(@X, K, V)."
    script = "at 1. +e(a, 1, old). at 2. +e(a, 1, new). at 3. +e(a, 2, x). at 4. +e(a, 3, y)."
    assert rows(network(text, "here(a).", script).run(3.5), "t") == {("a", 1, "new"), ("a", 2, "x")}
    assert rows(network(text, "here(a).", script).run(5), "t") == {("a", 2, "x"), ("a", 3, "y")}
    kept = network(text, "here(a).", script, evict_by={"t": 1}).run(5)
    assert rows(kept, "t") == {("a", 1, "new"), ("a", 2, "x")}


def test_delete_rules_remove_rows_and_deletions_are_events() -> None:
    text = """
        materialize(t, infinity, infinity, keys(2)). materialize(log, infinity, infinity, keys(2)).
        r1 delete t(@X, K, _) :- e(@X, K).
        r2 log(@X, K) :- delete t(@X, K, V).
        """
    net = network(text, "t(a, 1, u). t(a, 2, v).", "at 1. +e(a, 1).").run(2)
    assert rows(net, "t") == {("a", 2, "v")}
    assert rows(net, "log") == {("a", 1)}


def test_expiry_is_a_deletion() -> None:
    text = """
        materialize(t, 5, infinity, keys(2)). materialize(log, infinity, infinity, keys(2)).
        t(@X, K) :- e(@X, K). log(@X, T) :- delete t(@X, K), T := f_now().
        """
    assert rows(network(text, "here(a).", "at 1. +e(a, 1).").run(10), "log") == {("a", 6)}


def test_views_over_hard_tables_are_maintained_across_nodes() -> None:
    text = """
        materialize(link, infinity, infinity, keys(1, 2)). materialize(path, infinity, infinity, keys(4:list)).
        materialize(bestPath, infinity, infinity, keys(1, 2)).
        r1 path(@X, Y, C, P) :- link(@X, Y, C), P := [X, Y].
        r2 path(@X, Y, C, P) :- link(@X, Z, C1), bestPath(@Z, Y, C2, P2), C := C1 + C2, f_member(P2, X) == 0,
                                P := f_concat(f_append(X), P2).
        r3 bestPath(@X, Y, a_MIN<C>, P) :- path(@X, Y, C, P).
        """
    net = network(text, LINE, "at 5. +link(a, c, 5). +link(c, a, 5). at 10. -link(b, c, 1). -link(c, b, 1).")
    assert {row[:3] for row in rows(net.run(4), "bestPath")} >= {("a", "c", 2), ("c", "a", 2)}
    assert {row[:3] for row in rows(net.run(9), "bestPath")} >= {("a", "c", 2)}
    after = {("a", "b", 1), ("a", "c", 5), ("b", "a", 1), ("b", "c", 6), ("c", "a", 5), ("c", "b", 6)}
    assert {row[:3] for row in rows(net.run(20), "bestPath")} == after


def test_counts_of_events_include_nothing() -> None:
    text = """
        materialize(t, infinity, infinity, keys(1, 2)). materialize(n, infinity, infinity, keys(2)).
        c(@X, Y, a_COUNT<*>) :- e(@X, Y), t(@X, Y). n(@X, Y, C) :- c(@X, Y, C).
        """
    net = network(text, "t(a, 1).", "at 1. +e(a, 1). +e(a, 2).").run(2)
    assert rows(net, "n") == {("a", 1, 1), ("a", 2, 0)}


def test_aggregates_over_tables_follow_them_down() -> None:
    text = """
        materialize(t, infinity, infinity, keys(1, 2)). materialize(all, infinity, infinity, keys(1)).
        materialize(n, infinity, infinity, keys(1)). materialize(m, infinity, infinity, keys(1)).
        n(@X, a_count<*>) :- t(@X, Y). m(@X, a_max<Y>) :- t(@X, Y). all(@X, a_LIST<Y>) :- t(@X, Y).
        """
    net = network(text, "t(a, 1). t(a, 2). t(a, 3).", "at 1. -t(a, 3). at 2. -t(a, 1). -t(a, 2).")
    net.run(0.5)
    assert (rows(net, "n"), rows(net, "m"), rows(net, "all")) == ({("a", 3)}, {("a", 3)}, {("a", (1, 2, 3))})
    net.run(1.5)
    assert (rows(net, "n"), rows(net, "m")) == ({("a", 2)}, {("a", 2)})
    assert rows(net.run(3), "n") == set()


def test_absence_and_negated_tests() -> None:
    text = """
        materialize(t, infinity, infinity, keys(1, 2)). materialize(new, infinity, infinity, keys(1, 2)).
        new(@X, Y) :- e(@X, Y), notin t(@X, Y), !(Y in (5, 8)).
        """
    net = network(text, "t(a, 1).", "at 1. +e(a, 1). +e(a, 2). +e(a, 6).").run(2)
    assert rows(net, "new") == {("a", 2)}


def test_broadcasts_reach_the_neighbours_and_an_unbound_location_is_the_node_itself() -> None:
    text = """
        materialize(heard, infinity, infinity, keys(1, 2)).
        b(@Broadcast, S) :- go(@S). loc(@Here, S) :- b(@X, S). heard(@N, S) :- loc(@N, S).
        """
    net = network(text, LINE, "at 1. +go(b). at 2. -link(b, c, 1). at 3. +go(b).").run(4)
    assert rows(net, "heard") == {("a", "b"), ("c", "b")}
    assert net.counters.messages == 3


def test_rules_with_events_go_on_to_other_nodes() -> None:
    text = """
        materialize(succ, infinity, 1, keys(1)). materialize(pred, infinity, 1, keys(1)).
        materialize(found, infinity, infinity, keys(1, 2)).
        found(@N, P) :- ask(@N), succ(@N, S), pred(@S, P), P != N.
        """
    net = network(text, "succ(a, b). pred(b, c).", "at 1. +ask(a).").run(2)
    assert rows(net, "found") == {("a", "c")}
    assert net.counters.messages == 2


def test_assigning_a_bound_variable_replaces_its_value_afterwards() -> None:
    text = "materialize(t, infinity, infinity, keys(1)). t(@X, N) :- e(@X, N), N := N + 1, N := N * 2."
    assert rows(network(text, "here(a).", "at 1. +e(a, 3).").run(2), "t") == {("a", 8)}


def test_every_solution_draws_a_random_number_for_itself() -> None:
    text = """
        materialize(peer, infinity, infinity, keys(1, 2)). materialize(t, infinity, infinity, keys(3)).
        t(@X, Y, R) :- e(@X), R := f_rand(), peer(@X, Y).
        """
    net = network(text, "peer(a, b). peer(a, c). peer(a, d).", "at 1. +e(a).").run(2)
    assert {row[1] for row in rows(net, "t")} == {"b", "c", "d"}


def test_facts_with_a_variable_for_the_node_hold_at_every_node() -> None:
    net = network("materialize(id, infinity, 1, keys(1)). id(SELF, f_sha1(SELF)).", "here(a). here(b).").run(1)
    assert rows(net, "id") == {("a", sha1("a")), ("b", sha1("b"))}


def test_nodes_stop_and_start_again_without_their_tables() -> None:
    text = """
        materialize(t, infinity, infinity, keys(1, 2)).
        t(@Y, X) :- periodic(@X, E, 1), peer(@X, Y).
        """
    net = network(text, "peer(a, b). peer(b, a).", "at 2.5. stop b. at 5.5. +peer(b, c).")
    net.run(4)
    assert set(net.nodes) == {"a"}
    assert net.counters.undeliverable > 0
    assert rows(net.run(8), "t") == {("a", "b"), ("b", "a")}
    assert net.nodes["b"].tables["peer"].entries.keys() == {("b", "c")}


def test_equal_seeds_give_equal_runs() -> None:
    text = "materialize(t, 5, 3, keys(2)). t(@Y, E, R) :- periodic(@X, E, 1, 0, 0, 1), peer(@X, Y), R := f_rand()."

    def run(seed: int) -> list[object]:
        net = network(text, "peer(a, b). peer(b, a).", seed=seed, jitter=0.5, loss=0.3)
        return [(h.time, h.node, h.update) for h in net.advance(20)]

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_messages_keep_their_order_on_a_link_unless_they_may_overtake() -> None:
    text = "materialize(last, infinity, 1, keys(1)). last(@Y, N) :- e(@X, Y, N)."
    script = "at 1. " + " ".join(f"+e(a, b, {n})." for n in range(20))
    kept = network(text, "here(a). here(b).", script, jitter=1.0).run(5)
    assert rows(kept, "last") == {("b", 19)}
    mixed = network(text, "here(a). here(b).", script, jitter=1.0, reorder=True).run(5)
    assert rows(mixed, "last") != {("b", 19)}


def test_losses_are_counted() -> None:
    text = "materialize(t, infinity, infinity, keys(1, 2)). t(@Y, E) :- periodic(@X, E, 1), peer(@X, Y)."
    net = network(text, "peer(a, b). here(b).", loss=0.5).run(200.5)
    assert net.counters.messages == 200
    assert 70 < net.counters.lost < 130
    assert len(rows(net, "t")) == 200 - net.counters.lost


@pytest.mark.parametrize("signed", [True, False])
def test_says_names_the_principal_and_forged_messages_are_rejected(signed: bool, monkeypatch) -> None:
    pytest.importorskip("cryptography")
    text = """
        materialize(link, infinity, infinity, keys(1, 2)). materialize(known, infinity, infinity, keys(1, 2)).
        At S:
        r1 S says reach(D, S)@D :- link(S, D).
        r2 known(S, W) :- W says reach(S, X).
        """
    net = network(text, "link(a, b). link(b, a).")
    if not signed:  # an attacker who does not have the keys
        notary = net._notary
        assert notary is not None
        sign = notary.seal
        monkeypatch.setattr(notary, "seal", lambda sayer, *rest: sign("mallory", *rest))
    net.run(1)
    assert rows(net, "known") == ({("a", "b"), ("b", "a")} if signed else set())
    assert net.counters.rejected == (0 if signed else 2)


def test_sealed_messages_can_only_be_opened_by_their_receiver() -> None:
    pytest.importorskip("cryptography")
    from tidelog.lab.network.says import Notary

    notary = Notary(1)
    envelope = notary.seal("a", "b", "p", ("secret", "a"), signed=True, encrypted=True)
    assert b"secret" not in envelope.payload
    assert notary.accepts(envelope, "b", "a", "p", ("secret", "a"))
    assert not notary.accepts(envelope, "c", "a", "p", ("secret", "a"))
    assert not notary.accepts(envelope, "b", "a", "p", ("other", "a"))
    assert not Notary(2).accepts(envelope, "b", "a", "p", ("secret", "a"))
