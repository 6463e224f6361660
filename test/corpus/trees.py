# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies the sources of a case from a clone or a mirror to a folder, with its flags."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

SUFFIXES = {".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hpp", ".hxx", ".hh", ".H",
            ".inl", ".inc", ".def", ".ipp", ".tpp", ".tcc", ".tpl", ".impl", ".in", ".mm",
            ".x", ".proto", ".td", ".jinja", ".cuda", ".hip", ".ptx", ""}
LARGEST = 4 << 20  # Larger files are not relevant sources.


class Missing(Exception):
    """A requirement of a case that this machine lacks."""


class Repositories:
    """Git directories by OWNER/NAME: those of a mirror, or clones created on demand."""

    def __init__(self, options):
        self.mirror = options.mirror and pathlib.Path(options.mirror)
        self.clones = pathlib.Path(options.workdir) / "clones"
        self.url = options.clone_url

    def with_commit(self, repo, commit):
        """The git directory of `repo`, which has `commit`."""
        if self.mirror:
            folder = self.mirror / repo.replace("/", "+")
            for git_dir in (folder / "repo/.git", folder / "repo", folder / ".git", folder):
                if (git_dir / "objects").is_dir():
                    break
            else:
                raise Missing(f"the mirror has no {repo}")
        else:
            git_dir = self.clones / repo.replace("/", "+")
            self.fetch(git_dir, repo, commit)
        if git(git_dir, "cat-file", "-e", commit + "^{commit}").returncode:
            raise Missing(f"{repo} has no {commit[:10]} here")
        return git_dir

    def fetch(self, git_dir, repo, commit):
        """One commit without its history, because a case reads nothing else."""
        if not git_dir.is_dir():
            git_dir.mkdir(parents=True)
            git(git_dir, "init", "-q", "--bare")
        if git(git_dir, "cat-file", "-e", commit + "^{commit}").returncode == 0:
            return
        run = git(git_dir, "fetch", "-q", "--depth=1", self.url.format(repo=repo), commit)
        if run.returncode:
            why = (run.stderr.decode(errors="replace").splitlines() or ["no reason given"])[0]
            raise Missing(f"cannot fetch {commit[:10]} of {repo}: {why}")


def git(git_dir, *words):
    return subprocess.run(["git", "--git-dir", str(git_dir), *words], capture_output=True)


def blobs_below(git_dir, commit, paths):
    """Yields (name, blob, is a link) for each source of a commit below the folders
    `paths`."""
    run = git(git_dir, "ls-tree", "-r", "-l", "-z", commit, "--", *[p for p in paths if p])
    for line in run.stdout.decode(errors="replace").split("\0"):
        if not line:
            continue
        about, name = line.split("\t", 1)
        mode, kind, blob, size = about.split()
        suffix = pathlib.PurePosixPath(name).suffix
        if (kind == "blob" and size.isdigit() and int(size) <= LARGEST
                and (suffix in SUFFIXES or ".inc" in name)):
            yield name, blob, mode == "120000"


def extract(git_dir, commit, paths, destination):
    """Writes sources to `destination` unless an earlier call wrote them. Does not use
    git archive, which writes nothing if a mirror lacks one large blob."""
    mark = destination / ".corpus.json"
    have = json.loads(mark.read_text()) if mark.exists() else []
    paths = [path for path in paths if path not in have and "" not in have]
    if not paths:
        return
    cat = subprocess.Popen(["git", "--git-dir", str(git_dir), "cat-file", "--batch"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for name, blob, link in list(blobs_below(git_dir, commit, paths)):
        cat.stdin.write((blob + "\n").encode())
        cat.stdin.flush()
        head = cat.stdout.readline().split()
        if head[1] == b"missing":
            continue
        data = cat.stdout.read(int(head[2]))
        cat.stdout.read(1)
        to = destination / name
        to.parent.mkdir(parents=True, exist_ok=True)
        if not link:
            to.write_bytes(data)
        elif not os.path.lexists(to):
            os.symlink(data.decode(), to)
    cat.stdin.close()
    cat.wait()
    destination.mkdir(parents=True, exist_ok=True)
    mark.write_text(json.dumps(have + paths))


def generate(rules, root):
    """Writes the files that a build would write: {to, from, replace} is a copy inside
    the tree, {to, text} a text."""
    for rule in rules:
        to = root / rule["to"]
        if "text" in rule:
            text = rule["text"]
        elif (root / rule["from"]).exists():
            text = (root / rule["from"]).read_text(errors="replace")
            for pattern, replacement in rule.get("replace", {}).items():
                text = re.sub(pattern, replacement, text, flags=re.M)
        else:
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        if not to.exists() or to.read_text(errors="replace") != text:
            # The file is not changed in place, because it may be a hard link.
            to.unlink(missing_ok=True)
            to.write_text(text)


def generate_protocol_buffers(pattern, root):
    todo = [str(path.relative_to(root)) for path in sorted(root.glob(pattern))
            if not path.with_suffix(".pb.h").exists()]
    if todo and not shutil.which("protoc"):
        raise Missing("there is no protoc")
    if todo:
        subprocess.run(["protoc", "-I.", "--cpp_out=.", *todo], cwd=root,
                       stderr=subprocess.DEVNULL)


def python_headers():
    tried = [pathlib.Path(sysconfig.get_paths()["include"]),
             *sorted(pathlib.Path(sys.base_prefix, "include").glob("python3*")),
             *sorted(pathlib.Path("/usr/include").glob("python3*"))]
    return next((str(path) for path in tried if (path / "Python.h").exists()), None)


class Trees:
    """Folders and flags of all cases in a work directory."""

    def __init__(self, config, options):
        self.config = config
        self.work = pathlib.Path(options.workdir).resolve()
        self.repositories = Repositories(options)
        torch = options.torch_include and os.path.abspath(options.torch_include)
        self.fixed = {"{CUDA}": options.cuda_path, "{TORCH}": torch, "{PY}": python_headers()}
        self.said = {"{TORCH}": "--torch-include", "{PY}": "the headers of Python"}

    def root(self, case, version):
        return (self.work / "trees" / case["repo"].replace("/", "+")
                / case["versions"][version][:12])

    def settings(self, case, version):
        """The case's entry of config.json for one of its versions."""
        entry = self.config["cases"][case["id"]]
        return dict(entry, **entry.get(version, {}))

    def sources(self, case, version):
        """The translation unit with the code, and additional sources to analyze."""
        entry = self.settings(case, version)
        return [entry.get("unit", case["file"]), *entry.get("extra", [])]

    def flags(self, case, version):
        return self.resolve(self.settings(case, version).get("flags", ["@cuda"]),
                            self.root(case, version))

    def resolve(self, words, root):
        result = []
        for word in words:
            if word.startswith("@"):
                result += self.resolve(self.config["flags"][word[1:]], root)
                continue
            for name, value in self.fixed.items():
                if name in word and not value:
                    raise Missing("it needs " + self.said.get(name, name))
                word = word.replace(name, value or "")
            word = word.replace("{ROOT}", str(root))
            word = re.sub(r"\{EXT:([^}]+)\}", lambda m: str(self.work / "ext" / m[1]), word)
            result.append(re.sub(r"\{STUB:([^}]+)\}",
                                 lambda m: str(self.work / "stubs" / m[1]), word))
        return result

    def named(self, kind, words):
        """The references {KIND:name} in flags and in the lists that the flags name."""
        for word in words:
            if word.startswith("@"):
                yield from self.named(kind, self.config["flags"][word[1:]])
            yield from re.findall(r"\{%s:([^}]+)\}" % kind, word)

    def stamp(self, case, version, command):
        """Changes if the inputs of `command` change; otherwise, earlier results can be
        reused."""
        words = self.settings(case, version).get("flags", ["@cuda"])
        made = [self.config["stubs"][name] for name in self.named("STUB", words)]
        made += [self.config["externals"][name] for name in self.named("EXT", words)]
        made += [self.config["repos"].get(case["repo"]), self.settings(case, version),
                 case["versions"][version], command]
        return hashlib.sha256(json.dumps(made).encode()).hexdigest()[:16]

    def prepare(self, case, version):
        """Writes all inputs for the analysis of one version; raises Missing."""
        entry, root = self.settings(case, version), self.root(case, version)
        repo = self.config["repos"].get(case["repo"], {})
        self.flags(case, version)
        commit = case["versions"][version]
        git_dir = self.repositories.with_commit(case["repo"], commit)
        extract(git_dir, commit, sorted({*repo.get("paths", [""]), *entry.get("paths", [])}), root)
        # This tells the analyzer which code belongs to the project.
        (root / ".git").mkdir(exist_ok=True)
        generate([*repo.get("generate", ()), *entry.get("generate", ())], root)
        if "protoc" in repo:
            generate_protocol_buffers(repo["protoc"], root)
        words = entry.get("flags", ["@cuda"])
        for name in self.named("EXT", words):
            external = self.config["externals"][name]
            git_dir = self.repositories.with_commit(external["repo"], external["commit"])
            folder = self.work / "ext" / name
            extract(git_dir, external["commit"], external.get("paths", [""]), folder)
            generate(external.get("generate", ()), folder)
        for name in self.named("STUB", words):
            generate([{"to": path, "text": text}
                      for path, text in self.config["stubs"][name].items()],
                     self.work / "stubs" / name)
        self.check(case, version)

    def check(self, case, version):
        for name in [case["file"], *self.sources(case, version)]:
            if not (self.root(case, version) / name).exists():
                raise Missing(f"{case['repo']} {case['versions'][version][:10]} has no {name}, "
                              "or it is not prepared")
