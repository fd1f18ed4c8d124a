"""Real programs beside other systems, on little data: systems agree, and every case reports what it must."""

from __future__ import annotations

import gzip
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from benchmarks.__main__ import main
from benchmarks.cases.catalogue import choose
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import Record, read_run

from benchmarks.cases import beside_changes, java

FOLDER = Path(__file__).parents[3] / "programs" / "analysis" / "java"
TRIPLES = """
<#Chair>	<http://www.w3.org/2002/07/owl#intersectionOf>	_:list
_:list	<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>	<#Person>
_:list	<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>	_:end
_:end	<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>	_:heads
_:end	<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>	<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>
_:heads	<http://www.w3.org/2002/07/owl#onProperty>	<#headOf>
_:heads	<http://www.w3.org/2002/07/owl#someValuesFrom>	<#Department>
<http://www.University0.edu/ann>	<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>	<#Person>
<http://www.University0.edu/ann>	<#headOf>	<http://www.University0.edu/art>
<http://www.University0.edu/art>	<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>	<#Department>
""".strip()


@pytest.fixture(autouse=True)
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"SINGLES": 4, "ROUNDS": 1, "SETS": 3}.items():
        monkeypatch.setattr(beside_changes, name, value)
    monkeypatch.setattr(java, "changes", partial(java.changes, singles=3))  # SINGLES is its default


def records_of(folder: Path, *words: str) -> list[Record]:
    main([*words, "--quick", "--repeat", "1", "--out", str(folder)])
    return list(read_run(folder / "beside.json").records)


def test_every_case_builds_and_changes(tmp_path: Path) -> None:
    records = records_of(tmp_path, "beside/cspa", "beside/csda", "beside/crdt", "beside/components")
    kinds = {case: [r.kind for r in records if r.case == case] for case in ("cspa", "csda", "crdt", "components")}
    three = ["build", "changes", "changes"]
    assert kinds == {"cspa": three, "csda": three, "crdt": three, "components": [*three, "changes"]}
    assert all("DuckDB again" in record for record in records if record.kind == "changes")


def test_intersections_and_restrictions_are_found_by_all_systems(tmp_path: Path) -> None:
    path = tmp_path / "triples.tsv.gz"
    path.write_bytes(gzip.compress(TRIPLES.encode()))
    records = records_of(tmp_path, "beside/owl", "--data", str(path))
    assert records[0].facts["given"] == 7 + 3 * 10
    # Each of ten heads is one who heads a department, a chair, and a person twice over; chairs are two kinds of things.
    assert records[0].facts["rows"] == 7 + 3 * 10 + 2 * 10 + 2
    assert "clingo compute" in records[0]


def test_systems_agree_on_a_java_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "call_apart", here)
    records = list(java.analysis(Options(java=FOLDER)))
    assert {"build", "java-build", "java-memory", "java-one", "java-share"} == {record.kind for record in records}
    assert records[0].facts["rows"] == 86
    assert {"Tidelog compute", "DuckDB compute", "clingo compute"} <= {value.name for value in records[0].values}


def here(function: str, **arguments: Any) -> Any:
    """What would run in a separate process."""
    return getattr(java, function.partition(":")[2])(**arguments)


def test_a_result_that_differs_is_refused() -> None:
    with pytest.raises(Disagreement, match=r"Java analysis, built: one has 1, other 2"):
        java.must_agree({"built": 1}, {"built": 2}, "built", "one", "other")


def test_java_is_left_out_without_its_facts_and_on_spark_without_its_name() -> None:
    left_out = choose((), Options()).left_out
    assert "beside/java is left out: it needs --java with a folder of facts" in left_out
    given = choose((), Options(java=FOLDER))
    assert "java" in given.cases["beside"]
    assert "beside/spark-java is left out: it needs Java, for Spark, and to be asked for by name" in given.left_out
    assert "spark-java" in choose(("beside",), Options(java=FOLDER)).cases["beside"]
