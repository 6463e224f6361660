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
#include "llvm/ADT/STLExtras.h"
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

/// The class in \p Type, the type of a parameter of a library function, if that
/// is a pointer to an object that the function reads, such as the parameters of
/// a node; else empty. A handle is also a pointer to a class.
static llvm::StringRef readClass(llvm::StringRef Type) {
  bool Const = Type.consume_front("const ");
  if (!Type.consume_back("*"))
    return "";
  Type = Type.rtrim();
  bool IsClass = Const ? llvm::none_of(
                             llvm::ArrayRef<llvm::StringRef>{
                                 "void", "char", "signed", "unsigned", "short",
                                 "int", "long", "float", "double", "bool"},
                             [&](llvm::StringRef Basic) {
                               return Type == Basic ||
                                      Type.starts_with((Basic + " ").str());
                             })
                       : Type.contains_insensitive("params");
  return IsClass && !Type.contains('*') && !Type.contains('<') ? Type : "";
}

void eachWholeObject(Program &Table, const FlowGraph &G,
                     llvm::function_ref<void(llvm::StringRef)> Visit) {
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind != OpKind::Call || O.Callee == None)
        continue;
      const bool Launch = O.How == Dispatch::Kernel;
      const FunctionInfo &Info = Table.info(O.Callee);
      if (!Launch && (O.How != Dispatch::Direct || Info.HasBody))
        continue;
      auto Sort = Launch ? CallArg::Class : CallArg::Pointer;
      if (llvm::none_of(O.Args,
                        [&](const CallArg &A) { return A.Sort == Sort; }))
        continue;
      if (Launch)
        Visit(AnyWholeObject);
      // Members are named without the arguments of their templates.
      auto Types = paramTypes(Info.Signature);
      for (size_t I = 0; I < O.Args.size() && I < Types.size(); ++I) {
        if (O.Args[I].Sort != Sort)
          continue;
        llvm::StringRef Class = Types[I];
        Class.consume_front("const ");
        Class = Launch ? Class.take_until([](char C) { return C == '<'; })
                       : readClass(Types[I]);
        if (Class.empty())
          continue;
        Visit(AnyWholeObject);
        Visit(nameOfClass(Class));
      }
    }
}

} // namespace cudagraph
