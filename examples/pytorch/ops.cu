//===- ops.cu - PyTorch operators, unsafe in a graph and fixed --*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neither the schema of an operator nor eager mode, in which all of these are
// correct, shows whether it may be captured. `scaled_add` is safe; the others
// come in pairs: first the usual form, then one that a graph can replay. All
// take contiguous tensors of 32-bit floats. run.py captures them; a comment
// BREAKS CODE OPERATOR or FINDS KIND OPERATOR marks what a run must report.
//
//===----------------------------------------------------------------------===//

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <torch/library.h>

using at::Tensor;

constexpr int threads = 256;
static int blocks(int64_t n) {
  return static_cast<int>((n + threads - 1) / threads);
}

//===----------------------------------------------------------------------===//
// Safe: memory from PyTorch's allocator, and work on PyTorch's current stream
//===----------------------------------------------------------------------===//

__global__ void addScaled(float *out, const float *x, const float *y,
                          float alpha, int64_t n) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] + alpha * y[i];
}

static Tensor scaledAdd(const Tensor &x, const Tensor &y, double alpha) {
  Tensor out = at::empty_like(x);
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  addScaled<<<blocks(x.numel()), threads, 0, stream>>>(
      out.data_ptr<float>(), x.data_ptr<float>(), y.data_ptr<float>(),
      static_cast<float>(alpha), x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

//===----------------------------------------------------------------------===//
// A scalar that the host reads
//===----------------------------------------------------------------------===//

__global__ void multiply(float *out, const float *x, float by, int64_t n) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] * by;
}

__global__ void divide(float *out, const float *x, const float *by, int64_t n) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] / *by;
}

static Tensor normalizeByMax(const Tensor &x) {
  Tensor out = at::empty_like(x);
  // Waits for the device, whose work does not run while it is recorded.
  float max = x.max().item<float>(); // BREAKS 900 normalize_by_max
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  multiply<<<blocks(x.numel()), threads, 0, stream>>>(
      out.data_ptr<float>(), x.data_ptr<float>(), 1 / max, x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

static Tensor normalizeByMaxOnDevice(const Tensor &x) {
  Tensor out = at::empty_like(x);
  Tensor max = x.max(); // stays where it is
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  divide<<<blocks(x.numel()), threads, 0, stream>>>(
      out.data_ptr<float>(), x.data_ptr<float>(), max.data_ptr<float>(),
      x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

//===----------------------------------------------------------------------===//
// A shape that depends on data
//===----------------------------------------------------------------------===//

__global__ void gather(float *out, const float *x, const int64_t *at,
                       int64_t n) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[at[i]];
}

/// Each thread finds its own position: quadratic, but short.
__global__ void pack(float *out, const float *x, int64_t n) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || x[i] == 0)
    return;
  int64_t place = 0;
  for (int64_t j = 0; j < i; ++j)
    place += x[j] != 0;
  out[place] = x[i];
}

static Tensor packNonzero(const Tensor &x) {
  Tensor out = at::zeros(x.sizes(), x.options());
  // Its size is read from the device. It would also determine the size of the
  // launch, which is fixed in a graph.
  Tensor indices = at::nonzero(x); // BREAKS 900 pack_nonzero
  int64_t found = indices.size(0);
  if (!found)
    return out;
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  gather<<<blocks(found), threads, 0, stream>>>(
      out.data_ptr<float>(), x.data_ptr<float>(), indices.data_ptr<int64_t>(),
      found);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

static Tensor packNonzeroOnDevice(const Tensor &x) {
  Tensor out = at::zeros(x.sizes(), x.options());
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  pack<<<blocks(x.numel()), threads, 0, stream>>>(
      out.data_ptr<float>(), x.data_ptr<float>(), x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

//===----------------------------------------------------------------------===//
// Memory that PyTorch does not manage
//===----------------------------------------------------------------------===//

__global__ void smooth(float *out, const float *x, int64_t n) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = (x[i] + x[i ? i - 1 : 0]) / 2;
}

static void smoothTwice(const Tensor &out, const Tensor &x, float *scratch) {
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  int64_t n = x.numel();
  smooth<<<blocks(n), threads, 0, stream>>>(scratch, x.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  smooth<<<blocks(n), threads, 0, stream>>>(out.data_ptr<float>(), scratch, n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

static Tensor smoothWithMalloc(const Tensor &x) {
  Tensor out = at::empty_like(x);
  float *scratch;
  size_t bytes = x.numel() * sizeof(float);
  C10_CUDA_CHECK(cudaMalloc(&scratch, bytes)); // BREAKS 900 smooth_with_malloc
  smoothTwice(out, x, scratch);
  C10_CUDA_CHECK(cudaFree(scratch));
  return out;
}

static Tensor smoothWithAllocator(const Tensor &x) {
  Tensor out = at::empty_like(x);
  // During a capture, this is memory from the pool of the graph.
  Tensor scratch = at::empty_like(x);
  smoothTwice(out, x, scratch.data_ptr<float>());
  return out;
}

//===----------------------------------------------------------------------===//
// A stream other than the current one
//===----------------------------------------------------------------------===//

static Tensor scaleOnDefaultStream(const Tensor &x) {
  Tensor out = at::empty_like(x);
  // No call fails: PyTorch captures on a non-blocking stream. The kernel runs
  // once, during the capture; every replay reads that result.
  multiply<<<blocks(x.numel()), // FINDS escaped scale_on_default_stream
             threads>>>(out.data_ptr<float>(), x.data_ptr<float>(), 3.f,
                        x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

static Tensor scaleOnCurrentStream(const Tensor &x) {
  Tensor out = at::empty_like(x);
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  multiply<<<blocks(x.numel()), threads, 0, stream>>>(
      out.data_ptr<float>(), x.data_ptr<float>(), 3.f, x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

//===----------------------------------------------------------------------===//
// Host state as an argument
//===----------------------------------------------------------------------===//

static int64_t steps;

static void resetSteps() { steps = 0; }

__global__ void divideBySteps(float *out, const float *x, const float *steps,
                              int64_t n) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] / (1 + *steps);
}

__global__ void advance(float *steps) { *steps += 1; }

static Tensor decayByHostStep(const Tensor &x) {
  Tensor out = at::empty_like(x);
  // The graph retains the argument from its capture.
  float by = 1.f / static_cast<float>(1 + steps++);
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  multiply<<<blocks(x.numel()), threads, 0, stream>>>(
      out.data_ptr<float>(), x.data_ptr<float>(), by, x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

static Tensor decayByDeviceStep(const Tensor &x, const Tensor &steps) {
  Tensor out = at::empty_like(x);
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  divideBySteps<<<blocks(x.numel()), threads, 0, stream>>>(
      out.data_ptr<float>(), x.data_ptr<float>(), steps.data_ptr<float>(),
      x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  advance<<<1, 1, 0, stream>>>(steps.data_ptr<float>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

//===----------------------------------------------------------------------===//
// Memory that the graph outlives
//===----------------------------------------------------------------------===//

struct Table {
  float weight[16];
};

static Table tableOf(double gain) {
  Table table;
  for (int i = 0; i < 16; ++i)
    table.weight[i] = static_cast<float>(gain * (1 + i));
  return table;
}

__global__ void weigh(float *out, const float *x, const float *table,
                      int64_t n) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] * table[i % 16];
}

__global__ void weighBy(float *out, const float *x, Table table, int64_t n) {
  int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] * table.weight[i % 16];
}

static Tensor weighFromStack(const Tensor &x, double gain) {
  Tensor out = at::empty_like(x), weights = at::empty({16}, x.options());
  Table table = tableOf(gain);
  float *to = weights.data_ptr<float>();
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  // In eager mode, the table has been copied when the call returns; a replay
  // copies the contents of the stack at that time.
  C10_CUDA_CHECK(cudaMemcpyAsync( // FINDS pageable-copy weigh_from_stack
      to, &table, sizeof(table), cudaMemcpyHostToDevice, stream));
  weigh<<<blocks(x.numel()), threads, 0, stream>>>(
      out.data_ptr<float>(), x.data_ptr<float>(), to, x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

static Tensor weighByValue(const Tensor &x, double gain) {
  Tensor out = at::empty_like(x);
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  weighBy<<<blocks(x.numel()), threads, 0, stream>>>(
      out.data_ptr<float>(), x.data_ptr<float>(), tableOf(gain), x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

//===----------------------------------------------------------------------===//

TORCH_LIBRARY(cgtidy_example, m) {
  m.def("scaled_add(Tensor x, Tensor y, float alpha) -> Tensor");
  m.def("normalize_by_max(Tensor x) -> Tensor");
  m.def("normalize_by_max_on_device(Tensor x) -> Tensor");
  m.def("pack_nonzero(Tensor x) -> Tensor");
  m.def("pack_nonzero_on_device(Tensor x) -> Tensor");
  m.def("smooth_with_malloc(Tensor x) -> Tensor");
  m.def("smooth_with_allocator(Tensor x) -> Tensor");
  m.def("scale_on_default_stream(Tensor x) -> Tensor");
  m.def("scale_on_current_stream(Tensor x) -> Tensor");
  m.def("decay_by_host_step(Tensor x) -> Tensor");
  m.def("decay_by_device_step(Tensor x, Tensor(a!) steps) -> Tensor");
  m.def("weigh_from_stack(Tensor x, float gain) -> Tensor");
  m.def("weigh_by_value(Tensor x, float gain) -> Tensor");
  m.def("reset_steps() -> ()", &resetSteps);
}

TORCH_LIBRARY_IMPL(cgtidy_example, CUDA, m) {
  m.impl("scaled_add", &scaledAdd);
  m.impl("normalize_by_max", &normalizeByMax);
  m.impl("normalize_by_max_on_device", &normalizeByMaxOnDevice);
  m.impl("pack_nonzero", &packNonzero);
  m.impl("pack_nonzero_on_device", &packNonzeroOnDevice);
  m.impl("smooth_with_malloc", &smoothWithMalloc);
  m.impl("smooth_with_allocator", &smoothWithAllocator);
  m.impl("scale_on_default_stream", &scaleOnDefaultStream);
  m.impl("scale_on_current_stream", &scaleOnCurrentStream);
  m.impl("decay_by_host_step", &decayByHostStep);
  m.impl("decay_by_device_step", &decayByDeviceStep);
  m.impl("weigh_from_stack", &weighFromStack);
  m.impl("weigh_by_value", &weighByValue);
}
