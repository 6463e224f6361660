// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of custom calls for XLA, as kCmdBufferCompatible: one launches on
// the stream that XLA passes, one on the legacy stream, and one waits. Compiled
// by jax_handlers.py; markers as in Program.h.

#include "xla/ffi/api/ffi.h"
#include <cuda_runtime.h>

namespace ffi = xla::ffi;
using Floats = ffi::Buffer<ffi::F32>;
using Result = ffi::ResultBuffer<ffi::F32>;

__global__ void twice(const float *In, float *Out, size_t Count) {
  size_t I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Out[I] = 2 * In[I];
}

static unsigned blocks(size_t Count) { return (Count + 255) / 256; }

static ffi::Error onStream(cudaStream_t Stream, Floats In, Result Out) {
  size_t N = In.element_count();
  float *X = In.typed_data(), *Y = Out->typed_data();
  twice<<<blocks(N), 256, 0, Stream>>>(X, Y, N);
  return ffi::Error::Success();
}

static ffi::Error onDefault(cudaStream_t, Floats In, Result Out) {
  size_t N = In.element_count();
  float *X = In.typed_data(), *Y = Out->typed_data();
  twice<<<blocks(N), 256>>>(X, Y, N); // FINDS escaped default-wrong
  return ffi::Error::Success();
}

static ffi::Error waits(cudaStream_t Stream, Floats In, Result Out) {
  size_t N = In.element_count();
  float *X = In.typed_data(), *Y = Out->typed_data();
  twice<<<blocks(N), 256, 0, Stream>>>(X, Y, N);
  cudaError_t Error = cudaStreamSynchronize(Stream); // BREAKS 900 waits-wrong
  if (Error != cudaSuccess)
    return ffi::Error::Internal(cudaGetErrorString(Error));
  return ffi::Error::Success();
}

#define HANDLER(SYMBOL, FUNCTION)                                              \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(SYMBOL, FUNCTION,                              \
                                ffi::Ffi::Bind()                               \
                                    .Ctx<ffi::PlatformStream<cudaStream_t>>()  \
                                    .Arg<Floats>()                             \
                                    .Ret<Floats>(),                            \
                                {ffi::Traits::kCmdBufferCompatible})

HANDLER(OnStream, onStream);
HANDLER(OnDefault, onDefault);
HANDLER(Waits, waits);
