#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# The names that the command gives to addresses of the files of scripts/cross_darwin.sh, held against LLVM's tools: by the symbol table, and
# by a bundle of dsymutil's that LLVM's symbolizer reads in place of Apple's atos, in whose form the answer is given. Status 77, which is
# "skipped", where no cross build was made.
#
#   test_darwin_symbols.py MACHO_NAMES
from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import NamedTuple

BUILD = Path(os.environ.get("COUNTALLOC_DARWIN_BUILD", Path(__file__).resolve().parents[2] / "build" / "darwin"))
TOOLS = ("llvm-nm", "llvm-objdump", "llvm-symbolizer", "llvm-lipo", "dsymutil")
ARCHS = ("arm64", "x86_64")
MACHO_NAMES = ""

ATOS = r"""#!{python}
import json, os, subprocess, sys
arguments = dict(zip(sys.argv[1:7:2], sys.argv[2:7:2]))
assert arguments["-l"] == "0x100000000" and sys.argv[7:] == ["-fullPath", "-i"], sys.argv
done = subprocess.run(["{symbolizer}", "--obj=" + arguments["-o"], "--default-arch=" + arguments["-arch"], "--output-style=JSON"],
                      input=sys.stdin.read(), stdout=subprocess.PIPE, text=True, check=True)
for answer in map(json.loads, done.stdout.splitlines()):
    for symbol in answer["Symbol"]:
        name, module = symbol["FunctionName"], os.path.basename(arguments["-o"])
        print(f"{{name}} (in {{module}}) ({{symbol['FileName']}}:{{symbol['Line']}})" if name else answer["Address"])
    print()
"""


def llvm() -> str:
    """The newest folder that has them all."""
    for folder in sorted(glob.glob("/usr/lib/llvm-*/bin"), key=lambda path: -int(re.findall(r"\d+", path)[0])):
        if all(os.access(os.path.join(folder, tool), os.X_OK) for tool in TOOLS):
            return folder
    return ""


def output_of(tool: str, *arguments: str) -> str:
    return subprocess.run([os.path.join(llvm(), tool), *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


class Function(NamedTuple):
    name: str
    file: str
    line: int


def names_of(path: Path, arch: str, atos: str, addresses: list[int]) -> tuple[list[list[Function]], str]:
    """Of each return address the functions, innermost first; and the notes."""
    done = subprocess.run([MACHO_NAMES, str(path), arch, atos], input="".join(f"{address:x}\n" for address in addresses),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    found = []
    for line in done.stdout.splitlines():
        words = line.split("\t")[1:]
        found.append([Function(*words[i : i + 2], int(words[i + 2])) for i in range(0, len(words), 3)])
    return found, done.stderr


def functions_in(path: Path, arch: str) -> dict[int, set[str]]:
    """Where functions begin, with all names that they have there."""
    functions: dict[int, set[str]] = {}
    for line in output_of("llvm-nm", f"--arch={arch}", "--defined-only", "--no-demangle", str(path)).splitlines():
        found = re.fullmatch(r"([0-9a-f]+) [tT] (\S+)", line)
        if found and found[2] != "__mh_execute_header":
            functions.setdefault(int(found[1], 16), set()).add(found[2].removeprefix("_"))
    return functions


def calls(path: Path, arch: str) -> dict[int, str]:
    """Of each call of malloc, calloc and realloc the return address, and which one is called."""
    code = [line.split("\t") for line in output_of("llvm-objdump", "--macho", "-d", f"--arch={arch}", str(path)).splitlines() if ":\t" in line]
    found = {}
    for call, following in zip(code, code[1:]):
        stub = re.search(r"symbol stub for: _(malloc|calloc|realloc)$", call[-1])
        if stub:
            found[int(following[0].rstrip(":"), 16)] = stub[1]
    return found


class BySymbolTable(unittest.TestCase):
    def test_every_function_has_its_name_from_its_first_byte_to_its_last(self) -> None:
        for name in ("logstat", "countalloc", "libcountalloc.dylib"):
            for arch in ARCHS:
                functions = functions_in(BUILD / name, arch)
                self.assertGreater(len(functions), 100)
                begins = sorted(functions)
                # Up to where the next one begins there may be padding, which belongs to it; behind the last there may be other sections.
                lasts = [next_one - 1 for next_one in begins[1:]]
                found, _ = names_of(BUILD / name, arch, "/nowhere", [address + 1 for address in begins + lasts])
                for address, names, chain in zip(begins + lasts, list(functions.values()) + [functions[begin] for begin in begins], found):
                    known = functions.get(address) or functions[max(begin for begin in begins if begin <= address)]
                    self.assertEqual(len(chain), 1, f"{name} {arch} {address:x}")
                    self.assertIn(chain[0].name, known, f"{name} {arch} {address:x}")
                    self.assertEqual(chain[0][1:], ("-", 0))

    def test_what_is_no_code_has_no_name(self) -> None:
        functions = functions_in(BUILD / "logstat", "arm64")
        found, notes = names_of(BUILD / "logstat", "arm64", "/nowhere", [0, 1, min(functions), 0x100000020, 0x7FFFFFFFFFFFFFFF])
        self.assertEqual(found, [[], [], [], [], []])
        self.assertIn("5 of 5 code addresses have no name: logstat (5: stripped)", notes)


class ByBundle(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="countalloc-darwin-symbols-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.program = Path(shutil.copy(BUILD / "logstat", self.folder))
        # dsymutil calls it by that name.
        (self.folder / "lipo").symlink_to(os.path.join(llvm(), "llvm-lipo"))
        subprocess.run([os.path.join(llvm(), "dsymutil"), str(self.program)], check=True, stderr=subprocess.DEVNULL,
                       env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.atos = self.folder / "atos"
        self.atos.write_text(ATOS.format(python=sys.executable, symbolizer=os.path.join(llvm(), "llvm-symbolizer")))
        self.atos.chmod(0o755)

    def test_each_call_is_on_a_line_of_the_source_that_has_it(self) -> None:
        for arch in ARCHS:
            called = calls(self.program, arch)
            self.assertGreater(len(called), 15)
            found, notes = names_of(self.program, arch, str(self.atos), list(called))
            self.assertEqual(notes, "")
            self.assertGreater(sum(chain[0].line > 0 for chain in found), 15)
            for (address, function), chain in zip(called.items(), found):
                if chain[0].line == 0:  # two calls that the compiler made one of
                    continue
                self.assertIn(f"{function}(", Path(chain[0].file).read_text().splitlines()[chain[0].line - 1], f"{arch} {address:x} {chain}")

    def test_inlined_functions_come_before_the_one_that_the_code_lies_in(self) -> None:
        for arch in ARCHS:
            functions = functions_in(self.program, arch)
            called = list(calls(self.program, arch))
            found, _ = names_of(self.program, arch, str(self.atos), called)
            self.assertTrue(any(len(chain) > 1 for chain in found))
            for address, chain in zip(called, found):
                self.assertIn(chain[-1].name, functions[max(begin for begin in functions if begin < address)], f"{arch} {address:x} {chain}")

    def test_a_bundle_of_another_program_is_not_read(self) -> None:
        shutil.copy(BUILD / "countalloc", self.program)
        called = list(calls(self.program, "arm64"))
        found, notes = names_of(self.program, "arm64", "/nowhere", called)
        self.assertIn("no files and lines: logstat (cannot execute '/nowhere': No such file or directory)", notes)
        functions = functions_in(BUILD / "countalloc", "arm64")
        for address, chain in zip(called, found):
            self.assertIn(chain[0].name, functions[max(begin for begin in functions if begin < address)])


if __name__ == "__main__":
    MACHO_NAMES = sys.argv.pop()
    if not (BUILD / "logstat").exists():
        print("no cross build: scripts/cross_darwin.sh makes one")
        sys.exit(77)
    if not llvm():
        print("LLVM's tools are missing:", ", ".join(TOOLS))
        sys.exit(77)
    unittest.main()
