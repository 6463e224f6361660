# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs the extension for VS Code with vsce.

Both lock files name every package by version and hash, and no package runs a
script when it is installed. vsce takes times and order from SOURCE_DATE_EPOCH.
"""

import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.join(ROOT, "editors", "vscode")
PACKER = os.path.join(ROOT, "packaging", "vscode")
FILES = ("package.json", "package-lock.json", "build.mjs", "tsconfig.json", "icon.png",
         "README.md", ".vscodeignore")


def run(*command, cwd, **environment):
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env={**os.environ, **environment})
    if done.returncode:
        sys.exit(f"release: {' '.join(command)}\n{done.stdout}")


def install(folder):
    run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=folder)


def write(version, epoch, address, work, out):
    """Packs the extension with this version and returns the path."""
    folder = os.path.join(work, "extension")
    shutil.copytree(os.path.join(SOURCE, "src"), os.path.join(folder, "src"),
                    copy_function=shutil.copyfile)
    for name in FILES:
        shutil.copyfile(os.path.join(SOURCE, name), os.path.join(folder, name))
    for name in ("LICENSE", "NOTICE"):
        shutil.copyfile(os.path.join(ROOT, name), os.path.join(folder, name))
    packer = os.path.join(work, "vsce")
    os.makedirs(packer)
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(os.path.join(PACKER, name), os.path.join(packer, name))
    install(folder)
    install(packer)
    run("node", "build.mjs", cwd=folder)

    path = os.path.join(folder, "package.json")
    with open(path) as f:
        manifest = json.load(f)
    manifest["version"] = version
    del manifest["private"]
    manifest["homepage"] = address
    manifest["repository"] = {"type": "git", "url": address}
    with open(path, "w") as f:
        json.dump(manifest, f, indent=2)
        f.write("\n")
    result = os.path.join(out, f"cudagraph-tidy-{version}.vsix")
    run(os.path.join(packer, "node_modules", ".bin", "vsce"), "package", "--no-dependencies",
        "--skip-license", "--out", result, cwd=folder,
        SOURCE_DATE_EPOCH=str(max(epoch, 315532800)))  # a zip's time begins in 1980
    return result
