"""The sizes of a state folder, beside relations."""

from tidelog import Engine
from tidelog.editor.sizes import StateSizes


def test_sizes_are_those_of_the_last_epoch(tmp_path):
    with Engine("p(X) :- q(X).", path=tmp_path / "state") as db, db.epoch() as e:
        e.insert("q", [(1,), (2,)])
    sizes = StateSizes(str(tmp_path / "state"))
    sizes.wait()
    assert sizes.now() == {"p": 2, "q": 2}


def test_without_a_state_there_are_no_sizes(tmp_path):
    assert StateSizes(None).now() == {}
    sizes = StateSizes(str(tmp_path / "nothing"))
    sizes.wait()
    assert sizes.now() == {}
