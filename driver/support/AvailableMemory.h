//===- AvailableMemory.h - Memory that processes can still use --*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SUPPORT_AVAILABLEMEMORY_H
#define CUDAGRAPH_DRIVER_SUPPORT_AVAILABLEMEMORY_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace cudagraph::driver {

/// The number of bytes that processes can still allocate before the system, or
/// the limit of a container, ends one of them; std::nullopt if it is unknown.
std::optional<uint64_t> availableMemory();
/// Like availableMemory(), but reads the files of the system under \p Root.
std::optional<uint64_t> availableMemoryUnder(llvm::StringRef Root);

/// The number of bytes of the process \p Id that are in memory; 0 if it is
/// unknown.
uint64_t residentMemory(int64_t Id);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SUPPORT_AVAILABLEMEMORY_H
