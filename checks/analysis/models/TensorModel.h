//===- TensorModel.h - Framework operators ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TensorTraits.h.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_TENSORMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_TENSORMODEL_H

#include "Model.h"

namespace cudagraph {

class TensorModel : public Model {
public:
  using Model::Model;

  /// The effect of one call to an operator.
  struct Effects {
    bool Reports = false; ///< the effect of its entry
    bool Works = false;   ///< its work is part of the capture
    Evidence Operands = Evidence::DeviceTensor;
  };
  /// Returns the effect and the result of operator \p C; \p All are its tensors
  /// and other arguments, the object first.
  Effects applyOperator(Call &C, State &S, llvm::ArrayRef<ValueId> All);

  /// True if the arguments of a factory request pinned memory.
  bool pins(const Call &C, const State &S);

  /// Records the tensor traits of the result of a libtorch call or constructor.
  void noteResult(Frame &F, const Op &O, State &S, FunctionId Callee,
                  ValueId This, llvm::ArrayRef<ValueId> Args);

private:
  /// A method, or another function, of the library.
  struct Method {
    Method(const FunctionInfo &Info, const catalogue::RoleSet &Roles);
    llvm::StringRef Name; ///< without its class or namespace
    const catalogue::RoleSet &Roles;
    bool OfTensor, OfDevice, OfOptions;
  };
  std::optional<ValueId> answer(const State &S, const Method &M, ValueId This,
                                llvm::ArrayRef<ValueId> Args);
  unsigned withOption(const State &S, const Method &M, ValueId This,
                      llvm::ArrayRef<ValueId> Args);
  unsigned unionOf(const State &S, llvm::ArrayRef<ValueId> Args);
  unsigned traitsOfResult(const Op &O, const State &S, const Method &M,
                          ValueId This, llvm::ArrayRef<ValueId> Args);
  ValueId made(const Frame &F, const Op &O, unsigned Traits);
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_TENSORMODEL_H
