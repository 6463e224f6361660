"""Tests the aspect and the test rule under Bazel without a network: DEPENDENCIES
contains what Bazel would download (rules_cc and rules_java of its version), and the
script adds what newer versions of rules_cc have.
usage: bazel.py BAZEL DEPENDENCIES DRIVER MOCK RULES WORKDIR"""

import os
import re
import shutil
import subprocess
import sys

BAZEL, DEPENDENCIES, DRIVER, MOCK, RULES, WORK = sys.argv[1:7]
INPUTS = os.path.dirname(os.path.abspath(__file__))
SPACE = os.path.join(WORK, "space")


def write(name, text):
    path = os.path.join(WORK, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def read(name):
    with open(os.path.join(SPACE, name)) as f:
        return f.read()


def bazel(*args):
    overrides = [f"--override_repository={name}={WORK}/{name}"
                 for name in ("rules_cc", "rules_java", "remote_coverage_tools",
                              "cudagraph_tidy")]
    done = subprocess.run(
        [BAZEL, "--batch", f"--output_user_root={WORK}/root", args[0]]
        + overrides + ["--color=no", "--curses=no", "--test_output=all",
                       "--@cudagraph_tidy//:tool=//:program",
                       "--@cudagraph_tidy//:cuda_headers=//:toolkit",
                       "--@cudagraph_tidy//:summarize_options="
                       + ",".join("--extra-arg=" + a for a in (
                           "-nocudainc", "-nocudalib", "-include",
                           "cuda_runtime.h")), "-s"]
        + list(args[1:]), cwd=SPACE, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


subprocess.run(["chmod", "-R", "u+w", WORK], stderr=subprocess.DEVNULL)
shutil.rmtree(WORK, ignore_errors=True)
shutil.copytree(os.path.join(INPUTS, "project"), SPACE)
shutil.copytree(MOCK, os.path.join(SPACE, "cuda", "include"))
for name in ("rules_cc", "rules_java"):
    shutil.copytree(os.path.join(DEPENDENCIES, name), os.path.join(WORK, name))
shutil.copytree(RULES, os.path.join(WORK, "cudagraph_tidy"))
write("cudagraph_tidy/WORKSPACE", "")
write("remote_coverage_tools/WORKSPACE", "")
write("remote_coverage_tools/BUILD", "".join(
    f'filegroup(name = "{name}", visibility = ["//visibility:public"])\n'
    for name in ("coverage_report_generator", "lcov_merger")))
write("rules_cc/cc/common/BUILD", "")
for name, what in (("cc_info", "CcInfo"), ("cc_common", "cc_common")):
    # A global cannot be assigned its own name in one step.
    write(f"rules_cc/cc/common/{name}_.bzl", f"value = {what}\n")
    write(f"rules_cc/cc/common/{name}.bzl",
          f'load(":{name}_.bzl", "value")\n{what} = value\n')
with open(os.path.join(WORK, "rules_cc/cc/find_cc_toolchain.bzl"), "a") as f:
    f.write('\ndef use_cc_toolchain():\n'
            '    return ["@bazel_tools//tools/cpp:toolchain_type"]\n')
for name, under in (("BUILD.bazel", ""), ("cuda_rules.bzl", ""),
                    ("broken.cpp", ""), ("more.cc", "ops/")):
    with open(os.path.join(INPUTS, "bazel", name)) as f:
        write("space/" + under + name, f.read().replace("DRIVER", DRIVER))
write("space/WORKSPACE", 'local_repository(name = "cudagraph_tidy", path = "'
      + WORK + '/cudagraph_tidy")\n')

status, text = bazel("test", "//:tidy")
assert status and text.count("[cudagraph-sync-call]") == 3, text
assert "5 translation units, none incomplete" in text, text
report = read("bazel-bin/tidy.report.txt")
assert re.search(r"^app/main.cpp:7:3: note: capture of", report, re.M), report
assert "    3 | static void wait(cudaStream_t)" in report, report
assert WORK not in report, report
for folder, _, names in os.walk(os.path.join(SPACE, "bazel-bin/_cudagraph_tidy")):
    for name in names:
        with open(os.path.join(folder, name), "rb") as f:
            assert WORK.encode() not in f.read(), name

status, text = bazel("test", "//:one_check")
assert status == 0, text
assert "_cudagraph_tidy/step/ops/step.cpp.summary" not in text, text # not built
assert "Linking the summaries" in text, text # but otherwise linked

os.utime(os.path.join(SPACE, "ops/step.cpp"))
with open(os.path.join(SPACE, "ops/step.cpp"), "a") as f:
    f.write("// edited\n")
status, text = bazel("test", "//:tidy")
made = re.findall(r"-o \S*/_cudagraph_tidy/(\S+)[.]summary", text)
assert status and sorted(set(made)) == ["step/ops/step.cpp"], (made, text)

status, text = bazel("test", "//:incomplete")
assert status and "'missing.h' file not found" in text, text
assert "broken.cpp is incomplete: 1 parse error" in text, text
print("done")
