# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Reduces a find: removes lines, then tokens, as long as it fails."""

import time

from mutate import TOKEN


def without(parts, fails, deadline):
    """The smallest subset of parts with which it still fails (ddmin)."""
    size = max(len(parts) // 2, 1)
    while size >= 1 and time.monotonic() < deadline:
        at, changed = 0, False
        while at < len(parts) and time.monotonic() < deadline:
            fewer = parts[:at] + parts[at + size:]
            if fewer and fails(fewer):
                parts, changed = fewer, True
            else:
                at += size
        if size == 1 and not changed:
            break
        size = max(size // 2, 1) if size > 1 or changed else 0
    return parts


def reduced(text, fails, seconds):
    """Returns a small text for which fails is true, as for text."""
    deadline = time.monotonic() + seconds
    if not fails(text):
        return text  # it does not fail on its own
    lines = without(text.split("\n"), lambda l: fails("\n".join(l)), deadline)
    text = "\n".join(lines)
    tokens = TOKEN.findall(text)
    if len(tokens) < 400:
        text = "".join(without(tokens, lambda t: fails("".join(t)), deadline))
    return text
