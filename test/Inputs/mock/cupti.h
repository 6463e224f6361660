//===- cupti.h - A file that CMake searches for -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CMake defines the target CUDA::cupti only if this file exists. A source that
// includes it needs the real header.
//
//===----------------------------------------------------------------------===//

#error "the bundled mock headers lack CUPTI; --cuda-path names a toolkit"
