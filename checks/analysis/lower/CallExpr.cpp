//===- CallExpr.cpp - One call expression ---------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most calls are operations. Some are values that need none: builtins, casts of
// the standard library, accessors of containers and owners. And some do what
// their callee's source would hardly tell: assignments of owners, swaps,
// optionals that are filled.
//
//===----------------------------------------------------------------------===//

#include "LibraryShape.h"
#include "Lowering.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace cudagraph {

using catalogue::Role;

class Lowerer::CallLowering {
public:
  CallLowering(Lowerer &L, const CallExpr *E)
      : L(L), E(E), FD(E->getDirectCallee()),
        Args(E->getArgs(), E->getNumArgs()) {}

  /// Returns the value of the call.
  ExprId run();

private:
  // Each returns nothing if the call is none of its kind.
  std::optional<ExprId> builtin();
  std::optional<ExprId> ofStandardLibrary();
  std::optional<ExprId> accessor();
  std::optional<ExprId> nullComparison();
  std::optional<ExprId> forwarded();
  std::optional<ExprId> kernel(Op &O);
  std::optional<ExprId> throughMemberPointer(Op &O);
  std::optional<ExprId> method(Op &O);
  std::optional<ExprId> assignment(const Op &O, const CXXMethodDecl *M);
  std::optional<ExprId> change(const Op &O, const CXXMethodDecl *M);
  std::optional<ExprId> conversion(const Op &O, const CXXMethodDecl *M);

  ExprId swap();
  Op start();
  const CXXMethodDecl *findObject(Op &O);
  Span where() const { return spanOf(E->getSourceRange()); }
  /// The name of \p D, or an empty one for operators and the like.
  static StringRef nameOf(const FunctionDecl *D) {
    return D->getDeclName().isIdentifier() ? D->getName() : StringRef();
  }

  Lowerer &L;
  const CallExpr *E;
  const FunctionDecl *FD;
  llvm::ArrayRef<const clang::Expr *> Args; ///< but for the object
  const clang::Expr *Object = nullptr;      ///< of a method
};

ExprId Lowerer::lowerCall(const CallExpr *E) {
  if (auto It = Calls.find(E); It != Calls.end())
    return It->second;
  ExprId V = CallLowering(*this, E).run();
  Calls[E] = V;
  return V;
}

ExprId Lowerer::CallLowering::run() {
  for (auto Kind : {&CallLowering::builtin, &CallLowering::ofStandardLibrary,
                    &CallLowering::accessor, &CallLowering::nullComparison,
                    &CallLowering::forwarded})
    if (std::optional<ExprId> V = (this->*Kind)())
      return *V;
  if (L.isFormatting(E))
    return E->isGLValue() ? L.addrOf(L.place(E->getArg(0))) : L.unknown();
  Op O = start();
  for (auto Kind : {&CallLowering::kernel, &CallLowering::throughMemberPointer,
                    &CallLowering::method})
    if (std::optional<ExprId> V = (this->*Kind)(O))
      return *V;
  if (FD) {
    O.Callee = L.Table.idOf(FD);
  } else {
    O.How = Dispatch::Indirect;
    O.CalleeValue = L.value(E->getCallee());
  }
  L.addArgs(O, Args, FD);
  return L.emitCall(std::move(O));
}

std::optional<ExprId> Lowerer::CallLowering::builtin() {
  unsigned Builtin = FD ? FD->getBuiltinID() : 0;
  if (!Builtin || !FD->getName().starts_with("__builtin_"))
    return std::nullopt;
  if (Builtin == Builtin::BI__builtin_expect)
    return L.value(E->getArg(0));
  if (Builtin == Builtin::BI__builtin_addressof)
    return L.addrOf(L.place(E->getArg(0)));
  return L.unknown();
}

std::optional<ExprId> Lowerer::CallLowering::ofStandardLibrary() {
  if (!FD || !FD->isInStdNamespace())
    return std::nullopt;
  StringRef Name = nameOf(FD);
  if (Name == "make_unique" || Name == "make_shared")
    if (ExprId V = L.smartPointerMake(E); V != None)
      return V;
  if (Name == "addressof" || Name == "ref" || Name == "cref")
    return L.addrOf(L.place(E->getArg(0)));
  if (Name == "swap" && E->getNumArgs() == 2)
    return swap();
  return std::nullopt;
}

ExprId Lowerer::CallLowering::swap() {
  ExprId A = L.place(E->getArg(0)), B = L.place(E->getArg(1)), T = L.temp(E);
  L.emitAssign(T, L.load(A), {});
  L.emitAssign(A, L.load(B), {});
  L.emitAssign(B, L.load(T), {});
  // Two members of one object take turns.
  const auto &Exprs = L.G.Exprs;
  if (A != B && Exprs[A].Kind == ExprKind::Field &&
      Exprs[B].Kind == ExprKind::Field && Exprs[A].A == Exprs[B].A)
    for (size_t I = 1; I <= 2; ++I) {
      Op &O = L.Cur->Ops[L.Cur->Ops.size() - I];
      O.Kind = OpKind::Modify;
      O.Implicit = false;
      O.Range = where();
    }
  return L.unknown();
}

/// What gives the address of what it is given, or asks for.
std::optional<ExprId> Lowerer::CallLowering::accessor() {
  if (E->getNumArgs() == 1 && L.Names.is(FD, Role::PassesThrough))
    return L.argValue(E->getArg(0), nullptr);
  // get(), operator->, data(), begin()
  if (ExprId P = L.modelledPlace(E); P != None)
    if (E->isGLValue() || E->getType()->isPointerType() ||
        E->getType()->isRecordType())
      return L.addrOf(P);
  return std::nullopt;
}

/// A smart pointer or a std::function compared with null.
std::optional<ExprId> Lowerer::CallLowering::nullComparison() {
  const auto *OC = dyn_cast<CXXOperatorCallExpr>(E);
  if (!OC || OC->getNumArgs() != 2 ||
      (OC->getOperator() != OO_EqualEqual &&
       OC->getOperator() != OO_ExclaimEqual))
    return std::nullopt;
  auto Holds = [&](const clang::Expr *X) {
    LibraryShape Shape = L.Names.shapeOf(X->getType()->getAsCXXRecordDecl());
    return Shape == LibraryShape::Holder || Shape == LibraryShape::Pointer;
  };
  for (unsigned I : {0u, 1u})
    if (Holds(OC->getArg(I)) && OC->getArg(1 - I)->getType()->isNullPtrType())
      return L.binary(OC->getOperator() == OO_EqualEqual ? "==" : "!=",
                      L.load(L.place(OC->getArg(I))), L.integer(0));
  return std::nullopt;
}

/// apply(x, ...) calls forward(context, x, ...).
std::optional<ExprId> Lowerer::CallLowering::forwarded() {
  const FunctionDecl *Forward = L.forwardOf(FD);
  if (!Forward)
    return std::nullopt;
  Op O = L.callOp(E->getSourceRange());
  O.Callee = L.Table.idOf(Forward);
  O.Args.push_back({L.unknown(), {}, false});
  for (unsigned I = 0; I < E->getNumArgs(); ++I) {
    CallArg Arg;
    Arg.Value = L.argValue(E->getArg(I), I + 1 < Forward->getNumParams()
                                             ? Forward->getParamDecl(I + 1)
                                             : nullptr);
    Arg.Range = spanOf(E->getArg(I)->getSourceRange());
    O.Args.push_back(Arg);
  }
  return L.emitCall(std::move(O));
}

/// The operation, but for callee and arguments.
Op Lowerer::CallLowering::start() {
  Op O = L.callOp(E->getSourceRange());
  O.CloseParen = spanOf(E->getRParenLoc());
  O.Discarded = L.Discarded.count(E);
  const clang::Expr *Callee = E->getCallee()->IgnoreParenImpCasts();
  O.Name = spanOf(Callee->getExprLoc());
  if (const auto *ME = dyn_cast<MemberExpr>(Callee))
    O.Name = spanOf(ME->getMemberLoc());
  return O;
}

std::optional<ExprId> Lowerer::CallLowering::kernel(Op &O) {
  const auto *K = dyn_cast<CUDAKernelCallExpr>(E);
  if (!K)
    return std::nullopt;
  O.How = Dispatch::Kernel;
  const CallExpr *Config = K->getConfig();
  L.addArgs(O, llvm::ArrayRef(Config->getArgs(), Config->getNumArgs()),
            Config->getDirectCallee());
  O.Config = std::move(O.Args);
  O.Args.clear();
  O.CloseParen = spanOf(Config->getRParenLoc());
  if (FD)
    O.Callee = L.Table.idOf(FD);
  L.addArgs(O, Args, FD);
  return L.emitCall(std::move(O));
}

/// (object.*pointer)(...)
std::optional<ExprId> Lowerer::CallLowering::throughMemberPointer(Op &O) {
  const auto *PM =
      dyn_cast<BinaryOperator>(E->getCallee()->IgnoreParenImpCasts());
  if (!PM || !PM->isPtrMemOp())
    return std::nullopt;
  O.How = Dispatch::Indirect;
  O.CalleeValue = L.value(PM->getRHS());
  O.Object = PM->getOpcode() == BO_PtrMemI ? L.deref(L.value(PM->getLHS()))
                                           : L.place(PM->getLHS());
  L.addArgs(O, Args, nullptr);
  return L.emitCall(std::move(O));
}

/// The method that is called, and its object; null if it has none.
const CXXMethodDecl *Lowerer::CallLowering::findObject(Op &O) {
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(FD);
  if (const auto *MC = dyn_cast<CXXMemberCallExpr>(E)) {
    Object = MC->getImplicitObjectArgument();
    const auto *ME =
        dyn_cast<MemberExpr>(E->getCallee()->IgnoreParenImpCasts());
    if (M && M->isVirtual() && Object && !(ME && ME->hasQualifier())) {
      if (const CXXMethodDecl *Final = M->getDevirtualizedMethod(
              Object->IgnoreParenImpCasts(), /*IsAppleKext=*/false))
        M = Final;
      else
        O.How = Dispatch::Virtual;
    }
  } else if (isa<CXXOperatorCallExpr>(E) && M && !M->isStatic() &&
             !Args.empty()) {
    Object = Args.front();
    Args = Args.drop_front();
  }
  return Object ? M : nullptr;
}

std::optional<ExprId> Lowerer::CallLowering::method(Op &O) {
  const CXXMethodDecl *M = findObject(O);
  if (!M)
    return std::nullopt;
  const CXXRecordDecl *RD = M->getParent();
  O.Object = Object->getType()->isPointerType() ? L.deref(L.value(Object))
                                                : L.place(Object);
  O.ObjectRange = spanOf(Object->getSourceRange());
  if (std::optional<ExprId> V = assignment(O, M))
    return V;
  if (std::optional<ExprId> V = change(O, M))
    return V;
  LibraryShape Shape = L.Names.shapeOf(RD);
  if (M->getOverloadedOperator() == OO_Call &&
      (RD->isLambda() || Shape == LibraryShape::Holder ||
       Shape == LibraryShape::Pointer)) {
    O.How = Dispatch::Indirect;
    O.CalleeValue = L.load(O.Object);
    if (RD->isLambda()) {
      O.Callee = L.Table.idOf(M);
      O.IsLambda = true;
    }
  } else {
    O.Callee = L.Table.idOf(M);
  }
  if (std::optional<ExprId> V = conversion(O, M))
    return V;
  L.addArgs(O, Args, M);
  return L.emitCall(std::move(O));
}

/// An assignment of a whole object, or of what an owner points to.
std::optional<ExprId>
Lowerer::CallLowering::assignment(const Op &O, const CXXMethodDecl *M) {
  LibraryShape Shape = L.Names.shapeOf(M->getParent());
  bool Holds = Shape == LibraryShape::Holder || Shape == LibraryShape::Pointer;
  bool Copies = M->isCopyAssignmentOperator() || M->isMoveAssignmentOperator();
  // A reference to device memory stands for what is there.
  Copies &= !L.Names.isDeviceReference(M->getParent());
  if (!(Copies && (M->isDefaulted() || Shape != LibraryShape::NotLibrary)) &&
      !(M->getOverloadedOperator() == OO_Equal && Holds))
    return std::nullopt;
  ExprId V = L.argValue(Args.front(), nullptr);
  L.emitRelease(Object, O.Object, where());
  L.emitAssign(O.Object, V, where());
  if (Shape == LibraryShape::Pointer && M->isMoveAssignmentOperator())
    L.emitAssign(L.place(Args.front()), L.integer(0), where());
  return L.addrOf(O.Object);
}

/// Methods that put something into a container, an optional or an owner.
std::optional<ExprId> Lowerer::CallLowering::change(const Op &O,
                                                    const CXXMethodDecl *M) {
  const CXXRecordDecl *RD = M->getParent();
  LibraryShape Shape = L.Names.shapeOf(RD);
  StringRef Name = nameOf(M);
  ExprId P = O.Object;
  if (Shape == LibraryShape::Container && Args.size() == 1 &&
      (Name == "push_back" || Name == "emplace_back" || Name == "push")) {
    L.emitAssign(L.make({ExprKind::Elem, P, L.unknown(), None, 0, {}}),
                 L.argValue(Args.front(), nullptr), {});
  }
  if (const CXXRecordDecl *Held = L.Names.optionalOf(RD);
      Held && (Name == "emplace" || Name == "reset")) {
    L.emitDtor(RD, P, where());
    ExprId Inner = L.make({ExprKind::Elem, P, L.integer(0), None, 0, {}});
    if (Name == "emplace")
      L.constructAt(Held, Inner, E, Args);
    L.emitAssign(L.field(P, "engaged flag"), L.integer(Name == "emplace"),
                 where());
    return L.addrOf(Inner);
  }
  if (Shape != LibraryShape::Pointer || Name != "reset")
    return std::nullopt;
  ExprId V = Args.empty() || isa<CXXDefaultArgExpr>(Args.front())
                 ? L.integer(0)
                 : L.argValue(Args.front(), nullptr);
  L.emitRelease(Object, P, where());
  L.emitAssign(P, V, where());
  return L.unknown();
}

/// A conversion that asks whether there is something, or that of a lambda.
std::optional<ExprId>
Lowerer::CallLowering::conversion(const Op &O, const CXXMethodDecl *M) {
  const auto *To = dyn_cast<CXXConversionDecl>(M);
  if (!To)
    return std::nullopt;
  const CXXRecordDecl *RD = M->getParent();
  if (To->getConversionType()->isBooleanType()) {
    if (L.Names.optionalOf(RD))
      return L.load(L.field(O.Object, "engaged flag"));
    LibraryShape Shape = L.Names.shapeOf(RD);
    if (Shape == LibraryShape::Holder || Shape == LibraryShape::Pointer)
      return L.binary("bool", L.load(O.Object), None);
  }
  // Of a lambda without captures, to a function pointer.
  if (RD->isLambda())
    return L.load(O.Object);
  return std::nullopt;
}

} // namespace cudagraph
