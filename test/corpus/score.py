# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the analyzer on prepared cases and reports its findings."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import sources
import trees

HIT = 2  # A finding within this many lines of a marked line belongs to the bug.
SHOWN = ("certain", "likely")
RANK = {"certain": 0, "likely": 1, "possible": 2}
# The checks of the right kind for each category; in `other`, all checks.
KINDS = {
    "capture-mode": "concurrent-work capture-scope device-allocation sync-call "
                    "unsupported-operation missing-warmup",
    "dangling-host-pointer": "dangling-memory host-callback",
    "default-stream": "default-stream stream-dependency sync-call",
    "device-allocation": "device-allocation growing-workspace dangling-memory "
                         "missing-warmup sync-call",
    "dynamic-shape": "dynamic-shape sync-call frozen-argument host-logic",
    "frozen-scalar": "frozen-argument random-state dynamic-shape host-logic",
    "library-handle-creation": "library-handle concurrent-work unsupported-operation",
    "rng": "random-state frozen-argument unsupported-operation",
    "sync-call": "sync-call dynamic-shape device-allocation "
                 "unsupported-operation",
    "unjoined-fork": "stream-dependency default-stream capture-scope",
}
# How an outcome describes a failure that no call reports.
SILENT = ("escapes", "stale", "dangling", "depends")


def right_kind(finding, category):
    kinds = KINDS.get(category)
    return not kinds or finding["check"].removeprefix("cudagraph-") in kinds.split()


def brief(finding):
    """The fields of a finding that scoring reads."""
    outcome = finding.get("outcome") or {}
    codes = [outcome.get("code")]
    codes += [one.get("code") for one in outcome.get("alternatives") or []]
    return {
        "check": finding["check"], "confidence": finding["confidence"],
        "file": finding["location"].get("file"), "line": finding["location"].get("line"),
        "function": finding.get("function"), "callee": finding.get("callee"),
        "outcome": outcome.get("kind"), "codes": [code for code in codes if code],
        "message": finding["message"],
        "chain": [[step["location"].get("file"), step["location"].get("line")]
                  for step in finding.get("chain") or [] if step.get("location")],
    }


def analyze(command, root, limit):
    result, start = {"findings": [], "error": None, "incomplete": []}, time.monotonic()
    try:
        run = subprocess.run(command, cwd=root, capture_output=True, text=True,
                             errors="replace", timeout=limit)
        report = json.loads(run.stdout)
        result["findings"] = [brief(finding) for finding in report["findings"]]
        result["incomplete"] = [{"file": one.get("file"), "reason": one.get("reason"),
                                 "errors": one.get("errors", [])[:40]}
                                for one in report["coverage"].get("incomplete", [])]
        if run.returncode not in (0, 1, 3):
            result["error"] = f"exit status {run.returncode}: {run.stderr.strip()[-200:]}"
    except subprocess.TimeoutExpired:
        result["error"] = f"more than {limit} s"
    except ValueError:
        result["error"] = (f"exit status {run.returncode} without a report: "
                           + (run.stderr.strip() or run.stdout.strip())[-200:])
    except OSError as error:
        result["error"] = str(error)
    result["seconds"] = round(time.monotonic() - start, 2)
    return result


class Runs:
    """Results in a work directory, for reuse in a second call."""

    def __init__(self, all_trees, options):
        self.trees, self.options = all_trees, options
        driver = shutil.which(options.driver) or options.driver
        try:
            digest = hashlib.sha256(pathlib.Path(driver).resolve().read_bytes()).hexdigest()
        except OSError as error:
            sys.exit(f"corpus.py: {error}")
        self.driver = os.path.abspath(driver)
        self.folder = self.trees.work / "results" / digest[:12]

    def command(self, case, version):
        arguments = self.trees.config["cases"][case["id"]].get("args", [])
        # Held-back findings are requested and counted separately.
        return ["--format=json", "--no-cache", "--confidence=possible", *self.options.arg,
                *arguments, *self.trees.sources(case, version), "--",
                *self.trees.flags(case, version)]

    def file(self, case, version):
        return self.folder / f"{case['id']}.{version}.json"

    def run(self, case, version):
        """One version's result; raises trees.Missing."""
        self.trees.check(case, version)
        command, path = self.command(case, version), self.file(case, version)
        if path.exists():
            result = json.loads(path.read_text())
            if result.get("stamp") == self.trees.stamp(case, version, command):
                return result
        result = dict(analyze([self.driver, *command], self.trees.root(case, version),
                              self.options.timeout),
                      stamp=self.trees.stamp(case, version, command))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(result, indent=1))
        return result


def unreadable(case, version, result, root):
    """Parse errors in a translation unit next to the relevant code of a version."""
    near = []
    for unit in result["incomplete"]:
        for error in unit["errors"]:
            match = re.match(r"(.*?):(\d+):\d+: (?:fatal )?error: (.*)", error)
            if match and (sources.same_file(match[1], root, case["file"])
                          or "file not found" in error):
                near.append((int(match[2]), match[3]))
    if version == "good":
        spans = sources.ranges(case, root)
    elif version == "parent":
        spans = [(line - 30, line + 30) for line in case["buggy_lines"]]
    else:
        spans = [(0, 1 << 30)]
    return [text for line, text in near
            if "file not found" in text or any(a <= line <= b for a, b in spans)]


def judge_good(case, run, root):
    """Certain and likely findings in the functions of a good capture."""
    spans, names = sources.ranges(case, root), set(sources.named_functions(case))
    inside, through = [], []
    for finding in run["findings"]:
        if finding["confidence"] not in SHOWN:
            continue
        here = sources.same_file(finding["file"], root, case["file"])
        if here and (any(a <= finding["line"] <= b for a, b in spans)
                     or sources.tail(finding["function"]) in names):
            inside.append(finding)
        elif any(sources.same_file(file, root, case["file"])
                 and any(a <= line <= b for a, b in spans)
                 for file, line in finding["chain"]):
            # Functions that the capture reaches are listed but not counted.
            through.append(finding)
    return {"findings": inside, "through": through}


def left_over(case, hits, fixed, roots):
    """Findings of the fixed version that equal those of the bug: same check, same
    callee, and same function."""
    bodies = {version: sources.functions_of(roots[version] / case["file"])
              for version in ("parent", "fix")}

    def place(finding, version):
        return ({sources.tail(finding["function"])}
                | set(sources.enclosing(bodies[version], finding["line"]))) - {"", "operator()"}

    return [finding for finding in fixed
            if finding["confidence"] in SHOWN
            and sources.same_file(finding["file"], roots["fix"], case["file"])
            and any((finding["check"], finding["callee"]) == (hit["check"], hit["callee"])
                    and place(finding, "fix") & place(hit, "parent") for hit in hits)]


def judge_bug(case, runs, roots):
    def marked(file, line):
        return (sources.same_file(file, roots["parent"], case["file"])
                and any(abs(line - buggy) <= HIT for buggy in case["buggy_lines"]))

    at_line = [finding for finding in runs["parent"]["findings"]
               if marked(finding["file"], finding["line"])]
    hits = [finding for finding in at_line if right_kind(finding, case["category"])]
    passing = [finding for finding in runs["parent"]["findings"]
               if finding not in at_line and finding["confidence"] in SHOWN
               and right_kind(finding, case["category"])
               and any(marked(file, line) for file, line in finding["chain"])]
    shown = [finding for finding in hits if finding["confidence"] in SHOWN]
    found = min((finding["confidence"] for finding in shown), key=RANK.get, default=None)
    expected = str(case["expected_error"])
    verdict = {
        "found": found or ("chain" if passing else "possible" if hits else None),
        "hits": shown or passing or hits,
        "other_kind": [finding for finding in at_line if finding not in hits
                       and finding["confidence"] in SHOWN],
        "code": any(expected in map(str, finding["codes"])
                    or expected == "silent" and finding["outcome"] in SILENT
                    for finding in shown),
        "clean": None, "left": [],
    }
    fix = runs.get("fix")
    if shown and case["post_fix_clean"] and fix and not fix["error"]:
        if not unreadable(case, "fix", fix, roots["fix"]):
            verdict["left"] = left_over(case, shown, fix["findings"], roots)
            verdict["clean"] = not verdict["left"]
    return verdict


def judge(case, runs, all_trees):
    """One case's verdict, and its skipped parts. A fix is analyzed only if its parent
    has a finding that could remain."""
    roots = {version: all_trees.root(case, version) for version in case["versions"]}
    first = "good" if case["kind"] == "good" else "parent"
    done, skipped, verdict = {}, [], None
    try:
        done[first] = runs.run(case, first)
        if first == "good":
            verdict = judge_good(case, done[first], roots[first])
        else:
            verdict = judge_bug(case, done, roots)
            if verdict["found"] in SHOWN and case["post_fix_clean"]:
                done["fix"] = runs.run(case, "fix")
                verdict = judge_bug(case, done, roots)
    except trees.Missing as why:
        skipped.append((case["id"], "fix" if verdict else first, str(why)))
    if verdict:
        verdict.update(error=done[first]["error"],
                       unreadable=unreadable(case, first, done[first], roots[first]),
                       seconds=sum(run["seconds"] for run in done.values()))
    return verdict, skipped


def score(cases, all_trees, options):
    """Each case's verdict by id, and the skipped parts with their reasons."""
    runs, results, skipped = Runs(all_trees, options), {}, []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        verdicts = pool.map(lambda case: judge(case, runs, all_trees), cases.values())
        for number, (name, (verdict, missing)) in enumerate(zip(cases, verdicts), 1):
            skipped += missing
            if verdict:
                results[name] = verdict
            if sys.stderr.isatty():
                print(f"\r{number}/{len(cases)} {name:40}", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return results, skipped
