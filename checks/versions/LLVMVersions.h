//===- LLVMVersions.h - Differences between LLVM versions -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of ClangVersions.h that does not need Clang.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_VERSIONS_LLVMVERSIONS_H
#define CUDAGRAPH_VERSIONS_LLVMVERSIONS_H

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Path.h"

#if LLVM_VERSION_MAJOR < 22
#include "llvm/Support/FileSystem.h"
namespace llvm::sys::path {
using fs::make_absolute;
} // namespace llvm::sys::path
#endif

#endif // CUDAGRAPH_VERSIONS_LLVMVERSIONS_H
