//===- torch.h - Mock: everything ----------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_TORCH_TORCH_H
#define CUDAGRAPH_MOCK_TORCH_TORCH_H

#include <torch/extension.h>

#endif // CUDAGRAPH_MOCK_TORCH_TORCH_H
