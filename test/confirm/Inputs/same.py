#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""same.py JOINED FINDINGS REPORT DRIVER...: fails unless the driver, with the report,
prints the same as JOINED about each finding and about the rest."""

import json
import subprocess
import sys

joined, findings, report, *driver = sys.argv[1:]
with open(joined) as f:
    ours = json.load(f)
done = subprocess.run(driver + [f"--probe-report={report}", "--format=json", "--quiet", "--"],
                      capture_output=True, text=True)
theirs = json.loads(done.stdout)
for name in ("findings", "run_only"):
    if len(ours[name]) != len(theirs[name]) or not ours[name]:
        sys.exit(f"{len(ours[name])} and {len(theirs[name])} {name}")
for a, b in zip(ours["findings"], theirs["findings"]):
    if a["confirmation"] != b["confirmation"]:
        sys.exit(f"{a['callee']}: {a['confirmation']}\n{b['confirmation']}")
if ours["run_only"] != theirs["run_only"]:
    sys.exit(f"{ours['run_only']}\n{theirs['run_only']}")
