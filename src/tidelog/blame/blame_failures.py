"""Questions about changes that have no answer, by code: TL465x.

Law: a question changes nothing, even if it fails.
"""

from __future__ import annotations

from tidelog.errors import EngineError
from tidelog.errors.entry import FailureEntry

NOT_RUN = FailureEntry(
    "TL4651",
    EngineError,
    "blame on an epoch that has not run",
    "the epoch was neither committed nor previewed, so it has changed nothing",
    "The changes of an epoch are known after it has run.",
    "Commit the epoch, or run it with `preview`, and try again.",
    "Engine('p(1).').epoch().blame('p(1)')\n",
)
ENGINE_WENT_ON = FailureEntry(
    "TL4652",
    EngineError,
    "blame on a past epoch",
    "{what} is no longer available; the engine is at epoch {now}",
    "Without a state folder, an engine keeps only its last epoch. A preview can be queried until the next epoch.",
    "Call `blame` before the next epoch is committed, or use a state folder: `Engine(..., path=...)`.",
    "db = Engine('p(X) :- q(X).')\n"
    "with db.epoch() as first:\n    first.insert('q', [(1,)])\n"
    "with db.epoch() as second:\n    second.insert('q', [(2,)])\n"
    "first.blame('p(1)')\n",
)
NO_CHANGE = FailureEntry(
    "TL4653",
    EngineError,
    "blame on a fact that did not change",
    "`{fact}` did not change in {where}",
    "Only facts that were added, removed or changed have a cause. `why` and `why_not` explain why a fact is "
    "true or not.",
    "Try another epoch. `changes` lists the epochs that changed a relation.",
    "db = Engine('p(X) :- q(X).')\nwith db.epoch() as e:\n    e.insert('q', [(1,)])\ne.blame('p(2)')\n",
)
NO_SUCH_EPOCHS = FailureEntry(
    "TL4654",
    EngineError,
    "blame on epochs that do not exist",
    "there are no epochs after {since} up to {until}; the last epoch is {last}",
    "Epochs are numbered from 1.",
    "Use an epoch that `log` lists.",
    "with Engine('p(X) :- q(X).', path='state') as db:\n    db.blame('p(1)', epoch=7)\n",
)
CANNOT_REVERT = FailureEntry(
    "TL4656",
    EngineError,
    "epoch cannot be reverted",
    "cannot revert {what}: {reasons}",
    "A revert restores the base facts and rules that the epoch changed. It is refused if a later epoch changed one of "
    "them again, if lifetimes would have to be restored, or if the facts come from a followed table.",
    "Revert the later epochs, too (`since=EPOCH`), or change the facts and rules in an epoch.",
    "with Engine('p(X) :- q(X).', path='state') as db:\n"
    "    for _ in range(2):\n"
    "        with db.epoch() as e:\n            e.insert('q', [(1,)])\n"
    "        with db.epoch() as e:\n            e.delete('q', [(1,)])\n"
    "    db.revert(2)\n",
)
NOTHING_TO_REVERT = FailureEntry(
    "TL4657",
    EngineError,
    "epoch without changes to revert",
    "{what} changed no base fact and no rule, apart from facts that expired",
    "Only changes to base facts and rules are reverted. Facts that expired are not restored.",
    "Choose another epoch. `log` lists the epochs.",
    "with Engine('p(X) :- q(X).', path='state') as db:\n"
    "    with db.epoch() as e:\n        e.insert('q', [(1,)])\n"
    "    with db.epoch() as e:\n        e.insert('q', [(1,)])\n"
    "    db.revert()\n",
)
SEVERAL_EPOCHS = FailureEntry(
    "TL4655",
    EngineError,
    "what-if over several epochs",
    "the script has {count:1 epoch}, but a what-if query runs only one",
    "A what-if query is not committed, so no epoch can follow it.",
    "Remove the `commit.` between the epochs, or try them as alternatives.",
    "Engine('p(X) :- q(X).').what_if('+q(1). commit. +q(2).')[\"p\"]\n",
)

ENTRIES = (
    NOT_RUN,
    ENGINE_WENT_ON,
    NO_CHANGE,
    NO_SUCH_EPOCHS,
    SEVERAL_EPOCHS,
    CANNOT_REVERT,
    NOTHING_TO_REVERT,
)
