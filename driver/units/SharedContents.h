//===- SharedContents.h - Which shared declarations matter ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StoredDecls.h. Declarations are identified by their numbers in the
// precompiled header.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_SHAREDCONTENTS_H
#define CUDAGRAPH_DRIVER_UNITS_SHAREDCONTENTS_H

#include "analysis/lower/StoredDecls.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <vector>

namespace clang {
class ASTReader;
class ASTWriter;
} // namespace clang

namespace cudagraph::driver {

struct StoredContext {
  uint64_t Id = 0;
  /// Twice the number of each declaration, plus 1 if it contributes something.
  std::vector<uint64_t> Decls;
};

/// Returns the contents of \p Log, whose declarations \p Writer has written.
std::vector<StoredContext> numbered(const ContentsLog &Log,
                                    clang::ASTWriter &Writer);

class SharedContents : public StoredDecls {
public:
  /// \p Contexts belong to the only precompiled header of \p Reader.
  SharedContents(clang::ASTReader &Reader,
                 const std::vector<StoredContext> &Contexts);

  std::optional<std::vector<const clang::Decl *>>
  in(const clang::DeclContext *DC) override;

private:
  clang::ASTReader &Reader;
  llvm::DenseMap<uint64_t, const StoredContext *> ById;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_SHAREDCONTENTS_H
