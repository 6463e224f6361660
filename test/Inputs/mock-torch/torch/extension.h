//===- extension.h - Mock: extensions ------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_TORCH_EXTENSION_H
#define CUDAGRAPH_MOCK_TORCH_EXTENSION_H

#include <ATen/ATen.h>
#include <torch/library.h>

namespace torch {
using namespace at;
}

namespace pybind11 {
class module_ {
public:
  template <typename F, typename... Extra>
  module_ &def(const char *name, F &&f, const Extra &...extra) {
    return *this;
  }
};
template <typename T> class class_ {
public:
  class_(module_ &scope, const char *name);
  template <typename F, typename... Extra>
  class_ &def(const char *name, F &&f, const Extra &...extra) {
    return *this;
  }
};
} // namespace pybind11

#define TORCH_EXTENSION_NAME extension
#define PYBIND11_MODULE(NAME, M) CUDAGRAPH_MOCK_PYBIND11(NAME, M)
#define CUDAGRAPH_MOCK_PYBIND11(NAME, M)                                       \
  static void pybind11_init_##NAME(::pybind11::module_ &);                     \
  extern "C" void *PyInit_##NAME();                                            \
  void pybind11_init_##NAME(::pybind11::module_ &M)

#endif // CUDAGRAPH_MOCK_TORCH_EXTENSION_H
