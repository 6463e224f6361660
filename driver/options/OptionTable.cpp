//===- OptionTable.cpp - The table of options -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OptionTable.h. The text of --help is generated from the table.
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"
#include "Options.h"
#include "versions/ClangVersions.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::opt; // the generated table refers to DefaultVis

namespace cudagraph::driver {
namespace {

#define OPTTABLE_STR_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

#define PREFIX(NAME, ...) CUDAGRAPH_OPTION_PREFIX(NAME, __VA_ARGS__)
#include "Options.inc"
#undef PREFIX

constexpr opt::OptTable::Info InfoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

const char Usage[] =
    "cudagraph-tidy [options] [<source>...] [-- <compiler arguments>]\n"
    "       cudagraph-tidy regions [options] [<source>...] "
    "[-- <compiler arguments>]\n"
    "       cudagraph-tidy ops [options] [<source>...] "
    "[-- <compiler arguments>]\n"
    "       cudagraph-tidy summarize -o <file> [options] <source> "
    "[-- <compiler arguments>]\n"
    "       cudagraph-tidy link [options] <summary>...\n"
    "       cudagraph-tidy export-compile-db <out> [options] [<source>...] "
    "[-- <compiler arguments>]\n"
    "       cudagraph-tidy list-checks [--checks=<globs>]\n"
    "       cudagraph-tidy explain <check>|<code>|<function>";

const char Title[] =
    "Finds the lines that break CUDA graph stream capture.\n\n"
    "Without a source, every translation unit of the compile database is "
    "analyzed.\n"
    "Exit status: 0 no findings, 1 findings, 2 invalid usage or environment, "
    "3 incomplete.";

} // namespace

OptionTable::OptionTable()
    : GenericOptTable(CUDAGRAPH_OPTION_TABLE(InfoTable)) {}

void printHelp(raw_ostream &Out) { OptionTable().printHelp(Out, Usage, Title); }

} // namespace cudagraph::driver
