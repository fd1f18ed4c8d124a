"""The mutants: each a mistake in one place, and the tests that have to notice it.

Law: the text that a mutant replaces occurs once in its file, so that the catalogue cannot fall behind the code
(`test_mutants`). A mutant that cannot be noticed says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
RANKED = ("tests/lab/semantics/test_ranked.py",)
DBSP = ("tests/lab/dbsp/test_operators.py", "tests/lab/dbsp/test_nested.py", "tests/lab/dbsp/test_circuits.py")
VERIFY = ("tests/verify/test_check.py", "tests/verify/test_stages.py")
LAW = ("tests/law/test_named_cases.py", "tests/law/test_ranks.py", "tests/law/test_law.py")
PARTITIONS = ("tests/law/test_partitions.py",)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mistake: in the file, ``before`` becomes ``after``. ``equivalent`` says why no test can notice it."""

    name: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...]
    equivalent: str = ""

    @property
    def path(self) -> Path:
        """The file, from the folder of the project."""
        return Path("src/tidelog") / self.file

    def applied_to(self, text: str) -> str:
        """The text of the file with the mistake."""
        return text.replace(self.before, self.after, 1)


MUTANTS = (
    Mutant(
        "semantics: a lost support of equal rank counts as low",
        "lab/semantics/ranked/support.py",
        "        if body_rank < self.rank:\n            self.low -= 1",
        "        if body_rank <= self.rank:\n            self.low -= 1",
        RANKED,
    ),
    Mutant(
        "semantics: a gained support of equal rank counts as low",
        "lab/semantics/ranked/support.py",
        "        if body_rank < self.rank:\n            self.low += 1",
        "        if body_rank <= self.rank:\n            self.low += 1",
        RANKED,
    ),
    Mutant(
        "semantics: clocks do not see messages",
        "lab/semantics/ranked/clock.py",
        "Rank(max(top.depth, rank.depth), max(top.clock, rank.clock))",
        "Rank(top.depth, max(top.clock, rank.clock))",
        RANKED,
    ),
    Mutant(
        "semantics: a suspended fact is hidden before its losses are fired",
        "lab/semantics/ranked/algorithm.py",
        "        self._fire(DELETE, fact)\n        self.visible.hide(fact)\n        if self._groups",
        "        self.visible.hide(fact)\n        self._fire(DELETE, fact)\n        if self._groups",
        RANKED,
    ),
    Mutant(
        "dbsp: old left with new right is dropped",
        "lab/dbsp/bilinear.py",
        "add(operator(left, right), add(operator(old_left, right), operator(left, old_right)))",
        "add(operator(left, right), operator(left, old_right))",
        DBSP,
    ),
    Mutant(
        "dbsp: distinct keeps negative weights",
        "lab/dbsp/nonlinear.py",
        "z.items() if weight > 0})",
        "z.items() if weight})",
        DBSP,
    ),
    Mutant(
        "verify: a support of equal rank is sufficient",
        "verify/check.py",
        "            if rank < own:\n                founded.add(row)\n\n        return derive",
        "            if rank <= own:\n                founded.add(row)\n\n        return derive",
        VERIFY,
    ),
    Mutant(
        "verify: a derived fact may be missing",
        "verify/check.py",
        "            if own is None:\n"
        "                raise ViolationFound(_missing(clause, row, _body(frame, registers)))",
        "            if own is None:\n                return",
        VERIFY,
    ),
    Mutant(
        "verify: no fact of a stratum is checked for a support",
        "verify/check.py",
        "        if len(founded) == len(held):\n            return",
        "        if len(founded) == len(held) or name in self._claim.derived:\n            return",
        VERIFY,
    ),
    Mutant(
        "verify: lowest instead of highest rank of two aggregates in a head",
        "verify/check.py",
        "max(rank for _, rank, _ in best)",
        "min(rank for _, rank, _ in best)",
        VERIFY,
        "recursion through two aggregates in one head is refused (TL504), so both ranks are below all others",
    ),
    Mutant(
        "verify: a choice need not be maximal",
        "verify/choices.py",
        "if not any(key in taken for key in _keys(row, choice.domains)):",
        "if False:",
        ("tests/law/test_choice.py",),
    ),
    Mutant(
        "verify: a stage is not above the stages that it depends on",
        "verify/stages.py",
        "self._highest[support] + 1)",
        "self._highest[support])",
        VERIFY,
    ),
    Mutant(
        "verify: a support does not wait for all its facts",
        "verify/stages.py",
        "self._missing.append(len(needed))",
        "self._missing.append(1)",
        VERIFY,
    ),
    Mutant(
        "kernel: a lost support of lower rank keeps low",
        "kernel/support.py",
        "        if counts & LOW32 < supports:\n            return False\n        counts -= supports",
        "        if counts & LOW32 < supports:\n            return False",
        LAW,
    ),
    Mutant(
        "kernel: a lost support of equal rank counts as low",
        "kernel/support.py",
        "    if body_rank < (state >> FLAG_BITS) + directory[rel, RANK_BASE]:\n        if counts & LOW32 < supports:",
        "    if body_rank <= (state >> FLAG_BITS) + directory[rel, RANK_BASE]:\n        if counts & LOW32 < supports:",
        PARTITIONS,
    ),
    Mutant(
        "kernel: revived facts keep low",
        "kernel/support.py",
        "(counts & ~LOW32) | (counts >> 32))",
        "counts)",
        LAW,
    ),
    Mutant(
        "kernel: a new fact is no deeper than its body",
        "kernel/support.py",
        "rank = ((below >> CLOCK_BITS) + 1) << CLOCK_BITS",
        "rank = (below >> CLOCK_BITS) << CLOCK_BITS",
        ("tests/proofs/test_deletions.py",),
    ),
    Mutant(
        "rewrite: projections on different columns share one rule",
        "rewrite/project_negations.py",
        'numbers = "".join(f"/{i + 1}" for i in kept)',
        'numbers = f"/{len(kept)}"',
        ("tests/rewrite/test_passes.py",),
    ),
    Mutant(
        "rewrite: equal values of a sum in a head count once",
        "rewrite/lift_head_aggregates.py",
        "return all(a.kind in ORDERED for a in aggregates) or",
        "return True or",
        ("tests/rewrite/test_passes.py",),
    ),
    Mutant(
        "rewrite: minima of different columns share their candidates",
        "rewrite/lift_head_aggregates.py",
        "{arg.kind}{i}{_tied(arg)}",
        "{arg.kind}{_tied(arg)}",
        ("tests/rewrite/test_passes.py",),
    ),
    Mutant(
        "rewrite: a group with rows also has the total 0",
        "rewrite/lift_aggregates.py",
        "(*around, Negation(some)))",
        "around)",
        ("tests/rewrite/test_passes.py",),
    ),
    Mutant(
        "rewrite: an atom with a repeated variable counts as its valuations",
        "rewrite/lift_aggregates.py",
        "is_whole = len(columns) == len(rows.args) == len(valuations.args) and columns == set(valuations.args)",
        "is_whole = columns == set(valuations.args)",
        ("tests/rewrite/test_passes.py",),
    ),
    Mutant(
        "partition: signs of a fact that cancel assert it",
        "partition/base/net_changes.py",
        "inserts[name] = unique[sums > 0]",
        "inserts[name] = unique[sums >= 0]",
        ("tests/law/test_ranks.py",),
    ),
    Mutant(
        "partition: what a removed rule suspends is not retracted alone",
        "partition/phases/retract.py",
        "is_hit = len(suspended) or ",
        "is_hit = ",
        ("tests/law/test_law.py",),
    ),
    Mutant(
        "partition: a second removed rule forgets what the first suspended",
        "partition/phases/rule_supports.py",
        "joined([waiting.get(number, NOTHING), items[relations == number]])",
        "items[relations == number]",
        ("tests/law/test_law.py",),
    ),
    Mutant(
        "partition: a stale group keeps its result",
        "partition/phases/demanded_folds.py",
        "is_stale=shown is not None",
        "is_stale=False",
        ("tests/law/test_asked_aggregates.py",),
    ),
    Mutant(
        "partition: a row that is inserted again is not noticed",
        "partition/phases/demanded_folds.py",
        "        rows = np.concatenate([rows, self._come_back()])\n",
        "",
        ("tests/law/test_asked_aggregates.py",),
    ),
    Mutant(
        "runtime: merged strata keep their ranks",
        "runtime/node/restratify.py",
        "raise_ranks(relations, parts[order], offset)",
        "raise_ranks(relations, parts[order], 0)",
        ("tests/law/test_ranks.py",),
    ),
    Mutant(
        "runtime: supports across a split are not compared again",
        "runtime/node/restratify.py",
        "if any(isinstance(x, Atom) and x.predicate in left for x in code.rule.body):",
        "if False:",
        ("tests/law/test_law.py",),
    ),
    Mutant(
        "program: two facts that subsume each other are both removed",
        "program/elaborate/resolve_subsumption.py",
        'Comparison("<", two[i], one[i])',
        'Comparison("<=", two[i], one[i])',
        ("tests/law/test_subsumption.py",),
    ),
)
