"""The server and its program.

Law: only the text itself is checked: files that it names are not read.
"""

from __future__ import annotations

from tidelog import __version__
from tidelog.engine.read.metrics import TYPE
from tidelog.serve import schemas
from tidelog.serve.describe import program_json
from tidelog.serve.grants import WRITE
from tidelog.serve.operation import Lane, Operation, Reply, RequestCall
from tidelog.serve.service import Service
from tidelog.serve.source_metrics import source_metrics
from tidelog.serve.statuses import diagnostic_json


def server(service: Service, call: RequestCall) -> Reply:
    """The version, epoch and limits of the server."""
    return Reply(
        {
            "name": "tidelog",
            "version": __version__,
            "epoch": service.engine.epoch_number,
            "read_only": call.grant.access != WRITE,
            "limits": service.limits.to_json(),
        }
    )


def program(service: Service, call: RequestCall) -> Reply:
    """Rules and relations."""
    return Reply(program_json(service.engine, service.hub, service.incomplete))


def check(service: Service, call: RequestCall) -> Reply:
    """Findings about a text; no files are read."""
    findings = service.workers.check(call.grant.access, call.body["text"])
    return Reply({"diagnostics": [diagnostic_json(each) for each in findings]})


def statistics(service: Service, call: RequestCall) -> Reply:
    """Statistics of the server."""
    return Reply(service.statistics())


def sources(service: Service, call: RequestCall) -> Reply:
    """The sources of the engine, with the rows that cannot be converted to facts."""
    states = [{"name": s.name, **s.health(), "quarantine": s.quarantine()} for s in service.sources]
    return Reply({"sources": states, "incomplete": service.incomplete})


def metrics(service: Service, call: RequestCall) -> Reply:
    """Metrics of the engine, its sources and requests, for Prometheus."""
    page = service.engine.metrics() + source_metrics(service.sources) + service.served.page()
    return Reply(parts=iter([page.encode()]), type=TYPE)


OPERATIONS = (
    Operation(
        "GET", "/metrics", metrics, "Metrics of the engine, its sources and requests for Prometheus", gives=(TYPE,)
    ),
    Operation("GET", "/v1", server, "Version, epoch and limits of the server", reads=lambda *_: ()),
    Operation("GET", "/v1/program", program, "Rules and relations of the program, and their dependencies"),
    Operation(
        "POST",
        "/v1/check",
        check,
        "Check the text of a program without running it",
        lane=Lane.check,
        body=schemas.fields({"text": schemas.text("The text of a program.", 1 << 20)}, ("text",)),
    ),
    Operation("GET", "/v1/statistics", statistics, "Statistics of the server"),
    Operation("GET", "/v1/sources", sources, "Followed databases, and their rows that cannot be converted to facts"),
)
