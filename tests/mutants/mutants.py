#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the shim with one mistake at a time, out of the tree, and runs the test that must notice.

A mutant is a file NAME.mutant: "file:" what it changes, "test:" who must notice ("victim.NAME" or "SUITE.TEST"), "about:" a line for
the table, then pairs of "--- old" and "--- new". Each old text must be there exactly once.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "trust"))
import trust  # noqa: E402


def load(path):
    with open(path) as file:
        head, _, rest = file.read().partition("--- old\n")
    mutant = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
    mutant["name"] = os.path.basename(path)[: -len(".mutant")]
    mutant["changes"] = [tuple(part.split("--- new\n")) for part in rest.split("--- old\n")]
    return mutant


def build_shim(mutant, work):
    """The path of a shim with the mutant's mistake in it (without one: the shim as it is), or None and why not."""
    source = os.path.join(work, mutant["name"])
    os.makedirs(source)
    for name in ("interpose", "include", "cli", "analyzer"):
        shutil.copytree(os.path.join(ROOT, name), os.path.join(source, name))
    for name in ("CMakeLists.txt", "LICENSE", "README.md"):
        shutil.copy(os.path.join(ROOT, name), source)
    if "file" in mutant:
        path = os.path.join(source, mutant["file"])
        with open(path) as file:
            text = file.read()
        for old, new in mutant["changes"]:
            if text.count(old) != 1:
                return None, f"does not apply: {text.count(old)} places in {mutant['file']} for: {old.strip()[:60]}"
            text = text.replace(old, new)
        with open(path, "w") as file:
            file.write(text)
    build = source + "-build"
    for words in (["cmake", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF",
                   "-DCOUNTALLOC_WERROR=OFF"],
                  ["cmake", "--build", build, "--target", "countalloc"]):
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            return None, "does not build: " + done.stdout.decode(errors="replace")[-1500:]
    return os.path.join(build, "lib", "libcountalloc.so"), ""


def run_test(test, library, build, tests):
    os.environ["COUNTALLOC_TEST_LIBRARY"] = library
    return trust.run_test(trust.build_paths(build), test, tests.get(test, "missing"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    mutants = [load(os.path.join(HERE, name)) for name in sorted(os.listdir(HERE)) if name.endswith(".mutant")]
    mutants = [mutant for mutant in mutants if not options.names or mutant["name"] in options.names]
    tests = trust.find_tests()
    bad = 0
    with tempfile.TemporaryDirectory(prefix="countalloc-mutants-") as work:
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
            shims = list(pool.map(lambda mutant: build_shim(mutant, work), [{"name": "as-it-is"}] + mutants))
        good_library, problem = shims[0]
        if good_library is None:
            sys.exit("the shim as it is " + problem)
        sound = {}
        for mutant, (library, problem) in zip(mutants, shims[1:]):
            test = mutant["test"]
            if test not in sound:
                sound[test] = run_test(test, good_library, build, tests)
            if library is None:
                state = problem
            elif not sound[test][0]:
                state = "the test fails without it, too: " + sound[test][1][-800:]
            else:
                state = "SURVIVED" if run_test(test, library, build, tests)[0] else "noticed"
            bad += state != "noticed"
            print(f"{mutant['name']:28} {mutant['about']:52} {test:44} {state}", flush=True)
    print(f"\nmutants tried {len(mutants)}, noticed {len(mutants) - bad}")
    return 1 if bad or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
