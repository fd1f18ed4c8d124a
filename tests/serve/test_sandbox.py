"""Nothing that is sent names a file of the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.serve.running import running

SECRET = "a-secret-in-a-file"


@pytest.mark.parametrize(
    "text",
    [
        '.input edge(filename="{file}")',
        '.output edge(filename="{file}")',
        '#include "{file}"',
        '.include "{file}"',
        'p(X) :- edge(X, _).\n#include "{file}"\n',
        'edge("{file}", "{file}").\n.printsize edge',
    ],
)
def test_programs_that_are_sent_name_no_files(text: str, tmp_path: Path) -> None:
    file = tmp_path / "secret.dl"
    file.write_text(f'edge("{SECRET}", "{SECRET}").\n')
    sent = text.format(file=file)
    with running() as server:
        for body in ({"add_rules": [sent]}, {"add_rules": [{"text": sent, "label": "x"}]}):
            response = server.http.post("/v1/epochs", json=body)
            assert response.status_code == 400, response.text
            assert SECRET not in response.text
        response = server.http.post("/v1/query", json={"text": sent})
        assert response.status_code == 400
        assert SECRET not in response.text
        assert SECRET not in server.http.post("/v1/check", json={"text": sent}).text
        assert server.get("")["epoch"] == 1
        assert sorted(each.name for each in tmp_path.iterdir()) == ["secret.dl"]
