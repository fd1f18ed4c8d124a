"""Calls that an engine cannot serve, by code: TL40xx from TL4050 on, TL495x for what is refused at the end of an epoch,
and rows that do not fit: TL12xx.

Law: arguments are checked before anything is changed.
"""

from __future__ import annotations

from tidelog.errors import ConstraintError, DataError, EngineError
from tidelog.errors.entry import FailureEntry

UNKNOWN_RELATION = FailureEntry(
    "TL4050",
    EngineError,
    "unknown relation",
    "unknown relation `{name}`; known: {known}{guess}",
    "A relation is known once the program or an epoch has named it.",
    "Use one of the relations; `engine.relations` lists them. An epoch adds a new one with `declare`.",
    'db = Engine("reach(X, Y) :- edge(X, Y).")\ndb["reech"]\n',
)
AT_WITHOUT_PATH = FailureEntry(
    "TL4051",
    EngineError,
    "epoch of no state folder",
    "`at` reads an epoch of a state folder; give its `path` too",
    "Old epochs are kept in state folders only.",
    "",
    'Engine("n(1).", at=1)\n',
)
HALF_A_SOURCE = FailureEntry(
    "TL4052",
    EngineError,
    "source without an offset",
    "an epoch has a source and an offset, or neither",
    "Source and offset together name an input, so that it is applied once.",
    "Give both, or leave out both.",
    'Engine("n(1).").epoch(source="clicks")\n',
)
MEANT_OTHERWISE = FailureEntry(
    "TL4081",
    EngineError,
    "facts of a relation that is declared in another way",
    "`{name}` holds asserted facts, which would mean something else under the new declaration",
    "Facts that are asserted of a relation with `eqrel` or `choice-domain` are kept apart from those that it shows, so "
    "that these words do not come or go while there are such facts. Nor do the parts of a record or of an algebraic "
    "value become others while there are facts with such values.",
    "Give the relation another name, or make a new state from what `tidelog export` writes.",
    test="tests/law/test_choice.py::test_a_choice_is_not_declared_over_asserted_facts",
)
OTHER_SHAPE = FailureEntry(
    "TL4082",
    EngineError,
    "rule that is replaced by one of another shape in the same epoch",
    "rule `{label}` holds results of another shape under this label until the epoch ends",
    "What an aggregate or a path of a rule is rewritten to is named after the label of the rule; while an epoch runs, "
    "the results of the rule that goes are still there.",
    "Give the new rule another label, or remove the old one in an epoch before.",
    'db = Engine("a: p(N) :- N = count : { q(_) }.")\n'
    "with db.epoch() as e:\n"
    '    e.insert("q", [(1,)])\n'
    "with db.epoch() as e:\n"
    '    e.remove_rule("a")\n'
    '    e.add_rule("p(N) :- q(X), N = sum Y : { r(X, Y) }.", label="a")\n',
)
OWN_NAME = FailureEntry(
    "TL4053",
    EngineError,
    "name of a relation that belongs to Tidelog",
    "`{name}`: names that start with `__` are Tidelog's own",
    "Auxiliary relations have names that no program can have.",
    "Name the relation otherwise.",
    'db = Engine("n(1).")\nwith db.epoch() as e:\n    e.insert("__n", [(1,)])\n',
)
NOBODY_KNOWS = FailureEntry(
    "TL4070",
    EngineError,
    "relation that nobody knows",
    "nobody has declared, filled or derived `{name}`{guess}",
    "A new relation may come with its first facts; one that is read, or emptied, is known before. "
    "Without `strict=True` this is a `TidelogWarning`.",
    "Correct the name, or declare the relation.",
    'db = Engine("reach(X, Y) :- edge(X, Y).", strict=True)\ndb.query("reech(1, X)")\n',
)
NO_NAME = FailureEntry(
    "TL4054",
    EngineError,
    "text that is no name of a relation",
    "`{name}` is not a name of a relation: letters, digits and `_`, not a digit first",
    "Relations are named as programs write them.",
    "",
    'db = Engine("n(1).")\nwith db.epoch() as e:\n    e.insert("two words", [(1,)])\n',
)
INSTANCE_TAKEN = FailureEntry(
    "TL4090",
    EngineError,
    "name of an instance that is taken",
    "there is an instance `{name}` already",
    "The names of an instance's relations begin with its own, so that an engine has one instance of a name.",
    "Choose another name, or remove the instance first.",
    'db = Engine(".comp C { .decl p(x: number) }\\n.init c = C")\nwith db.epoch() as e:\n'
    '    e.add_instance(".init c = C")\n',
)
NO_INSTANCE = FailureEntry(
    "TL4091",
    EngineError,
    "instance that there is not",
    "there is no instance `{name}`; instances: {known}",
    "An instance is removed by the name that `.init` gave it.",
    "",
    'db = Engine(".comp C { .decl p(x: number) }\\n.init c = C")\nwith db.epoch() as e:\n    e.remove_instance("d")\n',
)
INLINE_FACTS = FailureEntry(
    "TL4092",
    EngineError,
    "facts of an inline relation",
    "`{name}` is declared inline: it holds no facts",
    "An inline relation stands for the bodies of its rules wherever it is read.",
    "Leave `inline` out of its declaration, or add a rule without a body.",
    'db = Engine(".decl p(x: number) inline")\nwith db.epoch() as e:\n    e.insert("p", [(1,)])\n',
)
NOT_DECLARED = FailureEntry(
    "TL4093",
    EngineError,
    "an epoch cannot add this to the program",
    "an epoch cannot add {found} to a program that is running",
    "An epoch adds declarations (`.decl`, `.type`, `materialize`, `.lifetime`), rules, constraints and facts.",
    "Leave it out, or put it into the program's file and run `tidelog apply`.",
    'db = Engine("p(X) :- q(X).")\nwith db.epoch() as e:\n    e.declare(".output p")\n',
)
NOT_A_RULE = FailureEntry(
    "TL4094",
    EngineError,
    "declaration instead of a rule",
    "`{found}` begins a declaration, and a rule was expected",
    "A rule is added alone; declarations are added with the rules and facts that need them.",
    "Add the text with `declare`.",
    'db = Engine(".decl p(x: number)")\nwith db.epoch() as e:\n    e.add_rule(".decl q(x: number)  q(x) :- p(x).")\n',
)
CLOSED = FailureEntry(
    "TL4055",
    EngineError,
    "engine that is closed",
    "the engine is closed",
    "`close()`, and the end of a `with` block, end the life of an engine.",
    "Make a new engine; one with a state folder goes on where it was closed.",
    'db = Engine("n(1).")\ndb.close()\ndb["n"]\n',
)
FORKED = FailureEntry(
    "TL4061",
    EngineError,
    "engine of the parent process",
    "this engine belongs to process {maker}; this is process {here}, which was forked from it",
    "An engine belongs to the process that opened it. A forked child has none of its threads, locks and connections.",
    "Open another engine in the child, for example `Engine(path=..., at=-1)` to read the state folder, or read before "
    "the fork what the child needs, with `rows()` or `to_arrow()`.",
    test="tests/engine/test_forks.py::test_every_call_in_a_forked_child_is_refused",
)
EPOCH_OVER = FailureEntry(
    "TL4056",
    EngineError,
    "epoch that is over",
    "this epoch is over; begin a new one with `engine.epoch()`",
    "An epoch ends with its `with` block: committed, or rolled back after an error.",
    "",
    'db = Engine("n(1).")\nwith db.epoch() as e:\n    pass\ne.insert("n", [(2,)])\n',
)
FEED_PLACE = FailureEntry(
    "TL4057",
    EngineError,
    "feed without a place, or with two",
    "the feed of `{view}` goes to a folder or to a table: give one of `folder` and `table`",
    "A feed has one place.",
    "",
    'Engine("n(1).").write_feed("n")\n',
)
PARTITIONS = FailureEntry(
    "TL4058",
    EngineError,
    "impossible number of partitions",
    "partitions={partitions}: give a number from 1 to {most:,}",
    "An engine has at least one partition.",
    "",
    'Engine("n(1).", partitions=0)\n',
)
THREADS = FailureEntry(
    "TL4060",
    EngineError,
    "impossible number of threads",
    "threads={threads}: give a number from 1 to {most:,}",
    "An engine works with the thread that calls it, and with others beside it.",
    "Leave it out to use all processors.",
    'Engine("n(1).", threads=0)\n',
)
NEEDS_STATE = FailureEntry(
    "TL4059",
    EngineError,
    "call that needs a state folder",
    "{what} needs a state folder: make the engine with `Engine(..., path=...)`",
    "History, snapshots and logs are kept in state folders only.",
    "",
    'Engine("n(1).").snapshot()\n',
)
FILE_NAME = FailureEntry(
    "TL4071",
    EngineError,
    "name of a file where the text of a program belongs",
    "`{name}` is the name of a file; an engine is made of the text of a program: `Engine.from_file({name!r})`",
    "A program is given as text, or read from a file by `from_file`.",
    "",
    'Engine("reach.dl")\n',
)
ROW_COLUMNS = FailureEntry(
    "TL1201",
    DataError,
    "rows with another number of columns",
    "relation `{name}` has {wanted} columns, these rows have {found}",
    "All rows of a relation have the same number of columns.",
    "Give a value for each column of the relation.",
    'db = Engine("reach(X, Y) :- edge(X, Y).")\nwith db.epoch() as e:\n    e.insert("edge", [(1,)])\n',
)
NOT_A_VARIABLE = FailureEntry(
    "TL4072",
    EngineError,
    "variable to bind that the query does not have",
    "the query has no variable `{name}`; its variables: {known}",
    "What a prepared query is given takes the place of some of its variables.",
    "Name variables of the query in `bind`, as they are written there.",
    'Engine("p(1).").prepare("p(X)", bind="Y")\n',
)
NOT_THE_VALUES = FailureEntry(
    "TL4074",
    EngineError,
    "another number of values than a prepared query binds",
    "the query binds {wanted} variables ({names}), and {found} values were given",
    "A prepared query is asked with one value for each variable of `bind`, in that order.",
    "Give a value for each variable that was named in `bind`.",
    'Engine("p(1).").prepare("p(X)", bind="X")()\n',
)

REFUSED = FailureEntry(
    "TL4951",
    ConstraintError,
    "epoch that a constraint refuses",
    "the epoch is refused and rolled back: {told}",
    "An epoch after which the body of a constraint holds is not committed; constraints are looked at when it ends.",
    "Change facts or rules in the same epoch so that the body does not hold, or remove the constraint by its label.",
    'db = Engine("few: :- n(X), X > 9.")\nwith db.epoch() as e:\n    e.insert("n", [(10,)])\n',
)

TIME_FALLS = FailureEntry(
    "TL4952",
    EngineError,
    "time that falls",
    "the time of an epoch is {at}, and the last one had {now}",
    "The time of an epoch is never less than that of the epoch before.",
    "Give the epoch a later time, or none: then it has the time of the last.",
    "db = Engine()\ndb.advance(10)\ndb.advance(9)\n",
)
UNTIL_DERIVED = FailureEntry(
    "TL4953",
    EngineError,
    "end of facts that rules derive",
    "`{name}` has rules, so that its facts have no end of their own",
    "`until` is the end of asserted facts; what rules derive lives as long as what it rests on.",
    "Give the end to the facts that `{name}` is derived from.",
    'db = Engine("p(X) :- q(X).")\nwith db.epoch() as e:\n    e.insert("p", [(1,)], until=10)\n',
)

ENTRIES = (
    TIME_FALLS,
    UNTIL_DERIVED,
    REFUSED,
    UNKNOWN_RELATION,
    AT_WITHOUT_PATH,
    HALF_A_SOURCE,
    OWN_NAME,
    OTHER_SHAPE,
    NOBODY_KNOWS,
    NO_NAME,
    INSTANCE_TAKEN,
    NO_INSTANCE,
    INLINE_FACTS,
    NOT_DECLARED,
    NOT_A_RULE,
    CLOSED,
    FORKED,
    EPOCH_OVER,
    FEED_PLACE,
    PARTITIONS,
    NEEDS_STATE,
    FILE_NAME,
    ROW_COLUMNS,
    NOT_A_VARIABLE,
    NOT_THE_VALUES,
)
