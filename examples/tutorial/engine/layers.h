//===- layers.h - Functions that the tutorial's engine calls ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function should enqueue its work on the stream that it receives.
//
//===----------------------------------------------------------------------===//

#pragma once
#include <cuda_runtime.h>

/// Adds the embedding of \p position to \p x.
void embed(float *x, int n, int position, cudaStream_t stream);

/// Divides \p x by the sum of its values, which it stores in \p sum.
void normalize(float *x, int n, float *sum, cudaStream_t stream);

/// Prints the first value of \p x.
void trace(const char *what, const float *x, cudaStream_t stream);
