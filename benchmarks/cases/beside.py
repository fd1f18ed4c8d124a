"""Real programs beside DuckDB and clingo: analyses of programs, a shared text, components, ontologies, Java.

Law: every case follows one protocol, described in `beside_changes`; a system computes again what it cannot maintain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.cases import java, java_spark, second_forms
from benchmarks.cases.beside_changes import Protocol, beside, coming_and_going
from benchmarks.cases.catalogue import Case, Group
from benchmarks.data import analyses, owl, texts, workloads
from benchmarks.data.workloads import Workload
from benchmarks.options import Options
from benchmarks.record import Record, Target
from benchmarks.subject import kernel_ready

RATIO = Target(1.5)


def measured(make: Callable[[bool], Workload], protocol: Protocol, options: Options) -> Iterator[Record]:
    """A workload that is made."""
    return beside(make(options.quick), protocol, options)


def read(make: Callable[[Path, bool], Workload], protocol: Protocol, options: Options) -> Iterator[Record]:
    """A workload that is made of LUBM-1."""
    assert options.data is not None, "chosen only when it is given"
    return beside(make(options.data, options.quick), protocol, options)


GROUP = Group(
    {
        "cspa": Case("aliases: three relations that recur together", partial(measured, analyses.aliases, Protocol())),
        "csda": Case("nulls along flow graphs: long, thin recursion", partial(measured, analyses.nulls, Protocol())),
        "andersen": Case("points-to after Andersen", partial(measured, workloads.points_to, Protocol(RATIO))),
        "crdt": Case(
            "the order of a text that several write", partial(measured, texts.shared_text, Protocol(last=True))
        ),
        "crdt-records": Case("the same with a record for each character", second_forms.records_of_text),
        "components": Case("components: 20 sets of edges come and go", partial(coming_and_going, RATIO)),
        "rdfs": Case("RDFS, 10 x LUBM-1", partial(read, owl.rdfs_copies, Protocol(RATIO)), needs="data"),
        "owl": Case("OWL RL, 10 x LUBM-1", partial(read, owl.owl_copies, Protocol()), needs="data"),
        "java": Case("points-to and call graph of a Java program", java.analysis, needs="java"),
        "java-unreached": Case("the same without its entry point", second_forms.without_entry_point, needs="java"),
        "spark-java": Case(
            "the Java analysis on Spark, two partitions", java_spark.analysis, needs="java", on_spark=True
        ),
    },
    kernel_ready,
)
