//===- Rewriting.h - The rewritings, by name --------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rewriting has one line in Rewritings.def, with its law and the checks
// that it may affect. A rewriting finds its sites; main() applies one.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_TEST_REWRITE_REWRITING_H
#define CUDAGRAPH_TEST_REWRITE_REWRITING_H

#include "Unit.h"

namespace cudagraph::rewrite {

using Sites = std::vector<Site>;

struct Rewriting {
  llvm::StringRef Name;
  llvm::StringRef Law;     ///< more, same, names, or unknown
  llvm::StringRef Without; ///< checks whose findings it may change
  llvm::StringRef Summary;
  void (*Find)(const Unit &, Sites &);
};

llvm::ArrayRef<Rewriting> rewritings();

#define REWRITING(NAME, FUNCTION, LAW, WITHOUT, SUMMARY)                       \
  void FUNCTION(const Unit &U, Sites &Found);
#include "Rewritings.def"

bool isStream(clang::QualType T);

/// The locations at which \p Body names \p V, and whether they read its value;
/// none if one of them cannot be edited.
std::optional<std::vector<std::pair<Range, bool>>>
mentions(const Unit &U, const clang::Stmt *Body, const clang::VarDecl *V);

/// A place to store a stream other than a variable.
struct Holder {
  llvm::StringRef Name;
  llvm::StringRef Helper;  ///< at namespace scope; %T is the stream's type
  llvm::StringRef Declare; ///< %N is the holder, %I its initial value
  llvm::StringRef Write;   ///< the stream as an lvalue
  llvm::StringRef Read;    ///< its value
};

/// A parameter or a local variable that is a stream.
struct LocalStream {
  const Function *In;
  const clang::VarDecl *Decl;
  Range Where; ///< its declaration, or where the body of the function begins
  std::string Init;
};

std::vector<LocalStream> localStreams(const Unit &U);

/// Adds the site that stores \p V in \p H, with the additional edits \p Around.
void keep(const Holder &H, const Unit &U, const LocalStream &V,
          llvm::ArrayRef<Edit> Around, Sites &Found);

/// Adds the sites of \p H: each parameter and local variable that is a stream.
void keepStreamIn(const Holder &H, const Unit &U, Sites &Found);

} // namespace cudagraph::rewrite

#endif // CUDAGRAPH_TEST_REWRITE_REWRITING_H
