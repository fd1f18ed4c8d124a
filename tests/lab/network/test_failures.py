"""Every failure of a run in virtual time has a code."""

import pytest

from tidelog.errors import TidelogError
from tidelog.lab.network.read import read_program, read_script, read_topology
from tidelog.lab.network.runtime import NetworkRun, Settings


@pytest.mark.parametrize(
    ("code", "text", "script"),
    [
        ("TL7450", "t(@X, Z) :- e(@X, Y), Z := Y - 1.", "+e(a, b)."),
        ("TL7451", "t(@X, Z) :- e(@X, Y), Z := 1 / Y.", "+e(a, 0)."),
        ("TL7452", "t(@X) :- e(@X, Y), Y in (1, 2).", "+e(a, b)."),
        ("TL7453", "t(@X, Z) :- e(@X, Y), Z := f_size(Y).", "+e(a, 1)."),
        ("TL7454", "t(@X, Z) :- e(@X, Y), Z := f_svappend(Y, 1).", "+e(a, 1)."),
        ("TL7455", "e(@Y, X) :- e(@X, Y).", "+here(b). +e(a, b)."),
        ("TL7456", "e(@X) :- e(@X).", "+e(a)."),
        ("TL7457", "t(@Y) :- e(@X, Y).", "+e(a, 1)."),
    ],
)
def test_failures_have_codes(code: str, text: str, script: str) -> None:
    net = NetworkRun(read_program(text), read_topology("here(a)."), read_script(script), Settings(limit=1000))
    with pytest.raises(TidelogError) as caught:
        net.run(100)
    assert caught.value.code == code


def test_invalid_settings_are_refused() -> None:
    with pytest.raises(TidelogError) as caught:
        Settings(loss=2)
    assert caught.value.code == "TL7458"


def test_signatures_without_the_library_are_refused(monkeypatch) -> None:
    monkeypatch.setattr("tidelog.lab.network.says.IS_INSTALLED", False)
    with pytest.raises(TidelogError) as caught:
        NetworkRun(read_program("At S:\nr1 S says p(S)@D :- q(S, D)."))
    assert caught.value.code == "TL7459"
