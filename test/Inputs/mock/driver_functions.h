//===- driver_functions.h - Functions that create extents -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_DRIVER_FUNCTIONS_H
#define CUDAGRAPH_MOCK_DRIVER_FUNCTIONS_H

#include "driver_types.h"

static inline struct cudaPitchedPtr
make_cudaPitchedPtr(void *d, size_t p, size_t xsz, size_t ysz) {
  struct cudaPitchedPtr r;
  r.ptr = d;
  r.pitch = p;
  r.xsize = xsz;
  r.ysize = ysz;
  return r;
}

static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos r;
  r.x = x;
  r.y = y;
  r.z = z;
  return r;
}

static inline struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) {
  struct cudaExtent r;
  r.width = w;
  r.height = h;
  r.depth = d;
  return r;
}

#endif // CUDAGRAPH_MOCK_DRIVER_FUNCTIONS_H
