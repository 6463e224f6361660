//===- mock_version.h - Which CUDA this is -------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mock headers are those of CUDA 13.0, and with another value of this macro
// those of that version: 11080, 12040. --cuda-version defines it. Functions and
// their parameters are as they were; types and enumerators are those of 13.0.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_VERSION_H
#define CUDAGRAPH_MOCK_VERSION_H

#ifndef CUDAGRAPH_MOCK_CUDA_VERSION
#define CUDAGRAPH_MOCK_CUDA_VERSION 13000
#endif

#endif // CUDAGRAPH_MOCK_VERSION_H
