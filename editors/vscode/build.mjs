// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bundles the extension into dist/extension.js, or with --tests the tests into
// dist/test. The editor provides the module `vscode`.

import { build } from "esbuild";
import { readdirSync, rmSync } from "node:fs";

const common = {
  bundle: true, platform: "node", format: "cjs", target: "node18",
  external: ["vscode"], legalComments: "linked", logLevel: "warning",
};

rmSync("dist", { recursive: true, force: true });
if (process.argv.includes("--tests")) {
  const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
  await build({ ...common, entryPoints: tests.map((name) => `test/${name}`), outdir: "dist/test" });
} else {
  await build({ ...common, entryPoints: ["src/extension.ts"], outdir: "dist", minify: true });
}
