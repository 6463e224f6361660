#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""same.py DIRECTORY: reads json, sarif, github, gitlab, rdjsonl, checkstyle, junit, and
summary there, each as its usual readers do, and fails unless all report the same
locations: the findings of json, events that only a run has, and incomplete units."""

import collections
import json
import os
import re
import sys
import urllib.parse
import xml.etree.ElementTree as xml

SEEN, INCOMPLETE = "cudagraph-seen-in-run", "cudagraph-incomplete-analysis"
out = sys.argv[1]


def load(name):
    # Strict: invalid UTF-8 is an error.
    with open(os.path.join(out, name), encoding="utf-8", newline="") as f:
        return f.read()


report, sarif = json.loads(load("json")), json.loads(load("sarif"))
run = sarif["runs"][0]
root = urllib.parse.unquote(run["originalUriBaseIds"]["%SRCROOT%"]["uri"][len("file://"):])


def from_root(path):
    path = os.path.normpath(os.path.join(os.getcwd(), path))
    return path[len(root):] if path.startswith(root) else path


expected = collections.Counter()
for f in report["findings"]:
    expected[from_root(f["location"]["file"]), f["location"]["line"], f["check"]] += 1
placeless = 0
for e in report.get("run_only", []):
    at = e["location"] or e["region"] and report["regions"][e["region"] - 1]["location"]
    if at:
        expected[from_root(at["file"]), at["line"], SEEN] += 1
    else:
        placeless += 1
remarks = collections.Counter((from_root(m["location"]["file"]), m["location"]["line"], "cudagraph-" + m["kind"])
                              for m in report["remarks"])
for u in report["coverage"]["incomplete"]:
    expected[from_root(u["file"]), 1, INCOMPLETE] += 1


def compare(name, found):
    if name != "sarif":
        found = list((collections.Counter(found) - remarks).elements())
    if collections.Counter(found) != expected:
        sys.exit(f"{name}: {sorted(found)}\nexpected: {sorted(expected.elements())}")


# SARIF.
def uri(artifact):
    value = urllib.parse.unquote(artifact["uri"], errors="replace")
    if artifact.get("uriBaseId") == "%SRCROOT%":
        assert ":" not in artifact["uri"] and not value.startswith("/"), artifact
        return value
    assert value.startswith("file:///"), artifact
    return value[len("file://"):]


found = []
for r in run["results"]:
    assert run["tool"]["driver"]["rules"][r["ruleIndex"]]["id"] == r["ruleId"]
    [place] = r["locations"]
    region = place["physicalLocation"]["region"]
    assert region["startLine"] == region["endLine"], region
    assert region["startColumn"] < region["endColumn"], region
    found.append((uri(place["physicalLocation"]["artifactLocation"]), region["startLine"], r["ruleId"]))
    assert set(r["partialFingerprints"]) == {"primaryLocationLineHash", "cudagraph/v1"}
    # Every link in the message has its location, and vice versa.
    text = re.sub(r"\\.", "", r["message"]["text"])
    links = [int(n) for n in re.findall(r"\[[^][]*\]\((\d+)\)", text)]
    assert links == [l["id"] for l in r.get("relatedLocations", [])], r["message"]
    for flow in r.get("codeFlows", []):
        steps = flow["threadFlows"][0]["locations"]
        last = steps[-1]["location"]["physicalLocation"]
        assert last["region"]["startLine"] == region["startLine"]
        assert all(s["location"]["message"]["text"] for s in steps)
invocation = run["invocations"][0]
assert invocation["executionSuccessful"] == (not report["coverage"]["incomplete"])
for n in invocation["toolExecutionNotifications"]:
    if n["descriptor"]["id"] == INCOMPLETE:
        found.append((uri(n["locations"][0]["physicalLocation"]["artifactLocation"]), 1, INCOMPLETE))
compare("sarif", found)
assert placeless == sum(n["descriptor"]["id"] == "cudagraph-left-out"
                        for n in invocation["toolExecutionNotifications"])
for rule in run["tool"]["driver"]["rules"]:
    for text in (rule["shortDescription"]["text"], rule["fullDescription"]["text"]):
        assert 0 < len(text) < 1024, rule["id"]
    assert rule["help"]["text"].startswith(f"# {rule['id']}\n")
    for target in re.findall(r"\]\(([^)\s]+\.md[^)]*)\)", rule["help"]["markdown"]):
        assert "://" in target, f"{rule['id']} links to {target}"


assert sorted(remarks.elements()) == sorted(
    (uri(n["locations"][0]["physicalLocation"]["artifactLocation"]), m["location"]["line"], n["descriptor"]["id"])
    for n, m in zip([n for n in invocation["toolExecutionNotifications"] if n["level"] == "note"], report["remarks"]))


# GitHub, read line by line as its runner does.
def unescape(text, names):
    for name, char in names:
        text = text.replace(name, char)
    return text.replace("%25", "%")


DATA = [("%0D", "\r"), ("%0A", "\n")]
found, notices = [], []
for line in load("github").split("\n")[:-1]:
    head = re.match(r"::(error|warning|notice) (.*?)::", line)
    assert head, line
    properties = dict(p.split("=", 1) for p in head[2].split(","))
    properties = {k: unescape(v, DATA + [("%3A", ":"), ("%2C", ",")]) for k, v in properties.items()}
    message = unescape(line[head.end():], DATA)
    assert message, line
    if "file" in properties:
        # A name that a log could interpret is shown with escapes.
        file = re.sub(r"\\x[89a-f].", "\ufffd", properties["file"]).replace("\\n", "\n")
        found.append((file, int(properties["line"]), properties["title"]))
    else:
        notices.append(message)
if sum(expected.values()) <= 10:
    compare("github", found)
    assert placeless == len(notices), notices
else:
    assert not collections.Counter(found) - expected - remarks, found
    left = sum(expected.values()) - len(found)
    assert notices and notices[-1].startswith(f"{left} more"), notices

# GitLab.
issues = json.loads(load("gitlab"))
compare("gitlab", [(i["location"]["path"], i["location"]["lines"]["begin"], i["check_name"]) for i in issues])
assert len({i["fingerprint"] for i in issues}) == len(issues), "fingerprints"

# reviewdog.
lines = [json.loads(l) for l in load("rdjsonl").split("\n")[:-1]]
compare("rdjsonl", [(d["location"]["path"], d["location"]["range"]["start"]["line"], d["code"]["value"])
                    for d in lines])

# Checkstyle.
compare("checkstyle", [(f.get("name"), int(e.get("line")), e.get("source"))
                       for f in xml.fromstring(load("checkstyle")) for e in f])

# JUnit: a case fails once, and its text contains each of its findings.
suites = xml.fromstring(load("junit"))
bad = collections.Counter((path, check) for path, _, check in expected.elements() if check != INCOMPLETE)
if placeless:
    bad["the run", SEEN] = placeless
for suite in suites:
    assert int(suite.get("tests")) == len(suite), suite.attrib
    for kind in ("failure", "error", "skipped"):
        name = kind + ("" if kind == "skipped" else "s")
        assert int(suite.get(name)) == len(suite.findall(f"testcase/{kind}")), suite.attrib
    for case in suite:
        failure, key = case.find("failure"), (suite.get("name"), case.get("name"))
        assert (failure is not None) == (key in bad), key
        if failure is not None:
            assert failure.text.count(f"[{case.get('name')}]\n") == bad[key], failure.text
assert {s.get("name") for s in suites.iterfind("testsuite[testcase]") if s.find("testcase/error") is not None} == {
    path for path, _, check in expected if check == INCOMPLETE}
assert sum(len(s) for s in suites) == int(suites.get("tests"))

# The summary: a row and a <details> for each, without markup from the sources.
summary = load("summary")
assert summary.count("<details>") == summary.count("</details>") == sum(expected.values()) + sum(remarks.values()) + placeless, summary
tags = set(re.findall(r"<(?!details>|/details>|summary>|/summary>|code>|/code>|pre>|/pre>)", summary))
assert not tags, summary
print(f"{sum(expected.values())} the same")
