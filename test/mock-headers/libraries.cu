// The libraries of the toolkit parse as CUDA, C++, and C, in each version,
// alone and together.

// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror -DCUDAGRAPH_MOCK_CUDA_VERSION=11080 %s
// RUN: %clangxx -std=c++17 -x c++ -isystem %mock -fsyntax-only -Wall -Werror %s
// RUN: %clangxx -std=c++17 -x c++ -isystem %mock -fsyntax-only -Wall -Werror -DCUDAGRAPH_MOCK_CUDA_VERSION=12040 %s
// RUN: %clangxx -std=c++17 -x c++ -nostdlibinc -isystem %mock -isystem %mock-std -isystem %mock-c -fsyntax-only -Wall -Werror %s
// RUN: echo '#include <cublas_v2.h>' > %t.c
// RUN: echo '#include <cublasLt.h>' >> %t.c
// RUN: echo '#include <cufft.h>' >> %t.c
// RUN: echo '#include <curand.h>' >> %t.c
// RUN: echo '#include <cusolverDn.h>' >> %t.c
// RUN: echo '#include <cusparse.h>' >> %t.c
// RUN: echo '#include <nccl.h>' >> %t.c
// RUN: echo '#include <nvrtc.h>' >> %t.c
// RUN: echo 'cublasStatus_t f(cublasHandle_t h, float *x) { return cublasSscal(h, 1, x, x, 1); }' >> %t.c
// RUN: %clangxx -x c -std=c11 -isystem %mock -fsyntax-only -Wall -Werror %t.c

#include <cublasLt.h>
#include <cublasXt.h>
#include <cublas_v2.h>
#include <cufftXt.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusolverMg.h>
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusparse.h>
#include <nccl.h>
#include <nvJitLink.h>
#include <nvrtc.h>

void blas(cublasHandle_t blas, cudaStream_t s, float *x, double *d, __half *h, cuComplex *c) {
  float one = 1;
  double both = 1;
  __half half = 1.0f;
  cublasSetStream(blas, s);
  cublasSetWorkspace(blas, x, 4);
  cublasSetAtomicsMode(blas, CUBLAS_ATOMICS_ALLOWED);
  cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, 1, 1, 1, &both, d, 1, d, 1, &both, d, 1);
  cublasHgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &half, h, 1, h, 1, &half, h, 1);
  cublasCdotu(blas, 1, c, 1, c, 1, c);
  cublasStrsm(blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 1, 1, &one, x, 1, x, 1);
  cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, x, CUDA_R_8F_E4M3, 1, x, CUDA_R_8I, 1, &one, x,
               CUDA_R_32F, 1, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT_TENSOR_OP);
  cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, x, CUDA_R_32F, 1, x, CUDA_R_32F, 1, &one, x,
               CUDA_R_32F, 1, CUDA_R_32F, CUBLAS_GEMM_DEFAULT);
  cublasSgemmBatched(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &x, 1, &x, 1, &one, &x, 1, 1);
  cublasLtMatmulPreference_t preference;
  cublasLtMatmulPreferenceCreate(&preference);
  size_t bytes = 4;
  cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof(bytes));
#if CUDART_VERSION >= 12000
  cublasSscal_64(blas, 1l, &one, x, 1l);
#endif
}

void others(cudaStream_t s, float *x, cufftComplex *c, int *info) {
  cufftHandle plan;
  int sizes[] = {4, 4};
  cufftPlanMany(&plan, 2, sizes, nullptr, 1, 4, nullptr, 1, 4, CUFFT_Z2Z, 2);
  cufftExecR2C(plan, x, c);
  cufftXtMakePlanMany(plan, 1, nullptr, nullptr, 1, 1, CUDA_R_32F, nullptr, 1, 1, CUDA_C_32F, 1, nullptr, CUDA_C_32F);
  curandGenerator_t generator;
  curandCreateGeneratorHost(&generator, CURAND_RNG_QUASI_SOBOL32);
  curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_DYNAMIC);
  curandGenerateLogNormalDouble(generator, nullptr, 1, 0, 1);
  cusolverDnHandle_t dense;
  int size;
  cusolverDnCreate(&dense);
  cusolverDnSgetrf_bufferSize(dense, 1, 1, x, 1, &size);
  cusolverDnSgetrf(dense, 1, 1, x, 1, x, info, info);
  cusolverDnSsyevd(dense, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, 1, x, 1, x, x, size, info);
  cusparseHandle_t sparse;
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t vector;
  cusparseCreate(&sparse);
  cusparseSetStream(sparse, s);
  cusparseCreateCsr(&matrix, 1, 1, 1, info, info, x, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                    CUDA_R_32F);
  cusparseCreateDnVec(&vector, 1, x, CUDA_R_32F);
  cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, x, matrix, vector, x, vector, CUDA_R_32F,
               CUSPARSE_SPMV_ALG_DEFAULT, x);
  ncclComm_t comm;
  ncclUniqueId id;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  ncclGetUniqueId(&id);
  ncclCommInitRankConfig(&comm, 2, id, 0, &config);
  ncclReduceScatter(x, x, 1, ncclBfloat16, ncclAvg, comm, s);
  ncclCommSplit(comm, NCCL_SPLIT_NOCOLOR, 0, &comm, nullptr);
  nvrtcProgram program;
  nvrtcCreateProgram(&program, "", nullptr, 0, nullptr, nullptr);
  nvrtcCompileProgram(program, 0, nullptr);
  nvJitLinkHandle link;
  nvJitLinkCreate(&link, 0, nullptr);
}

void complex(cuComplex c, cuDoubleComplex z) {
  (void)cuCabsf(cuCmulf(c, make_cuComplex(1, 2)));
  (void)cuCreal(cuCfma(z, z, cuComplexFloatToDouble(cuConjf(c))));
}
