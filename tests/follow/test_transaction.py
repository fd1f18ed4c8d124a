"""From messages to signed facts: keys, values that are not sent, nulls, emptied tables, columns that change."""

from __future__ import annotations

from typing import Any

import pytest

from tidelog.follow.catalog import FollowedColumn, FollowedTable
from tidelog.follow.errors import FollowError, OutOfStep
from tidelog.follow.pgoutput import UNCHANGED, Delete, Insert, Relation, RelationColumn, Truncate, Update, Values
from tidelog.follow.quarantine import QuarantineChanges, TableQuarantine, read_memos
from tidelog.follow.transaction import RowLayout, Transaction
from tidelog.follow.types import KINDS, Reason

NUMBER, TEXT = 23, 25
PERSON = FollowedTable(
    "person",
    7,
    "public",
    "person",
    (FollowedColumn("id", NUMBER, -1, KINDS[NUMBER]), FollowedColumn("name", TEXT, -1, KINDS[TEXT])),
    (0,),
)
LINK = FollowedTable("link", 8, "public", "link", PERSON.columns, (1, 0))
PERSON_SENT = Relation(
    7,
    "public",
    "person",
    "d",
    (
        RelationColumn("note", TEXT, -1, False),
        RelationColumn("id", NUMBER, -1, True),
        RelationColumn("name", TEXT, -1, False),
    ),
)
LINK_SENT = Relation(
    8, "public", "link", "d", (RelationColumn("id", NUMBER, -1, True), RelationColumn("name", TEXT, -1, True))
)
FACTS = {(1,): (1, "ada"), (2,): (2, "bob")}
NAME_IS_NULL = Reason("name", "is null")
QUARANTINE = {"person": TableQuarantine("person", "public.person", ("id",), 1, {("6",): NAME_IS_NULL})}


def transaction(*messages: Any) -> Transaction:
    layouts: dict[int, RowLayout] = {}
    found = Transaction(
        {7: PERSON, 8: LINK},
        layouts,
        lambda table, key: FACTS.get(key),
        lambda table: list(FACTS.values()),
        QuarantineChanges(QUARANTINE),
    )
    for message in (PERSON_SENT, LINK_SENT, *messages):
        found.take(message)
    return found


def changes(*messages: Any) -> dict[str, tuple[list[Any], list[Any]]]:
    return {name: (sorted(plus), sorted(minus)) for name, plus, minus in transaction(*messages).changes()}


def person(number: str | None, name: Any, note: str = "") -> Values:
    return (note, number, name)


def test_rows_come_change_and_go() -> None:
    found = changes(Insert(7, person("3", "eve")), Update(7, person("1", "Ada")), Delete(7, person("2", None), True))
    assert found == {"person": ([(1, "Ada"), (3, "eve")], [(1, "ada"), (2, "bob")])}


def test_a_row_that_comes_and_goes_in_one_transaction_is_no_change() -> None:
    assert changes(Insert(7, person("3", "eve")), Delete(7, person("3", None), True)) == {"person": ([], [])}


def test_a_row_that_goes_and_comes_again_is_no_change() -> None:
    assert changes(Delete(7, person("1", None), True), Insert(7, person("1", "ada"))) == {"person": ([], [])}


def test_old_rows_are_those_that_the_transaction_made() -> None:
    found = changes(Update(7, person("1", "x")), Update(7, person("1", "y")), Update(7, person("1", "z")))
    assert found == {"person": ([(1, "z")], [(1, "ada")])}


def test_a_changed_key_takes_the_old_row_away() -> None:
    old = person("1", None)
    assert changes(Update(7, person("9", "ada"), old, True)) == {"person": ([(9, "ada")], [(1, "ada")])}


def test_keys_exchanged_in_one_transaction() -> None:
    found = changes(
        Update(7, person("0", "ada"), person("1", None), True),
        Update(7, person("1", "bob"), person("2", None), True),
        Update(7, person("2", "ada"), person("0", None), True),
    )
    assert found == {"person": ([(1, "bob"), (2, "ada")], [(1, "ada"), (2, "bob")])}


def test_a_value_that_is_not_sent_stays() -> None:
    by_key = changes(Update(7, person("1", UNCHANGED, "new")))
    assert by_key == {"person": ([], [])}
    renumbered = changes(Update(7, person("9", UNCHANGED), person("1", None), True))
    assert renumbered == {"person": ([(9, "ada")], [(1, "ada")])}
    full = changes(Update(7, person("9", UNCHANGED), person("5", "long"), False))
    assert full == {"person": ([(9, "long")], [(5, "long")])}


def test_a_value_that_is_not_sent_and_not_known_needs_a_new_snapshot() -> None:
    with pytest.raises(OutOfStep, match="did not send column `name`") as raised:
        changes(Update(7, person("5", UNCHANGED)))
    assert raised.value.code == "TL7127"
    with pytest.raises(OutOfStep, match="did not send the key"):
        changes(Update(7, ("", UNCHANGED, "x")))


def test_rows_that_are_no_facts_are_in_quarantine() -> None:
    found = transaction(
        Insert(7, person("3", None)),
        Update(7, person("1", None)),
        Update(7, person("3", "eve")),
        Insert(7, person("4", None)),
    )
    assert list(found.changes()) == [("person", [(3, "eve")], [(1, "ada")])]
    assert quarantine(found) == {("6",): "name", ("1",): "name", ("4",): "name"}


def quarantine(found: Transaction) -> dict[tuple[str, ...], str]:
    """The columns that are the reasons, by key."""
    after = found.quarantine.after
    assert all(len(each.rows) == each.count for each in after.values())
    return {key: reason.column for key, reason in after["person"].rows.items()} if after else {}


def test_a_row_leaves_the_quarantine_by_a_good_value_a_delete_or_another_key() -> None:
    healed = transaction(Update(7, person("6", "eve")))
    assert (list(healed.changes()), quarantine(healed)) == ([("person", [(6, "eve")], [])], {})
    deleted = transaction(Delete(7, person("6", None), True))
    assert (list(deleted.changes()), quarantine(deleted)) == ([("person", [], [])], {})
    moved = transaction(Update(7, person("9", None), person("6", None), True))
    assert quarantine(moved) == {("9",): "name"}
    emptied = transaction(Insert(7, person("5", None)), Truncate((7,)), Insert(7, person("4", None)))
    assert quarantine(emptied) == {("4",): "name"}


def test_a_key_that_cannot_be_read_is_known_by_its_text() -> None:
    bad = person("6000000000x", "eve")  # as a date `infinity` would be
    assert quarantine(transaction(Insert(7, bad))) == {("6",): "name", ("6000000000x",): "id"}
    assert quarantine(transaction(Insert(7, bad), Delete(7, person("6000000000x", None), True))) == {("6",): "name"}
    healed = transaction(Insert(7, bad), Update(7, person("5", "eve"), person("6000000000x", None), True))
    assert (list(healed.changes()), quarantine(healed)) == ([("person", [(5, "eve")], [])], {("6",): "name"})


def test_a_row_in_quarantine_stays_there_if_its_reason_was_not_sent_again() -> None:
    assert quarantine(transaction(Update(7, person("6", UNCHANGED, "new")))) == {("6",): "name"}


def test_the_number_of_rows_is_exact_beyond_those_kept_in_detail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.follow.quarantine.KEPT", 3)
    found = transaction(*(Insert(7, person(str(number), None)) for number in range(10, 20)))
    after = found.quarantine.after["person"]
    assert (after.count, len(after.rows)) == (11, 3)
    for number in (18, 10, 6):
        found.take(Delete(7, person(str(number), None), True))
    found.take(Update(7, person("19", "eve")))
    after = found.quarantine.after["person"]
    assert (after.count, list(after.rows)) == (7, [("11",)])
    written = found.quarantine.memos("tidelog")
    memos = {name: text for name, text in written.items() if text is not None}
    assert read_memos(memos, "tidelog") == found.quarantine.after


def test_a_key_that_is_the_whole_row_needs_no_look_up() -> None:
    assert changes(Delete(8, ("5", "x"), True)) == {"link": ([], [(5, "x")])}


def test_truncate_takes_all_facts_and_what_the_transaction_brought() -> None:
    found = changes(
        Insert(7, person("3", "eve")), Truncate((7, 99)), Insert(7, person("2", "bob")), Update(7, person("2", "Bob"))
    )
    assert found == {"person": ([(2, "Bob")], [(1, "ada"), (2, "bob")])}
    assert changes(Truncate((7,)), Insert(7, person("1", "ada"))) == {"person": ([], [(2, "bob")])}


def test_columns_may_come_and_move() -> None:
    more = Relation(7, "public", "person", "d", tuple(reversed(PERSON_SENT.columns)))
    assert changes(more, Insert(7, ("eve", "3", "note"))) == {"person": ([(3, "eve")], [])}


@pytest.mark.parametrize(
    ("column", "why"),
    [
        (RelationColumn("nom", TEXT, -1, False), "column `name` of `public.person` was changed"),
        (RelationColumn("name", NUMBER, -1, False), "column `name` of `public.person` was changed"),
        (RelationColumn("name", TEXT, 10, False), "column `name` of `public.person` was changed"),
    ],
)
def test_columns_that_were_changed_need_a_new_look(column: RelationColumn, why: str) -> None:
    with pytest.raises(OutOfStep, match=why):
        changes(Relation(7, "public", "person", "d", (*PERSON_SENT.columns[:2], column)))


def test_another_replica_identity_needs_a_new_look() -> None:
    keyless = tuple(RelationColumn(c.name, c.type, c.modifier, False) for c in PERSON_SENT.columns)
    with pytest.raises(OutOfStep, match="the replica identity"):
        changes(Relation(7, "public", "person", "i", keyless))


def test_other_tables_are_passed_over() -> None:
    assert changes(Insert(99, ("x",)), Truncate((99,))) == {}


@pytest.mark.parametrize("message", [Insert(8, ("1",)), Insert(8, ())])
def test_rows_that_are_too_short_are_refused(message: Insert) -> None:
    with pytest.raises(FollowError, match="too few values"):
        changes(message)


def test_a_row_before_the_description_of_its_table_is_refused() -> None:
    found = Transaction({7: PERSON}, {}, lambda table, key: None, lambda table: (), QuarantineChanges({}))
    with pytest.raises(FollowError, match="a row of the unknown table"):
        found.take(Insert(7, ()))
