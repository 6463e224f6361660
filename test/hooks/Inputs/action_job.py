"""Runs the steps of action.yml as GitHub does, for action.py and workflow.py.

Each `run` is passed to bash as with `shell: bash`, with the GITHUB_* variables
and files. Expressions are those that action.yml uses: inputs,
github.action_path, outputs of steps. Steps with `uses` are not run; their inputs
are checked."""

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

import yaml

ROOT, DRIVER = sys.argv[1:3]
WORK = os.path.realpath(tempfile.mkdtemp())
with open(os.path.join(ROOT, "action.yml")) as f:
    ACTION = yaml.safe_load(f)

def sh(*args, cwd):
    done = subprocess.run(args, cwd=cwd, text=True, capture_output=True, env={
        **os.environ, "GIT_CONFIG_GLOBAL": os.path.join(WORK, "gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1"})
    assert done.returncode == 0, (args, done.stdout, done.stderr)
    return done.stdout.strip()


def write(path, text, executable=False):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    if executable:
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


def read(path):
    with open(path) as f:
        return f.read()


class Job:
    """One run of the action in a workspace."""

    def __init__(self, workspace, path=None, base="", **inputs):
        self.workspace, self.base = workspace, base
        self.path = path or os.path.dirname(DRIVER) + os.pathsep + os.environ["PATH"]
        self.inputs = {k: v["default"] for k, v in ACTION["inputs"].items()}
        for name, value in inputs.items():
            assert name.replace("_", "-") in self.inputs, name
            self.inputs[name.replace("_", "-")] = value
        self.files = os.path.join(WORK, "files")
        shutil.rmtree(self.files, ignore_errors=True)
        os.makedirs(self.files)
        self.outputs = {}
        self.outcomes = {}
        self.action_path = ROOT

    def value(self, expression):
        """The value of ${{ expression }}."""
        for alternative in expression.split("||"):
            words = alternative.strip().split(".")
            if words[0] == "inputs":
                found = self.inputs[words[1]]
            elif words[0] == "steps" and words[2] == "outcome":
                found = self.outcomes.get(words[1], "success")
            elif words[0] == "steps":
                found = self.outputs.get(words[1], {}).get(words[3], "")
            else:
                found = {"github.action_path": self.action_path,
                         "github.action_repository": "owner/cudagraph-tidy",
                         "github.server_url": "https://github.com",
                         "github.event.pull_request.base.sha": self.base,
                         "github.event.merge_group.base_sha": "",
                         "runner.os": "Linux", "runner.arch": "X64",
                         "runner.temp": os.path.join(WORK, "temp"),
                         "github.sha": "1" * 40, "github.run_id": "7",
                         "github.run_attempt": "1",
                         }[alternative.strip()]
            if found:
                return found
        return ""

    def fill(self, text):
        return re.sub(r"\$\{\{(.*?)\}\}", lambda m: self.value(m[1]), str(text))

    def step(self, name):
        return next(s for s in ACTION["runs"]["steps"] if s["name"] == name)

    def run(self, name, status=0):
        """Runs the step; returns its output."""
        step = self.step(name)
        assert "${{" not in step["run"], "an expression in a script is code"
        assert step["shell"] == "bash"
        script = os.path.join(self.files, "script.sh")
        write(script, step["run"])
        at = {n: os.path.join(self.files, n) for n in
              ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_ENV", "GITHUB_STEP_SUMMARY")}
        for path in at.values():
            open(path, "a").close()
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=os.path.join(self.workspace,
                             self.fill(step.get("working-directory", "."))),
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PATH": self.path, "HOME": WORK, "GITHUB_ACTIONS": "true", "CI": "true",
                 "XDG_CACHE_HOME": os.path.join(WORK, "cache"),
                 "GITHUB_WORKSPACE": self.workspace,
                 "GIT_CONFIG_GLOBAL": os.path.join(WORK, "gitconfig"),
                 "GIT_CONFIG_NOSYSTEM": "1", **at,
                 **{k: self.fill(v) for k, v in step.get("env", {}).items()}})
        assert done.returncode == status, (name, done.returncode, done.stdout)
        for line in read(at["GITHUB_OUTPUT"]).splitlines():
            key, value = line.split("=", 1)
            self.outputs.setdefault(step.get("id", ""), {})[key] = value
        self.summary = read(at["GITHUB_STEP_SUMMARY"])
        return done.stdout

    def analyse(self, status, shows=(), hides=()):
        said = self.run("Analyze")
        out = self.outputs["analyse"]
        assert out["status"] == str(status), (out, said)
        for text in shows:
            assert text in said, (text, said)
        for text in hides:
            assert text not in said, (text, said)
        self.run("Result", status)
        return said
