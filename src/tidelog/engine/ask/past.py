"""What past epochs changed, read from the state folder: base facts, rules, and the facts of a view.

Law: the changes of several epochs are reported net; each change names the last epoch that made it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tidelog.blame.blame_failures import NO_CHANGE, NO_SUCH_EPOCHS
from tidelog.blame.change import Change, Origin, Row, RuleChanged
from tidelog.engine.ask.search_causes import Case, group_columns
from tidelog.engine.ask.trial_bench import Bench
from tidelog.engine.open.copy import alone
from tidelog.engine.read.view import Rows
from tidelog.engine.write.epoch_input import expired_cells, fact_changes, relations_behind, rule_changes
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Program
from tidelog.program.graph.asserted_facts import users_name
from tidelog.program.graph.lifetime import EXPIRIES
from tidelog.rewrite.names import is_auxiliary
from tidelog.store.folder.assertions import PastEpoch, SignedRows, past_epochs, rules_at
from tidelog.store.folder.history import texts_of, view_changes, with_shapes
from tidelog.store.image.rules import ruleset_from_values

if TYPE_CHECKING:
    from tidelog.engine.core.core import Core
    from tidelog.io.fact_text import FactWriter
    from tidelog.partition.texts.dictionary import Dictionary
    from tidelog.store.folder.durable import Durable


def origin_of(epoch: int, header: Mapping[str, Any]) -> Origin:
    """Source, author and note of an epoch, from its header in the log."""
    source, offset = next(iter(header.get("offsets", {}).items()), (None, None))
    return Origin(epoch, header.get("author"), header.get("note"), source, offset, header["time"])


@dataclass(frozen=True, slots=True)
class Past:
    """Some epochs of a state folder, and the rules before and after each."""

    since: int
    epochs: Sequence[PastEpoch]
    rules: Sequence[Ruleset]
    dictionary: Dictionary

    @classmethod
    def read(cls, core: Core, state: Durable, since: int, until: int) -> Past:
        """The epochs after one, up to another."""
        if not 0 <= since < until <= state.epoch:
            raise NO_SUCH_EPOCHS.error(since=since, until=until, last=state.epoch)
        epochs = list(past_epochs(state, since, until, lambda name: True))
        values = [rules_at(state, since), *(past.header.get("rules") for past in epochs)]
        rules = [Ruleset(Program(convention=core.rules.program.convention), core.rules.functions)]
        for stored in values:
            same = rules[-1] if stored is None else ruleset_from_values(stored, core.rules.functions, state.store.name)
            rules.append(same)
        return cls(since, epochs, rules[1:], texts_of(state) if state.partitions else core.dictionary)

    @property
    def described(self) -> str:
        """The epochs in words."""
        last = self.epochs[-1].epoch
        return f"epoch {last}" if len(self.epochs) == 1 else f"the epochs {self.since + 1} to {last}"

    def split(self, last: int) -> tuple[Past, Past | None]:
        """The epochs up to a given one, and those after it, if there are any."""
        if not self.since < last <= self.epochs[-1].epoch:
            raise NO_SUCH_EPOCHS.error(since=self.since, until=last, last=self.epochs[-1].epoch)
        count = sum(past.epoch <= last for past in self.epochs)
        chosen = Past(self.since, self.epochs[:count], self.rules[: count + 1], self.dictionary)
        later = Past(last, self.epochs[count:], self.rules[count:], self.dictionary)
        return chosen, later if later.epochs else None

    def changes(self, core: Core) -> list[Change]:
        """All changes of base facts and rules, net."""
        origins = self._origins()
        names = {part[0] for past in self.epochs for part in past.assertions}
        shown = frozenset(users_name(name) or name if is_auxiliary(name) else name for name in names)
        return [*self._rule_changes(origins), *self._fact_changes(core, origins, shown)]

    def touched(self, keys: Mapping[str, tuple[int, ...]]) -> dict[tuple[str, object], int]:
        """What the epochs changed, each with the last epoch: facts by their key, rules by label, declarations."""
        found: dict[tuple[str, object], int] = {}
        for place, past in enumerate(self.epochs):
            before, after = (rules.program for rules in self.rules[place : place + 2])
            for change in rule_changes(before, after, Origin(past.epoch)):
                found["rule" if isinstance(change, RuleChanged) else "declarations", _place(change)] = past.epoch
            for name, _, row in self._decoded(place, past.assertions):
                found[name, key_of(row, keys.get(name))] = past.epoch
            for name, _, row in self._lifetimes(place):
                found[name, key_of(row, keys.get(name))] = past.epoch
        return found

    def changed_lifetimes(self) -> list[str]:
        """The relations in which facts lost or changed their lifetime, other than by expiring."""
        found: set[str] = set()
        for place in range(len(self.epochs)):
            ended = self._expired(place)
            gone = ((name, row) for name, sign, row in self._lifetimes(place) if sign < 0)
            found.update(name for name, row in gone if (name, row) not in ended)
        return sorted(found)

    def _lifetimes(self, place: int) -> Iterator[tuple[str, int, Row]]:
        """The facts whose lifetime began, changed or ended in one of the epochs."""
        for name, sign, cells, types in self.epochs[place].rows:
            if name.startswith(EXPIRIES):
                part = name.removeprefix(EXPIRIES), sign, cells[:, :-2], types[:-2]
                yield from self._decoded(place, [part])

    def _origins(self) -> list[Origin]:
        return [origin_of(past.epoch, past.header) for past in self.epochs]

    @contextmanager
    def case(self, core: Core, relation: str) -> Iterator[Case]:
        """How a relation changed, on an engine in the state after the last of the epochs."""
        behind = relations_behind(self.rules, relation)
        inserted, deleted = self._view_rows(relation)
        origins = self._origins()
        origin = origins[-1]
        changes = [*self._rule_changes(origins), *self._fact_changes(core, origins, behind)]
        with alone(core, behind) as there:
            yield Case(
                Bench(there, changes, True), relation, inserted, deleted, origin, (self.rules[0], self.rules[-1])
            )

    def _rule_changes(self, origins: Sequence[Origin]) -> list[Change]:
        """The net changes of rules, each with the last epoch that changed the same rule or declarations."""
        last: dict[object, Origin] = {}
        for origin, before, after in zip(origins, self.rules, self.rules[1:], strict=False):
            last.update((_place(change), origin) for change in rule_changes(before.program, after.program, origin))
        net = rule_changes(self.rules[0].program, self.rules[-1].program, origins[-1])
        return [replace(change, origin=last[_place(change)]) for change in net]

    def _writer(self, core: Core) -> Callable[[str], FactWriter]:
        return lambda name: core.fact_writer(name, self.rules[-1] if name in self.rules[-1].schema else self.rules[0])

    def _fact_changes(self, core: Core, origins: Sequence[Origin], behind: frozenset[str]) -> list[Change]:
        last: dict[tuple[str, Row], Origin] = {}
        signed: list[tuple[str, int, Row]] = []
        expired: set[tuple[str, Row]] = set()
        for place, origin in enumerate(origins):
            ended = self._expired(place)
            for name, sign, row in self._decoded(place, self.epochs[place].assertions):
                if name in behind:
                    last[name, row] = origin
                    signed.append((name, sign, row))
                    (expired.add if (name, row) in ended else expired.discard)((name, row))
        net = fact_changes(signed, self.rules[-1].program, origins[-1], expired, self._writer(core))
        return [replace(change, origin=last[change.relation, change.new or change.old or ()]) for change in net]

    def _expired(self, place: int) -> set[tuple[str, Row]]:
        """The facts whose lifetime ended in one of the epochs."""
        rows = self.epochs[place].rows
        types = {name: stored[:-2] for name, _, _, stored in rows if name.startswith(EXPIRIES)}
        ended = expired_cells((name, sign, cells) for name, sign, cells, _ in rows)
        parts = [(name, -1, cells, types[EXPIRIES + name]) for name, cells in ended.items()]
        return {(name, row) for name, _, row in self._decoded(place, parts)}

    def _view_rows(self, relation: str) -> tuple[list[Row], list[Row]]:
        sums: dict[Row, int] = {}
        for place, past in enumerate(self.epochs):
            for _, sign, row in self._decoded(place, [part for part in past.rows if part[0] == relation]):
                sums[row] = sums.get(row, 0) + sign
        return [row for row, total in sums.items() if total > 0], [row for row, total in sums.items() if total < 0]

    def _decoded(self, place: int, parts: Sequence[SignedRows]) -> Iterator[tuple[str, int, Row]]:
        """Rows that one of the epochs inserted or deleted, with their types after or before it."""
        for name, sign, cells, types in parts:
            shown = users_name(name) if is_auxiliary(name) else name
            if shown is not None:
                shaped = with_shapes(types, self.rules[place + (sign > 0)], shown)
                yield from ((shown, sign, row) for row in Rows(name, (), shaped, self.dictionary, cells).rows())


def key_of(row: Row, columns: tuple[int, ...] | None) -> Row:
    """What identifies a row of a relation: the columns of its key, or all of them."""
    return row if columns is None else tuple(row[column] for column in columns)


def _place(change: Change) -> object:
    """The part of a program that a change concerns."""
    return getattr(change, "label", None)


def last_change(core: Core, state: Durable, relation: str, values: Row | None) -> int:
    """The last epoch that changed a fact, the row of its group, or, without values, anything of a relation."""
    dictionary = texts_of(state) if state.partitions else core.dictionary
    segments = state.log.segments
    first = segments[0] - 1 if segments else 0
    columns = [] if values is None else group_columns((core.rules,), relation, len(values))
    found = 0
    wanted = None if values is None else [values[column] for column in columns]
    for epoch, _, row in view_changes(state, relation, first, dictionary, core.rules):
        if wanted is None or [row[column] for column in columns] == wanted:  # as lists: NaN is itself
            found = epoch
    if not found:
        fact = relation if values is None else core.fact_writer(relation)(values)
        raise NO_CHANGE.error(fact=fact, where=f"the epochs that are kept, {first + 1} to {state.epoch}")
    return found
