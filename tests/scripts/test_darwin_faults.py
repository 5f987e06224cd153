#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/darwin/inspect.py finds each thing that may be wrong with a file for macOS, and names it: the cross-built files, with one fault each.

    test_darwin_faults.py [TEST...]

What only another build would show (a pair left out, a thread-local variable) is in scripts/cross_darwin.sh --prove. Skipped (77) where no
cross build was made by hand."""

import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DARWIN = pathlib.Path(os.environ.get("COUNTALLOC_DARWIN_BUILD", ROOT / "build/darwin"))
BUILD_VERSION, CODE_SIGNATURE, SEGMENT = 0x32, 0x1D, 0x19


def llvm():
    return re.search(r"^COUNTALLOC_LLVM:\w+=(.*)$", (DARWIN / "work/build-arm64/CMakeCache.txt").read_text(), re.M).group(1)


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def copy(self, name):
        """Its slice for arm64."""
        path = pathlib.Path(self.folder.name) / name
        subprocess.run([f"{llvm()}/llvm-lipo", DARWIN / name, "-thin", "arm64", "-output", path], check=True)
        return path

    def complaints(self, *paths, options=("--thin", "arm64")):
        command = [sys.executable, "-B", ROOT / "scripts/darwin/inspect.py", "--llvm", llvm(), *options, *paths]
        ended = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 1 if ended.stderr else 0)
        return ended.stderr

    def check(self, change, *expected, name="libcountalloc.dylib"):
        """`change` is given the bytes, a bytearray."""
        path = self.copy(name)
        data = bytearray(path.read_bytes())
        change(data)
        self.assertNotEqual(data, path.read_bytes())
        path.write_bytes(data)
        paths = [path] if name == "libcountalloc.dylib" else [self.copy("libcountalloc.dylib"), path]
        found = self.complaints(*paths)
        for part in expected:
            self.assertIn(f"inspection: {name} arm64: {part}", found)

    def command(self, data, wanted, name=b""):
        """Where a load command is."""
        at = 32
        for _ in range(struct.unpack_from("<I", data, 16)[0]):
            command, size = struct.unpack_from("<II", data, at)
            if command == wanted and data[at + 8 :].startswith(name):
                return at
            at += size
        self.fail("no such load command")

    def replace(self, before, after):
        def change(data):
            at = data.index(before)
            data[at : at + len(before)] = after

        return change

    def test_nothing_is_wrong_with_them_as_they_are(self):
        self.assertEqual(self.complaints(self.copy("libcountalloc.dylib"), self.copy("countalloc"), self.copy("logstat")), "")

    def test_a_slice_is_missing(self):
        for name in ("libcountalloc.dylib", "countalloc", "logstat"):
            paths = [DARWIN / "libcountalloc.dylib", self.copy(name)]
            found = self.complaints(*(paths[1:] if name == "libcountalloc.dylib" else paths), options=())
            self.assertEqual(found, f"inspection: {name}: slices: ['arm64'] instead of ['arm64', 'x86_64']\n")

    def test_the_oldest_system_and_the_platform_are_others(self):
        def later(data):
            struct.pack_into("<I", data, self.command(data, BUILD_VERSION) + 12, 12 << 16)

        def of_phones(data):
            struct.pack_into("<I", data, self.command(data, BUILD_VERSION) + 8, 2)

        for name in ("libcountalloc.dylib", "countalloc", "logstat"):
            self.check(later, "platform and oldest system: ('macos', '12.0') instead of ('macos', '11.0')", name=name)
            self.check(of_phones, "platform and oldest system: ('ios', '11.0') instead of ('macos', '11.0')", name=name)

    def test_it_has_another_name_or_loads_another_library(self):
        self.check(self.replace(b"@rpath/libcountalloc.dylib\0", b"@rpath/libcountabbot.dylib\0"), "its own name: '@rpath/libcountabbot.dylib'")
        self.check(self.replace(b"/usr/lib/libSystem.B.dylib\0", b"/usr/lib/libSystem.C.dylib\0"), "what it loads: [('LOAD_DYLIB', '/usr/lib/libSystem.C.dylib')]", name="countalloc")  # fmt: skip

    def test_a_pair_is_of_another_function(self):
        self.check(self.replace(b"_vfree\0", b"_vfred\0"), "vfree: no pair", "vfred: a pair that hook_list.h does not have", "the hook before vfred: 'vfree'")

    def test_what_is_no_mach_o_file_is_named(self):
        path = pathlib.Path(self.folder.name) / "libcountalloc.dylib"
        path.write_text("nothing")
        self.assertIn("inspection: llvm-lipo: ", self.complaints(path))

    def test_two_hooks_are_exchanged(self):
        def change(data):
            segment = self.command(data, SEGMENT, b"__DATA\0")
            for section in range(segment + 72, segment + 72 + 80 * struct.unpack_from("<I", data, segment + 64)[0], 80):
                if data[section:].startswith(b"__interpose\0"):
                    at = struct.unpack_from("<I", data, section + 48)[0]
            data[at : at + 8], data[at + 16 : at + 24] = data[at + 16 : at + 24], data[at : at + 8]

        self.check(change, "the hook before malloc: 'calloc' instead of 'malloc'", "the hook before calloc: 'malloc' instead of 'calloc'")

    def test_a_newer_function_is_not_weak(self):
        self.check(self.replace(b"\x41_malloc_type_free\0", b"\x40_malloc_type_free\0"), "malloc_type_free is weak: False instead of True")

    def test_another_name_is_visible(self):
        self.check(self.replace(b"_countalloc_phase_api\0", b"_countalloc_phase_abc\0"), "exports: ['_countalloc_phase_abc'] instead of ['_countalloc_phase_api']")

    def test_a_header_flag_speaks_of_thread_local_variables(self):
        def change(data):
            data[26] |= 0x80  # MH_HAS_TLV_DESCRIPTORS

        self.check(change, "thread-local variables (a header flag says so)")

    def test_it_is_not_signed_or_not_ad_hoc_or_was_changed_behind_the_signature(self):
        def unsigned(data):
            struct.pack_into("<I", data, self.command(data, CODE_SIGNATURE), 0x2B)  # LC_DYLIB_CODE_SIGN_DRS

        def signed_by_nobody(data):
            at = data.index(b"\xfa\xde\x0c\x02") + 12
            struct.pack_into(">I", data, at, struct.unpack_from(">I", data, at)[0] & ~2)

        def changed(data):
            data[0x5000] ^= 1

        for name in ("libcountalloc.dylib", "countalloc", "logstat"):
            self.check(unsigned, "not signed, which arm64 insists on", name=name)
            self.check(signed_by_nobody, "its signature is not ad hoc (flags 0x20000)", name=name)
            self.check(changed, "the page at 0x5000 is not what was signed", name=name)


def main():
    ready = subprocess.run([ROOT / "scripts/cross_darwin.sh", "--ready"], stderr=subprocess.PIPE, text=True)
    if ready.returncode != 0:
        print(ready.stderr)
        return ready.returncode
    result = unittest.main(argv=[sys.argv[0], *sys.argv[1:]], exit=False).result
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
