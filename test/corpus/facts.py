# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The facts: reading them, choosing cases, and checking their consistency."""

import hashlib
import json
import pathlib
import re
import sys

PLACEHOLDER = re.compile(r"\{([A-Z]+)(?::([^}]+))?\}")
TYPES = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}
# Longer texts would be quoted code, which facts must not contain.
LONGEST = 420


def load(folder, name):
    return json.loads((pathlib.Path(folder) / name).read_text())


def half_of(identifier):
    """Cases are split by a hash of their names, not by choice."""
    return "open" if hashlib.sha256(identifier.encode()).digest()[0] % 2 == 0 else "locked"


def cases(folder):
    """Returns every bug and good capture by ID; versions are {parent|fix|good: commit}."""
    found = {}
    for bug in load(folder, "bugs.json"):
        found[bug["id"]] = dict(bug, kind="bug", versions={
            "parent": bug["parent_commit"], "fix": bug["fix_commit"]})
    for good in load(folder, "good.json"):
        found[good["id"]] = dict(good, kind="good", versions={"good": good["commit"]})
    return found


def chosen(options):
    """The cases that --set, --half, and --only select."""
    everything = cases(options.facts)
    for name in options.only:
        if name not in everything:
            sys.exit(f"corpus.py: there is no case {name}")
    return {name: case for name, case in everything.items()
            if options.set in ("all", case["set"])
            and options.half in ("all", case["half"])
            and (not options.only or name in options.only)}


def violations(value, schema, where):
    """Violations of a JSON schema, for the keywords that this project uses."""
    if "anyOf" in schema:
        if all(list(violations(value, one, where)) for one in schema["anyOf"]):
            yield f"{where}: {value!r} is not an allowed value"
        return
    if "const" in schema or "enum" in schema:
        allowed = schema.get("enum", [schema.get("const")])
        if not any(value is one or (value == one and type(value) is type(one))
                   for one in allowed):
            yield f"{where}: {value!r} is not one of {allowed}"
        return
    kind = TYPES[schema["type"]]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        yield f"{where}: {value!r} is not of type {schema['type']}"
        return
    if kind is str:
        if not re.search(schema.get("pattern", ""), value):
            yield f"{where}: '{value}' does not match {schema['pattern']}"
        if len(value) > schema.get("maxLength", LONGEST):
            yield f"{where}: is longer than {schema.get('maxLength', LONGEST)} characters"
    elif kind is int and value < schema.get("minimum", value):
        yield f"{where}: {value} is less than {schema['minimum']}"
    elif kind is list:
        if len(value) < schema.get("minItems", 0):
            yield f"{where}: is empty"
        for number, item in enumerate(value):
            yield from violations(item, schema["items"], f"{where}[{number}]")
    elif kind is dict:
        known = schema["properties"]
        yield from (f"{where}: has no {name}" for name in known
                    if name not in value and name in schema.get("required", known))
        for name, item in value.items():
            if name not in known:
                yield f"{where}: {name} is not a property of the schema"
            else:
                yield from violations(item, known[name], f"{where}.{name}")


def unused(config, everything):
    """Names in config.json that are not used, and those that are not defined."""
    seen = {"flags": set(), "externals": set(), "stubs": set()}

    def follow(words, where):
        for word in words:
            if word.startswith("@"):
                name = word[1:]
                if name not in config["flags"]:
                    yield f"{where}: there is no list of flags {name}"
                elif name not in seen["flags"]:
                    seen["flags"].add(name)
                    yield from follow(config["flags"][name], "flags " + name)
            for kind, name in PLACEHOLDER.findall(word):
                table = {"EXT": "externals", "STUB": "stubs"}.get(kind)
                if table and name not in config[table]:
                    yield f"{where}: {table} have no {name}"
                elif table:
                    seen[table].add(name)
                elif kind not in ("ROOT", "CUDA", "TORCH", "PY"):
                    yield f"{where}: nothing stands for {{{kind}}}"

    for name, entry in config["cases"].items():
        for one in (entry, *(entry[version] for version in ("parent", "fix", "good")
                             if version in entry)):
            yield from follow(one.get("flags", ["@cuda"]), "case " + name)
    for table, names in seen.items():
        yield from (f"{table}: no case uses {name}" for name in config[table]
                    if name not in names)
    used = {case["repo"] for case in everything.values()}
    yield from (f"repos: no case uses {name}" for name in config["repos"] if name not in used)


def of_wrong_form(folder):
    """Violations of schema.json in the records."""
    schema = load(folder, "schema.json")
    for name in ("bugs", "good", "readings"):
        for number, record in enumerate(load(folder, name + ".json")):
            where = record.get("id", f"record {number}")
            yield from violations(record, schema[name], f"{name}.json: {where}")


def problems(folder):
    """All errors in the facts."""
    if wrong := list(of_wrong_form(folder)):
        # The code below relies on the form of the facts.
        yield from wrong
        return
    lists = {name: load(folder, name + ".json") for name in ("bugs", "good", "readings")}
    everything, config = cases(folder), load(folder, "config.json")
    names = [record["id"] for name in ("bugs", "good") for record in lists[name]]
    yield from (f"{name}: occurs twice" for name in sorted({n for n in names
                                                            if names.count(n) > 1}))
    sets = {}
    for name, case in everything.items():
        if name not in config["cases"]:
            yield f"{name}: config.json does not specify how to analyze it"
        if case["half"] != ("open" if case["set"] == "shared" else half_of(name)):
            yield f"{name}: does not belong to the half {case['half']}"
        sets.setdefault(case["repo"], set()).add(case["set"])
        if case["kind"] == "bug":
            if case["parent_commit"] == case["fix_commit"]:
                yield f"{name}: is its own parent"
            if case["buggy_lines"] != sorted(set(case["buggy_lines"])):
                yield f"{name}: lines are not in order"
    yield from (f"{repo}: is in two sets" for repo, of in sorted(sets.items()) if len(of) > 1)
    yield from (f"config.json: there is no case {name}" for name in config["cases"]
                if name not in everything)
    yield from unused(config, everything)
    for record in lists["readings"]:
        case = everything.get(record["id"])
        if not case or case["half"] != "open":
            yield f"readings.json: {record['id']} is not an open case"
