"""The well-founded model of instances: after any changes the truth is that of the definition, every place is above
those that it depends on, and undoing an epoch restores both."""

from __future__ import annotations

from random import Random
from unittest.mock import patch

import numpy as np
import pytest

from tests.law.share import share
from tidelog.kernel.cells import Cells
from tidelog.partition.code import ground_model
from tidelog.partition.code.ground_model import GroundModel
from tidelog.program.values.term import GroundRule
from tidelog.verify.models import well_founded

WIDTHS = {"p": 1, "q": 2}
RULES = (
    GroundRule("one", "p", 1, (("p", False, 1),)),
    GroundRule("two", "p", 1, (("p", True, 1), ("q", False, 2))),
    GroundRule("fact", "p", 1, ()),
    GroundRule("three", "q", 2, (("q", True, 2), ("p", False, 1))),
    GroundRule("four", "q", 2, (("p", False, 1), ("p", True, 1))),
)


def _row(rng: Random, rule: GroundRule, size: int, acyclic: float) -> tuple[int, ...]:
    """An instance over few constants; most of the time its literals have greater arguments than its head."""
    head = [rng.randrange(size) for _ in range(rule.width)]
    low = max(head) + 1 if rng.random() < acyclic else 0
    return (*head, *(min(rng.randrange(low, size + 1), size) for _ in range(rule.columns - rule.width)))


def _cells(rows: set[tuple[int, ...]], rule: GroundRule) -> Cells:
    return np.array(sorted(rows), np.int64).reshape(len(rows), rule.columns)


def _truth(model: GroundModel) -> dict[tuple[str, tuple[int, ...]], int]:
    return {(n, (*row[:-1],)): row[-1] for n, width in WIDTHS.items() for row in model.all(n, width + 1).tolist()}


def _expected(held: list[set[tuple[int, ...]]]) -> dict[tuple[str, tuple[int, ...]], int]:
    bodies = []
    for rule, rows in zip(RULES, held, strict=True):
        for row in rows:
            at, atoms = rule.width, {True: set(), False: set()}
            for name, positive, width in rule.literals:
                atoms[positive].add((name, row[at : at + width]))
                at += width
            bodies.append(((rule.head, row[: rule.width]), frozenset(atoms[True]), frozenset(atoms[False])))
    return well_founded(bodies)


def _check_places(model: GroundModel) -> None:
    for head, literals in model._instances.values():
        for atom in (literal >> 1 for literal in literals):
            lower, upper = model._group[atom], model._group[head]
            assert model._place[lower] < model._place[upper] or (lower == upper and upper in model._members)


def history(seed: int, acyclic: float) -> None:
    rng = Random(f"{seed} {acyclic}")
    size = rng.choice([4, 12, 40])
    held: list[set[tuple[int, ...]]] = [{_row(rng, r, size, acyclic) for _ in range(rng.randrange(9))} for r in RULES]
    model = GroundModel(RULES)
    model.load([_cells(rows, rule) for rows, rule in zip(held, RULES, strict=True)], lambda: None)
    model.commit()
    before = _truth(model)
    assert before == _expected(held)
    for _ in range(40):
        new = [
            {_row(rng, rule, size, acyclic) for _ in range(rng.choice([0, 0, 1, 2, 6]))} - rows
            for rule, rows in zip(RULES, held, strict=True)
        ]
        old = [set(rng.sample(sorted(h), k=min(len(h), rng.choice([0, 0, 1, 2, 5])))) for h in held]
        change = (
            [_cells(n, r) for n, r in zip(new, RULES, strict=True)],
            [_cells(o, r) for o, r in zip(old, RULES, strict=True)],
        )
        model.advance(*change, lambda: None)
        if rng.random() < 0.3:  # a preview: the same change follows
            model.undo()
            if rng.random() < 0.3:
                assert _truth(model) == before
            model.advance(*(tuple(cells.copy() for cells in part) for part in change), lambda: None)
        after = [(h | n) - o for h, n, o in zip(held, new, old, strict=True)]
        found = _truth(model)
        assert found == _expected(after)
        for name, width in WIDTHS.items():
            lost, gained = (
                {(name, (*row[:-1],)): row[-1] for row in rows.tolist()} for rows in model.change(name, width + 1)
            )
            changed = {f for f in {*before, *found} if f[0] == name and before.get(f) != found.get(f)}
            assert lost == {f: before[f] for f in changed & before.keys()}
            assert gained == {f: found[f] for f in changed & found.keys()}
        if rng.random() < 0.3:
            model.undo()
            if rng.random() < 0.5:  # otherwise another change follows at once
                assert _truth(model) == before
                _check_places(model)
        else:
            held, before = after, found
            model.commit()
            _check_places(model)


@pytest.mark.parametrize("acyclic", [0.0, 0.7, 0.97, 1.0])
@pytest.mark.parametrize("share_of_all", [0, 4])
@pytest.mark.parametrize("seed", range(share(20, 5)))
def test_truth_is_that_of_the_definition(seed: int, share_of_all: int, acyclic: float) -> None:
    with patch.object(ground_model, "SHARE", share_of_all), patch.object(ground_model, "SPARE", seed % 2 * 1000):
        history(seed, acyclic)


def test_a_cycle_through_negation_is_undefined_and_one_without_is_false() -> None:
    model = GroundModel((RULES[0], RULES[1]))
    model.load([np.array([[1, 2], [2, 1], [5, 6]]), np.array([[3, 4, 0, 0], [4, 3, 0, 0]])], lambda: None)
    assert model.all("p", 2).tolist() == [[1, 0], [2, 0], [5, 1]]
