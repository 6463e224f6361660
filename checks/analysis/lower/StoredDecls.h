//===- StoredDecls.h - Contents of a precompiled header ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most declarations of a large header, such as functions without a body and
// classes without methods that override others, contribute nothing to a unit.
// Loading all of them from a precompiled header only to find this out takes a
// large part of the time for a unit. Therefore, the precompiled header lists
// those that contribute. A unit can change this only for declarations that it
// has used, and Clang loads what a unit uses: an instance of a template refers
// to the template, and a definition to the earlier declaration.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_STOREDDECLS_H
#define CUDAGRAPH_ANALYSIS_LOWER_STOREDDECLS_H

#include "llvm/ADT/DenseSet.h"
#include <optional>
#include <utility>
#include <vector>

namespace clang {
class Decl;
class DeclContext;
} // namespace clang

namespace cudagraph {

class StoredDecls {
public:
  virtual ~StoredDecls() = default;
  /// The declarations in \p DC, in order, that contribute something or that the
  /// unit has used; nothing if \p DC is not listed.
  virtual std::optional<std::vector<const clang::Decl *>>
  in(const clang::DeclContext *DC) = 0;
};

/// The contents that collectContents() finds in a header.
class ContentsLog {
public:
  struct Context {
    const clang::DeclContext *Of;
    /// In order; true if the declaration contributes something.
    std::vector<std::pair<const clang::Decl *, bool>> Decls;
  };

  const std::vector<Context> &contexts() const { return All; }
  /// Adds \p C, unless it is known: the instances of a template are visited for
  /// each of its declarations.
  void add(Context C) {
    if (Known.insert(C.Of).second)
      All.push_back(std::move(C));
  }

private:
  std::vector<Context> All;
  llvm::DenseSet<const clang::DeclContext *> Known;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_STOREDDECLS_H
