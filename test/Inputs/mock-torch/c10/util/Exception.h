//===- Exception.h - Mock: checks ----------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_C10_UTIL_EXCEPTION_H
#define CUDAGRAPH_MOCK_C10_UTIL_EXCEPTION_H

namespace c10::detail {
[[noreturn]] void torchCheckFail(const char *func, const char *file,
                                 unsigned line, const char *msg);
}

#define TORCH_CHECK(COND, ...)                                                 \
  if (!(COND)) {                                                               \
    ::c10::detail::torchCheckFail(__func__, __FILE__, __LINE__, #COND);        \
  }
#define TORCH_INTERNAL_ASSERT(COND, ...) TORCH_CHECK(COND)

#endif // CUDAGRAPH_MOCK_C10_UTIL_EXCEPTION_H
