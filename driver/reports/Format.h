//===- Format.h - The formats of reports ------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats.def as an enumeration and the function that maps a format to its
// writer.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_FORMAT_H
#define CUDAGRAPH_DRIVER_REPORTS_FORMAT_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
}

namespace cudagraph::reports {

struct Report;
class SourceText;

enum class Format {
#define FORMAT(ID, NAME, LISTS, WRITE) ID,
#include "Formats.def"
};

/// The entries of a report: the findings of a run, its regions, or its
/// operators.
enum class Listed { Regions, Findings, Operators };

struct TextStyle {
  bool Color = false;
  bool ClosingLine = true;
};

struct ReportStyle {
  Listed List = Listed::Findings;
  TextStyle Text;
};

/// Returns the spelling of \p As in --format.
llvm::StringRef nameOf(Format As);

/// Returns the format \p Name, if it can list \p What.
std::optional<Format> findFormat(llvm::StringRef Name, Listed What);

/// Returns the names of the formats that can list \p What, for people: "text,
/// json, and csv".
std::string formatNames(Listed What);

void write(Format As, llvm::raw_ostream &Out, const Report &R,
           SourceText &Sources, const ReportStyle &How);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_FORMAT_H
