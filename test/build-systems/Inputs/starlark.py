"""usage: starlark.py ROOT"""

import ast
import os
import re
import sys

ROOT = sys.argv[1]


def read(name):
    with open(os.path.join(ROOT, name)) as f:
        return f.read()


def load_names(tree):
    """The names that load() imports."""
    for node in tree.body:
        call = getattr(node, "value", None)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "load":
            yield from (a.value for a in call.args[1:])


for name in ("cudagraph_tidy.bzl", "BUILD.bazel", "MODULE.bazel"):
    text = read("bazel/" + name)
    tree = ast.parse(text)
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    for loaded in load_names(tree):
        assert loaded in used, (name, loaded)
    # Features of Python that Starlark does not have.
    for node in ast.walk(tree):
        assert not isinstance(node, (ast.While, ast.Try, ast.ClassDef, ast.Lambda,
                                     ast.JoinedStr, ast.Import, ast.With,
                                     ast.Yield, ast.Is)), (name, ast.dump(node))
    if name == "cudagraph_tidy.bzl":
        defined = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
        defined |= {t.id for n in tree.body if isinstance(n, ast.Assign)
                    for t in n.targets}
for loaded in load_names(ast.parse(read("bazel/BUILD.bazel"))):
    assert loaded in defined, loaded
documented = re.findall(r"load\(\"@cudagraph_tidy//:cudagraph_tidy.bzl\", (.*)\)",
                        read("docs/build-systems.md"))
assert documented
for names in documented:
    for loaded in re.findall(r'"(\w+)"', names):
        assert loaded in defined, loaded
version = re.search(r"VERSION ([\d.]+)\n", read("CMakeLists.txt"))[1]
assert f'version = "{version}",\n)' in read("bazel/MODULE.bazel"), version
