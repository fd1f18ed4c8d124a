"""The description of the API: an OpenAPI document and an HTML page.

Law: both are generated from the operations that are served. The page is plain HTML: no scripts, no external resources.
They reveal nothing about the program and need no token.
"""

from __future__ import annotations

import html
import re
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tidelog import __version__
from tidelog.serve import schemas
from tidelog.serve.grants import ADMIN, WRITE
from tidelog.serve.operation import CREATED, NO_CONTENT, OK, Operation
from tidelog.serve.responses import HEADERS, json_response
from tidelog.serve.routes import OPERATIONS
from tidelog.serve.values import ARROW

DOCUMENT, PAGE = "/v1/openapi.json", "/v1/docs"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_ERRORS = {
    "400": "The request, the program or the rows are invalid.",
    "401": "The token is missing or invalid.",
    "403": "The token is read-only.",
    "404": "The relation, rule, fact or open epoch does not exist.",
    "406": "The response is not available in a type that `Accept` lists.",
    "409": "A constraint would be violated. Nothing was changed.",
    "410": "The requested data is no longer kept.",
    "413": "The body exceeds the size limit.",
    "415": "The content type of the body is not supported.",
    "422": "A value cannot be computed, or a limit was exceeded. Nothing was changed.",
    "429": "There are too many open feeds or epochs.",
    "503": "The server is already running this operation, is shutting down, or cannot write its state.",
}


def document_routes() -> list[BaseRoute]:
    """The addresses of the document and the page."""
    return [Route(DOCUMENT, _document, methods=["GET"]), Route(PAGE, _page, methods=["GET"])]


async def _document(_: Request) -> Response:
    return json_response(document())


async def _page(_: Request) -> Response:
    return Response(page(), headers={**HEADERS, "Content-Security-Policy": POLICY}, media_type="text/html")


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tidelog", "version": __version__, "description": "Maintained Datalog views over HTTP."},
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": _error_schema()},
        },
        "security": [{"token": []}],
    }


def _operation(operation: Operation) -> dict[str, Any]:
    description: dict[str, Any] = {
        "operationId": _name(operation),
        "summary": operation.summary,
        "description": " ".join(filter(None, (operation.detail, _needs(operation)))),
        "parameters": [*_in_path(operation), *_in_query(operation)],
        "responses": {**_answers(operation), **{status: _error(text) for status, text in _ERRORS.items()}},
    }
    if operation.body is not None:
        binary = {"type": "string", "format": "binary"}
        content = {type_: {"schema": binary if type_ == ARROW else operation.body} for type_ in operation.takes}
        description["requestBody"] = {"required": bool(operation.body.get("required")), "content": content}
    return description


def _name(operation: Operation) -> str:
    words = re.findall(r"\w+", operation.path.removeprefix("/v1")) or ["server"]
    return "_".join((operation.method.lower(), *words))


def _needs(operation: Operation) -> str:
    needed = {WRITE: "Requires the scope `write` or `rules`.", ADMIN: "Requires the scope `admin`."}
    return needed.get(operation.access, "")


def _in_path(operation: Operation) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"\{(\w+)\}", operation.path)
    ]


def _in_query(operation: Operation) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = [
        {
            "name": name,
            "in": "query",
            "required": name in operation.required,
            "schema": schema,
            "description": schema.get("description", ""),
        }
        for name, schema in operation.query.items()
    ]
    if operation.more:
        columns = {"type": "object", "additionalProperties": {"type": "string"}}
        parameters.append({"name": "columns", "in": "query", "schema": columns, "style": "form", "explode": True})
    return parameters


def _answers(operation: Operation) -> dict[str, Any]:
    if operation.method == "DELETE":
        return {str(NO_CONTENT): {"description": "The open epoch was discarded."}}
    content = {
        type_: {"schema": operation.answer if type_ == "application/json" else {"type": "string"}}
        for type_ in operation.gives
    }
    return {str(CREATED if operation.created else OK): {"description": operation.summary, "content": content}}


def _error(text: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {"description": text, "content": content}


def _error_schema() -> dict[str, Any]:
    where = {"line": {"type": "integer"}, "column": {"type": "integer"}, "text": {"type": "string"}}
    error = {
        "code": {"type": "string", "description": "The code of the error, see the page of diagnostics."},
        "kind": {"type": "string", "description": "The name of the Python exception."},
        "message": {"type": "string"},
        "notes": {"type": "array", "items": {"type": "string"}},
        "hint": {"type": "string"},
        "where": {"type": ["object", "null"], "properties": where},
        "diagnostics": {"type": "array", "items": {"type": "object"}},
        "violations": schemas.list_of(schemas.VIOLATED),
        "causes": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Changes that caused the first violation.",
        },
    }
    body = {"type": "object", "required": ["code", "kind", "message", "notes", "hint", "where"], "properties": error}
    return {"type": "object", "required": ["error"], "properties": {"error": body}}


@cache
def page() -> str:
    """The HTML page."""
    parts = [_section(operation) for operation in OPERATIONS]
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Tidelog: the API</title>"
        "<meta name=viewport content='width=device-width'><style>"
        ":root{color-scheme:light dark}body{font:16px/1.5 system-ui;max-width:56rem;margin:2rem auto;padding:0 1rem}"
        "code{font-family:ui-monospace,monospace}dt{margin-top:.4rem}h2{font-size:1.05rem;margin:2rem 0 0}"
        "dd{margin-left:1.5rem}</style></head><body>"
        f"<h1>Tidelog {html.escape(__version__)}: the API</h1>"
        f"<p>Send <code>Authorization: Bearer TOKEN</code> with every request. This page as an OpenAPI document: "
        f"<a href='{DOCUMENT}'><code>{DOCUMENT}</code></a>.</p>{''.join(parts)}</body></html>"
    )


def _section(operation: Operation) -> str:
    parameters = [(name, schema, name in operation.required) for name, schema in operation.query.items()]
    fields = (operation.body or {}).get("properties", {})
    required = (operation.body or {}).get("required", ())
    parameters += [(name, schema, name in required) for name, schema in fields.items()]
    rows = "".join(_term(name, schema, is_required) for name, schema, is_required in parameters)
    text = " ".join(filter(None, (operation.summary + ".", operation.detail, _needs(operation))))
    address = html.escape(f"{operation.method} {operation.path}")
    return f"<section><h2><code>{address}</code></h2><p>{html.escape(text)}</p><dl>{rows}</dl></section>"


def _term(name: str, schema: Any, is_required: bool) -> str:
    kind = schema.get("type", "")
    kinds = kind if isinstance(kind, str) else " or ".join(kind)
    text = html.escape(schema.get("description", ""))
    return f"<dt><code>{name}</code>: {kinds}{', required' if is_required else ''}</dt><dd>{text}</dd>"
