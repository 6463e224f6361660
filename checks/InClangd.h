//===- InClangd.h - Messages to the language server -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clangd shows diagnostics only. Regions and outcomes reach the language server
// through this function, which driver/editor defines.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_INCLANGD_H
#define CUDAGRAPH_INCLANGD_H

#include "analysis/findings/Finding.h"
#include "llvm/ADT/StringRef.h"

namespace clang {
class ASTContext;
}

namespace cudagraph {

/// Receives the \p Result of the enabled check \p Check for the unit in \p
/// Context; \p Known describes the functions that the unit calls.
void unitAnalyzed(const clang::ASTContext &Context, const UnitResult &Result,
                  llvm::StringRef Check, const catalogue::Catalogue &Known);

} // namespace cudagraph

#endif // CUDAGRAPH_INCLANGD_H
