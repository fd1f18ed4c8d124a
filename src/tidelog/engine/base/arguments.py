"""The arguments of an engine, checked before anything is opened.

Law: an argument of a kind that `Engine` does not accept is refused by name; a file name is not mistaken for a program.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from types import ModuleType

from tidelog.engine.base import engine_failures as failures
from tidelog.partition.base.limits import Limits
from tidelog.program import Program
from tidelog.program.functions.arguments import argument_error, must_be, must_be_amount
from tidelog.spark.session.master import is_session
from tidelog.syntax import parse_file, parse_program

_FILE = re.compile(r"[^\s(:]*\.(dl|datalog|ndlog|souffle)")


def program_of_file(file: str | Path) -> Program:
    """The program in a file."""
    must_be(file, (str, Path), "file", "the path of a program")
    return parse_file(file)


def check_arguments(
    program: object,
    path: object,
    at: object,
    history: object,
    spark: object,
    partitions: object,
    threads: object,
    limits: object,
    functions: object,
    tls: object = None,
) -> Program:
    """Check all other arguments, and return the program given to an engine."""
    must_be(tls, (bool, type(None)), "tls", "True, False, or None")
    _check_place(path, at, history, spark, partitions, threads)
    _check_uses(limits, functions)
    return _read_program(program)


def _read_program(program: object) -> Program:
    """The program that an engine is given, as text or as a value."""
    expected = "the text of a program or a `Program`; a file is read by `Engine.from_file`"
    must_be(program, (str, Program), "program", expected)
    if not isinstance(program, str):
        assert isinstance(program, Program)
        return program
    if _FILE.fullmatch(program.strip()):
        raise failures.FILE_NAME.error(name=program.strip())
    return parse_program(program)


def _check_place(path: object, at: object, history: object, spark: object, partitions: object, threads: object) -> None:
    """Check where the engine is to live."""
    if path is not None and not isinstance(path, str | Path) and not hasattr(path, "lock"):
        raise argument_error(path, "path", "a folder, or None")
    must_be(at, (int, type(None)), "at", "the number of an epoch, or None")
    must_be_amount(history, "history", "a number of epochs, or None for all")
    must_be_session(spark)
    must_be(partitions, (int, type(None)), "partitions", "a number of partitions, or None")
    must_be(threads, (int, type(None)), "threads", "a number of threads, or None")


def must_be_session(spark: object) -> None:
    """Check that this is a Spark session in which partitions can live, or None."""
    if spark is not None and not is_session(spark):
        raise argument_error(spark, "spark", "a session of Spark, or None")


def _check_uses(limits: object, functions: object) -> None:
    """Check what its epochs may use."""
    must_be(limits, (Limits, type(None)), "limits", "a `Limits`, or None")
    wanted = "functions, a mapping of names to functions, or a module"
    if isinstance(functions, ModuleType):
        return
    if not isinstance(functions, Iterable) or isinstance(functions, str):
        raise argument_error(functions, "functions", wanted)
    given = functions.values() if isinstance(functions, Mapping) else functions
    for function in given if isinstance(given, Collection) else ():
        if not callable(function):
            raise argument_error(function, "functions", wanted)


def check_source(source: object, offset: object) -> None:
    """Check the source and the offset of the input of an epoch."""
    if (source is None) != (offset is None):
        raise failures.HALF_A_SOURCE.error()
    must_be(source, (str, type(None)), "source", "the name of a source, or None")
    must_be(offset, (int, type(None)), "offset", "a whole number, or None")
