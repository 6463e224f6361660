//===- device_reference.h - References to device memory ------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_DEVICE_REFERENCE_H
#define CUDAGRAPH_MOCK_THRUST_DEVICE_REFERENCE_H

#include "device_ptr.h"

#endif // CUDAGRAPH_MOCK_THRUST_DEVICE_REFERENCE_H
