#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A client of the Language Server Protocol, as small as an editor can be.

  lsp.py [--argument=ARG]... SERVER DIRECTORY STEPS

starts SERVER in DIRECTORY and does what the lines of the file STEPS that begin
with '>>> ' say. It prints what an editor would show; places count from 1.

  open FILE              opens FILE and prints its diagnostics
  replace FILE OLD NEW   edits the open buffer, the first OLD, and prints them
  fixes FILE             prints the quick fixes of all diagnostics of FILE
  fix FILE TITLE         applies the first quick fix whose title has TITLE
  text FILE PATTERN      prints the lines of the buffer that contain PATTERN
  write FILE OLD NEW     edits a file on disk and says that it was saved
  show FILE              waits for new diagnostics of FILE and prints them
  close FILE             closes FILE
"""

import argparse
import json
import os
import pathlib
import queue
import shlex
import subprocess
import sys
import threading
import time

LIMIT = 120  # seconds for any answer
SEVERITIES = {1: "error", 2: "warning", 3: "info", 4: "hint"}


class Failed(Exception):
    pass


class Document:
    def __init__(self, uri, text):
        self.uri, self.text, self.version = uri, text, 1


class Client:
    """One session. Answers and notifications come from a thread that reads."""

    def __init__(self, command, directory, environment=None):
        self.directory = os.path.realpath(directory)
        self.log = open(os.path.join(self.directory, "server.log"), "wb")
        self.server = subprocess.Popen(
            command, cwd=self.directory, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.log, env=environment)
        self.messages = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.documents, self.diagnostics, self.state = {}, {}, {}
        self.last = 0
        root = pathlib.Path(self.directory).as_uri()
        self.info = self.request("initialize", {
            "processId": os.getpid(), "rootUri": root,
            "initializationOptions": {"clangdFileStatus": True},
            "capabilities": {"textDocument": {
                "publishDiagnostics": {"relatedInformation": True},
                "codeAction": {"codeActionLiteralSupport": {
                    "codeActionKind": {"valueSet": ["quickfix"]}}}}}})
        self.notify("initialized", {})

    def _read(self):
        stream = self.server.stdout
        while True:
            length = None
            while True:
                line = stream.readline()
                if not line:
                    self.messages.put(None)
                    return
                if line == b"\r\n":
                    break
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            self.messages.put(json.loads(stream.read(length)))

    def _send(self, message):
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.server.stdin.flush()

    def _next(self, deadline):
        """Takes one message; returns it if it answers a request."""
        try:
            message = self.messages.get(timeout=max(0, deadline - time.monotonic()))
        except queue.Empty:
            raise Failed(f"no answer within {LIMIT} s") from None
        if message is None:
            raise Failed(f"the server ended with status {self.server.wait()}")
        method, parameters = message.get("method"), message.get("params")
        if method == "textDocument/publishDiagnostics":
            self.diagnostics[parameters["uri"]] = parameters
        elif method == "textDocument/clangd.fileStatus":
            self.state[parameters["uri"]] = parameters["state"]
        elif method and "id" in message:
            self._send({"id": message["id"], "result": None})
        return None if method else message

    def request(self, method, parameters):
        self.last += 1
        self._send({"id": self.last, "method": method, "params": parameters})
        deadline = time.monotonic() + LIMIT
        while True:
            answer = self._next(deadline)
            if answer and answer.get("id") == self.last:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def notify(self, method, parameters):
        self._send({"method": method, "params": parameters})

    def uri(self, name):
        return pathlib.Path(self.directory, name).as_uri()

    def open(self, name):
        with open(os.path.join(self.directory, name)) as f:
            document = Document(self.uri(name), f.read())
        self.documents[name] = document
        language = "cuda-cpp" if name.endswith((".cu", ".cuh")) else "cpp"
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": document.uri, "languageId": language,
            "version": document.version, "text": document.text}})

    def close(self, name):
        document = self.documents.pop(name)
        self.diagnostics.pop(document.uri, None)
        self.notify("textDocument/didClose", {"textDocument": {"uri": document.uri}})

    def change(self, name, edits):
        """Applies \\p edits, LSP's TextEdits, here and in the server."""
        document = self.documents[name]
        for edit in sorted(edits, key=lambda e: position(e["range"]["start"]),
                           reverse=True):
            begin, end = (offset(document.text, edit["range"][side])
                          for side in ("start", "end"))
            document.text = document.text[:begin] + edit["newText"] + document.text[end:]
        document.version += 1
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": document.uri, "version": document.version},
            "contentChanges": [{"text": document.text}]})

    def saved(self, name):
        self.notify("textDocument/didSave", {"textDocument": {"uri": self.uri(name)}})
        self.notify("workspace/didChangeWatchedFiles",
                    {"changes": [{"uri": self.uri(name), "type": 2}]})

    def wait(self, name):
        """Returns the diagnostics of the document as it is now."""
        document = self.documents[name]
        deadline = time.monotonic() + LIMIT
        while True:
            known = self.diagnostics.get(document.uri)
            if (known and known.get("version") == document.version
                    and self.state.get(document.uri) == "idle"):
                return known["diagnostics"]
            self._next(deadline)

    def wait_for_new(self, name):
        self.diagnostics.pop(self.documents[name].uri, None)
        self.state.pop(self.documents[name].uri, None)
        return self.wait(name)

    def fixes(self, name):
        document = self.documents[name]
        known = self.wait(name)
        everywhere = {"start": {"line": 0, "character": 0},
                      "end": offset_position(document.text, len(document.text))}
        actions = self.request("textDocument/codeAction", {
            "textDocument": {"uri": document.uri}, "range": everywhere,
            "context": {"diagnostics": known, "only": ["quickfix"]}})
        return [a for a in actions if a.get("kind") == "quickfix" and "edit" in a]

    def end(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        status = self.server.wait(LIMIT)
        self.log.close()
        if status:
            raise Failed(f"the server ended with status {status}")


def position(p):
    return p["line"], p["character"]


def offset(text, p):
    """Tests have ASCII, in which LSP's units are characters."""
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[:p["line"]]) + p["character"]


def offset_position(text, at):
    before = text[:at]
    return {"line": before.count("\n"), "character": at - (before.rfind("\n") + 1)}


def replacement(text, old, new):
    at = text.find(old)
    if at < 0:
        raise Failed(f"the buffer has no {old!r}")
    return {"range": {"start": offset_position(text, at),
                      "end": offset_position(text, at + len(old))}, "newText": new}


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


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--argument", action="append", default=[])
    p.add_argument("server")
    p.add_argument("directory")
    p.add_argument("steps")
    args = p.parse_args()
    with open(args.steps) as f:
        lines = [line.split(">>> ", 1)[1] for line in f if ">>> " in line]
    if not lines:
        sys.exit("no steps")
    try:
        client = Client([args.server, *args.argument], args.directory)
        steps = Steps(client)
        for line in lines:
            print("--- " + line.strip())
            step, *arguments = shlex.split(line)
            getattr(steps, step)(*arguments)
            sys.stdout.flush()
        client.end()
    except Failed as error:
        sys.exit(f"lsp.py: {error}")


if __name__ == "__main__":
    main()
