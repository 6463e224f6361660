//===- execution_policy.h - Where algorithms run -------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_EXECUTION_POLICY_H
#define CUDAGRAPH_MOCK_THRUST_EXECUTION_POLICY_H

#include "detail/common.h"

namespace thrust {

namespace detail {
// A policy whose algorithms take their memory from an allocator.
template <template <class> class Base, class Allocator>
struct execute_with_allocator : Base<execute_with_allocator<Base, Allocator>> {
};

template <template <class> class Base> struct allocator_aware_execution_policy {
  template <class Allocator>
  __host__ __device__ execute_with_allocator<Base, Allocator>
  operator()(Allocator &alloc) const;
};
} // namespace detail

namespace cuda_cub {

template <class Derived>
struct execution_policy : detail::execution_policy_base<Derived> {};

template <class Derived>
struct execute_on_stream_base : execution_policy<Derived> {
  __host__ __device__ Derived on(const cudaStream_t &s) const;
};
template <class Derived>
struct execute_on_stream_nosync_base : execution_policy<Derived> {
  __host__ __device__ Derived on(const cudaStream_t &s) const;
};
struct execute_on_stream : execute_on_stream_base<execute_on_stream> {};
struct execute_on_stream_nosync
    : execute_on_stream_nosync_base<execute_on_stream_nosync> {};

struct par_t
    : execution_policy<par_t>,
      detail::allocator_aware_execution_policy<execute_on_stream_base> {
  __host__ __device__ constexpr par_t() {}
  __host__ __device__ execute_on_stream on(const cudaStream_t &stream) const;
};
struct par_nosync_t
    : execution_policy<par_nosync_t>,
      detail::allocator_aware_execution_policy<execute_on_stream_nosync_base> {
  __host__ __device__ constexpr par_nosync_t() {}
  __host__ __device__ execute_on_stream_nosync
  on(const cudaStream_t &stream) const;
};
struct tag : execution_policy<tag> {};

static const par_t par;
static const par_nosync_t par_nosync;

} // namespace cuda_cub

namespace system {
namespace cuda {
using cuda_cub::par;
using cuda_cub::par_nosync;
using cuda_cub::tag;
} // namespace cuda
} // namespace system
namespace cuda {
using cuda_cub::execution_policy;
using cuda_cub::par;
using cuda_cub::par_nosync;
using cuda_cub::tag;
} // namespace cuda

static const detail::host_t host;
static const detail::device_t device;
static const detail::seq_t seq;

} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_EXECUTION_POLICY_H
