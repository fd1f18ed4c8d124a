"""Tests that a second run of the suite, on partitions or with threads, would only repeat.

Law: a test is left out only if the first run, or another test of the second one, does the same with the same seeds.
With `TIDELOG_TEST_PARTITIONS` every engine has the same number of partitions, whatever it asks for: a test whose
variants have several partitions has been on several in the first run, and files that change the number of partitions
do that there. With `TIDELOG_TEST_THREADS` only engines with one partition have threads: variants with more repeat the
first run. Tests that choose partitions or threads themselves do the same in every run, and so do those whose engines
all live in other processes.
"""

from __future__ import annotations

import pytest

FILES = ("law/test_partitions.py", "why/test_partitions.py", "law/test_threads.py", "engine/test_bare_install.py")
SEVERAL = ("law/test_repartition_features.py",)  # `law/test_repartition.py` keeps that one partition has threads again
NUMBERS_CHANGE = ("engine/test_repartition.py", "law/test_repartition.py", "law/test_repartition_features.py")
TESTS = {
    "test_all_partitions_build_a_stratum_again_together",
    "test_asked_aggregates_on_partitions_with_messages_in_any_order",
    "test_law_holds_for_joins_with_threads",
    "test_law_holds_wherever_the_clocks_of_partitions_stand",
    "test_messages_may_come_in_any_order_and_in_any_pieces",
}


def without_repeats(config: pytest.Config, items: list[pytest.Item], *, threads: bool, spark: bool) -> None:
    """Deselect the tests that repeat another one.

    On partitions: those that have variants with several. With threads: the variants with several. On Spark each test
    runs once, with whatever number of partitions its first variant has.
    """
    kept: list[pytest.Item] = []
    repeated: list[pytest.Item] = []
    seen: set[tuple[object, ...]] = set()
    divided = {_variant(item) for item in items if _is_divided(item)}
    for item in items:
        variant = _variant(item)
        if threads:
            repeats = _is_divided(item) or item.path.as_posix().endswith(SEVERAL)
        elif spark:
            repeats = "partitions" in _parameters(item) and variant in seen
        else:
            repeats = variant in divided or item.path.as_posix().endswith(NUMBERS_CHANGE)
        (repeated if repeats or _chooses_itself(item) else kept).append(item)
        seen.add(variant)
    items[:] = kept
    config.hook.pytest_deselected(items=repeated)


def _parameters(item: pytest.Item) -> dict[str, object]:
    return item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}


def _variant(item: pytest.Item) -> tuple[object, ...]:
    """What variants over `partitions` have in common."""
    others = {name: repr(value) for name, value in _parameters(item).items() if name != "partitions"}
    return item.nodeid.partition("[")[0], *sorted(others.items())


def _is_divided(item: pytest.Item) -> bool:
    """Whether a variant has several partitions."""
    return _parameters(item).get("partitions") not in (None, 1)


def _chooses_itself(item: pytest.Item) -> bool:
    return item.path.as_posix().endswith(FILES) or getattr(item, "originalname", "") in TESTS
