"""A program and a follower for tests, and the judge: the same question as recursive SQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.follow.conftest import Database
from tidelog import Engine
from tidelog.follow import Follower, follow
from tidelog.follow.patience import Patience

REACH = """
.decl link(source: symbol, target: symbol)
.decl reach(source: symbol, target: symbol)
reach(x, y) :- link(x, y).
reach(x, z) :- reach(x, y), link(y, z).
"""
LINK = "CREATE TABLE link (source text, target text, note text, PRIMARY KEY (source, target))"
JUDGE = """
WITH RECURSIVE reach(source, target) AS (
  SELECT source, target FROM link UNION SELECT r.source, l.target FROM reach r JOIN link l ON l.source = r.target)
SELECT source, target FROM reach ORDER BY 1, 2
"""
SECONDS = 60.0


@contextmanager
def following(engine: Engine, database: Database, **options: Any) -> Iterator[Follower]:
    """A follower that tries again at once."""
    given = {"tables": {"link": "public.link"}, "patience": Patience(0.02, 0.2), **options}
    with follow(engine, database.dsn, **given) as found:
        yield found.start()


def caught_up(follower: Follower, database: Database) -> Follower:
    """The follower, once everything that was committed is in the engine."""
    assert follower.wait(database.end(), SECONDS), follower.health
    return follower


def judged(database: Database) -> list[tuple[object, ...]]:
    """What recursive SQL says."""
    return database.run(JUDGE)


def refused(engine: Engine, database: Database, table: str, relation: str = "link", **options: Any) -> str:
    """The code and the text with which a table is refused."""
    import pytest

    from tidelog.follow.errors import FollowError

    with pytest.raises(FollowError) as raised:
        follow(engine, database.dsn, tables={relation: table}, **options).check()
    return f"{raised.value.code}: {raised.value}; {raised.value.hint}"
