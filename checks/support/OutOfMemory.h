//===- OutOfMemory.h - Reports out-of-memory errors -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_SUPPORT_OUTOFMEMORY_H
#define CUDAGRAPH_SUPPORT_OUTOFMEMORY_H

namespace cudagraph::support {

/// After this call, the process ends with \p Status if an allocation fails,
/// instead of crashing. It first prints \p Message, which must live as long as
/// the process, to standard error and removes the temporary files. A later call
/// replaces an earlier one. This file includes LLVM's headers, but not Clang's.
void handleOutOfMemory(const char *Message, int Status);

} // namespace cudagraph::support

#endif // CUDAGRAPH_SUPPORT_OUTOFMEMORY_H
