//===- CUDAEvent.h - Mock: events ----------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_ATEN_CUDA_CUDAEVENT_H
#define CUDAGRAPH_MOCK_ATEN_CUDA_CUDAEVENT_H

#include <c10/cuda/CUDAStream.h>

namespace at::cuda {
struct CUDAEvent {
  CUDAEvent() noexcept;
  CUDAEvent(unsigned int flags) noexcept;
  ~CUDAEvent();
  bool query() const;
  void record();
  void record(const CUDAStream &stream);
  void block(const CUDAStream &stream);
  float elapsed_time(const CUDAEvent &other) const;
  void synchronize() const;
};
} // namespace at::cuda

#endif // CUDAGRAPH_MOCK_ATEN_CUDA_CUDAEVENT_H
