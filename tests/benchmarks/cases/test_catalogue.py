"""The list of cases: every group has some, names are found, and what is not at hand is left out by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.cases.catalogue import GROUPS, UnknownCase, choose, listed
from benchmarks.options import Options

NAMES = tuple(full for full, _ in listed())


def test_every_group_has_cases_and_every_case_a_line() -> None:
    assert {full.partition("/")[0] for full in NAMES} == set(GROUPS)
    assert all(case.line for _, case in listed())


def test_without_names_all_cases_run_that_need_neither_data_nor_spark() -> None:
    chosen = choose((), Options())
    ran = {f"{group}/{case}" for group, cases in chosen.cases.items() for case in cases}
    assert ran == {full for full, case in listed() if case.needs is None}
    assert {"engine/edge", "paths/all", "network/reachability"} < ran
    assert "spark/rmat is left out: it needs Java, for Spark, and to be asked for by name" in chosen.left_out


def test_data_that_is_given_adds_its_cases() -> None:
    assert "lubm" in choose((), Options(data=Path("lubm1.tsv"))).cases["engine"]


GROWING = ("growth-closure-dense", "growth-closure-sparse")  # those that need no data


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("language", {"language": ("program",)}),
        ("engine/e", {"engine": ("edge",)}),
        ("edge", {"engine": ("edge",)}),
        ("growth", {"engine": ("growth",), "circuits": GROWING, "spark": ("growth",)}),
        ("certificate/closure", {"certificate": ("closure",)}),
    ],
)
def test_names_are_groups_or_beginnings(asked: str, found: dict[str, tuple[str, ...]]) -> None:
    assert choose((asked,), Options()).cases == found


def test_spark_runs_when_it_is_asked_for() -> None:
    assert len(choose(("spark",), Options()).cases["spark"]) == sum(full.startswith("spark/") for full in NAMES)


def test_unknown_case_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownCase, match=r"no case is called odd; known: engine/build-random, .*spark/growth"):
        choose(("engine", "odd"), Options())
