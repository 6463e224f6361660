//===- errno.h - Mock: the number of the last error ----------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_C_ERRNO_H
#define CUDAGRAPH_MOCK_C_ERRNO_H

#ifdef __cplusplus
extern "C" {
#endif

int *__errno_location(void);
#define errno (*__errno_location())
#define EINTR 4
#define EAGAIN 11
#define ENOMEM 12
#define EINVAL 22
#define ERANGE 34

#ifdef __cplusplus
}
#endif

#endif // CUDAGRAPH_MOCK_C_ERRNO_H
