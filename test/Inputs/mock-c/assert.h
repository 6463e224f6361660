//===- assert.h - Mock: assertions ---------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_C_ASSERT_H
#define CUDAGRAPH_MOCK_C_ASSERT_H

#ifdef __cplusplus
extern "C"
#endif
    void __assert_fail(const char *Text, const char *File, unsigned Line,
                       const char *Function) __attribute__((noreturn));
#ifdef NDEBUG
#define assert(X) ((void)0)
#else
#define assert(X)                                                              \
  ((X) ? (void)0 : __assert_fail(#X, __FILE__, __LINE__, __func__))
#endif
#ifndef __cplusplus
#define static_assert _Static_assert
#endif

#endif // CUDAGRAPH_MOCK_C_ASSERT_H
