"""The part of an engine that speaks with its state folder: durable epochs, change feeds, the log, edited programs.

Law: an epoch is on disk before it counts, and one that cannot be written is rolled back. Input that names its source
and offset is applied once. Without a state folder there is no history, and asking for it is an error. Where several
partitions write pieces of their own, all of them have done so before the epoch is recorded.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tidelog.engine.facts import program_facts
from tidelog.engine.open import Home
from tidelog.errors import EngineError
from tidelog.plan.planner import Planner, Runtime
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Program
from tidelog.runtime.coordinator import Coordinator
from tidelog.runtime.outcome import EpochOutcome
from tidelog.store.difference import Difference, compare_programs, fact_texts
from tidelog.store.durable import Durable, EpochRecord
from tidelog.store.history import Change, LogEntry, log_entries, texts_of, view_changes
from tidelog.store.restore import fill_partition
from tidelog.syntax import parse_program, print_rule

if TYPE_CHECKING:
    from tidelog.engine.epoch import Epoch
    from tidelog.engine.view import View


class Keeping:
    """What `Engine` inherits; the attributes are the engine's."""

    epoch_number: int
    _durable: Durable | None
    _home: Home
    _offsets: dict[str, int]
    _planner: Planner
    _runtime: Runtime
    _rules: Ruleset
    _writing: threading.RLock

    if TYPE_CHECKING:

        def __getitem__(self, name: str) -> View: ...

        def epoch(self, source: str | None = None, offset: int | None = None) -> Epoch: ...

        def _must_be_open(self) -> None: ...

    def changes(self, view: str, since: int = 0) -> list[Change]:
        """The change feed of a relation: (epoch, +1 or -1, fact) for every epoch after ``since``, each exactly once."""
        name, state = self[view].name, self._kept("a change feed")
        words = texts_of(state) if isinstance(self._runtime, Coordinator) else self._runtime.dictionary
        return list(view_changes(state, name, since, words))

    def log(self) -> list[LogEntry]:
        """The epochs that the state folder keeps, oldest first."""
        self._must_be_open()
        return list(log_entries(self._kept("a log")))

    def snapshot(self) -> None:
        """Write the whole state, so that the next opening need not read the log up to here."""
        self._must_be_open()
        with self._writing:
            self._take_snapshot(self._kept("a snapshot"), only_if_due=False)

    def epoch_to(self, program: str | Program) -> tuple[Epoch, Difference]:
        """An epoch that makes the program of the state say what the given one says, and how the two differ."""
        state = self._kept("a comparison of programs")
        given = parse_program(program) if isinstance(program, str) else program
        difference = compare_programs(self._rules.program, state.facts, given)
        epoch = self.epoch()
        epoch.removed = [rule.label or "" for rule in difference.removed]
        epoch.added = list(self._rules.label(difference.added))
        epoch.program = given if difference.other else None
        for sign, facts in ((1, difference.facts_added), (-1, difference.facts_removed)):
            told = parse_program("\n".join((f".convention {given.convention}", *facts)))
            epoch.facts += ((sign, name, rows) for _, name, rows in program_facts(told, self._rules.functions))
        epoch.text_facts = fact_texts(given)
        return epoch, difference

    def _kept(self, what: str) -> Durable:
        if self._durable is None or self._home.lasting is None:  # on Spark there may be one that nobody asked for
            raise EngineError(f"{what} needs a state folder: make the engine with `Engine(..., path=...)`")
        return self._durable

    def _is_repeated(self, epoch: Epoch) -> bool:
        """Whether an epoch brings input that was committed before."""
        if epoch.source is None or epoch.offset is None or epoch.source not in self._offsets:
            return False
        return epoch.offset <= self._offsets[epoch.source]

    def _make_durable(self, epoch: Epoch, rules: Ruleset, outcome: EpochOutcome) -> None:
        """The epoch is on disk before it counts; if it cannot be written it is rolled back."""
        if self._durable is None:
            return
        try:
            added = [print_rule(rule, rules.program.convention) for rule in epoch.added]
            note = EpochRecord(outcome.seconds, added, epoch.removed, epoch.source, epoch.offset, epoch.text_facts)
            self._record(self._durable, rules, note)
        except BaseException:
            self._runtime.rollback()
            raise

    def _record(self, durable: Durable, rules: Ruleset, note: EpochRecord) -> None:
        number, runtime = self.epoch_number + 1, self._runtime
        if isinstance(runtime, Coordinator):
            schema = self._planner.placing.next_form(rules).schema
            notes = runtime.write_pieces(number, schema, durable.changes_rules(rules))
            durable.record_pieces(number, notes, runtime.book, rules, note, runtime.places)
        else:
            durable.record(number, runtime, rules, note)

    def _take_snapshot(self, durable: Durable, *, only_if_due: bool) -> None:
        """Write the whole state; when it is due by itself, what goes wrong is a warning."""
        runtime, rules = self._runtime, self._rules
        if isinstance(runtime, Coordinator):
            schema, pieces = self._planner.placing.form.schema, runtime
            take = durable.snapshot_pieces_if_due if only_if_due else durable.snapshot_pieces
            take(runtime.book, rules, lambda epoch: pieces.snapshot_pieces(epoch, schema), pieces.remove_old_pieces)
        else:
            (durable.snapshot_if_due if only_if_due else durable.snapshot)(runtime, rules)

    def _fill(self, durable: Durable) -> None:
        """Give empty partitions the facts that the state folder holds, each its own, or one all of them."""
        runtime = self._runtime
        if isinstance(runtime, Coordinator):
            runtime.load_pieces(durable.epoch)
        else:
            fill_partition(runtime.partition, durable.image, self._rules.core.values())
        self._planner.placing.adopt(self._rules, durable.placements)
