//===- WholeObjects.cpp - Objects that kernels receive --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See WholeObjects.h.
//
//===----------------------------------------------------------------------===//

#include "WholeObjects.h"
#include <algorithm>

namespace cudagraph {

llvm::SmallVector<llvm::StringRef, 8> paramTypes(llvm::StringRef Signature) {
  llvm::SmallVector<llvm::StringRef, 8> Result;
  size_t Begin = Signature.rfind(')');
  unsigned Depth = 0;
  size_t End = Begin;
  for (size_t I = Begin; I != llvm::StringRef::npos && I-- > 0;) {
    char C = Signature[I];
    if (C == ')' || C == '>' || C == ']')
      ++Depth;
    bool Opens = C == '(' || C == '<' || C == '[';
    if ((C == ',' || C == '(') && Depth == 0) {
      Result.push_back(Signature.slice(I + 1, End).trim());
      End = I;
      if (C == '(')
        break;
    }
    if (Opens && Depth)
      --Depth;
  }
  std::reverse(Result.begin(), Result.end());
  return Result;
}

static std::string nameOfClass(llvm::StringRef Class) {
  return ("whole " + Class).str();
}

std::string wholeObjectOf(llvm::StringRef Name) {
  size_t End = Name.rfind("::");
  return End == llvm::StringRef::npos ? "" : nameOfClass(Name.take_front(End));
}

void eachWholeObject(Program &Table, const FlowGraph &G,
                     llvm::function_ref<void(llvm::StringRef)> Visit) {
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops) {
      bool Any = O.Kind == OpKind::Call && O.How == Dispatch::Kernel &&
                 O.Callee != None &&
                 std::any_of(O.Args.begin(), O.Args.end(), [](const auto &A) {
                   return A.Sort == CallArg::Class;
                 });
      if (!Any)
        continue;
      Visit(AnyWholeObject);
      // Members are named without the arguments of their templates.
      auto Types = paramTypes(Table.info(O.Callee).Signature);
      for (size_t I = 0; I < O.Args.size() && I < Types.size(); ++I)
        if (O.Args[I].Sort == CallArg::Class) {
          llvm::StringRef Class = Types[I];
          Class.consume_front("const ");
          Visit(nameOfClass(Class.take_until([](char C) { return C == '<'; })));
        }
    }
}

} // namespace cudagraph
