"""Texts that are small and mean much: whatever is sent, the server answers, continues, and stops on request."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.running import REACH, READS, Running, http_client, refused, running
from tests.serve.test_command import ENVIRONMENT, Typed, program, typed
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.serve import workers
from tidelog.serve.limits import ServerLimits
from tidelog.serve.run import ABORTED

SECONDS, SLACK = 0.5, 30.0  # a limit, which a test burns, and what a machine with much to do may take beside it
LITTLE = ServerLimits(seconds=SECONDS, check_seconds=SECONDS, memory=32 << 20)


def chain(count: int, part: Callable[[int], str], between: str = "\n") -> str:
    return between.join(map(part, range(count)))


def slow(count: int = 4_000) -> str:
    """A rule that takes long to check: it grows with the square of its aggregates."""
    return f"p(1) :- {chain(count, lambda i: f'X{i} = sum Y : {{ q(Y), Y < {i} }},')} q(_)."


PROGRAMS = {
    "components": chain(30, lambda i: f".comp C{i + 1} {{ .init a = C{i} .init b = C{i} }}")
    + "\n.comp C0 { .decl r(x: number) r(1). }\n.init z = C30",
    "bases": chain(30, lambda i: f".comp C{i + 1} : C{i}, C{i} {{ }}")
    + "\n.comp C0 { .decl r(x: number) }\n.init z = C30",
    "inline": ".decl p0(x: number)\n"
    + chain(24, lambda i: f".decl p{i + 1}(x: number) inline\np{i + 1}(x) :- p{i}(x), p{i}(x).")
    + "\n.decl q(x: number)\nq(x) :- p24(x).",
    "inline terms": ".decl p0(x: number)\n"
    + chain(30, lambda i: f".decl p{i + 1}(x: number) inline\np{i + 1}(x) :- p{i}(x + x).")
    + "\n.decl q(x: number)\nq(x) :- p0(x), p30(x).",
    "inline chain": ".decl p0(x: number)\n"
    + chain(2_000, lambda i: f".decl p{i + 1}(x: number) inline\np{i + 1}(x) :- p{i}(x).")
    + "\n.decl q(x: number)\nq(x) :- p2000(x).",
    "macros": "#define A0(x) x x\n" + chain(40, lambda i: f"#define A{i + 1}(x) A{i}(x) A{i}(x)") + "\nA40(p(1).)",
    "strata": chain(20_000, lambda i: f"p{i + 1}(X) :- e(X), !p{i}(X)."),
    "one rule again and again": "p(X) :- q(X)." * 80_000,
    "atoms": "p(X) :- " + ", ".join(["q(X)"] * 90_000) + ".",
    "one circle": chain(5_000, lambda i: f"p{(i + 1) % 5_000}(X + 1) :- p{i}(X), X < 9."),
    "equations": "p(X0) :- " + chain(5_000, lambda i: f"X{i} = X{i + 1} + 1", ", ") + ", e(X5000).",
    "subtypes": ".type T0 <: number\n" + chain(20_000, lambda i: f".type T{i + 1} <: T{i}"),
    "aggregates": slow(),
    "brackets": "p(X) :- X = " + "(" * 200_000,
    "operators": "p(Y) :- e(X), Y = " + "+".join(["X"] * 5_000) + ".",
    "disjunctions": "p(X) :- " + ", ".join(["(q(X) ; r(X))"] * 40) + ".",
}
DOUBLED = ", ".join(f"X{i + 1} = cat(X{i}, X{i})" for i in range(26))
QUESTIONS = {
    "doubled texts": f'X0 = cat("0123456789abcdef", "0123456789abcdef"), {DOUBLED}, edge(A, _)',
    "added texts": 'X0 = "0123456789abcdef", '
    + ", ".join(f"X{i + 1} = X{i} + X{i}" for i in range(26))
    + ", edge(A, _)",
    "doubled lists": "X0 = [1, 1], " + ", ".join(f"X{i + 1} = [X{i}, X{i}]" for i in range(60)) + ", edge(A, _)",
    "disjunctions": ", ".join(["(edge(X, Y) ; reach(X, Y))"] * 10),
    "more disjunctions": ", ".join(["(edge(X, Y) ; reach(X, Y))"] * 13),
    "cross product": ", ".join(f"reach(A{i}, B{i})" for i in range(6)) + ", A0 + A1 + A2 + A3 + A4 + A5 < 0",
    "range": "X = range(0, 1000000000), Y = range(0, 1000000000), X + Y < 0",
    "paths": "((edge|reach)*/edge){1,80}(X, Y)",
    "operators": "edge(X, _), Y = " + "+".join(["X"] * 5_000),
    "aggregates": ", ".join(f"A{i} = count : {{ reach(_, _), edge(_, _) }}" for i in range(60)),
    "atoms": ", ".join(f"edge(X{i}, Y{i})" for i in range(64)),
}
Send = Callable[[httpx.Client, str], httpx.Response]


def _rule(text: str) -> Any:
    return {"add_rules": [text], "dry_run": True}


def _opened(http: httpx.Client, text: str) -> httpx.Response:
    opened = http.post("/v1/epochs/open", json={}).json()["id"]
    found = http.post(f"/v1/epochs/open/{opened}", json={"add_rules": [text]})
    return found if found.status_code >= 400 else http.post(f"/v1/epochs/open/{opened}/commit", json={"dry_run": True})


ADDRESSES: dict[str, Send] = {
    "check": lambda http, text: http.post("/v1/check", json={"text": text}),
    "query": lambda http, text: http.post("/v1/query", json={"text": text}),
    "epochs": lambda http, text: http.post("/v1/epochs", json=_rule(text)),
    "open epoch": _opened,
    "why": lambda http, text: http.get("/v1/why", params={"fact": text[:9_999]}),
    "why-not": lambda http, text: http.get("/v1/why-not", params={"fact": text[:9_999]}),
    "blame": lambda http, text: http.get("/v1/blame", params={"fact": text[:9_999]}),
    "explain": lambda http, text: http.get("/v1/explain", params={"rule": text[:199]}),
    "view": lambda http, text: http.get("/v1/views/edge", params={"c1": text[:9_999]}),
}


PROGRAM_ADDRESSES = ("check", "query", "epochs", "open epoch")  # the others read one fact, or a name


def resident(pid: int) -> int:
    """Bytes of a process that are in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096


def clients(server: Typed, state: Path) -> Iterator[httpx.Client]:
    for name in ("read", "write"):
        token = (state / "tokens" / name).read_text().strip()
        headers = {"Authorization": f"Bearer {token}"}
        yield http_client(server.url, headers, timeout=120, limits=httpx.Limits(max_connections=64))


@pytest.mark.long  # the tests below try each limit with one text at one address; this one tries all pairs
def test_every_text_is_answered_at_every_address_and_the_server_goes_on(tmp_path: Path) -> None:
    """Each is answered in its time, others are answered meanwhile, memory is given back, and SIGTERM ends it."""
    file, state = program(tmp_path), tmp_path / "state"
    (tmp_path / "edge.facts").write_text("".join(f"{i}\t{i + 1}\n" for i in range(60)))
    options = ["--limit-seconds", "1", "--limit-check-seconds", "1", "--limit-epoch-seconds", "1"]
    options += ["--limit-memory", str(32 << 20), "--limit-stop-seconds", "3"]
    with typed(file, "--state", str(state), "-F", str(tmp_path), *options) as server:
        reader, writer = clients(server, state)
        with reader, writer:
            ask = {"text": "edge(1, X), X < 9"}
            assert reader.post("/v1/query", json=ask).json()["rows"] == [[2]]
            before = resident(server.process.pid)

            def send(sent: tuple[str, str, str]) -> tuple[str, str, int, float]:
                where, name, text = sent
                began = time.monotonic()
                status = ADDRESSES[where](writer, text).status_code
                return where, name, status, time.monotonic() - began

            texts = [*PROGRAMS.items(), *QUESTIONS.items()]
            work = [(where, name, text) for name, text in texts for where in PROGRAM_ADDRESSES]
            work += [
                (where, name, text)
                for name, text in texts[-3:]
                for where in ADDRESSES
                if where not in PROGRAM_ADDRESSES
            ]
            with ThreadPoolExecutor(8) as pool:
                results = [pool.submit(send, each) for each in work]
                waits = []
                while not all(each.done() for each in results):
                    began = time.monotonic()
                    answer = reader.post("/v1/query", json=ask)
                    if answer.status_code == 422:  # on a busy machine a second may pass before it is asked
                        refused(answer, 422, "TL8022")
                    else:
                        assert answer.json()["rows"] == [[2]]
                    waits.append(time.monotonic() - began)
                    time.sleep(0.1)
            for where, name, status, seconds in (each.result() for each in results):
                assert status != 500, (where, name)
                assert seconds < 4 * SECONDS + SLACK, (where, name, seconds)  # it may wait for a process, twice
            assert sorted(waits)[len(waits) // 2] < SLACK / 4
            assert resident(server.process.pid) < before + (200 << 20)
            assert writer.post("/v1/epochs", json={"insert": {"edge": [[100, 101]]}}).json()["epoch"] == 2


def test_eight_texts_of_a_reader_do_not_stop_questions() -> None:
    with running(limits=replace(LITTLE, check_seconds=1.5)) as server, ThreadPoolExecutor(8) as pool:
        server.insert("edge", (1, 2))
        sent = [pool.submit(server.reader.post, "/v1/check", json={"text": slow()}) for _ in range(8)]
        time.sleep(0.5)
        assert server.post("/query", {"text": "edge(X, Y), X < 5"})["rows"] == [[1, 2]]
        assert server.get("/why", fact="reach(1, 2)")["how"] == "derived"
        assert server.post("/epochs", {"add_rules": ["back(Y, X) :- edge(X, Y)."]})["epoch"] == 3
        assert {each.result().status_code for each in sent} <= {422, 503}


def test_a_text_that_takes_too_long_to_check_is_refused() -> None:
    with running(limits=LITTLE) as server:
        refused(server.http.post("/v1/check", json={"text": slow()}), 422, "TL8025")
        refused(server.http.post("/v1/epochs", json={"add_rules": [slow(1_500)]}), 422, "TL8025")
        assert server.post("/check", {"text": "p(X) :- q(X)."}) == {"diagnostics": []}
        assert server.service.engine.epoch_number == 1


def test_a_text_that_takes_too_much_memory_to_check_is_refused() -> None:
    with running(limits=ServerLimits(check_memory=8 << 20)) as server:
        many = chain(60_000, lambda i: f"p({i}).")
        refused(server.http.post("/v1/check", json={"text": many}), 422, "TL8026")
        assert server.post("/check", {"text": "p(X) :- q(X)."}) == {"diagnostics": []}


def test_more_texts_than_processes_are_refused_after_a_wait() -> None:
    with running(limits=replace(LITTLE, check_seconds=1.0)) as server, ThreadPoolExecutor(6) as pool:
        sent = [pool.submit(server.reader.post, "/v1/check", json={"text": slow()}) for _ in range(6)]
        codes = [each.result().json()["error"]["code"] for each in sent]
        assert set(codes) <= {"TL8025", "TL8027"}
        assert codes.count("TL8025") >= workers.PROCESSES


def test_an_ordinary_check_takes_milliseconds() -> None:
    with running() as server:
        server.post("/check", {"text": "p(1)."})
        began = time.monotonic()
        for _ in range(20):
            server.post("/check", {"text": REACH})
        assert time.monotonic() - began < 20 * 0.1


def test_rules_of_an_open_epoch_are_checked_together() -> None:
    with running(limits=LITTLE) as server:
        opened = server.post("/epochs/open")["id"]
        for part in range(2):
            text = f"p{part}(1) :- {chain(300, lambda i: f'X{i} = sum Y : {{ q(Y), Y < {i} }},')} q(_)."
            server.http.post(f"/v1/epochs/open/{opened}", json={"add_rules": [text]})
        found = server.http.post(f"/v1/epochs/open/{opened}/commit", json={})
        assert found.status_code in (200, 422)


def test_values_of_columns_are_checked_elsewhere() -> None:
    text = ".decl p(x: number, y: number)\n"
    value = f"max({chain(600, lambda i: f'sum y{i} : {{ former_rows(_, y{i}), y{i} < {i} }}', ', ')})"
    with running(text + "p(1, 2).\n", limits=LITTLE) as server:
        body = {"program": text.replace("y: number", "z: number"), "columns": {"p": {"z": value, "y": None}}}
        refused(server.http.post("/v1/apply", json=body), 422, "TL8025")


def test_rules_that_are_rehearsed_are_those_in_force() -> None:
    with running(".decl e(x: number)\n.decl p(x: number) inline\np(x) :- e(x).\n.decl q(x: number)\n") as server:
        for number, expected in ((2, []), (3, [])):
            text = "q(x) :- p(x)." if number == 2 else "q(x) :- p(x + 1), e(x)."
            assert server.post("/epochs", {"add_rules": [text]})["epoch"] == number
            assert server.post("/query", {"text": "p(x), (x > 1 ; x < 0)"})["rows"] == expected
        server.insert("e", (5,))
        assert server.post("/query", {"text": "p(x), (x > 1 ; x < 0)"})["rows"] == [[5]]


@pytest.mark.parametrize("name", ["doubled texts", "added texts"])
def test_texts_made_by_a_question_count_against_its_memory(name: str) -> None:
    with running(limits=replace(LITTLE, seconds=20.0)) as server:
        server.insert("edge", (1, 2))
        dictionary = core_of(server.service.engine).dictionary
        entries, held = len(dictionary), dictionary.entries.memory
        refused(server.http.post("/v1/query", json={"text": QUESTIONS[name]}), 422, "TL8028")
        assert len(dictionary) == entries
        assert dictionary.entries.memory <= held + 1024


def test_texts_made_by_a_question_go_with_its_answer() -> None:
    with running("p(X) :- q(X).") as server:
        server.insert("q", ("a",), ("b",))
        dictionary = core_of(server.service.engine).dictionary
        entries = len(dictionary)
        asked = {"text": 'q(X), Y = cat(X, "!!"), Z = [X, Y], X != "c"', "limit": 1}
        first = server.post("/query", asked)
        second = server.post("/query", {**asked, "after": first["next"]})
        assert sorted(first["rows"] + second["rows"]) == [["a", "a!!", ["a", "a!!"]], ["b", "b!!", ["b", "b!!"]]]
        with core_of(server.service.engine).writing:  # as an epoch has it
            assert server.post("/query", {"text": 'q(X), Y = cat(X, "??")'})["total"] == 2
        assert server.post("/query", {"text": 'q("nobody knows this")'})["total"] == 0
        assert len(dictionary) == entries
        server.insert("q", ("a!!",))
        assert server.post("/query", {"text": 'q(X), q(Y), Y = cat(X, "!!")'})["rows"] == [["a", "a!!"]]
        assert server.service.engine.verify()


def test_planning_ends_with_the_time_of_a_question() -> None:
    with running(limits=replace(LITTLE, check_seconds=30.0)) as server:
        server.insert("edge", (1, 2))
        began = time.monotonic()
        asked = {"text": QUESTIONS["more disjunctions"]}
        refused(server.http.post("/v1/query", json=asked, timeout=None), 422, "TL8022")  # the next line limits it
        assert time.monotonic() - began < SECONDS + 4 * SLACK


@contextmanager
def waiting_feed(server: Running | Typed, headers: dict[str, str]) -> Iterator[threading.Thread]:
    """A feed that somebody reads."""

    def read() -> None:
        with (
            http_client(server.url) as http,
            http.stream("GET", "/v1/changes/reach", headers={**headers, "Accept": "text/event-stream"}) as found,
        ):
            for _ in found.iter_lines():
                pass

    thread = threading.Thread(target=read)
    thread.start()
    yield thread
    thread.join()


def test_a_server_stops_in_time_whatever_is_under_way(tmp_path: Path) -> None:
    file, state = program(tmp_path), tmp_path / "state"
    (tmp_path / "edge.facts").write_text("".join(f"{i}\t{i + 1}\n" for i in range(300)))
    words = [file, "--state", str(state), "-F", str(tmp_path), "--port", "0", "--limit-stop-seconds", "1"]
    words += ["--limit-seconds", "60", "--limit-check-seconds", "60", "--limit-rows", "1000000000000"]
    command = [sys.executable, "-m", "tidelog.cli", "serve", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stderr is not None
        lines = []
        while not (lines and lines[-1].startswith("tokens:")):
            lines.append(process.stderr.readline())
        url = lines[0].split()[-1]
        server = Typed(url, lines, process)
        reader, writer = clients(server, state)
        away = "reach(A, B), reach(C, D), reach(E, F), A + C + E < 0"
        headers = dict(reader.headers)
        with reader, writer, waiting_feed(server, {"Authorization": headers["authorization"]}):
            opened = writer.post("/v1/epochs/open", json={}).json()["id"]
            writer.post(f"/v1/relations/edge/insert?open={opened}", json=[[1000, 1001]])

            def send(path: str, text: str) -> None:
                with suppress(httpx.HTTPError):
                    reader.post(path, json={"text": text})

            sent = [("/v1/check", slow()), ("/v1/check", slow()), ("/v1/query", away), ("/v1/query", away)]
            threads = [threading.Thread(target=send, args=each) for each in sent]
            for thread in threads:
                thread.start()
            time.sleep(1)
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)
            process.wait(30)
            assert time.monotonic() - began < 1 + 2 + SLACK
            for thread in threads:
                thread.join()
        rest = process.stderr.read()
    assert process.returncode == ABORTED, rest  # the questions went on after its patience
    assert "requests in progress were aborted" in rest
    with Engine(path=state) as db:
        assert db.epoch_number == 1
        assert len(db["edge"]) == 300


def test_a_limit_that_was_hit_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with running(limits=LITTLE) as server, caplog.at_level("INFO", "tidelog.serve"):
        server.http.post("/v1/check", json={"text": slow()})
        server.http.get("/v1/views/edge", headers={"Authorization": "Bearer no"})
    output = [(each.__dict__.get("code"), each.levelname) for each in caplog.records]
    assert ("TL8025", "WARNING") in output
    assert ("TL8001", "WARNING") in output
    assert "no" not in json.dumps([str(each.__dict__.get("path")) for each in caplog.records]).split()
    assert READS["Authorization"] not in caplog.text
