"""The proofs are complete, and the checker extracted from them judges states that the engine made.

What the theorems leave open is looked at here: the driver, the exporter, and that states of the engine do pass. By the
theorems a state with other facts than the least model cannot pass, whatever its ranks; the corruptions try that.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from random import Random

import pytest

from tests.proofs.build import MISSING, PROOFS, REASON, Built
from tests.proofs.definition import certified
from tests.proofs.histories import random_history
from tidelog.engine.engine import Engine
from tidelog.partition.memory.records import at_depth
from tidelog.program.values.state import EngineState, FactState
from tidelog.verify import verify
from tidelog.verify.core_text import export_core

SOURCES = sorted(PROOFS.glob("*.v"))
FORBIDDEN = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Abort|Extract|Unset|bypass\w*)\b")
DERIVED = FactState(99, 1, 1, False)
REACH = """
r1: reach(X, Y) :- edge(X, Y).
r2: reach(X, Z) :- edge(X, Y), reach(Y, Z).
r3: seen(Y) :- reach(1, Y), place(Y, "in town").
edge(1, 2). edge(2, 3). edge(3, 2). edge(3, 4).
place(3, "in town"). place(4, "out").
"""
ALONE = """
r1: linked(X) :- edge(X, _).
r2: linked(Y) :- edge(_, Y).
r3: alone(X) :- node(X, _), !linked(X).
r4: low(X, S) :- node(X, S), X <= 3, S < "m", X != 2.
edge(1, 2). node(1, "a"). node(2, "b"). node(3, "c"). node(4, "z").
"""
PATHS = """
close(X, Y) :- ((knows & (owns/^owns)) | called)+(X, Y).
met(Y) :- knows+("ann", Y).
knows(ann, bob). knows(bob, cy). knows(cy, ann).
owns(ann, car). owns(bob, car). called(bob, ann).
"""


@pytest.fixture(scope="module")
def alone() -> EngineState:
    with Engine(ALONE) as db:
        return db.state()


@pytest.fixture(scope="module")
def reach() -> EngineState:
    with Engine(REACH) as db:
        return db.state()


def with_fact(state: EngineState, name: str, row: tuple[object, ...], fact: FactState | None) -> EngineState:
    """The state with a fact put in its place, or left out."""
    facts = {key: dict(rows) for key, rows in state.facts.items()}
    if fact is None:
        del facts[name][row]
    else:
        facts.setdefault(name, {})[row] = fact
    return replace(state, facts=facts)


def with_other_ranks(state: EngineState, rng: Random) -> EngineState:
    """The state with the ranks of some facts exchanged for others near them, some of them a depth away."""
    for name, row in [(name, row) for name, rows in state.facts.items() for row in rows if rng.random() < 0.3]:
        fact = state.facts[name][row]
        moved = rng.randint(-6, 6) + rng.choice((0, 0, -1, 1)) * at_depth(1)
        state = with_fact(state, name, row, replace(fact, rank=max(0, fact.rank + moved)))
    return state


def with_line(state: EngineState, *lines: str) -> str:
    """The state's text with lines added."""
    text = export_core(state)
    return text.removesuffix("end\n") + "".join(f"{line}\n" for line in lines) + "end\n"


class TestProofs:
    def test_sources_take_nothing_on_trust(self) -> None:
        for source in SOURCES:
            assert not FORBIDDEN.search(source.read_text("utf-8")), source.name

    def test_every_theorem_is_asked_for_its_assumptions(self) -> None:
        theorems = {
            name for source in SOURCES for name in re.findall(r"^Theorem (\w+)", source.read_text("utf-8"), re.M)
        }
        asked = re.findall(r"^Print Assumptions (\w+)", (PROOFS / "Assumptions.v").read_text("utf-8"), re.M)
        assert theorems == set(asked)
        assert len(theorems) >= 10

    def test_every_file_is_compiled_and_told(self) -> None:
        makefile, readme = ((PROOFS / name).read_text("utf-8") for name in ("Makefile", "README.md"))
        (modules,) = re.findall(r"^MODULES := ((?:.*\\\n)*.*)$", makefile, re.M)
        asking = {"Assumptions", "Extract", "ExtractForward"}
        assert {source.stem for source in SOURCES} - asking == set(modules.replace("\\", "").split())
        assert not [source.name for source in SOURCES if f"`{source.name}`" not in readme]

    def test_the_page_tells_theorems_that_there_are(self) -> None:
        page = (PROOFS.parent / "docs" / "design" / "proofs.md").read_text("utf-8")
        told = {name for cell in re.findall(r"^\| (`.*?`) \|", page, re.M) for name in re.findall(r"`(\w+)`", cell)}
        proved = {
            name
            for source in SOURCES
            for name in re.findall(r"^(?:Theorem|Lemma) (\w+)", source.read_text("utf-8"), re.M)
        }
        assert told <= proved
        assert {"forward_least_model", "maintain_least_model", "maintain_whole_support"} <= told

    @pytest.mark.long
    @pytest.mark.skipif(bool(MISSING), reason=REASON)
    def test_theorems_rest_on_no_axiom(self, built: Built) -> None:
        asked = (PROOFS / "Assumptions.v").read_text("utf-8").count("Print Assumptions ")
        assert built.make("assumptions").splitlines() == ["Closed under the global context"] * asked

    @pytest.mark.long
    @pytest.mark.skipif(bool(MISSING) or shutil.which("coqchk") is None, reason=REASON)
    def test_second_kernel_accepts_every_module(self, built: Built) -> None:
        said = built.make("recheck")
        assert "* Axioms: <none>" in said
        assert "relying on type-in-type: <none>" in said


@pytest.mark.long
@pytest.mark.skipif(bool(MISSING), reason=REASON)
class TestStatesOfTheEngine:
    def test_states_after_changes_of_facts_and_rules_are_accepted(self, built: Built) -> None:
        with Engine(REACH) as db:
            steps = [
                lambda e: e.insert("edge", [(4, 1), (4, 4)]),
                lambda e: (e.delete("edge", [(1, 2)]), e.insert("reach", [(7, 1)])),
                lambda e: e.add_rule("r4: edge(Y, X) :- seen(X), reach(X, Y)."),
                lambda e: (e.remove_rule("r2"), e.add_rule("r5: reach(X, Z) :- reach(X, Y), reach(Y, Z).")),
                lambda e: (e.remove_rule("r4"), e.delete("edge", [(3, 2)])),
            ]
            assert built.check(export_core(db.state())) == "accepted"
            for step in steps:
                with db.epoch() as epoch:
                    step(epoch)
                assert built.check(export_core(db.state())) == "accepted"

    @pytest.mark.parametrize("partitions", [1, 2, 3])
    def test_random_histories_are_accepted(self, built: Built, partitions: int) -> None:
        for seed in range(20 * partitions, 20 * partitions + 20):
            for _, state in random_history(seed, partitions):
                assert built.check(export_core(state)) == "accepted", seed

    def test_closures_of_paths_are_accepted(self, built: Built) -> None:
        with Engine(PATHS) as db:
            assert built.check(export_core(db.state())) == "accepted"
            with db.epoch() as epoch:
                epoch.delete("knows", [("ann", "bob")])
                epoch.insert("called", [("ann", "cy")])
            assert built.check(export_core(db.state())) == "accepted"

    def test_thousands_of_facts_are_accepted(self, built: Built) -> None:
        rng = Random(9)
        edges = {(rng.randrange(70), rng.randrange(70)) for _ in range(300)}
        with Engine("p(X, Y) :- e(X, Y).\np(X, Z) :- p(X, Y), p(Y, Z).\n") as db:
            with db.epoch() as epoch:
                epoch.insert("e", sorted(edges))
            assert db.fact_count > 4000
            assert built.check(export_core(db.state())) == "accepted"

    def test_checker_and_definition_agree_on_states_with_other_ranks(self, built: Built) -> None:
        rng, verdicts = Random(7), set()
        for seed in range(200, 235):
            *_, (_, state) = random_history(seed)
            assert certified(state)
            for _ in range(3):
                shaken = with_other_ranks(state, rng)
                said = built.check(export_core(shaken))
                assert (said == "accepted") == certified(shaken), (seed, said)
                verdicts.add(said.split(":")[0])
        assert verdicts == {"accepted", "rejected"}

    def test_any_fact_dropped_is_rejected(self, built: Built) -> None:
        rng = Random(5)
        for seed in range(100, 140):
            *_, (_, state) = random_history(seed)
            lines = export_core(state).splitlines(keepends=True)
            facts = [line for line in lines if line.startswith("fact ")]
            for fact in rng.sample(facts, min(4, len(facts))):
                said = built.check("".join(line for line in lines if line != fact))
                assert said.startswith("rejected: "), (seed, fact)
                assert f"`{fact.split(' ', 2)[2].strip()}`" in said or "gives" in said

    def test_any_fact_added_is_rejected(self, built: Built) -> None:
        rng = Random(6)
        for seed in range(140, 180):
            *_, (program, state) = random_history(seed)
            # Relations of rewrites (`__only_b0`) are derived by the other checker itself, whatever the state has there.
            names = sorted(name for name in state.facts if not name.startswith("__"))
            for name in rng.sample(names, min(4, len(names))):
                row = tuple(rng.randint(0, 9) for _ in state.schema[name])
                if row not in state.facts[name]:
                    corrupted = with_fact(state, name, row, FactState(rng.randint(1, 60), 1, 1, False))
                    assert built.check(export_core(corrupted)).startswith("rejected: "), (seed, name, row)
                    assert not verify(program, None, corrupted), "the other checker agrees"


@pytest.mark.long
@pytest.mark.skipif(bool(MISSING), reason=REASON)
class TestCorruptions:
    def test_missing_fact_is_named_with_rule_and_premises(self, built: Built, reach: EngineState) -> None:
        said = built.check(export_core(with_fact(reach, "reach", (1, 4), None)))
        premises = "`edge n:1 n:2`, `reach n:2 n:4`"
        assert said == f"rejected: rule r2 gives `reach n:1 n:4`, which is not in the state, from {premises}"

    def test_missing_base_fact_is_named(self, built: Built, reach: EngineState) -> None:
        said = built.check(with_line(reach, "base edge n:8 n:9"))
        assert said == "rejected: base fact `edge n:8 n:9` is not in the state"

    def test_fact_without_support_is_named(self, built: Built, reach: EngineState) -> None:
        said = built.check(export_core(with_fact(reach, "seen", (4,), DERIVED)))
        assert said == "rejected: fact `seen n:4` of rank 99 is no base fact and has no support of lower rank"

    @pytest.mark.parametrize("ranks", [(1, 2), (2, 1), (5, 5), (0, 0)])
    def test_circular_support_is_rejected_whatever_the_ranks(self, built: Built, ranks: tuple[int, int]) -> None:
        with Engine("p(X) :- q(X), e(X).\nq(X) :- p(X).\ne(1). e(2). p(1).\n") as db:
            state = db.state()
        assert built.check(export_core(state)) == "accepted"
        for name, rank in zip("pq", ranks, strict=True):
            state = with_fact(state, name, (2,), FactState(rank, 1, 1, False))
        said = built.check(export_core(state))
        assert re.fullmatch(
            r"rejected: fact `[pq] n:2` of rank \d is no base fact and has no support of lower rank", said
        )

    def test_raised_rank_leaves_what_rests_on_it_without_support(self, built: Built, reach: EngineState) -> None:
        above = 1 + max(fact.rank for fact in reach.facts["reach"].values())
        raised = with_fact(reach, "reach", (3, 4), replace(reach.facts["reach"][(3, 4)], rank=above))
        said = built.check(export_core(raised))
        assert re.fullmatch(r"rejected: fact `reach n:2 n:4` of rank \d+ is no base fact and has no support .*", said)

    def test_equal_ranks_are_rejected_in_recursion(self, built: Built, reach: EngineState) -> None:
        flat = {row: replace(fact, rank=1) for row, fact in reach.facts["reach"].items()}
        said = built.check(export_core(replace(reach, facts={**reach.facts, "reach": flat})))
        assert said.endswith("of rank 1 is no base fact and has no support of lower rank")

    def test_asserted_fact_that_is_no_longer_asserted_is_rejected(self, built: Built, reach: EngineState) -> None:
        forged = with_fact(reach, "edge", (1, 2), replace(reach.facts["edge"][(1, 2)], base=False))
        assert "fact `edge n:1 n:2` of rank" in built.check(export_core(forged))

    def test_rule_left_out_is_rejected(self, built: Built, reach: EngineState) -> None:
        fewer = replace(reach, rules=reach.rules[:1] + reach.rules[2:])
        assert "no support of lower rank" in built.check(export_core(fewer))

    def test_rule_added_is_rejected(self, built: Built, reach: EngineState) -> None:
        said = built.check(with_line(reach, "rule r9 | seen ?Y | place ?Y ?Z"))
        assert said == "rejected: rule r9 gives `seen n:4`, which is not in the state, from `place n:4 s:out`"

    def test_rule_without_body_has_to_be_met(self, built: Built, reach: EngineState) -> None:
        assert built.check(with_line(reach, "rule r9 | seen n:3")) == "accepted"
        said = built.check(with_line(reach, "rule r9 | seen n:5"))
        assert said == "rejected: rule r9 gives `seen n:5`, which is not in the state"

    def test_unsafe_rule_is_rejected(self, built: Built, reach: EngineState) -> None:
        said = built.check(with_line(reach, "rule r9 | nowhere ?X ?Y | nothing ?X"))
        assert said == "rejected: rule r9 is not safe: ?Y does not occur in a positive atom of its body"

    def test_rule_that_reads_a_higher_stratum_is_rejected(self, built: Built, reach: EngineState) -> None:
        said = built.check(with_line(reach, "stratum edge 9"))
        assert said == "rejected: rule r1 reads edge, which stands in a higher stratum than its head reach"

    def test_fact_in_spite_of_a_negated_one_is_rejected(self, built: Built, alone: EngineState) -> None:
        assert built.check(export_core(alone)) == "accepted"
        said = built.check(export_core(with_fact(alone, "alone", (2,), DERIVED)))
        assert said == "rejected: fact `alone n:2` of rank 99 is no base fact and has no support of lower rank"

    def test_missing_fact_of_a_negation_is_named(self, built: Built, alone: EngineState) -> None:
        said = built.check(export_core(with_fact(alone, "alone", (3,), None)))
        assert said == "rejected: rule r3 gives `alone n:3`, which is not in the state, from `node n:3 s:c`"

    def test_negated_fact_that_has_gone_is_noticed(self, built: Built, alone: EngineState) -> None:
        fewer = with_fact(with_fact(alone, "linked", (2,), None), "alone", (2,), DERIVED)
        assert built.check(export_core(fewer)).startswith("rejected: rule r2 gives `linked n:2`")

    @pytest.mark.parametrize("row", [(2, "b"), (4, "z"), (3, "m")])
    def test_fact_in_spite_of_a_comparison_is_rejected(
        self, built: Built, alone: EngineState, row: tuple[object, ...]
    ) -> None:
        damaged = with_fact(with_fact(alone, "node", row, FactState(0, 1, 1, True)), "low", row, DERIVED)
        said = built.check(export_core(damaged))
        assert f"fact `low n:{row[0]} s:{row[1]}` of rank 99 is no base fact" in said or "gives `alone" in said

    def test_missing_fact_of_a_comparison_is_named(self, built: Built, alone: EngineState) -> None:
        said = built.check(export_core(with_fact(alone, "low", (1, "a"), None)))
        assert said == "rejected: rule r4 gives `low n:1 s:a`, which is not in the state, from `node n:1 s:a`"

    def test_other_order_of_values_is_noticed(self, built: Built, alone: EngineState) -> None:
        text = export_core(alone).replace("value n:3\n", "").replace("value n:1\n", "value n:3\nvalue n:1\n")
        said = built.check(text.replace("value n:4\n", "").replace("value n:1\n", "value n:4\nvalue n:1\n"))
        assert said.startswith("rejected: fact `low n:1 s:a`")

    @pytest.mark.parametrize("literal", ["! nothing ?Y", "< ?X ?Y", "= n:1 ?Y"])
    def test_condition_on_a_variable_without_value_is_rejected(
        self, built: Built, reach: EngineState, literal: str
    ) -> None:
        values = [f"value n:{n}" for n in range(1, 5)] + ["value s:out", "value s:in%20town"]
        said = built.check(with_line(reach, f"rule r9 | seen ?X | place ?X ?Z | {literal}", *values))
        assert said == "rejected: rule r9 is not safe: ?Y does not occur in a positive atom of its body"

    def test_negation_of_the_same_stratum_is_rejected(self, built: Built, reach: EngineState) -> None:
        said = built.check(with_line(reach, "rule r9 | seen ?X | place ?X ?Z | ! seen ?X"))
        assert said == "rejected: rule r9 negates seen, which does not stand in a lower stratum than its head seen"

    def test_fact_with_two_ranks_is_rejected(self, built: Built, reach: EngineState) -> None:
        said = built.check(with_line(reach, "fact 77 seen n:3"))
        assert said == "rejected: fact `seen n:3` is listed twice"


@pytest.mark.long
@pytest.mark.skipif(bool(MISSING), reason=REASON)
class TestDriver:
    @pytest.mark.parametrize(
        ("lines", "told"),
        [
            ("", "line 1: expected the line: tidelog-core 1"),
            ("tidelog-core 1\nfact 1 p n:1\n", "line 3: the text stops before its end line"),
            ("tidelog-core 1\nend\nfact 1 p n:1\n", "line 3: a line after the end"),
            (
                "tidelog-core 1\nfacts 1 p\nend\n",
                "line 2: expected stratum, rule, value, base, fact or end, found facts",
            ),
            ("tidelog-core 1\nfact x p\nend\n", "line 2: expected a number of at most 18 digits, found x"),
            ("tidelog-core 1\nfact 1\nend\n", "line 2: expected a fact"),
            ("tidelog-core 1\nbase p ?X\nend\n", "line 2: expected a constant, found ?X"),
            ("tidelog-core 1\nbase ?p\nend\n", "line 2: expected a name, found ?p"),
            ("tidelog-core 1\nrule r1 p\nend\n", "line 2: expected | after the rule's label"),
            ("tidelog-core 1\nrule r1 | p ?X |\nend\n", "line 2: expected an atom after |"),
            ("tidelog-core 1\nrule r1 | p ?X | e ?X | < ?X\nend\n", "line 2: expected two terms after <"),
            ("tidelog-core 1\nrule r1 | ! p ?X\nend\n", "line 2: expected a name, found !"),
            ("tidelog-core 1\nvalue ?X\nend\n", "line 2: expected a constant, found ?X"),
            ("tidelog-core 1\nvalue n:1\nvalue n:1\nend\n", "line 3: a second place for n:1"),
            (
                "tidelog-core 1\nrule r1 | p ?X | e ?X | < ?X n:2\nvalue n:2\nbase e n:1\nend\n",
                "line 5: no place in the order for n:1",
            ),
            ("tidelog-core 1\nstratum p 1\nstratum p 2\nend\n", "line 3: a second stratum for p"),
        ],
    )
    def test_text_that_is_no_state_is_told_by_line(self, built: Built, lines: str, told: str) -> None:
        done = built.run(lines)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"malformed: {told}\n")

    def test_empty_state_of_the_empty_program_is_accepted(self, built: Built) -> None:
        assert built.check("tidelog-core 1\nend\n") == "accepted"

    def test_predicate_with_two_numbers_of_columns_is_two_relations(self, built: Built) -> None:
        text = "tidelog-core 1\nrule r1 | q ?X | p ?X\nbase p n:1 n:2\nfact 0 p n:1 n:2\nend\n"
        assert built.check(text) == "accepted"
