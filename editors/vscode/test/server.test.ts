// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import assert from "node:assert";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { initializationOptions, onlyCaptures, serverArguments, Settings } from "../src/options";
import { parsePlace, viewOf } from "../src/page";
import { findServer, program, Surroundings } from "../src/server";

const root = mkdtempSync(join(tmpdir(), "cudagraph-tidy-"));
after(() => rmSync(root, { recursive: true }));

/** A program in `directory` below the root. */
function install(directory: string, executable = true): string {
  mkdirSync(join(root, directory), { recursive: true });
  const path = join(root, directory, program);
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, executable ? 0o755 : 0o644);
  return path;
}

function around(changes: Partial<Surroundings> = {}): Surroundings {
  return { configured: "", folders: [join(root, "project")], trusted: true, home: join(root, "home"),
    environment: { PATH: join(root, "path") }, ...changes };
}

test("the server of the workspace's Python environment comes first", () => {
  const wheel = install("project/.venv/bin");
  const onPath = install("path");
  assert.deepStrictEqual(findServer(around()), { path: wheel });
  // Programs in a workspace run only if it is trusted.
  assert.deepStrictEqual(findServer(around({ trusted: false })), { path: onPath });
});

test("an active environment and pipx's directory are searched", () => {
  const active = install("active/bin");
  const pipx = install("home/.local/bin");
  const nothing = { PATH: join(root, "empty") };
  assert.deepStrictEqual(findServer(around({ folders: [], environment: { ...nothing, VIRTUAL_ENV: join(root, "active") } })), { path: active });
  assert.deepStrictEqual(findServer(around({ folders: [], environment: nothing })), { path: pipx });
});

test("a relative entry of PATH and a file that is not a program are not used", () => {
  install("odd", false);
  const found = findServer(around({ folders: [], home: join(root, "nobody"), environment: { PATH: `.:bin:${join(root, "odd")}` } }));
  assert.ok("problem" in found ? /Install the wheels of cudagraph-tidy and cudagraph-clangd/.test(found.problem) : found.path.startsWith("/usr/"), JSON.stringify(found));
});

test("the setting names a path, with home and workspace, or a program", () => {
  const own = install("project/tools");
  install("path");
  assert.deepStrictEqual(findServer(around({ configured: `\${workspaceFolder}/tools/${program}` })), { path: own });
  assert.deepStrictEqual(findServer(around({ configured: `~/../project/tools/${program}` })), { path: `${join(root, "home")}/../project/tools/${program}` });
  assert.deepStrictEqual(findServer(around({ configured: program })), { path: join(root, "path", program) });
  const wrong = findServer(around({ configured: "/nowhere/server" }));
  assert.match("problem" in wrong ? wrong.problem : "", /\/nowhere\/server, which is not a program/);
});

const defaults: Settings = { arguments: [], cudaPath: "", compileCommandsDir: "", features: "auto" };

test("settings become arguments", () => {
  assert.deepStrictEqual(serverArguments(defaults, "/p"), []);
  assert.deepStrictEqual(
    serverArguments({ ...defaults, cudaPath: "mock", compileCommandsDir: "out", arguments: ["-j=2"] }, "/p"),
    ["--compile-commands-dir=/p/out", "--cuda-path=mock", "-j=2"]);
});

test("only captures are shown in addition to another server", () => {
  const clangd = (id: string) => id === "llvm-vs-code-extensions.vscode-clangd";
  assert.strictEqual(onlyCaptures(defaults, clangd), true);
  assert.strictEqual(onlyCaptures(defaults, () => false), false);
  assert.strictEqual(onlyCaptures({ ...defaults, features: "all" }, clangd), false);
  assert.strictEqual(onlyCaptures({ ...defaults, features: "captures" }, () => false), true);
  assert.deepStrictEqual(initializationOptions(true), { clangdFileStatus: true, cudagraphPages: true, cudagraphOnly: true });
});

test("locations on a page lead to the source", () => {
  assert.deepStrictEqual(parsePlace(" /a b/c.cu:12:3 "), { file: "/a b/c.cu", line: 12, column: 3 });
  assert.deepStrictEqual(parsePlace("c.cu:7"), { file: "c.cu", line: 7, column: 1 });
  assert.strictEqual(parsePlace("libcuda.so"), undefined);
});

test("a view has the editor's theme and allows its own script", () => {
  const page = '<html lang="en"><meta content="script-src \'sha256-x\'"><body></body></html>';
  const view = viewOf(page, "abc", true);
  assert.match(view, /data-theme="dark"/);
  assert.match(view, /script-src 'nonce-abc' 'sha256-x'/);
  assert.match(view, /<script nonce="abc">[^]*<\/script><\/body>/);
});
