"""What the lab adds to the command line."""

from __future__ import annotations

from tidelog.cli.base.extensions import Extension

LAB = Extension(
    home="tidelog.lab.commands",
    commands={
        "simulate": "Simulate a program on a network of nodes, message by message.",
        "test-order": "Run a program over the same facts and changes in many orders, and compare the results.",
    },
    sessions={"circuit": "tidelog.lab.circuit_session:CircuitSession"},
    findings=(
        "tidelog.lab.dbsp.dbsp_catalogue",
        "tidelog.lab.network.network_catalogue",
        "tidelog.lab.semantics.semantics_catalogue",
        "tidelog.lab.simulate.simulate_catalogue",
    ),
    failures=(
        "tidelog.lab.dbsp.dbsp_failures",
        "tidelog.lab.network.network_failures",
        "tidelog.lab.semantics.semantics_failures",
    ),
)
