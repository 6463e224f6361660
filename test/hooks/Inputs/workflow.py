"""Runs the steps of the first GitHub workflow in docs/ci.md on a machine without
CUDA. The caller hides the toolkit of this machine, if there is one.
usage: workflow.py ROOT DRIVER PREFIX PROJECT

PREFIX is the output of `cmake --install`. An archive of it replaces the released one: a
substitute for curl provides it at the action's address."""

import atexit
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile

import yaml

from action_job import ACTION, ROOT, WORK, Job, read, sh, write

PREFIX, PROJECT = sys.argv[3:5]
atexit.register(shutil.rmtree, WORK, ignore_errors=True)
write(os.path.join(WORK, "gitconfig"),
      "[user]\nname = A\nemail = a@example.invalid\n[init]\ndefaultBranch = main\n")
assert not shutil.which("nvcc") and not os.path.exists("/usr/local/cuda/bin/nvcc")

# --- the release

version = re.search(r"^ *VERSION ([0-9.]+)$", read(os.path.join(ROOT, "CMakeLists.txt")), re.M)[1]
name = f"cudagraph-tidy-{version}-linux-{os.uname().machine}.tar.gz"
release = os.path.join(WORK, "release")
os.makedirs(release)
with tarfile.open(os.path.join(release, name), "w:gz", compresslevel=1) as tar:
    tar.add(PREFIX, f"cudagraph-tidy-{version}")
with open(os.path.join(release, name), "rb") as f:
    write(os.path.join(release, "SHA256SUMS"), f"{hashlib.sha256(f.read()).hexdigest()}  {name}\n")
address = f"https://github.com/owner/cudagraph-tidy/releases/download/v{version}/"
write(os.path.join(WORK, "bin/curl"), f"""#!/usr/bin/python3
import os, sys
args = [a.replace({address!r}, "file://{release}/") for a in sys.argv[1:]]
os.execv("/usr/bin/curl", ["curl", *args])
""", True)

# --- a pull request that adds a call to a captured function

origin = os.path.join(WORK, "origin")
shutil.copytree(PROJECT, origin)
source = os.path.join(origin, "kernels.cu")
text = read(source)
call = "  (void)cudaStreamSynchronize(stream);\n"
line = text[:text.index(call)].count("\n") + 1
write(source, text.replace(call, ""))
sh("git", "init", "-q", cwd=origin)
sh("git", "add", ".", cwd=origin)
sh("git", "commit", "-qm", "base", cwd=origin)
base = sh("git", "rev-parse", "HEAD", cwd=origin)
write(source, text)
sh("git", "commit", "-qam", "change", cwd=origin)

# --- the steps

page = read(os.path.join(ROOT, "docs/ci.md"))
block = re.search(r"^```yaml\n(# \.github/workflows/cudagraph-tidy\.yml\n.*?)^```$", page, re.M | re.S)[1]
(job,) = yaml.safe_load(block)["jobs"].values()
workspace = os.path.join(WORK, "workspace")
path = os.path.join(WORK, "bin") + ":/usr/bin:/bin"
used = None
for step in job["steps"]:
    if step.get("uses", "").startswith("actions/checkout@"):
        sh("git", "clone", "-q", "file://" + origin, workspace, cwd=WORK)
    elif "run" in step:
        subprocess.run(["bash", "-eo", "pipefail", "-c", step["run"]], cwd=workspace, check=True,
                       env={"PATH": path, "HOME": WORK})
    else:
        assert "/cudagraph-tidy@" in step["uses"], step
        inputs = {k.replace("-", "_"): str(v) for k, v in step["with"].items()}
        used = Job(workspace, path=path, base=base, **inputs)
assert used, block

said = used.run("Install")
assert f"cudagraph-tidy {version} (LLVM" in said, said
used.path = read(os.path.join(used.files, "GITHUB_PATH")).strip() + ":" + path
if used.inputs["cmake"]:
    used.run("Configure")
assert {os.path.basename(e["file"]) for e in json.loads(read(os.path.join(
    workspace, used.inputs["build-dir"], "compile_commands.json")))} == {"kernels.cu", "main.cpp"}
used.analyse(1, [f"::warning file=kernels.cu,line={line}"], ["::error"])
assert "kernels.cu" in used.summary, used.summary
sarif = json.loads(read(os.path.join(workspace, "cudagraph-tidy.sarif")))
assert len(sarif["runs"][0]["results"]) == 1

# The conditions alone determine which other steps of the action run.
for step in ACTION["runs"]["steps"]:
    assert step.get("if", "").startswith(("inputs.install == 'build'", "inputs.cmake != ''",
                                          "inputs.sarif == 'true'")) or "if" not in step, step

# The project's own toolchain file is kept.
own = Job(workspace, path=used.path, cmake="-S . -B own -DCMAKE_TOOLCHAIN_FILE=own.cmake")
write(os.path.join(workspace, "own.cmake"), "set(OWN_TOOLCHAIN read)\n")
assert "project's toolchain: read" in own.run("Configure")
print("done")
