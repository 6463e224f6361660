//===- mma.h - Matrix fragments of warps ---------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_MMA_H
#define CUDAGRAPH_MOCK_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "host_defines.h"

#ifdef __CUDACC__
namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
namespace precision {
struct tf32 {};
} // namespace precision
namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

enum layout_t { mem_row_major, mem_col_major };

template <class T> struct stored {
  typedef T type;
};
template <> struct stored<precision::tf32> {
  typedef float type;
};

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  typedef typename stored<T>::type element_type;
  typedef element_type storage_element_type;
  static constexpr int num_elements = 8;
  static constexpr int num_storage_elements = 8;
  element_type x[num_elements];
};

template <class F, class T> __device__ void fill_fragment(F &a, const T &v);
template <class F, class T>
__device__ void load_matrix_sync(F &a, const T *p, unsigned ldm);
template <class F, class T>
__device__ void load_matrix_sync(F &a, const T *p, unsigned ldm,
                                 layout_t layout);
template <class F, class T>
__device__ void store_matrix_sync(T *p, const F &a, unsigned ldm,
                                  layout_t layout);
template <class D, class A, class B, class C>
__device__ void mma_sync(D &d, const A &a, const B &b, const C &c,
                         bool satf = false);
template <class D, class A, class B, class C>
__device__ void bmma_sync(
    D &d, const A &a, const B &b, const C &c,
    experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
    experimental::bmmaAccumulateOp acc = experimental::bmmaAccumulateOpPOPC);
__device__ float __float_to_tf32(float in);

} // namespace wmma
} // namespace nvcuda
#endif

#endif // CUDAGRAPH_MOCK_MMA_H
