// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extension's side of the protocol with a real server, without an editor:
// CUDAGRAPH_CLANGD is the server, if it is built, and CUDAGRAPH_PROJECT is a
// copy of the project of test/editor.

import assert from "node:assert";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  CodeActionRequest, CodeLensRequest, createProtocolConnection, Diagnostic, DidOpenTextDocumentNotification, ExecuteCommandRequest,
  ExitNotification, HoverRequest, InitializedNotification, InitializeRequest, MarkupContent, PublishDiagnosticsNotification,
  ShutdownRequest, StreamMessageReader, StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { initializationOptions, serverArguments } from "../src/options";
import { viewOf } from "../src/page";
import { findServer } from "../src/server";

const server = process.env.CUDAGRAPH_CLANGD;
const project = process.env.CUDAGRAPH_PROJECT;

test("a session with the server", { skip: !project || !server || !existsSync(server), timeout: 120_000 }, async () => {
  const found = findServer({ configured: server!, folders: [project!], trusted: true, home: "/", environment: {} });
  assert.ok("path" in found, JSON.stringify(found));
  const settings = { arguments: ["--background-index=false"], cudaPath: "mock", compileCommandsDir: "build", features: "all" as const };
  const child = spawn(found.path, serverArguments(settings, project), { cwd: project, stdio: ["pipe", "pipe", "ignore"] });
  const connection = createProtocolConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
  const published = new Promise<Diagnostic[]>((resolve) => connection.onNotification(PublishDiagnosticsNotification.type, (each) => resolve(each.diagnostics)));
  connection.onUnhandledNotification(() => {});
  connection.listen();

  const initialized = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid, rootUri: pathToFileURL(project!).href,
    initializationOptions: initializationOptions(false),
    capabilities: { textDocument: {
      codeLens: {}, hover: { contentFormat: ["markdown"] }, publishDiagnostics: { relatedInformation: true },
      codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } } },
    } },
  });
  assert.ok(initialized.capabilities.codeLensProvider);
  assert.ok(initialized.capabilities.executeCommandProvider?.commands.includes("cudagraph-tidy.showRegion"));
  await connection.sendNotification(InitializedNotification.type, {});

  const path = join(project!, "engine.cu");
  const textDocument = { uri: pathToFileURL(path).href };
  const text = readFileSync(path, "utf8");
  await connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument: { ...textDocument, languageId: "cuda-cpp", version: 1, text } });

  const lenses = await connection.sendRequest(CodeLensRequest.type, { textDocument });
  assert.deepStrictEqual(lenses?.map((each) => each.command?.title), ["captured here: 2 calls, 1 refused, 1 refused or escapes"]);

  const launch = text.split("\n").findIndex((line) => line.includes("scale<<<"));
  const hover = await connection.sendRequest(HoverRequest.type, { textDocument, position: { line: launch, character: 3 } });
  assert.match((hover?.contents as MarkupContent).value, /\| the legacy stream +\| blocking +\| 906 /);

  const diagnostics = await published;
  const stray = diagnostics.find((each) => each.code === "cudagraph-default-stream");
  assert.strictEqual(stray?.range.start.line, launch);
  assert.ok(stray.relatedInformation?.some((each) => /Capture of 'stream'/.test(each.message)));
  const actions = await connection.sendRequest(CodeActionRequest.type, { textDocument, range: stray.range, context: { diagnostics: [stray] } });
  assert.ok(actions?.some((each) => /insert ', 0, stream'/.test(each.title)));

  const answer = await connection.sendRequest(ExecuteCommandRequest.type, { command: lenses![0].command!.command, arguments: lenses![0].command!.arguments });
  assert.match(answer.title, /^capture of 'stream' \(global mode\)/);
  const view = viewOf(answer.page, "abc", true);
  assert.match(view, /<html lang="en" data-theme="dark">/);
  assert.match(view, /script-src 'nonce-abc' 'sha256-/);
  assert.match(view, new RegExp(`class="at">${path.replace(/[.+]/g, "\\$&")}:16:3<`));

  await connection.sendRequest(ShutdownRequest.type);
  const ended = new Promise((resolve) => child.on("exit", resolve));
  await connection.sendNotification(ExitNotification.type);
  assert.strictEqual(await ended, 0);
  connection.dispose();
});
