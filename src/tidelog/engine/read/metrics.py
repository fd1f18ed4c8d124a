"""The counters and sizes of an engine as a page that Prometheus reads.

Law: reading the page neither waits for an epoch nor starts one.
"""

from __future__ import annotations

from tidelog.engine.base.meter import COUNTERS
from tidelog.engine.core.core import Core

TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics(core: Core) -> str:
    """What the engine has done, as a page in the text format of Prometheus."""
    core.must_be_open()
    meter, sizes = core.meter, dict(core.committed.sizes)
    with meter.lock:
        counts, seconds, skew = dict(meter.counts), meter.last_seconds, meter.last_skew
    lines = [
        line for name, text in COUNTERS.items() for line in _metric(f"{name}_total", "counter", text, counts[name])
    ]
    for name, text, value in (
        ("epoch", "Number of the last committed epoch", core.number),
        ("partitions", "Partitions", core.runtime.partitions),
        ("last_epoch_seconds", "Seconds of evaluation of the last epoch", seconds),
        ("last_epoch_skew", "Supports of the busiest partition in the last epoch, divided by the average", skew),
    ):
        lines += _metric(name, "gauge", text, value)
    lines += ["# HELP tidelog_facts Facts of a relation", "# TYPE tidelog_facts gauge"]
    lines += [f'tidelog_facts{{relation="{quoted(name)}"}} {size}' for name, size in sorted(sizes.items()) if size]
    return "\n".join(lines) + "\n"


def _metric(name: str, kind: str, text: str, value: float) -> list[str]:
    """One number with its description.

    >>> _metric("epoch", "gauge", "Number", 3)
    ['# HELP tidelog_epoch Number', '# TYPE tidelog_epoch gauge', 'tidelog_epoch 3']
    """
    return [f"# HELP tidelog_{name} {text}", f"# TYPE tidelog_{name} {kind}", f"tidelog_{name} {value!r}"]


def quoted(text: str) -> str:
    r"""A text between the quotes of a label.

    >>> quoted('a"b')
    'a\\"b'
    """
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
