"""Compares docs/ci.md with the repository.
usage: snippets.py ROOT OUT

Writes each block whose first line is `# NAME` to OUT/<number>/NAME, and checks
that hooks, inputs, and files that the page names exist."""

import os
import re
import sys

import yaml

ROOT, OUT = sys.argv[1:3]
problems = []


def expect(truth, what):
    if not truth:
        problems.append(what)


def read(name):
    with open(os.path.join(ROOT, name)) as f:
        return f.read()


page = read("docs/ci.md")
action = yaml.safe_load(read("action.yml"))
hooks = {h["id"]: h for h in yaml.safe_load(read(".pre-commit-hooks.yaml"))}

blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)
expect(len(blocks) == page.count("\n```") / 2, "a block does not end")
for number, (language, text) in enumerate(blocks):
    if name := re.match(r"# (\S+)\n", text):
        path = os.path.join(OUT, str(number), name[1])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
    if language != "yaml":
        continue
    document = yaml.safe_load(text)
    for repository in document.get("repos", []):
        for hook in repository["hooks"]:
            known = hooks.get(hook["id"])
            expect(known, f"there is no hook {hook['id']}")
            if repository["repo"] == "local" and known:
                expect(all(known[k] == v for k, v in hook.items()),
                       "the local hook differs from the one in .pre-commit-hooks.yaml")
    for job in document.get("jobs", {}).values():
        for step in job["steps"]:
            if "cudagraph-tidy@" in step.get("uses", ""):
                for name in step["with"]:
                    expect(name in action["inputs"], f"no input {name}")

rows = {r[0]: r[1] for r in re.findall(r"^\| `([\w-]+)` \|(?: (.*?))? \| .* \|$", page, re.M)}
for name, hook in hooks.items():
    twin = hooks.get(name.removesuffix("-pip"))
    if twin is not hook:
        expect(hook == {**twin, "id": name, "language": "python"},
               f"the hook {name} is not its twin with Python")
        continue
    expect(name in rows, f"the page lacks the hook {name}")
    expect(f"{name}-pip" in hooks, f"the hook {name} has no twin with Python")
for name, entry in action["inputs"].items():
    expect(name in rows, f"the page lacks the input {name}")
    default = entry["default"]
    if default and name in rows:
        expect(rows[name] == f"`{default}`", f"default of {name}: {rows[name]}")
for name in action["outputs"]:
    expect(f"`{name}`" in page, f"the page lacks the output {name}")
print(*problems, sep="\n")
sys.exit(1 if problems else 0)
