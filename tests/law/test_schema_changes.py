"""Random changes of columns among random epochs equal an engine that is built with the last program and the same facts.

The judge keeps the base facts as dictionaries by column name and maps them in Python, so it shares neither the
expressions nor the partitions of the engine. It notices lost, kept and wrongly mapped facts, rules that read former
columns, and states that do not come back after a kill; it cannot notice a wrong message.
"""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.law.share import share
from tidelog import Engine

TYPES = ("number", "symbol")
VALUES: dict[str, tuple[Any, ...]] = {"number": tuple(range(4)), "symbol": ("a", "b", "c")}


@dataclass
class Schema:
    """The columns of the base relations, in order, and their facts as rows by name."""

    columns: dict[str, list[tuple[str, str]]]
    facts: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: {"p": [], "q": []})
    made: int = 0

    def text(self, defaults: dict[str, Any] | None = None) -> str:
        """The program: each relation joined with itself and the other over columns of one type, and a negation."""
        lines = []
        for name, columns in self.columns.items():
            shown = ", ".join(f"{c}: {t}" + self._default(name, c, defaults or {}) for c, t in columns)
            lines.append(f".decl {name}({shown})")
        first, second = self.columns["p"][0], self.columns["q"][-1]
        lines.append(f".decl both({first[0]}: {first[1]}, w: {second[1]})")
        lines.append(f"both(a, b) :- p({self._args('p', 0, 'a')}), q({self._args('q', -1, 'b')}).")
        lines.append(f".decl alone({first[0]}: {first[1]})")
        met = f"q({self._args('q', -1, 'a')})" if first[1] == second[1] else "both(a, _)"
        lines.append(f"alone(a) :- p({self._args('p', 0, 'a')}), !{met}.")
        anything = ", ".join("_" * len(self.columns["p"]))
        lines.append(f".decl total(n: number)\ntotal(n) :- n = count : {{ p({anything}) }}.")
        lines += self._recursion(first)
        return "\n".join(lines) + "\n"

    def _recursion(self, start: tuple[str, str]) -> list[str]:
        """A recursion, and a min in one: strata that stay while some of their rules change."""
        ends = ("e: symbol", '"a"') if start[1] == "symbol" else ("e: number", "0")
        step = ", ".join("x" if place == 0 else "_" for place in range(len(self.columns["p"])))
        lines = [
            f".decl walk(x: {start[1]}, {ends[0]})",
            f"walk(x, {ends[1]}) :- p({step}).",
            "walk(y, x) :- walk(x, y).",
        ]
        lines += ["walk(x, z) :- walk(x, y), walk(y, z).", f".decl near(x: {start[1]}, n: number)"]
        lines += [f"near(x, min<n>) :- p({step}), n = 0.", "near(y, min<n + 1>) :- near(x, n), walk(x, y), n < 5."]
        return lines

    def _default(self, name: str, column: str, defaults: dict[str, Any]) -> str:
        value = defaults.get(f"{name}.{column}")
        return "" if value is None else f" = {literal(value)}"

    def _args(self, name: str, place: int, variable: str) -> str:
        args = ["_"] * len(self.columns[name])
        args[place] = variable
        return ", ".join(args)

    def rows(self, name: str) -> set[tuple[Any, ...]]:
        return {tuple(fact[c] for c, _ in self.columns[name]) for fact in self.facts[name]}

    def fresh(self) -> str:
        self.made += 1
        return f"k{self.made}"


def literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def change_columns(chance: random.Random, schema: Schema) -> tuple[dict[str, dict[str, str | None]], dict[str, Any]]:
    """Change one or both relations; returns what has to be stated, and the defaults of the declarations."""
    stated: dict[str, dict[str, str | None]] = {}
    defaults: dict[str, Any] = {}
    for name in chance.sample(["p", "q"], chance.randint(1, 2)):
        columns, facts = schema.columns[name], schema.facts[name]
        told: dict[str, str | None] = {}
        former = dict(columns)
        for _ in range(chance.randint(1, 2)):
            kept = [(c, t) for c, t in columns if c in former and c not in told]
            match chance.choice(["add", "derive", "drop", "rename", "reorder", "retype"]):
                case "add":
                    type_ = chance.choice(TYPES)
                    column, value = schema.fresh(), chance.choice(VALUES[type_])
                    columns.insert(chance.randint(0, len(columns)), (column, type_))
                    defaults[f"{name}.{column}"] = value
                    for fact in facts:
                        fact[column] = value
                case "derive" if numbers := [c for c, t in kept if t == "number"]:
                    column, source = schema.fresh(), chance.choice(numbers)
                    columns.append((column, "number"))
                    told[column] = f"{source} * 2 + 1"
                    for fact in facts:
                        fact[column] = fact[source] * 2 + 1
                case "drop" if kept and len(columns) > 1:
                    column = chance.choice(kept)
                    columns.remove(column)
                    told[column[0]] = None
                case "rename" if kept:
                    column, type_ = chance.choice(kept)
                    new = schema.fresh()
                    columns[columns.index((column, type_))] = (new, type_)
                    told[new] = column
                    told.setdefault(column, None)
                    for fact in facts:
                        fact[new] = fact[column]
                case "retype" if kept:
                    column, type_ = chance.choice(kept)
                    other = "symbol" if type_ == "number" else "number"
                    columns[columns.index((column, type_))] = (column, other)
                    told[column] = f"to_string({column})" if other == "symbol" else f"strlen({column})"
                    for fact in facts:
                        fact[column] = str(fact[column]) if other == "symbol" else len(fact[column])
                case _:
                    chance.shuffle(columns)
        if told:
            stated[name] = told
        unique = {tuple(sorted((c, fact[c]) for c, _ in columns)) for fact in facts}
        schema.facts[name] = [dict(row) for row in unique]
    return stated, defaults


def change_facts(chance: random.Random, schema: Schema, db: Engine) -> None:
    with db.epoch() as e:
        for name, columns in schema.columns.items():
            known = schema.rows(name)
            for _ in range(chance.randint(0, 4)):
                row = tuple(chance.choice(VALUES[t]) for _, t in columns)
                if row in known:
                    known.discard(row)
                    e.delete(name, [row])
                else:
                    known.add(row)
                    e.insert(name, [row])
            schema.facts[name] = [dict(zip([c for c, _ in columns], row, strict=True)) for row in known]


def facts_of(db: Engine) -> dict[str, list[tuple[Any, ...]]]:
    return {name: sorted(db[name]) for name in ("p", "q", "both", "alone", "total", "walk", "near")}


def judge(schema: Schema) -> dict[str, list[tuple[Any, ...]]]:
    """An engine that is built from scratch."""
    with Engine(schema.text()) as db:
        with db.epoch() as e:
            for name in schema.columns:
                e.insert(name, sorted(schema.rows(name)))
        return facts_of(db)


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("seed", range(share(4, 10)))
def test_changes_of_columns_equal_an_engine_from_scratch(seed: int, partitions: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    schema = Schema({"p": [("a", "number"), ("b", "symbol")], "q": [("c", "symbol"), ("d", "number")]})
    path, past = tmp_path / "s", {}
    db = Engine(schema.text(), path=path, partitions=partitions)
    try:
        for step in range(8):
            if step % 2:
                stated, defaults = change_columns(chance, schema)
                epoch, _ = db.epoch_to(schema.text(defaults), stated)
                if chance.random() < 0.3:
                    before = facts_of(db)
                    db.preview(epoch)
                    assert facts_of(db) == before
                epoch.commit()
            else:
                change_facts(chance, schema, db)
            past[db.epoch_number] = judge(schema)
            assert facts_of(db) == past[db.epoch_number]
            assert db.verify()
            match chance.choice(["on", "on", "close", "kill"]):
                case "close":
                    db.close()
                    db = Engine(path=path, partitions=partitions)
                case "kill":  # what is on disk, without a farewell
                    copy = tmp_path / f"s{step}"
                    shutil.copytree(path, copy)
                    db.close()
                    path = copy
                    db = Engine(path=path, partitions=partitions)
            assert facts_of(db) == past[db.epoch_number]
    finally:
        db.close()
    for number, facts in past.items():
        with Engine(path=path, at=number) as db:
            assert facts_of(db) == facts
