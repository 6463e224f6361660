//===- reduce.h - Reductions of groups ------------------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_COOPERATIVE_GROUPS_REDUCE_H
#define CUDAGRAPH_MOCK_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#endif // CUDAGRAPH_MOCK_COOPERATIVE_GROUPS_REDUCE_H
