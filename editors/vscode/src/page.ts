// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adapts the server's page to a view of the editor: its colors, and links to the
// source. Nothing here depends on the editor.

/** A message from the view to the editor: the place to show. */
export interface Place {
  file: string;
  line: number;
  column: number;
}

const place = /^(.+?):(\d+)(?::(\d+))?$/;

export function parsePlace(text: string): Place | undefined {
  const match = place.exec(text.trim());
  return match ? { file: match[1], line: Number(match[2]), column: Number(match[3] ?? 1) } : undefined;
}

/** Runs in the view. The page's own script is not changed. */
const script = `
const editor = acquireVsCodeApi();
for (const each of document.querySelectorAll(".at")) {
  if (!${place}.test(each.textContent.trim())) continue;
  each.tabIndex = 0;
  each.setAttribute("role", "link");
  each.style.cursor = "pointer";
  each.style.textDecoration = "underline dotted";
  const open = () => editor.postMessage(each.textContent);
  each.addEventListener("click", (event) => { event.preventDefault(); open(); });
  each.addEventListener("keydown", (event) => { if (event.key === "Enter") open(); });
}`;

/** The server's page allows only its own script; `nonce` also allows the view's. */
export function viewOf(page: string, nonce: string, dark: boolean): string {
  return page
    .replace("script-src ", `script-src 'nonce-${nonce}' `)
    .replace('<html lang="en">', `<html lang="en" data-theme="${dark ? "dark" : "light"}">`)
    .replace("</body>", `<script nonce="${nonce}">${script}</script></body>`);
}
