# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A client of the Language Server Protocol for tests and the benchmark."""

import json
import os
import pathlib
import queue
import subprocess
import threading
import time

LIMIT = 120  # seconds for any answer


class Failed(Exception):
    pass


class Document:
    def __init__(self, uri, text):
        self.uri, self.text, self.version = uri, text, 1


class Client:
    """One session. A separate thread reads answers and notifications."""

    def __init__(self, command, directory, environment=None, document=None,
                 workspace=None, options=None):
        """`document` and `workspace` are additional capabilities of the client,
        `options` additional initialization options."""
        self.directory = os.path.realpath(directory)
        self.log = open(os.path.join(self.directory, "server.log"), "wb")
        self.server = subprocess.Popen(
            command, cwd=self.directory, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.log, env=environment)
        self.messages = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.documents, self.diagnostics, self.state = {}, {}, {}
        self.shown, self.requested = [], []
        self.last = 0
        root = pathlib.Path(self.directory).as_uri()
        self.info = self.request("initialize", {
            "processId": os.getpid(), "rootUri": root,
            "initializationOptions": {"clangdFileStatus": True, **(options or {})},
            "capabilities": {"workspace": workspace or {}, "textDocument": {
                "publishDiagnostics": {"relatedInformation": True},
                "codeAction": {"codeActionLiteralSupport": {
                    "codeActionKind": {"valueSet": ["quickfix"]}}},
                **(document or {})}}})
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
        elif method == "window/showMessage":
            self.shown.append(parameters["message"])
        elif method and "id" in message:
            self.requested.append(method)
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
        """Applies `edits`, LSP's TextEdits, here and in the server."""
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

    def wait(self, name, idle=True):
        """Returns the diagnostics of the current document; if `idle`, waits until the server
        has finished with it."""
        document = self.documents[name]
        deadline = time.monotonic() + LIMIT
        while True:
            known = self.diagnostics.get(document.uri)
            if (known and known.get("version") == document.version
                    and (not idle or self.state.get(document.uri) == "idle")):
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
    """Tests use ASCII, in which LSP's units are characters."""
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
