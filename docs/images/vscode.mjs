// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses the extension in VS Code, run by code-server, and takes the screenshot
// vscode.png.
//
//   python3 test/editor/Inputs/code_server.py DIR     # needs npm
//   node docs/images/vscode.mjs DIR EXTENSION SERVER OUT
//
// EXTENSION is a .vsix or the directory of an extension; SERVER is the path of
// cudagraph-clangd; OUT receives a screenshot of each step. Each line of the
// output describes what the editor shows. Needs Chromium.

import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

if (process.argv.length < 6) {
  console.error("usage: vscode.mjs DIR EXTENSION SERVER OUT");
  process.exit(2);
}
const [packages, extension, server, out] = process.argv.slice(2).map((each) => resolve(each));
const puppeteer = createRequire(join(packages, "x.js"))("puppeteer-core");
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const work = mkdtempSync(join(tmpdir(), "cudagraph-vscode-"));
const project = join(work, "engine");
const port = 20000 + (process.pid % 20000);
const limit = 180_000;
mkdirSync(out, { recursive: true });
mkdirSync(project);
for (const name of ["engine.cu", "escape.cu"]) copyFileSync(join(root, "examples", name), join(project, name));
writeFileSync(join(project, ".clang-format"), "BasedOnStyle: LLVM\n");
mkdirSync(join(work, "user", "User"), { recursive: true });
writeFileSync(join(work, "user", "User", "settings.json"), JSON.stringify({
  "cudagraph-tidy.server.path": server,
  "cudagraph-tidy.cudaPath": "mock",
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.colorTheme": "Default Light Modern",
  "workbench.tips.enabled": false,
  "workbench.sideBar.location": "right",
  "window.menuBarVisibility": "hidden",
  "window.commandCenter": false,
  "editor.minimap.enabled": false,
  "editor.inlayHints.enabled": "off",
  "editor.hover.sticky": true,
  "git.enabled": false,
}));

const program = join(packages, "node_modules", "code-server", "out", "node", "entry.js");
const common = ["--config", join(work, "config.yaml"), "--user-data-dir", join(work, "user"), "--extensions-dir", join(work, "extensions")];
const run = ["--require", join(root, "test", "editor", "Inputs", "code-server", "no-passwords.cjs"), program, ...common];
writeFileSync(join(work, "config.yaml"), "auth: none\n");
if (statSync(extension).isDirectory()) {
  const { publisher, name, version } = JSON.parse(readFileSync(join(extension, "package.json"), "utf8"));
  const target = join(work, "extensions", `${publisher}.${name}-${version}`);
  for (const each of ["package.json", "dist"]) cpSync(join(extension, each), join(target, each), { recursive: true });
} else {
  console.log(execFileSync(process.execPath, [...run, "--install-extension", extension], { encoding: "utf8" }).match(/.*(installed|Error).*/i)?.[0] ?? "");
}
const editor = spawn(process.execPath, [...run, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry",
  "--disable-update-check", "--disable-workspace-trust", project], { stdio: "ignore" });
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"], defaultViewport: { width: 1440, height: 900 }, protocolTimeout: limit,
});

/** Executes a command through the command palette. */
async function palette(page, title) {
  await page.keyboard.press("F1");
  await page.waitForSelector(".quick-input-box input", { visible: true, timeout: limit });
  await page.keyboard.type(title, { delay: 20 });
  await page.waitForFunction((text) => [...document.querySelectorAll(".quick-input-list .monaco-list-row")].some((row) => row.textContent.includes(text)), { timeout: limit }, title.replace(/^.*: /, ""));
  await page.keyboard.press("Enter");
}

/** Opens a file in the explorer, because a search by name needs a program that
 *  npm does not install with code-server. */
async function openFile(page, name) {
  const row = `.explorer-folders-view .monaco-list-row[aria-label^="${name}"]`;
  await page.waitForSelector(row, { timeout: limit });
  await page.click(row, { count: 2 });
}

async function atLine(page, line) {
  await page.waitForFunction((text) => document.querySelector(".statusbar")?.textContent.includes(text), { timeout: limit }, `Ln ${line},`);
}

async function goTo(page, line, column) {
  await page.keyboard.down("Control");
  await page.keyboard.press("KeyG");
  await page.keyboard.up("Control");
  await page.waitForSelector(".quick-input-box input", { visible: true, timeout: limit });
  await page.keyboard.type(`${line}:${column}`, { delay: 20 });
  await page.keyboard.press("Enter");
  await atLine(page, line);
}

async function seen(page, what, selector, text) {
  await page.waitForFunction((s, t) => [...document.querySelectorAll(s)].some((each) => each.textContent.replace(/\u00a0/g, " ").includes(t)), { timeout: limit }, selector, text);
  const shown = await page.evaluate((s, t) => [...document.querySelectorAll(s)].find((each) => each.textContent.replace(/\u00a0/g, " ").includes(t)).textContent.replace(/\u00a0/g, " "), selector, text);
  console.log(`${what}: ${shown.trim().replace(/\s+/g, " ").slice(0, 160)}`);
}

let page;
let status = 1;
try {
  page = await browser.newPage();
  for (let tries = 0; ; ++tries) {
    try {
      await page.goto(`http://127.0.0.1:${port}/?folder=${project}`, { timeout: limit });
      break;
    } catch (error) {
      if (tries === 240) throw error;
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
  await page.waitForSelector(".monaco-workbench", { timeout: limit });
  const picture = (name) => page.screenshot({ path: join(out, `${name}.png`) });
  await openFile(page, "engine.cu");
  await seen(page, "lens", ".codelens-decoration", "captured here");
  await page.click(".view-lines");
  await goTo(page, 58, 1);
  await page.waitForSelector(".squiggly-warning", { timeout: limit });
  console.log(`squiggles: ${(await page.$$(".squiggly-warning")).length}`);
  await seen(page, "status bar", ".statusbar-item", "cudagraph-tidy: ");
  await palette(page, "View: Toggle Primary Side Bar Visibility");
  await picture("lens");

  await palette(page, "View: Toggle Problems");
  await seen(page, "problem", ".markers-panel .monaco-list-row", "cudagraph-");
  await palette(page, "View: Toggle Problems");

  // The editor responds to the mouse, not to clicks that scripts create.
  const lens = await page.waitForFunction(() => [...document.querySelectorAll(".codelens-decoration a")].find((each) => each.textContent.includes("captured here") && each.getBoundingClientRect().width), { timeout: limit });
  await lens.click();
  await page.waitForSelector("iframe.webview", { timeout: limit });
  let frame;
  for (let tries = 0; !frame && tries < 120; ++tries) {
    for (const each of page.frames()) {
      const text = await each.evaluate(() => document.querySelector(".region h2")?.textContent ?? "").catch(() => "");
      if (text) frame = each, console.log(`page: ${text}`);
    }
    if (!frame) await new Promise((done) => setTimeout(done, 500));
  }
  if (!frame) throw new Error("no page of a region");
  await picture("page");
  const place = await frame.evaluate(() => {
    const first = document.querySelector('.at[role="link"]');
    first?.click();
    return first?.textContent;
  });
  console.log(`place in the page: ${place?.replace(work, "")}`);
  await atLine(page, place?.split(":")[1]);

  await page.click(".view-lines");
  await goTo(page, 64, 12);
  await palette(page, "Show or Focus Hover");
  await seen(page, "hover", ".monaco-hover", "Outcomes of");
  await picture("hover");

  await palette(page, "View: Close All Editors");
  await palette(page, "View: Toggle Primary Side Bar Visibility");
  await openFile(page, "escape.cu");
  await seen(page, "lens", ".codelens-decoration", "1 escapes");
  const launch = readFileSync(join(project, "escape.cu"), "utf8").split("\n").findIndex((text) => text.includes("<<<n / 256, 256>>>")) + 1;
  await page.click(".view-lines");
  await goTo(page, launch, 3);
  await seen(page, "status bar", ".statusbar-item", "cudagraph-tidy: 1 finding");
  await page.waitForSelector(".squiggly-warning", { timeout: limit });
  await page.keyboard.down("Control");
  await page.keyboard.press("Period");
  await page.keyboard.up("Control");
  await seen(page, "quick fix", ".action-widget .monaco-list-row", "insert ");
  await picture("quick-fix");
  await page.keyboard.press("Enter");
  await seen(page, "text", ".view-line", "add<<<n / 256, 256, 0, stream>>>(sum, x, n);");
  await seen(page, "status bar", ".statusbar-item", "cudagraph-tidy: 0 findings");
  await page.waitForFunction(() => [...document.querySelectorAll(".codelens-decoration")].every((each) => !each.textContent.includes("escapes")), { timeout: limit });
  await seen(page, "lens", ".codelens-decoration", "captured here");
  await picture("fixed");
  await page.keyboard.down("Control");
  await page.keyboard.press("KeyS");
  await page.keyboard.up("Control");
  for (let tries = 0; ; ++tries) {
    const text = readFileSync(join(project, "escape.cu"), "utf8").split("\n")[launch - 1];
    if (text.includes("stream")) {
      console.log(`saved: ${text.trim()}`);
      break;
    }
    if (tries === 120) throw new Error("the file is not saved");
    await new Promise((done) => setTimeout(done, 500));
  }
  status = 0;
} catch (error) {
  console.error(String(error));
  await page?.screenshot({ path: join(out, "failed.png") }).catch(() => {});
} finally {
  await browser.close().catch(() => {});
  editor.kill();
  rmSync(work, { recursive: true, force: true });
}
process.exit(status);
