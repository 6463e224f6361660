#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Promises about the tree that no compiler checks. One function per promise;
usage: hygiene.py ROOT PROMISE"""

import glob
import json
import os
import re
import subprocess
import sys

ROOT = ""
SOURCE = (".cpp", ".h", ".def", ".cu", ".cuh", ".td", ".inc")


def files():
    """Tracked and new files, but not build outputs."""
    names = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"],
        capture_output=True, text=True, check=True).stdout.split("\0")
    return sorted(n for n in names if n and os.path.isfile(os.path.join(ROOT, n)))


def text(name):
    with open(os.path.join(ROOT, name), errors="replace") as f:
        return f.read()


def component(name):
    for prefix, what in (("checks/support/", "support"),
                         ("checks/versions/", "versions"),
                         ("checks/catalogue/", "catalogue"),
                         ("checks/rules/", "rules"),
                         ("checks/Module", "module"),
                 ("checks/InClangd", "module"),
                         ("runtime-probe/format/", "format"),
                         ("runtime-probe/report/", "tool"),
                         ("runtime-probe/tool/", "tool"),
                         ("runtime-probe/confirm/", "confirm"),
                         ("runtime-probe/", "probe")):
        if name.startswith(prefix):
            return what
    # Each folder of the analysis.
    part = re.match(r"checks/(analysis/\w+)/", name)
    if part:
        return part[1]
    # Each folder of the driver, and main() with the commands above them.
    part = re.match(r"driver(/\w+)?(?=/)", name)
    return part and part[0]


# The other components that each component may include. A component on the right
# is in a line above, so that no two depend on each other; a report reads
# findings, which are plain values of the analysis and the rules.
SUMMARIES = {"support", "versions", "catalogue", "analysis/ir", "analysis/findings",
             "analysis/program"}
CHECKS = SUMMARIES | {"analysis/lower", "rules"}
ARROWS = {
    "support": set(),
    "versions": set(),
    "catalogue": {"support"},
    "analysis/ir": {"catalogue"},
    "analysis/findings": {"support", "catalogue", "analysis/ir"},
    "analysis/lower": {"versions", "catalogue", "analysis/ir"},
    "analysis/program": {"versions", "catalogue", "analysis/ir", "analysis/findings"},
    "analysis/confidence": {"analysis/findings"},
    "analysis/domain": {"analysis/ir"},
    "analysis/facts": SUMMARIES | {"analysis/confidence", "analysis/domain"},
    "analysis/timeline": {"analysis/domain", "analysis/facts"},
    # A model does not include another model: see models() below.
    "analysis/models": SUMMARIES | {"analysis/confidence", "analysis/domain",
                                    "analysis/facts", "analysis/timeline"},
    "analysis/interpreter": SUMMARIES | {"analysis/domain", "analysis/facts",
                                         "analysis/models"},
    "rules": SUMMARIES | {"analysis/confidence", "analysis/lower", "analysis/facts",
                          "analysis/interpreter"},
    "module": CHECKS | {"versions"},
    "format": {"support", "catalogue"},
    "probe": {"catalogue", "format"},
    "confirm": {"support", "catalogue", "format"},
    "tool": {"support", "catalogue", "format", "confirm"},
    "driver/support": {"support", "versions", "catalogue"},
    "driver/translation": {"driver/support", "versions"},
    "driver/reports": CHECKS | {"confirm"},
    "driver/options": CHECKS | {"driver/support", "driver/translation",
                                "driver/reports", "versions"},
    "driver/database": {"support", "driver/support", "driver/translation",
                        "driver/options"},
    "driver/units": CHECKS | {"driver/support", "driver/translation",
                              "driver/options", "driver/database"},
    "driver/selection": CHECKS | {"driver/support", "driver/options",
                                  "driver/database", "driver/reports"},
    "driver/linking": CHECKS | {"confirm", "driver/support",
                                "driver/translation", "driver/options",
                                "driver/units", "driver/reports",
                                "driver/selection"},
    "driver/output": CHECKS | {"driver/support", "driver/options",
                               "driver/reports"},
    "driver/editor": CHECKS | {"module", "driver/support", "driver/translation",
                               "driver/options", "driver/database",
                               "driver/units", "driver/reports"},
}
ARROWS["driver"] = CHECKS | {part for part in ARROWS if "/" in part
                             and part != "driver/editor"}
ENGINE = {name for name in ARROWS if name.startswith("analysis/")}
ENGINE.remove("analysis/lower")
WITHOUT_CLANG = ENGINE | {"support", "catalogue", "probe", "format", "confirm",
                          "tool"}
WITH_LLVM = ENGINE | {"support", "tool"}


def resolve(name, include):
    """The project's file that `name` includes, or None."""
    for base in (os.path.dirname(name), "checks", "", "runtime-probe",
                 "runtime-probe/include"):
        path = os.path.normpath(os.path.join(base, include))
        if os.path.isfile(os.path.join(ROOT, path)):
            return path
    return None


def arrows():
    above = set()
    for left, right in ARROWS.items():
        yield from (f"the arrow from {left} to {name} goes down the table"
                    for name in sorted(right - above))
        above.add(left)
    for name in files():
        mine = component(name)
        if not mine or not name.endswith(SOURCE):
            continue
        if mine not in ARROWS:
            yield f"{name}: no arrow defines the includes of {mine}"
            continue
        for include in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]',
                                  text(name), re.M):
            first = include.split("/")[0]
            if (mine in WITHOUT_CLANG and first in ("clang", "llvm", "clang-tidy")
                    and not (mine in WITH_LLVM and first == "llvm")):
                yield f"{name} includes {include}; {mine} must not use Clang"
            target = resolve(name, include)
            other = component(target) if target else None
            if other and other != mine and other not in ARROWS[mine]:
                yield f"{name} includes {target}: {mine} must not depend on {other}"


MODEL = re.compile(r"checks/analysis/models/(\w+Model)\.h$")


def models():
    """Models interact through the state and events; none of them names another."""
    names = {m[1]: m[0] for m in map(MODEL.match, files()) if m}
    names.pop("Model", None)
    if len(names) < 10:
        yield "checks/analysis/models: found no models"
    for name in files():
        if not name.startswith("checks/analysis/models/"):
            continue
        # The header of a source file determines its model.
        own = set(re.findall(r'#include "(\w+Model)\.h"', text(name)))
        own |= {os.path.basename(name).split(".")[0]}
        if name.endswith(".cpp") and len(own & names.keys()) > 1:
            yield f"{name} includes more than one model"
        for other in names.keys() - own:
            if re.search(rf"\b{other}\b", text(name)):
                yield f"{name} names {other}"


def checks():
    return re.findall(r'^CHECK\((\w+),\s*"([^"]+)"', text("checks/Checks.def"),
                      re.M)


def joined(literals):
    """The text of adjacent string literals."""
    return re.sub(r'"\s*"', "", literals).strip('" \n')


def agreement():
    table = checks()
    ids = [i for _, i in table]
    if not ids:
        yield "checks/Checks.def has no check"
    if ids != sorted(ids):
        yield "checks/Checks.def is not sorted by id"
    for cls, i in table:
        for needed in (f"checks/rules/{cls}.cpp", f"docs/checks/{i}.md"):
            if not os.path.isfile(os.path.join(ROOT, needed)):
                yield f"{i}: no {needed}"
        folder = os.path.join(ROOT, "test/checks", i)
        if not os.path.isdir(folder) or not os.listdir(folder):
            yield f"{i}: no tests in test/checks/{i}/"
        if cls.lower() != i.removeprefix("cudagraph-").replace("-", ""):
            yield f"{i}: class {cls} does not match the id"
    known = set(ids)
    for name in files():
        m = re.match(r"docs/checks/(cudagraph-[\w-]+)\.md$", name)
        if m and m[1] not in known:
            yield f"{name}: no such check in Checks.def"
        m = re.match(r"test/checks/([^/]+)/", name)
        if m and m[1] not in known:
            yield f"{name}: no such check in Checks.def"
    facts = [(kind, details, joined(what)) for kind, details, what in re.findall(
        r'^FACT\((\w+), (\w+),\s*((?:"[^"]*"\s*)+)\)',
        text("checks/analysis/facts/Facts.def"), re.M)]
    page = re.findall(r"^\| `(\w+)` \| `(\w+)` \| (.*) \|$",
                      text("docs/writing-a-check.md"), re.M)
    if not facts or page != facts:
        yield "docs/writing-a-check.md: the facts differ from Facts.def"
    # Each page repeats the options for --explain and SARIF.
    roots = re.search(r"^\| `Roots` \| (.*), comma-separated \|.*; (`.*` by default)",
                      text("docs/plugin.md"), re.M)
    for i in ids:
        if f"{roots[1]}; {roots[2]}" not in " ".join(text(f"docs/checks/{i}.md").split()):
            yield f"docs/checks/{i}.md: Roots differs from docs/plugin.md"
    for page, line in (("README.md", "[`{0}`](docs/checks/{0}.md)"),
                       ("docs/index.md", "- [{0}](checks/{0}.md)"),
                       ("mkdocs.yml", "- checks/{0}.md")):
        lines = text(page)
        for i in ids:
            if line.format(i) not in lines:
                yield f"{page} does not list {i}"


def rows(page, head):
    """The names in the first column of the tables of `page` whose first line begins
    with `head`."""
    names, inside = [], False
    for line in text(page).splitlines():
        m = re.match(r"\| \[?`([\w-]+)`", line)
        if inside and m:
            names.append(m[1])
        inside = line.startswith(head) or (inside and line.startswith("|"))
    return names


def lists():
    """Pages and --help have the same lists as the tables, in the same order."""
    formats = re.findall(r'^FORMAT\(\w+, "(\w+)", ([^,]*),',
                         text("driver/reports/Formats.def"), re.M)
    findings = [n for n, what in formats if "FINDINGS" in what]
    spelled = ", ".join(findings[:-1]) + ", or " + findings[-1]
    if f"Report as {spelled}, to".replace("text,", "text (default),") not in text(
            "driver/options/Options.td"):
        yield "driver/options/Options.td: --format lists different formats"
    page = text("docs/command-line.md")
    m = re.search(r"^\| `--format=.*$", page, re.M)
    if not m or re.findall(r"`(\w+)`", m[0].split(", to `FILE`")[0]) != findings:
        yield "docs/command-line.md: --format lists different formats"
    for name, _ in formats:
        if name not in findings and f"`{name}`" not in m[0]:
            yield f"docs/command-line.md: --format does not list {name}"
        if name not in findings and f"`{name}`" not in text("docs/outputs.md"):
            yield f"docs/outputs.md does not list {name}"
    lines = re.findall(r'^(?:LINE|EVENT)\(\w+, "([\w-]+)"',
                       text("runtime-probe/format/Lines.def"), re.M)
    kinds = re.findall(r'^KIND\(\w+, "([\w-]+)"',
                       text("runtime-probe/format/Kinds.def"), re.M)
    for page, head, wanted in (
            ("docs/outputs.md", "| format | purpose", findings),
            ("docs/probe-format.md", "| `e` |", lines),
            ("docs/probe-format.md", "| kind |", kinds),
            ("docs/probe.md", "| kind |", kinds)):
        found = rows(page, head)
        if found != wanted:
            yield (f"{page}: the table '{head}' has {' '.join(found)}, and its "
                   f".def file {' '.join(wanted)}")


def causes():
    """The page of known causes has the rows of their table, and each program is
    there."""
    kinds = dict(re.findall(r'^KIND\((\w+), "([\w-]+)"',
                            text("runtime-probe/format/Kinds.def"), re.M))
    string = r'((?:"[^"]*"\s*)+)'
    table = re.findall(rf"^CAUSE\((\w+), (\d+), {', *'.join(7 * [string])}\)".replace(
        ", *", r",\s*"), text("runtime-probe/report/Causes.def"), re.M)
    if len(table) < 15:
        yield "runtime-probe/report/Causes.def: found too few causes"
    page = re.findall(r"^\| (`.*) \|$", text("docs/causes.md"), re.M)
    wanted = []
    for kind, code, *rest in table:
        call, thread, stream, frame, remedy, source, shown = map(joined, rest)
        seen = [f"`{kinds[kind]}`", code if code != "0" else "",
                f"`{call}`" if call else "",
                "on another thread" if thread == "other" else
                f"on a thread `{thread}*`" if thread else "",
                f"on the {stream} stream" if stream else "",
                f"in `{frame}`" if frame else ""]
        wanted.append(" | ".join([" ".join(filter(None, seen)), remedy, source, shown]))
        for program in shown.split("; "):
            name, _, case = program.partition(" ")
            if case not in text(f"runtime-probe/programs/{name}"):
                yield f"Causes.def: runtime-probe/programs/{name} has no {case}"
    if page != wanted:
        yield "docs/causes.md: the rows differ from runtime-probe/report/Causes.def"


# Code that may read a level of confidence; all other code states facts.
READS_LEVELS = ("checks/analysis/confidence/", "checks/analysis/findings/",
                "checks/Module.cpp", "checks/rules/Analyze.cpp",
                "checks/rules/DefaultStream.cpp", "checks/rules/Operators.cpp")


def confidence():
    """Only Evidence.def determines confidence, and a page shows it."""
    table = re.findall(r'^EVIDENCE\((\w+),\s*(\w+),\s*((?:"[^"]*"\s*)+)\)',
                       text("checks/analysis/confidence/Evidence.def"), re.M)
    table = [(name, level.lower(), joined(known)) for name, level, known in table]
    if len(table) < 20:
        yield "checks/analysis/confidence/Evidence.def: found too little evidence"
    page = re.findall(r"^\| `(\w+)` \| (\w+) \| (.*) \|$",
                      text("docs/confidence.md"), re.M)
    for line in [row for row in table if row not in page]:
        yield f"docs/confidence.md does not have {' | '.join(line)}"
    for line in [row for row in page if row not in table]:
        yield f"docs/confidence.md has {' | '.join(line)}, but Evidence.def does not"
    used = set()
    for name in files():
        if not name.startswith("checks/") or not name.endswith((".cpp", ".h")):
            continue
        used |= set(re.findall(r"\bEvidence::(\w+)", text(name)))
        if name.startswith(READS_LEVELS):
            continue
        for level in re.findall(r"\bConfidence::(Certain|Likely|Possible)\b",
                                text(name)):
            yield f"{name} decides that something is {level.lower()}: see Evidence.def"
    for name, _, _ in table:
        if name not in used:
            yield f"Evidence.def: {name} is not used"


def banners():
    license = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
    code = SOURCE + (".py", ".cmake", ".sh")
    for name in files():
        base = os.path.basename(name)
        # Cases start with their RUN line.
        if name.startswith("test/") and not name.startswith(
                ("test/unit/", "test/Inputs/mock", "test/hygiene/")):
            continue
        if not (base.endswith(code) or base == "CMakeLists.txt"
                or name in ("dev", ".ci/run")
                or name.startswith("test/Inputs/mock")
                and not base.startswith(".")):
            continue
        head = "\n".join(text(name).splitlines()[:10])
        if license not in head:
            yield f"{name}: no license line in its first ten lines"
        if (base.endswith((".h", ".cpp", ".def"))
                and not head.startswith(f"//===- {base} - ")):
            yield f"{name}: the first line does not name the file"


def format():
    tool = os.environ["CLANG_FORMAT"]
    if not os.path.exists(tool):
        yield "clang-format is not installed"
        return
    # test/ has cases in which columns matter; its .clang-format has that setting.
    names = [n for n in files() if n.endswith((".cpp", ".h", ".cu", ".cuh"))
             and (not n.startswith("test/")
                  or n.startswith(("test/unit/", "test/Inputs/mock")))]
    done = subprocess.run([tool, "--dry-run", "-Werror"] + names, cwd=ROOT,
                          capture_output=True, text=True)
    if done.returncode:
        wrong = sorted(set(re.findall(r"^([^:\n]+):\d+:\d+: error", done.stderr,
                                      re.M)))
        yield from (f"{name}: run ./dev format" for name in wrong)
        if not wrong:
            yield done.stderr.strip()


# Files that may write to the standard streams. All others pass text to these, and foreign text in
# it passes through catalogue/Printable.h.
STREAMS = {
    "checks/Module.cpp",                    # versions, before there is a host
    "checks/Loader.cpp",                    # the same, for each version
    "checks/catalogue/EmbedCatalogue.cpp",  # a tool of the build
    "checks/catalogue/EmbedVersions.cpp",  # a tool of the build
    "driver/output/Output.cpp",             # reports, and printToStdout()
    "driver/units/WorkerPool.cpp",          # flushes before it forks
    "driver/editor/main.cpp",               # --version and --help
    "driver/main.cpp",
    "runtime-probe/tool/ConfirmCommand.cpp",
    "runtime-probe/tool/ReportCommand.cpp",
    "runtime-probe/tool/RunCommand.cpp",
    "runtime-probe/tool/main.cpp",
}
# In these files, each line that prints an error or a name uses Printable.h.
PRINTS = re.compile(r"\b(errs|outs|dbgs)\(\)|(?<!\")std::(cerr|cout|clog)\b"
                    r"|\b(fprintf|fputs|fwrite|printf|puts|perror)\(")


def prints():
    for name in files():
        if (not name.startswith(("checks/", "driver/", "runtime-probe/"))
                or name.startswith(("runtime-probe/programs/", "runtime-probe/conformance/",
                                    "runtime-probe/include/"))
                or not name.endswith((".cpp", ".h"))):
            continue
        for number, line in enumerate(text(name).splitlines(), 1):
            code = line.split("//")[0]
            if PRINTS.search(code) and name not in STREAMS:
                yield f"{name}:{number}: prints directly: {line.strip()}"
            # The message of an error quotes foreign text.
            if re.search(r"<<\s*(llvm::)?toString\(", code):
                yield f"{name}:{number}: prints an error without escapes; use printable()"


# Literals of the analysis and the rules may not contain a name that a library declares, or a
# name or namespace in the catalogue; see docs/catalogue.md.
LIBRARY = (
    r"\b(?:cuda|cu|__cuda)[A-Z]\w*|\bCU\w+_st\b"
    r"|\b(?:cublas|cudnn|cufft|curand|cusolver|cusparse|nccl|nvrtc|pthread)(?:[A-Z_]\w*|\b)"
    r"|\b(?:CUBLAS|CUDNN|CUFFT|CURAND|CUSOLVER|CUSPARSE|NCCL|NVRTC|CUDA)_[A-Z]\w*"
    r"|\b(?:TorchLibrary|TVMFFI|XLA_FFI)\w*")
# The exceptions, and the reasons why the catalogue does not contain them.
PROSE = "messages and advice name functions of CUDA's runtime"
LIBRARY_NAMES = {
    "cudaErrorNotPermitted": PROSE,
    "cudaErrorStreamCaptureUnsupported": PROSE,
    "cudaEventWaitExternal": PROSE,
    "cudaGraphExecKernelNodeSetParams": PROSE,
    "cudaGraphRetainUserObject": PROSE,
    "cudaLaunchHostFunc": PROSE,
    "cudaMemcpyAsync": PROSE,
    "cudaUserObjectCreate": PROSE,
    "CUBLAS_POINTER_MODE_DEVICE": "advice for the scalars of any BLAS call",
    "<<<>>>": "CUDA's syntax for a launch",
    "<stream>": "functions that work on a given stream",
    "forward": "the interface of the standard library's utilities",
    "operator[]": "an operator of the language",
    "std::operator<<": "an operator of the language, for any class",
    "at": "the interface of the standard library's containers",
    "data": "the interface of the standard library's containers",
    "fork": "a word of reports: an event forks a stream into the capture",
    "wait": "a word of reports: a stream waits for an event",
    "tensor": "a word of the analysis for its values",
    "pybind11": "a word of reports: how an operator is registered",
    "torch": "a word of reports: how an operator is registered",
}


def catalogued():
    """The names and the name patterns in the catalogue."""
    for path in sorted(glob.glob(os.path.join(ROOT, "checks/catalogue/data/*.json"))):
        with open(path) as file:
            data = json.load(file)
        for entry in data.get("entries", []):
            yield entry["name"]
        for group in data.get("names", []):
            names = list(group.get("names", group.get("values", [])))
            yield from names
            if group["role"].endswith("-namespace"):
                yield from (name + "::" for name in names)


def libraries():
    """No literal of the analysis and the rules contains a name that a library
    declares."""
    names = set(catalogued())
    known = {name for name in names if "*" not in name}
    if len(known) < 1000:
        yield "the catalogue has hardly any names; check the pattern"
    spaces = {name.split("::")[0] for name in names if "::" in name}
    library = re.compile(LIBRARY + r"|\b(?:" + "|".join(
        sorted(each for each in spaces if "*" not in each)) + r")::[\w<=]*")
    literal = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:\\.|[^\'\\\n])\'|^\s*#\s*include[^\n]*'
                         r'|"((?:\\.|[^"\\\n])*)"', re.S | re.M)
    for name in files():
        if (not name.startswith(("checks/analysis/", "checks/rules/"))
                or not name.endswith(SOURCE)):
            continue
        code = text(name)
        for found in literal.finditer(code):
            if found[1] is None:
                continue
            named = library.findall(found[1])
            if found[1] in known:
                named.append(found[1])
            for each in sorted(set(named) - LIBRARY_NAMES.keys()):
                line = code.count("\n", 0, found.start()) + 1
                yield (f"{name}:{line}: names {each!r}; facts about a "
                       "library belong in checks/catalogue/data")


# A program, package, or directory of LLVM with its number.
LLVM = re.compile(
    r"(?<!\w)(?:lib)?(?:clang|llvm|lit|lld|cudagraphtidyplugin)(?:\+\+|d)?"
    r"(?:-(?:common|cpp|dev|format|rt|tidy|toolchain|tools))*(?: version)?[-/ ]?(\d+)(?!\w)",
    re.I)
# Functions that the supported older version lacks; see docs/contributing/recipes/llvm.md.
NEWER = re.compile(r"\.insert_range\(|\bllvm::replace\(")


def llvm():
    """Each text that names a major version of LLVM names the one in CMakeLists.txt
    or a supported older one, except in old releases, with measurements, and as an
    arbitrary compiler. Sources use no function that the older one lacks."""
    major = re.search(r"^set\(CUDAGRAPH_LLVM_MAJOR (\d+)\)$", text("CMakeLists.txt"), re.M)[1]
    older = re.search(r"^set\(CUDAGRAPH_LLVM_OLDER ([\d ]+)\)$", text("CMakeLists.txt"), re.M)[1]
    found = 0
    for name in files():
        if (name == "CHANGELOG.md" or name.endswith((".png", ".gz", ".xz", ".jsonl"))
                or name.startswith(("test/unit/", "checks/catalogue/measured/"))
                or name in ("docs/performance.md", "test/bench/Inputs/figures.json")):
            continue
        for number, line in enumerate(text(name).splitlines(), 1):
            if name.endswith((".cpp", ".h")) and NEWER.search(line):
                yield f"{name}:{number}: LLVM {older} lacks this function"
            for named in LLVM.findall(line):
                found += 1
                if named not in [major, *older.split()]:
                    yield f"{name}:{number}: LLVM {named} instead of {major}"
    if found < 20:
        yield "hardly any file names LLVM's version; check the pattern"


def paths():
    # Spelled in pieces, so that this file does not contain these words.
    private = re.compile("|".join(["/" + "work/", "/" + "root/", "/" + r"home/\w",
                                   "/" + r"Users/\w", "/" + r"tmp/\w+/\w"]))
    for name in files():
        if name.endswith((".png", ".gz", ".xz")):
            continue
        for number, line in enumerate(text(name).splitlines(), 1):
            if private.search(line):
                yield (f"{name}:{number}: path of a specific machine: "
                       f"{line.strip()[:80]}")
            if line.endswith((" ", "\t")) and not name.endswith(".md"):
                yield f"{name}:{number}: trailing space"


# A file or a class has one subject and can be read in one sitting.
MOST_LINES, MOST_METHODS = 400, 39
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*'
                     r'|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S | re.M)
CLASS = re.compile(r"\b(?:class|struct)\s+((?:\w+::)*\w+)(?:\s+final)?\s*(?::[^:;{}()][^;{}()]*)?\{")
NO_METHOD = re.compile(r",|(?:template\s*)?(?:class|struct|union|enum|using|typedef|friend"
                       r"|static_assert)\b")
METHOD = re.compile(r"(?:\w|\boperator\s*(?:\(\)|[^\s\w(]+))\s*\((?!\s*\*)")


def opening(code):
    """The opening comment with the purpose of a file."""
    return re.match(r"(?://[^\n]*\n|\s*\n)*", code)[0]


def members(code, begin):
    """The declarations in the class whose body begins at `begin`, without the contents
    of their braces."""
    depth, parens, current = 1, 0, ""
    for char in code[begin:]:
        depth += (char == "{") - (char == "}")
        if depth == 0:
            return
        if depth > 1:
            continue
        parens += (char == "(") - (char == ")")
        # Braces inside parentheses are a default argument.
        if char in ";}" and parens == 0:
            yield re.sub(r"\b(?:public|protected|private)\s*:(?!:)", "", current).strip()
            current = ""
        else:
            current += char


def is_method(member):
    # Function types are between angle brackets; initializers follow '='.
    member = re.sub(r"\boperator\s*[<>=!-]+", "operator_", member).replace("->", "")
    before = None
    while before != member:
        before, member = member, re.sub(r"<[^<>]*>", "", member)
    return (not NO_METHOD.match(member)
            and METHOD.search(member.split("=")[0]) is not None)


def sizes():
    for name in files():
        if (not name.startswith(("checks/", "driver/", "runtime-probe/"))
                or not name.endswith((".cpp", ".h"))):
            continue
        code = text(name)
        length = code.count("\n")
        if (length > MOST_LINES
                and "\n// Long because " not in opening(code)):
            yield (f"{name}: has {length} lines, more than {MOST_LINES}; split "
                   "it, or state 'Long because ...' in its opening comment")
        if not name.startswith("checks/"):
            continue
        code = NO_CODE.sub("", code)
        for found in CLASS.finditer(code):
            methods = sum(map(is_method, members(code, found.end())))
            if methods > MOST_METHODS:
                yield (f"{name}: {found[1]} has {methods} methods, more than "
                       f"{MOST_METHODS}")


def main():
    global ROOT
    ROOT, promise = sys.argv[1], sys.argv[2]
    problems = list({f.__name__: f for f in (
        arrows, models, agreement, lists, causes, confidence, banners, format,
        libraries, llvm, paths, prints, sizes)}[promise]())
    print(*problems, sep="\n")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
