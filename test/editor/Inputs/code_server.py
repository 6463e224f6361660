#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""code_server.py DIRECTORY: installs the packages that docs/images/vscode.mjs
needs there, in the versions of the lock file in code-server/. No package runs a
script, and nothing is compiled. Does nothing if they are already installed."""

import filecmp
import os
import shutil
import subprocess
import sys

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "code-server")
NAMES = ("package.json", "package-lock.json")


def npm(command, directory):
    subprocess.run(
        ["npm", command, "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund",
         "--fetch-retries=1", "--fetch-timeout=30000"],
        cwd=directory, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def main(directory):
    done = os.path.join(directory, "node_modules", NAMES[1])
    if os.path.exists(done) and filecmp.cmp(done, os.path.join(SOURCE, NAMES[1]), shallow=False):
        return
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    for name in NAMES:
        shutil.copy(os.path.join(SOURCE, name), directory)
    npm("ci", directory)
    # A script of code-server would do this. The editor's own lock file is
    # incomplete.
    editor = os.path.join(directory, "node_modules", "code-server", "lib", "vscode")
    npm("install", editor)
    os.symlink("node_modules", os.path.join(editor, "node_modules.asar"))
    shutil.copy(os.path.join(SOURCE, NAMES[1]), done)


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error}\n{error.stderr}")
