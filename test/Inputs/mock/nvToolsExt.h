//===- nvToolsExt.h - Ranges and marks for profilers ---------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_NVTOOLSEXT_H
#define CUDAGRAPH_MOCK_NVTOOLSEXT_H

#include "nvtx3/nvToolsExt.h"

#endif // CUDAGRAPH_MOCK_NVTOOLSEXT_H
