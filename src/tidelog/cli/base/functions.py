"""Functions from a Python file.

Law: the file is run once, as Python runs it. The program calls the functions that the file defines under the name of
one of the program's functors, or declares by `user_function`.
"""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from tidelog.cli.base import cli_failures as failures
from tidelog.cli.base.guard import guarded
from tidelog.program.types.functors import UserFunctions

NAME = "functions_of_the_program"  # not imported under any name: workers get the functions by value


def functions_of(path: Path | None) -> UserFunctions:
    """The functions of the option: those in the module of a file, or none; errors in the file are reported."""
    with guarded():
        return () if path is None else load_functions(path)


def load_functions(path: Path) -> ModuleType:
    """The module of a file."""
    spec = spec_from_file_location(NAME, path)
    if spec is None or spec.loader is None:
        raise failures.NO_FUNCTIONS.error(path=path, error="it is not a Python file")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise failures.NO_FUNCTIONS.error(path=path, error=f"{type(error).__name__}: {error}") from error
    return module
