//===- system_error.h - Errors -------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_SYSTEM_ERROR_H
#define CUDAGRAPH_MOCK_THRUST_SYSTEM_ERROR_H

#include "detail/common.h"
#include <stdexcept>

namespace thrust {
struct system_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
namespace system {
using thrust::system_error;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_SYSTEM_ERROR_H
