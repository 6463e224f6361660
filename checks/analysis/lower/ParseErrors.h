//===- ParseErrors.h - Where a translation unit does not parse --*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang drops statements that it cannot parse, so the AST alone does not say
// what is missing from it. ParseErrors keeps the places of the errors. Lowering
// marks these places in flow graphs, and the engine claims nothing certain
// about what follows them.
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
  /// Notes \p Info if it is an error. Of an error inside a macro, the place is
  /// where the outermost macro is expanded.
  void note(clang::DiagnosticsEngine::Level Level,
            const clang::Diagnostic &Info);

  bool empty() const { return Places.empty() && Fatal.isInvalid(); }

  /// The places of errors in file range \p R, in source order.
  llvm::SmallVector<clang::SourceLocation, 2>
  in(clang::SourceRange R, const clang::SourceManager &SM) const;

  /// True if \p At comes after an error that ended the work of Clang: from
  /// there on it instantiates no template and reports no further error.
  bool isAfterFatal(clang::SourceLocation At,
                    const clang::SourceManager &SM) const;

private:
  llvm::SmallVector<clang::SourceLocation, 4> Places;
  clang::SourceLocation Fatal;
};

/// Forwards to the consumer that \p Diags has, and notes errors in the result.
/// For hosts that own the consumer. The result and \p Diags may end in any
/// order. Counts and calls of the original consumer stay as they are.
std::shared_ptr<const ParseErrors> watchErrors(clang::DiagnosticsEngine &Diags);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_PARSEERRORS_H
