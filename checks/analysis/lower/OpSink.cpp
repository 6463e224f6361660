//===- OpSink.cpp - Adds operations to a block ----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpSink.h"

namespace cudagraph {

void OpSink::assign(ExprId Place, ExprId Value, Span Where) {
  Op O;
  O.Place = Place;
  O.Value = Value;
  O.Range = Where;
  O.Implicit = true;
  add(std::move(O));
}

void OpSink::endLife(ExprId Place, Span Where) {
  Op O;
  O.Kind = OpKind::EndLife;
  O.Place = Place;
  O.Range = Where;
  Ops.push_back(std::move(O));
}

void OpSink::free(ExprId Pointer, Span Where, bool Implicit) {
  Op O;
  O.Kind = OpKind::Free;
  O.Value = Pointer;
  O.Range = Where;
  O.Implicit = Implicit;
  add(std::move(O));
}

ExprId OpSink::call(Op O) {
  unsigned Index = NumCalls++;
  O.ResultIndex = Index;
  add(std::move(O));
  return Exprs.result(Index);
}

void OpSink::guard(size_t First, ExprId Flag) {
  for (size_t I = First; I < Ops.size(); ++I)
    if (Ops[I].Kind == OpKind::Call)
      Ops[I].Value = Flag;
}

Op callAt(Span Where) {
  Op O;
  O.Kind = OpKind::Call;
  O.Range = Where;
  return O;
}

} // namespace cudagraph
