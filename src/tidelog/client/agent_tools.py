"""The tools of an agent: questions and previews over the Model Context Protocol, on standard input and output.

Law: a tool sends requests with the token of its client, so the server decides what it may see. No tool changes
anything: changes are only previewed. An error is returned with its code, note and hint, for the agent to correct.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, ParamSpec

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from tidelog.client.client import Client
from tidelog.errors import TidelogError
from tidelog.errors.render import lines_of_error, plain

INSTRUCTIONS = (
    "Tidelog maintains views that Datalog rules derive from facts. Call `describe` first for the names and columns of "
    "relations. `ask` queries them; `why`, `why_not` and `blame` explain facts; `what_if` and `dry_run` report what "
    "changes would do. Nothing is ever changed."
)
PREVIEWED = 20  # changed rows of each relation that a preview lists
ROWS = 100  # of an answer by default
_P = ParamSpec("_P")

_Fact = Annotated[str, Field(description='A fact, such as reach(1, 3) or member("ann", "staff").')]
_At = Annotated[int | None, Field(description="Answer for an earlier epoch. Defaults to the current state.")]
_Rows = Annotated[
    dict[str, list[list[Any]]] | None, Field(description="Rows by relation, in column order: {'edge': [[1, 2]]}.")
]


class AgentTools:
    """The tools, each one method."""

    def __init__(self, client: Client) -> None:
        self._wire = client._wire

    def describe(
        self, relation: Annotated[str | None, Field(description="Only this relation, with its rules.")] = None
    ) -> dict[str, Any]:
        """List relations with their columns and numbers of facts, or one relation with its rules.

        Facts of `base` relations are stored; all others are derived by rules.
        """
        program = self._wire.get("/program")
        relations = [
            {field: each[field] for field in ("name", "columns", "base", "size")}
            for each in program["relations"]
            if relation in (None, each["name"])
        ]
        if relation is None:
            return {"epoch": program["epoch"], "relations": relations}
        if not relations:
            known = ", ".join(each["name"] for each in program["relations"][:ROWS])
            raise ToolError(f"unknown relation `{relation}`. Known relations: {known}")
        rules = [
            {"label": rule["label"], "text": rule["text"]}
            for rule in program["rules"]
            if rule["head"].partition("(")[0] == relation
        ]
        return {"epoch": program["epoch"], "relations": relations, "rules": rules}

    def ask(
        self,
        query: Annotated[str, Field(description="The body of a rule, such as reach(1, X), !edge(1, X), X > 2.")],
        limit: Annotated[int, Field(description="Maximum number of rows.", ge=1, le=10_000)] = ROWS,
        after: Annotated[str | None, Field(description="The `next` of the previous answer, for more rows.")] = None,
        at: _At = None,
    ) -> dict[str, Any]:
        """Answer a query: the values of its variables, one row for each answer. `total` is the number of all rows."""
        return self._post("/query", text=query, limit=limit, after=after, at=at)

    def why(
        self,
        fact: _Fact,
        depth: Annotated[int, Field(description="Maximum depth of the proof.", ge=1, le=60)] = 5,
        at: _At = None,
    ) -> dict[str, Any]:
        """Prove a fact that is true: the rule that derives it, with proofs of its premises down to stored facts."""
        return self._get("/why", fact=fact, depth=depth, at=at)

    def why_not(self, fact: _Fact, at: _At = None) -> dict[str, Any]:
        """Explain why a fact is not true: what is missing in each rule that could derive it."""
        return self._get("/why-not", fact=fact, at=at)

    def blame(
        self,
        fact: Annotated[str, Field(description="A fact, or the name of a relation.")],
        epoch: Annotated[int | None, Field(description="The epoch. Defaults to the last one that changed it.")] = None,
        since: Annotated[int | None, Field(description="Consider all epochs after this one together.")] = None,
    ) -> dict[str, Any]:
        """Find the smallest set of changes to facts and rules that made a fact or a relation change."""
        return self._get("/blame", fact=fact, epoch=epoch, since=since)

    def what_if(
        self,
        scripts: Annotated[
            dict[str, str],
            Field(description="Change scripts by name: {'close': '-edge(1, 2).', 'new rule': '+ p(X) :- q(X).'}"),
        ],
    ) -> dict[str, Any]:
        """Compare change scripts: what each would change, or why it would be refused. Nothing is changed.

        A script adds (+) and removes (-) facts and rules, each ended by a period.
        """
        return {name: self._preview(script) for name, script in scripts.items()}

    def dry_run(
        self,
        insert: _Rows = None,
        delete: _Rows = None,
        add_rules: Annotated[list[str] | None, Field(description="Texts of rules to add.")] = None,
        remove_rules: Annotated[list[str] | None, Field(description="Labels of rules to remove.")] = None,
        declare: Annotated[str | None, Field(description="Declarations, such as .decl vip(name: symbol).")] = None,
    ) -> dict[str, Any]:
        """Report what one epoch with these changes would change and which constraints would refuse it.

        Nothing is changed.
        """
        changes = {"insert": insert, "delete": delete, "add_rules": add_rules, "remove_rules": remove_rules}
        return _effects(self._post("/epochs", **changes, declare=declare, dry_run=True, rows=PREVIEWED))

    def _preview(self, script: str) -> dict[str, Any]:
        try:
            return _effects(self._post("/apply", script=script, dry_run=True, rows=PREVIEWED))
        except TidelogError as error:
            return {"refused": True, "error": error_text(error)}

    def _get(self, path: str, **query: Any) -> dict[str, Any]:
        found: dict[str, Any] = self._wire.get(path, **query)
        return found

    def _post(self, path: str, **body: Any) -> dict[str, Any]:
        fields = {name: value for name, value in body.items() if value is not None}
        found: dict[str, Any] = self._wire.post(path, fields)
        return found


def _effects(response: dict[str, Any]) -> dict[str, Any]:
    """What a preview reports, without the figures of its evaluation."""
    violations = [
        {field: each[field] for field in ("constraint", "severity", "meaning", "count", "text")}
        for each in response["violations"]
    ]
    return {"refused": response["refused"], "changes": response["changes"], "violations": violations}


def error_text(error: TidelogError) -> str:
    """An error with its code, note and hint."""
    return "\n".join(map(plain, lines_of_error(error)))


def _reported(tool: Callable[_P, dict[str, Any]]) -> Callable[_P, dict[str, Any]]:
    """A tool whose errors are for the agent to read."""

    @wraps(tool)
    def call(*arguments: _P.args, **named: _P.kwargs) -> dict[str, Any]:
        try:
            return tool(*arguments, **named)
        except TidelogError as error:
            raise ToolError(error_text(error)) from error

    return call


def make_server(client: Client, version: str) -> MCPServer:
    """A server of the tools; ``run("stdio")`` runs it until its input ends."""
    server = MCPServer("tidelog", instructions=INSTRUCTIONS, version=version, log_level="WARNING")
    tools = AgentTools(client)
    only_reads = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True)
    for tool in (tools.describe, tools.ask, tools.why, tools.why_not, tools.blame, tools.what_if, tools.dry_run):
        server.add_tool(_reported(tool), annotations=only_reads)
    return server
