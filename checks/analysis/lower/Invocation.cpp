//===- Invocation.cpp - Calls that library functions make -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Invocation.h.
//
//===----------------------------------------------------------------------===//

#include "Invocation.h"
#include "Instances.h"
#include "SpanOf.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace cudagraph {

static void addOperators(ExprLowering &L, const CXXRecordDecl *RD, ExprId Place,
                         unsigned Count, unsigned Depth,
                         llvm::SmallVectorImpl<CallOperator> &Found) {
  constexpr unsigned MaxDepth = 4;
  if (!RD || !RD->hasDefinition() || Depth > MaxDepth)
    return;
  auto Add = [&](const FunctionDecl *FD) {
    const auto *M = dyn_cast<CXXMethodDecl>(FD);
    if (M && M->getOverloadedOperator() == OO_Call && M->hasBody() &&
        !M->isDependentContext() && M->getNumParams() == Count)
      Found.push_back({M, RD->isLambda(), Place});
  };
  for (const Decl *D : RD->getDefinition()->decls()) {
    if (const auto *FD = dyn_cast<FunctionDecl>(D))
      Add(FD);
    if (const auto *T = dyn_cast<FunctionTemplateDecl>(D))
      for (const FunctionDecl *Each : instancesOf(T))
        Add(Each);
  }
  unsigned Index = 0;
  for (const CXXBaseSpecifier &Base : RD->getDefinition()->bases()) {
    const CXXRecordDecl *Class = Base.getType()->getAsCXXRecordDecl();
    std::string Name = baseName(Index++);
    ExprId Part =
        Class && Class->isLambda() ? L.Exprs.field(Place, Name) : Place;
    addOperators(L, Class, Part, Count, Depth + 1, Found);
  }
}

llvm::SmallVector<CallOperator, 8> operatorsOf(ExprLowering &L,
                                               const CXXRecordDecl *RD,
                                               ExprId Place, unsigned Count) {
  llvm::SmallVector<CallOperator, 8> Found;
  addOperators(L, RD, Place, Count, /*Depth=*/0, Found);
  return Found;
}

void addParts(ExprLowering &L, Op &O, const FunctionDecl *Params,
              llvm::ArrayRef<ExprId> Parts, const clang::Expr *From) {
  for (unsigned I = 0; I < Parts.size(); ++I) {
    QualType T = Params ? Params->getParamDecl(I)->getType() : QualType();
    CallArg Arg;
    bool Reference = !T.isNull() && T->isReferenceType();
    Arg.Value = Reference ? L.Exprs.addrOf(Parts[I]) : L.Exprs.load(Parts[I]);
    Arg.Range = spanOf(From->getSourceRange());
    if (!T.isNull()) {
      Arg.IsStream = L.Names.isStream(T);
      Arg.Written = Reference && !T->getPointeeType().isConstQualified();
      Arg.Sort = T->isArithmeticType() ? CallArg::Scalar
                 : T->isPointerType()  ? CallArg::Pointer
                 : T->isRecordType()   ? CallArg::Class
                                       : CallArg::Other;
    }
    O.Args.push_back(Arg);
  }
}

Op invocation(ExprLowering &L, const CallExpr *E, const CallOperator &To,
              llvm::ArrayRef<ExprId> Parts, const clang::Expr *From) {
  Op O = callAt(spanOf(E->getSourceRange()));
  O.Callee = L.Table.idOf(To.Method);
  O.Object = To.Object;
  if (To.OfLambda) {
    O.How = Dispatch::Indirect;
    O.CalleeValue = L.Exprs.load(O.Object);
    O.IsLambda = true;
  }
  addParts(L, O, To.Method, Parts, From);
  return O;
}

} // namespace cudagraph
