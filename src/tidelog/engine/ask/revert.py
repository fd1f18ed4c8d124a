"""Undo: an epoch that inverts the effective changes of past epochs.

Law (D41): the base facts and rules that the chosen epochs changed are as they were before them; everything else stays
as it is, and history keeps both. A change that a later epoch touched again is not reverted: all such changes are
reported, and nothing happens. Facts that expired stay expired, lifetimes are not restored, offsets of sources stay,
and facts that a follower copies from a table are left to the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from tidelog.blame.blame_failures import CANNOT_REVERT, ENGINE_WENT_ON, NOT_RUN, NOTHING_TO_REVERT
from tidelog.blame.change import Change, FactChanged, Origin, ProgramChanged, RuleChanged
from tidelog.engine.ask.past import Past, key_of
from tidelog.engine.ask.trial_bench import collect
from tidelog.engine.write.commit import begin, preview
from tidelog.engine.write.durable import state_folder
from tidelog.engine.write.epoch import Epoch, kept_input
from tidelog.partition.memory.keys import base_keys
from tidelog.program.functions.arguments import must_be

if TYPE_CHECKING:
    from tidelog.engine.core.core import Core

FOLLOWED = "postgresql "  # begins the sources of followers
SHOWN = 5  # reasons in one message
Place = tuple[str, object]  # what a change concerns: a fact by its key, a rule by its label, the declarations
Keys = Mapping[str, tuple[int, ...]]


def revert(
    core: Core,
    epoch: int | Epoch | None,
    *,
    since: int | None = None,
    dry_run: bool = False,
    author: str | None = None,
    note: str | None = None,
) -> Epoch:
    """Commit the inverse of an epoch, or of all epochs after one; see `Engine.revert`."""
    with core.writing:  # no epoch is committed between the question and the answer
        made = reverting_epoch(core, epoch, since=since, author=author, note=note)
        if dry_run:
            preview(core, made)
        else:
            made.commit()
    return made


def reverting_epoch(
    core: Core, epoch: int | Epoch | None, *, since: int | None, author: str | None, note: str | None
) -> Epoch:
    """The epoch that a revert commits; the caller prevents others from being committed before it."""
    core.must_be_open()
    must_be(epoch, (int, Epoch, type(None)), "epoch", "an epoch or its number, or None")
    must_be(since, (int, type(None)), "since", "the number of an epoch, or None")
    if isinstance(epoch, Epoch) and core.opened.lasting is None and since is None:
        what, undone = f"epoch {epoch.number}", _changes_of_last(core, epoch)
    else:
        what, undone = _changes_in_folder(core, epoch.number if isinstance(epoch, Epoch) else epoch, since)
    made = begin(core, author=author, note=note if note is not None else f"revert of {what}")
    made.collected = replace(collect(undone, undo=True), timeless=False)
    return made


def _changes_of_last(core: Core, epoch: Epoch) -> list[Change]:
    """The changes of the last epoch, which is known without a state folder."""
    given = kept_input(epoch)
    if epoch.breaks_feeds:
        reasons = "it changed columns of relations, and their former values are not kept"
        raise CANNOT_REVERT.error(what=f"epoch {epoch.number}", reasons=reasons)
    if given is None or epoch.number is None:
        raise NOT_RUN.error()
    if core.number != epoch.number:
        raise ENGINE_WENT_ON.error(what=f"epoch {epoch.number}", now=core.number)
    signature = epoch.signature
    origin = Origin(epoch.number, signature.author, signature.note, epoch.source, epoch.offset)
    changes = given.changes(lambda _: True, origin)
    return _checked(f"epoch {epoch.number}", changes, [], given.changed_lifetimes())


def _changes_in_folder(core: Core, epoch: int | None, since: int | None) -> tuple[str, list[Change]]:
    """The epochs in words, and their net changes, read from the state folder."""
    state = state_folder(core, "revert")
    last = core.number if epoch is None else epoch
    past = Past.read(core, state, last - 1 if since is None else since, core.number)
    chosen, later = past.split(last)
    changes, keys = chosen.changes(core), base_keys(core.rules.program)
    reasons = [] if later is None else list(_changed_again(changes, later.touched(keys), keys))
    return chosen.described, _checked(chosen.described, changes, reasons, chosen.changed_lifetimes())


def _checked(what: str, changes: Iterable[Change], reasons: list[str], lifetimes: Iterable[str]) -> list[Change]:
    """The changes to invert; an error lists those that cannot be inverted."""
    kept = [change for change in changes if not _is_expiry(change)]
    reasons += [f"lifetimes of `{relation}` were changed, and they are not restored" for relation in lifetimes]
    reasons += [f"{change} by a follower; change the table that it follows" for change in kept if _is_followed(change)]
    if reasons:
        more = f"; and {len(reasons) - SHOWN} more" if len(reasons) > SHOWN else ""
        raise CANNOT_REVERT.error(what=what, reasons="; ".join(reasons[:SHOWN]) + more)
    if not kept:
        raise NOTHING_TO_REVERT.error(what=what)
    return kept


def _is_expiry(change: Change) -> bool:
    return isinstance(change, FactChanged) and change.expired


def _is_followed(change: Change) -> bool:
    return isinstance(change, FactChanged) and (change.origin.source or "").startswith(FOLLOWED)


def _changed_again(changes: Iterable[Change], touched: Mapping[Place, int], keys: Keys) -> Iterator[str]:
    for change in changes:
        if _is_expiry(change):
            continue
        epochs = [touched[place] for place in _places(change, keys) if place in touched]
        if epochs:
            yield f"{change}, and epoch {max(epochs)} changed it again"


def _places(change: Change, keys: Keys) -> Iterator[Place]:
    if isinstance(change, ProgramChanged):
        yield "declarations", None
    elif isinstance(change, RuleChanged):
        yield "rule", change.label
    else:
        rows = (row for row in (change.new, change.old) if row is not None)
        yield from ((change.relation, key_of(row, keys.get(change.relation))) for row in rows)
