//===- execution_policy.h - Where algorithms run -------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_SYSTEM_CUDA_EXECUTION_POLICY_H
#define CUDAGRAPH_MOCK_THRUST_SYSTEM_CUDA_EXECUTION_POLICY_H

#include "../../execution_policy.h"

#endif // CUDAGRAPH_MOCK_THRUST_SYSTEM_CUDA_EXECUTION_POLICY_H
