#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Creates the pictures of the HTML report in this folder, from examples/.

  docs/images/make.py [DRIVER]

The default DRIVER is build/release/bin/cudagraph-tidy. Needs Chromium; uses
optipng if it is installed.
"""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SIZE = "1280,1180"
LIMIT = 300 * 1024


def main():
    driver = os.path.abspath(
        sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/release/bin/cudagraph-tidy"))
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        sys.exit("make.py: Chromium was not found; install the package chromium")
    with tempfile.TemporaryDirectory() as work:
        page = os.path.join(work, "page.html")
        run = subprocess.run(
            [driver, "--cuda-path=mock", "--no-cache", "--quiet", "--format=html:" + page,
             "examples/correct.cu", "examples/engine.cu", "examples/escape.cu", "--"], cwd=ROOT)
        if run.returncode != 1:
            sys.exit(f"make.py: {driver} ended with {run.returncode}, not with findings")
        with open(page, encoding="utf-8") as f:
            text = f.read()
        for theme in ("light", "dark"):
            named = os.path.join(work, theme + ".html")
            with open(named, "w", encoding="utf-8") as f:
                f.write(text.replace("<html ", f'<html data-theme="{theme}" ', 1))
            image = os.path.join(HERE, f"report-{theme}.png")
            subprocess.run(
                [chromium, "--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu",
                 "--window-size=" + SIZE, "--virtual-time-budget=2000", "--user-data-dir=" + work,
                 "--screenshot=" + image, "file://" + named],
                check=True, stderr=subprocess.DEVNULL)
            if shutil.which("optipng"):
                subprocess.run(["optipng", "-quiet", "-o5", image], check=True)
            size = os.path.getsize(image)
            print(f"{os.path.relpath(image, ROOT)}: {size // 1024} KiB")
            if size > LIMIT:
                sys.exit("make.py: the picture is larger than a page should load")


if __name__ == "__main__":
    main()
