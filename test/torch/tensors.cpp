// The effect of an operator depends on the location and type of its tensors.

// RUN: %check %s cudagraph-sync-call,cudagraph-dynamic-shape --torch

#include <ATen/ATen.h>
#include <torch/library.h>

at::Tensor places(const at::Tensor &x, at::Device device) {
  at::Tensor a = x.to(at::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:18: warning: 'at::Tensor::to' copies between the host and the device
  at::Device host = at::kCPU;
  at::Tensor b = x.to(at::TensorOptions().device(host));
  // CHECK-MESSAGES: :[[@LINE-1]]:18: warning: 'at::Tensor::to' copies
  at::Tensor made = at::zeros({4}, at::kFloat);
  at::Tensor c = made.to(x.device());
  // CHECK-MESSAGES: :[[@LINE-1]]:18: warning: 'at::Tensor::to' copies
  a.copy_(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::Tensor::copy_' copies
  x.copy_(made);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::Tensor::copy_' copies

  // Conversions of the type, the same device, and work that stays on the host.
  at::Tensor d = x.to(at::kFloat);
  at::Tensor e = x.to(x.device());
  at::Tensor f = x.to(at::kCUDA);
  at::Tensor g = x.to(at::TensorOptions().device(host), /*non_blocking=*/true);
  x.copy_(d);
  at::Tensor h = made.to(at::kCPU);
  made.copy_(a);
  made.item();
  at::zeros({1}, x.options()).add_(x);
  return c;
}

at::Tensor sizes(const at::Tensor &x, const at::Tensor &m) {
  at::Tensor mask = x.gt(0);
  at::Tensor a = x.index({mask});
  // CHECK-MESSAGES: :[[@LINE-1]]:18: warning: 'at::Tensor::index' converts a mask to indices
  auto b = at::where(mask);
  // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: 'at::where' creates a result whose size depends on device data
  at::Tensor c = at::one_hot(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:18: warning: 'at::one_hot' reads the number of classes from the device
  at::Tensor g = x.narrow(0, m, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:18: warning: 'at::Tensor::narrow' reads the value of a tensor argument
  at::Tensor h = x.narrow(0, 1, 4);
  at::Tensor rows = at::arange(4, x.options()).to(at::kLong);
  at::Tensor d = x.index({rows});
  at::Tensor e = at::where(mask, x, x);
  at::Tensor f = at::one_hot(x, 10);
  return d;
}

// The branch for host tensors is not captured.
static at::Tensor sum_on_host(const at::Tensor &x, const at::Tensor &w) {
  w.item();
  return x.cpu();
}
at::Tensor either(const at::Tensor &x, const at::Tensor &w) {
  if (!x.is_cuda())
    return sum_on_host(x, w);
  w.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::Tensor::item' copies
  return x;
}

// An operator requires one tensor on the host and the others on the device.
at::Tensor mixed(const at::Tensor &x, const at::Tensor &lengths) {
  TORCH_CHECK(lengths.is_cpu() && x.is_cuda(), "wrong device");
  TORCH_CHECK(lengths.device().is_cpu(), "wrong device");
  lengths.item();
  x.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::Tensor::item' copies
  return x;
}
at::Tensor insists(const at::Tensor &x, const at::Tensor &lengths) {
  TORCH_CHECK(lengths.device().is_cpu(), "wrong device");
  lengths.item();
  x.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::Tensor::item' copies
  return x;
}

TORCH_LIBRARY(t, m) {
  m.def("mixed", &mixed);
  m.def("insists", &insists);
  m.def("places", &places);
  m.def("sizes", &sizes);
  m.def("either", &either);
}
