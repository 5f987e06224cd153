#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds files that were built for macOS against what they must be, with LLVM's programs.

    inspect.py [--llvm FOLDER] [--thin ARCH] LIBRARY [PROGRAM...]

Of the library: a pair of __DATA,__interpose for each function that hook_list.h has for macOS and for no other, each from ca_hook_NAME to
libSystem's NAME; the names that are exported; nothing thread-local. Of all files: slices, kind, platform, oldest system, what they load,
the signature (signature.py).
Prints the facts; status 1 with each complaint on a line of standard error. --thin: one slice only, of ARCH."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import signature

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ARCHITECTURES = ["arm64", "x86_64"]
OLDEST = "11.0"
LIBSYSTEM = "/usr/lib/libSystem.B.dylib"
INSTALL_NAME = "@rpath/libcountalloc.dylib"


def hook_names():
    text = (ROOT / "interpose/hook_list.h").read_text()
    rows = re.findall(r"^ {4}X\((\w+), (LINUX|BOTH|DARWIN),", text, re.M)
    return [name for name, system in rows if system != "LINUX"]


def exported_names():
    lines = (ROOT / "interpose/platform/exports_darwin.txt").read_text().splitlines()
    return sorted(line for line in lines if line and not line.startswith("#"))


def newer_names():
    text = (ROOT / "interpose/platform/libSystem_newer_darwin.tbd").read_text()
    return set(re.findall(r"\b_(\w+)", text.split("symbols:")[1]))


class Inspection:
    def __init__(self, llvm, folder):
        self.llvm = pathlib.Path(llvm)
        self.folder = folder
        self.complaints = []

    def run(self, program, *arguments):
        command = [str(self.llvm / program), *map(str, arguments)]
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode != 0:
            sys.exit(f"inspection: {program}: {ended.stderr.strip()}")
        return ended.stdout

    def complain(self, what):
        self.complaints.append(what)

    def sum_up(self, label, facts):
        if not any(complaint.startswith(label) for complaint in self.complaints):
            print(f"{label}: {facts}")

    def expect(self, what, found, wanted):
        if found != wanted:
            self.complain(f"{what}: {found!r} instead of {wanted!r}")

    # ---- one slice ----

    def load_commands(self, path):
        text = self.run("llvm-otool", "-hlv", path)
        header = re.search(r"MH_MAGIC_64\s+(\S+)\s+(\S+)\s+\S+\s+(\w+)\s+\d+\s+\d+\s+(.*)", text)
        return text, header

    def check_common(self, path, arch, kind):
        label = f"{path.name} {arch}"
        text, header = self.load_commands(path)
        self.expect(f"{label}: kind", header and header.group(3), kind)
        build = re.search(r"cmd LC_BUILD_VERSION.*?platform (\S+).*?minos (\S+)", text, re.S)
        self.expect(f"{label}: platform and oldest system", build and build.groups(), ("macos", OLDEST))
        loaded = re.findall(r"cmd LC_(\w*LOAD_\w*DYLIB)\n.*?name (\S+)", text, re.S)
        self.expect(f"{label}: what it loads", loaded, [("LOAD_DYLIB", LIBSYSTEM)])
        for trouble in signature.troubles(path.read_bytes(), is_needed=arch == "arm64"):
            self.complain(f"{label}: {trouble}")
        return label, text, header

    @staticmethod
    def signed(text):
        return "signed ad hoc" if "cmd LC_CODE_SIGNATURE" in text else "not signed"

    def check_thread_locals(self, label, path, text, header):
        if "MH_HAS_TLV_DESCRIPTORS" in header.group(4):
            self.complain(f"{label}: thread-local variables (a header flag says so)")
        for section in re.findall(r"sectname (__thread\w*)", text):
            self.complain(f"{label}: thread-local variables (section {section})")
        if "tlv_bootstrap" in self.run("llvm-nm", path):
            self.complain(f"{label}: thread-local variables (__tlv_bootstrap is called for)")

    def hook_addresses(self, path):
        lines = self.run("llvm-nm", path).splitlines()
        found = (re.match(r"(\w+) [tT] _ca_hook_(\w+)$", line) for line in lines)
        return {int(match.group(1), 16): match.group(2) for match in found if match}

    def section_words(self, path):
        """The words of __DATA,__interpose, by their addresses."""
        text = self.run("llvm-objdump", "--macho", "--full-contents", "--section=__DATA,__interpose", path)
        words = {}
        for line in text.splitlines():
            match = re.match(r"\s*([0-9a-f]{8,16})\s+((?:[0-9a-f]{2,8} ?)+)", line)
            if match:
                data = bytes.fromhex(match.group(2).replace(" ", ""))
                words.update(self.words_of(int(match.group(1), 16), data, match.group(2)))
        return words

    @staticmethod
    def words_of(address, data, text):
        if len(text.split()[0]) == 8:  # printed as numbers of four bytes
            data = b"".join(data[i : i + 4][::-1] for i in range(0, len(data), 4))
        return {
            address + i: int.from_bytes(data[i : i + 8], "little") for i in range(0, len(data) - 7, 8)
        }

    def check_pairs(self, label, path):
        binds = self.run("llvm-objdump", "--macho", "--bind", path)
        row = re.compile(r"__DATA\s+__interpose\s+0x(\w+)\s+pointer\s+0\s+(\S+)\s+_(\w+)( \(weak_import\))?")
        hooks, words, newer = self.hook_addresses(path), self.section_words(path), newer_names()
        found, bound = [], set()
        for match in map(row.search, binds.splitlines()):
            if not match:
                continue
            address, library, name, weak = int(match.group(1), 16), *match.group(2, 3, 4)
            found.append(name)
            bound.add(address)
            self.expect(f"{label}: {name} is bound to", library, "libSystem")
            self.expect(f"{label}: {name} is weak", weak is not None, name in newer)
            hook = hooks.get(words.get(address - 8))
            self.expect(f"{label}: the hook before {name}", hook, name)
        for address in sorted(words)[::2]:
            if address + 8 not in bound:
                hook = f"ca_hook_{hooks.get(words[address])}"
                self.complain(f"{label}: the pair of {hook}: what it is to replace is no function of another library")
        for name in hook_names():
            if name not in found:
                self.complain(f"{label}: {name}: no pair")
        for name in found:
            if name not in hook_names():
                self.complain(f"{label}: {name}: a pair that hook_list.h does not have")
        self.expect(f"{label}: pairs", len(found), len(set(found)))
        self.expect(f"{label}: words of __interpose", len(words), 2 * len(found))
        return len(found)

    def check_library(self, path, arch):
        label, text, header = self.check_common(path, arch, "DYLIB")
        name = re.search(r"cmd LC_ID_DYLIB.*?name (\S+)", text, re.S)
        self.expect(f"{label}: its own name", name and name.group(1), INSTALL_NAME)
        trie = self.run("llvm-objdump", "--macho", "--exports-trie", path)
        exports = sorted(re.findall(r"^0x\w+\s+(\S+)", trie, re.M))
        self.expect(f"{label}: exports", exports, exported_names())
        self.check_thread_locals(label, path, text, header)
        pairs, signed = self.check_pairs(label, path), self.signed(text)
        self.sum_up(label, f"macOS {OLDEST}, {pairs} pairs to libSystem, exports {' '.join(exports)}, nothing thread-local, {signed}")

    def check_program(self, path, arch):
        label, text, _ = self.check_common(path, arch, "EXECUTE")
        signed = self.signed(text)
        self.sum_up(label, f"macOS {OLDEST}, loads libSystem only, {signed}")

    def check_slices(self, path, wanted):
        found = sorted(self.run("llvm-lipo", path, "-archs").split())
        self.expect(f"{path.name}: slices", found, sorted(wanted))
        for arch in found:
            if arch in ARCHITECTURES:
                yield self.thin(path, arch, len(found)), arch

    def thin(self, path, arch, slice_count):
        """A file of one slice alone: not every one of LLVM's programs takes another than the machine's from a universal one."""
        if slice_count == 1:
            return path
        folder = pathlib.Path(self.folder) / arch
        folder.mkdir(exist_ok=True)
        self.run("llvm-lipo", path, "-thin", arch, "-output", folder / path.name)
        return folder / path.name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--llvm", default="/usr/bin")
    parser.add_argument("--thin", choices=ARCHITECTURES)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("programs", type=pathlib.Path, nargs="*")
    arguments = parser.parse_args()
    wanted = [arguments.thin] if arguments.thin else ARCHITECTURES
    with tempfile.TemporaryDirectory() as folder:
        inspection = Inspection(arguments.llvm, folder)
        for path, arch in inspection.check_slices(arguments.library, wanted):
            inspection.check_library(path, arch)
        for program in arguments.programs:
            for path, arch in inspection.check_slices(program, wanted):
                inspection.check_program(path, arch)
    for complaint in inspection.complaints:
        print(f"inspection: {complaint}", file=sys.stderr)
    return 1 if inspection.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
