"""Numbers are no dates, and lists hold no dates: neither is guessed, in rows, tables, rules or scripts (D35)."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest

from tidelog import DataError, Engine, ProgramError

PROGRAM = ".decl d(x: date) .decl t(x: timestamp) .decl l(x: list)"


@pytest.mark.parametrize("relation", ["d", "t"])
@pytest.mark.parametrize(
    "rows", [[(2026,)], [{"x": 20260601}], pa.table({"x": [20605]})], ids=["rows", "dicts", "Arrow"]
)
def test_a_number_is_refused_in_a_column_of_dates(relation: str, rows: object) -> None:
    with Engine(PROGRAM) as db:
        with pytest.raises(DataError, match="is not a value of type"), db.epoch() as e:
            e.insert(relation, rows)  # type: ignore[arg-type]  # some are not
        assert len(db[relation]) == 0


@pytest.mark.parametrize("rule", ["l([x]) :- d(x).", "l(f_append([1], x)) :- d(x).", "l([x]) :- t(x)."])
def test_a_date_is_refused_in_a_list_of_a_rule(rule: str) -> None:
    with pytest.raises(ProgramError, match="TL413"):
        Engine(f"{PROGRAM} {rule}")


def test_a_date_is_refused_in_a_list_of_a_fact() -> None:
    with pytest.raises(DataError, match="is not a value of type list"):
        Engine(f'{PROGRAM} l([date("2026-01-01")]).')
    with Engine(PROGRAM) as db:
        with db.epoch() as e:
            e.insert("d", [(datetime.date(2026, 1, 1),)])
            e.insert("l", [((1, "a"),)])
        assert list(db["d"]) == [(datetime.date(2026, 1, 1),)]


def test_facts_of_a_program_are_not_taken_for_slips() -> None:
    Engine("edge(a, b). edges(c, d). r(X) :- edge(X, _).", strict=True).close()
