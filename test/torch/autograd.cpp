// The functions that a framework runs for a differentiable operator are
// captured code, even if no registration names them.

// RUN: %check %s cudagraph-sync-call --torch

#include <ATen/ATen.h>
#include <vector>

namespace torch {
namespace autograd {
struct AutogradContext {};
using variable_list = std::vector<at::Tensor>;
template <class T> struct Function {};
} // namespace autograd
} // namespace torch
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class Norm : public torch::autograd::Function<Norm> {
public:
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &x) {
    x.item();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'at::Tensor::item' copies
    return x;
  }
  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    grads[0].item();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'at::Tensor::item' copies
    return grads;
  }
  static void prepare(const at::Tensor &x) { x.item(); }
};

// Similar names do not belong to an operator.
struct Layer {
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &x) {
    x.item();
    return x;
  }
};
