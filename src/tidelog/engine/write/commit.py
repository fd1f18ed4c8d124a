"""Committing an epoch: run, check keys and constraints, record, publish; or preview it and roll it back.

Law: an epoch counts when it is recorded and the runtime has committed it; any earlier failure leaves the engine at the
previous epoch. An epoch whose maker waits for a common sync is visible before it is durable. What is done afterwards
(statistics, feeds, listeners, snapshots) cannot undo it.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.base.arguments import check_source
from tidelog.engine.base.collector import MANY_RULES, collecting_seldom
from tidelog.engine.base.committed_epoch import CommittedEpoch
from tidelog.engine.base.engine_time import Moment, microseconds
from tidelog.engine.base.facts import program_facts
from tidelog.engine.base.meter import LOG
from tidelog.engine.base.signature import Signature
from tidelog.engine.core.core import Core
from tidelog.engine.read.report import Changes, no_change, row_text
from tidelog.engine.write.constraints import check_constraints, enforce
from tidelog.engine.write.declare import begins_declaration, read_declarations, with_declarations
from tidelog.engine.write.durable import is_repeated, kept_at_once, record, take_snapshot, types_before
from tidelog.engine.write.epoch import CollectedChanges, Epoch, keep_input
from tidelog.engine.write.epoch_input import EpochInput, input_of
from tidelog.engine.write.instances import add_instance, remove_instance
from tidelog.engine.write.prepare import EVERY_STAGE, PreparedEpoch, prepare
from tidelog.engine.write.report import report
from tidelog.engine.write.stages import road_of
from tidelog.engine.write.typos import check_changes, check_symbols
from tidelog.errors import ConstraintError, StateWarning
from tidelog.io.match_names import report_ignored
from tidelog.partition.memory.keys import KeyClash
from tidelog.program import SOUFFLE, Instance, Program, Rule
from tidelog.program.functions.arguments import must_be
from tidelog.program.graph.inline import inline_relations
from tidelog.program.values.program import SEPARATOR
from tidelog.rewrite.names import is_auxiliary
from tidelog.runtime.base.interrupts import Guard
from tidelog.runtime.base.outcome import EpochOutcome
from tidelog.store.base.memos import change_memos
from tidelog.store.image.difference import fact_texts
from tidelog.syntax import parse_rule

if TYPE_CHECKING:
    from tidelog.blame import Blame, ViewBlame
    from tidelog.engine.read.ask import Fact
    from tidelog.engine.write.violations import Violation
    from tidelog.partition.texts.dictionary import Dictionary
    from tidelog.plan.ruleset import Schema
    from tidelog.store.log.markers import PieceContext

AS_USUAL = nullcontext()


@dataclass(frozen=True, slots=True)
class Committer:
    """The interface between an epoch and the engine that it changes (`epoch.Target`)."""

    core: Core

    @property
    def takes_arrivals(self) -> bool:
        """Whether rows of Spark DataFrames go directly to the partitions."""
        return self.core.runtime.session is not None

    def check_relation(self, name: str, program: Program | None) -> None:
        """Refuse facts for relations that neither the program nor the one given with the epoch admits."""
        admitted = road_of(self.core, self.core.rules).admitted
        if program is None and type(name) is str and name in admitted:
            return
        self._look_at_relation(name, program)
        if program is None:
            admitted.add(name)

    def _look_at_relation(self, name: str, program: Program | None) -> None:
        must_be(name, str, "relation", "the name of a relation")
        if is_auxiliary(name):
            raise failures.OWN_NAME.error(name=name)
        # Soufflé's names may hold `?`, and periods between the names of instances; NDlog's have `::` after namespaces.
        parts = name.replace("::", SEPARATOR).split(SEPARATOR)
        if not all(part.replace("?", "").isidentifier() for part in parts):
            raise failures.NO_NAME.error(name=name)
        rules = self.core.rules
        if name in inline_relations(rules.program if program is None else program):
            raise failures.INLINE_FACTS.error(name=name)
        declared = () if program is None else (d.relation for d in program.declarations)
        if rules.program.convention == SOUFFLE and name not in rules.schema and name not in declared:
            raise self.core.unknown_relation(name)

    def is_repeated(self, epoch: Epoch) -> bool:
        """Whether the input of an epoch was already committed."""
        return is_repeated(self.core, epoch)

    def check_label(self, label: str) -> None:
        """Refuse a label that no rule has."""
        must_be(label, str, "label", "the label of a rule")
        self.core.rules.rule(label)

    def read_rule(self, text: str | Rule, label: str | None, taken: Sequence[str], *, again: bool = False) -> Rule:
        """Parse a rule and give it a label that was never used; a rule that is added ``again`` keeps its label."""
        must_be(text, (str, Rule), "text", "a rule, as text or as a value")
        must_be(label, (str, type(None)), "label", "a label for the rule, or None")
        rules = self.core.rules
        if isinstance(text, str) and (found := begins_declaration(text)):
            raise failures.NOT_A_RULE.error(found=found)
        if isinstance(text, str):
            program = rules.program
            rule = parse_rule(text, convention=program.convention, prefixes=program.prefixes)
        else:
            rule = text
        rule = rule if label is None else replace(rule, label=label)
        check_symbols(self.core, [rule])
        return rule if again and rule.label is not None else rules.label([rule], taken)[0]

    def declare(self, collected: CollectedChanges, text: str) -> Program:
        """Collect declarations and the facts beside them; returns the program of the text."""
        before = self.core.rules.program if collected.program is None else collected.program
        given = read_declarations(text, before.convention, before.prefixes)
        after = with_declarations(before, given)
        collected.program = after if after != before else collected.program
        collected.facts += program_facts(given, self.core.rules.functions)
        return given

    def add_instance(self, collected: CollectedChanges, instance: str | Instance) -> str:
        """Collect what an instance adds; returns its name."""
        return add_instance(self.core, collected, instance)

    def remove_instance(self, collected: CollectedChanges, name: str) -> None:
        """Collect what is removed with an instance."""
        remove_instance(self.core, collected, name)

    def no_changes(self) -> Changes:
        """The report of an epoch that changes nothing."""
        return Changes({}, lambda name: no_change(self.core, name))

    def commit(self, epoch: Epoch) -> None:
        """Commit an epoch."""
        self.core.must_be_open()
        if self.core.durable is not None:
            self.core.durable.must_be_writable()
        began = time.perf_counter()
        try:
            commit(self.core, epoch)
        except ConstraintError as error:
            from tidelog.engine.write.refusal_causes import with_causes  # few epochs are refused

            raise with_causes(self.core, epoch, error, time.perf_counter() - began) from None

    def blame(self, epoch: Epoch, fact: Fact | Violation, trials: int) -> Blame | ViewBlame:
        """Why a fact changed in an epoch that ran."""
        found: Blame | ViewBlame = self.core.find_causes(self.core, epoch, fact, trials)
        return found


def begin(
    core: Core,
    source: str | None = None,
    offset: int | None = None,
    *,
    author: str | None = None,
    note: str | None = None,
    at: Moment | None = None,
) -> Epoch:
    """Begin an epoch: use it in a ``with`` block, which commits at its end and rolls back on an exception.

    With a ``source`` and increasing ``offset`` numbers, input that was already committed is skipped. ``author`` and
    ``note`` are kept in the log of the state folder. ``at`` is the time of the epoch, in seconds or as a datetime,
    never earlier than that of the last epoch; facts that expire by then are deleted in it.
    """
    core.must_be_open()
    if source is not None or offset is not None:
        check_source(source, offset)
    moment = None if at is None else microseconds(at, "at")
    signature = None if author is None and note is None else Signature(author, note)
    return Epoch(Committer(core), source, offset, signature, moment)


def commit_program(core: Core, parsed: Program, declared: Program | None = None) -> None:
    """The first epoch: the rules and facts of a program's text; ``declared``: declarations alone make rules."""
    check_symbols(core, parsed.rules, parsed)
    epoch = Epoch(Committer(core))
    epoch.collected = CollectedChanges(
        facts=program_facts(parsed, core.rules.functions),
        added=list(core.rules.label(parsed.rules)),
        text_facts=fact_texts(parsed),
        program=declared,
    )
    commit(core, epoch)


def commit(core: Core, epoch: Epoch, *, lawful: bool = True) -> None:
    """Commit an epoch, unless its input was already committed; a partial copy checks no constraints."""
    with core.writing:
        try:
            has_many = len(core.rules.core) + len(epoch.collected.added) >= MANY_RULES
            with collecting_seldom() if has_many else AS_USUAL:
                unwritten = _commit(core, epoch, lawful)
        except BaseException as error:
            core.meter.note_failure(core.number + 1, error)
            raise
    for problem in unwritten:
        warnings.warn(problem, StateWarning, stacklevel=4)


def _commit(core: Core, epoch: Epoch, lawful: bool) -> Sequence[str]:
    """Commit an epoch; returns the warnings to issue when all else is done, since they may be turned into errors."""
    if epoch.source is not None and is_repeated(core, epoch):
        return ()
    durable, in_force, dictionary = core.durable, core.rules, core.dictionary
    dictionary.begin()
    try:
        prepared = _prepare(core, epoch.collected)
        warn_of_ignored(prepared, epoch)
        with Guard(core.runtime):
            outcome, before = _carry_out(core, epoch, prepared, lawful)
        hidden = prepared.work.renewed.keys()
    except BaseException:
        drop_texts(dictionary)
        raise
    dictionary.end()
    if core.rules is not in_force or not road_of(core, in_force).is_ready:
        core.planner.committed(core.rules)
    report(core, epoch, outcome, core.schema, before, hidden=hidden)
    core.profiler.note(outcome, core.rules)
    core.meter.note(core.number, outcome)
    unwritten: Sequence[str] = ()
    if core.feeds:
        from tidelog.engine.write.feeds import feed

        unwritten = feed(core, outcome.changes, before)
    if core.sync_later is None:
        notify(core, epoch)
    else:
        core.unheard.append(epoch)
        core.sync_later()
    if durable is not None:
        take_snapshot(core, durable, only_if_due=True)
    return unwritten


def notify(core: Core, epoch: Epoch) -> None:
    """Call every listener with a committed epoch; an exception of one is logged, and the others are still called."""
    for note in tuple(core.listeners):  # other threads remove theirs
        try:
            note(epoch)
        except Exception:
            LOG.exception("epoch %d was committed, but a listener failed", epoch.number)


def sync_epochs(core: Core) -> int:
    """Make all epochs durable that were committed before the call, then call their listeners; returns the last of them.

    To be called by one thread, the one that `Core.sync_later` wakes.
    """
    last = core.number
    if core.durable is not None:
        core.durable.sync()
    while core.unheard and core.unheard[0].number <= last:
        notify(core, core.unheard.popleft())
    return last


def _carry_out(core: Core, epoch: Epoch, prepared: PreparedEpoch, lawful: bool) -> tuple[EpochOutcome, Schema]:
    """Run, check, record and publish a prepared epoch; returns its outcome, and former types where they changed."""
    durable, runtime, in_force = core.durable, core.runtime, core.rules
    keeping = None if durable is None else kept_at_once(core, prepared.rules)
    outcome = _run_sampled(core, prepared, keeping) if core.profiler.sampling else _run(core, prepared, keeping)
    try:
        _check(core, prepared, outcome)
        if lawful and (prepared.rules.constraints or in_force.constraints):
            epoch.violations = check_constraints(core, prepared, outcome)
            enforce(epoch.violations)
        if epoch.collected.columns:
            epoch.breaks_feeds = True
        else:
            keep_input(epoch, _input_of(core, prepared, outcome))
        if durable is not None:
            record(core, durable, epoch, prepared.rules, outcome)
    except BaseException:
        runtime.rollback()
        raise
    core.dictionary.end()
    before = {} if prepared.rules is in_force else types_before(core, prepared.rules)
    core.replicas.read_ahead(outcome.changes)
    runtime.commit(lambda: _publish(core, epoch, prepared, outcome))
    _pass_time(core, epoch, prepared)
    _settle_sizes(core, outcome)
    return outcome, before


def _run_sampled(core: Core, prepared: PreparedEpoch, keeping: PieceContext | None) -> EpochOutcome:
    """Run an epoch while sampling it."""
    with core.profiler.watching(core.runtime.node.partition):
        return _run(core, prepared, keeping)


def _prepare(core: Core, collected: CollectedChanges) -> PreparedEpoch:
    """The work of an epoch to be committed, prepared by the stages that it needs."""
    stages = road_of(core, core.rules).stages_for(core, collected)
    if stages is EVERY_STAGE:
        check_changes(core, collected)
    return prepare(core, collected, stages)


def _input_of(core: Core, prepared: PreparedEpoch, outcome: EpochOutcome) -> Callable[[], EpochInput]:
    work = prepared.work
    names = {*work.inserts, *work.deletes}
    if work.signed or prepared.draft.arriving:
        names.update(work.signed, (frame.relation for frame in prepared.draft.arriving))
    return input_of(core, prepared.rules, names, outcome)


def _check(core: Core, prepared: PreparedEpoch, outcome: EpochOutcome) -> None:
    """Refuse an epoch that ran and violates what its new rules demand."""
    for check in road_of(core, prepared.rules).checks:
        check(core, prepared, outcome)


def _pass_time(core: Core, epoch: Epoch, prepared: PreparedEpoch) -> None:
    """After the commit, set the time of the engine to that of the epoch."""
    expiry = prepared.draft.expiry
    if expiry is not None:
        core.times.committed(expiry.moment, expiry.entered, expiry.spent)
        core.times.keep(core.rules.schema)
    _note_input(epoch, prepared)


def _note_input(epoch: Epoch, prepared: PreparedEpoch) -> None:
    """Record what happened to the input rows of an epoch, besides its changes."""
    draft = prepared.draft
    if draft.expiry is not None:
        epoch.ended, epoch.late = draft.expiry.ended, draft.expiry.late
    if draft.met is not None:
        epoch.nulls, epoch.ignored = draft.nulls(), draft.met.ignored


def warn_of_ignored(prepared: PreparedEpoch, epoch: Epoch) -> None:
    """Warn of the columns that are ignored, unless the maker of the epoch reports them in another way."""
    met = prepared.draft.met
    for relation, names in met.ignored.items() if met is not None and epoch.warns else ():
        report_ignored(relation, relation, names)


def advance(core: Core, to: Moment) -> Epoch:
    """Commit an epoch at a later time that only deletes the facts that expire by then; returns the epoch."""
    core.must_be_open()
    epoch = Epoch(Committer(core), at=microseconds(to, "to"))
    epoch.commit()
    return epoch


def begin_batch(core: Core, source: str, offset: int, latest: datetime | None) -> Epoch:
    """Begin an epoch of a stream at the time of its latest event, or at that of the last epoch if this is later."""
    core.must_be_open()
    moment = None if latest is None else max(core.times.now, microseconds(latest, "event_time"))
    return Epoch(Committer(core), source, offset, at=moment)


def preview(core: Core, epoch: Epoch) -> None:
    """Run an epoch, record in it what would change and the cost, and roll it back."""
    core.must_be_open()
    must_be(epoch, Epoch, "epoch", "an epoch of this engine, made by `epoch()`")
    if core.durable is not None:
        core.durable.must_be_exact()
    with core.writing:
        collected = CollectedChanges(timeless=True) if is_repeated(core, epoch) else epoch.collected
        check_changes(core, collected)
        with previewed(core, collected) as (prepared, outcome):
            warn_of_ignored(prepared, epoch)
            found = _input_of(core, prepared, outcome)
            epoch.violations = check_constraints(core, prepared, outcome)
        schema = {**core.schema, **prepared.rules.schema}
        hidden = prepared.work.renewed.keys()
        report(core, epoch, outcome, schema, types_before(core, prepared.rules), prepared.rules, hidden=hidden)
        _note_input(epoch, prepared)
        epoch.number = None
        if not collected.columns:
            keep_input(epoch, found)


@contextmanager
def previewed(
    core: Core, collected: CollectedChanges, *, keeps_texts: bool = True
) -> Iterator[tuple[PreparedEpoch, EpochOutcome]]:
    """A context in which the partitions hold what a commit would show; at its end, the changes are rolled back.

    Unless it ``keeps_texts``, those that the changes bring are dropped, too, so that the outcome cannot be read later.
    """
    with core.writing, _texts_dropped(core, only_on_failure=keeps_texts):
        prepared = prepare(core, collected, road_of(core, core.rules).stages_for(core, collected))
        with Guard(core.runtime):
            outcome = _run(core, prepared)
            try:
                _check(core, prepared, outcome)
                yield prepared, outcome
            finally:
                core.runtime.rollback()


def _run(core: Core, prepared: PreparedEpoch, keeping: PieceContext | None = None) -> EpochOutcome:
    """Carry out the work; rows of DataFrames that share a key are found where they arrive."""
    try:
        return core.runtime.run(prepared.work, prepared.arriving, keeping)
    except KeyClash as clash:
        raise clash.as_error(row_text(core, prepared.rules)) from None


@contextmanager
def _texts_dropped(core: Core, *, only_on_failure: bool) -> Iterator[None]:
    dictionary = core.dictionary
    dictionary.begin()
    try:
        yield
    except BaseException:
        drop_texts(dictionary)
        raise
    if only_on_failure:
        dictionary.end()
    else:
        drop_texts(dictionary)


def drop_texts(dictionary: Dictionary) -> None:
    """Drop the dictionary entries of an epoch that failed before `end`; if memory is short, they may stay."""
    with suppress(MemoryError):
        dictionary.drop()


def _publish(core: Core, epoch: Epoch, prepared: PreparedEpoch, outcome: EpochOutcome) -> None:
    """Make the epoch visible to readers."""
    before, rules = core.committed, prepared.rules
    core.replicas.note(before.number + 1, outcome.changes)
    schema = before.schema if rules is before.rules else {**before.schema, **rules.schema}
    sizes = {**before.sizes, **dict.fromkeys(outcome.changes)} if outcome.changes else before.sizes
    core.committed = CommittedEpoch(rules, schema, before.number + 1, sizes)
    if epoch.collected.columns:  # what is kept for readers has the former columns
        core.questions.clear()
        core.replicas.clear()
    if epoch.source is not None and epoch.offset is not None:
        core.offsets[epoch.source] = epoch.offset
    if epoch.memos:
        change_memos(core.memos, epoch.memos)


def _settle_sizes(core: Core, outcome: EpochOutcome) -> None:
    """Count the facts of the changed relations, once their records are at rest."""
    live, sizes = core.runtime.facts.live, core.committed.sizes
    for name in outcome.changes:
        sizes[name] = live(name)
