#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs programs that nobody here wrote under the shim, and every class of fault, and ends with one table.

    trust.py --build DIR programs [--quick] [NAME...]   programs.ini: same output, same counts as Valgrind's
    trust.py --build DIR faults [CLASS...]              faults.txt: each test of each class, run by its name
    trust.py --build DIR table                          that every test and limit named in faults.txt is there
    trust.py --build DIR all
"""
import argparse
import collections
import configparser
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
VALGRIND = ["valgrind", "--run-libc-freeres=no", "--run-cxx-freeres=no", "--tool=memcheck", "--leak-check=no"]
LIMIT_S = 300

Outcome = collections.namedtuple("Outcome", "out err status")
Heap = collections.namedtuple("Heap", "allocations frees bytes")


def build_paths(build):
    return {
        "command": os.path.join(build, "bin", "countalloc"),
        "library": os.environ.get("COUNTALLOC_TEST_LIBRARY") or os.path.join(build, "lib", "libcountalloc.so"),
        "tests": os.path.join(build, "tests", "bin"),
    }


# ---- programs ----


def make_template(folder):
    os.makedirs(folder)

    def write(name, text):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)

    write("numbers", "".join(f"{i * 7919 % 10007}\n" for i in range(1, 20001)))
    write("text", "".join(f"line {i} of a text, with NAME in it\n" for i in range(50)))
    write("data.json", '[{"a": 1}, {"a": 2, "b": [1, 2, "three"]}, {"a": 3}]\n')
    write("data.xml", '<list><item n="1">one</item><item n="2">two</item></list>\n')
    write("unit.s", ".text\n.globl main\nmain:\n\tnop\n1:\t.long 1b, main\n.section .data\ntable:\t.fill 64, 4, 7\n")


def basic_environment(folder):
    return {"PATH": os.environ["PATH"], "HOME": folder, "PWD": folder, "LC_ALL": "C", "TZ": "UTC", "PYTHONHASHSEED": "0",
            "PERL_HASH_SEED": "0", "GIT_CONFIG_NOSYSTEM": "1"}


class Programs:
    def __init__(self, paths, work):
        self.paths = paths
        self.template = os.path.join(work, "template")
        self.folder = os.path.join(work, "run")
        self.log = os.path.join(work, "valgrind.log")
        self.record = os.path.join(work, "record.json")
        make_template(self.template)
        self.environment = basic_environment(self.folder)
        self.even = None

    def fresh_folder(self, program):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.template, self.folder)
        if "before" in program:
            subprocess.run(["sh", "-c", program["before"]], cwd=self.folder, env=self.environment, check=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def run(self, program, front=(), more=None):
        """Runs it with `front` before its words, and its client where it is a server."""
        self.fresh_folder(program)
        stdin = os.path.join(self.folder, program["stdin"]) if "stdin" in program else os.devnull
        words = list(front) + shlex.split(program["run"])
        out_path, err_path = self.folder + ".out", self.folder + ".err"
        with open(out_path, "w+b") as out, open(err_path, "w+b") as err, open(stdin, "rb") as given:
            process = subprocess.Popen(words, cwd=self.folder, env={**self.environment, **(more or {})},
                                       stdin=given, stdout=out, stderr=err)
            said = self.client_of(program, process) if "serve" in program else b""
            try:
                status = process.wait(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                status = process.wait()
                said += b"(hangs)"
            out.seek(0)
            err.seek(0)
            texts = [out.read() + said, err.read()]
        if "cut" in program and "serve" in program:
            texts = [said, re.sub(program["cut"].encode(), b"", texts[1])]
        elif "cut" in program:
            texts = [re.sub(program["cut"].encode(), b"", text) for text in texts]
        return Outcome(texts[0], texts[1].strip(b"\n") if "cut" in program else texts[1], status)

    def client_of(self, program, process):
        port = int(program["serve"])
        for _ in range(1200):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                if process.poll() is not None:
                    return b"(the server ended)"
                time.sleep(0.05)
        client = subprocess.run(["sh", "-c", program["client"]], cwd=self.folder, env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                timeout=LIMIT_S, check=False)
        process.send_signal(signal.SIGTERM)
        return client.stdout

    def below(self, front):
        text = subprocess.run(list(front) + ["env", "-0"], cwd=self.template, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=True).stdout.decode()
        return dict(entry.split("=", 1) for entry in text.split("\0") if entry)

    def run_front(self):
        return [self.paths["command"], "run", "-q", "-o", self.record, "--"]

    def even_out(self):
        """Environments of the same sizes on both sides, because some programs copy theirs to the heap."""
        library = {"COUNTALLOC_LIBRARY": self.paths["library"]} if os.environ.get("COUNTALLOC_TEST_LIBRARY") else {}
        self.environment.update(library)
        below_valgrind = self.below(VALGRIND + ["--log-file=" + self.log])
        below_run = self.below(self.run_front())
        length = max(len(below_valgrind["LD_PRELOAD"]), len(below_run["LD_PRELOAD"])) + 2

        def side(own, other):
            more = {name: value for name, value in other.items() if name not in own}
            more["LD_PRELOAD"] = ":" * (length - len(own["LD_PRELOAD"]) - 1)
            return more

        self.even = side(below_valgrind, below_run), side(below_run, below_valgrind)

    def counted(self, program):
        if os.path.exists(self.record):
            os.unlink(self.record)
        self.run(program, self.run_front(), self.even[1])
        with open(self.record) as file:
            total = json.load(file)["total"]
        return Heap(total["allocations"], total["frees"], total["bytes_requested"])

    def by_valgrind(self, program):
        for name in os.listdir(os.path.dirname(self.log)):
            if name.startswith("valgrind.log"):
                os.unlink(os.path.join(os.path.dirname(self.log), name))
        self.run(program, VALGRIND + ["--log-file=" + self.log], self.even[0])
        with open(self.log, errors="replace") as file:
            found = re.findall(r"total heap usage: ([\d,]+) allocs, ([\d,]+) frees, ([\d,]+) bytes", file.read())
        return Heap(*(int(number.replace(",", "")) for number in found[-1])) if found else None

    def judge(self, name, program):
        """A row of the table: name, identical, exact, what was counted, a remark."""
        bare = self.run(program)
        counted_run = self.run(program, self.run_front())
        plain = self.run(program, (), {"LD_PRELOAD": self.paths["library"], "COUNTALLOC_REPORT": "none"})
        remarks = []
        for how, other in (("countalloc run", counted_run), ("plain preload", plain)):
            wanted = bare.status if how == "plain preload" or bare.status >= 0 else 128 - bare.status
            for what, a, b in (("output", bare.out, other.out), ("stderr", bare.err, other.err),
                               ("status", wanted, other.status)):
                if a != b:
                    remarks.append(f"{how}: {what} differs: {a!r:.300} became {b!r:.300}")
        is_identical = not remarks
        seen = wanted = None
        exact = "explained" if "why" in program else "no"
        try:
            seen = self.counted(program)
        except (OSError, ValueError) as error:
            remarks.append(f"no record: {error}")
            return name, is_identical, "no", None, None, remarks
        if "serve" not in program and program.get("valgrind") != "no" and self.even is not None:
            wanted = self.by_valgrind(program)
            for _ in range(0 if "why" in program else 3):
                if wanted == seen:
                    break
                self.even_out()  # process numbers, which are in a variable, may have got another length
                wanted, seen = self.by_valgrind(program), self.counted(program)
            if wanted == seen:
                exact = "exact"
        if exact == "no":
            remarks.append(f"counted {seen}, Valgrind {wanted}")
        elif exact == "explained":
            again = [self.counted(program) for _ in range(2)] + [seen]
            if len(set(again)) == 1:
                spread = f"the same 3 times; {difference(seen, wanted)}"
            else:
                low, high = min(again), max(again)
                spread = f"between {low.allocations:,} allocations, {low.bytes:,} bytes and {high.allocations:,}, {high.bytes:,}"
            remarks.append(f"{program['why']} ({spread})")
        return name, is_identical, exact, seen, wanted, remarks


def difference(seen, wanted):
    if wanted is None:
        return "Valgrind has no figures"
    parts = [f"{b:,} {name}" for name, a, b in zip(Heap._fields, seen, wanted) if a != b]
    return "Valgrind: " + ", ".join(parts)


def is_installed(program):
    words = shlex.split(program["run"])
    if words[0] == "sh":
        inner = re.search(r"exec (\S+)", words[2])
        words = [inner.group(1)] if inner and "$" not in inner.group(1) else words
    return shutil.which(words[0]) is not None


def load_programs():
    parser = configparser.ConfigParser(interpolation=None, comment_prefixes=(";",))
    parser.read(os.path.join(HERE, "programs.ini"))
    return {name: dict(parser[name]) for name in parser.sections()}


def run_programs(paths, names, quick):
    rows = []
    with tempfile.TemporaryDirectory(prefix="countalloc-trust-") as work:
        os.chmod(work, 0o755)  # some programs give up being root
        programs = Programs(paths, work)
        has_valgrind = shutil.which("valgrind") is not None
        if has_valgrind:
            programs.even_out()
        for name, program in load_programs().items():
            if (names and name not in names) or (quick and program.get("quick") != "yes"):
                continue
            if not is_installed(program) or ("why" not in program and not has_valgrind):
                print(f"{name:16} not installed: left out", flush=True)
                continue
            try:
                row = programs.judge(name, program)
            except (subprocess.SubprocessError, OSError) as error:
                row = (name, False, "no", None, None, [str(error)])
            rows.append(row)
            count = f"{row[3].allocations:,}" if row[3] else "-"
            print(f"{name:16} {'identical' if row[1] else 'DIFFERS':10} {row[2] if row[2] != 'no' else 'NOT EXACT':10} "
                  f"{count:>12} allocations{'  ' + '; '.join(row[5]) if row[5] else ''}", flush=True)
    return rows


# ---- faults ----


def load_faults():
    """[(class, title, [test...], [limit...])], from `CLASS | title | names`."""
    classes = []
    with open(os.path.join(HERE, "faults.txt")) as file:
        for line in file:
            if not line.strip() or line.startswith("#"):
                continue
            name, title, words = (part.strip() for part in line.split("|"))
            words = words.split()
            classes.append((name, title, [w for w in words if not w.startswith("limit:")],
                            [w[6:] for w in words if w.startswith("limit:")]))
    return classes


def find_tests():
    """{'suite.name': base name of its source}, and the victims."""
    found = {}
    for folder, _, files in os.walk(os.path.join(ROOT, "tests")):
        for file in files:
            if file.startswith("test_") and file.endswith(".c"):
                with open(os.path.join(folder, file)) as source:
                    for suite, name in re.findall(r"^Test\(\s*(\w+),\s*(\w+)", source.read(), re.M):
                        found[f"{suite}.{name}"] = file[:-2]
    with open(os.path.join(ROOT, "tests", "programs", "CMakeLists.txt")) as file:
        for name in re.findall(r"^\s*ca_victim\((\w+)", file.read(), re.M):
            found[f"victim.{name}"] = "test_victims"
    return found


def load_limits():
    """{slug: section}, from LIMITS.md."""
    with open(os.path.join(ROOT, "LIMITS.md")) as file:
        parts = re.split(r"^## (.*)$", file.read(), flags=re.M)[1:]
    return {re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-"): body
            for title, body in zip(parts[::2], parts[1::2])}


def sources_as_text():
    """All string literals of the shim and the command, pieces that follow each other joined."""
    text = ""
    for top in ("interpose", "cli"):
        for folder, _, files in os.walk(os.path.join(ROOT, top)):
            for file in files:
                if file.endswith((".c", ".h")):
                    with open(os.path.join(folder, file), errors="replace") as source:
                        text += re.sub(r'"\s*\n?\s*"', "", source.read())
    return text


def check_table():
    problems = []
    tests, limits, literals = find_tests(), load_limits(), sources_as_text()
    expected = [f"{letter}{number}" for letter, count in zip("ABCDEFGHI", (4, 2, 4, 4, 7, 7, 4, 8, 3))
                for number in range(1, count + 1)]
    classes = load_faults()
    names = [entry[0] for entry in classes]
    problems += [f"class {name} is missing" for name in expected if name not in names]
    for name, _, named, limited in classes:
        if not named and not limited:
            problems.append(f"{name}: neither a test nor a limit")
        problems += [f"{name}: no test {test}" for test in named if test not in tests]
        problems += [f"{name}: no section '{limit}' in LIMITS.md" for limit in limited if limit not in limits]
    for slug, body in limits.items():
        for quoted in re.findall(r"^> (.*)$", body, re.M):
            for part in re.split(r"…", quoted):
                part = part.strip()
                if part and part not in literals:
                    problems.append(f"LIMITS.md, {slug}: nothing says \"{part}\"")
    for problem in problems:
        print(problem)
    count = sum(len(entry[2]) for entry in classes)
    print(f"{len(classes)} classes, {count} tests and {len(limits)} limits named, {len(problems)} problems")
    return not problems


def run_test(paths, test, binary):
    suite, name = test.split(".", 1)
    environment = dict(os.environ)
    if suite == "victim":
        environment["COUNTALLOC_VICTIM"] = name
        words = [os.path.join(paths["tests"], binary), "--filter", "victim/*"]
    else:
        words = [os.path.join(paths["tests"], binary), "--filter", f"{suite}/{name}"]
    try:
        done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    text = done.stdout.decode(errors="replace")
    tested = re.search(r"Tested: [^\d]*(\d+)", text)
    if not tested or int(tested.group(1)) == 0:
        return False, "no such test was run\n" + text
    return done.returncode == 0, text


def run_faults(paths, names):
    tests, done, rows = find_tests(), {}, []
    for name, title, named, limited in load_faults():
        if names and name not in names:
            continue
        failed = []
        for test in named:
            if test not in done:
                done[test] = run_test(paths, test, tests.get(test, "missing"))
            if not done[test][0]:
                failed.append(test)
        rows.append((name, title, len(named), failed, limited))
        state = "FAILED " + " ".join(failed) if failed else "survived" if named else "limit"
        print(f"{name:4} {title:44} {len(named):3} tests {state}{'  (limit: ' + ', '.join(limited) + ')' if limited else ''}",
              flush=True)
        for test in failed:
            print("     " + done[test][1].strip().replace("\n", "\n     ")[:2000])
    return rows


# ---- the end ----


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("what", choices=["programs", "faults", "table", "all"])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    paths = build_paths(os.path.abspath(options.build))
    is_good = True
    summary = []
    if options.what in ("table", "all"):
        is_good &= check_table()
    if options.what in ("programs", "all"):
        rows = run_programs(paths, options.names, options.quick)
        identical = sum(1 for row in rows if row[1])
        exact, explained = (sum(1 for row in rows if row[2] == word) for word in ("exact", "explained"))
        summary += [("programs tried", len(rows)), ("  identical", identical), ("  exact", exact),
                    ("  explained", explained)]
        is_good &= len(rows) > 0 and identical == len(rows) and exact + explained == len(rows)
    if options.what in ("faults", "all"):
        rows = run_faults(paths, options.names if options.what == "faults" else [])
        tried = [row for row in rows if row[2]]
        survived = sum(1 for row in tried if not row[3])
        summary += [("faults tried", len(tried)), ("  survived", survived),
                    ("  stated as limits only", len(rows) - len(tried))]
        is_good &= survived == len(tried)
    print()
    for label, number in summary:
        print(f"{label:24} {number:4}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
