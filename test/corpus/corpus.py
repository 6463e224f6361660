#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Historical capture bugs and working captures of public projects; see README.md.

  corpus.py run     WORKDIR --driver PATH    prepare, then score
  corpus.py prepare WORKDIR                  sources and headers into WORKDIR
  corpus.py parse   WORKDIR                  parses the prepared code with Clang
  corpus.py score   WORKDIR --driver PATH    runs the analyzer and prints tables
  corpus.py list                             the chosen cases
  corpus.py check                            checks the facts for consistency
"""

import argparse
import collections
import os
import pathlib
import sys

import facts
import parsing
import report
import score
import trees

HERE = pathlib.Path(__file__).resolve().parent


def prepare(cases, all_trees, options):
    versions, skipped = 0, []
    for case in cases.values():
        for version in case["versions"]:
            versions += 1
            try:
                all_trees.prepare(case, version)
            except trees.Missing as why:
                skipped.append((case["id"], version, str(why)))
    for name, version, why in skipped:
        print(f"skipped: {name} {version}: {why}")
    print(f"prepared {versions - len(skipped)} versions of {len(cases)} cases, "
          f"skipped {len(skipped)}")
    return not skipped


def score_and_report(cases, all_trees, options):
    results, skipped = score.score(cases, all_trees, options)
    report.show(cases, results, skipped, options)
    return not skipped and not any(result["error"] for result in results.values())


def run(cases, all_trees, options):
    prepared = prepare(cases, all_trees, options)
    return score_and_report(cases, all_trees, options) and prepared


def list_cases(cases, options):
    for name, case in cases.items():
        category = case.get("category", "good")
        print(f"{case['set']:6} {case['half']:6} {case['date']} {category:24} "
              f"{case['repo']:36} {name}")
    count = collections.Counter((case["set"], case["half"], case["kind"])
                                for case in cases.values())
    for (of, half, kind), number in sorted(count.items()):
        print(f"{number} {kind}, {of}, {half}")
    return True


def check(options):
    wrong = list(facts.problems(options.facts))
    for problem in wrong:
        print(problem)
    found = facts.cases(options.facts) if not wrong else {}
    if found:
        bugs = sum(case["kind"] == "bug" for case in found.values())
        print(f"{bugs} bugs and {len(found) - bugs} good captures of "
              f"{len({case['repo'] for case in found.values()})} repositories are consistent")
    return not wrong


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb",
                        choices=("run", "prepare", "parse", "score", "list", "check"))
    parser.add_argument("workdir", nargs="?")
    parser.add_argument("--driver", help="cudagraph-tidy")
    parser.add_argument("--set", choices=("shared", "mined", "all"), default="all")
    parser.add_argument("--half", choices=("open", "locked", "all"), default="open")
    parser.add_argument("--only", action="append", default=[], metavar="ID")
    parser.add_argument("--list", action="store_true",
                        help="one line for each bug and each false finding (open half)")
    parser.add_argument("--mirror", default=os.environ.get("CORPUS_MIRROR"),
                        help="folder with a git mirror OWNER+NAME for each repository; "
                        "without it, they are cloned into WORKDIR (CORPUS_MIRROR)")
    parser.add_argument("--clone-url", default="https://github.com/{repo}",
                        help="where to clone from (default: %(default)s)")
    parser.add_argument("--cuda-path", default=os.environ.get("CUDA_PATH", "/usr/local/cuda"))
    parser.add_argument("--torch-include", default=os.environ.get("TORCH_INCLUDE"),
                        help="headers of libtorch (TORCH_INCLUDE)")
    parser.add_argument("--clang", default="clang++-22", help="compiler of parse")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=600, metavar="SECONDS")
    parser.add_argument("--arg", action="append", default=[],
                        help="additional argument for the analyzer")
    parser.add_argument("--facts", default=HERE, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.verb not in ("list", "check") and not options.workdir:
        parser.error(f"{options.verb} needs a work directory")
    if options.verb in ("run", "score") and not options.driver:
        parser.error(f"{options.verb} needs --driver")
    return options


def main():
    options = arguments()
    if options.verb == "check":
        sys.exit(not check(options))
    cases = facts.chosen(options)
    if not cases:
        sys.exit("corpus.py: no case belongs to this set and half")
    if options.verb == "list":
        sys.exit(not list_cases(cases, options))
    all_trees = trees.Trees(facts.load(options.facts, "config.json"), options)
    verbs = {"run": run, "prepare": prepare, "parse": parsing.parse, "score": score_and_report}
    sys.exit(not verbs[options.verb](cases, all_trees, options))


if __name__ == "__main__":
    main()
