# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Substitutions:
#   %check        both hosts over one file, against its expectations (check.py)
#   %driver       cudagraph-tidy;  %probe: cudagraph-probe
#   %clang-tidy   clang-tidy of the LLVM that the plugin is built for
#   %plugin       the plugin's shared library
#   %mock         mock CUDA headers;  %mock-std, %mock-c, %mock-torch: the others
#   %mockflags    the arguments that parse a .cu file with them
#   %annotations  directory that contains cudagraph/annotations.h
#   %inputs       test/Inputs
#   %root         the repository;  %build: the build directory
#   %clangd       cudagraph-clangd;  %lsp: a session with it (editor/lsp.py)
#   %pyreaders    a Python with the packages that read reports
#   %rewrite      cudagraph-rewrite, of test/metamorphic
#   %lit          lit itself
#   %clang-tidy-19  clang-tidy of that version
# Features: cuda, torch, nvcc, gxx, gpu, asan, fuzzers, bazel; mkdocs, man,
# bash-completion, zsh, fish; jsonschema, junitparser, xmllint, rdformat-validator:
# readers of reports; clangd, nvim, eglot: editors; recipes: requested by
# CUDAGRAPH_RECIPES=1, see test/contributing; unshare: a process can have its own
# mounts; x86-64: the processor; inject: the library that observes programs is built;
# clang-tidy-19; llvm-19-build, llvm-19-driver: build/llvm19 has the plugin or the
# driver; see test/versions.
#   %bazel-dependencies  directory with rules_cc and rules_java of that Bazel

import os
import platform
import shutil

import lit.formats

config.name = "cudagraph-tidy"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cu", ".cpp", ".test"]
config.excludes = ["Inputs", "unit"]
config.test_source_root = os.path.dirname(__file__)

root = config.source_root
inputs = os.path.join(root, "test", "Inputs")
mock = os.path.join(inputs, "mock")
tools = config.llvm_tools
driver = os.path.join(config.build_root, "bin", "cudagraph-tidy")
plugin = os.path.join(
    config.build_root, "lib", f"CudaGraphTidyPlugin-{config.llvm_major}.so"
)
annotations = os.path.join(root, "runtime-probe", "include")

clang_tidy = os.path.join(tools, "clang-tidy")
if config.sanitized == "ON":
    config.available_features.add("asan")
    # The host is not sanitized, so the runtime must come first. Leaks are not
    # reported, because Clang leaves some memory allocated until the process
    # ends.
    clang_tidy = f"env LD_PRELOAD={config.asan_runtime} {clang_tidy}"
    config.environment["ASAN_OPTIONS"] = "detect_leaks=0:detect_container_overflow=0"
    config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1"

# `LLVM=19 ./dev build` builds with another version, in build/llvm19. That build
# runs these tests itself; the default build only starts them.
clang_tidy_19 = "/usr/lib/llvm-19/bin/clang-tidy"
if config.llvm_major == config.llvm_default:
    if os.path.exists(clang_tidy_19):
        config.available_features.add("clang-tidy-19")
    if os.path.exists(os.path.join(root, "build", "llvm19", "bin", "cudagraph-tidy")):
        config.available_features.add("llvm-19-driver")
    if os.path.exists(os.path.join(root, "build", "llvm19", "lib", "CudaGraphTidyPlugin-19.so")):
        config.available_features.add("llvm-19-build")

# The user's own settings must not change a test.
for name in ("HOME", "LANG", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment["PATH"] = os.environ.get("PATH", "")
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
# Results of earlier runs are reused, as they are for a user, but the user's
# own results are not.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")

# With -target-sdk-version, launches are spelled as with current toolkits, with and without a
# toolkit on the machine.
mockflags = (
    f"-x cuda --cuda-host-only -nocudainc -nocudalib --cuda-path={mock} "
    f"-Xclang -target-sdk-version=12.9 -isystem {mock} -include cuda_runtime.h"
)

check = " ".join(
    [
        config.python,
        os.path.join(root, "test", "check.py"),
        f"--clang-tidy='{clang_tidy}'",
        f"--plugin={plugin}",
        f"--driver={driver}",
        f"--root={root}",
    ]
    # With --param host=driver, the cases do not run in the plugin.
    + [f"--only={lit_config.params[p]}" for p in ("host",) if p in lit_config.params]
)

# Debian's modules belong to its own Python.
pyreaders = next(
    (p for p in (config.python, "/usr/bin/python3")
     if os.system(f"'{p}' -c 'import jsonschema, junitparser' 2>/dev/null") == 0),
    "/usr/bin/python3",
)
for module in ("jsonschema", "junitparser"):
    if os.system(f"'{pyreaders}' -c 'import {module}' 2>/dev/null") == 0:
        config.available_features.add(module)
for tool in ("xmllint", "rdformat-validator"):
    if shutil.which(tool):
        config.available_features.add(tool)

for name, value in [
    ("%check", check),
    ("%driver", driver),
    ("%probe", os.path.join(config.build_root, "bin", "cudagraph-probe")),
    ("%clangd", os.path.join(config.build_root, "bin", "cudagraph-clangd")),
    ("%lsp", f"{config.python} {os.path.join(root, 'test', 'editor', 'lsp.py')}"
     " --argument=--background-index=false --argument=--cuda-path=mock"),
    ("%clang-tidy-19", clang_tidy_19),
    ("%clang-tidy", clang_tidy),
    ("%lit", config.lit),
    ("%clangxx", os.path.join(tools, "clang++")),
    ("%clang-format", config.clang_format),
    ("%plugin", plugin),
    ("%rewrite", os.path.join(config.build_root, "test", "metamorphic", "cudagraph-rewrite")),
    ("%FileCheck", os.path.join(tools, "FileCheck")),
    ("%not", os.path.join(tools, "not")),
    ("%mock-std", os.path.join(inputs, "mock-std")),
    ("%mock-c", os.path.join(inputs, "mock-c")),
    ("%mock-torch", os.path.join(inputs, "mock-torch")),
    ("%mockflags", mockflags),
    ("%mock", mock),
    ("%annotations", annotations),
    ("%strict", f"-Wall -Wextra -Wpedantic -Werror -I{annotations}"),
    ("%inputs", inputs),
    ("%python", config.python),
    ("%pyreaders", pyreaders),
    ("%cuda-include", config.cuda_include),
    ("%torch-include", config.torch_include),
    ("%hygiene", os.path.join(root, "test", "hygiene", "hygiene.py")),
    ("%bazel-dependencies", os.environ.get("CUDAGRAPH_BAZEL_DEPENDENCIES", "")),
    ("%build", config.build_root),
    ("%root", root),
]:
    config.substitutions.append((name + r"(?![-\w])", value))

# FileCheck and similar tools have their plain names and the correct version.
config.environment["PATH"] = os.pathsep.join([tools, config.environment["PATH"]])

if config.cuda_include and not config.cuda_include.endswith("NOTFOUND"):
    # The wrapper headers of older versions of Clang include a header that CUDA 13 lacks.
    if config.llvm_major == config.llvm_default or os.path.exists(
        os.path.join(config.cuda_include, "texture_fetch_functions.h")
    ):
        config.available_features.add("cuda")
if os.path.exists(os.path.join(config.build_root, "lib", "libcudagraph_probe_inject.so")):
    config.available_features.add("inject")
if config.torch_include and os.path.isdir(config.torch_include):
    config.available_features.add("torch")
if shutil.which("nvcc"):
    config.available_features.add("nvcc")
if os.path.exists(os.path.join(tools, "clang-apply-replacements")):
    config.available_features.add("clang-apply-replacements")
if platform.machine() == "x86_64":
    config.available_features.add("x86-64")
if shutil.which("git"):
    config.available_features.add("git")
if shutil.which("g++"):
    config.available_features.add("gxx")
if os.path.exists("/dev/nvidiactl"):
    config.available_features.add("gpu")
if config.fuzzers == "ON":
    config.available_features.add("fuzzers")
if config.have_clangd == "ON":
    config.available_features.add("clangd")
    if shutil.which("nvim"):
        config.available_features.add("nvim")
    eglot = "emacs --batch -q --eval '(package-initialize)' -l eglot 2>/dev/null"
    if shutil.which("emacs") and os.system(eglot) == 0:
        config.available_features.add("eglot")
if shutil.which("bazel") and os.environ.get("CUDAGRAPH_BAZEL_DEPENDENCIES"):
    config.available_features.add("bazel")
if os.system("unshare -rm true 2>/dev/null") == 0:
    config.available_features.add("unshare")
    # Follows docs/contributing/recipes to the end, which takes minutes.
    if os.environ.get("CUDAGRAPH_RECIPES"):
        config.available_features.add("recipes")
# The theme that mkdocs.yml names must be installed.
if shutil.which("mkdocs") and "material" in os.popen("mkdocs build --help").read():
    config.available_features.add("mkdocs")
if shutil.which("go-md2man") and shutil.which("mandoc"):
    config.available_features.add("man")
if os.path.exists("/usr/share/bash-completion/bash_completion"):
    config.available_features.add("bash-completion")
config.available_features.update(s for s in ("zsh", "fish") if shutil.which(s))

for feature, what in [
    ("cuda", "no CUDA toolkit: tests against the real headers are skipped"),
    ("torch", "no libtorch headers: tests against them are skipped"),
    ("gpu", "no GPU: tests that run kernels are skipped"),
    ("clangd", "no cudagraph-clangd: tests with an editor are skipped"),
    ("fuzzers", "no fuzz targets (the preset 'fuzz' builds them): their test is skipped"),
]:
    if feature not in config.available_features:
        lit_config.note(what)
