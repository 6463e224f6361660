"""Runs the steps of action.yml as GitHub does, in repositories created for this; see
action_job.py.
usage: action.py ROOT DRIVER"""

import atexit
import hashlib
import os
import re
import shutil
import subprocess
import tarfile

from action_job import ACTION, DRIVER, ROOT, WORK, Job, read, sh, write

CLEAN = """#include <cuda_runtime.h>

cudaError_t capture(cudaStream_t s, cudaGraph_t *graph) {
  if (cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return e;
  return cudaStreamEndCapture(s, graph);
}
"""
CALL = "  (void)cudaStreamSynchronize(s);\n"
OLD = CLEAN.replace("  return cudaStreamEnd", CALL + "  return cudaStreamEnd")


# The copy is not below the build directory, whose compile database would be
# found.
atexit.register(shutil.rmtree, WORK, ignore_errors=True)
write(os.path.join(WORK, "gitconfig"),
      "[user]\nname = A\nemail = a@example.invalid\n[init]\ndefaultBranch = main\n"
      "[protocol \"file\"]\nallow = always\n")

# --- a pull request: old.cu already has a finding, new.cu receives one

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

# A commit that does not exist, and nothing to analyze.
said = Job(clone("other", "--depth=1"), diff_base="1" * 40, **BOTH).run("Analyze", 2)
assert "::error title=cudagraph-tidy::the history does not reach 1111" in said, said
Job(full, sources="src/none.cu").analyse(2, ["src/none.cu"])
write(os.path.join(full, "src/broken.cu"), '#include "none.h"\n')
Job(full, sources="src/broken.cu", args="--cuda-path=mock").analyse(3)

# --- words are passed as words, and never executed

write(os.path.join(full, "a dir/b c.cu"), OLD)
odd = Job(full, sources="'a dir/b c.cu'", args='--cuda-path=mock "--checks=cudagraph-*"',
          compiler_args="-x cuda '-DNAME=\"a b\"' -std=c++17")
odd.analyse(1, ["b c.cu"])
for name in ("sources", "args", "compiler_args"):
    evil = {"sources": "src/old.cu", "args": "--cuda-path=mock"}
    evil[name] = evil.get(name, "") + " $(touch evil) `touch evil` ; touch evil"
    Job(full, **evil).run("Analyze")
    assert not os.path.exists(os.path.join(full, "evil")), name
said = Job(full, sources="src/old.cu", args="'--cuda-path=mock").run("Analyze", 2)
assert "'args' has an unterminated quote" in said, said

# --- names are passed as names, even if they look like options

said = Job(full, diff_base="--upload-pack=touch evil; git-upload-pack", **BOTH).run("Analyze", 2)
assert "is not the name of a commit" in said, said
for base in ("--output=evil", "+HEAD:refs/heads/evil", "HEAD:refs/heads/evil", "^HEAD"):
    Job(full, diff_base=base, **BOTH).run("Analyze", 2)
assert "evil" not in sh("git", "branch", "-a", cwd=full)
assert not os.path.exists(os.path.join(full, "evil"))
odd = ["@e.cu", "--export-fixes=evil.cu", "--fix", "-p", "regions", "list-checks"]
write(os.path.join(full, "e.cu"), "--format=html:evil.html\n--format=json:evil.cu\n")
for name in odd:
    write(os.path.join(full, name), OLD.replace("capture(", f"capture{odd.index(name)}("))
Job(full, sources="\n".join(odd[:2]), args="--cuda-path=mock").analyse(
    1, ["file=@e.cu,line=6", "file=--export-fixes=evil.cu,line=6"])
said = Job(full, sources=" ".join(odd[2:]), args="--cuda-path=mock").run("Analyze")
for name in odd[2:]:
    assert f"::error file={name},line=1" in said, (name, said)
assert not [n for n in os.listdir(full) if n.startswith("evil")]

# --- a refused upload is reported, but the job does not fail

pull = Job(full, base=BASE, fail_on="none", **BOTH)
pull.outcomes["upload"] = "failure"
pull.run("Analyze")
assert "::notice title=cudagraph-tidy::code scanning refused" in pull.run("Result")
pull.outcomes["upload"] = "skipped"
assert "::notice" not in pull.run("Result")
assert pull.step("Upload to code scanning")["continue-on-error"] is True

# --- results are stored in the directory that GitHub caches

kept = pull.step("Cache of the results")["with"]
place = pull.fill(kept["path"])
assert os.listdir(place), place
assert pull.fill(kept["key"]).startswith(pull.fill(kept["restore-keys"]).strip())

# --- third-party actions are pinned

lines = [line for name in ("action.yml", "docs/ci.md", "docs/outputs.md") for line in
         read(os.path.join(ROOT, name)).splitlines() if re.match(r"\s*(- )?uses: ", line)]
for line in lines:
    if "uses: cudagraph-tidy/cudagraph-tidy@v" not in line:
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
    assert done.returncode == 2 and "not the expected key" in done.stderr, done
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
assert "must be release, build, deb, or none" in Job(full, install="pip").run("Install", 2)
said = Job(full, path=BARE, install="deb", deb=package).run("Install")
assert f"install -y -q --no-install-recommends {package}" in read(log), read(log)
assert "cudagraph-tidy 0." in said, said
os.remove(os.path.join(stubs, "cudagraph-tidy"))

# --- the released archive, which is the default

release = os.path.join(WORK, "release")
name = f"cudagraph-tidy-0.0.7-linux-{os.uname().machine}.tar.gz"
write(os.path.join(release, "tree/bin/cudagraph-tidy"), f"#!/bin/sh\nexec '{DRIVER}' \"$@\"\n", True)
with tarfile.open(os.path.join(release, name), "w:gz") as tar:
    tar.add(os.path.join(release, "tree"), "cudagraph-tidy-0.0.7")
with open(os.path.join(release, name), "rb") as f:
    SUM = hashlib.sha256(f.read()).hexdigest()
write(os.path.join(release, "SHA256SUMS"), f"{SUM}  {name}\n{'0' * 64}  other\n")
# Replaces curl for the release's address, which does not exist here.
ADDRESS = "https://github.com/owner/cudagraph-tidy/releases/download/v0.0.7/"
write(os.path.join(stubs, "curl"), f"""#!/usr/bin/python3
import os, sys
args = [a.replace({ADDRESS!r}, "file://{release}/") for a in sys.argv[1:]]
os.execv("/usr/bin/curl", ["curl", *args])
""", True)
archive = os.path.join(release, name)
for more in ({"version": "0.0.7"}, {"archive": archive}, {"archive": "file://" + archive, "sha256": SUM}):
    job = Job(full, path=BARE, **more)
    shutil.rmtree(os.path.join(WORK, "temp/cudagraph-tidy"), ignore_errors=True)
    assert "cudagraph-tidy 0." in job.run("Install"), more
    assert read(os.path.join(job.files, "GITHUB_PATH")) == os.path.join(WORK, "temp/cudagraph-tidy/bin\n")
for more, why in (({"archive": archive, "sha256": "1" * 64}, f"has the SHA-256 checksum {SUM}, not 1111"),
                  ({"archive": archive, "sha256": "1"}, "there is no SHA-256 checksum of"),
                  ({"archive": "http://a.invalid/" + name}, "is not encrypted; use https"),
                  ({"archive": archive + "x"}, "there is no SHA-256 checksum of"),
                  ({"archive": "/nowhere/" + name}, "SHA256SUMS: there is no such release")):
    said = Job(full, path=BARE, **more).run("Install", 2)
    assert why in said and "'install: build' builds the tool" in said, (more, said)
os.remove(archive)
write(archive, "not what was released")
assert "Do not use it" in Job(full, path=BARE, archive=archive).run("Install", 2)

copy = os.path.join(WORK, "action")
for name in ("CMakeLists.txt", "cmake", "checks", "driver", "runtime-probe",
             "test/Inputs/mock", "docs/checks"):
    source, target = os.path.join(ROOT, name), os.path.join(copy, name)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    os.symlink(source, target)
write(os.path.join(copy, "dev"), f"#!/bin/sh\necho \"dev $*\" >>'{log}'\n", True)
built = Job(full, path=BARE, install="build")
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
