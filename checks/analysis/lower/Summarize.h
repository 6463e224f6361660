//===- Summarize.h - From a syntax tree to a summary ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only way from Clang's syntax tree into the analysis.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_SUMMARIZE_H
#define CUDAGRAPH_ANALYSIS_LOWER_SUMMARIZE_H

#include "analysis/ir/Summary.h"
#include "catalogue/Catalogue.h"
#include "llvm/ADT/StringRef.h"

namespace clang {
class ASTContext;
}

namespace cudagraph {

class ParseErrors;
class ProjectCode;

/// Summarises the unit in \p Context. \p UnitId tells it from others that are
/// made from the same file. \p KeepRaw: locations remember their encodings, for
/// a host that still has the source manager. \p Errors says where the unit does
/// not parse, or is null. \p Known says what names stand for, \p Own which code
/// is the project's; null: as the main file tells.
UnitSummary summarizeUnit(
    clang::ASTContext &Context, llvm::StringRef UnitId, bool KeepRaw,
    const ParseErrors *Errors = nullptr,
    const catalogue::Catalogue &Known = catalogue::Catalogue::builtin(),
    const ProjectCode *Own = nullptr);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_SUMMARIZE_H
