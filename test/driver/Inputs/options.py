#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""options.py HELP PAGE: fails unless both list the same options."""

import re
import sys


def options(path, pattern):
    with open(path) as f:
        return set(re.findall(pattern, f.read(), re.M))


shown = options(sys.argv[1], r"^  (--?[a-z][-a-z]*)")
written = options(sys.argv[2], r"^\| `(--?[a-z][-a-z]*)")
for name in sorted(shown - written):
    print(f"{name} is not in {sys.argv[2]}")
for name in sorted(written - shown):
    print(f"{name} is not in --help")
sys.exit(shown != written)
