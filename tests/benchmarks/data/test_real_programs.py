"""Data of real programs: the same everywhere, in the right shape, and judged without Datalog where that is easy."""

from __future__ import annotations

import gzip
import itertools
import shutil
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from benchmarks.data.lubm import QUICK
from benchmarks.peers.duckdb import run_duckdb
from benchmarks.subject import Subject

from benchmarks.data import analyses, java, owl, texts

PROGRAM = Path(__file__).parents[3] / "programs" / "analysis" / "java"


@pytest.mark.parametrize("make", [analyses.aliases, analyses.nulls, texts.shared_text], ids=lambda make: make.__name__)
def test_facts_are_drawn_once_and_the_same_every_time(make) -> None:
    one, two = make(True), make(True)
    for name, rows in one.facts.items():
        assert np.array_equal(rows, two.facts[name])
        assert len(np.unique(rows, axis=0)) == len(rows)


def written(facts) -> list[int]:
    """The text by walking the tree of insertions: behind a character its latest child comes first."""
    children = defaultdict(list)
    for character, parent in facts["behind"].tolist():
        children[parent].append(character)
    removed, order, stack = {c for (c,) in facts["removed"].tolist()}, [], [0]
    while stack:
        character = stack.pop()
        order.append(character)
        stack += sorted(children[character])
    return [character for character in order if character not in removed]


def test_the_text_is_the_one_that_a_walk_of_the_tree_finds() -> None:
    workload = texts.shared_text(quick=True)
    subject = Subject(workload.rules)
    subject.insert(workload.facts)
    order = written(workload.facts)
    assert order[0] == 0
    assert len(order) > 100
    assert {tuple(row) for row in subject.rows("text").tolist()} == set(itertools.pairwise(order))
    assert run_duckdb(workload).rows == len(order) - 1


def test_writers_know_what_they_write_behind() -> None:
    facts = texts.trace(20)
    seen = {0}
    for character, parent in facts["behind"].tolist():
        assert parent in seen
        assert character > parent
        seen.add(character)
    assert {c for (c,) in facts["removed"].tolist()} <= seen - {0}


def test_copies_share_the_ontology_and_nothing_else(tmp_path: Path) -> None:
    own = ("<http://www.University0.edu>", "<p>", "<http://www.Department1.University0.edu>")
    shared = ("<#University>", "<subClassOf>", "<#Organization>")
    path = tmp_path / "triples.tsv"
    path.write_text("\n".join("\t".join(row) for row in (own, shared)), "utf-8")
    found = owl.read_copies(path, quick=True)
    assert QUICK // 5 >= 2
    assert len(found) == owl.COPIES + 1
    assert ("<http://www.University9000.edu>", "<p>", "<http://www.Department1.University9000.edu>") in found


def test_files_are_found_packed_and_with_a_hyphen(tmp_path: Path) -> None:
    for path in PROGRAM.glob("*.facts"):
        shutil.copy(path, tmp_path)
    plain = tmp_path / "Method_Modifier.facts"
    (tmp_path / "Method-Modifier.facts.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    tables, known = java.read_facts(tmp_path), java.read_facts(PROGRAM)
    assert tables == known
    with pytest.raises(FileNotFoundError, match=r"has none of Field\.facts, Field\.facts\.gz"):
        (tmp_path / "Field.facts").unlink()
        java.read_facts(tmp_path)


def test_statements_that_go_are_gone_and_a_cut_keeps_the_application() -> None:
    tables = java.read_facts(PROGRAM)
    known = java.statements(tables)
    gone = java.drawn(known, 7, seed=1)
    assert java.statements(java.left(tables, gone)) == [statement for statement in known if statement not in gone]
    kept = java.statements(java.cut(tables))
    assert 0 < len(kept) < len(known)
    assert not [row for _, row in kept if row[0].startswith("<java.lang.Thread")]
