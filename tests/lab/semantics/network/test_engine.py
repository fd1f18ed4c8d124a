"""The engine, embedded, agrees with the simulator on every program and every epoch of its script.

Both are compared with the independent answers, so that they cannot be wrong together.
"""

import pytest

from tidelog import Engine

from .oracles import ORACLES, PROGRAMS, base_facts, read_changes


@pytest.mark.parametrize("name", sorted(ORACLES))
def test_engine_maintains_every_program(name: str) -> None:
    text = (PROGRAMS / f"{name}.dl").read_text() + (PROGRAMS / name / "topology.dl").read_text()
    script = read_changes(PROGRAMS / name / "changes.dl")
    with Engine(text) as db:
        for done in range(len(script) + 1):
            wanted = ORACLES[name](base_facts(name, epochs=done))
            assert {relation: set(db[relation]) for relation in wanted} == wanted, f"after epoch {done}"
            if done < len(script):
                with db.epoch() as epoch:
                    for sign, relation, row in script[done]:
                        (epoch.insert if sign == "+" else epoch.delete)(relation, [row])
