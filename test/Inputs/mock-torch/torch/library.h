//===- library.h - Mock: registration ------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_TORCH_LIBRARY_H
#define CUDAGRAPH_MOCK_TORCH_LIBRARY_H

namespace torch {
class CppFunction {
public:
  template <typename F> CppFunction(F *f);
};

class Library final {
public:
  Library &def(const char *schema);
  template <typename F> Library &def(const char *schema, F &&f);
  template <typename F> Library &impl(const char *name, F &&f);
};
} // namespace torch

#define TORCH_LIBRARY(NS, M)                                                   \
  static void TORCH_LIBRARY_init_##NS(torch::Library &);                       \
  static void (*const TORCH_LIBRARY_static_##NS)(torch::Library &) =           \
      &TORCH_LIBRARY_init_##NS;                                                \
  void TORCH_LIBRARY_init_##NS(torch::Library &M)
#define TORCH_LIBRARY_IMPL(NS, KEY, M)                                         \
  static void TORCH_LIBRARY_IMPL_init_##NS##_##KEY(torch::Library &);          \
  static void (*const TORCH_LIBRARY_IMPL_static_##NS##_##KEY)(                 \
      torch::Library &) = &TORCH_LIBRARY_IMPL_init_##NS##_##KEY;               \
  void TORCH_LIBRARY_IMPL_init_##NS##_##KEY(torch::Library &M)

#endif // CUDAGRAPH_MOCK_TORCH_LIBRARY_H
