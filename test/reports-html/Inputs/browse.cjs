// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// node browse.cjs MODULES CHROMIUM PAGE...: uses each page in a headless
// Chromium as a person would, and fails on the first thing that does not work.
// The first page must have two findings or more.

"use strict";
const assert = require("node:assert/strict");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

const [modules, executablePath, ...pages] = process.argv.slice(2);
const { chromium } = require(path.join(modules, "playwright-core"));
const axe = require.resolve(path.join(modules, "axe-core"));

const widths = { wide: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

async function open(browser, file, settings, hash = "") {
  const context = await browser.newContext(settings);
  const page = await context.newPage();
  const said = [];
  page.on("console", (m) => said.push(`${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => said.push(`error: ${e.message}`));
  page.on("request", (r) => r.url().startsWith("file:") || r.url().startsWith("data:") ||
    said.push(`request: ${r.url()}`));
  page.on("dialog", (d) => { said.push(`dialog: ${d.message()}`); d.dismiss(); });
  await page.goto(pathToFileURL(file) + hash);
  return { page, done: async () => { assert.deepEqual(said, []); await context.close(); } };
}

// Families of any width; a family that the machine lacks is its default one.
// The last is wider than any, whatever is installed.
const families = ["'DejaVu Sans'", "'DejaVu Sans Mono'", "'Liberation Serif'", "'Lato Black'", "monospace",
  "sans-serif; letter-spacing: .15em !important; word-spacing: .3em"];

// The page is as wide as the screen and no wider, and nothing leaves it except
// in a box that scrolls.
async function fits(browser, file) {
  const { page, done } = await open(browser, file, { bypassCSP: true });
  if (await page.locator(".finding").count() > 100)
    return done();
  await page.addStyleTag({ content: ".finding { content-visibility: visible !important }" });
  await page.evaluate(() => document.head.append(Object.assign(document.createElement("style"), { id: "forced" })));
  for (const all of [false, true]) {
    await page.evaluate((open) => document.querySelectorAll("details").forEach((d) => { d.open = open; }), all);
    for (const width of [320, 360, 390, 640, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      for (const family of all ? families : families.slice(-1)) {
        const wide = await page.evaluate((value) => {
          document.getElementById("forced").textContent =
            `*, *::before, *::after { font-family: ${value} !important; }`;
          const boxed = (e) => e !== document.body &&
            (getComputedStyle(e).overflowX !== "visible" || boxed(e.parentElement));
          const result = [...document.body.querySelectorAll("*")].filter((e) => {
            const { left, right, width } = e.getBoundingClientRect();
            return width && (left < -1 || right > innerWidth + 1) && !boxed(e);
          }).map((e) => `${e.tagName}.${e.className}`);
          const over = document.documentElement.scrollWidth - innerWidth;
          return over > 0 ? [`${over} pixels`, ...result] : result;
        }, family);
        assert.deepEqual(wide.slice(0, 4), [], `${path.basename(file)}, ${width} pixels, ${family}: too wide`);
      }
    }
  }
  await done();
}

const focused = (page) => page.evaluate(() => document.activeElement.closest(".finding")?.id);
const shown = (page) => page.locator(".finding:visible").count();

async function looks(browser, file) {
  for (const [name, viewport] of Object.entries(widths))
    for (const colorScheme of ["light", "dark"]) {
      const { page, done } = await open(browser, file, { viewport, colorScheme, bypassCSP: true });
      const many = await page.locator(".finding").count() > 100;
      const over = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(await over() <= 0, `${name} ${colorScheme}: ${await over()} pixels too wide`);
      if (many) {
        await done();
        continue;
      }
      await page.addStyleTag({ content: ".finding { content-visibility: visible !important }" });
      await page.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
      await page.waitForFunction(() => [...document.querySelectorAll(".src")].every(
        (box) => box.scrollWidth <= box.clientWidth + 1 || box.tabIndex === 0));
      assert.ok(await over() <= 0, `${name} ${colorScheme}, all open: ${await over()} pixels too wide`);
      await page.addScriptTag({ path: axe });
      const { violations } = await page.evaluate(() => axe.run(document));
      assert.deepEqual(
        violations.map((v) => `${v.impact} ${v.id}: ${v.nodes[0].html} ${v.nodes[0].failureSummary}`), [],
        `${name} ${colorScheme}`);
      await done();
    }
}

async function keys(browser, file) {
  const { page, done } = await open(browser, file, { viewport: widths.wide });
  const ids = await page.locator(".finding").evaluateAll((all) => all.map((f) => f.id));
  assert.ok(ids.length > 1);
  await page.keyboard.press("j");
  assert.equal(await focused(page), ids[0]);
  await page.keyboard.press("j");
  assert.equal(await focused(page), ids[1]);
  await page.keyboard.press("k");
  assert.equal(await focused(page), ids[0]);
  const first = page.locator(`#${ids[0]} > details`);
  const was = await first.getAttribute("open");
  await page.keyboard.press("o");
  assert.notEqual(await first.getAttribute("open"), was);
  await page.keyboard.press("Enter");
  assert.equal(await first.getAttribute("open"), was);
  await page.keyboard.press("n");
  assert.ok(await page.evaluate(() => document.activeElement.matches("section.region")));

  // Search, and what it leaves.
  await page.keyboard.press("/");
  const at = await page.locator(".finding .meta .at").first().textContent();
  await page.keyboard.type(`${at} jk`);
  assert.equal(await shown(page), 0);
  assert.ok(await page.locator("#none").isVisible());
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  const some = await shown(page); // "jk" is text here, not a command
  assert.ok(some > 0 && some < ids.length);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  assert.equal(await shown(page), ids.length);

  // Choices and tiles.
  const check = await page.locator(".finding").first().getAttribute("data-check");
  await page.selectOption("#by-check", check);
  assert.equal(await shown(page), await page.locator(`.finding[data-check="${check}"]`).count());
  assert.match(await page.locator("#shown").textContent(), /^\d+ of \d+ shown$/);
  await page.locator("#filters button[type=reset]").click();
  await page.waitForFunction((n) => document.querySelectorAll(".finding:not([hidden])").length === n, ids.length);
  const tile = page.locator(".tiles button").first();
  await tile.click();
  assert.equal(await tile.getAttribute("aria-pressed"), "true");
  const kind = await tile.getAttribute("data-outcome");
  assert.equal(await shown(page), await page.locator(`.finding[data-outcome="${kind}"]`).count());
  await tile.click();
  assert.equal(await shown(page), ids.length);

  // The list of keys, and the theme.
  await page.keyboard.press("?");
  assert.ok(await page.locator("dialog").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!await page.locator("dialog").isVisible());
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.keyboard.press("t");
  const light = await back();
  await page.keyboard.press("t");
  assert.notEqual(await back(), light);

  // From the picture to the finding.
  await page.locator(".flow tr.bad a.chip").first().click();
  assert.match(page.url(), /#f-/);
  // The page moves the focus when the browser has followed the link.
  await page.waitForFunction((id) => document.activeElement.closest(".finding")?.id === id,
    new URL(page.url()).hash.slice(1));
  await done();
}

async function links(browser, file) {
  const { page, done } = await open(browser, file, { viewport: widths.wide });
  const ids = await page.locator(".finding").evaluateAll((all) => all.map((f) => f.id));
  await done();
  const last = ids[ids.length - 1];
  const again = await open(browser, file, { viewport: widths.wide }, `#${last}`);
  await again.page.waitForFunction((id) => document.activeElement.closest(".finding")?.id === id, last);
  assert.notEqual(await again.page.locator(`#${last} > details`).getAttribute("open"), null);
  await again.page.selectOption("#by-check", { index: 1 });
  await again.page.evaluate(() => { location.hash = "region-1"; });
  await again.page.waitForTimeout(100);
  assert.ok(await again.page.locator("#region-1").isVisible());
  await again.done();
}

async function withoutScript(browser, file) {
  const { page, done } = await open(browser, file, { viewport: widths.phone, javaScriptEnabled: false });
  const all = await page.locator(".finding").count();
  assert.equal(await page.locator(".finding .what:visible").count(), all);
  assert.equal(await page.locator("#filters:visible, .tools button:visible").count(), 0);
  await done();
}

(async () => {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    for (const file of pages) await looks(browser, file);
    for (const file of pages) await fits(browser, file);
    await keys(browser, pages[0]);
    await links(browser, pages[0]);
    await withoutScript(browser, pages[0]);
    console.log("works");
  } finally {
    await browser.close();
  }
})().catch((e) => { console.error(e); process.exit(1); });
