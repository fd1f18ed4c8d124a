"""Counts and response times of requests, for statistics and Prometheus.

Law: a path is the one of its operation, `/v1/views/{name}`, so that the number of series is bounded. The time of a
request ends when its response begins.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator

from tidelog.engine.read.metrics import quoted

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
OTHER = "other"  # the path of requests for unknown paths
Place = tuple[str, str]  # method and path


class RequestMetrics:
    """Counts of requests; used on the server's loop, read by any thread."""

    def __init__(self) -> None:
        self._by_status: Counter[tuple[Place, int]] = Counter()
        self._in_bucket: dict[Place, list[int]] = {}
        self._seconds: defaultdict[Place, float] = defaultdict(float)

    def note(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request."""
        place = method, path
        self._by_status[place, status] += 1
        self._in_bucket.setdefault(place, [0] * (len(BOUNDS) + 1))[bisect_left(BOUNDS, seconds)] += 1
        self._seconds[place] += seconds

    def by_status(self) -> dict[int, int]:
        """The number of requests by status."""
        found: Counter[int] = Counter()
        for (_, status), count in self._by_status.copy().items():
            found[status] += count
        return dict(sorted(found.items()))

    def page(self) -> str:
        """Lines in the text format of Prometheus; empty before the first request."""
        return "".join(f"{line}\n" for line in self._lines()) if self._by_status else ""

    def _lines(self) -> Iterator[str]:
        yield "# HELP tidelog_http_requests_total Requests"
        yield "# TYPE tidelog_http_requests_total counter"
        for (place, status), count in sorted(self._by_status.copy().items()):
            yield f'tidelog_http_requests_total{{{_labels(place)},status="{status}"}} {count}'
        yield "# HELP tidelog_http_request_seconds Seconds until the response begins"
        yield "# TYPE tidelog_http_request_seconds histogram"
        for place, counts in sorted(self._in_bucket.copy().items()):
            total = 0
            for bound, count in zip((*map(repr, BOUNDS), "+Inf"), counts, strict=True):
                total += count
                yield f'tidelog_http_request_seconds_bucket{{{_labels(place)},le="{bound}"}} {total}'
            yield f"tidelog_http_request_seconds_sum{{{_labels(place)}}} {self._seconds[place]!r}"
            yield f"tidelog_http_request_seconds_count{{{_labels(place)}}} {total}"


def _labels(place: Place) -> str:
    method, path = place
    return f'method="{quoted(method)}",path="{quoted(path)}"'
