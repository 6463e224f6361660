//===- cufft.h - Fourier transforms --------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUFFT_H
#define CUDAGRAPH_MOCK_CUFFT_H

#include "driver_types.h"

extern "C" {
typedef int cufftHandle;
typedef enum cufftResult_t { CUFFT_SUCCESS = 0 } cufftResult;
typedef enum cufftType_t {
  CUFFT_R2C = 0x2a,
  CUFFT_C2R = 0x2c,
  CUFFT_C2C = 0x29
} cufftType;
typedef float cufftReal;
typedef float2 cufftComplex;
cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch);
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *idata,
                         cufftComplex *odata, int direction);
cufftResult cufftDestroy(cufftHandle plan);
}

#endif // CUDAGRAPH_MOCK_CUFFT_H
