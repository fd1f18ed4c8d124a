"""Facts about the statements of a made-up program, as front ends write them: long texts that have much in common."""

from __future__ import annotations

from collections.abc import Iterator

COLUMNS = ("instruction", "index", "source", "target", "method")


def statements(rows: int) -> Iterator[tuple[str, int, str, str, str]]:
    """Moves between the variables of methods, eight in each method, four methods in each class."""
    for row in range(rows):
        number, place = divmod(row, 8)
        owner = f"org.example.part{number % 97}.module{number // 4 % 1013}.Class{number // 4}"
        method = f"<{owner}: java.util.List method{number % 4}(java.lang.String,int,{owner})>"
        yield f"{method}/assign/instruction{place}", place, f"{method}/$r{place}", f"{method}/local{place % 3}", method


def statement_text(rows: int) -> str:
    """The facts as a tab-separated file."""
    return "".join("\t".join(map(str, row)) + "\n" for row in statements(rows))
