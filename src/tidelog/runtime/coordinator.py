"""The coordinator: one engine over several partitions.

Law: an epoch is run in rounds. All hosts take a step, every request is answered with what all of them said, and the
next step begins; messages go from host to host and never through here. An epoch is committed on all partitions or
undone on all. The rules themselves are also kept here, in a book without facts, which says how they are evaluated.

Recovery (D18): when a host is lost, all hosts begin anew from the last committed epoch in the state folder, and the
unfinished epoch is run again, a bounded number of times (`recovery`). Once an epoch is in the state folder it is
committed, whatever becomes of the hosts.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from tidelog.errors import EngineError, LimitError
from tidelog.io.view_files import Kinds
from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells
from tidelog.partition.dictionary import Dictionary
from tidelog.partition.limits import Limits
from tidelog.partition.owner import share_rows
from tidelog.plan.form import Form
from tidelog.plan.ruleset import Ruleset, Schema
from tidelog.plan.work import EpochWork, PlannedRule
from tidelog.program import Rule
from tidelog.program.functions import Function
from tidelog.runtime.call import Call
from tidelog.runtime.embedded import EmbeddedRuntime
from tidelog.runtime.epoch_steps import SENT, Host
from tidelog.runtime.nodes import Nodes
from tidelog.runtime.outcome import EpochOutcome, RowChanges
from tidelog.runtime.recovery import Recovery
from tidelog.runtime.request import NodeLost, Request, join_answers
from tidelog.runtime.runtime import Arriving, Counts, Planning
from tidelog.runtime.service import Ended, Service
from tidelog.store.durable import Durable, EpochRecord
from tidelog.store.history import texts_of
from tidelog.store.image import Image
from tidelog.store.restore import fill_partition
from tidelog.store.snapshot import Old
from tidelog.store.store import Store

T = TypeVar("T")
P = ParamSpec("P")


class Coordinator:
    """Carries out epochs on several partitions."""

    def __init__(self, functions: Mapping[str, tuple[Function, ...]], nodes: Nodes, dictionary: Dictionary) -> None:
        self.nodes = nodes
        self.book = EmbeddedRuntime(functions, dictionary=dictionary)
        self.places: dict[str, int] = {}
        self._limits = Limits()
        self._sizes: list[dict[str, int]] = [{} for _ in range(nodes.partitions)]  # by partition
        self._planned: dict[str, PlannedRule] = {}
        self._run = 0
        self._runs: dict[int, int] = {}  # by the number that readers have: under which number the hosts have it now
        self._forgotten: list[int] = []
        self._epochs: dict[int, int] = {}  # by the number that the hosts have: the committed epoch
        self._before: tuple[dict[str, int], list[dict[str, int]]] = ({}, self._sizes)
        self._work: tuple[int, EpochWork, Sequence[Arriving]] | None = None  # what ran last and is not committed
        self._store: Store | None = None
        self._epoch = self._next_epoch = 0
        self._on_slice: Callable[[], None] = lambda: None
        self._round = 0  # where the epoch is that runs, or that ran last
        self._stratum: tuple[str, ...] = ()
        self._recovery = Recovery(self._begin_anew, self._standing)

    # What an engine asks of a runtime

    @property
    def partitions(self) -> int:
        """How many partitions there are."""
        return self.nodes.partitions

    @property
    def session(self) -> object | None:
        """The Spark session that the partitions live in; None in this process."""
        return self.nodes.session

    @property
    def node(self) -> Host:
        """Where rules, plans and strata are known: a node without facts."""
        return self.book.node

    @property
    def dictionary(self) -> Dictionary:
        """The dictionary of the engine itself."""
        return self.book.partition.dictionary

    @property
    def on_slice(self) -> Callable[[], None]:
        """What is called between slices of work."""
        return self._on_slice

    @on_slice.setter
    def on_slice(self, call: Callable[[], None]) -> None:
        self._on_slice = self.book.on_slice = call  # the book works too: what rules give without any facts
        self.nodes.watch(call)

    def set_limits(self, limits: Limits) -> None:
        """The limits of every epoch from now on."""
        self._limits = limits
        self.book.set_limits(limits)
        self.nodes.ask(Service.set_limits, limits)

    def arity(self, name: str) -> int | None:
        """The number of columns of a relation, None if there is no such relation."""
        return self.book.arity(name)

    def adopt(
        self,
        arities: Mapping[str, int],
        groups: Iterable[Iterable[str]],
        rules: Iterable[PlannedRule],
        places: Mapping[str, int],
    ) -> None:
        """Take over the strata and rules of a state that was read."""
        self.places = dict(places)
        self._planned = {planned.rule.label or "": planned for planned in rules}
        strata = tuple(frozenset(group) for group in groups)
        self.book.set_limits(Limits())  # what stands kept to the limits of several epochs, and is one here
        self.book.run(EpochWork(arities, added=tuple(self._planned.values()), strata=strata, places=self.places))
        self.book.commit()  # an epoch, so that the book holds what rules give without any facts
        self.book.set_limits(self._limits)
        generation = self._recovery.generation

        def tell() -> list[dict[str, int]]:
            if generation == self._recovery.generation:  # else they were told when they began anew
                self._give_rules()
            return self.nodes.ask(Service.sizes)

        self._sizes = self._recovery.repeat(tell)

    def run(self, work: EpochWork, arriving: Sequence[Arriving] = ()) -> EpochOutcome:
        """Carry out an epoch up to its commit; raises and leaves no trace if it cannot be done."""
        self._recovery.take_turn()
        try:
            ended = self._recovery.repeat(lambda: self._attempt(work, arriving))
        except BaseException:
            self._recovery.end_turn()
            raise
        self._work = (self._run, work, arriving)
        return self._outcome(ended)

    def rollback(self) -> None:
        """Undo the epoch that ran last and is not committed."""
        self._work = None
        self._take_back()
        with self._undisturbed():
            self._recovery.try_once(lambda: self.nodes.ask(Service.rollback))
        self._recovery.end_turn()

    def commit(self) -> None:
        """Make the epoch that ran last the committed one."""
        assert self._work is not None, "no epoch ran"
        (_, work, _), self._work = self._work, None
        with self._recovery.together, self._undisturbed():
            self.book.commit()
            for label in work.removed:
                self._planned.pop(label, None)
            self._planned.update((p.rule.label or "", p) for p in (*work.added, *work.replanned))
            self._epoch = self._epochs[self._run] = self._next_epoch
            self._recovery.try_once(lambda: self.nodes.ask(Service.commit))
        self._recovery.end_turn()

    # The state folder

    def open_state(self, durable: Durable) -> None:
        """Each partition opens its piece of a state folder."""
        self._store = durable.store
        self.nodes.ask(Service.open_piece, durable.store, {})

    def fill(self, durable: Durable, core: Iterable[Rule]) -> None:
        """Empty partitions take over their pieces."""
        epoch = self._epoch = self._next_epoch = durable.epoch
        self._recovery.try_once(lambda: self.nodes.ask(Service.load_piece, epoch))

    def record(self, durable: Durable, epoch: int, rules: Ruleset, schema: Schema, note: EpochRecord) -> None:
        """Each partition makes its part of the epoch that ran last durable; then the epoch is recorded."""
        self._next_epoch = epoch
        bases = durable.changes_rules(rules)
        notes = self._recovery.repeat(lambda: self.nodes.ask(Service.write_piece, epoch, dict(schema), bases))
        durable.record_pieces(epoch, notes, self.node, rules, note, self.places)

    def snapshot(self, durable: Durable, rules: Ruleset, schema: Schema, *, only_if_due: bool) -> None:
        """Each partition writes all that it holds; when that is due by itself, what goes wrong is a warning."""

        def take(epoch: int) -> object:
            return self._recovery.repeat(lambda: self.nodes.ask(Service.snapshot_piece, epoch, dict(schema)))

        def remove(old: Old) -> object:
            return self._recovery.repeat(lambda: self.nodes.ask(Service.remove_old_piece, old))

        act = durable.snapshot_pieces_if_due if only_if_due else durable.snapshot_pieces
        act(self.node, rules, take, remove)

    def texts_of(self, durable: Durable) -> Dictionary:
        """The values behind all ids, out of the pieces: partitions forget those that no fact has any more."""
        return texts_of(durable)

    # Reading

    def repeat(self, act: Callable[[], T]) -> T:
        """Do something that the loss of a host may prevent, as often as is needed."""
        return self._recovery.repeat(act)

    def ask(self, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs) -> list[T]:
        """What all nodes answer to the same call, out of one epoch."""
        return self._recovery.ask(lambda: self.nodes.ask(method, *args, **named))

    def rows(self, name: str) -> Cells:
        """The facts of a relation at the last committed epoch."""
        return np.concatenate(self._ask_owners(name, Service.rows, name))

    def counts(self, name: str) -> tuple[Cells, ...]:
        """Columns, ranks, ``all``, ``low`` and assertion of the facts of a relation at the last committed epoch."""
        return tuple(map(np.concatenate, zip(*self._ask_owners(name, Service.counts, name), strict=True)))

    def rows_with_keys(self, name: str, columns: tuple[int, ...], rows: Cells) -> Cells:
        """The rows present before the epoch that share a key with one of ``rows``."""
        return np.concatenate(self._ask_owners(name, Service.rows_with_keys, name, columns, rows))

    def live(self, name: str) -> int:
        """The number of facts of a relation."""
        parts = self._sizes[:1] if self._is_mirrored(name) else self._sizes
        return sum(part.get(name, 0) for part in parts)

    def distinct_keys(self, name: str, columns: tuple[int, ...]) -> int | None:
        """About how many keys a relation has, if there is an index that tells."""
        found = [keys for keys in self._ask_owners(name, Service.distinct_keys, name, columns) if keys is not None]
        return sum(found) if found else None

    def held(self, name: str) -> list[Counts]:
        """The facts of a relation with their counts, as each partition holds them."""
        return self.ask(Service.counts, name)

    def whole(self, form: Form, rules: Ruleset, planning: Planning) -> Host:
        """What all partitions hold, put together in one node: every fact once, with the lowest of its ranks.

        All facts pass through this process: it is for questions about single facts, not for data.
        """
        image = Image(placements=dict(form.places), pieces=[Image(relations=held) for held in self.ask(Service.image)])
        found = Host(rules.functions, dictionary=self.dictionary)
        fill_partition(found.partition, image, form.core.values())
        arities = {name: arity for name in self.node.strata if (arity := self.arity(name)) is not None}
        found.adopt(arities, self.node.groups, map(planning(), form.core.values()))
        return found

    def write_view(
        self,
        folder: str,
        name: str,
        columns: Sequence[str],
        types: Sequence[str | None],
        changes: RowChanges | None = None,
        *,
        lists_as_text: bool = False,
    ) -> list[Kinds]:
        """Let every partition write its rows of a relation, or of what an epoch changed in it, to a file of its own."""
        run = None if changes is None else self._runs.get(changes.run, changes.run)
        files = [f"{folder}/part-{number}.parquet" for number in range(self.partitions)]
        given = (name, tuple(types), tuple(columns), run, lists_as_text)

        def write() -> list[Kinds]:
            if self._is_mirrored(name):
                return [self.nodes.ask_one(0, Service.write_view, files[0], *given)]
            return self.nodes.ask_each([Call(Service.write_view, file, *given) for file in files])

        return self._recovery.ask(write)

    @property
    def memory(self) -> int:
        """Bytes held by facts, indexes and journals on all partitions."""
        return sum(self.ask(Service.memory))

    @property
    def fact_count(self) -> int:
        """The number of facts held, auxiliary relations included."""
        return sum(map(self.live, {name for part in self._sizes for name in tuple(part)}))

    def close(self) -> None:
        """End the hosts."""
        self.nodes.close()

    # Inner workings

    def _attempt(self, work: EpochWork, arriving: Sequence[Arriving]) -> list[Ended]:
        """One attempt at an epoch."""
        self._run += 1
        self.nodes.start_epoch(self._run)
        self._before = (dict(self.places), [dict(part) for part in self._sizes])
        self.places.update(work.places)
        try:
            self.book.run(replace(work, inserts={}, deletes={}, staged=(), signed={}))
            ended = self._rounds(replace(work, staged=self.nodes.send(arriving, self.places)) if arriving else work)
        except NodeLost:
            self._take_back()
            raise
        except BaseException:
            self._take_back()
            with self._undisturbed():
                self._recovery.try_once(self._undo)
            self._forgotten.append(self._run)  # hosts that came to the end keep its changes, which nobody reads
            raise
        for part, end in zip(self._sizes, ended, strict=True):
            part.update(end.outcome.sizes)
        return ended

    def _undo(self) -> None:
        """Nothing is left of an epoch that hosts are still at, or did."""
        self.nodes.interrupt()
        self.nodes.ask(Service.rollback)

    def _take_back(self) -> None:
        self.places, self._sizes = self._before
        self.book.rollback()

    @contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """What must not be left half done is not interrupted."""
        self.nodes.watch(lambda: None)
        try:
            yield
        finally:
            self.nodes.watch(self._on_slice)

    def _begin_anew(self) -> None:
        """New hosts at the last committed epoch; on them the epoch that ran last and is not committed is run again.

        It gives the same facts, perhaps with other ranks.
        """
        if self._store is None:
            raise EngineError("a partition is lost, and there is no state folder to begin anew from")
        if self._work is not None:
            self._take_back()
        self.nodes.restart()
        self.nodes.ask(Service.set_limits, self._limits)
        self.nodes.ask(Service.open_piece, self._store, self._epochs)
        if self._epoch:
            self.nodes.ask(Service.load_piece, self._epoch)
        self._give_rules()
        if self._work is not None:
            first, work, send = self._work
            self._attempt(work, send)
            self._runs[first] = self._run

    def _give_rules(self) -> None:
        arities = {name: arity for name in self.node.strata if (arity := self.arity(name)) is not None}
        groups = [sorted(group) for group in self.book.node.groups]
        self.nodes.ask(Service.adopt, arities, groups, list(self._planned.values()), self.places)

    def _rounds(self, work: EpochWork) -> list[Ended]:
        forgotten = self._forget()
        steps = self.nodes.ask_each([Call(Service.start, self._run, share, forgotten) for share in self._shares(work)])
        self._round, self._stratum = 0, ()
        while requests := [step for step in steps if isinstance(step, Request)]:
            assert len(requests) == len(steps), "partitions are at different places"
            self._round, self._stratum = self._round + 1, requests[0].stratum
            self._check_limits(requests)
            self._on_slice()
            answer = join_answers(requests)
            if requests[0].kind == "any" and self.nodes.has_messages():
                assert isinstance(answer, int)
                answer |= SENT
            steps = self.nodes.ask(Service.resume, answer, self._run)
        ended = [step for step in steps if isinstance(step, Ended)]
        self._check_limits([end.outcome for end in ended])
        return ended

    def _forget(self) -> tuple[int, ...]:
        """The runs, as hosts know them, whose changes nobody wants any more."""
        count = len(self._forgotten)
        found = tuple(self._runs.pop(run, run) for run in self._forgotten[:count])
        del self._forgotten[:count]
        for run in found:
            self._epochs.pop(run, None)
        return found

    def _shares(self, work: EpochWork) -> list[EpochWork]:
        """The same work for every partition, each with its own facts."""
        inserts, deletes = self._share(work.inserts), self._share(work.deletes)
        signed: list[dict[str, list[tuple[int, Cells]]]] = [{} for _ in inserts]
        for name, parts in work.signed.items():
            for sign, rows in parts:
                for share, part in zip(
                    signed, share_rows(rows, self.places.get(name, 0), self.partitions), strict=True
                ):
                    share.setdefault(name, []).append((sign, part))
        return [
            replace(work, inserts=plus, deletes=minus, signed=both)
            for plus, minus, both in zip(inserts, deletes, signed, strict=True)
        ]

    def _share(self, rows: Mapping[str, Cells]) -> list[dict[str, Cells]]:
        shares = {name: share_rows(cells, self.places.get(name, 0), self.partitions) for name, cells in rows.items()}
        return [{name: parts[number] for name, parts in shares.items()} for number in range(self.partitions)]

    def _standing(self) -> str:
        """Where the last epoch was, and which state stands."""
        own = [f"`{p.rule.label}`" for p in self._planned.values() if p.rule.head.predicate in self._stratum]
        rules = ", ".join(own[:5]) + (", ..." if len(own) > 5 else "")
        stratum = f", stratum {', '.join(self._stratum)} (rules {rules or 'none'})" if self._stratum else ""
        return f"last seen in round {self._round}{stratum}; the state is that of epoch {self._epoch}"

    def _check_limits(self, requests: Sequence[Request | EpochOutcome]) -> None:
        limits = self._limits
        facts, used = sum(r.facts for r in requests), sum(r.bytes for r in requests)
        if limits.facts is not None and facts > limits.facts:
            raise LimitError(f"the epoch made {facts:,} facts, its limit is {limits.facts:,}; nothing was changed")
        if limits.memory is not None and used > limits.memory:
            raise LimitError(f"the relations need {used:,} bytes, the limit is {limits.memory:,}; nothing was changed")

    def _outcome(self, ended: Sequence[Ended]) -> EpochOutcome:
        """What the partitions did, together."""
        parts = [end.outcome for end in ended]
        names = sorted({name for end in ended for name in end.changed})
        run = self._run
        changes = RowChanges({name: self._reader(run, name) for name in names})
        changes.run = run
        weakref.finalize(changes, self._forgotten.append, run).atexit = False
        found = EpochOutcome(changes)
        found.seconds = max(part.seconds for part in parts)
        found.rounds = max(part.rounds for part in parts)
        found.exchanges = max(part.exchanges for part in parts)
        for part in parts:
            found.suspended += part.suspended
            found.revived += part.revived
            found.messages += part.messages
            for label, count in part.supports.items():
                found.supports[label] = found.supports.get(label, 0) + count
        found.strata = _joined_strata(parts)
        return found

    def _reader(self, run: int, name: str) -> Callable[[], tuple[Cells, Cells]]:
        def ask() -> list[tuple[Cells, Cells]]:
            return self._of_owners(name, Service.changes, self._runs.get(run, run), name)

        def read() -> tuple[Cells, Cells]:
            plus, minus = zip(*self._recovery.ask(ask), strict=True)
            return np.concatenate(plus), np.concatenate(minus)

        return read

    def _is_mirrored(self, name: str) -> bool:
        return self.places.get(name) == at.ON_ALL

    def _ask_owners(
        self, name: str, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs
    ) -> list[T]:
        return self._recovery.ask(lambda: self._of_owners(name, method, *args, **named))

    def _of_owners(
        self, name: str, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs
    ) -> list[T]:
        """Ask all partitions, or one if each of them holds the whole relation."""
        if self._is_mirrored(name):
            return [self.nodes.ask_one(0, method, *args, **named)]
        return self.nodes.ask(method, *args, **named)


def _joined_strata(parts: Sequence[EpochOutcome]) -> list[Any]:
    """The statistics of strata, added up over the partitions; times are those of the slowest."""
    found: dict[tuple[str, ...], Any] = {}
    for part in parts:
        for stratum in part.strata:
            known = found.setdefault(
                stratum.relations, replace(stratum, seconds=0.0, supports=0, suspended=0, revived=0)
            )
            known.seconds = max(known.seconds, stratum.seconds)
            known.supports += stratum.supports
            known.suspended += stratum.suspended
            known.revived += stratum.revived
    return list(found.values())
