"""What the simulator refuses, by code: TL71xx facts, TL72xx steps, TL73xx runs, TL74xx choices, TL75xx regular.

Law: a step that is refused changes nothing. `tidelog simulate` tells these errors by codes of its own, for what the
user of a command can do (`cli.simulate.catalogue`). What a program may not say is in `catalogue`.
"""

from __future__ import annotations

from tidelog.errors import DataError, EngineError, EvaluationError, LimitError
from tidelog.errors.entry import FailureEntry
from tidelog.semantics.errors import IllegalStep, StuckError

_PREPARE = "from tidelog.semantics import Fact, prepare\nfrom tidelog.syntax import parse_program\n"
_STEP = (
    "from tidelog.semantics import *\nfrom tidelog.syntax import parse_program\n"
    'semantics = Semantics(prepare(parse_program("p(X) :- q(X).")))\n'
)
_TRACE = "tests/semantics/test_trace.py"
_CYCLE = "Counting does not end on cyclic data."
_END = "Raise the limit, or choose an algorithm that ends on cyclic data."
_WRITTEN = "A trace is saved by `trace_to_json`."

# Facts

NOT_THERE = FailureEntry(
    "TL7101",
    DataError,
    "deletion of what is not there",
    "deletions without a base fact or an insertion: {missing}",
    "Base facts and insertions contain the deletions: under this condition the algorithms are proved right.",
    "Delete only facts that are there.",
    'from tidelog.semantics import check_precondition, deletion\ncheck_precondition({}, [deletion("q")])\n',
)
UNKNOWN_RELATION = FailureEntry(
    "TL7102",
    DataError,
    "fact of no relation of the network",
    "unknown relation `{relation}`; known: {known}",
    "Facts belong to relations that the program names.",
    "Correct the name of the relation.",
    _PREPARE + 'prepare(parse_program("p(X) :- q(X).")).node_of(Fact("r", (1,)))\n',
)
FACT_COLUMNS = FailureEntry(
    "TL7103",
    DataError,
    "fact with another number of columns in the network",
    "{fact} has {found} columns; relation `{relation}` has {columns}",
    "A fact has a value for each column of its relation.",
    "Write the fact with all its columns.",
    _PREPARE + 'prepare(parse_program("p(X) :- q(X).")).node_of(Fact("q", (1, 2)))\n',
)
NOT_A_NODE = FailureEntry(
    "TL7104",
    DataError,
    "location that is no node",
    "{value!r} cannot name a node; nodes are numbers or symbols",
    "The column with `@` says at which node a fact lives.",
    example=_PREPARE + 'prepare(parse_program("p(@X,Y) :- q(@X,Y).")).node_of(Fact("q", ((1,), 2)))\n',
)
NO_FUNCTION = FailureEntry(
    "TL7105",
    EvaluationError,
    "function without a form for these values in the network",
    "no function `{function}` takes ({types})",
    "A function has forms for certain types; the values of a fact decide which one is meant.",
    "Correct the arguments.",
    "from tidelog.program import Call, Const\nfrom tidelog.semantics.term import evaluate\n"
    'evaluate(Call("f_size", (Const(1, "number"),)), {})\n',
)
NOT_MONOTONE = FailureEntry(
    "TL7106",
    EvaluationError,
    "rule that is not monotone in a chosen value",
    "not monotone in the chosen value: {missing} was not restored",
    "A rule must not give a better value than the one it was given: else the result would depend on the schedule.",
    "Write the rule so that its value grows (for min) or falls (for max) with that of its body.",
    test="tests/semantics/test_ranked.py::test_a_rule_that_is_not_monotone_in_the_chosen_value_is_an_error",
)
LINKS_NOT_READ = FailureEntry(
    "TL7107",
    DataError,
    "table of links that cannot be read",
    "cannot read {path}: {reason}",
    "A topology is a table of links, one link a line.",
    "Check path and permissions.",
    'from tidelog.semantics.traffic import read_topology\nread_topology(Path("absent.tsv"))\n',
)
LINK_COLUMNS = FailureEntry(
    "TL7108",
    DataError,
    "line of a table of links with another number of columns",
    "{path}, line {number}: {found} columns separated by tabs, expected {expected}",
    "A link is two names, separated by a tab; a change of a link is month, sign and two names.",
    "Correct the line.",
    'from tidelog.semantics.traffic import read_topology\nPath("links.tsv").write_text("a b\\n")\n'
    'read_topology(Path("links.tsv"))\n',
)
CHANGE_SIGN = FailureEntry(
    "TL7109",
    DataError,
    "change of a link that neither comes nor goes",
    "{path}: a change is + or -, not `{sign}`",
    "A change of a link is month, sign and two names.",
    "Correct the sign.",
    'from tidelog.semantics.traffic import read_changes\nPath("changes.tsv").write_text("2024-01\\t*\\ta\\tb\\n")\n'
    'read_changes(Path("changes.tsv"))\n',
)

# Steps and traces

NOT_WAITING = FailureEntry(
    "TL7201",
    IllegalStep,
    "pick of an update that does not wait",
    "cannot pick {update}: it is not in the bag of its node",
    "Pick takes an update out of the bag of its node.",
    "Send the update first.",
    _STEP + 'pick(semantics, Configuration(), insertion("q", 1))\n',
)
NOT_PRESENT = FailureEntry(
    "TL7202",
    IllegalStep,
    "pick of a deletion whose fact is absent",
    "cannot pick {update}: the fact is not present",
    "A deletion can be picked only if its occurrence is in the tables, so that no count falls below zero.",
    "Pick the insertion first.",
    _STEP + 'waiting = Configuration().sent(semantics.network, [deletion("q", 1)])\n'
    'pick(semantics, waiting, deletion("q", 1))\n',
)
NOT_PICKED = FailureEntry(
    "TL7203",
    IllegalStep,
    "fire of an update that was not picked",
    "cannot fire {update}: it has not been picked",
    "An update is picked, then fired, then committed.",
    "Pick the update first.",
    _STEP + 'fire(semantics, Configuration(), insertion("q", 1))\n',
)
NOT_FIRED = FailureEntry(
    "TL7204",
    IllegalStep,
    "commit of an update that was not fired",
    "cannot commit {update}: it has not fired",
    "An update is picked, then fired, then committed.",
    "Fire the update first.",
    _STEP + 'commit(semantics, Configuration(), insertion("q", 1))\n',
)
NOT_COMMITTED = FailureEntry(
    "TL7205",
    IllegalStep,
    "commit of a deletion before its insertion",
    "cannot commit {update}: the insertion of the same iteration has to be committed first",
    "A deletion leaves the tables that its fact has entered.",
    "Commit the insertion first.",
    test=f"{_TRACE}::test_insertions_of_an_iteration_are_committed_before_the_deletions_of_the_same_fact",
)
UNKNOWN_COMMAND = FailureEntry(
    "TL7206",
    IllegalStep,
    "unknown command of a trace",
    "unknown command `{command}`; known: {known}",
    "A trace has three commands, and the changes of base facts.",
    "Correct the command.",
    test=f"{_TRACE}::test_the_checker_names_the_first_step_that_is_not_legal",
)
BAD_CHANGE = FailureEntry(
    "TL7207",
    IllegalStep,
    "change of a trace that breaks the precondition",
    "{where}: {error}",
    "Base facts and insertions contain the deletions: under this condition the algorithms are proved right.",
    "Delete only facts that are there.",
    test=f"{_TRACE}::test_the_checker_refuses_changes_that_break_the_precondition",
)
OTHER_MESSAGES = FailureEntry(
    "TL7208",
    IllegalStep,
    "step of a trace that sends something else",
    "step {number}: {update} sends {sent!r}, not {told!r}",
    "A step sends exactly the updates that its delta rules derive.",
    "Record the trace again.",
    test=f"{_TRACE}::test_the_checker_names_the_first_step_that_is_not_legal",
)
NO_ITERATION = FailureEntry(
    "TL7209",
    IllegalStep,
    "trace without complete iterations",
    "step {number} does not start a complete iteration",
    "A complete iteration picks some updates, then fires them all, then commits them all.",
    "Ask for the iterations of a pipelined or synchronous execution.",
    test=f"{_TRACE}::test_a_trace_that_is_not_made_of_complete_iterations_is_refused",
)
TRACE_FORMAT = FailureEntry(
    "TL7210",
    DataError,
    "saved trace of another format",
    "not a saved trace: the format is {found!r}, not {wanted!r}",
    _WRITTEN,
    "Save the trace again with this version.",
    'from tidelog.semantics import trace_from_json\ntrace_from_json(\'{"format": "x"}\')\n',
)
TRACE_BROKEN = FailureEntry(
    "TL7211",
    DataError,
    "text that is no saved trace",
    "not a saved trace: {kind}: {error}",
    _WRITTEN,
    "Give the text of a saved trace.",
    "from tidelog.semantics import trace_from_json\ntrace_from_json('{}')\n",
)
TRACE_FACT = FailureEntry(
    "TL7212",
    DataError,
    "saved trace with something else in the place of a fact",
    "not a saved trace: {value!r} is not a fact",
    _WRITTEN,
    "Save the trace again.",
    test=f"{_TRACE}::test_a_step_without_a_fact_is_a_data_error",
)

# Runs

NOT_QUIESCENT = FailureEntry(
    "TL7301",
    LimitError,
    "algorithm that does not come to rest",
    "{algorithm} is not quiescent after {limit} steps; {pending} pending",
    _CYCLE,
    _END,
    test="tests/semantics/network/test_traffic.py::test_recording_stops_at_its_limit",
)
PIPELINED_LIMIT = FailureEntry(
    "TL7302",
    LimitError,
    "pipelined execution that does not end",
    "the pipelined execution has not ended after {limit} iterations",
    _CYCLE,
    _END,
    test=f"{_TRACE}::test_executions_that_do_not_end_say_so",
)
SYNCHRONOUS_LIMIT = FailureEntry(
    "TL7303",
    LimitError,
    "synchronous execution that does not end",
    "the synchronous execution has not ended after {limit} iterations",
    _CYCLE,
    _END,
    test=f"{_TRACE}::test_executions_that_do_not_end_say_so",
)
SCRATCH_LIMIT = FailureEntry(
    "TL7304",
    LimitError,
    "evaluation from scratch that does not end",
    "evaluation from scratch has not ended after {limit} rounds",
    "Multisets of a cyclic program, and programs that count without end, have no last round.",
    "Raise the limit, or ask for the least model.",
    test="tests/semantics/test_schedule.py::test_the_state_of_a_cyclic_program_is_infinite",
)
TOO_MANY_STATES = FailureEntry(
    "TL7305",
    LimitError,
    "exploration with too many states",
    "more than {limit} states; {left} of them not yet explored",
    "The number of states grows exponentially with the updates under way.",
    "Explore a smaller program, or raise the limit.",
    'from tidelog.semantics import explore\nexplore(0, lambda state: [("next", state + 1)], str, "", limit=10)\n',
)
NO_PICK = FailureEntry(
    "TL7306",
    StuckError,
    "updates that can never be picked",
    "no update can be picked: {waiting}",
    "Under set semantics a fact with two derivations is deleted with the first; the second deletion finds nothing.",
    "Choose an algorithm with multisets.",
    test=f"{_TRACE}::test_executions_that_are_stuck_say_so",
)
NOT_ALL_PICKED = FailureEntry(
    "TL7307",
    StuckError,
    "synchronous iteration that does not take all updates",
    "a synchronous iteration could not pick every update",
    "A synchronous iteration takes all updates that wait.",
    "Choose an algorithm with multisets.",
    test="tests/semantics/papers/test_original_faults.py::test_two_derivations_set_semantics_gets_stuck_on_the_second_deletion",
)
STUCK_ITERATION = FailureEntry(
    "TL7308",
    StuckError,
    "synchronous execution that is stuck",
    "{error}",
    "A synchronous iteration takes all updates that wait.",
    "Choose an algorithm with multisets.",
    test=f"{_TRACE}::test_executions_that_are_stuck_say_so",
)

# Choices

UNKNOWN_ALGORITHM = FailureEntry(
    "TL7401",
    EngineError,
    "unknown algorithm of the simulator",
    "unknown algorithm `{name}`; known: {known}",
    "Algorithms are chosen by name.",
    "Choose one of those.",
    'from tidelog.semantics.traffic import algorithm_by_name\nalgorithm_by_name("magic")\n',
)
NO_SELECTION = FailureEntry(
    "TL7402",
    EngineError,
    "algorithm that does not select values",
    "algorithm `{name}` does not run programs that select a least or greatest value: {relations}; "
    "choose another algorithm",
    "Heights are kept for facts, and the facts that a selection holds back have none.",
    test="tests/semantics/baselines/test_heights.py::test_selections_are_refused_by_name",
)
NO_AGGREGATES = FailureEntry(
    "TL7403",
    EngineError,
    "aggregate in the linear-logic reading",
    "the linear-logic reading has no aggregates; choose a program without min and max",
    "The formulas of the reading take facts one by one and never look at a whole group.",
    test="tests/semantics/linear/test_correspondence.py::test_aggregates_are_refused",
)
UNKNOWN_SCHEDULE = FailureEntry(
    "TL7404",
    EngineError,
    "unknown schedule of the simulator",
    "unknown schedule `{name}`; known: {known}",
    "Schedules are chosen by name.",
    "Choose one of those.",
    'from tidelog.semantics import schedule_by_name\nschedule_by_name("slow")\n',
)
NOT_A_DELAY = FailureEntry(
    "TL7405",
    EngineError,
    "delay that is no number",
    "a delay is a number of messages, not `{text}`",
    "Delays are counted in messages.",
    "Write a number after the colon, as in `delay:20`.",
    'from tidelog.semantics import schedule_by_name\nschedule_by_name("delay:x")\n',
)
NOT_PENDING = FailureEntry(
    "TL7406",
    EngineError,
    "schedule that asks for a message that is not there",
    "the schedule asks for {text}; pending: {pending}",
    "A schedule chooses among the messages that are pending.",
    "Name one of those.",
    'from tidelog.semantics.schedule import Script\nScript(["+r"]).choose([])\n',
)

# Regular Datalog

CIRCULAR = FailureEntry(
    "TL7501",
    DataError,
    "regular program that is recursive",
    "not stratified: {names} depend on one another",
    "The clauses of a regular program can be put in order; recursion is said by closures alone.",
    "Write the recursion as a closure.",
    test="tests/semantics/regular/test_translate.py::test_clauses_that_depend_on_one_another_are_no_program",
)
COMPUTED = FailureEntry(
    "TL7502",
    DataError,
    "change of computed edges",
    "`{symbol}{tag}` is computed: only edges of symbols without a clause can be changed",
    "A regular program computes the edges of its clauses and all closures.",
    "Change the edges that they are computed from.",
    test="tests/semantics/regular/test_laws.py::test_computed_symbols_and_closures_cannot_be_changed_from_outside",
)
COME_AND_GO = FailureEntry(
    "TL7503",
    DataError,
    "update that inserts and deletes the same rows",
    "an update inserts and deletes the same rows: {both}",
    "The insertions and deletions of an update have no row in common.",
    "Say for each row whether it comes or goes.",
    "from tidelog.semantics.regular.graph import Graph\nfrom tidelog.semantics.regular.update import Update\n"
    'edge = Graph.of({"e": [(1, 2)]})\nUpdate(edge, edge)\n',
)

ENTRIES = (
    NOT_THERE,
    UNKNOWN_RELATION,
    FACT_COLUMNS,
    NOT_A_NODE,
    NO_FUNCTION,
    NOT_MONOTONE,
    LINKS_NOT_READ,
    LINK_COLUMNS,
    CHANGE_SIGN,
    NOT_WAITING,
    NOT_PRESENT,
    NOT_PICKED,
    NOT_FIRED,
    NOT_COMMITTED,
    UNKNOWN_COMMAND,
    BAD_CHANGE,
    OTHER_MESSAGES,
    NO_ITERATION,
    TRACE_FORMAT,
    TRACE_BROKEN,
    TRACE_FACT,
    NOT_QUIESCENT,
    PIPELINED_LIMIT,
    SYNCHRONOUS_LIMIT,
    SCRATCH_LIMIT,
    TOO_MANY_STATES,
    NO_PICK,
    NOT_ALL_PICKED,
    STUCK_ITERATION,
    UNKNOWN_ALGORITHM,
    NO_SELECTION,
    NO_AGGREGATES,
    UNKNOWN_SCHEDULE,
    NOT_A_DELAY,
    NOT_PENDING,
    CIRCULAR,
    COMPUTED,
    COME_AND_GO,
)
