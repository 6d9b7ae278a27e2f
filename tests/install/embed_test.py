#!/usr/bin/env python3
"""Installs the build, moves the tree, and builds examples/embed outside of the repository in every documented way.

    embed_test.py --build DIR --cc CC --cxx CXX --cmake CMAKE --library FILE --version X.Y.Z

By find_package in C and C++, by pkg-config in C and C++, and by add_subdirectory. Each program's output is compared with
examples/embed/output.txt. The add_subdirectory build takes the library that is there instead of compiling it again.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "embed"


def run(command, **options):
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=300, **options)
    if done.returncode != 0:
        raise SystemExit(f"exit {done.returncode}: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def expect_output(program, what):
    expected = (EXAMPLES / "output.txt").read_text(encoding="utf-8")
    actual = run([program])
    if actual != expected:
        raise SystemExit(f"{what} prints\n{actual}instead of\n{expected}")
    print(f"{what}: built and run")


def install(args, scratch):
    """The prefix, after it was moved from where it was installed to."""
    run([args.cmake, "--install", args.build, "--prefix", scratch / "first"])
    prefix = scratch / "moved here"
    (scratch / "first").rename(prefix)
    version = run([prefix / "bin" / "decant", "--version"]) if (prefix / "bin" / "decant").exists() else args.version
    if args.version not in version:
        raise SystemExit(f"the installed program is version {version}, not {args.version}")
    return prefix


def by_find_package(args, scratch, prefix, language):
    build = scratch / f"package_{language}"
    run([args.cmake, "-S", EXAMPLES / language, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
         f"-DCMAKE_C_COMPILER={args.cc}", f"-DCMAKE_CXX_COMPILER={args.cxx}", "-DCMAKE_BUILD_TYPE=Release"])
    run([args.cmake, "--build", build])
    expect_output(build / f"embed_{language}", f"find_package, {language}")


def refuses_another_version(args, scratch, prefix):
    source = scratch / "another"
    source.mkdir()
    (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(another LANGUAGES C)\n"
                                           "find_package(decant 99 QUIET)\nif(decant_FOUND)\n"
                                           "  message(FATAL_ERROR \"version 99 was found\")\nendif()\n")
    run([args.cmake, "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={args.cc}"])


def by_pkg_config(args, scratch, prefix):
    # make and the shell take no spaces in paths
    plain = scratch / "plain"
    prefix.rename(plain)
    folder = next(plain.rglob("decant.pc")).parent
    source = scratch / "pkg_config"
    shutil.copytree(EXAMPLES / "c", source)
    run(["make", "-C", source, f"CC={args.cc}", f"PKG_CONFIG_PATH={folder}"])
    expect_output(source / "embed_c", "pkg-config, c")
    environment = dict(os.environ, PKG_CONFIG_PATH=str(folder))
    if run(["pkg-config", "--modversion", "decant"], env=environment).strip() != args.version:
        raise SystemExit(f"decant.pc is of another version than {args.version}")
    flags = run(["pkg-config", "--cflags", "--libs", "decant"], env=environment).split()
    program = source / "embed_cpp"
    run([args.cxx, "-std=c++23", EXAMPLES / "cpp" / "main.cc", "-o", program, *flags,
         f"-Wl,-rpath,{next(plain.rglob('libdecant.so')).parent}"])
    expect_output(program, "pkg-config, cpp")


def by_add_subdirectory(args, scratch, language):
    """TARGET/fast builds a target of a Makefile without what it depends on: the library is put in its place."""
    build = scratch / f"host_{language}"
    run([args.cmake, "-G", "Unix Makefiles", "-S", ROOT / "tests" / "install" / "host", "-B", build, f"-DLANGUAGE={language}",
         f"-DCMAKE_C_COMPILER={args.cc}", f"-DCMAKE_CXX_COMPILER={args.cxx}", "-DCMAKE_BUILD_TYPE=Release"])
    (build / "decant" / "lib").mkdir(parents=True, exist_ok=True)
    for name in pathlib.Path(args.library).parent.glob("libdecant.so*"):
        shutil.copy2(name, build / "decant" / "lib" / name.name, follow_symlinks=False)
    run(["make", "-C", build, "embed/fast"])
    expect_output(build / "embed", f"add_subdirectory, {language}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("build", "cc", "cxx", "cmake", "library", "version"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        prefix = install(args, scratch)
        for language in ("c", "cpp"):
            by_find_package(args, scratch, prefix, language)
        refuses_another_version(args, scratch, prefix)
        by_pkg_config(args, scratch, prefix)
        for language in ("c", "cpp"):
            by_add_subdirectory(args, scratch, language)
    return 0


if __name__ == "__main__":
    sys.exit(main())
