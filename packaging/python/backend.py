# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend (PEP 517) that pip calls for a clone of the repository.

Builds an empty wheel that requires the released wheel of the same version, which
packaging/release.py creates. Uses only the standard library, so that pip fetches only
that wheel.
"""

import base64
import hashlib
import os
import re
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAME = "cudagraph_tidy_hooks"


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt")) as f:
        return re.search(r"^project\(cudagraph-tidy\s+VERSION ([0-9.]+)", f.read(), re.M)[1]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    number = version()
    info = f"{NAME}-{number}.dist-info"
    files = {
        f"{info}/METADATA":
            f"Metadata-Version: 2.1\nName: {NAME.replace('_', '-')}\nVersion: {number}\n"
            "Summary: The pre-commit hooks of cudagraph-tidy\n"
            f"Requires-Dist: cudagraph-tidy =={number}\n",
        f"{info}/WHEEL":
            "Wheel-Version: 1.0\nGenerator: cudagraph-tidy\nRoot-Is-Purelib: true\n"
            "Tag: py3-none-any\n",
    }
    record = ""
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
        record += f"{name},sha256={digest.rstrip(b'=').decode()},{len(text)}\n"
    files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
    result = f"{NAME}-{number}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, result), "w") as wheel:
        for name, text in files.items():
            wheel.writestr(zipfile.ZipInfo(name), text)
    return result


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the sources are released as they are in the repository")
