# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes two commits in a fresh clone with pre-commit and the hook cudagraph-tidy-pip,
without cudagraph-tidy on PATH. pip's environment variables locate the wheel.
usage: precommit_pip.py ROOT"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = sys.argv[1]
WORK = os.path.realpath(tempfile.mkdtemp())
REPO, HOOKS = os.path.join(WORK, "a project"), os.path.join(WORK, "hooks")
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "PRE_COMMIT_HOME": os.path.join(WORK, "home"),
    "PRE_COMMIT_COLOR": "never",
    "XDG_CACHE_HOME": os.path.join(WORK, "cache"),
    "GIT_CONFIG_GLOBAL": os.path.join(WORK, "gitconfig"),
    "GIT_CONFIG_NOSYSTEM": "1",
}
BAD = """#include <cuda_runtime.h>
cudaError_t capture(cudaStream_t s, cudaGraph_t *graph) {
  if (cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return e;
  cudaError_t waited = cudaStreamSynchronize(s);
  cudaError_t ended = cudaStreamEndCapture(s, graph);
  return waited ? waited : ended;
}
"""


def run(*args, cwd=REPO):
    return subprocess.run(args, cwd=cwd, env=ENVIRONMENT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def must(*args, cwd=REPO):
    done = run(*args, cwd=cwd)
    if done.returncode:
        sys.exit(f"{args}: {done.stdout}")
    return done.stdout


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def main():
    os.makedirs(REPO)
    os.makedirs(os.path.join(HOOKS, "packaging", "python"))
    assert not shutil.which("cudagraph-tidy", path=ENVIRONMENT["PATH"])
    write(os.path.join(WORK, "gitconfig"), "[user]\nname = A\nemail = a@example.invalid\n")
    # The parts of a clone of the hooks' repository that pip reads.
    for name in (".pre-commit-hooks.yaml", "pyproject.toml", "CMakeLists.txt",
                 "packaging/python/backend.py"):
        shutil.copy(os.path.join(ROOT, name), os.path.join(HOOKS, name))
    for where in (HOOKS, REPO):
        must("git", "init", "-q", cwd=where)
    must("git", "add", ".", cwd=HOOKS)
    must("git", "commit", "-q", "-m", "hooks", cwd=HOOKS)
    revision = must("git", "rev-parse", "HEAD", cwd=HOOKS).strip()
    # JSON is YAML.
    write(os.path.join(REPO, ".pre-commit-config.yaml"), json.dumps({"repos": [{
        "repo": HOOKS, "rev": revision,
        "hooks": [{"id": "cudagraph-tidy-pip", "args": ["--cuda-path=mock"]}]}]}))
    must("pre-commit", "install", "--install-hooks")
    for text in (BAD, BAD.replace("cudaStreamSynchronize(s)", "cudaGetLastError()")):
        write(os.path.join(REPO, "engine.cpp"), text)
        must("git", "add", ".")
        done = run("git", "commit", "-m", "a change")
        print(done.stdout)
        print("the commit was", "refused" if done.returncode else "made")


try:
    main()
finally:
    shutil.rmtree(WORK, ignore_errors=True)
