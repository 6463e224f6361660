#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""hostile.py DIRECTORY: writes a project whose names and lines attack the page, and
prints the file to analyze."""

import os
import sys

where = sys.argv[1]
os.makedirs(where, exist_ok=True)
name = os.path.join(where, "a<img src=x onerror=alert(1)>&\"'\n\u202e.cu")
call = b"cudaStreamSynchronize(s);"
lines = [
    b"void f(cudaStream_t s) {",
    b"  cudaGraph_t g;",
    b"  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);",
    b"  /* </script><script>alert(2)</script> */ " + call,
    b"  /* </ol></article><style>*{display:none}</style> --> ]]> */ " + call,
    b"  /* \xff\xfe\xc0\xaf \xed\xa0\x80 \x1b[31m \x01 \x7f \xc2\x85 */ " + call,
    "  /* \u202e\u2066 right to left \u2069\u202c \u200f \ufeff \u2028 \U000e0041 */ ".encode() + call,
    b"  /* &lt;b&gt; &#x3c; \" ' ` {{7*7}} javascript:alert(3) */ " + call,
    b"  /*" + b"x" * 1000000 + b"*/ " + call + b" //" + b"<b>" * 1000,
    b"  cudaStreamEndCapture(s, &g);",
    b"}",
]
with open(name, "wb") as f:
    f.write(b"\n".join(lines) + b"\n")
sys.stdout.write(name)
