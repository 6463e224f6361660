#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks the laws of the analysis on programs that cudagraph-rewrite writes: it
analyzes a case and its rewriting, and compares the findings by the line of the case,
the check, and the confidence. A difference that violates the law is a
counterexample. Exit status: 0; 1 if there is a counterexample that is not in
known.txt, or an entry there that is not one; 2 if the run itself fails. See
README.md."""

import argparse
import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "fuzz"))
import cases as sources
from cases import ROOT
from reduce import reduced

LEVELS = {"possible": 1, "likely": 2, "certain": 3}
SHOWN = LEVELS["likely"]

Rewriting = collections.namedtuple("Rewriting", "name law without summary")
Job = collections.namedtuple("Job", "case steps")  # steps: ((rewriting, site), ...)
# kind: lost, lowered, gained, raised, or incomplete
Difference = collections.namedtuple("Difference", "kind line check")


class Failed(Exception):
    pass


class Laws:
    def __init__(self, options):
        self.o = options
        self.own = tempfile.TemporaryDirectory(prefix="laws-")
        self.folder = Path(self.own.name)
        table = self.run([self.o.rewrite, "--table"]).stdout
        self.table = {f[0]: Rewriting(f[0], f[1], f[2].split(","), f[3])
                      for f in (line.split("\t") for line in table.splitlines())}
        self.findings = {}  # of the originals

    def run(self, command, folder=None):
        return subprocess.run(command, capture_output=True, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, timeout=600, cwd=folder)

    def analyze_command(self, case, files):
        return [self.o.driver, f"--cuda-path={case.cuda_path}", "--no-cache", "--confidence=possible",
                "--color=never", "--quiet", "-j1", "--format=json", "--advice", *case.options,
                *map(str, files), "--", *case.arguments]

    def analyze(self, case, files, maps):
        """Maps each line and check to a confidence; also returns the reason why the
        result is incomplete. Lines refer to the case; 0 stands for what the rewriting has
        added. None: does not compile."""
        result = self.run(self.analyze_command(case, files), case.folder)
        try:
            report = json.loads(result.stdout)
        except ValueError:
            raise Failed(f"no report, exit status {result.returncode}: {result.stderr[-500:]}")
        reasons = [u["reason"] for u in report["coverage"]["incomplete"]]
        if any("parse error" in r for r in reasons):
            return None, reasons
        found = {}
        names = {str(Path(f).name): m for f, m in zip(files, maps)}
        for finding in report["findings"]:
            lines = names.get(Path(finding["location"]["file"]).name)
            line = finding["location"]["line"]
            if lines is not None:
                line = lines[line - 1] if line <= len(lines) else 0
            key = (line, finding["check"])
            found[key] = max(found.get(key, 0), LEVELS[finding["confidence"]])
        return found, reasons

    def original(self, case):
        key = case.name, case.path
        if key not in self.findings:
            self.findings[key] = self.analyze(case, [case.path], [None])
        return self.findings[key]

    def sites(self, case):
        """Maps each rewriting to its number of sites; empty if the case does not
        compile."""
        result = self.run([self.o.rewrite, "--list", str(case.path), "--", *case.arguments],
                          case.folder)
        if result.returncode or self.original(case)[0] is None:
            return {}
        counts = {n: int(c) for n, c in (line.split() for line in result.stdout.splitlines())}
        if any(o.startswith("--roots=function:") for o in case.options):
            counts.pop("rename", None)  # the option has the old names
        return counts

    def rewrite(self, case, steps, stem):
        """The files of the new program, and for each the old line of each line; None
        if a step has no such site."""
        source, lines = case.path, None
        files, maps = [], []
        for number, (name, site) in enumerate(steps):
            prefix = f"{stem}-{number}"
            result = self.run([self.o.rewrite, f"--rewriting={name}", f"--site={site}",
                               f"--output={prefix}", str(source), "--", *case.arguments],
                              case.folder)
            if result.returncode:
                return None
            made = json.loads(Path(prefix + ".json").read_text())

            def old(new):
                return [(lines[n - 1] if n and n <= len(lines) else 0) for n in new] if lines else new

            if "other" in made:
                files.append(Path(f"{prefix}-other{source.suffix}"))
                maps.append(old(made["other"]))
            source, lines = Path(prefix + source.suffix), old(made["lines"])
        return [source, *files], [lines, *maps]

    def differences(self, steps, before, after, incomplete):
        """Differences that the laws of the steps do not allow."""
        laws = {self.table[name].law for name, _ in steps}
        without = {c for name, _ in steps for c in self.table[name].without if c}
        # Without its names, a more general check may report the hazard.
        reported = {line for line, _ in after}
        silent = not any(level >= SHOWN for level in before.values())
        found = []
        for line, what in sorted(before.keys() | after.keys()):
            if what in without:
                continue
            old, new = before.get((line, what), 0), after.get((line, what), 0)
            if old == new:
                continue
            kind = None
            if old >= SHOWN and new < SHOWN and laws <= {"same", "more", "names"}:
                kind = "lost" if "names" not in laws or line not in reported else None
            elif old >= SHOWN > 0 and SHOWN <= new < old and laws == {"same"}:
                kind = "lowered"
            elif new >= SHOWN > old and (laws <= {"same", "names", "unknown"} or silent):
                kind = "gained"
            elif new > old >= SHOWN and laws <= {"same", "names", "unknown"}:
                kind = "raised"
            if kind:
                found.append(Difference(kind, line, what))
        if incomplete:
            found.append(Difference("incomplete", 0, incomplete[0]))
        return found

    def judge(self, case, steps, stem):
        """Returns the differences and the files, or the reason why there are none."""
        made = self.rewrite(case, steps, stem)
        if case.path.read_text(errors="replace") != case.text:
            return None, "changed meanwhile"
        if made is None:
            return None, "no such site"
        files, maps = made
        before, reasons = self.original(case)
        after, now = self.analyze(case, files, maps)
        if after is None:
            return None, "does not compile"
        return self.differences(steps, before, after, [r for r in now if r not in reasons]), files


class Known:
    """known.txt: REWRITING SITE CASE KIND LINE CHECK, under a comment with the
    reason. The site is one of those that show it."""

    def __init__(self, path):
        self.entries = {}  # to (the line of known.txt, site)
        for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
            line = line.split("#")[0].split()
            if not line:
                continue
            if len(line) != 6 or not line[1].isdigit():
                raise Failed(f"{path}:{number}: REWRITING SITE CASE KIND LINE CHECK")
            self.entries[(line[0], *line[2:])] = number, int(line[1])
        self.seen = set()

    @staticmethod
    def keys(job, differences):
        names = "+".join(name for name, _ in job.steps)
        return [(names, job.case.name, d.kind, str(d.line), d.check.replace(" ", "-"))
                for d in differences]

    def has(self, key):
        if key in self.entries:
            self.seen.add(key)
        return key in self.entries


def choose(laws, cases, options):
    """The programs of this run, and those that known.txt mentions."""
    rng = random.Random(options.seed)
    names = [n for n in laws.table if not options.rewriting or n in options.rewriting]
    pools = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, counts in zip(cases, pool.map(laws.sites, cases)):
            for name in names:
                pools[name] += [Job(case, ((name, i),)) for i in range(counts.get(name, 0))]
    if options.site is not None:
        return [j for p in pools.values() for j in p if j.steps[0][1] == options.site]
    if not options.count:
        return [j for p in pools.values() for j in p]
    # The rewritings take turns, so that those with few sites are not left out.
    for pool in pools.values():
        rng.shuffle(pool)
    chosen, queues = [], [p for p in pools.values() if p]
    while queues and len(chosen) < options.count:
        for queue in list(queues):
            chosen.append(queue.pop())
            if not queue:
                queues.remove(queue)
    chosen = chosen[:options.count]
    if options.depth > 1:
        same = [n for n in names if laws.table[n].law == "same" and n != "move-function"]
        chosen = [Job(j.case, j.steps + tuple((rng.choice(same), rng.randrange(6))
                                              for _ in range(options.depth - 1)))
                  for j in chosen if "link" not in j.steps[0][0] and "move" not in j.steps[0][0]]
    return chosen


def shrink(laws, job, differences, stem):
    """A small case for which the same check is lost or gained."""
    wanted = {(d.kind, d.check) for d in differences}
    path = Path(f"{stem}-small{job.case.path.suffix}")

    def fails(text):
        path.write_text(text)
        case = job.case.at(path)
        laws.findings.pop((case.name, path), None)
        try:
            if not laws.original(case)[0] and "lost" in {k for k, _ in wanted}:
                return False
            counts = laws.sites(case)
            for i in range(min(counts.get(job.steps[0][0], 0), 12)):
                found, _ = laws.judge(case, ((job.steps[0][0], i), *job.steps[1:]), f"{stem}-try")
                if found and wanted & {(d.kind, d.check) for d in found}:
                    return True
        except (Failed, subprocess.TimeoutExpired):
            pass
        return False

    return reduced(job.case.text, fails, laws.o.reduce)


def report(laws, job, differences, files, out):
    steps = ", ".join(f"{n} at site {i}" for n, i in job.steps)
    print(f"{job.case.name}: {steps}:")
    for d in differences:
        print(f"  {d.kind}: line {d.line}: {d.check}")
    if len(job.steps) == 1:
        print(f"  again: test/metamorphic/laws.py --cases {job.case.name} "
              f"--rewriting {job.steps[0][0]} --site {job.steps[0][1]} --keep DIRECTORY")
    if out:
        print(f"  {' '.join(map(str, files))}")
    sys.stdout.flush()


def groups_of(o):
    """The cases of each kind, from each of which --count programs are made."""
    groups = [] if o.corpus and not o.all else [sources.below(o.cases or [])]
    if o.all or o.only_known and not o.cases:
        groups.append(sources.Program.every())
    if o.corpus:
        groups.append(sources.Real.every(o.corpus, o.torch_include))
    return groups


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--driver", default=ROOT / "build/release/bin/cudagraph-tidy")
    p.add_argument("--rewrite",
                   default=ROOT / "build/release/test/metamorphic/cudagraph-rewrite")
    p.add_argument("--cases", nargs="+",
                   help="files or folders; by default test/checks, test/analysis, "
                   "test/annotations, and test/link")
    p.add_argument("--all", action="store_true",
                   help="also the open programs of test/accuracy; --count programs "
                   "of each kind")
    p.add_argument("--corpus", metavar="WORKDIR",
                   help="with --all, also the folder that test/corpus/corpus.py "
                   "prepared")
    p.add_argument("--torch-include", default=os.environ.get("TORCH_INCLUDE"))
    p.add_argument("--rewriting", action="append",
                   help="use only this rewriting; can be repeated")
    p.add_argument("--site", type=int, help="apply the rewriting only at this site")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=1000, help="programs of each kind; 0: all")
    p.add_argument("--depth", type=int, default=1,
                   help="number of rewritings, applied one after the other")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--known", type=Path, default=HERE / "known.txt")
    p.add_argument("--only-known", action="store_true",
                   help="check only the entries of known.txt")
    p.add_argument("--print-known", action="store_true",
                   help="print the lines that known.txt lacks")
    p.add_argument("--keep", help="a folder for the programs of counterexamples")
    p.add_argument("--reduce", type=float, default=0, metavar="SECONDS",
                   help="reduce each counterexample for at most this time; "
                   "needs --keep")
    return p.parse_args(argv)


def main():
    o = parse(sys.argv[1:])
    laws = Laws(o)
    known = Known(o.known)
    for name in o.rewriting or []:
        if name not in laws.table:
            raise Failed(f"no rewriting '{name}'; there are {' '.join(laws.table)}")
    begin = time.monotonic()
    groups = groups_of(o)
    cases = [c for group in groups for c in group]
    if o.only_known:
        by_name = {c.name: c for c in cases}
        wanted = {(k[1], k[0], site) for k, (_, site) in known.entries.items()}
        jobs = [Job(by_name[case], ((name, site),)) for case, name, site in sorted(wanted)
                if case in by_name]
        cases = {j.case.name for j in jobs}
    else:
        jobs = [j for group in groups for j in choose(laws, group, o)]
    if not jobs and not o.only_known:
        raise Failed("no program to write")

    counts = collections.Counter()
    unknown, shapes = [], {}

    def one(numbered):
        number, job = numbered
        return job, laws.judge(job.case, job.steps, str(laws.folder / f"p{number}"))

    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for number, (job, (found, files)) in enumerate(pool.map(one, enumerate(jobs))):
            stem = laws.folder / f"p{number}"
            if found is None:
                counts[files] += 1
            else:
                counts["analyzed"] += 1
                keys = Known.keys(job, found)
                new = [d for d, k in zip(found, keys) if not known.has(k)]
                if found and not new:
                    counts["known"] += 1
                if new:
                    counts["counterexamples"] += 1
                    unknown.append((job, new))
                    if o.keep:
                        out = Path(o.keep)
                        out.mkdir(parents=True, exist_ok=True)
                        label = "+".join(n for n, _ in job.steps)
                        moved = [out / f"{label}-{job.case.path.stem}-{job.steps[0][1]}-{f.name}"
                                 for f in files]
                        for f, m in zip(files, moved):
                            m.write_text(f.read_text())
                        if o.reduce:
                            small = out / f"{label}-{job.case.path.stem}-{job.steps[0][1]}-small.cu"
                            small.write_text(shrink(laws, job, new, str(stem)))
                            moved.append(small)
                        files = moved
                    report(laws, job, new, files, o.keep)
                    for k, d in zip(keys, found):
                        if d in new:
                            shapes.setdefault(k, job.steps[0][1])
            for f in laws.folder.glob(f"p{number}-*"):
                f.unlink()

    stale = []
    if o.only_known:
        stale = [k for k in known.entries if k not in known.seen and k[1] in cases]
    for key in stale:
        print(f"{o.known}:{known.entries[key][0]}: no longer a counterexample: "
              f"{' '.join(key)}")
    if o.print_known:
        for key in sorted(shapes):
            print("known:", key[0], shapes[key], *key[1:])
    print(f"{len(jobs)} programs of {len(cases)} cases, seed {o.seed}: "
          f"{counts['analyzed']} compared, {counts['does not compile']} do not compile, "
          f"{counts['no such site'] + counts['changed meanwhile']} without a site; "
          f"{counts['analyzed'] - counts['known'] - counts['counterexamples']} hold, "
          f"{counts['known']} known and "
          f"{counts['counterexamples']} new counterexamples, {time.monotonic() - begin:.0f} s")
    return 1 if unknown or stale else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        print(f"laws.py: {error}", file=sys.stderr)
        sys.exit(2)
