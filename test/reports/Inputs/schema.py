#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""schema.py SCHEMA FILE [--lines]: fails unless FILE, or each line of it,
follows SCHEMA. Needs the jsonschema package."""

import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8-sig") as f:
    schema = json.load(f)
with open(sys.argv[2], encoding="utf-8") as f:
    documents = [json.loads(line) for line in f] if "--lines" in sys.argv else [json.load(f)]
checker = jsonschema.validators.validator_for(schema)(schema)
for document in documents:
    for error in checker.iter_errors(document):
        sys.exit(f"{sys.argv[2]}: {'/'.join(map(str, error.absolute_path))}: {error.message}")
