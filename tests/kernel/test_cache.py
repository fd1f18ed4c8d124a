"""The compiled kernel on disk: loaded without the compiler, made again when it does not fit, once for all processes."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tidelog
from tidelog.kernel import compiler, library, linker, processor, warm
from tidelog.kernel.cells import address

SYMBOLS = [kernel.symbol for kernel, _ in warm.KERNELS]
HASH = "tidelog_kernel_relation_hash_cells"
HASH_OF_NOTHING = warm.relation.hash_cells(0, 0)
# Stands for the compiler, which takes its time: what it made before is taken from the real folder.
MAKE = """
import sys, time
from pathlib import Path
from tidelog.kernel import warm
def compile():
    time.sleep(0.5)
    print("compiled", flush=True)
    return Path(sys.argv[1]).read_bytes()[:-16]
warm._compile = compile
warm.make_ready()
print(warm.relation.hash_cells(0, 0), "numba" in sys.modules)
"""


@pytest.fixture(scope="module")
def made() -> Path:
    """The object file that this process runs."""
    warm.make_ready()
    name = library.runnable_names()[0]
    return next(path for folder in library.folders() if (path := library._object(folder, name)).exists())


@pytest.fixture
def folder(tmp_path: Path, made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A separate folder with a copy of the kernel."""
    for path in (made, made.with_suffix(".so")):
        if path.exists():
            shutil.copy(path, tmp_path)
    monkeypatch.setenv(library.FOLDER_VARIABLE, str(tmp_path))
    return tmp_path


def start(script: str, *arguments: str, **settings: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(tidelog.__file__).parents[1]), **settings}
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told(process: subprocess.Popen[str]) -> list[str]:
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    return out.splitlines()


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.unlink()  # a loaded library is mapped: other bytes come as another file
    path.write_bytes(bytes(content))


def hash_with(functions: library.Functions | None) -> int:
    assert functions is not None
    cells = np.array([3, 5], np.int64)
    return int(functions[HASH](address(cells), 2))


def test_name_changes_with_every_source_of_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path(library.__file__).parent
    copy = shutil.copytree(home, tmp_path / "kernel", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(library, "__file__", str(copy / "library.py"))
    seen = {library.runnable_names()[0]}
    for source in sorted(copy.glob("*.py")):
        source.write_text(source.read_text() + "\n")
        seen.add(library.runnable_names()[0])
    assert len(seen) == len(list(copy.glob("*.py"))) + 1


def test_name_changes_with_the_instruction_set_and_not_with_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    before = library.runnable_names()
    assert len(set(before)) == len(processor.runnable_sets())
    assert before[-1].startswith(f"{sys.platform}-{processor.instruction_sets()[-1]}-")
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    monkeypatch.setenv("NUMBA_OPT", "1")
    assert library.runnable_names() == before
    environment = compiler._environment(processor.instruction_sets()[-1])
    assert environment["NUMBA_CPU_NAME"] == processor.instruction_sets()[-1]
    assert "NUMBA_OPT" not in environment


def test_a_processor_runs_its_baseline_and_what_it_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "family", lambda: "x86_64")
    monkeypatch.setattr(processor, "_flags", lambda: frozenset(processor._V3.split()))
    assert processor.runnable_sets() == ("x86-64-v3", "x86-64") == processor.instruction_sets()
    for missing in processor._V3.split():
        monkeypatch.setattr(processor, "_flags", lambda missing=missing: frozenset(processor._V3.split()) - {missing})
        assert processor.runnable_sets() == ("x86-64",)
    monkeypatch.setattr(processor, "family", lambda: "riscv64")
    assert processor.runnable_sets() == ("riscv64",) == processor.instruction_sets()


def test_flags_are_those_of_the_system() -> None:
    told = Path("/proc/cpuinfo").read_text()
    assert processor._flags() <= set(told.split())
    assert bool(processor._flags()) == (platform.machine() == "x86_64")


def test_object_linked_in_memory_computes_what_the_shared_library_does(folder: Path, made: Path) -> None:
    first = hash_with(library.find(library.runnable_names()[:1], SYMBOLS))
    for path in folder.glob("*.so"):
        path.unlink()
    assert hash_with(library.find(library.runnable_names()[:1], SYMBOLS)) == first
    made_here = library.load_object(made.read_bytes()[:-16], SYMBOLS)
    assert hash_with(made_here) == first


def test_damaged_library_is_passed_over_and_damaged_object_too(folder: Path) -> None:
    name = library.runnable_names()[0]
    damage(library._shared(folder, name))
    assert library._read(library._shared(folder, name)) is None
    assert library.find([name], SYMBOLS) is not None  # from the object file
    damage(library._object(folder, name))
    assert library.find([name], SYMBOLS) is None


def test_library_without_an_entry_is_passed_over(folder: Path) -> None:
    assert (
        library._load_shared(library._shared(folder, library.runnable_names()[0]), b"", [*SYMBOLS, "no_such_entry"])
        is None
    )


def test_damaged_kernel_is_made_again(folder: Path, made: Path) -> None:
    name = library.runnable_names()[0]
    for path in (library._object(folder, name), library._shared(folder, name)):
        damage(path)
    assert told(start(MAKE, str(made)))[0] == "compiled"
    assert library.find([name], SYMBOLS) is not None
    assert len(told(start(MAKE, str(made)))) == 1  # loaded, not compiled


def test_kernel_of_other_sources_is_not_loaded(folder: Path, made: Path, tmp_path: Path) -> None:
    copy = copied_package(tmp_path / "other")
    with (copy / "kernel" / "join.py").open("a") as source:
        source.write("# another version\n")
    assert told(start(MAKE, str(made), PYTHONPATH=str(copy.parent)))[0] == "compiled"
    assert len(list(folder.glob("kernel-*.o"))) == 2


def test_two_processes_make_one_kernel(tmp_path: Path, made: Path) -> None:
    settings = {library.FOLDER_VARIABLE: str(tmp_path / "new")}
    both = [start(MAKE, str(made), **settings) for _ in range(2)]
    lines = [line for process in both for line in told(process)]
    assert lines.count("compiled") == 1
    assert len({line for line in lines if line != "compiled"}) == 1


def test_a_folder_keeps_the_latest_kernels(folder: Path, made: Path) -> None:
    for number in range(10):
        old = folder / f"kernel-{number}.o"
        shutil.copy(made, old)
        os.utime(old, (number, number))
    library._tidy(folder)
    left = {path.name for path in folder.glob("kernel-*.o")}
    assert len(left) == 8
    assert made.name in left


def test_machine_without_linker_keeps_the_object_alone(
    tmp_path: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linker, "LINKERS", (("no-such-linker",),))
    library.keep(tmp_path, "name", made.read_bytes()[:-16])
    assert [path.name for path in tmp_path.iterdir()] == ["kernel-name.o"]


def test_kernel_is_kept_in_a_temporary_folder_where_package_and_home_are_read_only(tmp_path: Path, made: Path) -> None:
    script = "import os\nos.access = lambda path, *_: str(path).startswith(os.environ['TMPDIR'])\n" + MAKE
    copy = copied_package(tmp_path / "src")  # with no kernel beside the sources
    (tmp_path / "tmp").mkdir()
    settings = {"TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": str(copy.parent), "XDG_CACHE_HOME": "/proc/none"}
    settings[library.FOLDER_VARIABLE] = ""
    assert told(start(script, str(made), **settings))[0] == "compiled"
    kept = tmp_path / "tmp" / f"tidelog-kernel-{os.getuid()}"
    assert list(kept.glob("kernel-*.o"))
    assert len(told(start(script, str(made), **settings))) == 1


def test_kernel_runs_where_no_file_can_be_made(made: Path) -> None:
    script = "from tidelog.kernel import library\nlibrary.places = lambda: iter(())\n" + MAKE
    assert told(start(script, str(made)))[0] == "compiled"


def test_temporary_folder_that_others_can_write_to_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(library.FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mine = tmp_path / f"tidelog-kernel-{os.getuid()}"
    assert mine not in library.folders(), "nothing is loaded from a folder that another user may be the first to make"
    mine.mkdir()
    mine.chmod(0o777)
    assert mine not in library.folders()
    mine.chmod(0o700)
    assert mine in library.folders()


def test_folder_of_another_user_and_a_link_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    assert library.is_private(own)
    (tmp_path / "link").symlink_to(own)
    assert not library.is_private(tmp_path / "link")
    me = os.getuid()
    monkeypatch.setattr("os.getuid", lambda: me + 1)
    assert not library.is_private(own), "another user's"


def test_folder_whose_place_others_can_take_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a home that is the temporary directory: another user may have made what lies above."""
    above = tmp_path / "above"
    (above / ".cache" / "tidelog").mkdir(parents=True)
    monkeypatch.delenv(library.FOLDER_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(above / ".cache"))
    (above / ".cache" / "tidelog").chmod(0o700)
    assert above / ".cache" / "tidelog" in library.folders()
    (above / ".cache").chmod(0o777)
    assert above / ".cache" / "tidelog" not in library.folders()
    (above / ".cache").chmod(0o775)
    for alone in (True, False):
        monkeypatch.setattr(library, "_is_own_group", lambda group, alone=alone: alone)
        assert (above / ".cache" / "tidelog" in library.folders()) == alone
    (above / ".cache").chmod(0o1777)
    assert above / ".cache" / "tidelog" in library.folders(), "in a sticky folder nobody moves what is another's"


def copied_package(folder: Path) -> Path:
    """The package's sources in another place, without a kernel."""
    home, unneeded = Path(tidelog.__file__).parent, shutil.ignore_patterns("__pycache__", library.PACKED)
    return Path(shutil.copytree(home, folder / "tidelog", ignore=unneeded))


def zipped(folder: Path, copy: Path) -> str:
    return shutil.make_archive(str(folder), "zip", copy.parent, "tidelog")


def test_a_package_in_a_zip_file_has_the_kernel_of_its_own_sources(tmp_path: Path) -> None:
    copy = copied_package(tmp_path / "src")

    def name_in_zip(file: str) -> str:
        code = "from tidelog.kernel import library; print(library.__file__, library.runnable_names()[0])"
        said, error = start(code, PYTHONPATH=file).communicate(timeout=120)
        assert said.startswith(file), error
        return said.split()[1]

    assert name_in_zip(zipped(tmp_path / "same", copy)) == library.runnable_names()[0]
    with (copy / "kernel" / "join.py").open("a") as source:
        source.write("# another version\n")
    assert name_in_zip(zipped(tmp_path / "other", copy)) != library.runnable_names()[0]


def packed(copy: Path, made: Path) -> Path:
    """The kernel, put into a copy of the package as a wheel contains it."""
    folder = copy / "kernel" / library.PACKED
    folder.mkdir()
    return Path(shutil.copy(made.with_suffix(".so"), folder))


def test_a_packed_kernel_is_loaded_where_nothing_is_kept(tmp_path: Path, made: Path) -> None:
    copy = copied_package(tmp_path / "src")
    packed(copy, made)
    settings = {"PYTHONPATH": str(copy.parent), library.FOLDER_VARIABLE: str(tmp_path / "kept")}
    assert told(start(MAKE, "", **settings)) == [f"{HASH_OF_NOTHING} False"]
    assert not (tmp_path / "kept").exists()


def test_a_packed_kernel_in_a_zip_file_is_kept_and_loaded(tmp_path: Path, made: Path) -> None:
    copy = copied_package(tmp_path / "src")
    packed(copy, made)
    settings = {"PYTHONPATH": zipped(tmp_path / "package", copy), library.FOLDER_VARIABLE: str(tmp_path / "kept")}
    assert told(start(MAKE, "", **settings)) == [f"{HASH_OF_NOTHING} False"]
    assert [path.name for path in (tmp_path / "kept").glob("kernel-*")] == [made.with_suffix(".so").name]


def test_without_kernel_and_compiler_the_extra_is_named(tmp_path: Path, made: Path) -> None:
    copy = copied_package(tmp_path / "src")
    script = (
        "import importlib.util as util\n"
        "find = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'numba' else find(name, *more)\n"
        "from tidelog import Engine\n"
        "from tidelog.errors import TidelogError\n"
        "try:\n    Engine('p(X) :- q(X).')\n"
        "except TidelogError as error:\n    print(error.code, 'tidelog[compile]' in str(error.hint), error)\n"
    )
    settings = {"PYTHONPATH": str(copy.parent), library.FOLDER_VARIABLE: str(tmp_path / "kept")}

    def reason() -> str:
        (line,) = told(start(script, **settings))
        assert line.startswith("TL4304 True")
        return line

    assert "contains no compiled kernel" in reason()
    kernel = packed(copy, made)
    damage(kernel)
    assert "damaged" in reason()
    kernel.rename(kernel.with_name("kernel-linux-pdp11-0.so"))
    assert "kernel-linux-pdp11-0.so" in reason()
