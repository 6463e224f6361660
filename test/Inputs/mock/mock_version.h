//===- mock_version.h - The version of the mock headers ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mock headers represent the CUDA version in this macro, such as 11080 or
// 12040, which --cuda-version defines; the default is 13.0. Functions and their
// parameters match the version; types and enumerators match 13.0.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_VERSION_H
#define CUDAGRAPH_MOCK_VERSION_H

#ifndef CUDAGRAPH_MOCK_CUDA_VERSION
#define CUDAGRAPH_MOCK_CUDA_VERSION 13000
#endif

#endif // CUDAGRAPH_MOCK_VERSION_H
