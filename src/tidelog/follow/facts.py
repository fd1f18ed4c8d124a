"""What an engine knows of the relations that are followed: their columns, and their facts by key.

Law: a fact that is found was asserted and is in the last committed epoch. This holds for a relation without rules; for
one with rules, the database has to send the old row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tidelog.engine.engine import core_of
from tidelog.follow import follow_failures as failures
from tidelog.follow.catalog import FollowedTable, Known

if TYPE_CHECKING:
    from tidelog.engine.engine import Engine
    from tidelog.engine.read.query import Prepared


class Facts:
    """The facts of an engine, as a follower looks at them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._core = core_of(engine)
        self._asked: dict[str, Prepared] = {}
        self._looked_at: object = None
        self._has_rules: frozenset[str] = frozenset()

    @property
    def lasts(self) -> bool:
        """Whether the engine has a state folder, which remembers offsets."""
        return self._core.opened.lasting is not None

    @property
    def offsets(self) -> Mapping[str, int]:
        """By source: the last offset that was committed."""
        return self._core.offsets

    @property
    def memos(self) -> Mapping[str, str]:
        """By name: what was written down with the offsets."""
        return self._core.memos

    def known(self, relation: str) -> Known:
        """What the engine knows of a relation."""
        declared = [d for d in self._engine.program.declarations if d.relation == relation]
        names = tuple(column.name for column in declared[0].columns) if declared else None
        types = self._core.rules.schema.get(relation)
        return Known(names, None if types is None else tuple(types))

    def asserted(self, table: FollowedTable) -> Iterable[tuple[Any, ...]]:
        """All facts that were asserted of a table's relation."""
        return self._engine.asserted(table.relation) if table.relation in self._engine else ()

    def find(self, table: FollowedTable, key: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The fact that has a key."""
        if table.relation not in self._engine:
            return None
        self.check_identity(table)
        if table.relation not in self._asked:
            variables = [f"V{place}" for place in range(len(table.columns))]
            bound = [variables[place] for place in table.key]
            text = f"{table.relation}({', '.join(variables)})"
            self._asked[table.relation] = self._engine.prepare(text, bind=bound)
        found = self._asked[table.relation](*key).rows()
        if not found:
            return None
        others = iter(found[0])
        by_place = dict(zip(table.key, key, strict=True))
        return tuple(by_place[p] if p in by_place else next(others) for p in range(len(table.columns)))

    def check_identity(self, table: FollowedTable) -> None:
        """Refuse to look for old rows among facts that rules derive."""
        if self._engine.program is not self._looked_at:
            self._looked_at = self._engine.program
            heads = (rule.head.predicate for rule in self._engine.program.rules)
            self._has_rules = frozenset(heads) | frozenset(self._core.rules.asserted_elsewhere)
            self._asked.clear()
        if table.relation in self._has_rules and not (table.has_old_rows or table.key_is_all):
            why = f"relation `{table.relation}` has rules, so its facts do not determine the rows of the table"
            raise failures.NO_IDENTITY.error(table=table.title, why=why, identity="FULL")
