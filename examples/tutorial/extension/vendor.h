//===- vendor.h - A library without source ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Represents the header of a library that is available only as a binary.
//
//===----------------------------------------------------------------------===//

#pragma once
#include <cuda_runtime.h>

namespace vendor {
/// Sorts \p n values on \p stream.
void sort(float *x, long n, cudaStream_t stream);
} // namespace vendor
