"""Tests that speak of the one partition of an embedded engine, by name, with the reason why they do.

The suite of the engine also runs with several partitions in one process (`TIDELOG_TEST_PARTITIONS`) and on Spark
(`TIDELOG_TEST_RUNTIME=spark`); these tests are skipped there.
"""

from __future__ import annotations

import pytest

KERNEL = "looks into, or breaks, the kernel of the one partition"
COPIES = "counts facts or supports, and partitions hold copies and fire some rules each for itself"
EACH = "every partition calls a user function for itself, on Spark in a process of its own"
TOLD = "with several partitions the placement, or a copy, is told too"
FOLDERS = "opens folders that were written by so many partitions"
NUMBERS = "chooses numbers of partitions itself"
COLUMNS = "changes columns, which starts another stage: tests/spark/test_schema_changes.py does that"
TIMES = "the time of rules is not sampled in several partitions"

ANYWHERE = {
    "test_statistics_count_supports_per_rule": COPIES,
    "test_a_state_that_cannot_be_written_leaves_the_engine": KERNEL,
    "test_suspended_and_revived_is_no_change_above": COPIES,
    "test_walks_from_known_nodes_do_not_build_the_closure": COPIES,
    "test_small_limit_of_facts_is_kept_exactly": COPIES,
    "test_supports_are_counted_per_rule_and_stratum": COPIES,
    "test_suspended_and_revived_facts_are_told_per_stratum": COPIES,
    "test_overall_adds_up_epochs": COPIES,
    "test_page_runs_as_printed[README.md]": COPIES,
    "test_page_runs_as_printed[docs/tutorial/governing-change.md]": COPIES,
    "test_page_runs_as_printed[docs/reference/python-operations.md]": COPIES,
    "test_a_choice_is_kept_in_a_state_folder[1]": FOLDERS,
    "test_a_choice_is_kept_in_a_state_folder[3]": FOLDERS,
    **{f"test_who_lives_is_who_the_history_says[{size}-{count}]": FOLDERS for size in (None, 3) for count in (1, 3)},
    "test_repartition_changes_nothing_for_subscribers": NUMBERS,
    "test_time_of_rules_is_sampled_only_when_asked_for": TIMES,
    "test_user_functions_run_on_distinct_arguments_only": EACH,
    "test_reader_sees_the_last_committed_epoch_while_another_runs": KERNEL,
    "test_a_count_that_leaves_its_bits_is_an_error": KERNEL,
    "test_rows_are_freed_once_they_are_facts": KERNEL,
    "test_large_batches_are_joined_in_blocks": KERNEL,
    "test_failed_epochs_leave_no_trace": KERNEL,
    "test_law_holds_for_ranges_when_partitions_change": NUMBERS,
    "test_many_rows_are_found_in_order_through_builds_and_changes": NUMBERS,
    "test_failed_epochs_with_ranges_leave_no_trace": KERNEL,
    "test_random_programs_visit_ranges": NUMBERS,
    "test_range_visits_what_it_admits": NUMBERS,
    "test_facts_that_are_all_new_are_found_from_the_side_that_has_both_bounds": NUMBERS,
    "test_question_that_is_asked_again_is_answered_in_order": KERNEL,
    "test_every_visit_says_how_it_finds_its_facts": NUMBERS,
    "test_question_is_narrowed_by_indexes_which_are_kept_like_those_of_queries": KERNEL,
    "test_search_that_grows_too_large_is_stopped_and_says_so": KERNEL,
    "test_epochs_that_fail_while_a_stratum_is_built_again_leave_no_trace": KERNEL,
    "test_law_holds_where_every_commit_numbers_ranks_anew": KERNEL,
    "test_index_that_no_plan_of_the_build_reads_is_linked_at_its_end": KERNEL,
    "test_numbers_grow_with_every_epoch": COPIES,
    "test_the_plan_over_the_whole_state_is_told_where_it_did_something": COPIES,
    "test_numbers_are_json": COPIES,
    "test_lookups_cost_their_answer": KERNEL,
    "test_indexes_of_queries_are_kept_told_and_bounded": KERNEL,
    "test_index_that_a_rule_comes_to_use_is_the_rules": KERNEL,
    "test_query_keeps_the_index_of_its_first_visit_for_the_next_one": KERNEL,
    "test_rule_that_runs_once_has_no_index_made_for_its_first_visit": KERNEL,
    "test_rule_that_was_planned_without_facts_is_planned_again_when_they_come": COPIES,
}
FILES = {
    "test_explanation.py": TOLD,
    "test_old_ranks.py": FOLDERS,
    "test_repartition.py": NUMBERS,
    "test_repartition_features.py": NUMBERS,
    "test_closed.py": NUMBERS,
    "test_metrics.py": COPIES,
    "test_small_epochs.py": KERNEL,
}
ON_SPARK = {
    **{
        f"test_closed_engine_holds_no_facts[{options}]": KERNEL
        for options in ("{'threads': 1}", "{'threads': 2}", "{'partitions': 2}")
    },
    "test_page_runs_as_printed[docs/reference/python-epochs.md]": COLUMNS,
    "test_lack_of_memory_is_a_limit_error": KERNEL,
    "test_interrupt_of_a_running_epoch_leaves_no_trace": KERNEL,
    "test_limit_of_facts_counts_what_an_epoch_makes_not_what_it_finds_again": KERNEL,
    "test_law_holds_wherever_the_clock_stands": KERNEL,
}


def skip_what_needs_one_partition(items: list[pytest.Item], *, spark: bool) -> None:
    """Mark those tests as skipped."""
    reasons = {**ANYWHERE, **ON_SPARK} if spark else ANYWHERE
    for item in items:
        names = (item.name, getattr(item, "originalname", ""))
        reason = next((reasons[name] for name in names if name in reasons), FILES.get(item.path.name))
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=f"one partition: {reason}"))
