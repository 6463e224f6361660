//===- Summarize.h - Summarizes an AST --------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only interface between Clang's AST and the analysis.
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
class StoredDecls;

/// Summarizes the unit in \p Context. \p UnitId distinguishes it from others
/// with the same file. \p KeepRaw: locations store their encodings, for a host
/// that still has the source manager. \p Errors contains the parse errors, or
/// is null. \p Known resolves names; \p Own identifies the project's code;
/// null: determined from the main file. \p Stored lists the contents of the
/// unit's precompiled header; null: not known.
UnitSummary summarizeUnit(
    clang::ASTContext &Context, llvm::StringRef UnitId, bool KeepRaw,
    const ParseErrors *Errors = nullptr,
    const catalogue::Catalogue &Known = catalogue::Catalogue::builtin(),
    const ProjectCode *Own = nullptr, StoredDecls *Stored = nullptr);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_SUMMARIZE_H
