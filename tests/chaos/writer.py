"""The engine that misfortune befalls, in a separate process: ``python -m tests.chaos.writer FOLDER SEED ...``.

It says on its output what it has committed (``epoch 7``) and what failed (``failed 8 StateError``), and listens on its
input: ``drop`` closes its connections to the partitions under it.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import os
import resource
import signal
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

from tests.chaos.story import act, open_state
from tidelog import Engine
from tidelog.errors import TidelogError

ABORTED = 3  # epochs that fail one after the other


def main() -> None:
    """Commit epochs until the next order."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("seed", type=int)
    parser.add_argument("--partitions", type=int, default=1)
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--epochs", type=int, default=1_000_000)
    parser.add_argument("--largest", type=int, help="bytes that no file may exceed: a disk that is full")
    asked = parser.parse_args()
    if asked.largest is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (asked.largest, asked.largest))
    faulthandler.register(signal.SIGUSR1)  # where it hangs, into the log
    threading.Thread(target=listen, daemon=True).start()
    with ExitStack() as ends:
        session = None
        if asked.spark:
            from tidelog.spark import local_session

            path = os.pathsep.join(p for p in sys.path if p)
            session = ends.enter_context(
                local_session(asked.partitions, settings={"spark.executorEnv.PYTHONPATH": path})
            )
        db = ends.enter_context(open_state(Path(asked.folder), spark=session, partitions=asked.partitions))
        print(f"open {db.epoch_number}", flush=True)
        write(db, asked.seed, asked.epochs)


def write(db: Engine, seed: int, count: int) -> None:
    """This many epochs, or until several fail."""
    failed = 0
    for _ in range(count):
        number = db.epoch_number + 1
        try:
            act(db, seed, number)
        except (TidelogError, OSError) as error:
            print(f"failed {number} {type(error).__name__}", flush=True)
            failed += 1
            if failed == ABORTED:
                return
        else:
            failed = 0
            print(f"epoch {db.epoch_number}", flush=True)


def listen() -> None:
    """Obey what comes."""
    for line in sys.stdin:
        if line.strip() == "drop":
            from tidelog.spark.resident.client import Peer

            for peer in [found for found in gc.get_objects() if isinstance(found, Peer)]:
                peer.close()


if __name__ == "__main__":
    main()
