#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""validate.py SCHEMA FILE: fails unless FILE follows SCHEMA. Without the jsonschema
package, only required fields are compared."""

import json
import sys


def required(schema, value, root, path="$"):
    """Checks the keywords that need no library."""
    if "$ref" in schema:
        schema = root["definitions"][schema["$ref"].rsplit("/", 1)[1]]
    for part in schema.get("allOf", []):
        required(part, value, root, path)
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                sys.exit(f"{path}: no {name}")
        for name, part in schema.get("properties", {}).items():
            if name in value:
                required(part, value[name], root, f"{path}.{name}")
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            required(schema["items"], item, root, f"{path}[{i}]")


with open(sys.argv[1]) as f:
    schema = json.load(f)
with open(sys.argv[2], encoding="utf-8") as f:
    document = json.load(f)
required(schema, document, schema)
try:
    import jsonschema
except ImportError:
    sys.exit(0)
jsonschema.validate(document, schema)
