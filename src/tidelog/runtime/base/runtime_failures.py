"""Errors of the runtimes about interrupted epochs, memory and partitions, by code: TL23xx, TL31xx, TL44xx.

Law: an epoch is committed on all partitions or on none; each of these errors names the committed epoch.
"""

from __future__ import annotations

from tidelog.errors import EngineError, EpochInterrupted, LimitError
from tidelog.errors.entry import FailureEntry

INTERRUPTED = FailureEntry(
    "TL2301",
    EpochInterrupted,
    "epoch interrupted",
    "the epoch was interrupted; nothing was changed",
    "An interrupt ends the epoch on all partitions, which return to their previous state.",
    "Repeat the epoch.",
    test="tests/runtime/test_service.py::test_epoch_that_was_given_up_does_not_start_late",
)
OUT_OF_MEMORY = FailureEntry(
    "TL3101",
    LimitError,
    "out of memory",
    "out of memory; nothing was changed",
    "An epoch needs memory for the facts it derives, in addition to the existing ones.",
    "Apply fewer changes in one epoch, use several partitions, or use a machine with more memory.",
    test="tests/law/test_rollback.py::test_lack_of_memory_is_a_limit_error",
)
MEMORY_SHORT = FailureEntry(
    "TL3170",
    LimitError,
    "partition short of memory",
    "only {left:,} bytes of memory are free, but a partition that uses {held:,} bytes keeps {wanted:,} bytes free; "
    "nothing was changed",
    "A partition on Spark aborts the epoch before the system kills its process for lack of memory.",
    "Use more machines and partitions, increase the executors' memory outside Java, or apply fewer changes in "
    "one epoch.",
    test="tests/runtime/test_headroom.py::test_an_epoch_for_which_memory_runs_short_is_given_up_and_undone",
)
NOTHING_TO_BEGIN_FROM = FailureEntry(
    "TL4401",
    EngineError,
    "partition lost without a state folder",
    "a partition was lost and cannot be restored, because the engine has no state folder",
    "A lost partition is restored from the state folder.",
    "Create the engine with a state folder (`path=`) on a cluster, and load the facts again.",
    test="tests/runtime/test_coordinator.py::test_loss_without_a_state_folder_is_told",
)
PREVIEW_LOST = FailureEntry(
    "TL4402",
    EngineError,
    "preview lost",
    "the changes of this preview were lost with a partition: repeat the preview",
    "The changes of a preview are held by the partitions until they are read.",
    "",
    test="tests/runtime/test_run_changes.py::test_preview_that_was_lost_is_told",
)
CHANGES_LOST = FailureEntry(
    "TL4403",
    EngineError,
    "changes lost with a partition",
    "the changes of epoch {epoch} are no longer available: {error}",
    "After a loss, the changes of an epoch are read from the state folder, as far back as its history goes.",
    "Read the current views, or create the state with a longer `history`.",
    test="tests/runtime/test_run_changes.py::test_changes_that_are_not_kept_are_told",
)
GIVEN_UP = FailureEntry(
    "TL4404",
    EngineError,
    "partitions lost repeatedly",
    "{lost}; stopped after {attempts:1 attempt}; {position}",
    "A lost partition is restarted a few times; then the engine stops. The state folder remains.",
    "Check the logs of the executors, then open the engine again from its state folder.",
    test="tests/runtime/test_recovery.py::test_loss_that_comes_again_and_again_is_an_error_that_tells_what_stands",
)
NOT_MARKED = FailureEntry(
    "TL4405",
    EngineError,
    "method cannot be called remotely",
    "`{method}` cannot be called remotely: it is not marked with `call`",
    "Only methods marked with `call` can be called from another process.",
    "Use one of the calls of `tidelog.runtime.protocol.service`.",
    test="tests/runtime/test_service.py::test_method_without_a_mark_makes_no_call",
)
NO_METHOD = FailureEntry(
    "TL4406",
    EngineError,
    "unknown remote method",
    "`{service}` has no method `{name}`",
    "Partitions are called by method name.",
    "Install the same version of Tidelog on the driver and on the executors.",
    test="tests/runtime/test_service.py::test_call_that_the_service_does_not_have_is_refused",
)
MOVED_OTHERWISE = FailureEntry(
    "TL4460",
    EngineError,
    "repartitioning changes derived facts",
    "`{name}`: the new partitions derive different facts; the engine was not changed",
    "Changing the number of partitions must not change any fact. A rule that is not a function of the facts it "
    "reads, such as one with a function that returns a different value each time, can be evaluated only once.",
    "Remove such functions from recursion, or create a new engine from the facts.",
    test="tests/runtime/test_moving.py::test_a_build_with_other_facts_is_refused",
)
ARGUMENTS = FailureEntry(
    "TL4475",
    EngineError,
    "invalid arguments of a remote call",
    "invalid call of `{method}`: {what}",
    "Arguments received over the network are checked against the signature of the method before it is called.",
    "Install the same version of Tidelog on the driver and on the executors.",
    test="tests/runtime/test_service.py::test_call_with_arguments_of_other_kinds_is_refused",
)
COPY_LOST = FailureEntry(
    "TL4465",
    EngineError,
    "state lost while it was read",
    "the copy of the state that was being read was lost with a partition",
    "A state that is read in batches is copied by the partitions. Restored partitions have the state, but not "
    "the copy.",
    "Retry the call.",
    test="tests/runtime/test_frozen_facts.py::test_a_copy_that_is_gone_is_told",
)

ENTRIES = (
    ARGUMENTS,
    INTERRUPTED,
    OUT_OF_MEMORY,
    MEMORY_SHORT,
    NOTHING_TO_BEGIN_FROM,
    PREVIEW_LOST,
    CHANGES_LOST,
    GIVEN_UP,
    NOT_MARKED,
    NO_METHOD,
    MOVED_OTHERWISE,
    COPY_LOST,
)
