//===- LowerObject.cpp - Where objects begin and end ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructions, new and delete, destructors, and what of them the standard
// library's owners do.
//
//===----------------------------------------------------------------------===//

#include "LibraryShape.h"
#include "Lowering.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace cudagraph {

/// A smart pointer lets go of its object: the destructor runs, if there is one.
void Lowerer::emitRelease(const clang::Expr *Object, ExprId Holder,
                          Span Where) {
  QualType T = Object->getType();
  if (T->isPointerType())
    T = T->getPointeeType();
  if (const CXXRecordDecl *RD = T->getAsCXXRecordDecl())
    if (Names.shapeOf(RD) == LibraryShape::Pointer)
      emitDtor(RD, Holder, Where);
}

/// std::make_unique<T>(args) and std::make_shared<T>(args) construct a T.
ExprId Lowerer::smartPointerMake(const CallExpr *E) {
  const FunctionDecl *FD = E->getDirectCallee();
  const auto *Args = FD->getTemplateSpecializationArgs();
  if (!Args || Args->size() == 0 ||
      Args->get(0).getKind() != TemplateArgument::Type)
    return None;
  const auto *RD = Args->get(0).getAsType()->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition())
    return None;
  ExprId T = temp(E, /*OnHeap=*/true);
  constructAt(RD, T, E, llvm::ArrayRef(E->getArgs(), E->getNumArgs()));
  return addrOf(T);
}

/// Calls the constructor of \p RD that takes as many arguments, for a library
/// function that constructs an object in place.
void Lowerer::constructAt(const CXXRecordDecl *RD, ExprId Object,
                          const CallExpr *E,
                          llvm::ArrayRef<const clang::Expr *> Args) {
  for (const CXXConstructorDecl *C : RD->ctors()) {
    if (C->isCopyOrMoveConstructor() || C->isDeleted() ||
        C->getNumParams() < Args.size() ||
        C->getMinRequiredArguments() > Args.size())
      continue;
    Op O = callOp(E->getSourceRange());
    O.Callee = Table.idOf(C);
    O.Object = Object;
    addArgs(O, Args, C);
    emitCall(std::move(O));
    return;
  }
}

ExprId Lowerer::lowerConstruct(const CXXConstructExpr *E) {
  if (auto It = Calls.find(E); It != Calls.end())
    return It->second;
  auto Done = [&](ExprId V) {
    Calls[E] = V;
    return V;
  };
  const CXXConstructorDecl *C = E->getConstructor();
  llvm::ArrayRef<const clang::Expr *> Args(E->getArgs(), E->getNumArgs());
  // An inherited constructor passes its arguments on.
  while (const CXXConstructorDecl *Base =
             C->getInheritedConstructor().getConstructor())
    C = Base;
  LibraryShape Shape = Names.shapeOf(C->getParent());
  if (C->isCopyOrMoveConstructor() && !Args.empty() &&
      (C->isDefaulted() || Shape != LibraryShape::NotLibrary ||
       E->isElidable())) {
    if (Shape != LibraryShape::Pointer || !C->isMoveConstructor())
      return Done(argValue(Args.front(), nullptr));
    // The source of a move is empty afterwards.
    ExprId Taken = temp(E);
    emitAssign(Taken, argValue(Args.front(), nullptr), {});
    emitAssign(place(Args.front()), integer(0), {});
    return Done(load(Taken));
  }
  auto It = Targets.find(E);
  ExprId Target = It != Targets.end() ? It->second : temp(E);
  ExprId Result = load(Target);
  if (Shape == LibraryShape::Holder || Shape == LibraryShape::Pointer) {
    emitAssign(Target,
               Args.empty() ? integer(0) : argValue(Args.front(), nullptr), {});
    return Done(Result);
  }
  Calls[E] = Result; // before the arguments, which may refer back
  Op O = callOp(E->getSourceRange());
  O.Callee = Table.idOf(C);
  O.Object = Target;
  O.Name = spanOf(E->getLocation());
  addArgs(O, Args, C);
  bool Opaque = Table.info(O.Callee).IsSystem || !Table.info(O.Callee).HasBody;
  ExprId Parts = None;
  if (Opaque)
    for (const CallArg &A : O.Args)
      Parts = Parts == None ? A.Value : binary("aggregate", Parts, A.Value);
  // dim3 and the like: remember what the object was made from. What is known of
  // the constructor says better.
  if (Parts != None)
    emitAssign(Target, Parts, {});
  emitCall(std::move(O));
  if (Names.optionalOf(C->getParent()) && Args.empty())
    emitAssign(field(Target, "engaged flag"), integer(0), {});
  return Result;
}

ExprId Lowerer::lowerNew(const CXXNewExpr *E) {
  if (auto It = Calls.find(E); It != Calls.end())
    return It->second;
  ExprId T = temp(E, /*OnHeap=*/true);
  ExprId V = addrOf(T);
  Calls[E] = V;
  if (const clang::Expr *Init = E->getInitializer())
    if (!E->isArray()) {
      if (const auto *PL = dyn_cast<ParenListExpr>(Init))
        Init = PL->getNumExprs() == 1 ? PL->getExpr(0) : nullptr;
      if (Init)
        initInto(T, Init);
    }
  return V;
}

void Lowerer::lowerDelete(const CXXDeleteExpr *E) {
  QualType T = E->getDestroyedType();
  if (T.isNull())
    return;
  if (const CXXRecordDecl *RD = T->getAsCXXRecordDecl())
    emitDtor(RD, deref(value(E->getArgument())), spanOf(E->getSourceRange()));
  emitFree(value(E->getArgument()), spanOf(E->getSourceRange()));
}

/// What \p Pointer points to is deleted.
void Lowerer::emitFree(ExprId Pointer, Span Where) {
  Op O;
  O.Kind = OpKind::Free;
  O.Value = Pointer;
  O.Range = Where;
  Cur->Ops.push_back(std::move(O));
}

void Lowerer::emitDtor(const CXXRecordDecl *RD, ExprId Object, Span Where,
                       unsigned Depth, bool IsBase) {
  if (!RD->hasDefinition() || Depth > 4)
    return;
  RD = RD->getDefinition();
  if (Names.shapeOf(RD) == LibraryShape::Pointer) {
    bool Unique = Names.of(RD).has(catalogue::Role::UniquePointer);
    if (const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(RD);
        Spec && Unique && Spec->getTemplateArgs().size() > 1 &&
        Spec->getTemplateArgs().get(1).getKind() == TemplateArgument::Type)
      if (const auto *Deleter =
              Spec->getTemplateArgs().get(1).getAsType()->getAsCXXRecordDecl();
          Deleter && Deleter->hasDefinition() && !Deleter->isInStdNamespace())
        for (const CXXMethodDecl *M : Deleter->methods())
          if (M->getOverloadedOperator() == OO_Call) {
            Op O = callOp(
                SourceRange(SourceLocation::getFromRawEncoding(Where.Begin),
                            SourceLocation::getFromRawEncoding(Where.End)));
            O.Callee = Table.idOf(M);
            O.Object = deref(unknown());
            O.Implicit = true;
            O.Value = load(Object);
            O.Args.push_back({O.Value, {}, false});
            emitCall(std::move(O));
            return;
          }
    // Of shared ownership, the first release is taken for the last: that can
    // only make a region shorter.
    if (const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(RD)) {
      const TemplateArgument &A = Spec->getTemplateArgs().get(0);
      if (A.getKind() == TemplateArgument::Type)
        if (const CXXRecordDecl *Pointee = A.getAsType()->getAsCXXRecordDecl())
          emitDtor(Pointee, deref(load(Object)), Where, Depth + 1);
      if (Unique)
        emitFree(load(Object), Where);
    }
    return;
  }
  if (const CXXRecordDecl *Held = Names.optionalOf(RD)) {
    ExprId Engaged = load(field(Object, "engaged flag"));
    ExprId Inner = make({ExprKind::Elem, Object, integer(0), None, 0, {}});
    size_t First = Cur->Ops.size();
    emitDtor(Held, Inner, Where, Depth + 1);
    for (size_t I = First; I < Cur->Ops.size(); ++I)
      Cur->Ops[I].Value = Engaged;
    return;
  }
  const CXXDestructorDecl *D = RD->getDestructor();
  if (!D || RD->hasTrivialDestructor() || D->isDeleted())
    return;
  const FunctionDecl *Body = nullptr;
  if (D->isUserProvided() || D->hasBody(Body)) {
    Op O = callOp(SourceRange(SourceLocation::getFromRawEncoding(Where.Begin),
                              SourceLocation::getFromRawEncoding(Where.End)));
    O.Callee = Table.idOf(D);
    O.Object = Object;
    O.Implicit = true;
    if (G.Exprs[Object].Kind == ExprKind::Deref)
      O.Value = G.Exprs[Object].A; // nothing to destroy behind null
    if (D->isVirtual() && !IsBase && G.Exprs[Object].Kind == ExprKind::Deref)
      O.How = Dispatch::Virtual;
    emitCall(std::move(O));
    return;
  }
  for (const FieldDecl *F : RD->fields())
    if (const CXXRecordDecl *FR = F->getType()->getAsCXXRecordDecl())
      emitDtor(FR, field(Object, canonicalQualifiedName(F)), Where, Depth + 1);
  for (const CXXBaseSpecifier &B : RD->bases())
    if (const CXXRecordDecl *BR = B.getType()->getAsCXXRecordDecl())
      emitDtor(BR, Object, Where, Depth + 1, /*IsBase=*/true);
}

} // namespace cudagraph
