# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints tables of the results of score.py."""

import collections
import subprocess

import facts
import score

FOUND = ("certain", "likely", "chain")


def reading_of(readings, name, finding):
    """A reader's verdict on a finding: {"verdict": "right" or "false", "why": ...}."""
    for one in readings:
        if (one["id"], one.get("check"), one.get("line")) == (
                name, finding["check"], finding["line"]):
            return one
    return None


def extra_findings(cases, results):
    """Yields the name and the finding for all findings that are false unless a
    reader's verdict differs: in good captures, and those of a bug that its fix
    removed."""
    for name, result in results.items():
        for finding in result["findings"] if cases[name]["kind"] == "good" else result["left"]:
            yield name, finding


def table(title, groups, results):
    print(f"\n{title:26} {'bugs':>4} {'found':>5} {'certain':>7} {'likely':>6} {'chain':>5} "
          f"{'held back':>9} {'code':>4} {'clean':>7}")
    for name, of in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        by = collections.Counter(results[bug]["found"] for bug in of)
        judged = [results[bug]["clean"] for bug in of if results[bug]["clean"] is not None]
        print(f"{name:26} {len(of):4} {sum(by[how] for how in FOUND):5} {by['certain']:7} "
              f"{by['likely']:6} {by['chain']:5} {by['possible']:9} "
              f"{sum(results[bug]['code'] for bug in of):4} {sum(judged):3}/{len(judged):3}")


def tables(cases, results):
    bugs = [name for name in results if cases[name]["kind"] == "bug"]
    for title, key in (
            ("all", lambda case: "all"),
            ("category", lambda case: case["category"]),
            ("set", lambda case: case["set"]),
            ("reach", lambda case: "several units" if case["needs_cross_tu"] else
             "several functions" if case["needs_cross_function"] else "one function"),
            ("expected", lambda case: str(case["expected_error"]))):
        groups = collections.defaultdict(list)
        for name in bugs:
            groups[key(cases[name])].append(name)
        table(title, groups, results)


def precision(cases, results, readings):
    """Counts of right and false findings, by check and confidence, among those with a
    label or a verdict. Findings at a bug are right, and those with the verdict
    "right"."""
    count = collections.defaultdict(collections.Counter)
    unread = 0
    for name, result in results.items():
        if cases[name]["kind"] == "bug":
            for finding in result["hits"] if result["found"] in FOUND else ():
                count[finding["check"], finding["confidence"]]["right"] += 1
    for name, finding in extra_findings(cases, results):
        reading = reading_of(readings, name, finding)
        unread += reading is None
        right = reading and reading["verdict"] == "right"
        count[finding["check"], finding["confidence"]]["right" if right else "false"] += 1
    print(f"\n{'findings':36} {'certain':>15} {'likely':>15}\n"
          f"{'':36} {'right':>8} {'false':>6} {'right':>8} {'false':>6}")
    total = collections.Counter()
    for check in sorted({check for check, _ in count}):
        row = [count[check, how][what] for how in score.SHOWN for what in ("right", "false")]
        total.update(dict(enumerate(row)))
        print("{:36} {:8} {:6} {:8} {:6}".format(check, *row))
    print("{:36} {:8} {:6} {:8} {:6}".format("all", *[total[n] for n in range(4)]))
    for how, at in (("certain", 0), ("likely", 2)):
        judged = total[at] + total[at + 1]
        if judged:
            print(f"precision of {how}: {total[at]} of {judged}, {total[at] / judged:.0%}")
    if unread:
        print(f"{unread} of the false ones were not read: until then they count as false")


def details(cases, results, readings):
    """One line per bug, and one per finding to read."""
    why = {one["id"]: one["why"] for one in readings if "check" not in one}
    print()
    for name, result in results.items():
        case = cases[name]
        if case["kind"] != "bug":
            continue
        state = result["found"] or ("other kind" if result["other_kind"] else
                                    "no result" if result["error"] else
                                    "unreadable" if result["unreadable"] else "missed")
        after = {None: "", True: "clean", False: "NOT CLEAN"}[result["clean"]]
        shown = result["hits"] or result["other_kind"]
        what = "; ".join(sorted({f"{one['check'].removeprefix('cudagraph-')} {one['callee']}"
                                 for one in shown}))
        print(f"{state:10} {name:38} {case['category']:22} {after:9} {what[:80]}".rstrip())
        if result["found"] not in FOUND and name in why:
            print(f"{'':10} because {why[name]}")
    for name, finding in extra_findings(cases, results):
        reading = reading_of(readings, name, finding)
        print(f"{reading['verdict'] if reading else 'not read':10} {name}: "
              f"{cases[name]['file']}:{finding['line']}: {finding['confidence']}: "
              f"{finding['message']} [{finding['check']}]")
        if reading:
            print(f"{'':10} because {reading['why']}")
    for name, result in results.items():
        if result.get("through"):
            print(f"{'reached':10} {name}: {len(result['through'])} findings in functions that "
                  "it calls")


def show(cases, results, skipped, options):
    readings = facts.load(options.facts, "readings.json")
    version = subprocess.run([options.driver, "--version"], capture_output=True, text=True)
    print(version.stdout.partition("\n")[0])
    bugs = [name for name in results if cases[name]["kind"] == "bug"]
    good = [name for name in results if cases[name]["kind"] == "good"]
    # Misses in the locked half must not be visible.
    if options.list and options.half == "open":
        details(cases, results, readings)
    if bugs:
        tables(cases, results)
    precision(cases, results, readings)
    for name, result in results.items():
        if result["error"]:
            print(f"no result: {name}: {result['error']}")
    for name, version, why in skipped:
        print(f"skipped: {name} {version}: {why}")
    found = sum(results[name]["found"] in FOUND for name in bugs)
    judged = [results[name]["clean"] for name in bugs if results[name]["clean"] is not None]
    extra = [len(results[name]["findings"]) for name in good]
    unreadable = sum(bool(result["unreadable"]) for result in results.values())
    print(f"\n{found} of {len(bugs)} bugs found, {sum(judged)} of {len(judged)} fixes clean; "
          f"{sum(extra)} findings in {sum(map(bool, extra))} of {len(good)} good captures; "
          f"{unreadable} cases with parse errors at the code; {len(skipped)} versions skipped; "
          f"{sum(result['seconds'] for result in results.values()):.0f} s")
