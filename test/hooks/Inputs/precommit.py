"""A repository whose commits and pushes pre-commit checks with the project's hooks.
usage: precommit.py ROOT DRIVER"""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT, DRIVER = sys.argv[1:3]
WORK = os.path.realpath(tempfile.mkdtemp())
REPO, HOOKS = os.path.join(WORK, "a project"), os.path.join(WORK, "hooks")
ENVIRONMENT = {
    **os.environ,
    "PATH": os.path.dirname(DRIVER) + os.pathsep + os.environ["PATH"],
    "PRE_COMMIT_HOME": os.path.join(WORK, "home"),
    "PRE_COMMIT_COLOR": "never",
    "GIT_CONFIG_GLOBAL": os.path.join(WORK, "gitconfig"),
    "GIT_CONFIG_NOSYSTEM": "1",
}
for name in ("SKIP", "GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
    ENVIRONMENT.pop(name, None)

FILES = {
    "engine.cpp": """#include "step.h"

cudaError_t capture(cudaStream_t s, cudaGraph_t *graph) {
  if (cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return e;
  step(s);
  return cudaStreamEndCapture(s, graph);
}
""",
    "step.h": "#include <cuda_runtime.h>\nvoid step(cudaStream_t s);\n",
    "step.cpp": """#include "step.h"

void step(cudaStream_t s) {
}
""",
    "README": "A project.\n",
    ".gitignore": "build/\n",
}
SYNC = "cudaStreamSynchronize(s) == cudaSuccess ? void() : void();"


def run(*args, cwd=REPO, ok=None):
    done = subprocess.run(args, cwd=cwd, env=ENVIRONMENT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ok is not None:
        assert (done.returncode == 0) == ok, (args, done.returncode, done.stdout)
    return done.stdout


def git(*args, cwd=REPO, ok=True):
    return run("git", *args, cwd=cwd, ok=ok)


def write(name, text, cwd=REPO):
    path = os.path.join(cwd, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def read(name):
    with open(os.path.join(REPO, name)) as f:
        return f.read()


def put(name, old, new):
    text = read(name)
    assert old in text, (name, old, text)
    write(name, text.replace(old, new))


def commit(what, passes, shows=(), hides=()):
    """Commits what is staged, through the hooks."""
    before = git("rev-parse", "HEAD")
    said = run("git", "commit", "-m", what, ok=passes)
    assert (git("rev-parse", "HEAD") != before) == passes, (what, said)
    judge(what, said, shows, hides)


def judge(what, said, shows, hides):
    for text in shows:
        assert text in said, (what, text, said)
    for text in hides:
        assert text not in said, (what, text, said)


def use(hook, *args, stages=None):
    """Runs only this hook."""
    entry = {"id": hook, "args": ["--cuda-path=mock", *args]}
    if stages:
        entry["stages"] = stages
    # JSON is YAML.
    write(".pre-commit-config.yaml", json.dumps({"repos": [{
        "repo": HOOKS, "rev": git("rev-parse", "HEAD", cwd=HOOKS).strip(),
        "hooks": [entry]}]}))
    git("add", ".pre-commit-config.yaml")
    git("commit", "-q", "--no-verify", "--allow-empty", "-m", hook)


def database():
    build = os.path.join(REPO, "build")
    write("build/compile_commands.json", json.dumps([
        {"directory": build, "file": os.path.join(REPO, name),
         "arguments": ["clang++", "-std=c++17", "-c", os.path.join(REPO, name)]}
        for name in ("engine.cpp", "step.cpp")]))


# WORK is not below the build directory, whose database would be found.
atexit.register(shutil.rmtree, WORK, ignore_errors=True)
os.makedirs(REPO)
os.makedirs(HOOKS)
write("gitconfig", "[user]\nname = A\nemail = a@example.invalid\n[init]\n"
      "defaultBranch = main\n[core]\nhooksPath = .git/hooks\n", cwd=WORK)
# The repository of the hooks, with the files of a clone.
shutil.copy(os.path.join(ROOT, ".pre-commit-hooks.yaml"), HOOKS)
git("init", "-q", cwd=HOOKS)
git("add", ".", cwd=HOOKS)
git("commit", "-q", "-m", "hooks", cwd=HOOKS)
git("init", "-q")
# core.hooksPath is set by the user; pre-commit refuses to install with it.
write("gitconfig", "[user]\nname = A\nemail = a@example.invalid\n[init]\n"
      "defaultBranch = main\n", cwd=WORK)
for name, text in FILES.items():
    write(name, text)
git("add", ".")
git("commit", "-q", "-m", "first")
use("cudagraph-tidy")
run("pre-commit", "install", "--install-hooks", ok=True)
run("pre-commit", "install", "--hook-type", "pre-push", ok=True)

# --- cudagraph-tidy: findings that involve staged lines

put("README", "A project", "The project")
git("add", "README")
commit("no source", True, ["no files to check"])

put("step.cpp", "{\n", "{ // nothing yet\n")
git("add", "-u")
commit("a fresh clone", True, ["no compile database"])

database()
put("step.cpp", "// nothing yet", f"\n  {SYNC}")
git("add", "-u")
commit("a chain through files that are not staged", False,
       ["cudagraph-tidy...", "Failed", "step.cpp:4:",
        "'cudaStreamSynchronize' waits for stream 's'",
        "engine.cpp:6:3: note: calls 'step'"])
git("commit", "-q", "--no-verify", "-m", "it is there now")

put("step.cpp", '#include "step.h"\n', '#include "step.h"\n// A step.\n')
git("add", "-u")
commit("a line beside", True, hides=["cudaStreamSynchronize"])

put("step.cpp", "// A step.", "// The step.")
git("add", "-u")
put("step.cpp", SYNC, f"{SYNC} {SYNC}")
commit("a line that is not staged", True, hides=["cudaStreamSynchronize"])
assert f"{SYNC} {SYNC}" in read("step.cpp")
git("checkout", "-q", "step.cpp")

put("engine.cpp", "  step(s);", "  step(s); // here")
git("add", "-u")
commit("a line of the chain", False, ["step.cpp:5:", "engine.cpp:6:3: note"])
git("reset", "-q", "--hard")

# --- cudagraph-tidy-diff: findings that involve the lines of a push

git("init", "-q", "--bare", os.path.join(WORK, "remote"))
git("remote", "add", "origin", os.path.join(WORK, "remote"))
use("cudagraph-tidy-diff", stages=["push"])
git("push", "-q", "--no-verify", "-u", "origin", "main")
put("README", "project", "great project")
put("step.cpp", "// The step.", "// That step.")
git("commit", "-qa", "-m", "beside")
assert "Failed" not in git("push", "origin", "main")
put("step.cpp", SYNC, f"{SYNC} // again")
git("commit", "-qa", "-m", "again")
judge("push", git("push", "origin", "main", ok=False),
      ["Failed", "step.cpp:5:"], [])
stage = ("pre-commit", "run", "--hook-stage", "push")
judge("from", run(*stage, "--from-ref", "HEAD~1", "--to-ref", "HEAD", ok=False),
      ["step.cpp:5:"], [])
judge("all", run(*stage, "--all-files", ok=False), ["step.cpp:5:"], [])

# --- cudagraph-tidy-files: all lines of the files

use("cudagraph-tidy-files")
put("engine.cpp", "  step(s);", "  step(s); // here")
put("README", "great", "small")
git("add", "-u")
commit("files", True, ["1 translation unit"])
put("engine.cpp", "  step(s); // here\n", f"  step(s);\n  {SYNC}\n")
git("commit", "-q", "--no-verify", "-am", "bad")
put("engine.cpp", '#include "step.h"\n', '#include "step.h"\n// An engine.\n')
git("add", "-u")
commit("all lines", False, ["engine.cpp:8:"])
git("reset", "-q", "--hard")

# --- names that look like options or response files are passed as names

BAD = FILES["engine.cpp"].replace("step(s);", SYNC)
write("options.cu", "--format=html:written.html\n")
write("@options.cu", BAD)
write("--format=html:written.cu", BAD.replace("capture(", "other("))
git("add", ".")
commit("odd names", False, ["@options.cu:6:", "--format=html:written.cu:6:"])
assert not [n for n in os.listdir(REPO) if n.startswith("written")]
git("reset", "-q", "--hard")

# --- cudagraph-tidy-fix: the file changes, and the next commit passes

use("cudagraph-tidy-fix")
write("launch.cu", """__global__ void kernel();
cudaError_t launch(cudaStream_t s, cudaGraph_t *graph) {
  if (cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed))
    return e;
  kernel<<<1, 1>>>();
  return cudaStreamEndCapture(s, graph);
}
""")
git("add", "launch.cu")
commit("fix", False, ["files were modified by this hook",
                      "fixed 1 finding in 1 file"])
assert "kernel<<<1, 1, 0, s>>>();" in read("launch.cu")
git("add", "launch.cu")
commit("fixed", True, ["Passed"])
print("done")
