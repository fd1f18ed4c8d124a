"""A stranger who sends a large message to a port, in a separate process."""

from __future__ import annotations

import subprocess
import sys

MEGABYTES = 300
STRANGER = """
import sys
import pyarrow.flight as flight

client = flight.FlightClient(f"grpc+tls://127.0.0.1:{sys.argv[1]}", disable_server_verification=True)
try:
    list(client.do_action(flight.Action("call", bytes(int(sys.argv[2]) << 20)), flight.FlightCallOptions(timeout=30.0)))
except flight.FlightError as error:
    print(type(error).__name__)
"""


def send_large(port: int) -> None:
    """Try it; the stranger is refused."""
    done = subprocess.run(
        [sys.executable, "-c", STRANGER, str(port), str(MEGABYTES)], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("Flight")
