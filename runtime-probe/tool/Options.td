//===- Options.td - The command line of cudagraph-probe ----*- tablegen -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists every option once. docs/probe.md is the long form of this table.
//
//===----------------------------------------------------------------------===//

include "llvm/Option/OptParser.td"

class Dashed<string name, OptionKind kind> : Option<["--", "-"], name, kind>;

class Switch<string name, OptionGroup group, string help>
    : Dashed<name, KIND_FLAG>, Group<group>, HelpText<help>;

multiclass Valued<string name, OptionGroup group, string meta, string help> {
  def NAME : Dashed<name, KIND_SEPARATE>;
  def NAME # _eq : Dashed<name # "=", KIND_JOINED>, Group<group>,
                   Alias<!cast<Option>(NAME)>, HelpText<help>,
                   MetaVarName<meta>;
}

def run_group : OptionGroup<"run">, HelpText<"RUN">;
defm watch : Valued<"watch", run_group, "<names>",
  "Also list calls to these comma-separated functions during captures">;
def halt : Switch<"halt", run_group,
  "End the program with SIGABRT at the first refused call">;
def captures_only : Switch<"captures-only", run_group,
  "Observe only captures, not the resulting graphs">;
defm captures : Valued<"captures", run_group, "<n>",
  "Detach from the program after <n> captures">;
defm replays : Valued<"replays", run_group, "<n>",
  "Observe up to <n> launches of graphs, or 'all' (default: 512)">;
def no_lines : Switch<"no-lines", run_group,
  "confirm: Do not set breakpoints at the lines that findings name">;
defm trace : Valued<"trace", run_group, "<dir>",
  "Store the trace in <dir>, for 'report'">;
defm cuda_path : Valued<"cuda-path", run_group, "<dir>",
  "Use libcupti of the CUDA toolkit in <dir>">;
defm injection_library : Valued<"injection-library", run_group, "<file>",
  "Load <file> instead of the bundled library">;
def fail_on_findings : Switch<"fail-on-findings", run_group,
  "Exit with 1 on findings if the program exited with 0">;

def output_group : OptionGroup<"output">, HelpText<"OUTPUT">;
defm output : Valued<"output", output_group, "<file>",
  "Write the report to <file>, as JSON unless --format specifies otherwise">;
defm format : Valued<"format", output_group, "<fmt>",
  "Report as text (default), json, html, or sarif">;
def quiet : Switch<"quiet", output_group,
  "Print only findings and problems: no closing line">;
def verbose : Switch<"verbose", output_group,
  "Print stacks of remarks, all values that differ, and full names">;
defm symbols : Valued<"symbols", output_group, "<file>",
  "report: read functions and lines from <file> instead of the binaries">;

def info_group : OptionGroup<"info">, HelpText<"INFORMATION">;
def help : Switch<"help", info_group, "Show this text">;
def h : Flag<["-"], "h">, Alias<help>;
def version : Switch<"version", info_group, "Show the version">;
