//===- Options.td - The command line of cudagraph-tidy ----*- tablegen -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists every option once: spelling, help, and group. An option with the same
// meaning as one of clang-tidy has the same name. As in clang-tidy, one dash or
// two, and `--name value` or `--name=value`, are equivalent.
// docs/command-line.md is the long form of this table, and a test compares the
// two.
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

// Compilation.
def compile_group : OptionGroup<"compile">, HelpText<"COMPILATION">;
def p : Option<["-"], "p", KIND_SEPARATE>, Group<compile_group>,
  MetaVarName<"<dir>">, HelpText<"Read the compile database in <dir> (default: the nearest one)">;
def p_eq : Option<["-"], "p=", KIND_JOINED>, Alias<p>;
defm extra_arg : Valued<"extra-arg", compile_group, "<argument>",
  "Add <argument> to the end of every compiler command line">;
defm extra_arg_before : Valued<"extra-arg-before", compile_group, "<argument>",
  "Add <argument> to the start of every compiler command line">;
defm also_with : Valued<"also-with", compile_group, "<arguments>",
  "Analyze each unit a second time with <arguments> added, and report the findings of both; repeatable">;
defm cuda_path : Valued<"cuda-path", compile_group, "<dir>",
  "Use the CUDA toolkit in <dir>; 'mock' selects the bundled mock headers">;
defm cuda_version : Valued<"cuda-version", compile_group, "<version>",
  "Use the bundled mock headers with the declarations of CUDA <version>, such as 11.8, 12.4, or 12 for the newest 12 (default: 13.0)">;
def literal_names : Switch<"literal-names", compile_group,
  "Treat an argument that begins with '@' or '-' as a source if a file has that name">;
def define_nvcc : Switch<"define-nvcc", compile_group,
  "Define __NVCC__ and __CUDACC_VER_*, to analyze code meant for nvcc">;

// Execution.
def run_group : OptionGroup<"run">, HelpText<"EXECUTION">;
def j : Option<["-"], "j", KIND_JOINED_OR_SEPARATE>, Group<run_group>,
  MetaVarName<"<n>">, HelpText<"Analyze <n> translation units at a time (default: the number of cores)">;
def j_eq : Option<["-"], "j=", KIND_JOINED>, Alias<j>;
defm timeout_per_tu : Valued<"timeout-per-tu", run_group, "<seconds>",
  "Abort a translation unit after <seconds> (default: 600; 0: no limit)">;
defm timeout : Valued<"timeout", run_group, "<seconds>",
  "Abort the run after <seconds> and report the findings so far (default: 0, no limit)">;
defm cache_dir : Valued<"cache-dir", run_group, "<dir>",
  "Store results in <dir> (default: cudagraph-tidy in the user's cache)">;
def no_cache : Switch<"no-cache", run_group,
  "Neither use nor store cached results">;
def shared_preambles : Switch<"shared-preambles", run_group,
  "Parse shared leading headers only once (default)">;
def no_preamble : Switch<"no-preamble", run_group,
  "Parse the headers of each unit separately">;
def all_units : Switch<"all-units", run_group,
  "Also parse plain C++ units that cannot affect a capture">;
def o : Option<["-"], "o", KIND_JOINED_OR_SEPARATE>, Group<run_group>,
  MetaVarName<"<file>">, HelpText<"summarize: write the summary to <file>">;
defm depfile : Valued<"depfile", run_group, "<file>",
  "summarize: list the input files in <file>, as a make rule">;

// Analysis.
def analysis_group : OptionGroup<"analysis">, HelpText<"ANALYSIS">;
defm checks : Valued<"checks", analysis_group, "<globs>",
  "Run only these checks: comma-separated globs; a '-' before a glob excludes its checks">;
defm roots : Valued<"roots", analysis_group, "<kinds>",
  "Also treat as captured: torch-ops (default), entry-points, stream-param, function:<regex>">;
defm confidence : Valued<"confidence", analysis_group, "<level>",
  "Minimum confidence to report: certain, likely (default), possible">;
def advice : Switch<"advice", analysis_group,
  "Also report advice">;
def strict : Switch<"strict", analysis_group,
  "Also list opaque calls">;
defm catalogue : Valued<"catalogue", analysis_group, "<file>",
  "Add entries for your functions from <file>; repeatable">;
defm header_filter : Valued<"header-filter", analysis_group, "<regex>",
  "Report findings in headers whose paths match <regex> (default: all)">;
defm line_filter : Valued<"line-filter", analysis_group, "<json>",
  "Report findings only in these lines: [{\"name\":\"a.cu\",\"lines\":[[1,9]]}]">;
defm diff_base : Valued<"diff-base", analysis_group, "<ref>",
  "Report only findings that involve lines changed since the merge base with <ref>">;
def staged : Switch<"staged", analysis_group,
  "Report only findings that involve staged lines">;
defm baseline : Valued<"baseline", analysis_group, "<file>",
  "Hide the findings listed in <file>, and report entries that match no finding">;
def baseline_write : Switch<"baseline-write", analysis_group,
  "Write the findings to the baseline">;
def baseline_prune : Switch<"baseline-prune", analysis_group,
  "Remove baseline entries that match no finding">;
def report_unused_nolint : Switch<"report-unused-nolint", analysis_group,
  "Report NOLINT comments that name one of these checks and suppress nothing">;
defm probe_report : Valued<"probe-report", analysis_group, "<file>",
  "Compare the findings with <file>, a report of cudagraph-probe; repeatable">;

// Output.
def output_group : OptionGroup<"output">, HelpText<"OUTPUT">;
defm format : Valued<"format", output_group, "<fmt>[:<file>]",
  "Report as text (default), json, sarif, github, gitlab, rdjsonl, checkstyle, junit, html, or markdown, to <file>; repeatable">;
def color : Dashed<"color", KIND_FLAG>;
def color_eq : Dashed<"color=", KIND_JOINED>, Group<output_group>,
  MetaVarName<"<when>">, HelpText<"Color the text: auto (default), always, or never">;
def use_color : Dashed<"use-color", KIND_FLAG>, Alias<color>;
def quiet : Switch<"quiet", output_group,
  "Print only findings and errors: no notices, no closing line">;
def verbose : Switch<"verbose", output_group,
  "Print each compiler command line, and the number of results from the cache">;
def fix : Switch<"fix", output_group, "Apply the fixes">;
defm export_fixes : Valued<"export-fixes", output_group, "<file>",
  "Write the fixes to <file>, for clang-apply-replacements">;
defm fail_on : Valued<"fail-on", output_group, "<severity>",
  "Exit with 1 on findings of severity warning (default) or error, or never (none); ops: unsafe">;

// Configuration.
def config_group : OptionGroup<"config">, HelpText<"CONFIGURATION">;
defm config_file : Valued<"config-file", config_group, "<file>",
  "Read settings from <file> instead of the nearest .cudagraph-tidy.yaml">;
def dump_config : Switch<"dump-config", config_group,
  "Show the effective configuration for the source, with the origin of each value">;
def verify_config : Switch<"verify-config", config_group,
  "Check the configuration files and exit">;

def info_group : OptionGroup<"info">, HelpText<"INFORMATION">;
def help : Switch<"help", info_group, "Show this text">;
def h : Flag<["-"], "h">, Alias<help>;
def version : Switch<"version", info_group, "Show the version">;
def cmake_toolchain : Switch<"cmake-toolchain", info_group,
  "Print the toolchain file with which CMake configures a CUDA project without nvcc">;
def list_checks : Dashed<"list-checks", KIND_FLAG>;
