"""Errors of state folders, by code: TL51xx; and calls that a state refuses: TL49xx.

Law: a state is read exactly or not at all; each of these errors names the file that prevents it.
"""

from __future__ import annotations

from tidelog.errors import EngineError, StateError
from tidelog.errors.entry import FailureEntry

_MAKE = 'with Engine("n(1).", path="s") as db:\n    pass\n'
_CHANGE = 'with Engine("n(1).", path="s") as db:\n    with db.epoch() as e:\n        e.insert("n", [(2,)])\n'
_SPACE = "Check the folder, its permissions and the free space; then retry the call."
_RESTORE = "Restore the file from a backup, or create a new state from the facts."

NO_STATE = FailureEntry(
    "TL5101",
    StateError,
    "no state in the folder",
    "{name} does not contain a state",
    "`at` reads an epoch of an existing state. It does not create one.",
    "Check the folder name, or open it without `at` to create a state there.",
    'Engine(path="s", at=1)\n',
)
OTHER_PROGRAM = FailureEntry(
    "TL5102",
    StateError,
    "state belongs to another program",
    "{place} contains a different program. Differences between the stored and the given program:\n  {shown}\n"
    "Open the state without a program, or change its program with `tidelog apply`",
    "A state belongs to its program, because its views were derived by that program's rules.",
    "",
    _MAKE + 'Engine("n(1). m(X) :- n(X).", path="s")\n',
)
CHANGES_NOT_KEPT = FailureEntry(
    "TL5103",
    StateError,
    "changes no longer kept",
    "{name}: the changes since epoch {after} are no longer kept; the oldest available are those since epoch {oldest}",
    "A state keeps the changes of recent epochs. Its `history` setting is the number of epochs.",
    "Read the current views, or create the state with a longer `history`.",
    test="tests/store/test_history.py::test_old_files_are_removed_only_when_no_kept_epoch_needs_them",
)
COLUMNS_CHANGED = FailureEntry(
    "TL5124",
    StateError,
    "columns of relations changed in between",
    "{name}: epoch {epoch} changed the columns of relations, so changes since epoch {after} cannot be read across it",
    "An epoch that changes columns builds the state again. Changes, causes and undo stop at it.",
    "Read the changes since epoch {epoch}. `at={before}` shows the state with the former columns.",
    test="tests/engine/test_schema_changes.py::test_history_ends_at_the_change",
)
NOT_WRITABLE = FailureEntry(
    "TL5105",
    StateError,
    "cannot write to the state folder",
    "cannot write to {name}: {reason}",
    "Opening a state for writing first repairs it by removing what an interrupted writer left unfinished.",
    _SPACE,
    test="tests/store/test_failures.py::test_state_that_cannot_be_repaired_is_named",
)
UNUSABLE = FailureEntry(
    "TL5106",
    StateError,
    "invalid location for a state",
    "{name} cannot be used as a state folder: {reason}",
    "A state is stored in a local folder, or at the URI of an object store that Arrow supports.",
    "Choose a folder that can be created and written.",
    'Path("s").touch()\nEngine("n(1).", path="s")\n',
)
NEWER_FRAME = FailureEntry(
    "TL5107",
    StateError,
    "file format too new",
    "format {found} is newer than format {known}, the newest that this version of Tidelog reads",
    "Each version reads its own format and older ones.",
    "Install a newer version of Tidelog.",
    test="tests/store/test_failures.py::test_file_of_a_newer_format_is_refused",
)
LOCKED = FailureEntry(
    "TL5108",
    StateError,
    "state is locked by another writer",
    "{folder}: {held}, or read a committed epoch with `at` (command line: `--at`)",
    "A state has one writer at a time and any number of readers.",
    "",
    'first = Engine("n(1).", path="s")\nEngine(path="s")\n',
)
EPOCH_NOT_WRITTEN = FailureEntry(
    "TL5109",
    StateError,
    "cannot write the epoch",
    "{file}: epoch {epoch} could not be written: {reason}; nothing was changed",
    "An epoch is committed once it is on disk. Until then the engine keeps its previous state.",
    _SPACE,
    test="tests/store/test_faults.py::test_the_message_of_a_full_disk_names_the_file_and_the_reason",
)
NOT_SYNCED = FailureEntry(
    "TL5187",
    StateError,
    "cannot make epochs durable",
    "{file}: what was written could not be made durable: {reason}; nothing more is written to this state",
    "Epochs of a group are written one by one and synced together. None of them is acknowledged before that. After a "
    "sync that failed, it is unknown what is on disk.",
    "Check the disk. Open the state again: it has all epochs that were acknowledged.",
    test="tests/store/test_groups.py::test_after_a_sync_that_failed_nothing_is_written",
)
NOT_CUT = FailureEntry(
    "TL5110",
    StateError,
    "cannot repair the log",
    "{file} cannot be truncated: {reason}",
    "What a failed write left at the end of the log is removed before the next snapshot.",
    _SPACE,
    test="tests/store/test_failures.py::test_log_that_cannot_be_cut_is_named",
)
DAMAGED = FailureEntry(
    "TL5111",
    StateError,
    "damaged file",
    "{file} is damaged: {what}",
    "Every frame of a state has a checksum, which detects altered or truncated data.",
    _RESTORE,
    _CHANGE + 'log = next(Path("s/log").iterdir())\nlog.write_bytes(log.read_bytes()[:-40] + bytes(range(40)))\n'
    'Engine(path="s")\n',
)
IMPOSSIBLE = FailureEntry(
    "TL5180",
    StateError,
    "invalid content in a state file",
    "{file} has invalid content: {what}",
    "Besides checksums, the content of a state is checked: row counts, references, support counts and formats.",
    _RESTORE,
    test="tests/store/test_forged.py::test_flags_ranks_and_counts_are_those_of_facts_at_rest",
)
RULES_UNREADABLE = FailureEntry(
    "TL5181",
    StateError,
    "cannot load the rules of the state",
    "{name}: cannot load the rules of the state: {what}",
    "A state contains its rules and their strata, as checked when they were added.",
    _RESTORE,
    test="tests/store/test_forged.py::test_rules_that_are_none_are_refused",
)
GONE = FailureEntry(
    "TL5184",
    StateError,
    "state folder was removed or moved",
    "{name} is gone: it was removed or moved while this engine had it open; nothing was changed",
    "An engine writes only to the folder that it opened and does not create a new one. The facts it holds can "
    "still be read.",
    "Move the folder back and continue. If it is lost, create a new state from the facts that the engine holds.",
    test="tests/store/test_writers.py::test_a_folder_that_is_removed_under_an_engine_is_told_to_be_gone",
)
FORKED = FailureEntry(
    "TL5186",
    StateError,
    "state folder belongs to the parent process",
    "{name} was opened by process {process}, which this process was forked from; nothing was written",
    "A state folder belongs to the process that opened it. A forked child has a copy of the engine, but not of "
    "the lock.",
    "Read the folder in the child with `Engine(path=..., at=-1)`, or open it there after the parent has closed it.",
    test="tests/store/test_forks.py::test_a_store_of_the_parent_is_not_written_by_a_child",
)
OTHER_WRITER = FailureEntry(
    "TL5185",
    StateError,
    "state folder was modified by another writer",
    "{file} is {found}, but this engine left it {known}: another writer has modified this state since epoch {epoch}; "
    "nothing was written",
    "A state has one writer. Before writing an epoch, it checks that the log ends where it left it.",
    "Close this engine and open the folder again to continue from its last epoch. Find out what else writes to "
    "the folder.",
    test="tests/store/test_writers.py::test_a_writer_that_finds_epochs_of_another_one_refuses_to_write",
)
LOG_MISSING = FailureEntry(
    "TL5112",
    StateError,
    "missing log file",
    "{name}: the log of epoch {wanted} is missing; the next epoch in the log is {found}, in {file}",
    "The log contains every epoch after the oldest snapshot, without gaps.",
    _RESTORE,
    test="tests/store/test_failures.py::test_gap_in_the_log_is_named",
)
NO_EPOCH = FailureEntry(
    "TL5113",
    StateError,
    "unknown epoch",
    "{name}: there is no epoch {epoch}; the last epoch is {last}",
    "Epochs are numbered from 1; -1 is the last one.",
    "Choose an epoch up to the last one; `tidelog log STATE` lists them.",
    _MAKE + 'Engine(path="s", at=9)\n',
)
NEWER_FORMAT = FailureEntry(
    "TL5114",
    StateError,
    "state format too new",
    "{name} has format {found}, but this version of Tidelog reads formats up to {known}; install a newer version",
    "Each version reads its own format and older ones.",
    "",
    test="tests/store/test_rules.py::test_a_newer_format_is_refused",
)
NOT_A_STATE = FailureEntry(
    "TL5115",
    StateError,
    "not a state folder",
    "{name} is not a state folder: it contains {others}; choose an empty folder",
    "A state needs a folder to itself, so that no other files are overwritten or removed.",
    "",
    'Path("s").mkdir()\nPath("s/letter.txt").touch()\nEngine("n(1).", path="s")\n',
)
PIECE_MISSING = FailureEntry(
    "TL5116",
    StateError,
    "missing part of an epoch",
    "{name}: the part of epoch {epoch} is missing",
    "Every partition writes its part of an epoch before the epoch is committed.",
    _RESTORE,
    test="tests/store/test_pieces.py::test_a_lost_piece_is_named",
)
PIECE_NOT_WRITTEN = FailureEntry(
    "TL5117",
    StateError,
    "cannot write a part of the epoch",
    "{file}: the part of epoch {epoch} could not be written: {reason}; nothing was changed",
    "An epoch is committed once the parts of all partitions are on disk.",
    _SPACE,
    test="tests/store/test_failures.py::test_piece_that_cannot_be_written_is_named",
)
EPOCH_NOT_KEPT = FailureEntry(
    "TL5118",
    StateError,
    "epoch no longer kept",
    "{name}: epoch {epoch} is no longer kept; the oldest available epoch is {oldest}",
    "A state keeps recent epochs. Its `history` setting is the number of epochs.",
    "Read a later epoch, or create the state with a longer `history`.",
    test="tests/store/test_history.py::test_old_files_are_removed_only_when_no_kept_epoch_needs_them",
)
LOG_SHORT = FailureEntry(
    "TL5119",
    StateError,
    "truncated log",
    "{name}: the log ends with epoch {reached}, but epoch {known} was committed: "
    "the last file in {name}/log was shortened or removed",
    "A committed epoch is never dropped silently.",
    _RESTORE,
    _CHANGE + 'for file in Path("s/log").iterdir():\n    file.unlink()\nEngine(path="s")\n',
)
FILE_MISSING = FailureEntry(
    "TL5120",
    StateError,
    "missing file",
    "{name}: a file is missing: {error}",
    "A state is read only if it is complete.",
    _RESTORE,
    test="tests/store/test_failures.py::test_file_that_is_listed_and_missing_is_named",
)
OTHER_FUNCTIONS = FailureEntry(
    "TL5121",
    StateError,
    "user functions do not match the state",
    "{place} was created with different user functions: {wrong}; open it with the same functions, or create "
    "a new state",
    "A state records the versions of the user functions that its facts were computed with.",
    "",
    "half = user_function('half', ('number',), 'number')(lambda x: x // 2)\n"
    "with Engine('n(4). m(half(X)) :- n(X).', path='s', functions=[half]) as db:\n    pass\n"
    "other = user_function('half', ('number',), 'number', version='2')(lambda x: x // 2)\n"
    "Engine(path='s', functions=[other])\n",
)
SNAPSHOT_NOT_WRITTEN = FailureEntry(
    "TL5122",
    StateError,
    "cannot write the snapshot",
    "{file} could not be written: {reason}",
    "A snapshot only makes the next opening faster; the log still contains every epoch.",
    _SPACE,
    test="tests/store/test_failures.py::test_snapshot_that_cannot_be_written_is_named",
)
OTHER_REWRITE = FailureEntry(
    "TL5123",
    StateError,
    "state from an incompatible version",
    "{name} was written by a version of Tidelog that evaluates rule {labels} differently; "
    "export its base facts with that version and load them into a new folder",
    "A state contains data that rules need between epochs. It is used unchanged or not at all.",
    "",
    test="tests/store/test_rules.py::test_a_state_whose_rules_are_carried_out_otherwise_is_refused",
)
READ_ONLY = FailureEntry(
    "TL4901",
    EngineError,
    "state is open for reading only",
    "{name} was opened read-only at epoch {epoch}; open it without `at` to write",
    "A committed epoch cannot be changed; new epochs follow the last one.",
    "",
    _CHANGE + 'old = Engine(path="s", at=1)\nwith old.epoch() as e:\n    e.insert("n", [(3,)])\n',
)
NOT_EXACT = FailureEntry(
    "TL4902",
    EngineError,
    "preview on a state with several partitions",
    "{name} has {partitions:1 partition}, which were combined for reading; open it without `at` to preview changes",
    "The ranks of facts differ between partitions, so a preview needs the original partitions.",
    "",
    test="tests/store/test_pieces.py::test_changes_cannot_be_tried_out_on_pieces_put_together",
)

ENTRIES = (
    NO_STATE,
    OTHER_PROGRAM,
    CHANGES_NOT_KEPT,
    COLUMNS_CHANGED,
    NOT_WRITABLE,
    UNUSABLE,
    NEWER_FRAME,
    LOCKED,
    EPOCH_NOT_WRITTEN,
    NOT_SYNCED,
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
