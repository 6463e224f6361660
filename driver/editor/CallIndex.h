//===- CallIndex.h - Catalogued names in a file -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the calls for hovers, which may be anywhere in the file, not only in a
// region.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_EDITOR_CALLINDEX_H
#define CUDAGRAPH_DRIVER_EDITOR_CALLINDEX_H

#include "catalogue/Catalogue.h"
#include <string>
#include <vector>

namespace clang {
class ASTContext;
}

namespace cudagraph::driver {

/// A name in the file. Line and columns are 1-based, columns count bytes, and
/// the end is exclusive.
struct KnownCall {
  unsigned Line = 0, Begin = 0, End = 0;
  std::string Name; ///< its name in the catalogue
};

/// Returns the names of functions in the main file of \p Context for which \p
/// Known has outcomes, and the kernels that it launches; sorted by location.
std::vector<KnownCall> knownCalls(const clang::ASTContext &Context,
                                  const catalogue::Catalogue &Known);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_EDITOR_CALLINDEX_H
