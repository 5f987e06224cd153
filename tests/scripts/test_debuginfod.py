# SPDX-License-Identifier: MIT
"""Debug information that a server has: asked for when the user says so, never otherwise, and waited for once.

The server is this test's own, on the loopback."""
from __future__ import annotations

import ctypes.util
import http.server
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from loop_test import BIN, run

PROGRAM = """#include <stdlib.h>
static __attribute__((noinline)) void *make_widget(int size) { return malloc((size_t)size); }
int main(void) { for (int i = 0; i < 7; i++) free(make_widget(40 + i)); return 0; }
"""
NEEDED = [name for name in ("gcc", "objcopy") if shutil.which(name) is None]
NEEDED += [] if ctypes.util.find_library("debuginfod") else ["libdebuginfod"]


class Server(http.server.ThreadingHTTPServer):
    """Has the files of `files`, by path. With `is_silent` it takes requests and never answers."""

    daemon_threads = True

    def __init__(self, files: dict[str, bytes], is_silent: bool = False) -> None:
        self.files, self.is_silent, self.asked, self.over = files, is_silent, [], threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.server.is_silent:
            self.server.over.wait(60)
            return
        body = self.server.files.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: object) -> None:
        pass


class Debuginfod(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.directory = tempfile.TemporaryDirectory()
        cls.home = Path(cls.directory.name)
        elsewhere = cls.home / "server"
        elsewhere.mkdir()
        cls.program = cls.home / "stripped"
        (elsewhere / "widget.c").write_text(PROGRAM)
        subprocess.run(["gcc", "-g", "-O1", "-Wl,--build-id=0x00c0ffee00c0ffee", "-o", cls.program, elsewhere / "widget.c"], check=True)
        subprocess.run(["objcopy", "--only-keep-debug", cls.program, elsewhere / "full"], check=True)
        subprocess.run(["objcopy", "--strip-all", cls.program], check=True)
        cls.files = {"/buildid/00c0ffee00c0ffee/debuginfo": (elsewhere / "full").read_bytes()}

    @classmethod
    def tearDownClass(cls) -> None:
        cls.directory.cleanup()

    def frame(self, url: str | None, *options: str) -> dict:
        """The one frame that allocates, as the record has it. Each call has an empty cache."""
        with tempfile.TemporaryDirectory() as cache:
            environment = {"DEBUGINFOD_URLS": url or "", "DEBUGINFOD_CACHE_PATH": cache, "DEBUGINFOD_TIMEOUT": "1", "DEBUGINFOD_MAXTIME": "1"}
            path = Path(cache) / "record.json"
            done = run([BIN / "countalloc", "run", "--sites", *options, "-o", path, "--", self.program], **environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            record = json.loads(path.read_text())
        self.assertEqual([site["allocations"] for site in record["sites"]], [7])
        return record["frames"][record["sites"][0]["frames"][0]]

    def test_a_stripped_program_has_no_name_of_its_own(self) -> None:
        self.assertEqual(self.frame(None)["functions"], [])

    def test_the_server_names_function_file_and_line(self) -> None:
        with Server(self.files) as server:
            functions = self.frame(server.url)["functions"]
        self.assertEqual([(f["name"], Path(f["file"]).name, f["line"]) for f in functions], [("make_widget", "widget.c", 2)])
        self.assertIn("/buildid/00c0ffee00c0ffee/debuginfo", server.asked)

    def test_no_debuginfod_asks_nobody(self) -> None:
        with Server(self.files) as server:
            self.assertEqual(self.frame(server.url, "--no-debuginfod")["functions"], [])
        self.assertEqual(server.asked, [])

    def test_a_server_without_the_file_is_no_failure(self) -> None:
        with Server({}) as server:
            self.assertEqual(self.frame(server.url)["functions"], [])
        self.assertIn("/buildid/00c0ffee00c0ffee/debuginfo", server.asked)

    def test_a_silent_server_is_given_up(self) -> None:
        with Server(self.files, is_silent=True) as server:
            self.assertEqual(self.frame(server.url)["functions"], [])
        self.assertIn("/buildid/00c0ffee00c0ffee/debuginfo", server.asked)

    def other_command(self, url: str, *arguments: str | Path) -> str:
        """What `countalloc check` and `diff` print of records without names."""
        with tempfile.TemporaryDirectory() as folder:
            for name, program in (("none", "true"), ("some", self.program)):
                done = run([BIN / "countalloc", "run", "-q", "--sites", "--symbols", "off", "-o", Path(folder) / name, "--", program])
                self.assertEqual(done.returncode, 0, done.stderr)
            (Path(folder) / "b.ini").write_text("[stripped/total]\nfixed = 0\n")
            environment = {"DEBUGINFOD_URLS": url, "DEBUGINFOD_CACHE_PATH": folder, "DEBUGINFOD_TIMEOUT": "1", "DEBUGINFOD_MAXTIME": "1"}
            done = run(["sh", "-c", 'cd "$0" && exec "$@"', folder, BIN / "countalloc", *arguments], **environment)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            return done.stdout

    def test_check_and_diff_ask_and_with_no_debuginfod_nobody(self) -> None:
        for arguments in (["check", "-b", "b.ini", "some"], ["check", "-b", "b.ini", "--sites", "--", self.program],
                          ["diff", "--by", "site", "--exit-code", "none", "some"]):
            with Server(self.files) as server:
                self.assertIn("make_widget widget.c:2", self.other_command(server.url, *arguments))
            self.assertIn("/buildid/00c0ffee00c0ffee/debuginfo", server.asked)
            with Server(self.files) as server:
                printed = self.other_command(server.url, arguments[0], "--no-debuginfod", *arguments[1:])
            self.assertIn(" stripped+0x", printed)
            self.assertEqual(server.asked, [])


if __name__ == "__main__":
    if NEEDED:
        print("not installed:", ", ".join(NEEDED))
        sys.exit(77)
    unittest.main()
