"""Runs the steps of action.yml as GitHub does, in repositories made for it.
usage: action.py ROOT DRIVER

Each `run` is given to bash as `shell: bash` gives it, with the GITHUB_*
variables and files. Expressions are those that action.yml uses: inputs,
github.action_path, outputs of steps. Steps with `uses` are not run; it is
checked what they would be given."""

import atexit
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

CLEAN = """#include <cuda_runtime.h>

cudaError_t capture(cudaStream_t s, cudaGraph_t *graph) {
  if (cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return e;
  return cudaStreamEndCapture(s, graph);
}
"""
CALL = "  (void)cudaStreamSynchronize(s);\n"
OLD = CLEAN.replace("  return cudaStreamEnd", CALL + "  return cudaStreamEnd")


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
    """One use of the action in a workspace."""

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
        """What ${{ expression }} is."""
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
        """Runs the step; returns what it said."""
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
        said = self.run("Analyse")
        out = self.outputs["analyse"]
        assert out["status"] == str(status), (out, said)
        for text in shows:
            assert text in said, (text, said)
        for text in hides:
            assert text not in said, (text, said)
        self.run("Result", status)
        return said


# Not below the build directory, whose compile database would be found.
atexit.register(shutil.rmtree, WORK, ignore_errors=True)
write(os.path.join(WORK, "gitconfig"),
      "[user]\nname = A\nemail = a@example.invalid\n[init]\ndefaultBranch = main\n"
      "[protocol \"file\"]\nallow = always\n")

# --- a pull request: old.cu had a finding before, new.cu gets one

origin = os.path.join(WORK, "origin")
write(os.path.join(origin, "src/old.cu"), OLD)
write(os.path.join(origin, "src/new.cu"), CLEAN)
sh("git", "init", "-q", cwd=origin)
sh("git", "add", ".", cwd=origin)
sh("git", "commit", "-qm", "base", cwd=origin)
BASE = sh("git", "rev-parse", "HEAD", cwd=origin)
sh("git", "checkout", "-qb", "change", cwd=origin)
for number in range(3):
    write(os.path.join(origin, "README"), f"{number}\n")
    sh("git", "add", ".", cwd=origin)
    sh("git", "commit", "-qm", f"{number}", cwd=origin)
write(os.path.join(origin, "src/new.cu"), OLD)
sh("git", "commit", "-qam", "change", cwd=origin)


def clone(name, *options):
    place = os.path.join(WORK, name)
    sh("git", "clone", "-q", "-b", "change", *options, "file://" + origin, place,
       cwd=WORK)
    return place


BOTH = {"sources": "src/old.cu src/new.cu", "args": "--cuda-path=mock"}
shallow = clone("shallow", "--depth=1")
pull = Job(shallow, base=BASE, install="none", **BOTH)
assert "cudagraph-tidy 0." in pull.run("Install")
pull.analyse(1, ["::warning file=src/new.cu,line=6"], ["file=src/old.cu"])
assert "src/new.cu" in pull.summary, pull.summary
assert pull.outputs["analyse"]["sarif-file"] == "cudagraph-tidy.sarif"
assert "src/new.cu" in read(os.path.join(shallow, "cudagraph-tidy.sarif"))
upload = pull.step("Upload to code scanning")
assert pull.fill(upload["with"]["sarif_file"]) == "cudagraph-tidy.sarif"

full = clone("full")
Job(full, base=BASE, diff_base="none", **BOTH).analyse(
    1, ["file=src/new.cu,line=6", "file=src/old.cu,line=6"])
Job(full, **BOTH).analyse(1, ["file=src/new.cu", "file=src/old.cu"])
Job(full, diff_base="HEAD", **BOTH).analyse(0, hides=["::warning"])
Job(full, base=BASE, fail_on="none", **BOTH).analyse(0, ["file=src/new.cu"])
text = Job(full, annotations="false", sarif_file="out/a b.sarif", **BOTH)
text.analyse(1, ["src/old.cu:6:", "warning: 'cudaStreamSynchronize'"], ["::warning"])
assert text.outputs["analyse"]["sarif-file"] == "out/a b.sarif"
assert not text.summary

# A commit that is nowhere, and nothing that can be analysed.
said = Job(clone("other", "--depth=1"), diff_base="1" * 40, **BOTH).run("Analyse", 2)
assert "::error title=cudagraph-tidy::the history does not reach 1111" in said, said
Job(full, sources="src/none.cu").analyse(2, ["src/none.cu"])
write(os.path.join(full, "src/broken.cu"), '#include "none.h"\n')
Job(full, sources="src/broken.cu", args="--cuda-path=mock").analyse(3)

# --- words are words, and never run

write(os.path.join(full, "a dir/b c.cu"), OLD)
odd = Job(full, sources="'a dir/b c.cu'", args='--cuda-path=mock "--checks=cudagraph-*"',
          compiler_args="-x cuda '-DNAME=\"a b\"' -std=c++17")
odd.analyse(1, ["b c.cu"])
for name in ("sources", "args", "compiler_args"):
    evil = {"sources": "src/old.cu", "args": "--cuda-path=mock"}
    evil[name] = evil.get(name, "") + " $(touch evil) `touch evil` ; touch evil"
    Job(full, **evil).run("Analyse")
    assert not os.path.exists(os.path.join(full, "evil")), name
said = Job(full, sources="src/old.cu", args="'--cuda-path=mock").run("Analyse", 2)
assert "'args' has a quote that does not end" in said, said

# --- names are names, whatever they look like

said = Job(full, diff_base="--upload-pack=touch evil; git-upload-pack", **BOTH).run("Analyse", 2)
assert "is not the name of a commit" in said, said
for base in ("--output=evil", "+HEAD:refs/heads/evil", "HEAD:refs/heads/evil", "^HEAD"):
    Job(full, diff_base=base, **BOTH).run("Analyse", 2)
assert "evil" not in sh("git", "branch", "-a", cwd=full)
assert not os.path.exists(os.path.join(full, "evil"))
odd = ["@e.cu", "--export-fixes=evil.cu", "--fix", "-p", "regions", "list-checks"]
write(os.path.join(full, "e.cu"), "--format=html:evil.html\n--format=json:evil.cu\n")
for name in odd:
    write(os.path.join(full, name), OLD.replace("capture(", f"capture{odd.index(name)}("))
Job(full, sources="\n".join(odd[:2]), args="--cuda-path=mock").analyse(
    1, ["file=@e.cu,line=6", "file=--export-fixes=evil.cu,line=6"])
said = Job(full, sources=" ".join(odd[2:]), args="--cuda-path=mock").run("Analyse")
for name in odd[2:]:
    assert f"::error file={name},line=1" in said, (name, said)
assert not [n for n in os.listdir(full) if n.startswith("evil")]

# --- an upload that is refused is said, and fails nothing

pull = Job(full, base=BASE, fail_on="none", **BOTH)
pull.outcomes["upload"] = "failure"
pull.run("Analyse")
assert "::notice title=cudagraph-tidy::code scanning did not take" in pull.run("Result")
pull.outcomes["upload"] = "skipped"
assert "::notice" not in pull.run("Result")
assert pull.step("Upload to code scanning")["continue-on-error"] is True

# --- results are kept, where the cache of GitHub takes them

kept = pull.step("Cache of the results")["with"]
place = pull.fill(kept["path"])
assert os.listdir(place), place
assert pull.fill(kept["key"]).startswith(pull.fill(kept["restore-keys"]).strip())

# --- other people's actions are pinned

lines = [line for name in ("action.yml", "docs/ci.md", "docs/outputs.md") for line in
         read(os.path.join(ROOT, name)).splitlines() if re.match(r"\s*(- )?uses: ", line)]
for line in lines:
    if "cudagraph-tidy@<commit>" not in line:
        assert re.search(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line
assert len(lines) > 4, lines

# --- the key of LLVM's packages

system = os.path.join(WORK, "system")
write(os.path.join(system, "etc/os-release"), "VERSION_CODENAME=noble\n")
keys = os.path.join(WORK, "key-stubs")
write(os.path.join(keys, "curl"), """#!/bin/sh
while [ "$1" != -o ]; do shift; done
echo key >"$2"
""", executable=True)
for name in ("apt-get", "sudo"):
    write(os.path.join(keys, name), '#!/bin/sh\n[ "${0##*/}" = apt-get ] || exec "$@"\n', executable=True)
GOOD = "6084F3CF814B57C1CF12EFD515CF4D18AF4F7421"


def add_repository(fingerprints, major="22"):
    text = "".join(f"pub:-:4096:1:1:1:::-:::scESC::::::23::0:\nfpr:::::::::{f}:\n" for f in fingerprints)
    write(os.path.join(keys, "gpg"), f"""#!/bin/sh
case "$*" in *--show-keys*) printf '%s' '{text}' ;; *) cat ;; esac
""", executable=True)
    return subprocess.run([os.path.join(ROOT, "ci/add-llvm-repository"), major], text=True, capture_output=True,
                          env={"PATH": keys + os.pathsep + os.environ["PATH"], "ROOT": system})


listed = os.path.join(system, "etc/apt/sources.list.d/apt-llvm-org-22.list")
for wrong in ([], ["0" * 40], [GOOD, "0" * 40], [GOOD[:-1]]):
    done = add_repository(wrong)
    assert done.returncode == 2 and "is not the one expected" in done.stderr, done
    assert not os.path.exists(listed)
assert add_repository([GOOD], "22 main").returncode == 2
done = add_repository([GOOD])
assert done.returncode == 0, done
assert "signed-by=/usr/share/keyrings/apt-llvm-org.gpg" in read(listed)
assert "llvm-toolchain-noble-22 main" in read(listed)

# --- installing

stubs = os.path.join(WORK, "stubs")
log = os.path.join(WORK, "calls")
for name in ("apt-get", "apt-cache", "sudo", "cmake"):
    write(os.path.join(stubs, name), f"""#!/bin/sh
printf '%s\\n' "{name} $*" >>'{log}'
case "{name} $*" in
sudo*) exec "$@" ;;
apt-get*.deb) ln -sf '{DRIVER}' '{stubs}/cudagraph-tidy' ;;
cmake*--install*) mkdir -p build/action/bin && ln -sf '{DRIVER}' build/action/bin ;;
esac
""", executable=True)
BARE = stubs + os.pathsep + "/usr/bin" + os.pathsep + "/bin"
package = os.path.join(WORK, "a.deb")
write(package, "")
said = Job(full, path=BARE, install="none").run("Install", 2)
assert "there is no cudagraph-tidy on PATH" in said, said
for bad, why in (("", "'install: deb' needs 'deb'"), ("http://a.invalid/b.deb", "use https"), ("b.deb", "there is no package b.deb")):
    assert why in Job(full, path=BARE, install="deb", deb=bad).run("Install", 2)
assert "is none of build, deb, none" in Job(full, install="pip").run("Install", 2)
said = Job(full, path=BARE, install="deb", deb=package).run("Install")
assert f"install -y -q --no-install-recommends {package}" in read(log), read(log)
assert "cudagraph-tidy 0." in said, said
os.remove(os.path.join(stubs, "cudagraph-tidy"))

copy = os.path.join(WORK, "action")
for name in ("CMakeLists.txt", "cmake", "checks", "driver", "runtime-probe",
             "test/Inputs/mock", "docs/checks"):
    source, target = os.path.join(ROOT, name), os.path.join(copy, name)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    os.symlink(source, target)
write(os.path.join(copy, "dev"), f"#!/bin/sh\necho \"dev $*\" >>'{log}'\n", True)
built = Job(full, path=BARE)
built.action_path = copy
built.run("Key of the build")
key = built.fill(built.step("Cache of the build")["with"]["key"])
assert re.fullmatch("cudagraph-tidy-Linux-X64-[0-9a-f]{32}", key), key
assert "cudagraph-tidy 0." in built.run("Install")
calls = read(log)
assert "dev setup" in calls and "cmake --build build/tree --target cudagraph-tidy" in calls
assert read(os.path.join(built.files, "GITHUB_PATH")) == f"{copy}/build/action/bin\n"
os.remove(log)
built.run("Install")
assert "cmake" not in read(log), "what the cache has is not built again"
print("done")
