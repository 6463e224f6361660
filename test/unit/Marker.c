//===- Marker.c - A library that tells when it is loaded --------*- C -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void tell(void) {
  const char *Name = getenv("CUDAGRAPH_TEST_LOADED");
  FILE *File = Name ? fopen(Name, "w") : NULL;
  if (File)
    fclose(File);
}
