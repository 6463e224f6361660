"""Summarizes in one directory and links in another.
usage: steps.py DRIVER MOCK WORKDIR"""

import os
import re
import shutil
import subprocess
import sys

DRIVER, MOCK, WORK = sys.argv[1:4]
SOURCES = ["app/main.cpp", "ops/step.cpp", "ops/finish.cu"]
ARGS = ["--", "-Iinclude", "-isystem", "mock", "-nocudainc", "-nocudalib"]
HERE, THERE = os.path.join(WORK, "sandbox"), os.path.join(WORK, "moved")


def driver(where, *args):
    """Status, standard output, and standard error."""
    done = subprocess.run([DRIVER] + list(args), cwd=where, text=True,
                          capture_output=True)
    return done.returncode, done.stdout, done.stderr


def read(name, mode="r"):
    with open(name, mode) as f:
        return f.read()


def compare(what, status):
    """Runs the single command here, creates summaries here, and links there."""
    reports = ["--format=text", "--format=json:report.json"]
    alone = driver(HERE, "--no-cache", *reports, *SOURCES, *ARGS)
    assert alone[0] == status, (what, alone)
    alone_json = read(os.path.join(HERE, "report.json"))
    os.remove(os.path.join(HERE, "report.json"))
    summaries = []
    for source in SOURCES:
        summary = source.replace("/", "-") + ".summary"
        done = driver(HERE, "summarize", "-o", summary, "--depfile",
                      summary + ".d", source, *ARGS)
        assert done[0] == 0, (what, done)
        summaries.append(summary)
        text = read(os.path.join(HERE, summary), "rb")
        assert HERE.encode() not in text, (what, summary)
        if "error:" not in done[2]: # no command is kept to reproduce one
            absolute = re.findall(rb"/[\w.-]+/[\w./-]+", text)
            absolute = [a for a in absolute if re.search(
                rb"[^\w./-]" + re.escape(a), text)]
            assert not absolute, (what, summary, absolute)
        rule = read(os.path.join(HERE, summary + ".d"))
        assert f"\\\n  {source}" in rule and HERE not in rule, rule
        assert (".incomplete:" in rule) == ("error:" in done[2]), (rule, done)
    shutil.rmtree(THERE, ignore_errors=True)
    os.rename(HERE, THERE)
    with open(os.path.join(THERE, "all.rsp"), "w") as f:
        f.write("\n".join(reversed(summaries)))
    moved = driver(THERE, "link", "--no-cache", *reports, "@all.rsp")
    moved_json = read(os.path.join(THERE, "report.json"))
    assert alone[:2] == moved[:2], (what, alone, moved)
    # Line by line, for a short message.
    expected = alone_json.replace(HERE, THERE).split("\n")
    for line, other in zip(expected, moved_json.split("\n"), strict=True):
        assert line == other, (what, line, other)
    shutil.copytree(THERE, HERE)


shutil.rmtree(WORK, ignore_errors=True)
shutil.copytree(os.path.join(os.path.dirname(__file__), "project"), HERE)
shutil.copytree(MOCK, os.path.join(HERE, "mock"))
os.mkdir(os.path.join(HERE, ".git")) # fingerprints are relative to the working directory
compare("findings", 1)
assert "3 findings" in driver(THERE, "link", "@all.rsp")[1]
# Filters compare paths, which must be the same in both.
filtered = driver(THERE, "link", "--header-filter=nothing", "@all.rsp")[1]
assert "2 findings" in filtered and "include/step.h" not in filtered, filtered

with open(os.path.join(HERE, "include/step.h"), "a") as f:
    f.write('#include "missing.h"\n')
compare("incomplete", 1)
missing = driver(THERE, "link", "@none.rsp")
assert missing[0] == 2 and "cannot read the response file @none.rsp" in missing[2], missing
print("done")
