"""Calls that an engine cannot serve, by code: TL40xx from TL4050 on, TL495x for refusals at the end of an epoch, and
TL12xx for rows that do not fit.

Law: arguments are checked before anything is changed.
"""

from __future__ import annotations

from tidelog.errors import ConstraintError, DataError, EngineError, EvaluationError
from tidelog.errors.entry import FailureEntry

UNKNOWN_RELATION = FailureEntry(
    "TL4050",
    EngineError,
    "unknown relation",
    "unknown relation `{name}`; known: {known}{guess}",
    "A relation is known once the program or an epoch has named it.",
    "Use one of the known relations (`engine.relations` lists them), or declare a new one in an epoch with `declare`.",
    'db = Engine("reach(X, Y) :- edge(X, Y).")\ndb["reech"]\n',
)
AT_WITHOUT_PATH = FailureEntry(
    "TL4051",
    EngineError,
    "epoch requested without a state folder",
    "`at` reads an epoch of a state folder; pass its `path`, too",
    "Only state folders keep old epochs.",
    "",
    'Engine("n(1).", at=1)\n',
)
HALF_A_SOURCE = FailureEntry(
    "TL4052",
    EngineError,
    "source without an offset, or the reverse",
    "an epoch has a source and an offset, or neither",
    "Source and offset together identify an input, so that it is applied only once.",
    "Pass both, or neither.",
    'Engine("n(1).").epoch(source="clicks")\n',
)
MEANT_OTHERWISE = FailureEntry(
    "TL4081",
    EngineError,
    "declaration conflicts with existing facts",
    "`{name}` contains asserted facts, whose meaning would change under the new declaration",
    "Asserted facts of a relation with `eqrel` or `choice-domain` are stored separately from the facts it "
    "shows. These qualifiers cannot be added or removed while such facts exist, and the fields of a record or "
    "algebraic type cannot change while values of that type exist.",
    "Use another relation name, or create a new state from the files that `tidelog export` writes.",
    test="tests/law/test_choice.py::test_a_choice_is_not_declared_over_asserted_facts",
)
OTHER_SHAPE = FailureEntry(
    "TL4082",
    EngineError,
    "rule replaced by one of another shape in the same epoch",
    "rule `{label}` cannot be replaced by a rule of another shape in the same epoch",
    "The relations that an aggregate or a path is rewritten to are named after the rule's label, and the "
    "results of the old rule exist until the epoch ends.",
    "Use another label for the new rule, or remove the old rule in an earlier epoch.",
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
    "reserved relation name",
    "`{name}`: names that start with `__` are reserved",
    "Tidelog uses these names for auxiliary relations.",
    "Choose another name.",
    'db = Engine("n(1).")\nwith db.epoch() as e:\n    e.insert("__n", [(1,)])\n',
)
NOBODY_KNOWS = FailureEntry(
    "TL4070",
    EngineError,
    "unknown relation",
    "unknown relation `{name}`: not declared, no facts, no rules{guess}",
    "A new relation may be created by inserting facts; a relation that is read or deleted from must already "
    "exist. Without `strict=True` this is a `TidelogWarning`.",
    "Correct the name, or declare the relation.",
    'db = Engine("reach(X, Y) :- edge(X, Y).", strict=True)\ndb.query("reech(1, X)")\n',
)
NO_NAME = FailureEntry(
    "TL4054",
    EngineError,
    "invalid relation name",
    "`{name}` is not a valid relation name: use letters, digits and `_`, not starting with a digit",
    "Relation names follow the syntax of programs.",
    "",
    'db = Engine("n(1).")\nwith db.epoch() as e:\n    e.insert("two words", [(1,)])\n',
)
INSTANCE_TAKEN = FailureEntry(
    "TL4090",
    EngineError,
    "instance name already in use",
    "an instance named `{name}` already exists",
    "The names of an instance's relations start with the name of the instance, which is therefore unique.",
    "Choose another name, or remove the instance first.",
    'db = Engine(".comp C { .decl p(x: number) }\\n.init c = C")\nwith db.epoch() as e:\n'
    '    e.add_instance(".init c = C")\n',
)
NO_INSTANCE = FailureEntry(
    "TL4091",
    EngineError,
    "unknown instance",
    "unknown instance `{name}`; instances: {known}",
    "An instance is removed by the name that it has in `.init`.",
    "",
    'db = Engine(".comp C { .decl p(x: number) }\\n.init c = C")\nwith db.epoch() as e:\n    e.remove_instance("d")\n',
)
UNDEFINED_READ = FailureEntry(
    "TL2213",
    EvaluationError,
    "undefined facts are read",
    "{count:1 fact} of `{relation}` would be undefined, among them `{fact}`, and {reader} reads `{relation}`; "
    "nothing was changed",
    "A fact that depends on its own negation may be neither true nor false, and what is derived from it is undefined "
    "as well. Paths, subsumptions, choices, recursive min and max, nested aggregates and aggregates in queries cannot "
    "read undefined facts.",
    "Change the facts so that the cycle is broken, or derive what the rule reads in a rule with plain atoms, negations "
    "and aggregates. `db.undefined(...)` returns the undefined facts of a relation.",
    'db = Engine("win(X) :- move(X, Y), !win(Y). next(X, Y) :- move(X, Y), win(Y). far(X, Y) :- next+(X, Y).")\n'
    'with db.epoch() as e:\n    e.insert("move", [(1, 2), (2, 1)])\n',
)
AGGREGATE_PROOF = FailureEntry(
    "TL4602",
    EngineError,
    "no explanation through an aggregate in recursion",
    "`{relation}` depends on an aggregate in recursion, through `{cycle}`: its facts have no explanation",
    "`why_not` and `blame` do not explain facts that depend on their own relation through an aggregate, nor facts "
    "above them; `why` explains those above.",
    "Ask about the facts that it is derived from.",
    "Engine('cost(P, sum<C>) :- part(P, S), cost(S, C). part(1, 2). cost(2, 5).').why('cost(1, 5)')\n",
)
INLINE_FACTS = FailureEntry(
    "TL4092",
    EngineError,
    "facts for an inline relation",
    "`{name}` is declared inline and cannot hold facts",
    "An inline relation is replaced by the bodies of its rules wherever it is read.",
    "Remove `inline` from its declaration, or add a rule without a body.",
    'db = Engine(".decl p(x: number) inline")\nwith db.epoch() as e:\n    e.insert("p", [(1,)])\n',
)
NOT_DECLARED = FailureEntry(
    "TL4093",
    EngineError,
    "not allowed in an epoch",
    "an epoch cannot add {found} to a running program",
    "An epoch adds declarations (`.decl`, `.type`, `materialize`, `.lifetime`), rules, constraints and facts.",
    "Omit it, or add it to the program's file and run `tidelog apply`.",
    'db = Engine("p(X) :- q(X).")\nwith db.epoch() as e:\n    e.declare(".output p")\n',
)
NOT_A_RULE = FailureEntry(
    "TL4094",
    EngineError,
    "declaration instead of a rule",
    "`{found}` starts a declaration, but a rule was expected",
    "`add_rule` adds a single rule. `declare` adds declarations together with rules and facts.",
    "Add the text with `declare`.",
    'db = Engine(".decl p(x: number)")\nwith db.epoch() as e:\n    e.add_rule(".decl q(x: number)  q(x) :- p(x).")\n',
)
CLOSED = FailureEntry(
    "TL4055",
    EngineError,
    "engine is closed",
    "the engine is closed",
    "`close()`, or the end of a `with` block, closes an engine.",
    "Open a new engine. One with a state folder resumes where the old one was closed.",
    'db = Engine("n(1).")\ndb.close()\ndb["n"]\n',
)
FORKED = FailureEntry(
    "TL4061",
    EngineError,
    "engine used in a forked process",
    "this engine belongs to process {maker}; this is process {here}, which was forked from it",
    "An engine belongs to the process that opened it. A forked child does not have its threads, locks and connections.",
    "Open another engine in the child, for example `Engine(path=..., at=-1)` to read the state folder, or read "
    "what the child needs before the fork, with `rows()` or `to_arrow()`.",
    test="tests/engine/test_forks.py::test_every_call_in_a_forked_child_is_refused",
)
EPOCH_OVER = FailureEntry(
    "TL4056",
    EngineError,
    "epoch already ended",
    "this epoch has already ended; start a new one with `engine.epoch()`",
    "An epoch ends with its `with` block: it is committed, or rolled back after an error.",
    "",
    'db = Engine("n(1).")\nwith db.epoch() as e:\n    pass\ne.insert("n", [(2,)])\n',
)
FEED_PLACE = FailureEntry(
    "TL4057",
    EngineError,
    "feed without a target, or with two",
    "the feed of `{view}` needs exactly one of `folder`, `table` and `topic`; `merge` belongs to a table, `options` "
    "to a topic",
    "A feed writes to one target.",
    "Pass `folder`, `table` or `topic`.",
    'Engine("n(1).").write_feed("n")\n',
)
PARTITIONS = FailureEntry(
    "TL4058",
    EngineError,
    "invalid number of partitions",
    "partitions={partitions}: must be between 1 and {most:,}",
    "An engine has at least one partition.",
    "",
    'Engine("n(1).", partitions=0)\n',
)
THREADS = FailureEntry(
    "TL4060",
    EngineError,
    "invalid number of threads",
    "threads={threads}: must be between 1 and {most:,}",
    "An engine uses the calling thread and additional ones.",
    "Omit the argument to use all processors.",
    'Engine("n(1).", threads=0)\n',
)
NEEDS_STATE = FailureEntry(
    "TL4059",
    EngineError,
    "state folder required",
    "{what} needs a state folder: create the engine with `Engine(..., path=...)`",
    "Only state folders keep history, snapshots and logs.",
    "",
    'Engine("n(1).").snapshot()\n',
)
FILE_NAME = FailureEntry(
    "TL4071",
    EngineError,
    "file name instead of a program",
    "`{name}` is a file name, but an engine expects the text of a program: use `Engine.from_file({name!r})`",
    "`Engine(...)` expects the text of a program; `Engine.from_file` reads it from a file.",
    "",
    'Engine("reach.dl")\n',
)
ROW_COLUMNS = FailureEntry(
    "TL1201",
    DataError,
    "wrong number of columns",
    "relation `{name}` has {wanted:1 column}, but these rows have {found}",
    "All rows of a relation have the same number of columns.",
    "Provide one value for each column of the relation.",
    'db = Engine("reach(X, Y) :- edge(X, Y).")\nwith db.epoch() as e:\n    e.insert("edge", [(1,)])\n',
)
NOT_A_VARIABLE = FailureEntry(
    "TL4072",
    EngineError,
    "unknown variable in `bind`",
    "the query has no variable `{name}`; its variables: {known}",
    "The values given to a prepared query replace some of its variables.",
    "List variables of the query in `bind`, spelled as in the query.",
    'Engine("p(1).").prepare("p(X)", bind="Y")\n',
)
NOT_THE_VALUES = FailureEntry(
    "TL4074",
    EngineError,
    "wrong number of values for a prepared query",
    "the query binds {wanted:1 variable} ({names}), but the number of given values is {found}",
    "A prepared query needs one value for each variable in `bind`, in that order.",
    "Pass one value for each variable in `bind`.",
    'Engine("p(1).").prepare("p(X)", bind="X")()\n',
)

REFUSED = FailureEntry(
    "TL4951",
    ConstraintError,
    "constraint violated",
    "the epoch is refused and rolled back: {violations}",
    "An epoch is not committed if the body of a constraint holds at its end.",
    "Change facts or rules in the same epoch so that the body does not hold, or remove the constraint by its label.",
    'db = Engine("few: :- n(X), X > 9.")\nwith db.epoch() as e:\n    e.insert("n", [(10,)])\n',
)

TIME_FALLS = FailureEntry(
    "TL4952",
    EngineError,
    "epoch time goes backwards",
    "the epoch has time {at}, but the last epoch had {now}",
    "The time of an epoch is never earlier than that of the previous epoch.",
    "Pass a later time, or omit it to use the time of the last epoch.",
    "db = Engine()\ndb.advance(10)\ndb.advance(9)\n",
)
UNTIL_DERIVED = FailureEntry(
    "TL4953",
    EngineError,
    "`until` for a derived relation",
    "`{name}` has rules, so its facts cannot have an expiry time",
    "`until` applies to asserted facts. Derived facts hold as long as the facts they depend on.",
    "Set `until` on the facts that `{name}` is derived from.",
    'db = Engine("p(X) :- q(X).")\nwith db.epoch() as e:\n    e.insert("p", [(1,)], until=10)\n',
)
COLUMN_WITHOUT_VALUE = FailureEntry(
    "TL4660",
    EngineError,
    "new column without a value for existing facts",
    "`{relation}` has {count:1 fact}, and its new column `{column}` has no value for them",
    "When a column is added, existing facts need a value in it. A column with another name is a new column; a rename "
    "has to be stated.",
    "Write a default in the declaration (`{column}: {type} = ...`), or an expression over the former columns "
    "(`columns={'{relation}': {'{column}': ...}}`, `--column '{relation}.{column}=...'`).",
    test="tests/engine/test_schema_changes.py::test_nothing_is_guessed",
)
COLUMN_OF_OTHER_TYPE = FailureEntry(
    "TL4661",
    EngineError,
    "column with another type and no conversion",
    "column `{column}` of `{relation}` changes from {before} to {after}, and {count:1 fact} need a conversion",
    "Existing values are not converted unless an expression is given.",
    "Give an expression over the former columns, such as `to_string({column})` or `to_number({column})`.",
    test="tests/engine/test_schema_changes.py::test_nothing_is_guessed",
)
COLUMN_WITH_DATA = FailureEntry(
    "TL4662",
    EngineError,
    "dropped column with data",
    "column `{column}` of `{relation}` is no longer declared, and its values in {count:1 fact} would be deleted",
    "The values of a dropped column are deleted, so this has to be stated.",
    "State that it is dropped (`columns={'{relation}': {'{column}': None}}`, `--drop-column {relation}.{column}`), or "
    "use it in the expression of another column if it was renamed.",
    test="tests/engine/test_schema_changes.py::test_nothing_is_guessed",
)
UNKNOWN_COLUMN = FailureEntry(
    "TL4663",
    EngineError,
    "unknown column in a change of columns",
    "`{relation}` has no column `{column}` {place}; known: {known}",
    "An expression is given for a column of the new declaration, and a column of the former declaration is dropped.",
    "Correct the name, or declare the column.",
    test="tests/engine/test_schema_changes.py::test_nothing_is_guessed",
)
COLUMNS_CANNOT_CHANGE = FailureEntry(
    "TL4664",
    EngineError,
    "columns cannot be changed",
    "the columns of `{relation}` cannot be changed: {reason}",
    "An epoch that changes columns maps the base facts of a relation, and derives again what depends on them.",
    "Declare another relation with the new columns, and rules that read both.",
    test="tests/engine/test_schema_changes.py::test_facts_that_depend_on_former_epochs_are_not_mapped",
)

ENTRIES = (
    COLUMN_WITHOUT_VALUE,
    COLUMN_OF_OTHER_TYPE,
    COLUMN_WITH_DATA,
    UNKNOWN_COLUMN,
    COLUMNS_CANNOT_CHANGE,
    TIME_FALLS,
    UNTIL_DERIVED,
    REFUSED,
    UNKNOWN_RELATION,
    AT_WITHOUT_PATH,
    HALF_A_SOURCE,
    OWN_NAME,
    MEANT_OTHERWISE,
    OTHER_SHAPE,
    NOBODY_KNOWS,
    NO_NAME,
    INSTANCE_TAKEN,
    NO_INSTANCE,
    UNDEFINED_READ,
    AGGREGATE_PROOF,
    INLINE_FACTS,
    NOT_DECLARED,
    NOT_A_RULE,
    CLOSED,
    FORKED,
    EPOCH_OVER,
    FEED_PLACE,
    PARTITIONS,
    THREADS,
    NEEDS_STATE,
    FILE_NAME,
    ROW_COLUMNS,
    NOT_A_VARIABLE,
    NOT_THE_VALUES,
)
