"""The TypeScript client's operations; `python scripts/typescript_client.py` writes them into `clients/typescript`.

Law: one method for each operation of the OpenAPI document, with the types that the document describes. A test compares
the files with the document. What all methods share is written by hand, in `connection.js`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tidelog.serve.document import document

FOLDER = Path(__file__).parents[1] / "clients" / "typescript"
JSON = "application/json"
HEADER = "// Generated from the OpenAPI document of the server by scripts/typescript_client.py.\n"
SIMPLE = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def files() -> dict[str, str]:
    """The generated files by name."""
    operations = list(_operations())
    code = "\n".join(map(_code, operations))
    types = "\n".join(map(_declaration, operations))
    return {
        "operations.js": f'{HEADER}import {{ Connection }} from "./connection.js";\n\n'
        f"export class Tidelog extends Connection {{\n{code}}}\n",
        "operations.d.ts": f'{HEADER}import {{ Connection, type Options }} from "./connection.js";\n\n'
        f"export declare class Tidelog extends Connection {{\n{types}}}\n",
    }


def _operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def _code(item: tuple[str, str, dict[str, Any]]) -> str:
    """A method.

    >>> print(_code(("GET", "/v1/views/{name}", {"operationId": "get_views_name", "parameters": []})), end="")
      getViewsName(name, options) {
        return this.call("GET", `/v1/views/${encodeURIComponent(name)}`, { ...options });
      }
    """
    method, path, operation = item
    address = re.sub(r"\{(\w+)\}", r"${encodeURIComponent(\1)}", path)
    quoted = f"`{address}`" if "${" in address else f'"{address}"'
    sent = "".join(f"{name}, " for name in _sent(operation))
    arguments = ", ".join((*_in_path(path), *_sent(operation), "options"))
    return (
        f"  {_name(operation)}({arguments}) {{\n"
        f'    return this.call("{method}", {quoted}, {{ {sent}...options }});\n'
        "  }\n"
    )


def _declaration(item: tuple[str, str, dict[str, Any]]) -> str:
    """The types of a method, after its summary."""
    _, path, operation = item
    arguments = [f"{name}: string" for name in _in_path(path)]
    sent = {"body": _body, "query": _query}
    arguments += [sent[name](operation) for name in _sent(operation)]
    lines = [operation["summary"] + ".", *filter(None, [operation["description"]])]
    return (
        f"  /** {' '.join(lines)} */\n"
        f"  {_name(operation)}({', '.join((*arguments, 'options?: Options'))}): Promise<{_answer(operation)}>;\n"
    )


def _name(operation: dict[str, Any]) -> str:
    first, *others = operation["operationId"].split("_")
    return str(first) + "".join(word.capitalize() for word in others)


def _in_path(path: str) -> list[str]:
    return re.findall(r"\{(\w+)\}", path)


def _sent(operation: dict[str, Any]) -> list[str]:
    """Which of body and query a method has."""
    in_query = [each for each in operation["parameters"] if each["in"] == "query"]
    return ["body"] * ("requestBody" in operation) + ["query"] * bool(in_query)


def _body(operation: dict[str, Any]) -> str:
    schema = operation["requestBody"]["content"][JSON]["schema"]
    needed = operation["requestBody"]["required"] or schema["type"] == "array"
    return f"body{'' if needed else '?'}: {typescript(schema)}"


def _query(operation: dict[str, Any]) -> str:
    own = [each for each in operation["parameters"] if each["in"] == "query"]
    fields = [
        f"{each['name']}{'' if each.get('required') else '?'}: {typescript(each['schema'])}"
        for each in own
        if each["name"] != "columns"
    ]
    more = " & Record<string, unknown>" if len(fields) < len(own) else ""  # the names of columns
    needed = any(each.get("required") for each in own)
    return f"query{'' if needed else '?'}: {{ {'; '.join(fields)} }}{more}"


def _answer(operation: dict[str, Any]) -> str:
    (answer,) = (answer for status, answer in operation["responses"].items() if status.startswith("2"))
    content = answer.get("content", {})
    if not content:
        return "void"
    return typescript(content[JSON]["schema"]) if JSON in content else "string"


def typescript(schema: dict[str, Any]) -> str:
    """The type that a schema describes.

    >>> typescript({"type": "object", "properties": {"a": {"type": ["integer", "null"]}}, "required": ["a"]})
    '{ a: number | null }'
    >>> typescript({"type": "array", "items": {"enum": ["x", "y"]}})
    'Array<"x" | "y">'
    """
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    kinds = schema.get("type", ())
    found = [_type(schema, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    return " | ".join(found) or "unknown"


def _type(schema: dict[str, Any], kind: str) -> str:
    if kind == "array":
        return f"Array<{typescript(schema.get('items', {}))}>"
    if kind != "object":
        return SIMPLE[kind]
    needed, properties = schema.get("required", ()), schema.get("properties", {})
    if properties:
        fields = (f"{name}{'' if name in needed else '?'}: {typescript(own)}" for name, own in properties.items())
        return f"{{ {'; '.join(fields)} }}"
    values = schema.get("additionalProperties", True)
    if not values:
        return "Record<string, never>"
    return f"Record<string, {typescript(values) if isinstance(values, dict) else 'unknown'}>"


if __name__ == "__main__":
    for name, text in files().items():
        (FOLDER / name).write_text(text, "utf-8")
