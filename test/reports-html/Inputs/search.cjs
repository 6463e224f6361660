// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// node search.cjs MODULES CHROMIUM WORDS PAGE...: opens each page of a site as a
// file, searches for WORDS, and prints the file of the first result.

"use strict";
const path = require("node:path");
const { pathToFileURL } = require("node:url");

const [modules, executablePath, words, ...pages] = process.argv.slice(2);
const { chromium } = require(path.join(modules, "playwright-core"));

(async () => {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  for (const file of pages) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on("pageerror", (e) => console.log(`error: ${e.message}`));
    page.on("console", (m) => m.type() === "error" && console.log(`error: ${m.text()}`));
    page.on("request", (r) => r.url().startsWith("file:") || r.url().startsWith("data:") ||
      r.url() === "about:blank" || console.log(`request: ${r.url()}`));
    await page.goto(`${pathToFileURL(file)}`);
    await page.click("input[name=query]");
    await page.keyboard.type(words);
    const first = await page.waitForSelector("a.md-search-result__link", { timeout: 10000 });
    console.log(`${path.basename(file)}: ${path.basename(new URL(await first.evaluate((a) => a.href)).pathname)}`);
    await page.close();
  }
  await browser.close();
})().catch((e) => {
  console.error(e);
  process.exit(1);
});
