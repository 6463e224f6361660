//===- unistd.h - Mock: the system ---------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_C_UNISTD_H
#define CUDAGRAPH_MOCK_C_UNISTD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int pid_t;
typedef long ssize_t;

int close(int);
void _exit(int) __attribute__((noreturn));
pid_t getpid(void);
ssize_t read(int, void *, size_t);
unsigned sleep(unsigned);
long sysconf(int);
int unlink(const char *);
int usleep(unsigned);
ssize_t write(int, const void *, size_t);

#ifdef __cplusplus
}
#endif

#endif // CUDAGRAPH_MOCK_C_UNISTD_H
