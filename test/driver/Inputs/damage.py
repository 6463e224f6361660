#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""damage.py HOW FILE...: damages each FILE: "truncate" (to its half), "empty",
"flip" (a byte in the middle), "last" (the last byte), "append", "version" (a
digit of the first line)."""

import sys


def damaged(data, how):
    data = bytearray(data)
    if how == "truncate":
        return data[:len(data) // 2]
    if how == "empty":
        return b""
    if how == "flip":
        data[len(data) // 2] ^= 0x40
    elif how == "last":
        data[-1] ^= 1
    elif how == "append":
        data += b"x"
    elif how == "version":
        end = data.index(b"\n")
        data[end - 1] = ord("0") if data[end - 1] != ord("0") else ord("9")
    else:
        sys.exit(f"{how}: unknown")
    return data


if len(sys.argv) < 3:
    sys.exit("no file")
for name in sys.argv[2:]:
    with open(name, "rb") as f:
        data = f.read()
    with open(name, "wb") as f:
        f.write(damaged(data, sys.argv[1]))
