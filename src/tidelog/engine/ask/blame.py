"""Blame: the epoch in question, what it changed, and an engine for trials.

Law: the last epoch of an engine is examined in place; a past one needs a state folder, which is read as of that epoch;
one that is not committed is examined from the state before it. The answer is as exact on several partitions and on
Spark as on one, and for an epoch that is examined years later as for the last one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tidelog.blame.answer import Blame, ViewBlame
from tidelog.blame.blame_failures import ENGINE_WENT_ON, NO_CHANGE, NOT_RUN
from tidelog.blame.change import Origin, Row
from tidelog.blame.trace import key_in
from tidelog.engine.ask.past import Past, last_change
from tidelog.engine.ask.search_causes import Case, blame_fact, blame_view
from tidelog.engine.ask.trial_bench import Bench
from tidelog.engine.open.copy import alone, at_epoch
from tidelog.engine.read.ask import refuse_bundles
from tidelog.engine.write.commit import preview
from tidelog.engine.write.durable import state_folder
from tidelog.engine.write.epoch import Epoch, kept_input
from tidelog.engine.write.epoch_input import EpochInput, relations_behind
from tidelog.engine.write.violations import Violation
from tidelog.errors import EngineError
from tidelog.program.functions.arguments import argument_error, must_be
from tidelog.why import read_fact
from tidelog.why.ask import shown_values

if TYPE_CHECKING:
    from tidelog.engine.core.core import Core
    from tidelog.engine.read.ask import Fact
    from tidelog.why import Ledger
    from tidelog.why.ledger import FactKey


def blame(core: Core, fact: Fact, epoch: int | None, *, since: int | None = None, trials: int) -> Blame | ViewBlame:
    """Why a fact changed in an epoch of the state folder, or in all after one; see `Engine.blame`."""
    core.must_be_open()
    must_be(epoch, (int, type(None)), "epoch", "the number of an epoch, or None")
    must_be(since, (int, type(None)), "since", "the number of an epoch, or None")
    must_be(trials, int, "trials", "a number of trials")
    state = state_folder(core, "blame of a past epoch (use `e.blame(fact)` for an epoch of this engine)")
    name, values = _target(core, fact)
    until = core.number if epoch is None else epoch
    if epoch is None and since is None:
        until = last_change(core, state, name, values)
    past = Past.read(core, state, until - 1 if since is None else since, until)
    with _at_epoch(core, until) as there, past.case(there, name) as case:
        return _answer(case, values, trials, past.described)


def blame_epoch(core: Core, epoch: Epoch, fact: Fact | Violation, trials: int) -> Blame | ViewBlame:
    """Why a fact was added, removed or changed in an epoch that ran here, or why a constraint is violated."""
    core.must_be_open()
    must_be(trials, int, "trials", "a number of trials")
    if kept_input(epoch) is None and epoch.violations:  # refused and rolled back: run it again
        preview(core, epoch)
    epoch_input = kept_input(epoch)
    if epoch_input is None:
        raise NOT_RUN.error()
    if core.number != epoch_input.number + (epoch.number is not None):
        if epoch.number is None or core.opened.lasting is None:
            raise went_on(core, epoch, epoch_input)
        if isinstance(fact, Violation):
            raise went_on(core, epoch, epoch_input)
        return blame(core, fact, epoch.number, trials=trials)
    name, values = _target(core, fact, epoch_input)
    text = str(fact).splitlines()[0] if isinstance(fact, Violation) else None
    with _case(core, epoch, epoch_input, name) as case:
        return _answer(case, values, trials, f"epoch {epoch.number}" if epoch.number else "the epoch", text)


def went_on(core: Core, epoch: Epoch, epoch_input: EpochInput) -> EngineError:
    """The error for an epoch after which the engine has committed others."""
    what = f"the preview after epoch {epoch_input.number}" if epoch.number is None else f"epoch {epoch.number}"
    return ENGINE_WENT_ON.error(what=what, now=core.number)


def _target(core: Core, fact: Fact | Violation, epoch_input: EpochInput | None = None) -> tuple[str, Row | None]:
    """The relation in question, and the values of a fact; None for all facts."""
    known = core.schema if epoch_input is None else epoch_input.schema
    above = (core.rules if epoch_input is None else epoch_input.after).above_bundles
    if isinstance(fact, Violation):
        refuse_bundles(core, fact.proof.root.relation, above)
        return fact.proof.root.relation, fact.proof.root.values
    if isinstance(fact, str) and fact.strip() in known:
        refuse_bundles(core, fact.strip(), above)
        return fact.strip(), None
    if isinstance(fact, str) and "(" not in fact:
        raise core.unknown_relation(fact)
    name, values = read_fact(fact, core.rules.functions, known, core.rules.program.prefixes)
    if name not in known:
        raise core.unknown_relation(name)
    refuse_bundles(core, name, above)
    return name, shown_values(name, values, known[name])


def _answer(case: Case, values: Row | None, trials: int, where: str, text: str | None = None) -> Blame | ViewBlame:
    if values is None:
        return blame_view(case, trials)
    found = blame_fact(case, values, trials, text)
    if found is None:
        raise NO_CHANGE.error(fact=case.writer(values), where=where)
    return found


@contextmanager
def _case(core: Core, epoch: Epoch, epoch_input: EpochInput, relation: str) -> Iterator[Case]:
    """The case of the last committed epoch, or of one that was previewed on top of it."""
    behind = relations_behind((epoch_input.before, epoch_input.after), relation)
    committed = epoch.number is not None
    signature = epoch.signature
    origin = Origin(epoch.number, signature.author, signature.note, epoch.source, epoch.offset)
    changes = epoch_input.changes(behind.__contains__, origin)
    inserted, deleted = epoch_input.view_rows(relation)
    with alone(core, behind) as there:
        bench = Bench(there, changes, committed)
        yield Case(bench, relation, inserted, deleted, origin, (epoch_input.before, epoch_input.after))


@contextmanager
def _at_epoch(core: Core, epoch: int) -> Iterator[Core]:
    """An engine in the state after an epoch of the state folder."""
    if epoch == core.number:
        yield core
        return
    assert core.durable is not None, "only state folders have past epochs"
    with at_epoch(core, core.durable.store, epoch) as there:
        yield there


@contextmanager
def scene_after(core: Core, epoch: Epoch, fact: Fact) -> Iterator[tuple[Ledger, FactKey]]:
    """The state that results from a previewed epoch, for questions about a fact."""
    epoch_input = kept_input(epoch)
    assert epoch_input is not None, "an epoch that ran"
    name, values = _target(core, fact, epoch_input)
    if values is None:
        raise argument_error(fact, "fact", "a fact: text such as `reach(1, 3)`, or its relation and its values")
    behind = relations_behind((epoch_input.before, epoch_input.after), name)
    with alone(core, behind) as there:
        bench = Bench(there, epoch_input.changes(behind.__contains__, Origin()), is_after=False)
        with bench.scene(frozenset()) as ledger:
            yield ledger, key_in(ledger, (name, values))
