"""Questions about the engine: why, why not, how, and whether the state is correct.

Law: explanations change nothing. A proof is returned as a tree of limited depth; deeper parts are requested by their
facts.
"""

from __future__ import annotations

from dataclasses import asdict

from tidelog.serve import schemas
from tidelog.serve.grants import ADMIN
from tidelog.serve.operation import Lane, Operation, Reply, RequestCall
from tidelog.serve.proofs import proof_json
from tidelog.serve.service import Service

DEPTH = 3  # levels of a proof by default
DEEPEST = 60
TRIALS = 300  # of a search for causes


def why(service: Service, call: RequestCall) -> Reply:
    """The proof of a fact."""
    query = call.query
    with service.at(query.get("at")) as db:
        proof = db.why(query["fact"], depth=query.get("depth", DEPTH), width=query.get("width", 10))
        return Reply({**proof_json(proof), "epoch": db.epoch_number})


def why_not(service: Service, call: RequestCall) -> Reply:
    """Why a fact is absent."""
    with service.at(call.query.get("at")) as db:
        return Reply({"epoch": db.epoch_number, **db.why_not(call.query["fact"]).to_json()})


def blame(service: Service, call: RequestCall) -> Reply:
    """The changes that caused a change."""
    query = call.query
    with service.alone("a search for causes"):
        causes = service.engine.blame(query["fact"], query.get("epoch"), since=query.get("since"), trials=TRIALS)
    return Reply({**causes.to_json(), "text": str(causes)})


def explain(service: Service, call: RequestCall) -> Reply:
    """How all rules, or one rule, are evaluated."""
    query = call.query
    explanation = service.engine.explain(core=query.get("core", False), analyze=query.get("analyze", False))
    content = explanation.to_json()
    if "rule" in query:
        service.engine.rule(query["rule"])
        content["strata"] = [
            {**stratum, "rules": rules}
            for stratum in content["strata"]
            if (rules := [rule for rule in stratum["rules"] if rule["label"] == query["rule"]])
        ]
    return Reply({**content, "text": str(explanation)})


def profile(service: Service, call: RequestCall) -> Reply:
    """Where epochs spent their time."""
    times = service.engine.profile()
    return Reply({**asdict(times), "sampling": service.engine.profiling, "text": str(times)})


def set_profile(service: Service, call: RequestCall) -> Reply:
    """Switch the sampling of rules on or off."""
    service.engine.profiling = call.body["sampling"]
    return profile(service, call)


def verify(service: Service, call: RequestCall) -> Reply:
    """Whether the state is what the rules derive."""
    with service.alone("a verification"):
        verdict = service.engine.verify()
        return Reply({"epoch": service.engine.epoch_number, "valid": bool(verdict), "text": str(verdict)})


_FACT = schemas.text("A fact, such as `reach(1, 3)`.", 10_000, 1)

OPERATIONS = (
    Operation(
        "GET",
        "/v1/why",
        why,
        "The proof of a fact",
        lane=Lane.ask,
        query={
            "fact": _FACT,
            "depth": schemas.whole("Maximum depth of the tree.", 1, DEEPEST),
            "width": schemas.whole("Maximum number of rows to show for a group.", 0, 1000),
            "at": schemas.AT,
        },
        required=("fact",),
    ),
    Operation(
        "GET",
        "/v1/why-not",
        why_not,
        "Why a fact is absent",
        lane=Lane.ask,
        query={"fact": _FACT, "at": schemas.AT},
        required=("fact",),
    ),
    Operation(
        "GET",
        "/v1/blame",
        blame,
        "Changes of facts and rules that caused a change",
        lane=Lane.ask,
        query={
            "fact": schemas.text("A fact, or the name of a relation.", 10_000, 1),
            "epoch": schemas.whole("The epoch of the change. Defaults to the last epoch that changed it."),
            "since": schemas.whole("Consider all epochs after this one together."),
        },
        required=("fact",),
    ),
    Operation(
        "GET",
        "/v1/explain",
        explain,
        "How rules are evaluated",
        lane=Lane.ask,
        query={
            "rule": schemas.text("The label of a rule.", 200),
            "analyze": schemas.flag("Include the rows that each step has visited and passed since its plan was made."),
            "core": schemas.flag("Show the rewritten rules."),
        },
    ),
    Operation("GET", "/v1/profile", profile, "Where epochs spent their time", lane=Lane.ask),
    Operation(
        "POST",
        "/v1/profile",
        set_profile,
        "Enable or disable sampling of rules",
        access=ADMIN,
        lane=Lane.ask,
        body=schemas.fields({"sampling": schemas.flag("Whether the time of rules is sampled.")}, ("sampling",)),
    ),
    Operation(
        "POST",
        "/v1/verify",
        verify,
        "Verify that the state is exactly what the rules derive",
        access=ADMIN,
        lane=Lane.ask,
        body=schemas.fields({}),
    ),
)
