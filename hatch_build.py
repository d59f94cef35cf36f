"""Builds the compiled loops: by the system's compiler, or where none is found by Zig's.

``pip install`` calls it; in a clone ``python hatch_build.py`` builds again what changed, or builds
into the folder that is given. The variable CXX names a compiler (``zig`` for the one of the package
ziglang), KGROUPS_CXXFLAGS further options.
"""

import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent
SOURCES = ROOT / "src" / "native"
NAME = "kernels.bin"
FLAGS = (
    *("-std=c++20", "-O3", "-fPIC", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti"),
    *(
        "-fno-stack-protector",
        "-ffp-contract=off",
        "-fno-math-errno",
        "-fno-trapping-math",
        "-Wall",
        "-Wextra",
    ),
)
#: Namespaces of the sets of instructions, and the options that choose them: of GCC, of Zig.
X86 = {
    "kg_baseline": ("-march=x86-64", "-mcpu=x86_64"),
    "kg_v3": ("-march=x86-64-v3", "-mcpu=x86_64_v3"),
    "kg_v4": ("-march=x86-64-v4", "-mcpu=x86_64_v4"),
}


def find_compiler() -> list[str] | None:
    """The command of the C++ compiler that CXX names, or of one of the system; None for Zig's."""
    wanted = shlex.split(os.environ.get("CXX", ""))
    if wanted:
        return None if wanted == ["zig"] else wanted
    found = [[name] for name in ("g++", "clang++", "c++") if shutil.which(name)]
    return found[0] if found else None


def build(folder: Path, objects: Path, sources: Path = SOURCES, only: str = "") -> Path:
    """Compile every file for every set of instructions, and link them to one library in folder.

    With ``only``, a namespace of X86, other sets are those of the files of this clone.
    """
    compiler = find_compiler()
    is_zig = compiler is None
    command = compiler or [sys.executable, "-m", "ziglang", "c++", "-fno-sanitize=all"]
    if is_zig and sys.platform == "linux":
        libc = "musl" if "musl" in (sysconfig.get_config_var("SOABI") or "") else "gnu.2.17"
        command += ["-target", f"{platform.machine()}-linux-{libc}"]
    extra = shlex.split(os.environ.get("KGROUPS_CXXFLAGS", ""))
    has_sets = platform.machine().lower() in ("x86_64", "amd64")
    has_sets = has_sets and "-DKG_BASELINE_ONLY" not in extra
    sets = X86 if has_sets else {"kg_baseline": ("", "")}
    files = sorted(path for path in sources.glob("*.cpp") if path.stem != "library")
    listed = "-DKG_FILES=" + " ".join(f"X({path.stem})" for path in files)
    of_library = [*command, *FLAGS, *extra, listed, f'-DKG_SOURCES="{digest(sources)}"']
    tasks = [[*of_library, "-c", str(sources / "library.cpp")]]
    for name, options in sets.items():
        option = [options[is_zig]] if options[is_zig] else []
        flags = [*command, *FLAGS, *extra, *option]
        # A namespace for each: the linker would take one of several functions of one name.
        of_set = sources if only in ("", name) else SOURCES
        for path in files:
            tasks.append([*flags, f"-DKG_SET={name}_{path.stem}", "-c", str(of_set / path.name)])
    objects.mkdir(parents=True, exist_ok=True)
    # The longest files first, so that no core waits for the last one.
    tasks.sort(key=lambda task: -Path(task[-1]).stat().st_size)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(pool.map(lambda task: compile_file(task, objects), tasks))
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / NAME
    part = library.with_suffix(f".{os.getpid()}")
    # Zig's own libraries take ten seconds to build, and nothing of them is needed.
    bare = ["-nostdlib"] if is_zig and os.name != "nt" else []
    if sys.platform == "darwin":
        bare += ["-undefined", "dynamic_lookup"]
    strip = [] if extra else ["-s"]
    run([*command, *extra, "-shared", *strip, *bare, "-o", str(part), *map(str, made)], objects)
    os.replace(part, library)
    return library


def digest(sources: Path) -> str:
    """What the library is made of, so that a clone notices one that was built from other files."""
    files = sorted([*sources.glob("*.hpp"), *sources.glob("*.cpp")])
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


def compile_file(task: list[str], objects: Path) -> Path:
    """The object file of one command, compiled unless nothing that it reads has changed."""
    source = Path(task[-1])
    read = [*sorted(source.parent.glob("*.hpp")), source]
    options = repr([*task[:-1], source.name])
    key = hashlib.sha256(options.encode() + b"".join(path.read_bytes() for path in read))
    made = objects / f"{source.stem}-{key.hexdigest()[:16]}.o"
    if not made.exists():
        part = made.with_suffix(f".{os.getpid()}")
        run([*task, "-o", str(part)], objects)
        os.replace(part, made)
    return made


def run(command: list[str], objects: Path) -> None:
    """Run the compiler; an error is one sentence and its own words."""
    # Zig keeps what it compiles, and needs a folder of its own where there is no home.
    keeps = {f"ZIG_{kind}_CACHE_DIR": str(objects / "zig") for kind in ("LOCAL", "GLOBAL")}
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, check=False, env=keeps | os.environ
        )
    except OSError as error:
        raise SystemExit(f"kgroups: the compiler {command[0]} cannot be run: {error}") from error
    if result.returncode:
        if "No module named ziglang" in result.stderr:
            raise SystemExit(
                "kgroups needs a C++ compiler to build its loops: install g++ or clang++, or "
                "'pip install ziglang'"
            )
        raise SystemExit(
            f"kgroups: the compiler failed; the variable CXX names another.\n"
            f"{shlex.join(command)}\n{result.stderr}"
        )
    if result.stderr:
        print(result.stderr, file=sys.stderr)


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # called by hand, where only the compiler is needed
    BuildHookInterface = object


class CustomBuildHook(BuildHookInterface):
    """Builds the library for a wheel, or into the source tree for an editable installation."""

    def dependencies(self) -> list[str]:
        """Zig's compiler from the package registry, where the system has none."""
        return [] if find_compiler() else ["ziglang"]

    def initialize(self, version: str, build_data: dict) -> None:
        """Build, and name the platform in the tag of the wheel: it serves every Python 3."""
        if self.target_name != "wheel":
            return
        build_data["pure_python"] = False
        system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{system}"
        if version == "editable":
            build(SOURCES.parent / "kgroups" / "native", ROOT / "build" / "native")
            return
        self.made = tempfile.TemporaryDirectory()
        library = build(Path(self.made.name), Path(self.made.name) / "objects")
        build_data["force_include"][str(library)] = f"kgroups/native/{NAME}"


if __name__ == "__main__":
    folders = [Path(name) for name in sys.argv[1:]] or [SOURCES.parent / "kgroups" / "native"]
    for folder in folders:
        print(build(folder, ROOT / "build" / "native"))
