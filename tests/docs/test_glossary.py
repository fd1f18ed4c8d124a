"""The glossary has one meaning per word, and words that were given up stay away."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import DOCS, PACKAGE, read

GLOSSARY = DOCS / "reference" / "glossary.md"
WORDS = re.findall(r"^\| \*\*([^*]+)\*\* \|", read(GLOSSARY), re.MULTILINE)
ABORTED = ("desk", "residence", "parcel", "letter", "mailbox", "courier", "posting", "hosting", "standing")
NAMES = sorted(str(path.relative_to(PACKAGE).with_suffix("")) for path in PACKAGE.rglob("*.py"))


def test_a_word_has_one_meaning() -> None:
    words = [word for group in WORDS for word in group.split(", ")]
    assert sorted(set(words)) == sorted(words)


@pytest.mark.parametrize("word", ABORTED)
def test_metaphors_that_were_given_up_name_nothing(word: str) -> None:
    pattern = re.compile(rf"(?:class|def) \w*{word}\w*|\b{word}s?\b *[:=]", re.IGNORECASE)
    assert not [name for name in NAMES if word in name.lower()]
    assert not [str(p.relative_to(PACKAGE)) for p in PACKAGE.rglob("*.py") if pattern.search(p.read_text("utf-8"))]


def test_files_are_named_in_plain_words() -> None:
    assert not [name for name in NAMES if not re.fullmatch(r"[a-z0-9_/]+", name)]
    stems = {name: name.rsplit("/", 1)[-1] for name in NAMES}
    vague = re.compile(r"utils?|helpers?|common|misc|tools?|(?:ask|keep|feed|stat|plac|host|do|mak)ing")
    assert not [name for name, stem in stems.items() if vague.fullmatch(stem)], "a file is a concept or a verb"
