//===- ParseErrors.h - The parse errors of a translation unit ---*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang drops statements that it cannot parse, so the AST alone does not show
// what is missing. ParseErrors stores the locations of the errors. Lowering
// marks these locations in flow graphs, and the engine makes no certain claims
// about the code after them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_PARSEERRORS_H
#define CUDAGRAPH_ANALYSIS_LOWER_PARSEERRORS_H

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>

namespace clang {
class SourceManager;
}

namespace cudagraph {

class ParseErrors {
public:
  /// Records \p Info if it is an error. The location of an error inside a macro
  /// is the expansion of the outermost macro.
  void note(clang::DiagnosticsEngine::Level Level,
            const clang::Diagnostic &Info);

  bool empty() const { return Places.empty() && Fatal.isInvalid(); }

  /// The locations of errors in file range \p R, in source order.
  llvm::SmallVector<clang::SourceLocation, 2>
  in(clang::SourceRange R, const clang::SourceManager &SM) const;

  /// True if \p At comes after an error that stopped Clang: after it, Clang
  /// instantiates no templates and reports no other errors.
  bool isAfterFatal(clang::SourceLocation At,
                    const clang::SourceManager &SM) const;

private:
  llvm::SmallVector<clang::SourceLocation, 4> Places;
  clang::SourceLocation Fatal;
};

/// Forwards to the consumer of \p Diags and records errors in the result. This
/// is for hosts that own the consumer. The result and \p Diags may be destroyed
/// in any order. The counts of the original consumer, and the calls to it, do
/// not change.
std::shared_ptr<const ParseErrors> watchErrors(clang::DiagnosticsEngine &Diags);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_PARSEERRORS_H
