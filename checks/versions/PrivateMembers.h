//===- PrivateMembers.h - Private members of LLVM and Clang -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that LLVM and Clang implement but do not expose. They need private
// members, which the tested versions have, but a different version may rename.
// They are optional: without them, the results are the same, but the analysis
// takes more memory or time.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_VERSIONS_PRIVATEMEMBERS_H
#define CUDAGRAPH_VERSIONS_PRIVATEMEMBERS_H

#include "llvm/Bitstream/BitstreamWriter.h"
#include <cstddef>

namespace clang {
class ASTContext;
}

namespace cudagraph {

/// Returns the number of bytes in the buffer of \p Writer.
size_t sizeOfBuffer(llvm::BitstreamWriter &Writer);

/// Moves the buffer of \p Writer to its file.
void flushBuffer(llvm::BitstreamWriter &Writer);

/// Reserves memory in the sets of types of \p Context for a source with
/// PyTorch's headers. When such a set grows, Clang computes the keys of all of
/// its types again. Untouched memory has no cost.
void reserveTypes(clang::ASTContext &Context);

} // namespace cudagraph

#endif // CUDAGRAPH_VERSIONS_PRIVATEMEMBERS_H
