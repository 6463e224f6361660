// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts settings to the command line of the server and the first message to it.
// Nothing here depends on the editor.

import { isAbsolute, join } from "node:path";

export interface Settings {
  arguments: string[];
  cudaPath: string;
  compileCommandsDir: string;
  features: "auto" | "all" | "captures";
}

export const otherServers = ["llvm-vs-code-extensions.vscode-clangd", "ms-vscode.cpptools"];

/** The arguments of the server for a workspace in `folder`. */
export function serverArguments(settings: Settings, folder: string | undefined): string[] {
  const result: string[] = [];
  const directory = settings.compileCommandsDir;
  if (directory) {
    result.push(`--compile-commands-dir=${isAbsolute(directory) || !folder ? directory : join(folder, directory)}`);
  }
  if (settings.cudaPath) result.push(`--cuda-path=${settings.cudaPath}`);
  return [...result, ...settings.arguments];
}

/** True if only the features about captures are requested, in addition to another server. */
export function onlyCaptures(settings: Settings, hasExtension: (id: string) => boolean): boolean {
  return settings.features === "captures" || (settings.features === "auto" && otherServers.some(hasExtension));
}

export function initializationOptions(captures: boolean): object {
  return { clangdFileStatus: true, cudagraphPages: true, cudagraphOnly: captures };
}
