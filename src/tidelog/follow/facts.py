"""The relations of an engine that follow tables: their columns, and their facts by key.

Law: a fact that is found was asserted and is in the last committed epoch. This holds for a relation without rules; for
one with rules, the database has to send the old row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tidelog.engine.engine import core_of
from tidelog.follow import follow_failures as failures
from tidelog.follow.catalog import FollowedTable, RelationColumns

if TYPE_CHECKING:
    from tidelog.engine.engine import Engine
    from tidelog.engine.read.query import PreparedQuery


class FactLookup:
    """Read access of a follower to the facts of an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._core = core_of(engine)
        self._queries: dict[str, PreparedQuery] = {}
        self._checked_program: object = None
        self._has_rules: frozenset[str] = frozenset()

    @property
    def is_durable(self) -> bool:
        """Whether the engine has a state folder, which remembers offsets."""
        return self._core.opened.lasting is not None

    @property
    def offsets(self) -> Mapping[str, int]:
        """By source: the last committed offset."""
        return self._core.offsets

    @property
    def memos(self) -> Mapping[str, str]:
        """By name: the texts that were stored with the offsets."""
        return self._core.memos

    def columns_of(self, relation: str) -> RelationColumns:
        """The columns of a relation, as far as the engine knows them."""
        declared = [d for d in self._engine.program.declarations if d.relation == relation]
        names = tuple(column.name for column in declared[0].columns) if declared else None
        types = self._core.rules.schema.get(relation)
        return RelationColumns(names, None if types is None else tuple(types))

    def asserted(self, table: FollowedTable) -> Iterable[tuple[Any, ...]]:
        """All asserted facts of the table's relation."""
        return self._engine.asserted(table.relation) if table.relation in self._engine else ()

    def find(self, table: FollowedTable, key: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The fact with this key, or None."""
        if table.relation not in self._engine:
            return None
        self.check_identity(table)
        if table.relation not in self._queries:
            variables = [f"V{place}" for place in range(len(table.columns))]
            bound = [variables[place] for place in table.key]
            text = f"{table.relation}({', '.join(variables)})"
            self._queries[table.relation] = self._engine.prepare(text, bind=bound)
        rows = self._queries[table.relation](*key).rows()
        if not rows:
            return None
        others = iter(rows[0])
        by_place = dict(zip(table.key, key, strict=True))
        return tuple(by_place[p] if p in by_place else next(others) for p in range(len(table.columns)))

    def check_identity(self, table: FollowedTable) -> None:
        """Raise if old rows would have to be looked up among facts that rules derive."""
        if self._engine.program is not self._checked_program:
            self._checked_program = self._engine.program
            heads = (rule.head.predicate for rule in self._engine.program.rules)
            self._has_rules = frozenset(heads) | frozenset(self._core.rules.asserted_elsewhere)
            self._queries.clear()
        if table.relation in self._has_rules and not (table.has_old_rows or table.key_is_all):
            why = f"relation `{table.relation}` has rules, so its facts do not determine the rows of the table"
            raise failures.NO_IDENTITY.error(table=table.title, why=why, identity="FULL")
