//===- Summary.h - What one translation unit tells the others ---*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A summary holds every function that a translation unit defines or mentions:
// what it is called, and its body as a FlowGraph. It depends on the source and
// the compiler's arguments alone, neither on the catalogue nor on which checks
// run. It is a plain value that serialises: the same summary serves calls
// inside the unit, calls from other units, and the cache.
//
// Functions are known by a 64-bit key: a hash of Clang's USR, and, for what has
// no external linkage, of the place in the source. Each is encoded by itself,
// so that equal bytes mean the same function wherever it was seen.
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

/// A function whose encoding is larger than this is not looked into.
inline constexpr size_t MaxFunctionBytes = size_t(8) << 20;

/// Identifies a function across translation units.
using FunctionKey = uint64_t;

/// One function of a summary.
struct SummaryEntry {
  FunctionKey Key = 0;
  bool HasGraph = false;  ///< its body is here
  bool Collected = false; ///< defined in user code: a possible root
  /// Not a function: how global variables are initialised. Only the functions
  /// stored there matter.
  bool Initializers = false;
  llvm::StringRef Bytes; ///< FunctionInfo and FlowGraph, in Storage
};

/// The lines of a file that hold NOLINT directives, and the number of its last.
struct NolintLines {
  std::string File;
  std::vector<std::pair<unsigned, std::string>> Lines; ///< number, text
};

/// Errors of one unit that say the same.
struct ErrorKind {
  std::string First; ///< "a.cu:1:2: error: ..."
  unsigned Count = 1;
};

/// Code that the compiler did not see: an arm of a preprocessor conditional
/// that calls something.
struct SkippedArm {
  /// Calls of one function, as they are spelled: with namespaces, but without
  /// an object.
  struct Calls {
    std::string Name;
    unsigned Count = 0;
    bool Qualified = false; ///< a member, or in a namespace
  };
  enum Reason {
    NotDefined, ///< it asks for a macro that is not defined
    Defined,    ///< it asks that a macro is not defined, and it is
    False,
  };
  std::string File;
  unsigned Line = 0, EndLine = 0; ///< of the directives around it
  std::string Condition;          ///< "#ifdef USE_GRAPHS"; of an #else, the #if
  bool Otherwise = false;         ///< it is the #else of Condition
  Reason Why = False;
  std::string Macro;        ///< of NotDefined and Defined
  std::vector<Calls> Names; ///< sorted
};

struct UnitSummary {
  std::string Id;        ///< tells it from others of the same file
  std::string MainFile;  ///< as the compiler was given it
  std::string Directory; ///< what relative paths in here are relative to
  /// Why the unit could not be seen in full, or empty.
  std::string Failure;
  unsigned Errors = 0; ///< of the parse
  std::vector<std::string>
      FirstErrors; ///< "a.cu:1:2: error: ...", at most five
  /// All errors, those with one message together, in the order of their first
  /// ones; of a hopeless unit, the first few dozen messages.
  std::vector<ErrorKind> ErrorKinds;
  std::vector<std::string> Command;    ///< that reproduces them
  std::vector<SummaryEntry> Functions; ///< sorted by key
  /// The order in which the unit defines its functions: indices of Functions.
  std::vector<unsigned> Order;
  std::vector<std::pair<FunctionKey, FunctionKey>>
      Overrides; ///< base, override
  std::vector<NolintLines> Nolint;
  std::vector<SkippedArm> Skipped;         ///< by file and line
  std::vector<std::string> ReadFiles;      ///< the user's files; sorted
  std::vector<Registration> Registrations; ///< in the order of the source
  std::shared_ptr<const std::string> Storage;
};

/// Returns \p Unit as bytes, with a version and a checksum.
std::string encodeSummary(const UnitSummary &Unit);

/// Reads what encodeSummary wrote, and checks it: see SummaryCheck.h. \p Bytes
/// become the Storage. The error says what is wrong with them, without the name
/// of the file.
llvm::Expected<UnitSummary> decodeSummary(std::string Bytes);

/// Returns \p Info and \p Graph, which may be null, as bytes. \p KeyOf names
/// functions, \p SiteOf says what a Span stands for, with its text if asked.
std::string
encodeFunction(FunctionInfo Info, const FlowGraph *Graph,
               llvm::function_ref<FunctionKey(FunctionId)> KeyOf,
               llvm::function_ref<Site(Span, bool WithText)> SiteOf);

/// Reads what encodeFunction wrote. \p IdOf numbers functions; \p FirstSite
/// says what the first of so many sites is to be numbered: they are not read
/// yet. Returns false if \p Bytes are damaged.
bool decodeFunction(llvm::StringRef Bytes, FunctionInfo &Info,
                    std::unique_ptr<FlowGraph> &Graph,
                    llvm::function_ref<FunctionId(FunctionKey)> IdOf,
                    llvm::function_ref<unsigned(size_t)> FirstSite);

/// The keys of the functions that what encodeFunction wrote mentions.
std::vector<FunctionKey> mentionedKeys(llvm::StringRef Bytes);

/// Reads the sites of what encodeFunction wrote.
std::vector<Site> decodeSites(llvm::StringRef Bytes);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_SUMMARY_H
