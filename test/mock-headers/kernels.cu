// Functions that kernels call: intrinsics, half precision, groups, fragments,
// copies, textures, and profiler ranges.

// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror -DCUDAGRAPH_MOCK_CUDA_VERSION=11080 %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror -nostdlibinc -isystem %mock-std -isystem %mock-c %s

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <math_constants.h>
#include <mma.h>
#include <nvtx3/nvToolsExt.h>

namespace cg = cooperative_groups;

__global__ void intrinsics(int *x, float *f, unsigned long long *u) {
  x[0] = __shfl_xor_sync(~0u, x[0], 1) + __popcll(u[0]) + __mulhi(x[1], x[2]) + __dp4a(x[0], x[1], x[2]);
  x[1] = __reduce_add_sync(~0u, x[1]) + __match_any_sync(~0u, x[2]) + __byte_perm(x[0], x[1], 2) + __vadd4(1, 2);
  f[0] = __saturatef(f[1]) + __fmaf_rn(f[0], f[1], f[2]) + __int2float_rn(3) + __uint_as_float(4) + __ldcg(f);
  f[1] = rsqrtf(f[0]) + normcdff(f[1]) + CUDART_PI_F + __sinf(f[2]) + fdividef(f[0], f[1]);
  __stcs(f, f[2]);
  atomicAdd_system(x, 1);
  atomicMax((long long *)u, 3ll);
  if (__isGlobal(x) || __isnanf(f[0]))
    __brkpt();
}

__global__ void halves(half *h, half2 *h2, nv_bfloat16 *b, __nv_fp8_e4m3 *e) {
  h[0] = __hadd(h[1], h[2]) * h[3] + __float2half(2.0f) - half(3);
  h2[0] = __hfma2(h2[1], h2[2], __half2half2(h[0]));
  h2[1] = h2rcp(h2[0]);
  b[0] = b[1] + __float2bfloat16(1.0f);
  e[0] = __nv_fp8_e4m3(1.0f);
  if (__hgt(h[0], h[1]) || h[0] < h[1])
    h[2] = hexp(h[2]);
  float f = __half2float(h[0]) + __low2float(h2[0]) + (float)b[0] + (float)e[0];
  h[1] = f;
  atomicAdd(h, h[1]);
}

__global__ void groups(float *x, cudaTextureObject_t texture, cudaSurfaceObject_t surface) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  x[0] = cg::reduce(tile, x[1], cg::plus<float>()) + tile.shfl_down(x[0], 1);
  x[1] = cg::reduce(tile, x[1], [](float a, float b) { return a + b; });
  cg::sync(block);
  cg::this_grid().sync();
  cg::memcpy_async(block, x, x + 4, sizeof(float) * 4);
  cg::wait(block);
  auto active = cg::coalesced_threads();
  x[2] = active.size() + cg::this_cluster().block_rank();
  x[3] = tex2D<float>(texture, 0, 1) + tex1Dfetch<float>(texture, 3);
  surf2Dwrite(x[0], surface, 4, 0);
  __pipeline_memcpy_async(x, x + 4, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

__global__ void fragments(half *a, float *c) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, a, 16);
  wmma::mma_sync(sum, left, right, sum);
  for (int i = 0; i < sum.num_elements; i++)
    sum.x[i] *= 2;
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

template <class T> __global__ void typed(T *x) { *x = 0; }

void host(cudaArray_t array, cudaGraphicsResource_t resource, cudaStream_t s) {
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  cudaTextureDesc how = {};
  how.addressMode[0] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &what, &how, nullptr);
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &what);
  (void)cudaCreateChannelDesc<float4>();
  (void)cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaGraphicsMapResources(1, &resource, s);
  int grid, block;
  cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, typed<float>, [](int n) { return n * 4; });
  void *entry;
  cudaGetDriverEntryPoint("cuInit", &entry, cudaEnableDefault);
  nvtxRangePush("work");
  nvtxRangePop();
}
