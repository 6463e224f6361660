#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""junit.py FILE: reads FILE with junitparser, and fails unless its counts equal those
in FILE."""

import sys

import junitparser


def counts(suites):
    return [(s.name, s.tests, s.failures, s.errors, s.skipped) for s in suites]


suites = junitparser.JUnitXml.fromfile(sys.argv[1])
said = counts(suites)
for suite in suites:
    suite.update_statistics()
if counts(suites) != said:
    sys.exit(f"counted {counts(suites)}, the file has {said}")
total = [sum(column) for column in list(zip(*said))[1:]]
if [suites.tests, suites.failures, suites.errors] != total[:3]:
    sys.exit(f"the file has {suites.tests, suites.failures, suites.errors}, and its suites have {total}")
for suite in suites:
    for case in suite:
        for result in case.result:
            if not result.message:
                sys.exit(f"{suite.name}: {case.name}: no message")
cases, failures, errors, skipped = total
print(f"{cases} cases, {failures} failure{'s'[:failures != 1]}, {errors} error{'s'[:errors != 1]}, {skipped} skipped")
