#include <ATen/ATen.h>
#include <torch/library.h>

at::Tensor fine(const at::Tensor &x) { return at::relu(x); }
TORCH_LIBRARY(demo, m) { m.def("fine(Tensor x) -> Tensor", &fine); }
int broken = missing();
