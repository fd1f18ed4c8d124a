"""The live demo: a PostgreSQL database of people, groups and folders, followed by a server while its rows change.

It starts a database in a temporary folder, serves `data/live.dl` over it, changes rows by SQL in a loop, and prints
the address of the console and the changes that the server reports. It runs until Ctrl-C, or for SECONDS=n; PORT=n sets
the port.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent / "data"))
from live import FOLLOWED, PUBLISHED, TABLES, change, first_rows
from postgresql import Server, running, why_not

HERE = Path(__file__).parent
PAUSE = float(os.environ.get("PAUSE", "1"))  # seconds between two changes
SHOWN = 4  # rows of a change


@contextmanager
def serving(server: Server, state: Path) -> Iterator[tuple[str, str]]:
    """`tidelog serve` over the database: its address and a token that reads."""
    options = [part for name in FOLLOWED for part in ("--table", f"{name}=public.{name}")]
    options += [part for name in PUBLISHED for part in ("--publish", f"{name}=public.{name}")]
    command = [sys.executable, "-m", "tidelog.cli", "serve", str(HERE / "data" / "live.dl"), "--state", str(state)]
    process = subprocess.Popen(
        [*command, "--port", os.environ.get("PORT", "0"), *options],
        env={**os.environ, "TIDELOG_FOLLOW": server.dsn()},
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stderr is not None
            address = next((line.split()[-1] for line in process.stderr if line.startswith("serving ")), "")
            if not address:
                sys.exit("the server did not start")
            threading.Thread(target=lambda: sys.stderr.writelines(process.stderr or ()), daemon=True).start()
            yield address, (state / "tokens" / "read").read_text().strip()
        finally:
            process.terminate()


def ask(address: str, token: str, path: str) -> dict:
    """Request a path of the server and return its JSON."""
    request = urllib.request.Request(f"{address}/v1{path}", headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError:
        raise
    except urllib.error.URLError as error:
        raise ConnectionError(error.reason) from error


def watch(address: str, token: str, ended: threading.Event) -> None:
    """Print what changes in the view, epoch by epoch."""
    since = None
    while not ended.is_set():
        try:
            since = since or ask(address, token, "")["epoch"]
            found = ask(address, token, f"/changes/can_open?since={since}&wait=1")
        except ConnectionError:
            time.sleep(0.1)  # the server is not ready yet
            continue
        for epoch in found["changes"]:
            rows = [("+", row) for row in epoch["plus"]] + [("-", row) for row in epoch["minus"]]
            shown = "  ".join(f"{sign} {person} {folder}" for sign, (person, folder) in rows[:SHOWN])
            more = f"  and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
            print(f"  epoch {epoch['epoch']}: {shown}{more}", flush=True)
        since = found["epoch"]


def change_rows(server: Server, ended: threading.Event) -> None:
    """Change rows by SQL until the end."""
    chance = Random(1)
    while not ended.wait(PAUSE):
        text, statement, values = change(chance)
        print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)
        server.run(statement, *values)


def main() -> None:
    """Run the demo, and stop the database and the server at the end."""
    if why := why_not():
        sys.exit(f"{why}; `make postgresql` installs it where that is possible")
    with running() as server, tempfile.TemporaryDirectory(prefix="tidelog-live-") as folder:
        server.run(TABLES)
        for statement, values in first_rows(Random(0)):
            server.run(statement, *values)
        with serving(server, Path(folder) / "state") as (address, token):
            print(f"console: {address}\ntoken:   {token}")
            print(f"SQL:     psql '{server.dsn()}' -c 'SELECT * FROM can_open'\n", flush=True)
            ended = threading.Event()
            watcher = threading.Thread(target=watch, args=(address, token, ended))
            watcher.start()
            timer = threading.Timer(float(os.environ.get("SECONDS", "1e6")), ended.set)
            timer.start()
            try:
                change_rows(server, ended)
            except KeyboardInterrupt:
                pass
            finally:
                ended.set()
                timer.cancel()
                watcher.join()
            views = server.run("SELECT count(*) FROM can_open"), server.run("SELECT count(*) FROM stranded")
            print(f"\nin PostgreSQL now: can_open {views[0][0][0]:,} rows, stranded {views[1][0][0]:,} rows")


if __name__ == "__main__":
    main()
