#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""helix_debian.py DIRECTORY: unpacks Helix there, which Debian has since version 13,
together with the C library that it needs, and creates DIRECTORY/hx. Nothing is
installed. Does nothing if it is already there."""

import glob
import os
import shutil
import stat
import subprocess
import sys

SUITE = "trixie"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def mirror():
    """The address from which this machine's base system was installed."""
    with open("/etc/os-release") as f:
        if "ID=debian\n" not in f.read():
            sys.exit("this is not Debian")
    text = subprocess.run(["apt-cache", "policy", "base-files"], capture_output=True, text=True).stdout
    for words in (line.split() for line in text.splitlines()):
        if len(words) > 2 and words[0].isdigit() and "://" in words[1]:
            return words[1]
    sys.exit("apt has no lists")


def download(directory):
    """Packages are chosen as for an empty system, from lists of their own."""
    for name in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(directory, name))
    sources = os.path.join(directory, "sources.list")
    with open(sources, "w") as f:
        f.write(f"deb [signed-by={KEYRING}] {mirror()} {SUITE} main\n")
    with open(os.path.join(directory, "status"), "w"):
        pass
    options = [f"Dir::Etc::sourcelist={sources}", "Dir::Etc::sourceparts=/nonexistent",
               f"Dir::State::lists={directory}/lists", f"Dir::State::status={directory}/status",
               f"Dir::Cache={directory}/cache", "APT::Sandbox::User=root",
               "Acquire::Retries=1", "Acquire::http::Timeout=20"]
    apt = ["apt-get", "-q", "-y"] + [word for o in options for word in ("-o", o)]
    for command in (["update"], ["install", "--no-install-recommends", "--download-only", "hx"]):
        subprocess.run(apt + command, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.PIPE, text=True)
    return glob.glob(os.path.join(directory, "cache/archives/*.deb"))


def main(directory):
    program = os.path.join(directory, "hx")
    if os.path.exists(program):
        return
    shutil.rmtree(directory, ignore_errors=True)
    root = os.path.join(directory, "root")
    os.makedirs(root)
    for package in download(directory):
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)
    loader = next(iter(glob.glob(f"{root}/usr/lib/*/ld-linux*")), None)
    if not loader:
        sys.exit("the C library has no loader")
    # The loader runs the program with this C library; the processes that the
    # program starts use the system's.
    with open(program, "w") as f:
        f.write(f"#!/bin/sh\nexport HELIX_RUNTIME='{root}/usr/lib/hx/runtime'\n"
                f"exec '{loader}' --library-path '{os.path.dirname(loader)}' "
                f"'{root}/usr/lib/hx/hx' \"$@\"\n")
    os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
    for name in ("lists", "cache"):
        shutil.rmtree(os.path.join(directory, name))


if __name__ == "__main__":
    try:
        main(os.path.abspath(sys.argv[1]))
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"{error}\n{getattr(error, 'stderr', None) or ''}")
