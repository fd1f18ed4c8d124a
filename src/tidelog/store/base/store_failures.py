"""What can go wrong with a state folder, by code: TL51xx; and calls that a state refuses: TL49xx.

Law: a state is read exactly or not at all; each of these tells which file stands in the way.
"""

from __future__ import annotations

from tidelog.errors import EngineError, StateError
from tidelog.errors.entry import FailureEntry

_MAKE = 'with Engine("n(1).", path="s") as db:\n    pass\n'
_CHANGE = 'with Engine("n(1).", path="s") as db:\n    with db.epoch() as e:\n        e.insert("n", [(2,)])\n'
_SPACE = "Check the folder, its permissions and the space left; then repeat the call."
_RESTORE = "Restore the file from a copy, or make a new state from the facts."

NO_STATE = FailureEntry(
    "TL5101",
    StateError,
    "folder without a state",
    "{name} holds no state",
    "An epoch can be read where a state was made: with `path=` or `--state`, and without `at`.",
    "Check the name of the folder, or open it without `at` to make a state there.",
    'Engine(path="s", at=1)\n',
)
OTHER_PROGRAM = FailureEntry(
    "TL5102",
    StateError,
    "state of another program",
    "{place} holds another program; from it to the one given:\n  {shown}\n"
    "open the state without a program, or change its program with `tidelog apply`",
    "A state belongs to its program: its views were derived by those rules.",
    "",
    _MAKE + 'Engine("n(1). m(X) :- n(X).", path="s")\n',
)
CHANGES_NOT_KEPT = FailureEntry(
    "TL5103",
    StateError,
    "changes that are not kept any more",
    "{name}: changes are kept since epoch {oldest}; those since {after} are not",
    "A state keeps the changes of as many epochs as its `history` says.",
    "Read the views as they are, or make the state with a longer `history`.",
    test="tests/store/test_history.py::test_old_files_are_removed_only_when_no_kept_epoch_needs_them",
)
NOT_WRITABLE = FailureEntry(
    "TL5105",
    StateError,
    "state folder that cannot be written",
    "{name} cannot be written: {reason}",
    "A state that is opened to be changed is repaired first: what a writer left unfinished is cut off.",
    _SPACE,
    test="tests/store/test_failures.py::test_state_that_cannot_be_repaired_is_named",
)
UNUSABLE = FailureEntry(
    "TL5106",
    StateError,
    "place that cannot hold a state",
    "{name} cannot be used as a state folder: {reason}",
    "A state lives in a folder of a local disk, or under a URI of an object store that Arrow knows.",
    "Give a folder that can be made and written.",
    'Path("s").touch()\nEngine("n(1).", path="s")\n',
)
NEWER_FRAME = FailureEntry(
    "TL5107",
    StateError,
    "file of a newer format",
    "format {found} is newer than format {known}, the newest that this version of Tidelog reads",
    "Every version reads the formats before its own, not those after it.",
    "Install a newer version of Tidelog.",
    test="tests/store/test_failures.py::test_file_of_a_newer_format_is_refused",
)
LOCKED = FailureEntry(
    "TL5108",
    StateError,
    "state that another writer has open",
    "{folder}: {held}, or read a committed epoch with `at` (command line: `--at`)",
    "A state has one writer at a time and any number of readers.",
    "",
    'first = Engine("n(1).", path="s")\nEngine(path="s")\n',
)
EPOCH_NOT_WRITTEN = FailureEntry(
    "TL5109",
    StateError,
    "epoch that could not be written",
    "{file}: epoch {epoch} could not be written: {reason}; nothing was changed",
    "An epoch is committed when it is on disk; until then the engine stands as it was.",
    _SPACE,
    test="tests/store/test_faults.py::test_the_message_of_a_full_disk_names_the_file_and_the_reason",
)
NOT_CUT = FailureEntry(
    "TL5110",
    StateError,
    "log that cannot be repaired",
    "{file} cannot be cut: {reason}",
    "What a failed write left at the end of the log is cut off before the next snapshot.",
    _SPACE,
    test="tests/store/test_failures.py::test_log_that_cannot_be_cut_is_named",
)
DAMAGED = FailureEntry(
    "TL5111",
    StateError,
    "damaged file",
    "{file} is damaged: {what}",
    "Every frame of a state has a checksum, so what was altered or cut short is noticed.",
    _RESTORE,
    _CHANGE + 'log = next(Path("s/log").iterdir())\nlog.write_bytes(log.read_bytes()[:-40] + bytes(range(40)))\n'
    'Engine(path="s")\n',
)
IMPOSSIBLE = FailureEntry(
    "TL5180",
    StateError,
    "file with content that no state has",
    "{file} holds what no state has: {what}",
    "What is read is checked as content too, not only by its checksum: numbers of rows, references, counts, forms.",
    _RESTORE,
    test="tests/store/test_forged.py::test_flags_ranks_and_counts_are_those_of_facts_at_rest",
)
RULES_UNREADABLE = FailureEntry(
    "TL5181",
    StateError,
    "state whose rules cannot be taken over",
    "{name}: the rules that it holds cannot be taken over: {what}",
    "A state holds its rules, with their strata, as a program that was accepted once.",
    _RESTORE,
    test="tests/store/test_forged.py::test_rules_that_are_none_are_refused",
)
GONE = FailureEntry(
    "TL5184",
    StateError,
    "state folder that is gone",
    "{name} is gone: it was removed or moved while this engine had it open; nothing was changed",
    "An engine writes into the folder that it opened and makes no new one in its place. What it holds can be read.",
    "Move the folder back, and go on; if it is lost, make a new state from the facts that the engine holds.",
    test="tests/store/test_writers.py::test_a_folder_that_is_removed_under_an_engine_is_told_to_be_gone",
)
FORKED = FailureEntry(
    "TL5186",
    StateError,
    "state folder of the parent process",
    "{name} was opened by process {process}, which this process was forked from; nothing was written",
    "A state folder belongs to the process that opened it. A forked child has a copy of the engine, not of the lock.",
    "Read the folder in the child with `Engine(path=..., at=-1)`, or open it there after the parent has closed it.",
    test="tests/store/test_forks.py::test_a_store_of_the_parent_is_not_written_by_a_child",
)
OTHER_WRITER = FailureEntry(
    "TL5185",
    StateError,
    "state folder that somebody else has written",
    "{file} is {found}, and this engine left it {known}: something else has written this state since epoch {epoch}; "
    "nothing was written",
    "A state has one writer. Before it writes an epoch it checks that the log ends where it left it.",
    "Close this engine and open the folder again: it continues from the last epoch there. Find out who wrote.",
    test="tests/store/test_writers.py::test_a_writer_that_finds_epochs_of_another_one_refuses_to_write",
)
LOG_MISSING = FailureEntry(
    "TL5112",
    StateError,
    "log file that is missing",
    "{name}: the log of epoch {wanted} is not there; it goes on with epoch {found} in {file}",
    "The log holds every epoch after the oldest snapshot, without gaps.",
    _RESTORE,
    test="tests/store/test_failures.py::test_gap_in_the_log_is_named",
)
NO_EPOCH = FailureEntry(
    "TL5113",
    StateError,
    "epoch that was never committed",
    "{name}: there is no epoch {epoch}; the last is {last}",
    "Epochs are numbered from 1, and -1 is the last one.",
    "Give an epoch up to the last; `tidelog log STATE` lists them.",
    _MAKE + 'Engine(path="s", at=9)\n',
)
NEWER_FORMAT = FailureEntry(
    "TL5114",
    StateError,
    "state of a newer format",
    "{name} has format {found}; this version of Tidelog reads formats up to {known}; install a newer one",
    "Every version reads the formats before its own, not those after it.",
    "",
    test="tests/store/test_rules.py::test_a_newer_format_is_refused",
)
NOT_A_STATE = FailureEntry(
    "TL5115",
    StateError,
    "folder that holds something else",
    "{name} is not a state folder: it holds {others}; choose an empty folder",
    "A state has its folder to itself, so that nothing of the user's is ever overwritten or removed.",
    "",
    'Path("s").mkdir()\nPath("s/letter.txt").touch()\nEngine("n(1).", path="s")\n',
)
PIECE_MISSING = FailureEntry(
    "TL5116",
    StateError,
    "piece of an epoch that is missing",
    "{name}: the piece of epoch {epoch} is not there",
    "Every partition writes its piece of an epoch before the epoch is committed.",
    _RESTORE,
    test="tests/store/test_pieces.py::test_a_lost_piece_is_named",
)
PIECE_NOT_WRITTEN = FailureEntry(
    "TL5117",
    StateError,
    "piece of an epoch that could not be written",
    "{file}: the piece of epoch {epoch} could not be written: {reason}; nothing was changed",
    "An epoch is committed when the pieces of all partitions are on disk.",
    _SPACE,
    test="tests/store/test_failures.py::test_piece_that_cannot_be_written_is_named",
)
EPOCH_NOT_KEPT = FailureEntry(
    "TL5118",
    StateError,
    "epoch that is not kept any more",
    "{name}: epoch {epoch} is not kept any more; the oldest that can be read is {oldest}",
    "A state keeps as many epochs as its `history` says.",
    "Read a later epoch, or make the state with a longer `history`.",
    test="tests/store/test_history.py::test_old_files_are_removed_only_when_no_kept_epoch_needs_them",
)
LOG_SHORT = FailureEntry(
    "TL5119",
    StateError,
    "log that ends too early",
    "{name}: the log ends with epoch {reached}, but epoch {known} was committed: "
    "the last file in {name}/log was shortened or removed",
    "What was committed once is never given up silently.",
    _RESTORE,
    _CHANGE + 'for file in Path("s/log").iterdir():\n    file.unlink()\nEngine(path="s")\n',
)
FILE_MISSING = FailureEntry(
    "TL5120",
    StateError,
    "file that is missing",
    "{name}: a file is missing: {error}",
    "A state is whole, or it is not read.",
    _RESTORE,
    test="tests/store/test_failures.py::test_file_that_is_listed_and_missing_is_named",
)
OTHER_FUNCTIONS = FailureEntry(
    "TL5121",
    StateError,
    "state made with other user functions",
    "{place} was made with other functions: {wrong}; open it with those, or make a new state",
    "A state remembers the versions of the user functions that its facts were computed with.",
    "",
    "half = user_function('half', ('number',), 'number')(lambda x: x // 2)\n"
    "with Engine('n(4). m(half(X)) :- n(X).', path='s', functions=[half]) as db:\n    pass\n"
    "other = user_function('half', ('number',), 'number', version='2')(lambda x: x // 2)\n"
    "Engine(path='s', functions=[other])\n",
)
SNAPSHOT_NOT_WRITTEN = FailureEntry(
    "TL5122",
    StateError,
    "snapshot that could not be written",
    "{file} could not be written: {reason}",
    "A snapshot shortens the next opening; the log holds every epoch all the same.",
    _SPACE,
    test="tests/store/test_failures.py::test_snapshot_that_cannot_be_written_is_named",
)
OTHER_REWRITE = FailureEntry(
    "TL5123",
    StateError,
    "state whose rules are carried out otherwise now",
    "{name} was written by a version of Tidelog that carries out rule {labels} in another way; "
    "write its base facts out with that version and load them into a new folder",
    "A state holds what rules need between epochs; it is taken over as it is, or not at all.",
    "",
    test="tests/store/test_rules.py::test_a_state_whose_rules_are_carried_out_otherwise_is_refused",
)
READ_ONLY = FailureEntry(
    "TL4901",
    EngineError,
    "change of a state that is only read",
    "{name} was opened at epoch {epoch} to be read; open it without `at` to write",
    "A committed epoch does not change any more; new epochs follow the last one.",
    "",
    _CHANGE + 'old = Engine(path="s", at=1)\nwith old.epoch() as e:\n    e.insert("n", [(3,)])\n',
)
NOT_EXACT = FailureEntry(
    "TL4902",
    EngineError,
    "trial of changes on a state of several partitions",
    "{name} has {partitions} partitions, which were put together to be read; open it without `at` to try out changes",
    "The ranks of facts are those of their partitions, so a preview needs the partitions.",
    "",
    test="tests/store/test_pieces.py::test_changes_cannot_be_tried_out_on_pieces_put_together",
)

ENTRIES = (
    NO_STATE,
    OTHER_PROGRAM,
    CHANGES_NOT_KEPT,
    NOT_WRITABLE,
    UNUSABLE,
    NEWER_FRAME,
    LOCKED,
    EPOCH_NOT_WRITTEN,
    NOT_CUT,
    DAMAGED,
    IMPOSSIBLE,
    GONE,
    FORKED,
    OTHER_WRITER,
    RULES_UNREADABLE,
    LOG_MISSING,
    NO_EPOCH,
    NEWER_FORMAT,
    NOT_A_STATE,
    PIECE_MISSING,
    PIECE_NOT_WRITTEN,
    EPOCH_NOT_KEPT,
    LOG_SHORT,
    FILE_MISSING,
    OTHER_FUNCTIONS,
    SNAPSHOT_NOT_WRITTEN,
    OTHER_REWRITE,
    READ_ONLY,
    NOT_EXACT,
)
