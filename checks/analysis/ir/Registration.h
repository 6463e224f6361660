//===- Registration.h - Functions of other runtimes -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An extension does not call its operators: it registers them by name with
// PyTorch's dispatcher, with Python, or with another runtime, which calls them
// later, possibly during a capture. The registered functions and names are all
// that a unit shows of such a capture.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_REGISTRATION_H
#define CUDAGRAPH_ANALYSIS_IR_REGISTRATION_H

#include "FlowGraph.h"
#include <string>
#include <vector>

namespace cudagraph {

/// One name for one function, or a schema alone.
struct Registration {
  enum Kind : uint8_t {
    Torch,   ///< TORCH_LIBRARY*, torch::class_, and the stable ABI's macros
    Python,  ///< PYBIND11_MODULE
    TvmFfi,  ///< TVM_FFI_DLL_EXPORT_TYPED_FUNC, reflection::GlobalDef
    XlaFfi,  ///< XLA_FFI_DEFINE_HANDLER*
    ExternC, ///< an exported extern "C" function that takes a stream
  };
  Kind How = Torch;
  std::string Library; ///< namespace of the operators, or name of the module
  std::string Name;    ///< without the library, with an overload: "f.out"
  std::string Schema;  ///< as spelled; empty if it is inferred
  std::string DispatchKey; ///< "CUDA"; empty if it is registered for all keys
  /// FunctionId while a unit is summarized, then FunctionKey; None if there is
  /// none.
  uint64_t Function = None;
  /// Has tensors as arguments or results: frameworks capture such functions.
  bool HasTensors = false;
  /// Its function runs on a GPU according to DispatchKey: "CUDA", "Autograd",
  /// "CompositeExplicitAutograd", ... but not "CPU" or "Meta".
  bool ReachesDevice = true;
  Span Where; ///< the registration
  Site At;    ///< the same, without the source manager
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_REGISTRATION_H
