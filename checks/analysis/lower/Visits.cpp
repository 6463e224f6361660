//===- Visits.cpp - std::visit --------------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls to the operator that a visitor has for the current alternative.
//
//===----------------------------------------------------------------------===//

#include "ArgumentLowering.h"
#include "Invocation.h"
#include "SpanOf.h"
#include "VariantLowering.h"

using namespace clang;

namespace cudagraph {

/// How well \p M fits arguments of \p Types; 0 is best. Nothing if it cannot be
/// called. \p Const: whether each of them is constant.
static std::optional<unsigned> mismatch(const CXXMethodDecl *M,
                                        llvm::ArrayRef<QualType> Types,
                                        llvm::ArrayRef<bool> Const) {
  unsigned Sum = M->isTemplateInstantiation() ? 1 : 0;
  for (unsigned I = 0; I < Types.size(); ++I) {
    QualType P = M->getParamDecl(I)->getType(), Param = plainType(P);
    if (Const[I] && P->isReferenceType() &&
        !P.getNonReferenceType().isConstQualified())
      return std::nullopt;
    if (Param == Types[I])
      continue;
    const CXXRecordDecl *From = Types[I]->getAsCXXRecordDecl(),
                        *To = Param->getAsCXXRecordDecl();
    if (From && To && From->hasDefinition() && To->hasDefinition() &&
        From->isDerivedFrom(To))
      Sum += 4;
    else if (Types[I]->isScalarType() && Param->isScalarType() &&
             Types[I]->isPointerType() == Param->isPointerType())
      Sum += 16;
    else
      return std::nullopt;
  }
  return Sum;
}

/// Lowers a call to std::visit: one of the call operators of its first argument
/// is called with the current alternatives of the others.
std::optional<ExprId> VariantLowering::visit(const CallExpr *E) {
  constexpr unsigned MaxCases = 16;
  const unsigned Count = E->getNumArgs() ? E->getNumArgs() - 1 : 0;
  const CXXRecordDecl *RD =
      Count ? E->getArg(0)->getType()->getAsCXXRecordDecl() : nullptr;
  std::optional<unsigned> Block = L.block();
  if (!RD || !Block)
    return std::nullopt;
  llvm::SmallVector<AlternativeTypes, 2> Of;
  llvm::SmallVector<bool, 2> Const;
  unsigned Cases = 1;
  for (unsigned I = 1; I <= Count; ++I) {
    QualType T = E->getArg(I)->getType();
    Of.push_back(alternativesIn(L.Names, T));
    Const.push_back(T.isConstQualified());
    Cases *= Of.back().size();
    if (!Cases || Cases > MaxCases)
      return std::nullopt;
  }
  ExprId Visitor = L.place(E->getArg(0));
  auto Operators = operatorsOf(L, RD, Visitor, Count);
  llvm::SmallVector<const CallOperator *, 16> Called;
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 16> Indices;
  for (unsigned Case = 0; Case < Cases; ++Case) {
    llvm::SmallVector<QualType, 2> Types(Count);
    llvm::SmallVector<unsigned, 2> Index(Count);
    unsigned Rest = Case;
    for (unsigned I = Count; I-- > 0; Rest /= Of[I].size()) {
      Index[I] = Rest % Of[I].size();
      Types[I] = Of[I][Index[I]];
    }
    const CallOperator *Best = nullptr;
    std::optional<unsigned> Least;
    for (const CallOperator &Each : Operators)
      if (auto N = mismatch(Each.Method, Types, Const);
          N && (!Least || *N < *Least)) {
        Least = N;
        Best = &Each;
      }
    if (!Best)
      return std::nullopt;
    Called.push_back(Best);
    Indices.push_back(std::move(Index));
  }
  // The call itself only makes the choice.
  Op Made = callAt(spanOf(E->getSourceRange()));
  Made.Callee = L.Table.idOf(E->getDirectCallee());
  ArgumentLowering(L).add(Made, {E->getArgs(), E->getNumArgs()},
                          E->getDirectCallee());
  Made.CalleeValue = Made.Args[0].Value;
  L.Out.call(std::move(Made));
  Choice Each;
  Each.Block = *Block;
  Each.Begin = L.Out.size();
  Each.Range = spanOf(E->getSourceRange());
  llvm::SmallVector<ExprId, 2> Places;
  for (unsigned I = 0; I < Count; ++I) {
    Places.push_back(L.place(E->getArg(I + 1)));
    ExprId N = Exprs.load(number(Places[I]));
    Each.Number = I == 0
                      ? N
                      : Exprs.binary("+",
                                     Exprs.binary("*", Each.Number,
                                                  Exprs.integer(Of[I].size())),
                                     N);
  }
  ExprId Result = E->getType()->isVoidType() ? None : Exprs.temporary(E);
  for (unsigned Case = 0; Case < Cases; ++Case) {
    llvm::SmallVector<ExprId, 2> Parts;
    for (unsigned I = 0; I < Count; ++I)
      Parts.push_back(alternative(Places[I], Indices[Case][I]));
    ExprId V = L.Out.call(invocation(L, E, *Called[Case], Parts, E->getArg(1)));
    if (Result != None)
      L.Out.assign(Result, V, {});
    Each.Ends.push_back(L.Out.size());
  }
  L.Body.Choices.push_back(std::move(Each));
  return Result == None ? Exprs.unknown() : Exprs.load(Result);
}

} // namespace cudagraph
