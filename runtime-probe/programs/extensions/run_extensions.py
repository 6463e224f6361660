#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: run_extensions.py analyze --sources DIR --verdicts DIR --tidy TIDY [--include DIR]...
       run_extensions.py run --sources DIR --verdicts DIR --build DIR --probe PROBE
                         [--output FILE] [--filter PROJECT,...] [--jobs N]
       run_extensions.py join --verdicts DIR --output FILE RESULT...
       run_extensions.py --check

Compares the verdicts of `cudagraph-tidy ops` on the operators of public PyTorch extensions with their behavior in a capture. DIR of --sources has a checkout of each repository of projects.py.

  analyze   writes the verdicts, without a GPU; --include has the headers of PyTorch and Python
  run       builds the extensions, makes each call of operator_runs.py without and with the
            probe, and compares; ends with 1 if the probe changes a result
  join      compares earlier results with the verdicts; of two results of an operator, the
            last counts
  --check   the runs name known projects, without PyTorch"""

import argparse
import ast
import concurrent.futures
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from projects import PROJECTS  # noqa: E402
from run_gpu import machine_of  # noqa: E402

LIMIT = 60  # seconds for a program
ROW = ("capture", "code", "message", "replay", "nodes", "skipped")
# A refused capture is also reported as unfinished.
HARMLESS = ("environment", "warm-up", "frozen", "unfinished")


def database(project, options):
    """compile_commands.json, in the folder of the project."""
    top = project.top(options.sources)
    include = [part for path in options.include for part in ("-isystem", os.path.abspath(path))]
    entries = [dict(directory=top, file=source,
                    arguments=["clang++", *(["-x", "cuda"] if source.endswith(".cu") else []),
                               *project.arguments(), *include, "-c", source])
               for source in project.sources(options.sources)]
    path = os.path.join(os.path.abspath(options.verdicts), project.name)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "compile_commands.json"), "w") as f:
        json.dump(entries, f)
    return path


def analyze(options):
    for project in PROJECTS:
        if not any(name in project.name for name in options.filter.split(",")):
            continue
        folder = database(project, options)
        done = subprocess.run([options.tidy, "ops", "-p", folder, "--quiet",
                               f"--format=json:{folder}/ops.json"],
                              cwd=project.top(options.sources), capture_output=True, text=True)
        print(f"{project.name}: status {done.returncode} {done.stderr.strip()[-300:]}")


def verdicts(options):
    """Maps each project and operator to its entry in the output of ops."""
    found = {}
    for project in PROJECTS:
        path = os.path.join(options.verdicts, project.name, "ops.json")
        if os.path.exists(path):
            with open(path) as f:
                for each in json.load(f)["ops"]:
                    found[project.name, each["name"]] = each
    return found


def ninja(options, projects):
    """Writes build.ninja; returns {project: library}."""
    from torch.utils import cpp_extension
    import sysconfig

    include = [*cpp_extension.include_paths("cuda"), sysconfig.get_paths()["include"]]
    folders = cpp_extension.library_paths("cuda")
    flags = " ".join(f"-isystem {i}" for i in include)
    link = " ".join(f"-L{f} -Wl,-rpath,{f}" for f in folders)
    nvcc = " ".join(cpp_extension.COMMON_NVCC_FLAGS)
    out, libraries = [
        f"rule cu\n command = cd $top && nvcc -O2 -g -lineinfo -arch=native -Xcompiler=-fPIC "
        f"{nvcc} $flags {flags} -c $source -o $out",
        f"rule cpp\n command = cd $top && c++ -O1 -g -fPIC -w $flags {flags} "
        f"-I/usr/local/cuda/include -c $source -o $out",
        f"rule link\n command = c++ -shared -o $out $in {link} -lc10 -lc10_cuda -ltorch_cpu "
        f"-ltorch_cuda -ltorch -ltorch_python -lcudart"], {}
    for project in projects:
        top, objects = project.top(options.sources), []
        for source in project.sources(options.sources):
            obj = os.path.join(options.build, project.name, source + ".o")
            objects.append(obj)
            os.makedirs(os.path.dirname(obj), exist_ok=True)
            rule = "cu" if source.endswith(".cu") else "cpp"
            out.append(f"build {obj}: {rule} {os.path.join(top, source)}\n top = {top}\n"
                       f" source = {source}\n flags = {' '.join(project.arguments())}")
        libraries[project.name] = os.path.join(options.build, project.name + ".so")
        out.append(f"build {libraries[project.name]}: link {' '.join(objects)}")
    with open(os.path.join(options.build, "build.ninja"), "w") as f:
        f.write("\n".join(out) + "\n")
    done = subprocess.run(["ninja", "-k", "0", "-C", options.build], capture_output=True,
                          text=True)
    if done.returncode:
        print(done.stdout[-3000:], file=sys.stderr)
    return {name: path for name, path in libraries.items() if os.path.exists(path)}


def error_in(text):
    """The first line of an exception, without addresses."""
    lines = [line for line in text.splitlines() if "Error: " in line]
    return re.sub("0x[0-9a-f]+", "0x", lines[-1])[:160] if lines else ""


def execute(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, cwd=HERE)
    except subprocess.TimeoutExpired:
        return {"capture": "does not end"}
    for line in done.stdout.splitlines():
        if line.startswith("ROW "):
            row = json.loads(line[4:])
            return {k: row[k] for k in ROW if row.get(k) is not None}
    return {"capture": "ends the program", "message": error_in(done.stderr)}


def place(of):
    return f"{os.path.basename(of['file'])}:{of['line']}" if of and of.get("file") else None


def perform(number, library, own, options):
    """`own` lists the names of the project's sources."""
    program = [sys.executable, os.path.join(HERE, "measure_operator.py"), str(number), library]
    bare = execute(program)
    report = os.path.join(options.build, f"{number}.json")
    probed = execute([options.probe, "run", "--output", report, "--", *program])
    findings, data = [], {}
    if os.path.exists(report):
        with open(report) as f:
            data = json.load(f)
    for f in data.get("findings", []):
        if f["severity"] != "remark" and f["kind"] not in HARMLESS:
            stack = [place(frame) for frame in f.get("stack", [])]
            findings.append(dict(kind=f["kind"], code=f["code"], api=f["api"], places=[
                p for p in dict.fromkeys([place(f.get("location")), *stack])
                if p and p.split(":")[0] in own]))
    return bare, probed, findings, data


def breaks(run):
    return (run["row"].get("capture", "ok") != "ok" or run["row"].get("replay") == "differs"
            or bool(run["findings"]))


def outcome(row, findings):
    """The results that the probe must not change. Results of work that escapes are arbitrary."""
    if any(f["kind"] == "escaped" for f in findings):
        return "skipped" in row
    return [row.get(k) for k in ("capture", "code", "replay", "nodes", "skipped")]


def status_of(entry, runs):
    executed = [r for r in runs if "skipped" not in r["row"]]
    if not executed:
        return "not executed"
    if entry is None:
        return "not in the table"
    if entry["verdict"] == "unknown":
        return "decided: " + ("breaks" if any(map(breaks, executed)) else "works")
    agrees = any(map(breaks, executed)) == (entry["verdict"] == "unsafe")
    return "confirmed" if agrees else "refuted"


def cause_of(entry):
    cause = (entry or {}).get("cause")
    return cause and dict(check=cause["check"], place=place(cause.get("location")),
                          message=cause["message"])


def table(measured):
    by_operator = {}
    for (project, names, variant, _), (bare, _, findings, _) in measured:
        for name in names:
            by_operator.setdefault((project, name), []).append(
                dict(variant=variant, row=bare, findings=findings))
    return [dict(project=project, operator=name, runs=runs)
            for (project, name), runs in by_operator.items()]


def compared(rows, options):
    """The rows with the verdicts and their confirmations."""
    known = verdicts(options)
    for row in rows:
        entry = known.get((row["project"], row["operator"]))
        cause = cause_of(entry)
        places = {p for r in row["runs"] for f in r["findings"] for p in f["places"]}
        row.update(verdict=entry and entry["verdict"], cause=cause,
                   status=status_of(entry, row["runs"]),
                   same_place=bool(cause) and cause["place"] in places)
        print(f"{row['status']}: {row['project']} {row['operator']}: {row['verdict']} "
              f"{(cause or {}).get('place')}; " + "; ".join(map(in_words, row["runs"])))
    return rows


def in_words(run):
    findings = [(f["kind"], f["code"], f["api"], f["places"][:1]) for f in run["findings"]]
    return f"{run['variant']} {run['row']} {findings}"


def write(head, rows, options):
    statuses = {}
    for row in rows:
        statuses[row["status"]] = statuses.get(row["status"], 0) + 1
    print(statuses, f"{head['differ']} of {head['runs']} runs differ under the probe")
    if options.output:
        with open(options.output, "w") as f:
            f.write(json.dumps(dict(head, statuses=statuses))[:-1] + ', "operators": [\n'
                    + ",\n".join(map(json.dumps, rows)) + "\n]}\n")


def join(options):
    head, rows = {"runs": 0, "differ": 0, "projects": {}}, {}
    for path in options.results:
        with open(path) as f:
            data = json.load(f)
        for row in data.pop("operators"):
            rows[row["project"], row["operator"]] = row
        data["projects"] = {**head["projects"], **data["projects"]}
        runs, differ = head["runs"] + data["runs"], head["differ"] + data["differ"]
        head = dict(data, runs=runs, differ=differ)
    write(head, compared(list(rows.values()), options), options)


def run(options):
    import operator_runs
    import nnpops_runs  # noqa: F401

    options.build, options.probe = map(os.path.abspath, (options.build, options.probe))
    os.makedirs(options.build, exist_ok=True)
    names = options.filter.split(",")
    libraries = ninja(options, [p for p in PROJECTS if any(n in p.name for n in names)])
    print(f"{len(libraries)} projects built", flush=True)
    work = [(n, r) for n, r in enumerate(operator_runs.RUNS) if r[0] in libraries]
    own = {p.name: {os.path.basename(s) for s in p.sources(options.sources)}
           for p in PROJECTS}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(lambda nr: perform(nr[0], libraries[nr[1][0]], own[nr[1][0]],
                                                options), work))
    measured = [(r, d) for (_, r), d in zip(work, done)]
    differ = 0
    for (project, names, variant, _), (bare, probed, findings, _) in measured:
        if outcome(bare, findings) != outcome(probed, findings):
            differ += 1
            print(f"{project} {names[0]} {variant}: {bare}, under the probe {probed}")
    machine = machine_of(next((d[3] for _, d in measured if d[3]), {}))
    head = dict(machine, torch=__import__("torch").__version__,
                projects={p.name: f"{p.repository}@{p.commit}" for p in PROJECTS
                          if p.name in libraries}, runs=len(measured), differ=differ)
    write(head, compared(table(measured), options), options)
    return differ != 0 or not measured


def check():
    """The names of the projects in the runs, read without PyTorch."""
    wrong, runs = 0, 0
    known = {p.name for p in PROJECTS}
    for name in ("operator_runs.py", "nnpops_runs.py"):
        with open(os.path.join(HERE, name)) as f:
            tree = ast.parse(f.read())
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "run":
                runs += 1
                wrong += getattr(node.args[0], "value", None) not in known
    print(f"{runs} kinds of runs, {wrong} of unknown projects")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("action", nargs="?", choices=("analyze", "run", "join"))
    parser.add_argument("results", nargs="*")
    for name in ("--sources", "--verdicts", "--build", "--probe", "--tidy", "--output"):
        parser.add_argument(name)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=12)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_intermixed_args()
    if options.check:
        sys.exit(check() != 0)
    needed = {"analyze": ("sources", "verdicts", "tidy"),
              "run": ("sources", "verdicts", "build", "probe"), "join": ("verdicts", "output")}
    for name in needed.get(options.action) or parser.error("an action is needed"):
        if not getattr(options, name):
            parser.error(f"--{name} is needed")
    sys.exit({"analyze": analyze, "run": run, "join": join}[options.action](options))


if __name__ == "__main__":
    main()
