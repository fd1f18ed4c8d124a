"""The compiled kernel on disk: one object file, and a shared library where a linker was there; found, checked, loaded.

Law: what is loaded was made from these sources, for this processor, by the installed compiler, and is whole: the first
three are in its name, and a digest stands at its end. A file that does not fit is as good as none: the kernel is made
again. Files appear whole, under their name, and are never written to afterwards, so that any number of processes may
read, make and replace them at once. Loading does not import the compiler.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import xxhash

FOLDER_VARIABLE = "TIDELOG_KERNEL_CACHE"
_DIGEST = 16  # bytes
_KEPT = 8  # kernels of other sources and processors that stay in a folder
_SETTINGS = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT")
_FAST_CALL = 0x0080  # how Python calls: an array of arguments and their number

Functions = dict[str, Callable[..., Any]]


def key() -> str:
    """What a compiled kernel depends on, as a name: sources, compiler, interpreter, processor, settings."""
    digest = xxhash.xxh3_128()
    for source in _sources():
        digest.update(source)
    for package in ("numba", "llvmlite"):
        digest.update(_version(package))
    words = (sys.implementation.cache_tag, sys.platform, os.uname().machine, *map(os.environ.get, _SETTINGS))
    digest.update(repr(words).encode())
    digest.update(_processor())
    return str(digest.hexdigest())


def _sources() -> list[bytes]:
    """The sources of the kernel, in the order of their names."""
    found = {path.name: path.read_bytes() for path in Path(__file__).parent.glob("*.py")}
    if not found:  # the package lies in a zip file
        from importlib.resources import files

        found = {path.name: path.read_bytes() for path in files(__package__).iterdir() if path.name.endswith(".py")}
    return [found[name] for name in sorted(found)]


def _version(package: str) -> bytes:
    """What tells one version of an installed package from another, without importing it."""
    found = find_spec(package)
    if found is None or found.origin is None:
        return b""
    return Path(found.origin).with_name("_version.py").read_bytes()


def _processor() -> bytes:
    """The model of the first processor and what it can do, as Linux tells it; elsewhere its kind has to do."""
    try:
        with open("/proc/cpuinfo", "rb") as file:
            first = file.read(1 << 14).split(b"\n\n", 1)[0]
    except OSError:
        return b""
    changing = (b"cpu MHz", b"bogomips", b"BogoMIPS", b"processor", b"apicid", b"initial apicid", b"core id")
    return b"\n".join(line for line in first.splitlines() if not line.startswith(changing))


def places() -> Iterator[tuple[Path, bool]]:
    """Where a compiled kernel may be kept, best first, and whether the place needs no look at who else can write there.

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
    return (folder for folder, trusted in places() if trusted or is_private(folder))


def is_private(folder: Path) -> bool:
    """Whether a folder is there, is no link, and nobody else can put a file into it or another one in its place."""
    try:
        status = folder.lstat()
        ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022
        return ours and all(map(_stays, (*folder.absolute().parents, *folder.resolve().parents)))
    except (OSError, RuntimeError):
        return False


def _stays(folder: Path) -> bool:
    """Whether nobody but the user and root can rename what lies in a folder: in a sticky one each only their own."""
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


def find(name: str, symbols: list[str]) -> Functions | None:
    """The functions of a kernel that lies in some folder, or None where there is none that can be loaded."""
    for folder in folders():
        for path, load in ((_shared(folder, name), _load_shared), (_object(folder, name), _load_object)):
            if (content := _read(path)) is not None and (found := load(path, content, symbols)) is not None:
                return found
    return None


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
    """A file with its digest, there as a whole or not at all."""
    handle, made = tempfile.mkstemp(prefix=path.name, suffix=".new", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content + xxhash.xxh3_128_digest(content))
        os.chmod(made, 0o644)
        os.replace(made, path)
    except BaseException:
        os.unlink(made)
        raise


def keep(folder: Path, name: str, content: bytes) -> None:
    """Put an object file into a folder, and the shared library that a linker makes of it."""
    from tidelog.kernel.link import link  # only where something was compiled

    _write(_object(folder, name), content)
    shared = link(content)
    if shared is not None:
        _write(_shared(folder, name), shared)
    _tidy(folder)


def _tidy(folder: Path) -> None:
    """Remove all but the latest kernels."""
    made = {path: path.stat().st_mtime for path in folder.glob("kernel-*.o")}
    for path in sorted(made, key=made.__getitem__)[:-_KEPT]:
        for old in (path, path.with_suffix(".so")):
            old.unlink(missing_ok=True)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One process at a time makes a kernel in a folder; where files cannot be locked, several do, each a whole one."""
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
    from tidelog.kernel.link import link_in_memory

    return {symbol: _function(symbol, address) for symbol, address in link_in_memory(content, symbols).items()}


class _Method(ctypes.Structure):
    """Python's description of a function: name, address, how it is called, documentation."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_METHODS: list[_Method] = []  # Python goes on looking at them


def _function(name: str, address: int) -> Callable[..., Any]:
    """A function of Python at an address."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.POINTER(_Method), ctypes.c_void_p, ctypes.c_void_p)
    _METHODS.append(_Method(name.encode(), address, _FAST_CALL, None))
    made: Callable[..., Any] = make(ctypes.byref(_METHODS[-1]), None, None)
    return made
