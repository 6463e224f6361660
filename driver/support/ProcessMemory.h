//===- ProcessMemory.h - Memory that is returned to the system --*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SUPPORT_PROCESSMEMORY_H
#define CUDAGRAPH_DRIVER_SUPPORT_PROCESSMEMORY_H

namespace cudagraph::driver {

/// Makes this process and its children keep freed memory, because it is soon
/// allocated again. The process requests large blocks and large pages from the
/// system; untouched memory has no cost.
void keepMemory();
/// From now on, large blocks are returned to the system when they are freed.
void returnLargeBlocks();
/// Returns freed memory to the system.
void trimMemory();

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SUPPORT_PROCESSMEMORY_H
