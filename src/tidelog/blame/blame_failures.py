"""Questions about changes that have no answer, by code: TL465x.

Law: a question changes nothing, whatever becomes of it.
"""

from __future__ import annotations

from tidelog.errors import EngineError
from tidelog.errors.entry import FailureEntry

NOT_RUN = FailureEntry(
    "TL4651",
    EngineError,
    "blame in an epoch that did not run",
    "the epoch was neither committed nor previewed; it has changed nothing",
    "What an epoch changes is known once it has run.",
    "Commit the epoch, or run it by `preview`, and ask again.",
    "Engine('p(1).').epoch().blame('p(1)')\n",
)
ENGINE_WENT_ON = FailureEntry(
    "TL4652",
    EngineError,
    "blame in an epoch that the engine has left behind",
    "{what} is past, the engine is at epoch {now}",
    "Without a state folder an engine knows its last epoch only; a preview is asked before the next epoch.",
    "Ask before the next epoch is committed, or keep the engine in a state folder: `Engine(..., path=...)`.",
    "db = Engine('p(X) :- q(X).')\n"
    "with db.epoch() as first:\n    first.insert('q', [(1,)])\n"
    "with db.epoch() as second:\n    second.insert('q', [(2,)])\n"
    "first.blame('p(1)')\n",
)
NO_CHANGE = FailureEntry(
    "TL4653",
    EngineError,
    "blame of what did not change",
    "`{fact}` did not change in {where}",
    "Only what came, went or changed its value has a cause; why a fact is true or not is asked by `why` and `why_not`.",
    "Ask about another epoch; `changes` lists those that changed a relation.",
    "db = Engine('p(X) :- q(X).')\nwith db.epoch() as e:\n    e.insert('q', [(1,)])\ne.blame('p(2)')\n",
)
NO_SUCH_EPOCHS = FailureEntry(
    "TL4654",
    EngineError,
    "blame in epochs that are not there",
    "there are no epochs after {since} up to {until}; the last is {last}",
    "Epochs are counted from 1.",
    "Name an epoch that `log` lists.",
    "with Engine('p(X) :- q(X).', path='state') as db:\n    db.blame('p(1)', epoch=7)\n",
)
SEVERAL_EPOCHS = FailureEntry(
    "TL4655",
    EngineError,
    "what-if over several epochs",
    "the script has {count} epochs; what is tried out is one",
    "What is tried out is not committed, so that nothing can be tried out after it.",
    "Leave out the `commit.` between them, or try them out as alternatives.",
    "Engine('p(X) :- q(X).').what_if('+q(1). commit. +q(2).')[\"p\"]\n",
)

ENTRIES = (NOT_RUN, ENGINE_WENT_ON, NO_CHANGE, NO_SUCH_EPOCHS, SEVERAL_EPOCHS)
