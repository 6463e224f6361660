//===- Unit.h - A parsed file for the rewritings ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the main file that run on the host, their statements, and
// the locations of both in the text. Code that is partly written by a macro
// has no location, and no rewriting applies to it.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_TEST_REWRITE_UNIT_H
#define CUDAGRAPH_TEST_REWRITE_UNIT_H

#include "Edits.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace clang {
class Preprocessor;
}

namespace cudagraph::rewrite {

/// Calls \p Visit with \p S and its children, including those in lambdas if \p Lambdas.
void walk(const clang::Stmt *S, bool Lambdas,
          llvm::function_ref<void(const clang::Stmt *)> Visit);

/// A function with a body in the main file; a lambda is a separate one.
struct Function {
  const clang::FunctionDecl *Decl;
  const clang::CompoundStmt *Body;
  /// The enclosing declaration at namespace scope, which may be itself.
  const clang::Decl *Outermost;
  /// Whether the function is a template or is inside one.
  bool Dependent;
  bool Lambda;
};

/// The statements of a block.
struct Sequence {
  const Function *In;
  const clang::CompoundStmt *Block;
};

class Unit {
public:
  Unit(clang::ASTContext &Context, clang::Preprocessor &PP);

  clang::ASTContext &Context;
  clang::Preprocessor &PP;
  const clang::SourceManager &SM;
  const clang::LangOptions &Lang;
  llvm::StringRef Old;

  const std::vector<Function> &functions() const { return Functions; }
  const std::vector<Sequence> &sequences() const { return Sequences; }

  bool inMainFile(clang::SourceLocation L) const;
  /// The range of \p R if it is in the main file and not part of a macro.
  std::optional<Range> range(clang::SourceRange R) const;
  /// The range of a statement with the semicolon that ends it.
  std::optional<Range> statement(const clang::Stmt *S) const;
  llvm::StringRef text(Range R) const { return Old.slice(R.Begin, R.End); }
  /// The range from the beginning of the line of \p R to the end of its last
  /// line.
  Range lines(Range R) const;
  /// Whether a comment or a macro in \p R directs the analysis and would not
  /// move with the statement.
  bool marked(Range R) const;
  /// A location for a helper that uses only CUDA's names.
  unsigned prologue() const { return Prologue; }
  /// A location for a helper that \p F uses; none if it cannot.
  std::optional<unsigned> before(const Function &F) const;
  /// Whether control leaves \p S other than by an exception: return, goto,
  /// labels, and break and continue of an outer statement.
  static bool jumps(const clang::Stmt *S);
  /// The variables with automatic storage that \p S names and does not
  /// declare, in the order of their first mention.
  static std::vector<const clang::VarDecl *>
  freeVariables(llvm::ArrayRef<const clang::Stmt *> S);
  static bool mentionsThis(const clang::Stmt *S);
  /// \p Type, spelled with \p Name so that it has the same meaning at namespace
  /// scope before \p F; empty if there is no spelling.
  std::string declare(clang::QualType Type, llvm::StringRef Name) const;

private:
  std::vector<Function> Functions;
  std::vector<Sequence> Sequences;
  unsigned Prologue = 0;
};

} // namespace cudagraph::rewrite

#endif // CUDAGRAPH_TEST_REWRITE_UNIT_H
