#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: recipe.py check|play ROOT BUILD WORK PAGE

Follows a recipe of docs/contributing/recipes in a copy of the tree in WORK:

  ```LANGUAGE title="F"   becomes the new file F; a file that itself contains
                          blocks is between more backticks
  ```diff                 is applied
  ```console              lines after `$ ` are run by bash; the others, if there
                          are any, are the output; `...` stands for any lines

`check` leaves out commands that build or test. Instead it looks for errors in the
syntax of the sources that the page names, and runs test/hygiene on the result.
`play` also runs the commands. For that, it copies BUILD, a folder below ROOT that
pages call build/release, and mounts the copy over ROOT, so that only files that the
recipe changes are built. This needs Linux's user namespaces."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

FENCE = re.compile(r"(```+)(\w+)(?: title=\"([^\"]+)\")?$")
SLOW = ("ninja", "cmake", "lit-22", "build/")
# The promises to check in the result, by file of test/hygiene.
PROMISES = {
    "hygiene.py": ("agreement", "arrows", "banners", "confidence", "libraries", "lists",
                   "llvm", "models", "paths", "prints", "sizes"),
    "catalogue.py": ("evidence", "generated", "schema"),
}


def blocks(page):
    """Yields the kind, the title, and the text of each block."""
    kind = None
    for line in open(page):
        if kind is None:
            m = FENCE.match(line.rstrip())
            if m:
                end, kind, title, text = m[1], m[2], m[3], ""
        elif line.rstrip() == end:
            yield kind, title, text
            kind = None
        else:
            text += line


def copy(root, work):
    names = subprocess.run(["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-co",
                            "--exclude-standard", "-z"],
                           capture_output=True, text=True, check=True).stdout.split("\0")
    for name in names:
        source, target = os.path.join(root, name), os.path.join(work, name)
        if name and os.path.lexists(source):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    subprocess.run(["git", "init", "-q", work], check=True)


def copy_build(build, work, name):
    """Copies with times, and without files that tests have written there. The copy may
    be inside the original."""
    def ignored(folder, names):
        return [n for n in names if n == "Output" or os.path.join(folder, n) == work]
    shutil.copytree(build, os.path.join(work, name), symlinks=True, ignore=ignored)


def named(page):
    """The files that the page creates or changes with a diff."""
    return [name for kind, title, text in blocks(page)
            for name in ([title] if title else re.findall(r"^\+\+\+ b/(.*)$", text, re.M))]


def sources_of(path):
    """The sources that the compiler reads for this path: several in a unity build."""
    if not re.fullmatch(r"unity_\d+_cxx\.cxx", os.path.basename(path)):
        return [path]
    with open(path) as f:
        return re.findall(r'^#include "(.*)"$', f.read(), re.M)


def syntax_errors(page, root, build, work):
    """The compiler's messages about the sources of the page. Sources in folders that
    the build omits are not checked."""
    with open(os.path.join(build, "compile_commands.json")) as f:
        commands = {os.path.relpath(source, root): e["command"]
                    for e in json.load(f) for source in sources_of(e["file"])}
    for name in named(page):
        like = [c for c in commands if os.path.dirname(c) == os.path.dirname(name)]
        if not name.endswith(".cpp") or not like:
            continue
        words = iter(shlex.split(commands[name if name in commands else like[0]]))
        flags = [next(words), "-fsyntax-only", os.path.join(work, name)]
        for word in words:
            if word == "-isystem":
                flags += [word, next(words)]
            elif word.startswith("-I") and not word[2:].startswith(build):
                flags.append(word.replace(root, work, 1))
            elif word.startswith(("-I", "-D", "-W", "-std=", "-fno-")) and "pch" not in word:
                flags.append(word)
        done = subprocess.run(flags, capture_output=True, text=True)
        if done.returncode:
            yield done.stderr


def wrong_format(page, work):
    """The messages of clang-format about the sources of the page, except cases in
    test/."""
    names = [n for n in named(page) if re.search(r"^(?!test/(?!unit/)).*\.(cpp|h)$", n)]
    if names:
        yield subprocess.run([os.environ["CLANG_FORMAT"], "--dry-run", "-Werror", *names],
                             cwd=work, capture_output=True, text=True).stderr


def promises(page):
    """Yields pairs of a file of test/hygiene and a promise to check in the result.
    Promises of the catalogue take a long time, and are omitted if the page does not
    change it."""
    for script, each in PROMISES.items():
        if script != "catalogue.py" or any(n.startswith("checks/catalogue/") for n in named(page)):
            yield from ((script, promise) for promise in each)


class Player:
    def __init__(self, plays, root, build, work):
        self.plays, self.root, self.work = plays, root, work
        self.build = os.path.relpath(build, root)
        if plays:
            if self.build.startswith(".."):
                sys.exit(f"recipe.py: {build} is not below {root}")
            copy_build(build, work, self.build)

    def run(self, command):
        if not self.plays:
            return subprocess.run(["bash", "-c", command], cwd=self.work, text=True,
                                  capture_output=True)
        # A copy elsewhere would need a complete build.
        command = command.replace("build/release", self.build)
        return subprocess.run(["unshare", "-rm", "bash", "-c", 'mount --bind "$0" "$1" && '
                               'cd "$1" && eval "$2"', self.work, self.root, command],
                              text=True, capture_output=True)

    def console(self, text):
        for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
            command, *wanted = part.splitlines()
            if not self.plays and command.startswith(SLOW):
                continue
            print("$", command, flush=True)
            done = self.run(command)
            output = done.stdout.splitlines()
            missing = [w for w in wanted if w != "..." and w not in output]
            more = [o for o in output if wanted and "..." not in wanted and o not in wanted]
            if done.returncode or missing or more:
                sys.exit(f"{done.stdout}{done.stderr}\nrecipe.py: '{command}' "
                         f"ended with {done.returncode}; not printed: {missing}; "
                         f"not expected: {more}")

    def follow(self, kind, title, text):
        if title:
            path = os.path.join(self.work, title)
            if os.path.exists(path):
                sys.exit(f"recipe.py: {title} already exists")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as f:
                f.write(text)
        elif kind == "diff":
            done = subprocess.run(["git", "-C", self.work, "apply"], input=text,
                                  text=True, capture_output=True)
            if done.returncode:
                sys.exit(f"{text}\nrecipe.py: the diff does not apply: {done.stderr}")
        elif kind == "console":
            self.console(text)


def main():
    what, root, build, work, page = sys.argv[1], *map(os.path.abspath, sys.argv[2:])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    copy(root, work)
    player = Player(what == "play", root, build, work)
    for block in blocks(page):
        player.follow(*block)
    if what == "check":
        for error in syntax_errors(page, root, build, work):
            sys.exit(f"recipe.py: the result does not compile: {error}")
        for error in filter(None, wrong_format(page, work)):
            sys.exit(f"recipe.py: run ./dev format over the result: {error}")
        for script, promise in promises(page):
            done = subprocess.run([sys.executable, f"{work}/test/hygiene/{script}", work, promise],
                                  capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"recipe.py: {script} reports: {done.stdout}{done.stderr}")
    shutil.rmtree(work)


main()
