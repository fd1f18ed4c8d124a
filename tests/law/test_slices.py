"""The law when kernels stop all the time (D19): a slice that stopped goes on where it stopped.

With a budget of one to a few rows per slice, every place at which a kernel can stop is met. This notices state that
does not survive a stop; it cannot notice slices that take too long.
"""

from __future__ import annotations

import pytest

from tests.law.harness import Case, run
from tests.law.sabotage import tiny_slices
from tidelog import Engine


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("budget", [1, 2, 3, 7])
def test_law_holds_with_tiny_slices(budget: int, kind: str) -> None:
    with tiny_slices(budget):
        for seed in range(3 * 10**6 + budget, 3 * 10**6 + budget + 5):
            case = Case.random(seed, kind, epochs=3)
            try:
                run(case)
            except Exception as error:
                raise AssertionError(f"seed {seed}, kind {kind}: {error}\n{case}") from error


def test_large_epoch_gives_the_same_counts_in_slices_and_at_once() -> None:
    rows = [(i % 97, (i * i + 3) % 97) for i in range(300)]

    def build() -> Engine:
        db = Engine("reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z).")
        with db.epoch() as e:
            e.insert("edge", rows)
        with db.epoch() as e:
            e.delete("edge", rows[:40])
        return db

    with tiny_slices(40):
        sliced = build().state()
    whole = build().state()
    assert {n: {r: f.all for r, f in facts.items()} for n, facts in sliced.facts.items()} == {
        n: {r: f.all for r, f in facts.items()} for n, facts in whole.facts.items()
    }
