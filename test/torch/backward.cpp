// A backward operator repeats the random numbers of the forward operator. In a
// graph, the backward operator cannot draw them again.

// RUN: %check %s cudagraph-random-state --torch --roots=function:_

#include <ATen/ATen.h>

namespace at {
struct PhiloxCudaState {};
struct CUDAGeneratorImpl {
  PhiloxCudaState philox_cuda_state(unsigned long long increment);
};
} // namespace at
struct Params {
  at::PhiloxCudaState philox_args;
};
at::CUDAGeneratorImpl *generator();
void run(const at::Tensor &x, const Params &p);

void mha_fwd(const at::Tensor &x, float p_dropout) {
  Params params;
  params.philox_args = generator()->philox_cuda_state(32);
  run(x, params);
}

void mha_bwd(const at::Tensor &grad, float p_dropout) {
  Params params;
  if (p_dropout > 0)
    params.philox_args = generator()->philox_cuda_state(32);
  // CHECK-MESSAGES: :[[@LINE-1]]:26: warning: 'at::CUDAGeneratorImpl::philox_cuda_state' draws new random numbers in a backward pass; in a graph, they differ from those of the forward pass, even if the generator is set to the same state
  // CHECK-NOTES: :[[@LINE-2]]:26: note: let the forward function store the seed and the offset in a tensor
  run(grad, params);
}

static void draw(Params &params) {
  params.philox_args = generator()->philox_cuda_state(32);
  // CHECK-MESSAGES: :[[@LINE-1]]:24: warning: 'at::CUDAGeneratorImpl::philox_cuda_state' draws new random numbers in a backward pass
}
void dropout_backward(const at::Tensor &grad) {
  Params params;
  draw(params);
  run(grad, params);
}

// The state of the forward operator is a parameter.
void saved_bwd(const at::Tensor &grad, const at::Tensor *rng_state) {
  Params params;
  if (!rng_state)
    params.philox_args = generator()->philox_cuda_state(32);
  run(grad, params);
}
