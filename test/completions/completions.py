#!/usr/bin/env python3
"""usage: completions.py bash|zsh|fish COMPLETIONS BIN

Has a shell complete lines with the files of COMPLETIONS and the programs of BIN, and
compares the completions with what the programs report: every option and command of
--help, every check, and every value."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

SHELL, FILES, BIN = sys.argv[1], *map(os.path.abspath, sys.argv[2:])
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")


def said(*arguments):
    """The output of a program: a result or an error."""
    done = subprocess.run([os.path.join(BIN, arguments[0]), *arguments[1:]], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout


def options(program):
    return set(re.findall(r"^  (--?[a-z-]+)", said(program, "--help"), re.M))


def commands(program):
    return set(re.findall(r"^(?:USAGE:)? +cudagraph-\w+ ([a-z][a-z-]*)", said(program, "--help"), re.M))


def values(*arguments):
    """The values that the program lists if it receives an invalid one."""
    text = said(*arguments).splitlines()[0]
    listed = re.search(r"the values are (.*)|valid kinds are ([^(]*)", text)
    found = re.split(r",? and |,? or |, ", next(g for g in listed.groups() if g))
    return {v.strip(" '").replace("REGEX", "") for v in found}


CHECKS = set(re.findall(r"^ +(\S+)$", said("cudagraph-tidy", "list-checks"), re.M))


class Shell:
    def __init__(self, directory):
        self.directory = os.path.join(directory, "completions")
        os.makedirs(self.directory)
        names = {"bash": ["cudagraph-tidy.bash"], "zsh": ["_cudagraph-tidy"],
                 "fish": ["cudagraph-tidy.fish", "cudagraph-probe.fish"]}[SHELL]
        for name in names:
            shutil.copy(os.path.join(FILES, name.replace("probe.fish", "tidy.fish")),
                        os.path.join(self.directory, name))
        self.work = os.path.join(directory, "work")
        os.makedirs(os.path.join(self.work, "folder"))
        for name in ("report-a.json", "report-b.json"):
            open(os.path.join(self.work, name), "w").close()
        who = ["-c", "user.name=n", "-c", "user.email=e"]
        for arguments in (["init", "-q"], who + ["commit", "-qm", "m", "--allow-empty"], ["branch", "topic-x"]):
            subprocess.run(["git"] + arguments, cwd=self.work, check=True)
        self.environment = {"PATH": BIN + os.pathsep + os.environ["PATH"], "HOME": directory, "TERM": "dumb",
                            "LANG": "C.UTF-8", "TMPDIR": directory}

    def offers(self, lines):
        """The offers for each line."""
        command = {"bash": ["bash", "--norc", f"{HERE}/complete.bash", f"{self.directory}/cudagraph-tidy.bash"],
                   "zsh": ["zsh", "-f", f"{HERE}/complete.zsh", self.directory],
                   "fish": ["fish", "--no-config", f"{HERE}/complete.fish", self.directory]}[SHELL]
        done = subprocess.run(command + lines, cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300)
        answers = done.stdout.split("----\n")
        if len(answers) != len(lines) + 1:
            sys.exit(f"{SHELL} answered {len(answers) - 1} of {len(lines)} lines: {done.stdout}{done.stderr}")
        return [{self.offer(o) for o in answer.splitlines()} - {""} for answer in answers[:-1]]

    @staticmethod
    def offer(text):
        """Shells differ in how much of the word they repeat and in what they append."""
        text = text.split("\t")[0].strip()
        if re.match(r"--[a-z-]+=.", text):
            text = text.split("=", 1)[1]
        return re.sub(r"^.*,-?|^\w+:(?=.)", "", text).rstrip("=/")


def cases():
    """Yields a line, its required offers, and whether other offers are errors."""
    tidy, probe = "cudagraph-tidy", "cudagraph-probe"
    for program, command in ((tidy, ""), (probe, " run")):
        known = options(program)
        yield f"{program}{command} --", {o for o in known if o.startswith("--")}, True
        yield f"{program}{command} -", {o for o in known if not o.startswith("--")}, False
        yield f"{program} ", commands(program), False
    for option in ("--color", "--fail-on", "--confidence", "--format"):
        yield f"{tidy} {option}=", values(tidy, f"{option}=@"), True
    yield f"{tidy} --fail-on ", values(tidy, "--fail-on=@"), True
    yield f"{tidy} ops --format=", values(tidy, "ops", "--format=@"), True
    yield f"{probe} run --format=", values(probe, "run", "--format=@", "--", "x"), True
    yield f"{tidy} --format=json:report-", {"report-a.json", "report-b.json"}, True
    yield f"{tidy} --roots=torch-ops,s", {"stream-param"}, True
    yield f"{tidy} --checks=", CHECKS, True
    yield f"{tidy} --checks=cudagraph-sync-call,cudagraph-host-", {c for c in CHECKS if "-host-" in c}, True
    yield f"{tidy} explain cudagraph-d", {c for c in CHECKS if c.startswith("cudagraph-d")}, True
    yield f"{tidy} explain 90", {str(c) for c in range(900, 909)}, True
    yield f"{tidy} --probe-report=report-", {"report-a.json", "report-b.json"}, True
    yield f"{tidy} -p fol", {"folder"}, True
    yield f"{tidy} --diff-base=topic", {"topic-x"}, True
    yield f"{probe} run -- cudagraph-ti", {"cudagraph-tidy"}, True
    yield f"{tidy} --timeout-per-tu=", set(), True
    yield f"{tidy} --nonsense", set(), True


def main():
    problems, wanted = [], list(cases())
    with tempfile.TemporaryDirectory() as directory:
        offers = Shell(directory).offers([line for line, *_ in wanted])
    for (line, must, exactly), found in zip(wanted, offers):
        if missing := must - found:
            problems.append(f"{SHELL}: `{line}` lacks {sorted(missing)}; it offers {sorted(found)}")
        elif exactly and (more := found - must):
            problems.append(f"{SHELL}: `{line}` also offers {sorted(more)}")
    print(*problems, sep="\n")
    print(f"{len(wanted)} lines completed by {SHELL}")
    sys.exit(1 if problems else 0)


main()
