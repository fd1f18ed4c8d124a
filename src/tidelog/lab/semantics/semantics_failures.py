"""What the simulator refuses, by code: TL71xx facts, TL72xx steps, TL73xx runs, TL74xx choices, TL75xx regular.

Law: a step that is refused changes nothing. `tidelog simulate` reports these errors with separate codes, whose hints
are for the command line (`simulate_catalogue`). What a program must not contain is in `semantics_catalogue`.
"""

from __future__ import annotations

from tidelog.errors import DataError, EngineError, EvaluationError, LimitError
from tidelog.errors.entry import FailureEntry
from tidelog.lab.semantics.errors import IllegalStep, StuckError

_PREPARE = "from tidelog.lab.semantics import Fact, prepare\nfrom tidelog.syntax import parse_program\n"
_STEP = (
    "from tidelog.lab.semantics import *\nfrom tidelog.syntax import parse_program\n"
    'semantics = Semantics(prepare(parse_program("p(X) :- q(X).")))\n'
)
_TRACE = "tests/lab/semantics/test_trace.py"
_TURN = "tests/lab/semantics/transform/test_turn.py"
_CYCLE = "Counting does not terminate on cyclic data."
_END = "Raise the limit, or choose an algorithm that terminates on cyclic data."
_WRITTEN = "Traces are saved with `trace_to_json`."

# Facts

NOT_THERE = FailureEntry(
    "TL7101",
    DataError,
    "deletion of an absent fact",
    "cannot delete facts that are neither base facts nor inserted by the same changes: {missing}",
    "The proofs require that every deleted fact is a base fact or is inserted by the same changes.",
    "Delete only facts that are present.",
    'from tidelog.lab.semantics import check_precondition, deletion\ncheck_precondition({}, [deletion("q")])\n',
)
UNKNOWN_RELATION = FailureEntry(
    "TL7102",
    DataError,
    "unknown relation in the simulator",
    "unknown relation `{relation}`. Known relations: {known}",
    "A fact must belong to a relation of the program.",
    "Correct the name of the relation.",
    _PREPARE + 'prepare(parse_program("p(X) :- q(X).")).node_of(Fact("r", (1,)))\n',
)
FACT_COLUMNS = FailureEntry(
    "TL7103",
    DataError,
    "wrong number of columns in the simulator",
    "{fact} has {found:1 column}, but relation `{relation}` has {columns}",
    "A fact has one value for each column of its relation.",
    "Write the fact with a value for every column.",
    _PREPARE + 'prepare(parse_program("p(X) :- q(X).")).node_of(Fact("q", (1, 2)))\n',
)
NOT_A_NODE = FailureEntry(
    "TL7104",
    DataError,
    "invalid node name",
    "{value!r} cannot be the name of a node; use a number or a symbol",
    "The column marked with `@` contains the node where the fact is stored.",
    example=_PREPARE + 'prepare(parse_program("p(@X,Y) :- q(@X,Y).")).node_of(Fact("q", ((1,), 2)))\n',
)
NO_FUNCTION = FailureEntry(
    "TL7105",
    EvaluationError,
    "no overload of the function in the simulator",
    "function `{function}` does not accept ({types})",
    "The simulator chooses the overload of a function by the types of the values.",
    "Change the arguments.",
    "from tidelog.program import Call, Const\nfrom tidelog.lab.semantics.term import evaluate\n"
    'evaluate(Call("f_size", (Const(1, "number"),)), {})\n',
)
NOT_MONOTONE = FailureEntry(
    "TL7106",
    EvaluationError,
    "rule is not monotone in the selected value",
    "the rule is not monotone in the selected value: {missing} was not restored",
    "A rule must not derive a better value than the one in its body. Otherwise the result would depend on the "
    "schedule.",
    "Change the rule so that its value increases (for min) or decreases (for max) with the value in its body.",
    test="tests/lab/semantics/test_ranked.py::test_a_rule_that_is_not_monotone_in_the_chosen_value_is_an_error",
)
LINKS_NOT_READ = FailureEntry(
    "TL7107",
    DataError,
    "cannot read the topology file",
    "cannot read {path}: {reason}",
    "A topology file contains one link per line.",
    "Check the path and the permissions of the file.",
    'from tidelog.lab.semantics.traffic import read_topology\nread_topology(Path("absent.tsv"))\n',
)
LINK_COLUMNS = FailureEntry(
    "TL7108",
    DataError,
    "wrong number of columns in a topology file",
    "{path}, line {number}: found {found} tab-separated columns, expected {expected}",
    "A link is two names separated by a tab. A change of a link has four columns: month, sign and two names.",
    "Correct the line.",
    'from tidelog.lab.semantics.traffic import read_topology\nPath("links.tsv").write_text("a b\\n")\n'
    'read_topology(Path("links.tsv"))\n',
)
CHANGE_SIGN = FailureEntry(
    "TL7109",
    DataError,
    "invalid sign of a change",
    "{path}: invalid sign `{sign}`, expected + or -",
    "A change of a link has four columns: month, sign and two names.",
    "Use + to add the link and - to remove it.",
    'from tidelog.lab.semantics.traffic import read_changes\nPath("changes.tsv").write_text("2024-01\\t*\\ta\\tb\\n")\n'
    'read_changes(Path("changes.tsv"))\n',
)

# Steps and traces

NOT_WAITING = FailureEntry(
    "TL7201",
    IllegalStep,
    "picked update is not pending",
    "cannot pick {update}: it is not in the bag of its node",
    "Pick removes an update from the bag of its node.",
    "Send the update first.",
    _STEP + 'pick(semantics, Configuration(), insertion("q", 1))\n',
)
NOT_PRESENT = FailureEntry(
    "TL7202",
    IllegalStep,
    "picked deletion of an absent fact",
    "cannot pick {update}: the fact is not present",
    "A deletion can be picked only if its fact is in the tables, so that no count becomes negative.",
    "Pick the insertion first.",
    _STEP + 'waiting = Configuration().sent(semantics.network, [deletion("q", 1)])\n'
    'pick(semantics, waiting, deletion("q", 1))\n',
)
NOT_PICKED = FailureEntry(
    "TL7203",
    IllegalStep,
    "fired update was not picked",
    "cannot fire {update}: it has not been picked",
    "An update is picked, then fired, then committed.",
    "Pick the update first.",
    _STEP + 'fire(semantics, Configuration(), insertion("q", 1))\n',
)
NOT_FIRED = FailureEntry(
    "TL7204",
    IllegalStep,
    "committed update was not fired",
    "cannot commit {update}: it has not been fired",
    "An update is picked, then fired, then committed.",
    "Fire the update first.",
    _STEP + 'commit(semantics, Configuration(), insertion("q", 1))\n',
)
NOT_COMMITTED = FailureEntry(
    "TL7205",
    IllegalStep,
    "deletion committed before its insertion",
    "cannot commit {update}: the insertion of the same iteration must be committed first",
    "A fact must be in the tables before its deletion can be committed.",
    "Commit the insertion first.",
    test=f"{_TRACE}::test_insertions_of_an_iteration_are_committed_before_the_deletions_of_the_same_fact",
)
UNKNOWN_COMMAND = FailureEntry(
    "TL7206",
    IllegalStep,
    "unknown command in a trace",
    "unknown command `{command}`. Known commands: {known}",
    "A trace consists of the commands pick, fire and commit, and of changes of base facts.",
    "Correct the command.",
    test=f"{_TRACE}::test_the_checker_names_the_first_step_that_is_not_legal",
)
BAD_CHANGE = FailureEntry(
    "TL7207",
    IllegalStep,
    "trace deletes an absent fact",
    "{where}: {error}",
    "The proofs require that every deleted fact is a base fact or is inserted by the same changes.",
    "Delete only facts that are present.",
    test=f"{_TRACE}::test_the_checker_refuses_changes_that_break_the_precondition",
)
OTHER_MESSAGES = FailureEntry(
    "TL7208",
    IllegalStep,
    "trace does not match the program",
    "step {number}: {update} sends {sent!r}, but the trace contains {recorded!r}",
    "A step sends exactly the updates that its delta rules derive.",
    "Record the trace again.",
    test=f"{_TRACE}::test_the_checker_names_the_first_step_that_is_not_legal",
)
NO_ITERATION = FailureEntry(
    "TL7209",
    IllegalStep,
    "incomplete iteration in a trace",
    "step {number} does not start a complete iteration",
    "A complete iteration picks some updates, then fires them all, then commits them all.",
    "Use the trace of a pipelined or synchronous execution.",
    test=f"{_TRACE}::test_a_trace_that_is_not_made_of_complete_iterations_is_refused",
)
TRACE_FORMAT = FailureEntry(
    "TL7210",
    DataError,
    "unsupported trace format",
    "not a saved trace: the format is {found!r}, expected {wanted!r}",
    _WRITTEN,
    "Save the trace again with this version.",
    'from tidelog.lab.semantics import trace_from_json\ntrace_from_json(\'{"format": "x"}\')\n',
)
TRACE_BROKEN = FailureEntry(
    "TL7211",
    DataError,
    "text is not a saved trace",
    "not a saved trace: {kind}: {error}",
    _WRITTEN,
    "Pass the text of a saved trace.",
    "from tidelog.lab.semantics import trace_from_json\ntrace_from_json('{}')\n",
)
TRACE_FACT = FailureEntry(
    "TL7212",
    DataError,
    "invalid fact in a saved trace",
    "not a saved trace: {value!r} is not a fact",
    _WRITTEN,
    "Save the trace again.",
    test=f"{_TRACE}::test_a_step_without_a_fact_is_a_data_error",
)

NOT_FROM_SCRATCH = FailureEntry(
    "TL7290",
    IllegalStep,
    "trace does not start with empty tables",
    "the trace cannot be labelled: it starts with tables whose derivations are unknown",
    "Labels distinguish copies of a fact by their derivations, which are known only if the trace starts with empty "
    "tables.",
    "Pass the whole trace, from loading the program, and use `last_burst` to cut it afterwards.",
    test=f"{_TURN}::test_traces_that_cannot_be_turned_are_refused_by_name",
)
NOT_ENDED = FailureEntry(
    "TL7291",
    IllegalStep,
    "trace is incomplete",
    "updates are still pending at the end of the trace",
    "An execution is complete when every update has been processed (Definitions 5 and 7).",
    "Record the trace until no update is pending.",
    test=f"{_TURN}::test_traces_that_cannot_be_turned_are_refused_by_name",
)
NOT_PAIRS = FailureEntry(
    "TL7292",
    IllegalStep,
    "iterations cannot be exchanged",
    "the iterations cannot be exchanged: they lead to {what}",
    "Exchanged iterations must lead to the same tables, and to updates that differ only in complementary pairs "
    "(Lemmas 10 to 12).",
    "Exchange only iterations to which one of these lemmas applies.",
    test=f"{_TURN}::test_an_exchange_that_is_not_one_of_the_lemmas_is_refused",
)
OTHER_END = FailureEntry(
    "TL7293",
    IllegalStep,
    "execution ends in another configuration",
    "{lemma}, {text}: the execution ends in another configuration",
    "All executions of a transformation end in the same configuration.",
    "Exchange only iterations to which one of Lemmas 10 to 12 applies.",
    test=f"{_TURN}::test_an_execution_that_ends_elsewhere_is_refused",
)

# Runs

NOT_QUIESCENT = FailureEntry(
    "TL7301",
    LimitError,
    "algorithm does not terminate",
    "algorithm {algorithm} has not finished after {limit:1 step}; pending updates: {pending}",
    _CYCLE,
    _END,
    test="tests/lab/semantics/network/test_traffic.py::test_recording_stops_at_its_limit",
)
PIPELINED_LIMIT = FailureEntry(
    "TL7302",
    LimitError,
    "pipelined execution does not terminate",
    "the pipelined execution has not finished after {limit:1 iteration}",
    _CYCLE,
    _END,
    test=f"{_TRACE}::test_executions_that_do_not_end_say_so",
)
SYNCHRONOUS_LIMIT = FailureEntry(
    "TL7303",
    LimitError,
    "synchronous execution does not terminate",
    "the synchronous execution has not finished after {limit:1 iteration}",
    _CYCLE,
    _END,
    test=f"{_TRACE}::test_executions_that_do_not_end_say_so",
)
SCRATCH_LIMIT = FailureEntry(
    "TL7304",
    LimitError,
    "evaluation from scratch does not terminate",
    "evaluation from scratch has not finished after {limit:1 round}",
    "Multiset evaluation of a cyclic program does not terminate, and neither do programs that count without a bound.",
    "Raise the limit, or compute the least model.",
    test="tests/lab/semantics/test_schedule.py::test_the_state_of_a_cyclic_program_is_infinite",
)
TOO_MANY_STATES = FailureEntry(
    "TL7305",
    LimitError,
    "too many states to explore",
    "there are more than {limit:1 state}, {left} of them not yet explored",
    "The number of states grows exponentially with the number of pending updates.",
    "Explore a smaller program, or raise the limit.",
    'from tidelog.lab.semantics import explore\nexplore(0, lambda state: [("next", state + 1)], str, "", limit=10)\n',
)
TOO_MANY_MOVES = FailureEntry(
    "TL7390",
    LimitError,
    "transformation needs too many moves",
    "the transformation has not finished after {limit:1 move}",
    "An execution of n iterations may need on the order of n squared moves, and more if complementary pairs are "
    "created.",
    "Raise the limit, or transform a shorter execution.",
    test=f"{_TURN}::test_transformations_that_do_not_end_say_so",
)
NO_END_OF_PAIRS = FailureEntry(
    "TL7391",
    LimitError,
    "too many complementary pairs",
    "a pair of complementary updates has produced more than {limit:1 pair}",
    "Lemma 13 applies only if this process terminates. Around a cycle, a pair produces new pairs forever.",
    "Transform executions of programs without recursion, or use derivation sets.",
    test=f"{_TURN}::test_transformations_that_do_not_end_say_so",
)
NO_PICK = FailureEntry(
    "TL7306",
    StuckError,
    "remaining updates cannot be picked",
    "none of the remaining updates can be picked: {waiting}",
    "Under set semantics, a fact with two derivations is deleted with the first one, so the second deletion can "
    "never be picked.",
    "Choose an algorithm with multisets.",
    test=f"{_TRACE}::test_executions_that_are_stuck_say_so",
)
NOT_ALL_PICKED = FailureEntry(
    "TL7307",
    StuckError,
    "synchronous iteration cannot pick all updates",
    "the synchronous iteration could not pick every update",
    "A synchronous iteration processes all pending updates.",
    "Choose an algorithm with multisets.",
    test="tests/lab/semantics/papers/test_original_faults.py::test_two_derivations_set_semantics_gets_stuck_on_the_second_deletion",
)
STUCK_ITERATION = FailureEntry(
    "TL7308",
    StuckError,
    "synchronous execution is stuck",
    "{error}",
    "A synchronous iteration processes all pending updates.",
    "Choose an algorithm with multisets.",
    test=f"{_TRACE}::test_executions_that_are_stuck_say_so",
)

# Choices

UNKNOWN_ALGORITHM = FailureEntry(
    "TL7401",
    EngineError,
    "unknown algorithm of the simulator",
    "unknown algorithm `{name}`. Known algorithms: {known}",
    "Algorithms are chosen by name.",
    "Choose one of the known algorithms.",
    'from tidelog.lab.semantics.traffic import algorithm_by_name\nalgorithm_by_name("magic")\n',
)
NO_SELECTION = FailureEntry(
    "TL7402",
    EngineError,
    "algorithm does not support min and max",
    "algorithm `{name}` does not support min and max, which these relations use: {relations}; choose another algorithm",
    "The data structures of this algorithm cannot store the candidates that were not selected.",
    test="tests/lab/semantics/baselines/test_heights.py::test_selections_are_refused_by_name",
)
NO_AGGREGATES = FailureEntry(
    "TL7403",
    EngineError,
    "aggregate in the linear-logic encoding",
    "the linear-logic encoding does not support aggregates; choose a program without min and max",
    "The formulas of the encoding consume facts one at a time and cannot read a whole group.",
    test="tests/lab/semantics/linear/test_correspondence.py::test_aggregates_are_refused",
)
UNKNOWN_SCHEDULE = FailureEntry(
    "TL7404",
    EngineError,
    "unknown schedule of the simulator",
    "unknown schedule `{name}`. Known schedules: {known}",
    "Schedules are chosen by name.",
    "Choose one of the known schedules.",
    'from tidelog.lab.semantics import schedule_by_name\nschedule_by_name("slow")\n',
)
NOT_A_DELAY = FailureEntry(
    "TL7405",
    EngineError,
    "invalid delay",
    "invalid delay `{text}`: expected a number of messages",
    "A delay is counted in messages.",
    "Write a number after the colon, as in `delay:20`.",
    'from tidelog.lab.semantics import schedule_by_name\nschedule_by_name("delay:x")\n',
)
NOT_PENDING = FailureEntry(
    "TL7406",
    EngineError,
    "message is not pending",
    "the schedule names a message that is not pending: {text}. Pending messages: {pending}",
    "A schedule can choose only among the pending messages.",
    "Choose one of the pending messages.",
    'from tidelog.lab.semantics.schedule import Script\nScript(["+r"]).choose([])\n',
)

NOT_ONE_BY_ONE = FailureEntry(
    "TL7490",
    EngineError,
    "schedules of the algorithm cannot be explored",
    "algorithm `{name}` processes several messages in one step, so its schedules cannot be explored. "
    "Algorithms that can: {known}",
    "An exploration delivers one message at a time.",
    "Choose one of these algorithms, or run a single schedule.",
    'from tidelog.lab.semantics.traffic import explorable_by_name\nexplorable_by_name("sn")\n',
)

NO_LOSSES = FailureEntry(
    "TL7492",
    EngineError,
    "algorithm on links without losses",
    "messages of algorithm `{name}` cannot be lost. Algorithms whose messages can: {known}",
    "All other algorithms assume that every message arrives exactly once.",
    "Choose one of these algorithms, or set the probability of a loss to 0.",
    "from tidelog.lab.semantics.schedule import Fifo\n"
    "from tidelog.lab.semantics.traffic import on_lossy_links\n"
    'on_lossy_links("psn", Fifo(), 0.1)\n',
)

NOT_TURNED = FailureEntry(
    "TL7491",
    EngineError,
    "execution cannot be transformed",
    "algorithm `{name}` does not run in complete iterations; choose psn, sn, batched, psn-extended or sn-extended",
    "Executions are transformed into each other by permuting, merging and splitting complete iterations.",
    test="tests/lab/test_simulate.py::test_a_run_is_turned_into_the_other_kind_of_execution_and_drawn",
)

# Regular Datalog

CIRCULAR = FailureEntry(
    "TL7501",
    DataError,
    "recursive clauses in a regular program",
    "the clauses of {names} are recursive",
    "The clauses of a regular program must not be recursive; recursion is expressed only by closures.",
    "Write the recursion as a closure.",
    test="tests/lab/semantics/regular/test_translate.py::test_clauses_that_depend_on_one_another_are_no_program",
)
COMPUTED = FailureEntry(
    "TL7502",
    DataError,
    "change to computed edges",
    "`{symbol}{tag}` is computed and cannot be changed",
    "Only edges of symbols without a clause can be changed. The edges of clauses and all closures are computed.",
    "Change the edges that they are computed from.",
    test="tests/lab/semantics/regular/test_laws.py::test_computed_symbols_and_closures_cannot_be_changed_from_outside",
)
COME_AND_GO = FailureEntry(
    "TL7503",
    DataError,
    "update inserts and deletes the same rows",
    "an update inserts and deletes the same rows: {both}",
    "The insertions and deletions of an update must have no row in common.",
    "Either insert or delete each row.",
    "from tidelog.lab.semantics.regular.graph import Graph\n"
    "from tidelog.lab.semantics.regular.update import BulkUpdate\n"
    'edge = Graph.of({"e": [(1, 2)]})\nBulkUpdate(edge, edge)\n',
)

# Linear logic with subexponentials

NO_SIGNATURE = FailureEntry(
    "TL7195",
    DataError,
    "invalid signature of subexponentials",
    "invalid signature of subexponentials: {why}",
    "The order must be transitive, structural rules must be closed upwards, and contraction requires weakening.",
    "Correct the order, or the indexes that have structural rules.",
    'from tidelog.lab.semantics.sellf import Signature\nSignature.of("ab", [("a", "b")], weakening="a")\n',
)
NOT_PLAIN = FailureEntry(
    "TL7196",
    DataError,
    "annotated update in linear logic",
    "{update} has an annotation, which the formulas cannot express",
    "The encoding covers the first algorithm of the papers, whose tables contain facts without annotations.",
    "Run the algorithm without annotations.",
    test="tests/lab/semantics/sellf/test_encoding.py::test_updates_with_notes_are_refused",
)
NO_DERIVATION = FailureEntry(
    "TL7295",
    IllegalStep,
    "rule does not apply in a focused derivation",
    "rule {number}, {rule}: {why}",
    "In a correct derivation, every rule applies to the first sequent that is not yet proved.",
    "Find the missing or wrong step of the derivation.",
    test="tests/lab/semantics/sellf/test_checker.py::test_a_rule_that_does_not_apply_is_reported_by_its_number",
)
NOT_CUT = FailureEntry(
    "TL7296",
    IllegalStep,
    "derivation is not a sequence of iterations",
    "the derivation cannot be split into iterations and a query: {why}",
    "A PSN- or SN-proof is a sequence of complete iterations and one execution of query.",
    "Complete the iteration, or the command.",
    test="tests/lab/semantics/sellf/test_proofs.py::test_what_is_no_sequence_of_iterations_is_refused",
)
NO_EXECUTION = FailureEntry(
    "TL7297",
    IllegalStep,
    "step has no derivation",
    "step {number}, {step}: no focused derivation executes this step",
    "Derivations exist only for legal commands. External changes are not commands.",
    "Start with the changes already in the bags, and check that the trace is legal.",
    test="tests/lab/semantics/sellf/test_proofs.py::test_steps_without_a_derivation_are_refused",
)
NO_ANSWER = FailureEntry(
    "TL7395",
    StuckError,
    "query has no proof",
    "the sequent does not prove {asked}",
    "A query succeeds if no update is pending and the fact is in its table.",
    "Query a fact of the view at the end of a run.",
    test="tests/lab/semantics/sellf/test_proofs.py::test_a_fact_that_does_not_hold_has_no_proof",
)
NO_GENERATORS = FailureEntry(
    "TL7495",
    EngineError,
    "generator in linear logic",
    "function `{function}` generates several values, which the formulas cannot express",
    "An equation compares exactly one value on each side.",
    "Write the values as facts of a relation.",
    test="tests/lab/semantics/sellf/test_encoding.py::test_generators_are_refused",
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
    NOT_FROM_SCRATCH,
    NOT_ENDED,
    NOT_PAIRS,
    OTHER_END,
    NOT_QUIESCENT,
    PIPELINED_LIMIT,
    SYNCHRONOUS_LIMIT,
    SCRATCH_LIMIT,
    TOO_MANY_STATES,
    TOO_MANY_MOVES,
    NO_END_OF_PAIRS,
    NO_PICK,
    NOT_ALL_PICKED,
    STUCK_ITERATION,
    UNKNOWN_ALGORITHM,
    NO_SELECTION,
    NO_AGGREGATES,
    UNKNOWN_SCHEDULE,
    NOT_A_DELAY,
    NOT_PENDING,
    NOT_ONE_BY_ONE,
    NO_LOSSES,
    NOT_TURNED,
    CIRCULAR,
    COMPUTED,
    COME_AND_GO,
    NO_SIGNATURE,
    NOT_PLAIN,
    NO_DERIVATION,
    NOT_CUT,
    NO_EXECUTION,
    NO_ANSWER,
    NO_GENERATORS,
)
