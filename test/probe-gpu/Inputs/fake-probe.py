#!/usr/bin/env python3
"""A stand-in for cudagraph-probe: prints the expected report of a case, except that
`thread` is off by one line, `merge` has a different code, `simple` has a finding, and
`unjoined` has none."""

import json
import os
import sys

import gpu_cases
import run_gpu

report, program, argument = sys.argv[3], os.path.basename(sys.argv[5]), sys.argv[6]
case = next(c for c in gpu_cases.CASES
            if c["program"] == program and c["argument"] == argument)
path = os.path.join(os.path.dirname(run_gpu.__file__), run_gpu.source(case))
marked = run_gpu.markers(path, argument)
findings = [dict(kind=w["kind"], severity=w.get("severity", "error"),
                 code=w.get("code", 0), api=w.get("api"),
                 consequences=[dict(code=901)], changes=[dict(what=w.get("what", ""))],
                 location=dict(file="/s/" + run_gpu.source(case),
                               line=marked[0][0] if marked else 1))
            for w in case["finds"]]
if argument == "thread":
    findings[0]["location"]["line"] += 1
if argument == "merge":
    findings[0]["code"] = 905
if argument == "simple":
    findings.append(dict(kind="escaped", code=0, api="cudaMemset"))
if argument == "unjoined":
    findings = []
with open(report, "w") as f:
    json.dump(dict(version=1, findings=findings, program=dict(
        status=case.get("status", 0), signal=case.get("signal", 0))), f)
