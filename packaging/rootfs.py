# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Creates a root file system with cudagraph-tidy and other tools that CI jobs need, for

    docker import cudagraph-tidy-VERSION-rootfs-amd64.tar.gz cudagraph-tidy

mmdebstrap builds it from this machine's release of Debian or Ubuntu and its mirrors.
Identical packages and times produce identical files.
"""

import os
import shutil
import subprocess
import sys

# For projects that CMake configures, and for git's list of changed lines.
PACKAGES = "ca-certificates,cmake,curl,g++,git,ninja-build,make"


def reason():
    """The reason why none can be built here, or None."""
    if not shutil.which("mmdebstrap"):
        return "no mmdebstrap"
    if os.geteuid() != 0:
        return "not root"
    return None


def sources():
    """The apt sources from which the base system of this machine was installed."""
    text = subprocess.run(["apt-cache", "policy", "base-files"], capture_output=True, text=True).stdout
    found = []
    for line in text.splitlines():
        words = line.split()
        if len(words) > 2 and words[0].isdigit() and "://" in words[1]:
            suite, component = words[2].split("/")[:2]
            found.append(f"deb {words[1]} {suite} {component}")
    return sorted(set(found))


def write(packages, version, epoch, out, include=PACKAGES):
    """Installs the .deb files `packages`, and returns the path of the tarball."""
    machine = subprocess.run(["dpkg", "--print-architecture"], capture_output=True,
                             text=True, check=True).stdout.strip()
    result = os.path.join(out, f"cudagraph-tidy-{version}-rootfs-{machine}.tar.gz")
    with open("/etc/os-release") as f:
        release = next(line.split("=")[1].strip().strip('"') for line in f
                       if line.startswith("VERSION_CODENAME="))
    names = " ".join("/" + os.path.basename(p) for p in packages)
    command = ["mmdebstrap", "--quiet", "--variant=minbase", "--dpkgopt=force-unsafe-io",
               f"--include={include}"]
    command += [f"--customize-hook=copy-in '{p}' /" for p in packages]
    command += [f"--customize-hook=chroot \"$1\" dpkg -i {names} >&2",
                f"--customize-hook=chroot \"$1\" rm {names}",
                "--customize-hook=chroot \"$1\" cudagraph-tidy --version >&2",
                # Deletes files that would differ in a second build of the same packages.
                "--customize-hook=rm -rf \"$1\"/var/log/*.log \"$1\"/var/log/apt \"$1\"/var/cache/ldconfig/*",
                release, result, "-"]
    done = subprocess.run(command, input="\n".join(sources()) + "\n", text=True,
                          env=dict(os.environ, SOURCE_DATE_EPOCH=str(epoch)),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"release: mmdebstrap failed\n{done.stdout}")
    return result
