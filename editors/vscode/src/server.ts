// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds cudagraph-clangd. Nothing here depends on the editor.

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

export const program = "cudagraph-clangd";

export interface Surroundings {
  /** The setting, or an empty string. */
  configured: string;
  /** Directories of the workspace. */
  folders: string[];
  /** If false, programs in the workspace must not run. */
  trusted: boolean;
  home: string;
  environment: NodeJS.ProcessEnv;
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Expands the placeholders in settings: `~` and `${workspaceFolder}`. */
export function expanded(path: string, around: Surroundings): string {
  const withHome = path.replace(/^~(?=\/|$)/, around.home);
  return withHome.replace(/\$\{workspaceFolder\}/g, around.folders[0] ?? "");
}

/** All possible locations of the server, the preferred one first. */
export function candidates(around: Surroundings): string[] {
  const { environment, folders, home } = around;
  const directories: string[] = [];
  if (around.trusted) {
    for (const folder of folders) {
      directories.push(join(folder, ".venv", "bin"), join(folder, "venv", "bin"));
    }
  }
  for (const name of ["VIRTUAL_ENV", "CONDA_PREFIX"]) {
    const prefix = environment[name];
    if (prefix) directories.push(join(prefix, "bin"));
  }
  // A relative entry would refer to a directory of the workspace.
  directories.push(...(environment.PATH ?? "").split(delimiter).filter(isAbsolute));
  directories.push(join(home, ".local", "bin"), "/usr/local/bin", "/usr/bin");
  return [...new Set(directories)].map((directory) => join(directory, program));
}

/** Returns the path of the server, or an explanation for the user. */
export function findServer(around: Surroundings): { path: string } | { problem: string } {
  if (around.configured) {
    const path = expanded(around.configured, around);
    if (isProgram(path)) return { path };
    // A name without a directory is a program on PATH.
    const named = path.includes("/") ? undefined : (around.environment.PATH ?? "")
      .split(delimiter).filter(isAbsolute).map((directory) => join(directory, path)).find(isProgram);
    if (named) return { path: named };
    return { problem: `"cudagraph-tidy.server.path" is ${path}, which is not a program. ` +
      "Correct the setting, or clear it to search for the server." };
  }
  const path = candidates(around).find(isProgram);
  if (path) return { path };
  return { problem: `${program} was not found on PATH or in a Python environment. ` +
    "Install the wheels of cudagraph-tidy and cudagraph-clangd, or set \"cudagraph-tidy.server.path\"." };
}
