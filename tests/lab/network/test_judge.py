"""Routing and dissemination in virtual time, before and after two links fail, compared with a search."""

import pytest

from tests.lab.network.judge import PROTOCOLS, Protocol, distances, judge, two_links

LINKS = frozenset(
    {("a", "b"), ("a", "h"), ("b", "c"), ("c", "d"), ("c", "g"), ("d", "e"), ("e", "f"), ("f", "g"), ("g", "h")}
)


def test_the_search_counts_hops() -> None:
    assert distances(LINKS)["a"] == {"a": 0, "b": 1, "h": 1, "c": 2, "g": 2, "d": 3, "f": 3, "e": 4}


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_protocols_agree_with_a_search_before_and_after_links_fail(protocol: Protocol) -> None:
    cut = two_links(LINKS)
    assert len(cut) == 2
    verdict = judge(protocol, LINKS, cut)
    assert verdict.was_right
    assert verdict.is_right
    assert verdict.before > 0
    assert verdict.after > 0
