#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A minimal client of the Language Server Protocol.

  lsp.py [--argument=ARG]... [--client=KIND] SERVER DIRECTORY STEPS

starts SERVER in DIRECTORY and executes the lines of the file STEPS that begin with
'>>> '. It prints the text that an editor would show; positions count from 1. A word may be
quoted as for a shell, and the two characters \\n in it are a newline.

  open FILE              opens FILE and prints its diagnostics
  replace FILE OLD NEW   edits the open buffer, the first OLD, and prints them
  links FILE             prints how many diagnostics link to a page
  fixes FILE             prints the quick fixes of all diagnostics of FILE
  fix FILE TITLE         applies the first quick fix whose title contains TITLE
  text FILE PATTERN      prints the lines of the buffer that contain PATTERN
  write FILE OLD NEW     edits a file on disk and reports that it was saved
  show FILE              waits for new diagnostics of FILE and prints them
  close FILE             closes FILE
  lenses FILE            prints the code lenses of FILE
  hints FILE             prints the inlay hints of FILE that the tool adds
  hover FILE TEXT        prints the hover text of the first TEXT in the buffer
  region FILE TEXT       executes the command of a lens at TEXT, prints the answer
  refreshed              prints whether the server requested new lenses
  configure FILE TEXT    writes a file that the client watches, and notifies the server
  problems FILE          prints the diagnostics of a file that is not open
  offers                 prints the capabilities of the server

KIND is a capability of the client: lenses (and refresh them), hints, pages (of
regions), captures (it has another server).
"""

import argparse
import os
import pathlib
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "bench"))
from lsp_client import Client, Failed, position, replacement  # noqa: E402

MARKDOWN = {"hover": {"contentFormat": ["markdown", "plaintext"]}}
CLIENTS = {
    "plain": {},
    "lenses": {"document": {"codeLens": {}, **MARKDOWN},
               "workspace": {"codeLens": {"refreshSupport": True}}},
    "hints": {"document": {"inlayHint": {}}},
    "pages": {"document": {"codeLens": {}}, "options": {"cudagraphPages": True}},
    "captures": {"document": MARKDOWN, "options": {"cudagraphOnly": True}},
}
SEVERITIES = {1: "error", 2: "warning", 3: "info", 4: "hint"}


class Steps:
    def __init__(self, client):
        self.client = client

    def place(self, uri, where):
        path = pathlib.PurePath(uri.removeprefix("file://")).name
        start = where["start"]
        return f"{path}:{start['line'] + 1}:{start['character'] + 1}"

    def print(self, name, diagnostics):
        uri = self.client.uri(name)
        print(f"{name}: {len(diagnostics)} diagnostics")
        for d in sorted(diagnostics, key=lambda d: position(d["range"]["start"])):
            # clangd repeats the fix in the message for other clients.
            print(f"{self.place(uri, d['range'])}: {SEVERITIES[d['severity']]}: "
                  f"{d['message']} [{d.get('source')}: {d.get('code')}]")
            for related in d.get("relatedInformation", []):
                where = related["location"]
                print(f"  {self.place(where['uri'], where['range'])}: {related['message']}")

    def open(self, name):
        self.client.open(name)
        self.print(name, self.client.wait(name))

    def replace(self, name, old, new):
        text = self.client.documents[name].text
        self.client.change(name, [replacement(text, old, new)])
        self.print(name, self.client.wait(name))

    def links(self, name):
        linked = [d for d in self.client.wait(name) if "codeDescription" in d]
        print(f"{name}: {len(linked)} links")

    def fixes(self, name):
        for action in self.client.fixes(name):
            code = ", ".join(d.get("code", "") for d in action.get("diagnostics", []))
            print(f"{name}: quick fix: {action['title']} [{code}]")

    def fix(self, name, title):
        for action in self.client.fixes(name):
            if title in action["title"]:
                self.client.change(name, action["edit"]["changes"][self.client.uri(name)])
                self.print(name, self.client.wait(name))
                return
        raise Failed(f"no quick fix with {title!r}")

    def text(self, name, pattern):
        for number, line in enumerate(self.client.documents[name].text.split("\n"), 1):
            if pattern in line:
                print(f"{name}:{number}|{line}")

    def write(self, name, old, new):
        path = os.path.join(self.client.directory, name)
        with open(path) as f:
            text = f.read()
        with open(path, "w") as f:
            f.write(text.replace(old, new, 1))
        self.client.saved(name)

    def show(self, name):
        self.print(name, self.client.wait_for_new(name))

    def close(self, name):
        self.client.close(name)

    def request(self, method, name, **more):
        return self.client.request("textDocument/" + method, {
            "textDocument": {"uri": self.client.uri(name)}, **more})

    def at(self, name, text):
        return replacement(self.client.documents[name].text, text, "")["range"]["start"]

    def lenses(self, name):
        for lens in self.request("codeLens", name):
            command = lens["command"]
            print(f"{name}:{lens['range']['start']['line'] + 1}: {command['title']} "
                  f"[{command['command']}]")

    def hints(self, name):
        text = self.client.documents[name].text
        end = {"line": text.count("\n"), "character": 0}
        for hint in self.request("inlayHint", name, range={
                "start": {"line": 0, "character": 0}, "end": end}):
            if str(hint["label"]).startswith("captured"):
                line, column = position(hint["position"])
                print(f"{name}:{line + 1}:{column + 1}: {hint['label']}")

    def hover(self, name, text):
        answer = self.request("hover", name, position=self.at(name, text))
        if answer:
            print(f"({answer['contents']['kind']})\n{answer['contents']['value']}")
        else:
            print("nothing")

    def region(self, name, text):
        argument = {"textDocument": {"uri": self.client.uri(name)},
                    "position": self.at(name, text)}
        answer = self.client.request("workspace/executeCommand", {
            "command": "cudagraph-tidy.showRegion", "arguments": [argument]})
        for message in self.client.shown:
            print("message:", message)
        self.client.shown.clear()
        for key, value in (answer or {}).items():
            print(f"{key}: {value}")

    def refreshed(self):
        print("refreshed" if "workspace/codeLens/refresh" in self.client.requested else "not")
        self.client.requested.clear()

    def configure(self, name, text):
        with open(os.path.join(self.client.directory, name), "w") as f:
            f.write(text)
        self.client.notify("workspace/didChangeWatchedFiles", {
            "changes": [{"uri": self.client.uri(name), "type": 1}]})

    def problems(self, name):
        for d in self.client.diagnostics.get(self.client.uri(name), {}).get("diagnostics", []):
            start = d["range"]["start"]
            print(f"{name}:{start['line'] + 1}:{start['character'] + 1}: {d['message']}")

    def offers(self):
        print(*sorted(self.client.info["capabilities"]))


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--argument", action="append", default=[])
    p.add_argument("--client", choices=CLIENTS, default="plain")
    p.add_argument("server", type=os.path.abspath)
    p.add_argument("directory")
    p.add_argument("steps")
    args = p.parse_args()
    with open(args.steps) as f:
        lines = [line.split(">>> ", 1)[1] for line in f if ">>> " in line]
    if not lines:
        sys.exit("no steps")
    try:
        # The user's own configuration must not change a test, and no client waits for an index of
        # the standard library.
        home = os.path.join(os.path.realpath(args.directory), "home")
        os.makedirs(os.path.join(home, "clangd"), exist_ok=True)
        with open(os.path.join(home, "clangd", "config.yaml"), "w") as f:
            f.write("Index: {StandardLibrary: false}\n")
        client = Client([args.server, *args.argument], args.directory,
                        {**os.environ, "XDG_CONFIG_HOME": home}, **CLIENTS[args.client])
        steps = Steps(client)
        for line in lines:
            print("--- " + line.strip())
            step, *arguments = shlex.split(line)
            arguments = [a.replace("\\n", "\n") for a in arguments]
            getattr(steps, step)(*arguments)
            sys.stdout.flush()
        client.end()
    except Failed as error:
        sys.exit(f"lsp.py: {error}")


if __name__ == "__main__":
    main()
