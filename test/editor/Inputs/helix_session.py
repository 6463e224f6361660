#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""helix_session.py HELIX PROJECT BIN: opens engine.cu of PROJECT in a terminal, whose
screen tmux holds, with the server in BIN, types keys, and prints what the screen shows: the findings, the
text of the lens as an inlay hint, a hover, and a quick fix, which is saved."""

import os
import re
import subprocess
import sys
import tempfile
import time

PATIENCE = 120


class Terminal:
    def __init__(self, directory, command):
        self.folder = tempfile.TemporaryDirectory()
        self.tmux = ["tmux", "-S", os.path.join(self.folder.name, "socket")]
        self.run("-f", "/dev/null", "new-session", "-d", "-x", "240", "-y", "50",
                 "-c", directory, command)

    def run(self, *words):
        return subprocess.run(self.tmux + list(words), check=True, capture_output=True,
                              text=True).stdout

    def keys(self, *names):
        self.run("send-keys", *names)

    def wait(self, pattern, gone=False, patience=PATIENCE):
        """Returns the match of `pattern` on the screen, or waits until there is none.
        Raises TimeoutError after `patience` seconds."""
        end = time.time() + patience
        while True:
            screen = self.run("capture-pane", "-p")
            found = re.search(pattern, screen)
            if bool(found) != gone:
                return found
            if time.time() > end:
                raise TimeoutError(f"no {pattern!r} in time on the screen:\n{screen}")
            time.sleep(0.1)

    def ask(self, pattern, *names):
        """Types `names`, which show `pattern`. An editor says nothing if the server is
        still reading the file or cancels the request, so types them again each ten
        seconds."""
        end = time.time() + PATIENCE
        while time.time() < end - 10:
            self.keys(*names)
            try:
                return self.wait(pattern, patience=10)
            except TimeoutError:
                self.escape()
        self.keys(*names)
        return self.wait(pattern)

    def escape(self):
        """Closes a popup. The next key comes later: Escape and a key at once are Alt and
        the key."""
        self.keys("Escape")
        time.sleep(1)

    def close(self):
        subprocess.run(self.tmux + ["kill-server"], stderr=subprocess.DEVNULL)


def main(helix, project, programs):
    os.environ["PATH"] = programs + os.pathsep + os.environ["PATH"]
    screen = Terminal(project, f"'{helix}' engine.cu")
    try:
        print("lens:", screen.wait(r"captured here: [^'\n]*\w")[0].strip())
        for line in (16, 22):
            screen.keys(*str(line), "G", "g", "s")
            print(f"line {line}:", screen.wait(rf"● +{line} [^●]*?(('cuda\w+'|Kernel 'scale') \w+ .{{20}})")[1])
        screen.ask("function scale", "Space", "k")
        # The table of outcomes is at the end of a longer text.
        for _ in range(4):
            screen.keys("C-d")
        print("hover:", screen.wait(r"\| the legacy stream .*?\| blocking +\| \w+ +\| \w+ +\| \w+ +\|")[0])
        screen.escape()
        screen.wait(r"\| the legacy stream", gone=True)
        print("quick fix:", screen.ask("insert ', 0, stream'", "Space", "a")[0])
        screen.keys("Enter")  # selects it
        screen.keys("Enter")
        print("lens:", screen.wait(r"captured here: 2 calls, 1 refused(?! or|,)")[0])
        screen.wait(r"●  22 ", gone=True)
        screen.keys(":", "w", "q", "Enter")
        end = time.time() + PATIENCE
        while time.time() < end:
            with open(os.path.join(project, "engine.cu")) as f:
                line = f.read().splitlines()[21].strip()
            if "stream" in line:
                break
            time.sleep(0.1)
        print("saved:", line)
    except TimeoutError as error:
        sys.exit(str(error))
    finally:
        screen.close()


main(*sys.argv[1:4])
