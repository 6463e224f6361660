//===- cufftXt.h - Fourier transforms over several devices ---- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUFFTXT_H
#define CUDAGRAPH_MOCK_CUFFTXT_H

#include "cudalibxt.h"
#include "cufft.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cufftXtSubFormat_t {
  CUFFT_XT_FORMAT_INPUT = 0,
  CUFFT_XT_FORMAT_OUTPUT = 1,
  CUFFT_XT_FORMAT_INPLACE = 2,
  CUFFT_XT_FORMAT_INPLACE_SHUFFLED = 3,
  CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED = 4,
  CUFFT_XT_FORMAT_DISTRIBUTED_INPUT = 5,
  CUFFT_XT_FORMAT_DISTRIBUTED_OUTPUT = 6,
  CUFFT_FORMAT_UNDEFINED = 7
} cufftXtSubFormat;

typedef enum cufftXtCopyType_t {
  CUFFT_COPY_HOST_TO_DEVICE = 0,
  CUFFT_COPY_DEVICE_TO_HOST = 1,
  CUFFT_COPY_DEVICE_TO_DEVICE = 2,
  CUFFT_COPY_UNDEFINED = 3
} cufftXtCopyType;

typedef enum cufftXtQueryType_t {
  CUFFT_QUERY_1D_FACTORS = 0,
  CUFFT_QUERY_UNDEFINED = 1
} cufftXtQueryType;

typedef struct cufftXt1dFactors_t {
  long long size;
  long long stringCount;
  long long stringLength;
  long long substringLength;
  long long factor1;
  long long factor2;
  long long stringMask;
  long long substringMask;
  long long factor1Mask;
  long long factor2Mask;
  int stringShift;
  int substringShift;
  int factor1Shift;
  int factor2Shift;
} cufftXt1dFactors;

typedef enum cufftXtWorkAreaPolicy_t {
  CUFFT_WORKAREA_MINIMAL = 0,
  CUFFT_WORKAREA_USER = 1,
  CUFFT_WORKAREA_PERFORMANCE = 2
} cufftXtWorkAreaPolicy;

typedef enum cufftXtCallbackType_t {
  CUFFT_CB_LD_COMPLEX = 0,
  CUFFT_CB_LD_COMPLEX_DOUBLE = 1,
  CUFFT_CB_LD_REAL = 2,
  CUFFT_CB_LD_REAL_DOUBLE = 3,
  CUFFT_CB_ST_COMPLEX = 4,
  CUFFT_CB_ST_COMPLEX_DOUBLE = 5,
  CUFFT_CB_ST_REAL = 6,
  CUFFT_CB_ST_REAL_DOUBLE = 7,
  CUFFT_CB_UNDEFINED = 8
} cufftXtCallbackType;

typedef cufftComplex (*cufftCallbackLoadC)(void *, size_t, void *, void *);

typedef cufftDoubleComplex (*cufftCallbackLoadZ)(void *, size_t, void *,
                                                 void *);

typedef cufftReal (*cufftCallbackLoadR)(void *, size_t, void *, void *);

typedef cufftDoubleReal (*cufftCallbackLoadD)(void *, size_t, void *, void *);

typedef void (*cufftCallbackStoreC)(void *, size_t, cufftComplex, void *,
                                    void *);

typedef void (*cufftCallbackStoreZ)(void *, size_t, cufftDoubleComplex, void *,
                                    void *);

typedef void (*cufftCallbackStoreR)(void *, size_t, cufftReal, void *, void *);

typedef void (*cufftCallbackStoreD)(void *, size_t, cufftDoubleReal, void *,
                                    void *);

typedef cufftComplex (*cufftJITCallbackLoadC)(void *, unsigned long long,
                                              void *, void *);

typedef cufftDoubleComplex (*cufftJITCallbackLoadZ)(void *, unsigned long long,
                                                    void *, void *);

typedef cufftReal (*cufftJITCallbackLoadR)(void *, unsigned long long, void *,
                                           void *);

typedef cufftDoubleReal (*cufftJITCallbackLoadD)(void *, unsigned long long,
                                                 void *, void *);

typedef void (*cufftJITCallbackStoreC)(void *, unsigned long long, cufftComplex,
                                       void *, void *);

typedef void (*cufftJITCallbackStoreZ)(void *, unsigned long long,
                                       cufftDoubleComplex, void *, void *);

typedef void (*cufftJITCallbackStoreR)(void *, unsigned long long, cufftReal,
                                       void *, void *);

typedef void (*cufftJITCallbackStoreD)(void *, unsigned long long,
                                       cufftDoubleReal, void *, void *);

cufftResult cufftXtSetGPUs(cufftHandle handle, int nGPUs, int *whichGPUs);
cufftResult cufftXtMalloc(cufftHandle plan, cudaLibXtDesc **descriptor,
                          cufftXtSubFormat format);
cufftResult cufftXtMemcpy(cufftHandle plan, void *dstPointer, void *srcPointer,
                          cufftXtCopyType type);
cufftResult cufftXtFree(cudaLibXtDesc *descriptor);
cufftResult cufftXtSetWorkArea(cufftHandle plan, void **workArea);
cufftResult cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output, int direction);
cufftResult cufftXtExecDescriptorR2C(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output);
cufftResult cufftXtExecDescriptorC2R(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output);
cufftResult cufftXtExecDescriptorZ2Z(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output, int direction);
cufftResult cufftXtExecDescriptorD2Z(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output);
cufftResult cufftXtExecDescriptorZ2D(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output);
cufftResult cufftXtQueryPlan(cufftHandle plan, void *queryStruct,
                             cufftXtQueryType queryType);
cufftResult cufftXtSetCallback(cufftHandle plan, void **callback_routine,
                               cufftXtCallbackType cbType, void **caller_info);
cufftResult cufftXtClearCallback(cufftHandle plan, cufftXtCallbackType cbType);
cufftResult cufftXtSetCallbackSharedSize(cufftHandle plan,
                                         cufftXtCallbackType cbType,
                                         size_t sharedSize);
cufftResult cufftXtSetJITCallback(cufftHandle plan,
                                  const char *lto_callback_symbol_name,
                                  const void *lto_callback_fatbin,
                                  size_t lto_callback_fatbin_size,
                                  cufftXtCallbackType type, void **caller_info);
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n,
                                long long *inembed, long long istride,
                                long long idist, cudaDataType inputtype,
                                long long *onembed, long long ostride,
                                long long odist, cudaDataType outputtype,
                                long long batch, size_t *workSize,
                                cudaDataType executiontype);
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long *n,
                               long long *inembed, long long istride,
                               long long idist, cudaDataType inputtype,
                               long long *onembed, long long ostride,
                               long long odist, cudaDataType outputtype,
                               long long batch, size_t *workSize,
                               cudaDataType executiontype);
cufftResult cufftXtExec(cufftHandle plan, void *input, void *output,
                        int direction);
cufftResult cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc *input,
                                  cudaLibXtDesc *output, int direction);
cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan,
                                     cufftXtWorkAreaPolicy policy,
                                     size_t *workSize);

#ifdef __cplusplus
}
#endif

#endif // CUDAGRAPH_MOCK_CUFFTXT_H
