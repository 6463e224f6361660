//===- stdlib.h - Mock: memory, numbers, and process exit -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_C_STDLIB_H
#define CUDAGRAPH_MOCK_C_STDLIB_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647

void abort(void) __attribute__((noreturn));
int abs(int);
void *aligned_alloc(size_t, size_t);
int atexit(void (*)(void));
double atof(const char *);
int atoi(const char *);
long atol(const char *);
void *bsearch(const void *, const void *, size_t, size_t,
              int (*)(const void *, const void *));
void *calloc(size_t, size_t);
void exit(int) __attribute__((noreturn));
void free(void *);
char *getenv(const char *);
long labs(long);
void *malloc(size_t);
int posix_memalign(void **, size_t, size_t);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void quick_exit(int) __attribute__((noreturn));
int rand(void);
void *realloc(void *, size_t);
int setenv(const char *, const char *, int);
void srand(unsigned);
double strtod(const char *, char **);
float strtof(const char *, char **);
long strtol(const char *, char **, int);
long long strtoll(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
unsigned long long strtoull(const char *, char **, int);
int system(const char *);
int unsetenv(const char *);

#ifdef __cplusplus
}
#endif

#endif // CUDAGRAPH_MOCK_C_STDLIB_H
