//===- StoredDeleter.h - The deleter of an object ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The member that an object has in flow graphs if a smart pointer was created
// for it with a callable.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_STOREDDELETER_H
#define CUDAGRAPH_ANALYSIS_IR_STOREDDELETER_H

namespace cudagraph {

/// Contains the callable that releases the object.
inline constexpr const char *StoredDeleter = "stored deleter";

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_STOREDDELETER_H
