#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs generated and mutated programs through the driver, the plugin, or
cudagraph-clangd. A program that causes a crash, a hang, excessive memory use, or a
sanitizer report is a find: it is reduced and kept. Exit status 1 if there is one. See
README.md."""

import argparse
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from generate import generate
from mutate import mutate
from reduce import reduced

ROOT = Path(__file__).resolve().parents[2]
INPUTS = ROOT / "test" / "Inputs"
FLAGS = ["-x", "cuda", "-std=c++20", "-nostdinc++", f"-isystem{INPUTS / 'mock-std'}",
         f"-isystem{INPUTS / 'mock-torch'}", f"-I{ROOT / 'runtime-probe' / 'include'}", "-w"]
CUDA = ["--cuda-host-only", "-nocudainc", "-nocudalib", f"--cuda-path={INPUTS / 'mock'}",
        "-Xclang", "-target-sdk-version=12.9", f"-isystem{INPUTS / 'mock'}",
        "-include", "cuda_runtime.h"]
PLAIN = ["-x", "c++", "-std=c++20", "-w"]
# Valid reasons for a unit to be incomplete.
EXPECTED = re.compile(r"\d+ parse errors?|the analysis of '.*' reached its limits|"
                      r"'.*' is too large to be analyzed")
SANITIZED = re.compile(r"ERROR: \w*Sanitizer|runtime error:|LeakSanitizer")


def sources():
    """The cases of the other tests, as seeds of mutations."""
    found = []
    for folder in ("analysis", "checks", "driver", "annotations"):
        for path in sorted((ROOT / "test" / folder).rglob("*")):
            # Some inputs make Clang crash intentionally.
            if path.suffix in (".cu", ".cpp") and path.name != "crash.cu":  # an intentional crash
                found.append(path)
    return found


def program(seed, seeds):
    """Half are generated; half are mutations of generated programs and test cases."""
    rng = random.Random(seed * 2 + 1)
    if seed % 2 == 0:
        return generate(seed)
    if rng.random() < 0.4:
        return mutate(rng, generate(seed))
    return mutate(rng, rng.choice(seeds).read_text(errors="replace"))


def flags(path, with_cuda):
    """The arguments that compile path, with those that CUDA's headers need if the host
    does not add them."""
    if path.read_bytes().startswith(b"// plain"):
        return PLAIN
    return FLAGS + CUDA if with_cuda else FLAGS


class Result:
    def __init__(self, status, output, seconds, megabytes, timed_out):
        self.status, self.output = status, output
        self.seconds, self.megabytes, self.timed_out = seconds, megabytes, timed_out


def run(command, limits, cwd, logs=None):
    """Runs command in a separate process group, within the limits."""
    env = dict(os.environ)
    options = ":".join(filter(None, [
        env.get("ASAN_OPTIONS"), "detect_leaks=0", "detect_container_overflow=0",
        f"log_path={logs}" if logs else None]))
    env["ASAN_OPTIONS"] = options
    env["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1" + (f":log_path={logs}" if logs else "")

    def prepare():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limits.address_space:
            resource.setrlimit(resource.RLIMIT_AS, (limits.address_space << 20,) * 2)

    begin = time.monotonic()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=subprocess.STDOUT, cwd=cwd, env=env,
                                 preexec_fn=prepare)
        timed_out = []

        def end():
            timed_out.append(True)
            os.killpg(child.pid, signal.SIGKILL)

        timer = threading.Timer(limits.wall, end)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        output = out.read().decode(errors="replace")
    seconds = usage.ru_utime + usage.ru_stime
    return Result(child.returncode, output, seconds, usage.ru_maxrss >> 10,
                  bool(timed_out) or time.monotonic() - begin > limits.wall)


class Host:
    """One of the analyzing programs. faults() returns the errors by file; None
    represents all files together."""

    def __init__(self, args):
        self.args = args

    def faults(self, files, folder):
        raise NotImplementedError

    def judge(self, result, logs, per_file):
        """Errors of a run as a whole."""
        said = [p.read_text(errors="replace") for p in sorted(logs.parent.glob(logs.name + "*"))]
        for p in logs.parent.glob(logs.name + "*"):
            p.unlink()
        said.append(result.output)
        for text in said:
            if SANITIZED.search(text):
                return text[SANITIZED.search(text).start():][:4000]
        if result.timed_out:
            return f"took longer than {self.args.wall} s"
        if result.status < 0 or result.status > 3:
            return f"exit status {result.status}: {result.output[-2000:]}"
        if result.seconds > self.args.seconds_each * per_file:
            return f"took {result.seconds:.0f} s of processor time"
        if result.megabytes > self.args.megabytes:
            return f"took {result.megabytes} MiB"
        return None


class Driver(Host):
    def faults(self, files, folder):
        database = [{"directory": str(folder), "file": str(f),
                     "arguments": ["clang++", *flags(f, False), "-c", str(f)]} for f in files]
        (folder / "compile_commands.json").write_text(json.dumps(database))
        report, logs = folder / "report.json", folder / "log"
        report.unlink(missing_ok=True)
        result = run([self.args.driver, "-p", str(folder), "-j1", "--no-cache", "--quiet",
                      "--cuda-path=mock", "--roots=stream-param,torch-ops,entry-points",
                      "--confidence=possible", "--strict", "--timeout-per-tu=30", "--color=never",
                      f"--format=json:{report}", f"--format=text:{folder / 'report.txt'}",
                      f"--format=sarif:{folder / 'report.sarif'}",
                      f"--format=html:{folder / 'report.html'}",
                      *map(str, files)], self.args, folder, logs)
        found = {}
        if fault := self.judge(result, logs, 1):
            found[None] = fault
        try:
            incomplete = json.loads(report.read_text())["coverage"]["incomplete"]
        except (OSError, ValueError, KeyError) as error:
            found.setdefault(None, f"no report: {error}: {result.output[-2000:]}")
            return found
        for unit in incomplete:
            if not EXPECTED.match(unit["reason"]):
                name = Path(unit["file"]).name
                file = next((f for f in files if f.name == name), None)
                # A crash after the units is attributed to all of them.
                together = unit["reason"] == "the analysis crashed"
                found.setdefault(None if together else file, unit["reason"])
        return found


class Plugin(Host):
    def faults(self, files, folder):
        database = [{"directory": str(folder), "file": str(f),
                     "arguments": ["clang++", *flags(f, True), "-c", str(f)]} for f in files]
        (folder / "compile_commands.json").write_text(json.dumps(database))
        command = [*shlex.split(self.args.clang_tidy), f"--load={self.args.plugin}", "--quiet",
                   "--checks=-*,cudagraph-*", "-p", str(folder), *map(str, files)]
        logs = folder / "log"
        # The exit status of parse errors is 1.
        result = run(command, self.args, folder, logs)
        fault = self.judge(result, logs, len(files))
        return {None: fault} if fault else {}


class Clangd(Host):
    def faults(self, files, folder):
        found = {}
        for f in files:
            (folder / "compile_flags.txt").write_text("\n".join(flags(f, True)))
            logs = folder / "log"
            result = run([self.args.clangd, f"--check={f}", "--check-locations=0",
                          "--log=error", "--cuda-path=mock"], self.args, folder, logs)
            if fault := self.judge(result, logs, 1):
                found[f] = fault
        return found


class Campaign:
    def __init__(self, args):
        self.args = args
        self.seeds = sources()
        self.hosts = {}
        if args.driver:
            self.hosts["driver"] = Driver(args)
        if args.plugin:
            self.hosts["plugin"] = Plugin(args)
        if args.clangd:
            self.hosts["clangd"] = Clangd(args)
        self.finds = 0
        self.kept = set()
        self.longest = self.largest = 0

    def blame(self, host, files, folder):
        """The files that fail separately, with the reasons."""
        faults = host.faults(files, folder)
        if not faults:
            return {}
        named = {f: why for f, why in faults.items() if f and why}
        if len(files) == 1:
            return {(files[0],): next(iter(faults.values()))}
        found = {(f,): why for f, why in named.items()}
        rest = [f for f in files if f not in named]
        if None in faults:
            half = len(files) // 2
            parts = {}
            for part in (files[:half], files[half:]):
                parts.update(self.blame(host, part, folder))
            found.update(parts)
            if not found and rest:
                found[tuple(files)] = faults[None]  # only all of them together
        return found

    def keep(self, name, host, files, why, folder):
        self.finds += 1
        kind = re.sub(r"0x[0-9a-f]+|\d+", "N", why[:200])
        print(f"{name}: {[f.name for f in files]}: {why.splitlines()[0][:300]}", flush=True)
        out = Path(self.args.out)
        out.mkdir(parents=True, exist_ok=True)
        stem = f"{name}-{files[0].stem}"
        text = files[0].read_text(errors="replace")
        if len(files) == 1 and kind not in self.kept and not self.args.no_reduce:
            self.kept.add(kind)
            target = folder / f"reduce{files[0].suffix}"

            def fails(candidate):
                target.write_text(candidate)
                return bool(host.faults([target], folder))

            text = reduced(text, fails, self.args.reduce_seconds)
        for f in files[1:]:
            shutil.copy(f, out)
        (out / f"{stem}.cu").write_text(text)
        (out / f"{stem}.txt").write_text(why + "\n")

    def batch(self, first, count, folder):
        files = []
        for seed in range(first, first + count):
            path = folder / f"p{seed}.cu"
            path.write_bytes(program(seed, self.seeds).encode("utf-8", "surrogateescape"))
            files.append(path)
        for name, host in self.hosts.items():
            for found, why in self.blame(host, files, folder).items():
                self.keep(name, host, list(found), why, folder)
        for f in files:
            f.unlink()

    def run(self):
        begin, done = time.monotonic(), 0
        with tempfile.TemporaryDirectory() as folder:
            while done < self.args.count:
                if self.args.seconds and time.monotonic() - begin > self.args.seconds:
                    break
                count = min(self.args.batch, self.args.count - done)
                self.batch(self.args.first + done, count, Path(folder))
                done += count
        print(f"{done} programs, seeds {self.args.first} to {self.args.first + done - 1}, "
              f"{' and '.join(self.hosts)}: {self.finds} finds, "
              f"{time.monotonic() - begin:.0f} s")
        return 1 if self.finds else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--driver", help="cudagraph-tidy")
    parser.add_argument("--plugin", help="the plugin; --clang-tidy loads it")
    parser.add_argument("--clang-tidy", default="clang-tidy")
    parser.add_argument("--clangd", help="cudagraph-clangd")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=1 << 60, help="number of programs")
    parser.add_argument("--seconds", type=float, default=0, help="stop after this time")
    parser.add_argument("--batch", type=int, default=20, help="programs per process")
    parser.add_argument("--out", default="finds", help="directory for finds")
    parser.add_argument("--wall", type=float, default=300,
                        help="time limit of a process, in seconds")
    parser.add_argument("--seconds-each", type=float, default=30,
                        help="limit on the processor time of a process, in seconds")
    parser.add_argument("--megabytes", type=int, default=2048,
                        help="limit on the memory of a process, in MiB")
    parser.add_argument("--address-space", type=int, default=0,
                        help="limit on the address space in MiB; not with sanitizers")
    parser.add_argument("--no-reduce", action="store_true", help="do not reduce finds")
    parser.add_argument("--reduce-seconds", type=float, default=60)
    args = parser.parse_args()
    for name in ("driver", "plugin", "clangd"):
        if path := getattr(args, name):
            setattr(args, name, str(Path(path).absolute()))
    args.out = str(Path(args.out).absolute())
    if not (args.driver or args.plugin or args.clangd):
        parser.error("specify --driver, --plugin, or --clangd")
    if args.count == 1 << 60 and not args.seconds:
        parser.error("specify --count or --seconds")
    sys.exit(Campaign(args).run())


if __name__ == "__main__":
    main()
