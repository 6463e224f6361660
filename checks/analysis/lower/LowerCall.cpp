//===- LowerCall.cpp - Calls and their arguments --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Also of the standard library, as far as LibraryShape.h models it.
//
//===----------------------------------------------------------------------===//

#include "LibraryShape.h"
#include "Lowering.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudagraph {

using catalogue::Role;

void Lowerer::emitAssign(ExprId Place, ExprId Value, Span Where) {
  Op A;
  A.Place = Place;
  A.Value = Value;
  A.Range = Where;
  A.Implicit = true;
  Cur->Ops.push_back(std::move(A));
}

/// True for `<<` that writes to a string stream or to whatever stream the
/// function was given: formatting, not input or output.
bool Lowerer::isFormatting(const CallExpr *E) const {
  const auto *OC = dyn_cast<CXXOperatorCallExpr>(E);
  if (!OC || OC->getOperator() != OO_LessLess)
    return false;
  const clang::Expr *Left = OC;
  while (true) {
    Left = Left->IgnoreParenImpCasts();
    const auto *Inner = dyn_cast<CXXOperatorCallExpr>(Left);
    if (!Inner || Inner->getOperator() != OO_LessLess)
      break;
    Left = Inner->getArg(0);
  }
  catalogue::RoleSet Roles = Names.of(Left->getType()->getAsCXXRecordDecl());
  if (Roles.has(Role::TextStream))
    return true;
  const auto *DRE = dyn_cast<DeclRefExpr>(Left);
  const auto *VD = DRE ? dyn_cast<VarDecl>(DRE->getDecl()) : nullptr;
  return Roles.has(Role::OutputStream) && !(VD && VD->hasGlobalStorage());
}

Op Lowerer::callOp(SourceRange Range) {
  Op O;
  O.Kind = OpKind::Call;
  O.Range = spanOf(Range);
  return O;
}

ExprId Lowerer::emitCall(Op O) {
  O.ResultIndex = G.NumCalls++;
  Cur->Ops.push_back(std::move(O));
  return make({ExprKind::Result,
               None,
               None,
               None,
               static_cast<int64_t>(G.NumCalls - 1),
               {}});
}

ExprId Lowerer::argValue(const clang::Expr *Arg, const ParmVarDecl *P) {
  if (P && P->getType()->isReferenceType())
    return addrOf(place(Arg));
  if (Arg->isGLValue())
    return load(place(Arg));
  return value(Arg);
}

/// What the type of an argument of an algorithm says: an execution policy and
/// its properties, or an iterator over device memory.
uint8_t Lowerer::policyTraits(QualType T) const {
  if (!T.getNonReferenceType()->getAsCXXRecordDecl())
    return 0;
  catalogue::RoleSet Roles = Names.ofSpelling(T);
  uint8_t Traits = 0;
  for (auto [R, Bit] :
       {std::pair(Role::ExecutionPolicy, CallArg::Policy),
        std::pair(Role::OwnAllocatorPolicy, CallArg::OwnAllocator),
        std::pair(Role::NoSyncPolicy, CallArg::NoSync),
        std::pair(Role::DeviceIterator, CallArg::OnDevice)})
    if (Roles.has(R))
      Traits |= Bit;
  return Traits;
}

bool Lowerer::isTensor(QualType T) const {
  return Names.isTensor(T.getNonReferenceType()->getAsCXXRecordDecl());
}

/// "device type" or "scalar type" for an enumeration whose numbers mean nothing
/// without their type; else null.
const char *Lowerer::tensorEnum(QualType T) const {
  const auto *E = T.getNonReferenceType()->getAs<EnumType>();
  if (!E)
    return nullptr;
  catalogue::RoleSet Roles = Names.of(E->getDecl());
  return Roles.has(Role::DeviceTypeEnum)   ? "device type"
         : Roles.has(Role::ScalarTypeEnum) ? "scalar type"
                                           : nullptr;
}

/// The number of an enumerator that \p E names, also by reference.
ExprId Lowerer::enumerator(const clang::Expr *E) {
  clang::Expr::EvalResult R;
  if (!E->isValueDependent() && E->EvaluateAsRValue(R, Ctx) && R.Val.isInt())
    return integer(R.Val.getInt().getExtValue());
  return E->isGLValue() ? load(place(E)) : value(E);
}

/// Adds the tensors in \p E, which is made of braces, to \p O.
void Lowerer::addTensors(Op &O, const clang::Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (isTensor(E->getType())) {
    CallArg Arg;
    Arg.Value = argValue(E, nullptr);
    Arg.Sort = CallArg::Tensor;
    O.Config.push_back(Arg);
    return;
  }
  for (const Stmt *Child : E->children())
    if (const auto *Each = dyn_cast_or_null<clang::Expr>(Child))
      addTensors(O, Each);
}

/// True if \p E is, or converts, an initialiser list.
static bool hasBraces(const clang::Expr *E, unsigned Depth = 0) {
  if (isa<InitListExpr, CXXStdInitializerListExpr>(E))
    return true;
  if (Depth > 8 || isa<CallExpr, LambdaExpr>(E))
    return false;
  return llvm::any_of(E->children(), [&](const Stmt *Child) {
    const auto *Each = dyn_cast_or_null<clang::Expr>(Child);
    return Each && hasBraces(Each, Depth + 1);
  });
}

void Lowerer::addArgs(Op &O, llvm::ArrayRef<const clang::Expr *> Args,
                      const FunctionDecl *Callee) {
  catalogue::RoleSet Roles = Names.of(Callee);
  unsigned I = 0;
  for (const clang::Expr *A : Args) {
    const ParmVarDecl *P = Callee && I < Callee->getNumParams()
                               ? Callee->getParamDecl(I)
                               : nullptr;
    CallArg Arg;
    Arg.Value = argValue(A, P);
    Arg.IsStream = Names.isStream(A->getType());
    if (P && (P->getType()->isPointerType() || P->getType()->isReferenceType()))
      Arg.Written = !P->getType()->getPointeeType().isConstQualified();
    if (Roles.has(Role::TakesPolicy))
      Arg.Thrust = policyTraits(A->getType());
    QualType T = P ? P->getType() : A->getType();
    const CXXRecordDecl *RD = A->getType()->getAsCXXRecordDecl();
    bool IsTensor = isTensor(A->getType());
    bool IsOptions = Names.of(RD).has(Role::TensorOptions);
    if (const char *Kind = tensorEnum(A->getType());
        Kind && Callee && !isa<CXXDefaultArgExpr>(A))
      Arg.Value = binary(Kind, enumerator(A), None);
    bool IsMade =
        Roles.has(Role::TensorLists) && RD && !IsTensor && hasBraces(A);
    if (IsMade)
      addTensors(O, A);
    Arg.Sort = IsOptions ? CallArg::TensorOptions
               : IsMade  ? CallArg::Braces
               : T->isArithmeticType() || T->isEnumeralType() ? CallArg::Scalar
               : T->isPointerType()                           ? CallArg::Pointer
               : IsTensor                                     ? CallArg::Tensor
               : T->isRecordType()                            ? CallArg::Class
                                                              : CallArg::Other;
    if (!isa<CXXDefaultArgExpr>(A))
      Arg.Range = spanOf(A->getSourceRange());
    O.Args.push_back(Arg);
    ++I;
  }
}

/// Library members that denote storage: elements, pointees, the argument of a
/// forwarding function. Returns None where \p E is none of these.
ExprId Lowerer::modelledPlace(const CallExpr *E) {
  const FunctionDecl *FD = E->getDirectCallee();
  if (ExprId P = deviceElements(E); P != None)
    return P;
  if (!FD || !FD->isInStdNamespace()) {
    const auto *M = dyn_cast_or_null<CXXMethodDecl>(FD);
    if (!M || Names.shapeOf(M->getParent()) == LibraryShape::NotLibrary)
      return None;
  }
  const auto *M = dyn_cast<CXXMethodDecl>(FD);
  if (!M || M->isStatic()) {
    if (!FD->getDeclName().isIdentifier() || E->getNumArgs() == 0)
      return None;
    bool Transparent = llvm::StringSwitch<bool>(FD->getName())
                           .Cases({"move", "forward", "as_const"}, true)
                           .Cases({"forward_like", "get", "launder"}, true)
                           .Default(false);
    return Transparent ? place(E->getArg(0)) : None;
  }
  const clang::Expr *Object = nullptr;
  const clang::Expr *Index = nullptr;
  if (const auto *MC = dyn_cast<CXXMemberCallExpr>(E)) {
    Object = MC->getImplicitObjectArgument();
    Index = MC->getNumArgs() ? MC->getArg(0) : nullptr;
  } else if (const auto *OC = dyn_cast<CXXOperatorCallExpr>(E)) {
    Object = OC->getArg(0);
    Index = OC->getNumArgs() > 1 ? OC->getArg(1) : nullptr;
  }
  if (!Object)
    return None;
  LibraryShape Shape = Names.shapeOf(M->getParent());
  auto ObjectPlace = [&] {
    return Object->getType()->isPointerType() ? deref(value(Object))
                                              : place(Object);
  };
  OverloadedOperatorKind Kind = M->getOverloadedOperator();
  StringRef Name = M->getDeclName().isIdentifier() ? M->getName() : StringRef();
  bool Deref = Kind == OO_Star || Kind == OO_Arrow || Name == "get";
  if ((Shape == LibraryShape::Pointer || Shape == LibraryShape::Iterator) &&
      Deref)
    return deref(load(ObjectPlace()));
  if (Shape == LibraryShape::Iterator &&
      (Kind == OO_PlusPlus || Kind == OO_MinusMinus))
    return ObjectPlace();
  if (Shape == LibraryShape::View) {
    // Only the elements are elsewhere; the rest is the view's own.
    if (Name == "end" ||
        !(Kind == OO_Subscript || Name == "at" || Name == "data" ||
          Name == "begin" || Name == "front" || Name == "back"))
      return None;
    ExprId Elements = load(ObjectPlace());
    ExprId I = Name == "data" || Name == "begin" ? integer(0) : unknown();
    return make({ExprKind::PtrElem, Elements, I, None, 0, {}});
  }
  if (Kind == OO_Subscript || Name == "at") {
    ExprId I = Index ? argValue(Index, nullptr) : unknown();
    ExprId P = ObjectPlace();
    return make({ExprKind::Elem, P, I, None, 0, {}});
  }
  bool Element = Deref || llvm::StringSwitch<bool>(Name)
                              .Cases({"front", "back", "value"}, true)
                              .Cases({"data", "begin", "end", "c_str"}, true)
                              .Cases({"top", "emplace_back"}, true)
                              .Default(false);
  if (Shape == LibraryShape::Container && Element && Name != "emplace_back") {
    ExprId P = ObjectPlace();
    // The end is nowhere in particular, so that it differs from the begin.
    if (Name == "end")
      return None;
    ExprId I = Deref || Name == "value" || Name == "data" || Name == "c_str"
                   ? integer(0)
                   : unknown();
    return make({ExprKind::Elem, P, I, None, 0, {}});
  }
  return None;
}

/// The device memory that an object of a library owns, where \p E asks for its
/// address. A tensor refers to its memory, and others may, too.
ExprId Lowerer::deviceElements(const CallExpr *E) {
  const auto *MC = dyn_cast<CXXMemberCallExpr>(E);
  const clang::Expr *Object = MC ? MC->getImplicitObjectArgument() : nullptr;
  const CXXMethodDecl *M = MC ? MC->getMethodDecl() : nullptr;
  if (!Object || !M || !Names.is(M, Role::DeviceAddress))
    return None;
  const clang::Expr *Owner = Object->IgnoreParenImpCasts();
  QualType T = Owner->getType();
  if (T->isPointerType())
    T = T->getPointeeType();
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  if (!Names.ownsDeviceMemory(RD))
    return None;
  ExprId P =
      Owner->getType()->isPointerType() ? deref(value(Owner)) : place(Owner);
  if (Names.isTensor(RD))
    return field(deref(load(P)), "device elements");
  return make({ExprKind::Elem, P, integer(0), None, 0, {}});
}

/// The static method of the class `Class` that \p FD, if it is one of a
/// library's template `Function<Class>` that does so, calls.
const FunctionDecl *Lowerer::forwardOf(const FunctionDecl *FD) const {
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(FD);
  if (!M || !M->isStatic() || !Names.is(M, Role::CallsForward))
    return nullptr;
  StringRef Forward =
      Names.catalogue().as(Role::CallsForward, canonicalQualifiedName(M));
  const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(M->getParent());
  if (!Spec || Spec->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return nullptr;
  const CXXRecordDecl *RD =
      Spec->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition())
    return nullptr;
  for (const CXXMethodDecl *Each : RD->getDefinition()->methods())
    if (Each->isStatic() && Each->getDeclName().isIdentifier() &&
        Each->getName() == Forward && Each->getNumParams())
      return Each;
  return nullptr;
}

ExprId Lowerer::placeOfCall(const CallExpr *E) {
  if (ExprId P = modelledPlace(E); P != None) {
    if (E->isGLValue() || E->getType()->isPointerType() ||
        E->getType()->isRecordType())
      return P;
  }
  return deref(lowerCall(E));
}

ExprId Lowerer::lowerCall(const CallExpr *E) {
  if (auto It = Calls.find(E); It != Calls.end())
    return It->second;
  auto Done = [&](ExprId V) {
    Calls[E] = V;
    return V;
  };
  const FunctionDecl *FD = E->getDirectCallee();
  if (FD) {
    if (unsigned Builtin = FD->getBuiltinID();
        Builtin && FD->getName().starts_with("__builtin_")) {
      if (Builtin == Builtin::BI__builtin_expect)
        return Done(value(E->getArg(0)));
      if (Builtin == Builtin::BI__builtin_addressof)
        return Done(addrOf(place(E->getArg(0))));
      return Done(unknown());
    }
    StringRef Name =
        FD->getDeclName().isIdentifier() ? FD->getName() : StringRef();
    bool InStd = FD->isInStdNamespace();
    if (InStd && (Name == "make_unique" || Name == "make_shared"))
      if (ExprId V = smartPointerMake(E); V != None)
        return Done(V);
    if (InStd && Name == "addressof")
      return Done(addrOf(place(E->getArg(0))));
    if (InStd && Name == "swap" && E->getNumArgs() == 2) {
      ExprId A = place(E->getArg(0)), B = place(E->getArg(1)), T = temp(E);
      emitAssign(T, load(A), {});
      emitAssign(A, load(B), {});
      emitAssign(B, load(T), {});
      // Two members of one object take turns.
      if (A != B && G.Exprs[A].Kind == ExprKind::Field &&
          G.Exprs[B].Kind == ExprKind::Field && G.Exprs[A].A == G.Exprs[B].A)
        for (size_t I = 1; I <= 2; ++I) {
          Op &O = Cur->Ops[Cur->Ops.size() - I];
          O.Kind = OpKind::Modify;
          O.Implicit = false;
          O.Range = spanOf(E->getSourceRange());
        }
      return Done(unknown());
    }
    if (InStd && (Name == "ref" || Name == "cref"))
      return Done(addrOf(place(E->getArg(0))));
  }
  // The address of what it points to.
  if (E->getNumArgs() == 1 && Names.is(FD, Role::PassesThrough))
    return Done(argValue(E->getArg(0), nullptr));
  if (ExprId P = modelledPlace(E); P != None) {
    if (E->isGLValue())
      return Done(addrOf(P));
    if (E->getType()->isPointerType() || E->getType()->isRecordType())
      return Done(addrOf(P)); // get(), operator->, data(), begin()
  }

  if (const auto *OC = dyn_cast<CXXOperatorCallExpr>(E);
      OC && OC->getNumArgs() == 2 &&
      (OC->getOperator() == OO_EqualEqual ||
       OC->getOperator() == OO_ExclaimEqual)) {
    // A smart pointer or a std::function compared with null.
    auto Holds = [&](const clang::Expr *X) {
      LibraryShape Shape = Names.shapeOf(X->getType()->getAsCXXRecordDecl());
      return Shape == LibraryShape::Holder || Shape == LibraryShape::Pointer;
    };
    auto IsNull = [&](const clang::Expr *X) {
      return X->getType()->isNullPtrType();
    };
    for (unsigned I : {0u, 1u})
      if (Holds(OC->getArg(I)) && IsNull(OC->getArg(1 - I)))
        return Done(binary(OC->getOperator() == OO_EqualEqual ? "==" : "!=",
                           load(place(OC->getArg(I))), integer(0)));
  }
  if (const FunctionDecl *Forward = forwardOf(FD)) {
    // apply(x, ...) calls forward(context, x, ...).
    Op O = callOp(E->getSourceRange());
    O.Callee = Table.idOf(Forward);
    O.Args.push_back({unknown(), {}, false});
    for (unsigned I = 0; I < E->getNumArgs(); ++I) {
      CallArg Arg;
      Arg.Value = argValue(E->getArg(I), I + 1 < Forward->getNumParams()
                                             ? Forward->getParamDecl(I + 1)
                                             : nullptr);
      Arg.Range = spanOf(E->getArg(I)->getSourceRange());
      O.Args.push_back(Arg);
    }
    return Done(emitCall(std::move(O)));
  }
  if (isFormatting(E))
    return Done(E->isGLValue() ? addrOf(place(E->getArg(0))) : unknown());

  Op O = callOp(E->getSourceRange());
  O.CloseParen = spanOf(E->getRParenLoc());
  O.Discarded = Discarded.count(E);
  llvm::ArrayRef<const clang::Expr *> Args(E->getArgs(), E->getNumArgs());
  const clang::Expr *Callee = E->getCallee()->IgnoreParenImpCasts();
  O.Name = spanOf(Callee->getExprLoc());
  if (const auto *ME = dyn_cast<MemberExpr>(Callee))
    O.Name = spanOf(ME->getMemberLoc());

  if (const auto *K = dyn_cast<CUDAKernelCallExpr>(E)) {
    O.How = Dispatch::Kernel;
    const CallExpr *Config = K->getConfig();
    addArgs(O, llvm::ArrayRef(Config->getArgs(), Config->getNumArgs()),
            Config->getDirectCallee());
    O.Config = std::move(O.Args);
    O.Args.clear();
    O.CloseParen = spanOf(Config->getRParenLoc());
    if (FD)
      O.Callee = Table.idOf(FD);
    addArgs(O, Args, FD);
    return Done(emitCall(std::move(O)));
  }

  if (const auto *PM = dyn_cast<BinaryOperator>(Callee);
      PM && PM->isPtrMemOp()) {
    // (object.*pointer)(...)
    O.How = Dispatch::Indirect;
    O.CalleeValue = value(PM->getRHS());
    O.Object = PM->getOpcode() == BO_PtrMemI ? deref(value(PM->getLHS()))
                                             : place(PM->getLHS());
    addArgs(O, Args, nullptr);
    return Done(emitCall(std::move(O)));
  }

  const auto *M = dyn_cast_or_null<CXXMethodDecl>(FD);
  const clang::Expr *Object = nullptr;
  if (const auto *MC = dyn_cast<CXXMemberCallExpr>(E)) {
    Object = MC->getImplicitObjectArgument();
    if (M && M->isVirtual() && Object) {
      const auto *ME = dyn_cast<MemberExpr>(Callee);
      if (!(ME && ME->hasQualifier())) {
        if (const CXXMethodDecl *Final = M->getDevirtualizedMethod(
                Object->IgnoreParenImpCasts(), /*IsAppleKext=*/false))
          M = Final;
        else
          O.How = Dispatch::Virtual;
      }
    }
  } else if (isa<CXXOperatorCallExpr>(E) && M && !M->isStatic() &&
             !Args.empty()) {
    Object = Args.front();
    Args = Args.drop_front();
  }
  if (M && Object) {
    const CXXRecordDecl *RD = M->getParent();
    ExprId P = Object->getType()->isPointerType() ? deref(value(Object))
                                                  : place(Object);
    O.Object = P;
    O.ObjectRange = spanOf(Object->getSourceRange());
    LibraryShape Shape = Names.shapeOf(RD);
    bool Copies =
        M->isCopyAssignmentOperator() || M->isMoveAssignmentOperator();
    Copies &= !Names.isDeviceReference(RD); // that is what they stand for
    if ((Copies && (M->isDefaulted() || Shape != LibraryShape::NotLibrary)) ||
        (M->getOverloadedOperator() == OO_Equal &&
         (Shape == LibraryShape::Holder || Shape == LibraryShape::Pointer))) {
      Span Where = spanOf(E->getSourceRange());
      ExprId V = argValue(Args.front(), nullptr);
      emitRelease(Object, P, Where);
      emitAssign(P, V, Where);
      if (Shape == LibraryShape::Pointer && M->isMoveAssignmentOperator())
        emitAssign(place(Args.front()), integer(0), Where);
      return Done(addrOf(P));
    }
    StringRef Name =
        M->getDeclName().isIdentifier() ? M->getName() : StringRef();
    if (Shape == LibraryShape::Container && Args.size() == 1 &&
        (Name == "push_back" || Name == "emplace_back" || Name == "push")) {
      emitAssign(make({ExprKind::Elem, P, unknown(), None, 0, {}}),
                 argValue(Args.front(), nullptr), {});
    }
    if (const CXXRecordDecl *Held = Names.optionalOf(RD);
        Held && (Name == "emplace" || Name == "reset")) {
      Span Where = spanOf(E->getSourceRange());
      emitDtor(RD, P, Where);
      ExprId Inner = make({ExprKind::Elem, P, integer(0), None, 0, {}});
      if (Name == "emplace")
        constructAt(Held, Inner, E, Args);
      emitAssign(field(P, "engaged flag"), integer(Name == "emplace"), Where);
      return Done(addrOf(Inner));
    }
    if (Shape == LibraryShape::Pointer && Name == "reset") {
      Span Where = spanOf(E->getSourceRange());
      ExprId V = Args.empty() || isa<CXXDefaultArgExpr>(Args.front())
                     ? integer(0)
                     : argValue(Args.front(), nullptr);
      emitRelease(Object, P, Where);
      emitAssign(P, V, Where);
      return Done(unknown());
    }
    if (M->getOverloadedOperator() == OO_Call &&
        (RD->isLambda() || Shape == LibraryShape::Holder ||
         Shape == LibraryShape::Pointer)) {
      O.How = Dispatch::Indirect;
      O.CalleeValue = load(P);
      if (RD->isLambda()) {
        O.Callee = Table.idOf(M);
        O.IsLambda = true;
      }
    } else {
      O.Callee = Table.idOf(M);
    }
    if (const auto *To = dyn_cast<CXXConversionDecl>(M);
        To && To->getConversionType()->isBooleanType()) {
      if (Names.optionalOf(RD))
        return Done(load(field(P, "engaged flag")));
      if (Shape == LibraryShape::Holder || Shape == LibraryShape::Pointer)
        return Done(binary("bool", load(P), None));
    }
    if (RD->isLambda() && isa<CXXConversionDecl>(M)) {
      // Conversion of a captureless lambda to a function pointer.
      return Done(load(P));
    }
    addArgs(O, Args, M);
    return Done(emitCall(std::move(O)));
  }
  if (FD) {
    O.Callee = Table.idOf(FD);
  } else {
    O.How = Dispatch::Indirect;
    O.CalleeValue = value(E->getCallee());
  }
  addArgs(O, Args, FD);
  return Done(emitCall(std::move(O)));
}

} // namespace cudagraph
