//===- library.h - Mock: registration ------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_TORCH_LIBRARY_H
#define CUDAGRAPH_MOCK_TORCH_LIBRARY_H

#include <c10/core.h>
#include <optional>

namespace c10 {
enum class DispatchKey : uint16_t {
  Undefined,
  CPU,
  CUDA,
  Meta,
  Autograd,
  AutogradCUDA,
  CompositeImplicitAutograd,
  CompositeExplicitAutograd,
};

template <class FuncType_, FuncType_ *func_ptr_>
struct CompileTimeFunctionPointer final {};

class RegisterOperators final {
public:
  class Options final {
  public:
    template <class F> Options &&kernel(DispatchKey key, F &&f) &&;
    template <class F> Options &&catchAllKernel(F &&f) &&;
  };
  static Options options();
  RegisterOperators();
  RegisterOperators(RegisterOperators &&);
  template <class F>
  explicit RegisterOperators(const std::string &schemaOrName, F &&f,
                             Options &&options = RegisterOperators::options());
  RegisterOperators &&op(const std::string &schemaOrName, Options &&options) &&;
  template <class F>
  RegisterOperators &&op(const std::string &schemaOrName, F &&f,
                         Options &&options = RegisterOperators::options()) &&;
};
} // namespace c10

namespace torch {
using namespace c10;

class CppFunction {
public:
  template <typename F> CppFunction(F *f);
  template <typename F> CppFunction(F f);
};

template <typename F> CppFunction dispatch(c10::DispatchKey key, F &&f);
template <typename F> CppFunction dispatch(c10::DeviceType type, F &&f);

class Library final {
public:
  enum Kind { DEF, IMPL, FRAGMENT };
  template <typename Schema> Library &def(Schema &&schema) & { return *this; }
  template <typename Name, typename F> Library &def(Name &&name, F &&f) & {
    return *this;
  }
  template <typename Name, typename F> Library &impl(Name name, F &&f) & {
    return *this;
  }
  template <typename Name, typename Key, typename F>
  Library &impl(Name name, Key &&key, F &&f) & {
    return *this;
  }
};

template <class CurClass> class class_ {
public:
  explicit class_(const std::string &ns, const std::string &name,
                  std::string doc = "");
  template <typename F>
  class_ &def(std::string name, F f, std::string doc = "") {
    return *this;
  }
  template <typename F> class_ &def_static(std::string name, F f) {
    return *this;
  }
};

namespace detail {
class TorchLibraryInit final {
public:
  TorchLibraryInit(Library::Kind kind, void (*fn)(Library &), const char *ns,
                   std::optional<c10::DispatchKey> k, const char *file,
                   uint32_t line);
};
} // namespace detail
} // namespace torch

#define TORCH_FN(FUNC) ::c10::CompileTimeFunctionPointer<decltype(FUNC), FUNC>()

#define CUDAGRAPH_MOCK_LIBRARY(KIND, NS, INIT, KEY, M)                         \
  static void INIT(torch::Library &);                                          \
  static const torch::detail::TorchLibraryInit INIT##_static(                  \
      torch::Library::KIND, &INIT, #NS, KEY, __FILE__, __LINE__);              \
  void INIT(torch::Library &M)
#define TORCH_LIBRARY(NS, M)                                                   \
  CUDAGRAPH_MOCK_LIBRARY(DEF, NS, TORCH_LIBRARY_init_##NS, std::nullopt, M)
#define TORCH_LIBRARY_FRAGMENT(NS, M)                                          \
  CUDAGRAPH_MOCK_LIBRARY(FRAGMENT, NS, TORCH_LIBRARY_FRAGMENT_init_##NS,       \
                         std::nullopt, M)
#define TORCH_LIBRARY_IMPL(NS, KEY, M)                                         \
  CUDAGRAPH_MOCK_LIBRARY(IMPL, NS, TORCH_LIBRARY_IMPL_init_##NS##_##KEY,       \
                         c10::DispatchKey::KEY, M)

#endif // CUDAGRAPH_MOCK_TORCH_LIBRARY_H
