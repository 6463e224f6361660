// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts the server and connects it to the editor. Findings, quick fixes, hovers,
// and lenses are part of the protocol; this adds the view of a region and the
// status bar.

import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, RevealOutputChannelOn, State } from "vscode-languageclient/node";
import { initializationOptions, onlyCaptures, serverArguments, Settings } from "./options";
import { parsePlace, viewOf } from "./page";
import { findServer } from "./server";

const showRegion = "cudagraph-tidy.showRegion";
const languages = ["cuda-cpp", "cpp", "c"];

let client: LanguageClient | undefined;
let log: vscode.LogOutputChannel;
let status: Status;
let view: vscode.WebviewPanel | undefined;

/** The status bar: whether the server works, and what the document contains. */
class Status {
  private readonly item = vscode.window.createStatusBarItem("cudagraph-tidy", vscode.StatusBarAlignment.Left, 0);
  private readonly states = new Map<string, string>();
  private problem: string | undefined = "The server has not started.";

  constructor() {
    this.item.name = "cudagraph-tidy";
  }

  server(problem: string | undefined): void {
    this.problem = problem;
    this.states.clear();
    this.update();
  }

  file(uri: string, state: string): void {
    this.states.set(uri, state);
    this.update();
  }

  update(): void {
    const document = vscode.window.activeTextEditor?.document;
    if (!document || !languages.includes(document.languageId)) return this.item.hide();
    const uri = client?.code2ProtocolConverter.asUri(document.uri) ?? "";
    const findings = vscode.languages.getDiagnostics(document.uri)
      .filter((each) => codeOf(each).startsWith("cudagraph-")).length;
    const counted = findings === 1 ? "1 finding" : `${findings} findings`;
    const state = this.states.get(uri);
    const busy = !this.problem && state !== undefined && state !== "idle";
    this.item.text = this.problem ? "$(warning) cudagraph-tidy"
      : busy ? "$(sync~spin) cudagraph-tidy" : `$(circuit-board) cudagraph-tidy: ${counted}`;
    this.item.tooltip = this.problem ?? (busy ? state : `${counted} in this file. Click to show the capture region at the cursor.`);
    this.item.command = this.problem ? "cudagraph-tidy.showLog" : showRegion;
    this.item.backgroundColor = this.problem ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}

function codeOf(diagnostic: vscode.Diagnostic): string {
  const code = diagnostic.code;
  return String(code && typeof code === "object" ? code.value : code ?? "");
}

function settings(): Settings & { path: string; enable: boolean; codeLens: boolean } {
  const all = vscode.workspace.getConfiguration("cudagraph-tidy");
  return {
    enable: all.get("enable", true),
    path: all.get("server.path", ""),
    arguments: all.get("server.arguments", []),
    cudaPath: all.get("cudaPath", ""),
    compileCommandsDir: all.get("compileCommandsDir", ""),
    features: all.get("features", "auto"),
    codeLens: all.get("codeLens", true),
  };
}

/** Shows the page that the server returns for a region. */
function showPage(answer: { title: string; page: string }, beside: vscode.Uri | undefined): void {
  if (!view) {
    view = vscode.window.createWebviewPanel("cudagraph-tidy.region", "", { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, enableFindWidget: true, localResourceRoots: [] });
    view.onDidDispose(() => (view = undefined));
    view.webview.onDidReceiveMessage(async (text: unknown) => {
      const place = parsePlace(String(text));
      if (!place) return;
      const column = vscode.window.visibleTextEditors[0]?.viewColumn ?? vscode.ViewColumn.One;
      const position = new vscode.Position(place.line - 1, Math.max(place.column - 1, 0));
      await vscode.window.showTextDocument(vscode.Uri.file(place.file), { viewColumn: column, selection: new vscode.Range(position, position) });
    });
  }
  const kind = vscode.window.activeColorTheme.kind;
  const dark = kind === vscode.ColorThemeKind.Dark || kind === vscode.ColorThemeKind.HighContrast;
  view.title = beside ? `Capture in ${vscode.workspace.asRelativePath(beside)}` : "Capture region";
  view.webview.html = viewOf(answer.page, randomBytes(16).toString("hex"), dark);
  view.reveal(undefined, true);
}

/** A command from the palette refers to the region at the cursor. */
async function executeCommand(command: string, given: unknown[], next: (command: string, given: unknown[]) => unknown): Promise<unknown> {
  if (command !== showRegion) return next(command, given);
  const editor = vscode.window.activeTextEditor;
  let uri = editor?.document.uri;
  const first = given[0] as { textDocument?: { uri: string } } | undefined;
  if (first?.textDocument) {
    uri = vscode.Uri.parse(first.textDocument.uri);
  } else if (editor && client) {
    const position = client.code2ProtocolConverter.asPosition(editor.selection.active);
    given = [{ textDocument: { uri: client.code2ProtocolConverter.asUri(editor.document.uri) }, position }];
  }
  const answer = (await next(command, given)) as { title: string; page: string } | null;
  if (answer) showPage(answer, uri);
  else void vscode.window.showInformationMessage("cudagraph-tidy: no capture region in this file.");
  return answer;
}

async function start(): Promise<void> {
  const wanted = settings();
  if (!wanted.enable) return status.server("The server is disabled by the setting cudagraph-tidy.enable.");
  const folders = (vscode.workspace.workspaceFolders ?? []).map((each) => each.uri.fsPath);
  const found = findServer({
    configured: wanted.path, folders, trusted: vscode.workspace.isTrusted,
    home: homedir(), environment: process.env,
  });
  if ("problem" in found) {
    log.error(found.problem);
    status.server(found.problem);
    const answer = await vscode.window.showErrorMessage(`cudagraph-tidy: ${found.problem}`, "Open Settings");
    if (answer) await vscode.commands.executeCommand("workbench.action.openSettings", "cudagraph-tidy.server");
    return;
  }
  const captures = onlyCaptures(wanted, (id) => vscode.extensions.getExtension(id) !== undefined);
  const command = { command: found.path, args: serverArguments(wanted, folders[0]), options: { cwd: folders[0] } };
  log.info(`${command.command} ${command.args.join(" ")}${captures ? " (captures only)" : ""}`);
  const options: LanguageClientOptions = {
    documentSelector: languages.map((language) => ({ scheme: "file", language })),
    initializationOptions: initializationOptions(captures),
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/.cudagraph-tidy.yaml") },
    middleware: {
      executeCommand,
      provideCodeLenses: (document, token, next) => (settings().codeLens ? next(document, token) : []),
    },
  };
  client = new LanguageClient("cudagraph-tidy", "cudagraph-tidy", command, options);
  client.onNotification("textDocument/clangd.fileStatus", (each: { uri: string; state: string }) => status.file(each.uri, each.state));
  client.onDidChangeState((change) => {
    const running = change.newState === State.Running;
    void vscode.commands.executeCommand("setContext", "cudagraph-tidy.running", running);
    status.server(running ? undefined : "The server is not running; the log contains the reason.");
  });
  try {
    await client.start();
  } catch (error) {
    log.error(String(error));
    status.server(`${found.path} did not start: ${error}`);
  }
}

async function stop(): Promise<void> {
  const old = client;
  client = undefined;
  await old?.dispose();
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  log = vscode.window.createOutputChannel("cudagraph-tidy", { log: true });
  status = new Status();
  // Restarts run one after another, even if settings change in the meantime.
  let last: Promise<void> = Promise.resolve();
  const restart = () => (last = last.then(stop).then(start));
  context.subscriptions.push(
    log, status, { dispose: () => view?.dispose() },
    vscode.commands.registerCommand("cudagraph-tidy.restart", restart),
    vscode.commands.registerCommand("cudagraph-tidy.showLog", () => log.show()),
    vscode.window.onDidChangeActiveTextEditor(() => status.update()),
    vscode.languages.onDidChangeDiagnostics(() => status.update()),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (["enable", "server", "cudaPath", "compileCommandsDir", "features", "codeLens"].some((each) => change.affectsConfiguration(`cudagraph-tidy.${each}`))) {
        void restart();
      }
    }),
  );
  status.update();
  void restart();
}

export function deactivate(): Promise<void> {
  return stop();
}
