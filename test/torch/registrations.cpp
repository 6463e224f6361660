// Each way to register an operator makes its function captured code in both
// hosts, unless it runs only on the host or has no tensors.

// RUN: %check %s cudagraph-sync-call --torch
// RUN: %driver ops --no-cache --cuda-path=mock %s -- -isystem %mock-torch -isystem %mock-std 2>/dev/null | FileCheck %s --check-prefix=OPS

#include <ATen/ATen.h>
#include <cuda_runtime.h>
#include <torch/extension.h>
#include <torch/library.h>

at::Tensor by_schema(const at::Tensor &x) {
  x.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::Tensor::item' copies a value from the device to the host and waits while the current stream (non-blocking, global mode) captures
  return x;
}

at::Tensor by_fn(const at::Tensor &x) {
  cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize' waits for all work on the device while the current stream (non-blocking, global mode) captures
  return x;
}

at::Tensor by_dispatch(const at::Tensor &x) {
  x.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::Tensor::item' copies
  return x;
}

template <typename T> at::Tensor by_template(const at::Tensor &x) {
  cudaStreamSynchronize(0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for the legacy default stream
  return x;
}

static void helper(const at::Tensor &x) {
  x.is_nonzero();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::Tensor::is_nonzero' copies
}
at::Tensor by_python(at::Tensor x) {
  helper(x);
  return x;
}

struct Engine {
  at::Tensor step(at::Tensor x) {
    x.item();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'at::Tensor::item' copies
    return x;
  }
};

at::Tensor by_chain(const at::Tensor &x) {
  x.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::Tensor::item' copies
  return x;
}
at::Tensor by_options(const at::Tensor &x) {
  x.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::Tensor::item' copies
  return x;
}
at::Tensor by_object(const at::Tensor &x) {
  x.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::Tensor::item' copies
  return x;
}

// Legal or unrelated.
at::Tensor on_host(const at::Tensor &x) {
  x.item();
  return x;
}
void set_up(int64_t n) { cudaDeviceSynchronize(); }
at::Tensor safe(const at::Tensor &x) { return at::relu(x); }
at::Tensor nobody(const at::Tensor &x) {
  x.item();
  return x;
}

TORCH_LIBRARY(mylib, m) {
  m.def("by_schema(Tensor x) -> Tensor");
  m.def("by_fn", TORCH_FN(by_fn));
  m.def("by_lambda(Tensor x) -> Tensor", [](const at::Tensor &x) {
    x.item();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'at::Tensor::item' copies
    return x;
  });
  m.def("set_up(int n) -> ()", &set_up);
  m.def("declared_only(Tensor x) -> Tensor");
  m.def("safe(Tensor x) -> Tensor", &safe);
}
TORCH_LIBRARY_FRAGMENT(mylib, m) {
  m.def("by_template(Tensor x) -> Tensor", &by_template<float>);
  m.def("by_dispatch", torch::dispatch(c10::DispatchKey::CUDA, &by_dispatch));
  torch::class_<Engine>("mylib", "Engine").def("step", &Engine::step);
}
TORCH_LIBRARY_IMPL(mylib, CUDA, m) { m.impl("by_schema", &by_schema); }
TORCH_LIBRARY_IMPL(mylib, CPU, m) {
  m.impl("by_schema", &on_host);
  m.impl("on_host", &on_host);
}
static auto registry =
    torch::RegisterOperators()
        .op("oldlib::by_chain", &by_chain)
        .op("oldlib::safe", &safe)
        .op("oldlib::by_options(Tensor x) -> Tensor",
            torch::RegisterOperators::options().kernel(c10::DispatchKey::CUDA,
                                                       &by_options))
        .op("oldlib::old_on_host",
            torch::RegisterOperators::options().kernel(c10::DispatchKey::CPU,
                                                       &on_host));
static torch::RegisterOperators object("oldlib::by_object", &by_object);
PYBIND11_MODULE(native, m) { m.def("by_python", &by_python, "a doc string"); }

// OPS: unsafe {{ *}}by_python {{.*}}:[[#]]
// OPS-NEXT: registrations.cpp:[[#]]:3: 'at::Tensor::is_nonzero' copies
// OPS-NEXT: registrations.cpp:[[#]]:3: calls 'helper'
// OPS: unsafe {{ *}}mylib::Engine.step
// OPS: unsafe {{ *}}mylib::by_dispatch (CUDA)
// OPS: unsafe {{ *}}mylib::by_fn
// OPS: unsafe {{ *}}mylib::by_lambda
// OPS: unsafe {{ *}}mylib::by_schema (CUDA) {{.*}}by_schema(Tensor x) -> Tensor
// OPS: unsafe {{ *}}mylib::by_template
// OPS: unknown {{ *}}mylib::declared_only
// OPS-NEXT: no implementation is visible
// OPS: unknown {{ *}}mylib::on_host (CPU)
// OPS-NEXT: only an implementation for CPU was seen
// OPS: safe {{ *}}mylib::safe
// OPS: unsafe {{ *}}mylib::set_up
// OPS: unsafe {{ *}}oldlib::by_chain
// OPS: unsafe {{ *}}oldlib::by_object
// OPS: unsafe {{ *}}oldlib::by_options (CUDA) {{.*}}by_options(Tensor x) -> Tensor
// OPS: unknown {{ *}}oldlib::old_on_host (CPU)
// OPS: safe {{ *}}oldlib::safe
// OPS: 16 operators: 2 safe, 11 unsafe, 3 unknown. 1 translation unit, none incomplete.
