"""Runs on networks: topologies, what is sent, what it costs, and how a run is recorded."""

from tidelog.lab.semantics.traffic.compare import Line, compare, table_text
from tidelog.lab.semantics.traffic.localised import localised
from tidelog.lab.semantics.traffic.measure import Cost, measure
from tidelog.lab.semantics.traffic.record import EventRecord, Recorder, RowChange
from tidelog.lab.semantics.traffic.registry import ALGORITHMS, algorithm_by_name, explorable_by_name, on_lossy_links
from tidelog.lab.semantics.traffic.run_json import Summary, run_to_json
from tidelog.lab.semantics.traffic.topology import (
    FIGURE,
    FIGURE_BOTH_WAYS,
    FIGURE_LINK,
    Topology,
    read_changes,
    read_topology,
    ring,
)

__all__ = [
    "ALGORITHMS",
    "FIGURE",
    "FIGURE_BOTH_WAYS",
    "FIGURE_LINK",
    "Cost",
    "EventRecord",
    "Line",
    "Recorder",
    "RowChange",
    "Summary",
    "Topology",
    "algorithm_by_name",
    "compare",
    "explorable_by_name",
    "localised",
    "measure",
    "on_lossy_links",
    "read_changes",
    "read_topology",
    "ring",
    "run_to_json",
    "table_text",
]
