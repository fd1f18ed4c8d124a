"""The compiled kernel on disk: a shared library for each instruction set, or an object file; found, checked, loaded.

Law: a file that is loaded was made from these sources, for an instruction set that this processor runs, and is
complete: the first two are in its name, and a digest is at its end. It calls only Python's stable interface and what
every process has, so that it fits every version of Python, numpy and the C library. A file that does not fit is
ignored. Files appear complete, under their name, and are never written to afterwards, so that any number of processes
may read, make and replace them at once. Loading does not import the compiler.

A wheel contains its kernels (`PACKED`); others are compiled and kept.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import xxhash

from tidelog.kernel.processor import runnable_sets

PACKED = "compiled"  # the folder of a wheel's kernels, beside the sources
FOLDER_VARIABLE = "TIDELOG_KERNEL_CACHE"
_DIGEST = 16  # bytes
_KEPT = 8  # kernels of other sources and processors that stay in a folder
_FAST_CALL = 0x0080  # how Python calls: an array of arguments and their number

Functions = dict[str, Callable[..., Any]]


class NoKernel(ImportError):
    """There is no kernel that can be loaded here, and no compiler to make one."""


def names(instruction_sets: Iterable[str]) -> list[str]:
    """The file names of the kernels of these sources for some instruction sets."""
    digest = xxhash.xxh3_128()
    for source in _sources():
        digest.update(source)
    return [f"{sys.platform}-{each}-{digest.hexdigest()}" for each in instruction_sets]


def runnable_names() -> list[str]:
    """The file names of the kernels of these sources that this processor runs, fastest first."""
    return names(runnable_sets())


def _sources() -> list[bytes]:
    """The sources of the kernel, in the order of their names."""
    found = {path.name: path.read_bytes() for path in _home().iterdir() if path.name.endswith(".py")}
    return [found[name] for name in sorted(found)]


def _home() -> Any:
    """The folder of this package; an object that reads like a folder if the package is in a zip file."""
    folder = Path(__file__).parent
    if folder.is_dir():
        return folder
    from importlib.resources import files

    return files(__package__)


def places() -> Iterator[tuple[Path, bool]]:
    """Where a compiled kernel may be kept, best first, and whether the place is trusted without a check of permissions.

    That is so for the folder that the user chose and for the one beside the sources, which are run as they are.
    """
    if chosen := os.environ.get(FOLDER_VARIABLE):
        yield Path(chosen), True
        return
    yield Path(__file__).parent / "__pycache__", True
    with suppress(RuntimeError):  # a user without a home
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tidelog", False
    yield Path(tempfile.gettempdir()) / f"tidelog-kernel-{os.getuid()}", False


def folders() -> Iterator[Path]:
    """The folders that a kernel may be loaded from."""
    yield Path(__file__).parent / PACKED
    yield from (folder for folder, trusted in places() if trusted or is_private(folder))


def is_private(folder: Path) -> bool:
    """Whether a folder exists, is not a link, and no other user can put a file into it or replace it."""
    try:
        status = folder.lstat()
        ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022
        return ours and all(map(_stays, (*folder.absolute().parents, *folder.resolve().parents)))
    except (OSError, RuntimeError):
        return False


def _stays(folder: Path) -> bool:
    """Whether only the user and root can rename the user's files in a folder, as in a sticky one."""
    status = folder.stat()
    others = status.st_mode & (0o002 if _is_own_group(status.st_gid) else 0o022)
    return status.st_uid in (0, os.getuid()) and not (others and not status.st_mode & stat.S_ISVTX)


def _is_own_group(group: int) -> bool:
    """Whether a group is the user's alone, as many systems make one for every user."""
    import grp
    import pwd

    try:
        found, user = grp.getgrgid(group), pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return False
    return found.gr_name == user and set(found.gr_mem) <= {user}


def writable_folder() -> Path | None:
    """The first folder in which a file can be made."""
    for folder, trusted in places():
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        if (trusted or is_private(folder)) and os.access(folder, os.W_OK | os.X_OK):
            return folder
    return None


def find(names: Iterable[str], symbols: list[str]) -> Functions | None:
    """The functions of the first of some kernels that exists in a folder and can be loaded, or None."""
    for name in names:
        for folder in folders():
            for path, load in ((_shared(folder, name), _load_shared), (_object(folder, name), _load_object)):
                if (content := _read(path)) is not None and (found := load(path, content, symbols)) is not None:
                    return found
    return None


def unpack(folder: Path, names: Iterable[str]) -> None:
    """Extract the first of some kernels in a zip file to a folder: a library must be loaded from a file."""
    packed = _home() / PACKED
    for name in names:
        if not isinstance(packed, Path) and (path := packed / f"kernel-{name}.so").is_file():
            _put(_shared(folder, name), path.read_bytes())
            return


def packed_files() -> list[str]:
    """The names of the kernels that this installation came with."""
    packed = _home() / PACKED
    return sorted(path.name for path in packed.iterdir()) if packed.is_dir() else []


def _shared(folder: Path, name: str) -> Path:
    return folder / f"kernel-{name}.so"


def _object(folder: Path, name: str) -> Path:
    return folder / f"kernel-{name}.o"


def _read(path: Path) -> bytes | None:
    """A file's content before its digest, if the digest fits."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    content, digest = content[:-_DIGEST], content[-_DIGEST:]
    return content if xxhash.xxh3_128_digest(content) == digest else None


def _write(path: Path, content: bytes) -> None:
    """Write a file with its digest, completely or not at all."""
    _put(path, content + xxhash.xxh3_128_digest(content))


def _put(path: Path, content: bytes) -> None:
    handle, made = tempfile.mkstemp(prefix=path.name, suffix=".new", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(made, 0o644)
        os.replace(made, path)
    except BaseException:
        os.unlink(made)
        raise


def keep(folder: Path, name: str, content: bytes) -> None:
    """Put an object file into a folder, and the shared library that a linker makes from it."""
    from tidelog.kernel.linker import link  # only where something was compiled

    _write(_object(folder, name), content)
    shared = link(content)
    if shared is not None:
        keep_shared(folder, name, shared)
    _tidy(folder)


def keep_shared(folder: Path, name: str, shared: bytes) -> None:
    """Put a shared library into a folder."""
    _write(_shared(folder, name), shared)


def _tidy(folder: Path) -> None:
    """Remove all but the latest kernels."""
    made = {path: path.stat().st_mtime for path in folder.glob("kernel-*.o")}
    for path in sorted(made, key=made.__getitem__)[:-_KEPT]:
        for old in (path, path.with_suffix(".so")):
            old.unlink(missing_ok=True)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Let one process at a time make a kernel in a folder; without file locks, several make a complete one each."""
    import fcntl

    with open(folder / "kernel.lock", "wb") as file:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _load_shared(path: Path, _content: bytes, symbols: list[str]) -> Functions | None:
    try:
        library = ctypes.PyDLL(str(path))
        addresses = [ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value for symbol in symbols]
    except (OSError, AttributeError):  # a folder whose files may not be run, or a linker that did it wrong
        return None
    return {symbol: _function(symbol, address or 0) for symbol, address in zip(symbols, addresses, strict=True)}


def _load_object(_path: Path, content: bytes, symbols: list[str]) -> Functions | None:
    return load_object(content, symbols)


def load_object(content: bytes, symbols: list[str]) -> Functions:
    """The functions of an object file, linked in memory: for machines without a linker or a place for files."""
    from tidelog.kernel.linker import link_in_memory

    return {symbol: _function(symbol, address) for symbol, address in link_in_memory(content, symbols).items()}


class _Method(ctypes.Structure):
    """Python's description of a function: name, address, how it is called, documentation."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_METHODS: list[_Method] = []  # Python keeps reading them


def _function(name: str, address: int) -> Callable[..., Any]:
    """A function of Python at an address."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.POINTER(_Method), ctypes.c_void_p, ctypes.c_void_p)
    _METHODS.append(_Method(name.encode(), address, _FAST_CALL, None))
    made: Callable[..., Any] = make(ctypes.byref(_METHODS[-1]), None, None)
    return made
