//===- Summary.h - The summary of a translation unit ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A summary contains every function that a translation unit defines or
// mentions: its name, and its body as a FlowGraph. It depends only on the
// source and the compiler arguments, not on the catalogue or the enabled
// checks. It is a plain value that can be serialized: the same summary serves
// calls inside the unit, calls from other units, and the cache.
//
// Functions are identified by a 64-bit key: a hash of Clang's USR, and, for
// functions without external linkage, of the location in the source. Each
// function is encoded separately, so that equal bytes mean the same function
// wherever they appear.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_SUMMARY_H
#define CUDAGRAPH_ANALYSIS_IR_SUMMARY_H

#include "FlowGraph.h"
#include "Registration.h"
#include "catalogue/Catalogue.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cudagraph {

/// A function with a larger encoding is not entered.
inline constexpr size_t MaxFunctionBytes = size_t(8) << 20;

/// Identifies a function across translation units.
using FunctionKey = uint64_t;

/// One function of a summary.
struct SummaryEntry {
  FunctionKey Key = 0;
  bool HasGraph = false;  ///< its body is here
  bool Collected = false; ///< defined in user code: a possible root
  /// This is not a function, but the initializers of global variables. Only the
  /// functions stored there matter.
  bool Initializers = false;
  llvm::StringRef Bytes; ///< FunctionInfo and FlowGraph, in Storage
};

/// The lines of a file that contain NOLINT directives, and the number of its
/// last line.
struct NolintLines {
  std::string File;
  std::vector<std::pair<unsigned, std::string>> Lines; ///< number, text
};

/// Equal errors of one unit.
struct ErrorKind {
  std::string First; ///< "a.cu:1:2: error: ..."
  unsigned Count = 1;
};

/// Code that was not compiled: a branch of a preprocessor conditional that
/// contains calls.
struct SkippedBranch {
  /// Calls to one function, as spelled: with namespaces, but without an object.
  struct Calls {
    std::string Name;
    unsigned Count = 0;
    bool Qualified = false; ///< a member, or in a namespace
  };
  enum Reason {
    NotDefined, ///< it tests a macro that is not defined
    Defined,    ///< it tests that a macro is not defined, but it is
    False,
  };
  std::string File;
  unsigned Line = 0, EndLine = 0; ///< of the directives around it
  std::string Condition;  ///< "#ifdef USE_GRAPHS"; for an #else, the #if
  bool Otherwise = false; ///< it is the #else of Condition
  Reason Why = False;
  std::string Macro;        ///< for NotDefined and Defined
  std::vector<Calls> Names; ///< sorted
};

struct UnitSummary {
  std::string Id;        ///< distinguishes it from other units of the same file
  std::string MainFile;  ///< in the spelling that the compiler received
  std::string Directory; ///< the base of relative paths in this unit
  /// The reason why the unit was not fully analyzed, or empty.
  std::string Failure;
  unsigned Errors = 0; ///< of the parse
  std::vector<std::string>
      FirstErrors; ///< "a.cu:1:2: error: ...", at most five
  /// All errors, grouped by message, in the order of their first occurrence;
  /// for a unit with very many errors, the first few dozen messages.
  std::vector<ErrorKind> ErrorKinds;
  std::vector<std::string> Command;    ///< the command that reproduces them
  std::vector<SummaryEntry> Functions; ///< sorted by key
  /// The order in which the unit defines its functions: indices of Functions.
  std::vector<unsigned> Order;
  std::vector<std::pair<FunctionKey, FunctionKey>>
      Overrides; ///< base, override
  std::vector<NolintLines> Nolint;
  std::vector<SkippedBranch> Skipped;      ///< by file and line
  std::vector<std::string> ReadFiles;      ///< the user's files; sorted
  std::vector<Registration> Registrations; ///< in the order of the source
  std::shared_ptr<const void> Storage;     ///< keeps the bytes of Functions
  uint64_t Checksum = 0; ///< of the encoding; 0 if the unit was not decoded
};

/// Returns \p Unit as bytes, with a version and a checksum.
std::string encodeSummary(const UnitSummary &Unit);

class CheckedFunctions;

/// Reads the output of encodeSummary and checks it: see SummaryCheck.h. The
/// error describes the defect, without the name of the file. \p Checked: the
/// functions of other units, which share the memory of equal functions.
llvm::Expected<UnitSummary> decodeSummary(std::string Bytes,
                                          CheckedFunctions *Checked = nullptr);

/// Returns \p Info and \p Graph, which may be null, as bytes. \p KeyOf
/// identifies functions; \p SiteOf returns the meaning of a Span, with its text
/// if requested.
std::string
encodeFunction(FunctionInfo Info, const FlowGraph *Graph,
               llvm::function_ref<FunctionKey(FunctionId)> KeyOf,
               llvm::function_ref<Site(Span, bool WithText)> SiteOf);

/// Reads the output of encodeFunction. \p IdOf numbers functions; \p FirstSite
/// returns the number of the first of the given number of sites, which are not
/// read yet. Returns false if \p Bytes are damaged.
bool decodeFunction(llvm::StringRef Bytes, FunctionInfo &Info,
                    std::unique_ptr<FlowGraph> &Graph,
                    llvm::function_ref<FunctionId(FunctionKey)> IdOf,
                    llvm::function_ref<unsigned(size_t)> FirstSite);

/// The keys of the functions that the output of encodeFunction mentions.
std::vector<FunctionKey> mentionedKeys(llvm::StringRef Bytes);

/// Reads the sites of the output of encodeFunction.
std::vector<Site> decodeSites(llvm::StringRef Bytes);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_SUMMARY_H
