"""What the simulator refuses, by code: TL71xx facts, TL72xx steps, TL73xx runs, TL74xx choices, TL75xx regular.

Law: a step that is refused changes nothing. `tidelog simulate` tells these errors by codes of its own, for what the
user of a command can do (`cli.simulate.catalogue`). What a program may not say is in `catalogue`.
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
    'from tidelog.lab.semantics import check_precondition, deletion\ncheck_precondition({}, [deletion("q")])\n',
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
    "from tidelog.program import Call, Const\nfrom tidelog.lab.semantics.term import evaluate\n"
    'evaluate(Call("f_size", (Const(1, "number"),)), {})\n',
)
NOT_MONOTONE = FailureEntry(
    "TL7106",
    EvaluationError,
    "rule that is not monotone in a chosen value",
    "not monotone in the chosen value: {missing} was not restored",
    "A rule must not give a better value than the one it was given: else the result would depend on the schedule.",
    "Write the rule so that its value grows (for min) or falls (for max) with that of its body.",
    test="tests/lab/semantics/test_ranked.py::test_a_rule_that_is_not_monotone_in_the_chosen_value_is_an_error",
)
LINKS_NOT_READ = FailureEntry(
    "TL7107",
    DataError,
    "table of links that cannot be read",
    "cannot read {path}: {reason}",
    "A topology is a table of links, one link a line.",
    "Check path and permissions.",
    'from tidelog.lab.semantics.traffic import read_topology\nread_topology(Path("absent.tsv"))\n',
)
LINK_COLUMNS = FailureEntry(
    "TL7108",
    DataError,
    "line of a table of links with another number of columns",
    "{path}, line {number}: {found} columns separated by tabs, expected {expected}",
    "A link is two names, separated by a tab; a change of a link is month, sign and two names.",
    "Correct the line.",
    'from tidelog.lab.semantics.traffic import read_topology\nPath("links.tsv").write_text("a b\\n")\n'
    'read_topology(Path("links.tsv"))\n',
)
CHANGE_SIGN = FailureEntry(
    "TL7109",
    DataError,
    "change of a link that neither comes nor goes",
    "{path}: a change is + or -, not `{sign}`",
    "A change of a link is month, sign and two names.",
    "Correct the sign.",
    'from tidelog.lab.semantics.traffic import read_changes\nPath("changes.tsv").write_text("2024-01\\t*\\ta\\tb\\n")\n'
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
    'from tidelog.lab.semantics import trace_from_json\ntrace_from_json(\'{"format": "x"}\')\n',
)
TRACE_BROKEN = FailureEntry(
    "TL7211",
    DataError,
    "text that is no saved trace",
    "not a saved trace: {kind}: {error}",
    _WRITTEN,
    "Give the text of a saved trace.",
    "from tidelog.lab.semantics import trace_from_json\ntrace_from_json('{}')\n",
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

NOT_FROM_SCRATCH = FailureEntry(
    "TL7290",
    IllegalStep,
    "trace that cannot be labelled",
    "the trace begins with tables whose derivations are not known",
    "Labels tell copies of facts apart by their derivations, which a trace shows from empty tables on.",
    "Give the trace from the loading of the program on; `last_burst` cuts it afterwards.",
    test=f"{_TURN}::test_traces_that_cannot_be_turned_are_refused_by_name",
)
NOT_ENDED = FailureEntry(
    "TL7291",
    IllegalStep,
    "trace that stops before its end",
    "updates are left at the end of the trace",
    "Executions end when every update has been processed (Definitions 5 and 7).",
    "Run the execution to its end.",
    test=f"{_TURN}::test_traces_that_cannot_be_turned_are_refused_by_name",
)
NOT_PAIRS = FailureEntry(
    "TL7292",
    IllegalStep,
    "iterations that cannot be exchanged",
    "the exchanged iterations lead to {what}",
    "Lemmas 10 to 12: iterations exchanged lead to the same tables, and to updates that differ in complementary pairs.",
    "Exchange iterations as these lemmas say.",
    test=f"{_TURN}::test_an_exchange_that_is_not_one_of_the_lemmas_is_refused",
)
OTHER_END = FailureEntry(
    "TL7293",
    IllegalStep,
    "execution that ends elsewhere",
    "{lemma}, {text}: the execution ends elsewhere",
    "Every execution of a transformation ends in the configuration of the first.",
    "Exchange iterations as Lemmas 10 to 12 say.",
    test=f"{_TURN}::test_an_execution_that_ends_elsewhere_is_refused",
)

# Runs

NOT_QUIESCENT = FailureEntry(
    "TL7301",
    LimitError,
    "algorithm that does not come to rest",
    "{algorithm} is not quiescent after {limit} steps; {pending} pending",
    _CYCLE,
    _END,
    test="tests/lab/semantics/network/test_traffic.py::test_recording_stops_at_its_limit",
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
    test="tests/lab/semantics/test_schedule.py::test_the_state_of_a_cyclic_program_is_infinite",
)
TOO_MANY_STATES = FailureEntry(
    "TL7305",
    LimitError,
    "exploration with too many states",
    "more than {limit} states; {left} of them not yet explored",
    "The number of states grows exponentially with the updates under way.",
    "Explore a smaller program, or raise the limit.",
    'from tidelog.lab.semantics import explore\nexplore(0, lambda state: [("next", state + 1)], str, "", limit=10)\n',
)
TOO_MANY_MOVES = FailureEntry(
    "TL7390",
    LimitError,
    "transformation with too many moves",
    "the transformation has not ended after {limit} moves",
    "An execution of n iterations may need moves in the order of n squared, and more where pairs come.",
    "Raise the limit, or turn a shorter execution.",
    test=f"{_TURN}::test_transformations_that_do_not_end_say_so",
)
NO_END_OF_PAIRS = FailureEntry(
    "TL7391",
    LimitError,
    "pairs that breed pairs",
    "a pair of complementary updates has bred more than {limit} pairs",
    "Lemma 13 needs an end: around a cycle a pair breeds pairs for ever.",
    "Turn executions of programs without recursion, or with derivation sets.",
    test=f"{_TURN}::test_transformations_that_do_not_end_say_so",
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
    test="tests/lab/semantics/papers/test_original_faults.py::test_two_derivations_set_semantics_gets_stuck_on_the_second_deletion",
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
    'from tidelog.lab.semantics.traffic import algorithm_by_name\nalgorithm_by_name("magic")\n',
)
NO_SELECTION = FailureEntry(
    "TL7402",
    EngineError,
    "algorithm that does not select values",
    "algorithm `{name}` does not run programs that select a least or greatest value: {relations}; "
    "choose another algorithm",
    "Heights, and sets of insertions and deletions, have no place for the candidates that a selection holds back.",
    test="tests/lab/semantics/baselines/test_heights.py::test_selections_are_refused_by_name",
)
NO_AGGREGATES = FailureEntry(
    "TL7403",
    EngineError,
    "aggregate in the linear-logic reading",
    "the linear-logic reading has no aggregates; choose a program without min and max",
    "The formulas of the reading take facts one by one and never look at a whole group.",
    test="tests/lab/semantics/linear/test_correspondence.py::test_aggregates_are_refused",
)
UNKNOWN_SCHEDULE = FailureEntry(
    "TL7404",
    EngineError,
    "unknown schedule of the simulator",
    "unknown schedule `{name}`; known: {known}",
    "Schedules are chosen by name.",
    "Choose one of those.",
    'from tidelog.lab.semantics import schedule_by_name\nschedule_by_name("slow")\n',
)
NOT_A_DELAY = FailureEntry(
    "TL7405",
    EngineError,
    "delay that is no number",
    "a delay is a number of messages, not `{text}`",
    "Delays are counted in messages.",
    "Write a number after the colon, as in `delay:20`.",
    'from tidelog.lab.semantics import schedule_by_name\nschedule_by_name("delay:x")\n',
)
NOT_PENDING = FailureEntry(
    "TL7406",
    EngineError,
    "schedule that asks for a message that is not there",
    "the schedule asks for {text}; pending: {pending}",
    "A schedule chooses among the messages that are pending.",
    "Name one of those.",
    'from tidelog.lab.semantics.schedule import Script\nScript(["+r"]).choose([])\n',
)

NOT_ONE_BY_ONE = FailureEntry(
    "TL7490",
    EngineError,
    "algorithm whose schedules cannot all be followed",
    "algorithm `{name}` takes several messages in one step; all schedules can be followed of: {known}",
    "A schedule delivers one message after another; an iteration of many messages is no move of that kind.",
    "Choose one of those, or a single schedule.",
    'from tidelog.lab.semantics.traffic import explorable_by_name\nexplorable_by_name("sn")\n',
)

NOT_TURNED = FailureEntry(
    "TL7491",
    EngineError,
    "execution that is not made of pick, fire and commit",
    "algorithm `{name}` is not made of complete iterations; choose psn, sn, batched, psn-extended or sn-extended",
    "Executions are turned into one another by permuting, merging and splitting complete iterations.",
    test="tests/lab/test_simulate.py::test_a_run_is_turned_into_the_other_kind_of_execution_and_drawn",
)

# Regular Datalog

CIRCULAR = FailureEntry(
    "TL7501",
    DataError,
    "regular program that is recursive",
    "not stratified: {names} depend on one another",
    "The clauses of a regular program can be put in order; recursion is said by closures alone.",
    "Write the recursion as a closure.",
    test="tests/lab/semantics/regular/test_translate.py::test_clauses_that_depend_on_one_another_are_no_program",
)
COMPUTED = FailureEntry(
    "TL7502",
    DataError,
    "change of computed edges",
    "`{symbol}{tag}` is computed: only edges of symbols without a clause can be changed",
    "A regular program computes the edges of its clauses and all closures.",
    "Change the edges that they are computed from.",
    test="tests/lab/semantics/regular/test_laws.py::test_computed_symbols_and_closures_cannot_be_changed_from_outside",
)
COME_AND_GO = FailureEntry(
    "TL7503",
    DataError,
    "update that inserts and deletes the same rows",
    "an update inserts and deletes the same rows: {both}",
    "The insertions and deletions of an update have no row in common.",
    "Say for each row whether it comes or goes.",
    "from tidelog.lab.semantics.regular.graph import Graph\nfrom tidelog.lab.semantics.regular.update import Update\n"
    'edge = Graph.of({"e": [(1, 2)]})\nUpdate(edge, edge)\n',
)

# Linear logic with subexponentials

NO_SIGNATURE = FailureEntry(
    "TL7195",
    DataError,
    "subexponentials that break their law",
    "no signature of subexponentials: {why}",
    "The order is closed, structural rules are allowed upwards, and contraction comes with weakening.",
    "Correct the order or the indexes with structural rules.",
    'from tidelog.lab.semantics.sellf import Signature\nSignature.of("ab", [("a", "b")], weakening="a")\n',
)
NOT_PLAIN = FailureEntry(
    "TL7196",
    DataError,
    "update with a note in linear logic",
    "{update} carries a note, and formulas have none",
    "The encoding is of the papers' first algorithm, whose tables hold facts without notes.",
    "Run the algorithm without notes.",
    test="tests/lab/semantics/sellf/test_encoding.py::test_updates_with_notes_are_refused",
)
NO_DERIVATION = FailureEntry(
    "TL7295",
    IllegalStep,
    "rule that does not apply in a focused derivation",
    "rule {number}, {rule}: {why}",
    "A derivation is right when every rule applies to the first sequent that is still to be proved.",
    "Find the step that the derivation leaves out or does wrongly.",
    test="tests/lab/semantics/sellf/test_checker.py::test_a_rule_that_does_not_apply_is_told_by_its_number",
)
NOT_CUT = FailureEntry(
    "TL7296",
    IllegalStep,
    "derivation that is no sequence of iterations",
    "the derivation cannot be cut into iterations and a query: {why}",
    "A PSN- or SN-proof is a sequence of complete iterations and one execution of query.",
    "Complete the iteration, or the command.",
    test="tests/lab/semantics/sellf/test_proofs.py::test_what_is_no_sequence_of_iterations_is_refused",
)
NO_EXECUTION = FailureEntry(
    "TL7297",
    IllegalStep,
    "step of a trace without a derivation",
    "step {number}, {step}: no focused derivation executes it",
    "Commands are formulas; changes from outside are not part of a derivation, and a step that is not legal has none.",
    "Begin with the changes in the bags, and check the trace.",
    test="tests/lab/semantics/sellf/test_proofs.py::test_steps_without_a_derivation_are_refused",
)
NO_ANSWER = FailureEntry(
    "TL7395",
    StuckError,
    "query without a proof",
    "the sequent does not prove {asked}",
    "A query is answered when nothing is pending and the fact is in its table.",
    "Ask for a fact of the view, at the end of a run.",
    test="tests/lab/semantics/sellf/test_proofs.py::test_a_fact_that_does_not_hold_has_no_proof",
)
NO_GENERATORS = FailureEntry(
    "TL7495",
    EngineError,
    "generator in linear logic",
    "the formulas of the commands have no generators: {function}",
    "An equation is a test that has one value on each side.",
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
