"""Runs the scripts of docs/ci.md and the job of ci/gitlab.yml.
usage: scripts.py ROOT DRIVER SNIPPETS"""

import atexit
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree

import yaml

ROOT, DRIVER, SNIPPETS = sys.argv[1:4]
WORK = os.path.realpath(tempfile.mkdtemp())
REPO = os.path.join(WORK, "project")
ENVIRONMENT = {
    **os.environ,
    "PATH": os.path.dirname(DRIVER) + os.pathsep + os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.path.join(WORK, "gitconfig"),
    "GIT_CONFIG_NOSYSTEM": "1"}
ENVIRONMENT.pop("CI_MERGE_REQUEST_DIFF_BASE_SHA", None)
SOURCE = """#include <cuda_runtime.h>
cudaError_t NAME(cudaStream_t s, cudaGraph_t *graph) {
  if (cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return e;
  (void)cudaStreamSynchronize(s);
  return cudaStreamEndCapture(s, graph);
}
"""


def write(name, text):
    path = os.path.join(REPO, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def run(status, *args, **more):
    done = subprocess.run(args, cwd=REPO, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**ENVIRONMENT, **more})
    assert done.returncode == status, (args, done.returncode, done.stdout)
    return done.stdout


def git(*args):
    return run(0, "git", *args).strip()


def load(name):
    with open(os.path.join(REPO, name)) as f:
        return json.load(f)


# WORK is not below the build directory, whose database would be found.
atexit.register(shutil.rmtree, WORK, ignore_errors=True)
os.makedirs(REPO)
with open(ENVIRONMENT["GIT_CONFIG_GLOBAL"], "w") as f:
    f.write("[user]\nname = A\nemail = a@example.invalid\n[init]\ndefaultBranch = main\n")
sources = ["old.cpp", "new.cpp"]
write("build/compile_commands.json", json.dumps([
    {"directory": REPO, "file": name, "arguments": ["clang++", "-c", name]}
    for name in sources]))
write(".gitignore", "build/\n*.json\n*.html\n*.xml\n.cudagraph-tidy-cache/\n")
write("old.cpp", SOURCE.replace("NAME", "before"))
write("new.cpp", "// Nothing yet.\n")
write(".cudagraph-tidy.yaml", "CudaPath: mock\n")
git("init", "-q")
git("add", ".")
git("commit", "-qm", "base")
base = git("rev-parse", "HEAD")

# --- docs/ci.md

(plain,) = glob.glob(os.path.join(SNIPPETS, "*/ci.sh"))
(baseline,) = glob.glob(os.path.join(SNIPPETS, "*/baseline.sh"))
assert "clean" in run(0, "sh", plain, base)
write("new.cpp", SOURCE.replace("NAME", "after"))
git("commit", "-qam", "change")
said = run(1, "sh", plain, base)
assert "new.cpp:5:" in said and "old.cpp" not in said, said
assert "findings: findings.html" in said, said
assert len(load("findings.json")["findings"]) == 1
assert "the analysis failed" in run(2, "sh", plain, "nowhere")
run(0, "sh", "-e", baseline)
assert "2 findings" in run(1, DRIVER)

# --- ci/gitlab.yml

with open(os.path.join(ROOT, "ci/gitlab.yml")) as f:
    job = yaml.safe_load(f)["cudagraph-tidy"]
variables = {k: v.replace("$CI_PROJECT_DIR", REPO) for k, v in job["variables"].items()}
reports = job["artifacts"]["reports"]


def pipeline(status, **more):
    """Runs the job as the runner does: one shell, which exits at the first failure."""
    script = "set -eo pipefail\n" + "\n".join(job["script"])
    said = run(status, "bash", "-c", script, **{**variables, **more})
    tests = xml.etree.ElementTree.parse(os.path.join(REPO, reports["junit"]))
    return said, load(reports["codequality"]), tests


said, items, tests = pipeline(1)
assert [i["location"]["path"] for i in items] == sources[::-1], items
assert "old.cpp:5:" in said, said
assert tests.getroot().tag == "testsuites", tests.getroot().tag
said, items, _ = pipeline(1, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
assert [i["location"]["path"] for i in items] == ["new.cpp"], items
pipeline(0, CUDAGRAPH_TIDY_FAIL_ON="none", CUDAGRAPH_TIDY_BUILD_DIR="build")
_, items, _ = pipeline(1, CUDAGRAPH_TIDY_ARGS="--checks=cudagraph-sync-call old.cpp")
assert [i["location"]["path"] for i in items] == ["old.cpp"], items
assert os.listdir(os.path.join(REPO, job["cache"]["paths"][0]))

# In an image without the tool, the archive is checked and kept in the cache.
release = os.path.join(WORK, "release")
os.makedirs(os.path.join(release, "tree/bin"))
with open(os.path.join(release, "tree/bin/cudagraph-tidy"), "w") as f:
    f.write(f"#!/bin/sh\nexec '{DRIVER}' \"$@\"\n")
os.chmod(f.name, 0o755)
archive = os.path.join(release, "cudagraph-tidy-0.0.7.tar.gz")
with tarfile.open(archive, "w:gz") as tar:
    tar.add(os.path.join(release, "tree"), "cudagraph-tidy-0.0.7")
with open(archive, "rb") as f:
    SUM = hashlib.sha256(f.read()).hexdigest()
bare = {**variables, "PATH": "/usr/bin:/bin", "CI_PROJECT_DIR": REPO,
        "CUDAGRAPH_TIDY_ARCHIVE": "file://" + archive}
script = "set -eo pipefail\n" + "\n".join(job["script"])
said = run(2, "bash", "-c", script, **{**bare, "CUDAGRAPH_TIDY_SHA256": "1" * 64})
assert "does not have the SHA-256 checksum 111" in said, said
said = run(2, "bash", "-c", script, **{**bare, "CUDAGRAPH_TIDY_ARCHIVE": ""})
assert "CUDAGRAPH_TIDY_ARCHIVE must be the https address" in said, said
with open(os.path.join(release, "SHA256SUMS"), "w") as f:
    f.write(f"{'2' * 64}  other.tar.gz\n")
said = run(2, "bash", "-c", script, **bare)
assert "SHA256SUMS has no checksum of cudagraph-tidy-0.0.7.tar.gz" in said, said
with open(f.name, "a") as f:
    f.write(f"{SUM}  cudagraph-tidy-0.0.7.tar.gz\n")
choices = [{**bare, "CUDAGRAPH_TIDY_SHA256": sum} for sum in ("", SUM)]
for choice in choices:
    assert "old.cpp:5:" in run(1, "bash", "-c", script, **choice)
os.remove(archive)
for choice in choices:
    assert "old.cpp:5:" in run(1, "bash", "-c", script, **choice), "it is kept"
print("done")
