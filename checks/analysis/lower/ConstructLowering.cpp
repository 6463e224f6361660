//===- ConstructLowering.cpp - Object construction ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstructLowering.h"
#include "ArgumentLowering.h"
#include "AtomicLowering.h"
#include "CallableTypes.h"
#include "Deleters.h"
#include "DestroyLowering.h"
#include "HandleLists.h"
#include "MoveLowering.h"
#include "QualifiedName.h"
#include "SpanOf.h"
#include "TableMarking.h"
#include "TupleLowering.h"
#include "VariantLowering.h"

using namespace clang;

namespace cudagraph {

static llvm::ArrayRef<const clang::Expr *> argsOf(const CXXConstructExpr *E) {
  return {E->getArgs(), E->getNumArgs()};
}

/// A larger list is assumed not to contain functions to call.
static constexpr unsigned MaxListed = 32;

ExprId ConstructLowering::construct(const CXXConstructExpr *E) {
  const CXXConstructorDecl *C = E->getConstructor();
  // An inherited constructor passes its arguments on.
  while (const CXXConstructorDecl *Base =
             C->getInheritedConstructor().getConstructor())
    C = Base;
  LibraryShape Shape = L.Names.shapeOf(C->getParent());
  if (C->isCopyOrMoveConstructor() && E->getNumArgs() &&
      (C->isDefaulted() || Shape != LibraryShape::NotLibrary ||
       E->isElidable()))
    return copy(E, C->isMoveConstructor() && !E->isElidable());
  ExprId Target = L.Body.Targets.find(E);
  if (Target == None)
    Target = Exprs.temporary(E);
  ExprId Result = Exprs.load(Target);
  if (Shape == LibraryShape::Holder || Shape == LibraryShape::Pointer) {
    ExprId Held = E->getNumArgs() ? L.argument(E->getArg(0)) : Exprs.integer(0);
    L.Out.assign(Target, Held, {});
    noteConverted(L, E->getType(), Held);
    if (Shape == LibraryShape::Pointer)
      Deleters(L).store(Target, argsOf(E));
    // Moved from an owner of a derived class, which is empty afterwards.
    if (E->getNumArgs() && E->getArg(0)->isXValue() &&
        C->getParamDecl(0)->getType()->isRValueReferenceType())
      if (const auto *RD = E->getArg(0)->getType()->getAsCXXRecordDecl();
          RD && L.Names.shapeOf(RD) == Shape && MoveLowering(L).owns(RD))
        L.Out.assign(L.place(E->getArg(0)), Exprs.integer(0), {});
    return Result;
  }
  if (L.Names.isOptional(C->getParent()) &&
      (E->getNumArgs() <= 1
           ? fillOptional(C->getParent(), Target,
                          E->getNumArgs() ? E->getArg(0) : nullptr)
           : isTag(E->getArg(0), "in_place_t") &&
                 emplaceOptional(C->getParent(), Target,
                                 spanOf(E->getSourceRange()),
                                 argsOf(E).drop_front())))
    return Result;
  if (VariantLowering(L).construct(C->getParent(), Target, C, argsOf(E),
                                   spanOf(E->getSourceRange())))
    return Result;
  L.Body.Results[E] = Result; // the arguments may refer back to it
  callConstructor(E, C, Target);
  return Result;
}

/// The value of a copy. If it \p Moves an owner, the source is empty
/// afterwards.
ExprId ConstructLowering::copy(const CXXConstructExpr *E, bool Moves) {
  const clang::Expr *Source = E->getArg(0);
  const auto *RD = E->getType()->getAsCXXRecordDecl();
  if (!Moves || !MoveLowering(L).owns(RD))
    return L.argument(Source);
  ExprId Taken = Exprs.temporary(E);
  L.Out.assign(Taken, L.argument(Source), {});
  MoveLowering(L).move(RD, Taken, L.place(Source), spanOf(E->getSourceRange()));
  return Exprs.load(Taken);
}

/// The value of the argument \p E of a constructor, which is passed as \p V: a
/// smart pointer that is passed by reference stands for its contents.
ExprId ConstructLowering::valueOf(const clang::Expr *E, ExprId V) {
  if (!E || V == None || Exprs[V].Kind != ExprKind::AddrOf ||
      L.Names.shapeOf(E->getType()->getAsCXXRecordDecl()) !=
          LibraryShape::Pointer)
    return V;
  return Exprs.load(Exprs[V].A);
}

/// True if the members of \p RD, such as a pair, are \p Count arguments.
static bool hasMembersOnly(const CXXRecordDecl *RD, size_t Count) {
  auto Fields = RD->fields();
  return Count >= 2 &&
         static_cast<size_t>(std::distance(Fields.begin(), Fields.end())) ==
             Count &&
         llvm::all_of(Fields, [](const FieldDecl *F) {
           return F->getAccess() == AS_public;
         });
}

/// True if \p E creates a string of the standard library from a literal, or
/// from the whole text of a variable.
static bool isText(const CXXConstructExpr *E) {
  auto IsString = [](const CXXRecordDecl *RD) {
    return RD && RD->isInStdNamespace() && RD->getIdentifier() &&
           RD->getName().starts_with("basic_string");
  };
  if (!IsString(E->getConstructor()->getParent()) || !E->getNumArgs())
    return false;
  const clang::Expr *From = E->getArg(0)->IgnoreParenImpCasts();
  QualType Type = From->getType();
  bool Whole = E->getNumArgs() == 1 || isa<CXXDefaultArgExpr>(E->getArg(1));
  return isa<clang::StringLiteral>(From) ||
         (Whole && (Type->isPointerType() ||
                    (IsString(Type->getAsCXXRecordDecl()) &&
                     !E->getConstructor()->isCopyOrMoveConstructor())));
}

void ConstructLowering::callConstructor(const CXXConstructExpr *E,
                                        const CXXConstructorDecl *C,
                                        ExprId Target) {
  Op O = callAt(spanOf(E->getSourceRange()));
  O.Callee = L.Table.idOf(C);
  O.Object = Target;
  O.Name = spanOf(E->getLocation());
  ArgumentLowering(L).add(O, argsOf(E), C);
  const FunctionInfo &Info = L.Table.info(O.Callee);
  // An optional that is created from an object of the contained class contains
  // a copy of that object.
  const CXXRecordDecl *Held = L.Names.optionalOf(C->getParent());
  bool Filled =
      Held && E->getNumArgs() == 1 &&
      declaresSameEntity(E->getArg(0)->getType()->getAsCXXRecordDecl(), Held);
  bool IsPair = C->getParent()->isInStdNamespace() &&
                hasMembersOnly(C->getParent(), E->getNumArgs());
  ExprId Parts = None;
  if (isText(E)) { // such as a key
    Parts = O.Args[0].Value;
    if (Parts != None && Exprs[Parts].Kind == ExprKind::AddrOf &&
        !E->getArg(0)->getType()->isPointerType())
      Parts = Exprs.load(Exprs[Parts].A);
  } else if (TupleLowering::sizeOf(E->getType()) == E->getNumArgs())
    Parts = TupleLowering(L).make(argsOf(E));
  else if (!Filled && !IsPair && (Info.IsSystem || !Info.HasBody))
    for (unsigned I = 0; I < O.Args.size(); ++I) {
      ExprId Part = valueOf(I < E->getNumArgs() ? E->getArg(I) : nullptr,
                            O.Args[I].Value);
      Parts = Parts == None ? Part : Exprs.binary("aggregate", Parts, Part);
    }
  // dim3 and similar types: records the constructor arguments. Information
  // about the constructor is more precise.
  if (Parts != None)
    L.Out.assign(Target, Parts, {});
  const std::vector<CallArg> Lowered = O.Args;
  if (!IsPair) // each member comes from one argument
    L.Out.call(std::move(O));
  if (ExprId From = Filled ? Lowered[0].Value : None;
      From != None && Exprs[From].Kind == ExprKind::AddrOf)
    L.Out.assign(Exprs.element(Target, Exprs.integer(0)),
                 Exprs.load(Exprs[From].A), {});
  bool OfParts = IsPair && fillMembers(C->getParent(), Target, argsOf(E));
  if (Info.IsSystem && !OfParts)
    MoveLowering(L).moveInto(L.Names.optionalOf(C->getParent())
                                 ? Exprs.element(Target, Exprs.integer(0))
                                 : None,
                             argsOf(E), Lowered, C,
                             spanOf(E->getSourceRange()));
  if (Held && (Filled || !E->getNumArgs()))
    L.Out.assign(Exprs.field(Target, EngagedFlag), Exprs.integer(Filled), {});
  if (L.Names.shapeOf(C->getParent()) == LibraryShape::Container)
    fillElements(Target, argsOf(E));
  if (AtomicLowering(L).isOne(C->getParent()))
    AtomicLowering(L).created(Target, Lowered, {});
  if (C->isDefaultConstructor() && HandleLists(L).isOne(C->getParent()))
    HandleLists(L).clear(Target);
  if (TableMarking Keys(L, C->getParent());
      C->isDefaultConstructor() && Keys.isOne())
    Keys.created(Target);
  if (L.Names.shapeOf(C->getParent()) == LibraryShape::Container)
    fillContainer(C->getParent(), Target, argsOf(E));
}

void ConstructLowering::fillContainer(
    const CXXRecordDecl *RD, ExprId Object,
    llvm::ArrayRef<const clang::Expr *> Args) {
  const CXXStdInitializerListExpr *List =
      Args.empty() ? nullptr : listOf(Args[0]);
  const auto *Array =
      List ? dyn_cast<ConstantArrayType>(
                 List->getSubExpr()->getType().getCanonicalType())
           : nullptr;
  if (!Array || Array->getSize().ugt(MaxListed))
    return;
  QualType Held = Array->getElementType();
  const FieldDecl *Mapped = nullptr;
  bool IsTable = mapsKeys(RD);
  if (const auto *Pair = IsTable ? Held->getAsCXXRecordDecl() : nullptr)
    for (const FieldDecl *Each : Pair->fields())
      Mapped = Each;
  if (IsTable && !Mapped)
    return;
  if (Mapped)
    Held = Mapped->getType();
  const auto *Class = Held->getAsCXXRecordDecl();
  if (!Held->isPointerType() &&
      !(Class && (!Class->isInStdNamespace() ||
                  L.Names.shapeOf(Class) == LibraryShape::Holder ||
                  !alternativesOf(L.Names, Class).empty())))
    return;
  ExprId From = L.place(List->getSubExpr());
  const auto *Items =
      dyn_cast<InitListExpr>(stripped(List->getSubExpr()->IgnoreImplicit()));
  for (uint64_t I = 0; I < Array->getSize().getLimitedValue(); ++I) {
    if (!Mapped) {
      ExprId Item = Exprs.element(From, Exprs.integer(I));
      L.Out.assign(Exprs.element(Object, Exprs.integer(I)), Exprs.load(Item),
                   {});
      continue;
    }
    // A pair, created in place.
    const auto *Pair = Items && I < Items->getNumInits()
                           ? dyn_cast<CXXConstructExpr>(
                                 stripped(Items->getInit(I))->IgnoreImplicit())
                           : nullptr;
    if (!Pair || Pair->getNumArgs() != 2)
      continue;
    ExprId V = L.argument(Pair->getArg(1));
    L.Out.assign(Exprs.element(Object, Exprs.unknown()), V, {});
    noteConverted(L, Held, V);
  }
}

/// Fills a container that is created from a braced list of callables: they are
/// its elements.
void ConstructLowering::fillElements(ExprId Object,
                                     llvm::ArrayRef<const clang::Expr *> Args) {
  const auto *Braces = Args.empty()
                           ? nullptr
                           : dyn_cast<CXXStdInitializerListExpr>(
                                 Args.front()->IgnoreUnlessSpelledInSource());
  const auto *List =
      Braces ? dyn_cast<InitListExpr>(Braces->getSubExpr()->IgnoreImplicit())
             : nullptr;
  if (!List)
    return;
  for (const clang::Expr *Each : List->inits()) {
    QualType T = Each->getType();
    const auto *RD = T->getAsCXXRecordDecl();
    if (T->isFunctionPointerType() || (RD && RD->isLambda()) ||
        L.Names.shapeOf(RD) == LibraryShape::Holder)
      L.Out.assign(Exprs.element(Object, Exprs.unknown()), L.argument(Each),
                   {});
  }
}

/// Fills a pair: its members are its arguments, one by one.
bool ConstructLowering::fillMembers(const CXXRecordDecl *RD, ExprId Object,
                                    llvm::ArrayRef<const clang::Expr *> Args) {
  if (!hasMembersOnly(RD, Args.size()))
    return false;
  for (auto [Field, Arg] : llvm::zip(RD->fields(), Args)) {
    ExprId Moved = MoveLowering(L).take(Arg);
    L.Out.assign(Exprs.field(Object, canonicalQualifiedName(Field)),
                 Moved == None ? L.argument(Arg) : Moved, {});
  }
  return true;
}

ExprId ConstructLowering::makePair(const CallExpr *E) {
  const CXXRecordDecl *RD = E->getType()->getAsCXXRecordDecl();
  ExprId Object = Exprs.temporary(E);
  return RD && fillMembers(RD, Object, {E->getArgs(), E->getNumArgs()})
             ? Exprs.load(Object)
             : None;
}

ExprId ConstructLowering::allocate(const CXXNewExpr *E) {
  ExprId Object = Exprs.temporary(E, /*OnHeap=*/true);
  ExprId V = Exprs.addrOf(Object);
  L.Body.Results[E] = V; // the initializer may refer back to it
  const clang::Expr *Init = E->isArray() ? nullptr : E->getInitializer();
  if (const auto *List = dyn_cast_or_null<ParenListExpr>(Init))
    Init = List->getNumExprs() == 1 ? List->getExpr(0) : nullptr;
  if (Init)
    L.init(Object, Init);
  return V;
}

ExprId ConstructLowering::makeOwner(const CallExpr *E) {
  const auto *Args = E->getDirectCallee()->getTemplateSpecializationArgs();
  if (!Args || Args->size() == 0 ||
      Args->get(0).getKind() != TemplateArgument::Type)
    return None;
  QualType Owned = Args->get(0).getAsType();
  ExprId Object = Exprs.temporary(E, /*OnHeap=*/true);
  if (Owned->isScalarType() && E->getNumArgs() <= 1) {
    L.Out.assign(Object,
                 E->getNumArgs() ? L.argument(E->getArg(0)) : Exprs.integer(0),
                 {});
    return Exprs.addrOf(Object);
  }
  const auto *RD = Owned->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition())
    return None;
  // Created from another object.
  if (E->getNumArgs() == 1 &&
      E->getArg(0)->getType()->getAsCXXRecordDecl() == RD) {
    ExprId Place = L.place(E->getArg(0));
    CallArg From;
    From.Value = Exprs.addrOf(Place);
    L.Out.assign(Object, Exprs.load(Place), {});
    MoveLowering(L).moveInto(Object, E->getArg(0), {From}, E->getDirectCallee(),
                             spanOf(E->getSourceRange()));
    return Exprs.addrOf(Object);
  }
  if (L.Names.shapeOf(RD) == LibraryShape::Holder) {
    L.Out.assign(Object,
                 E->getNumArgs() ? L.argument(E->getArg(0)) : Exprs.integer(0),
                 {});
    return Exprs.addrOf(Object);
  }
  constructAt(RD, Object, spanOf(E->getSourceRange()),
              llvm::ArrayRef(E->getArgs(), E->getNumArgs()));
  return Exprs.addrOf(Object);
}

bool ConstructLowering::constructAt(const CXXRecordDecl *RD, ExprId Object,
                                    Span Where,
                                    llvm::ArrayRef<const clang::Expr *> Args) {
  for (const CXXConstructorDecl *C : RD->ctors()) {
    if (C->isCopyOrMoveConstructor() || C->isDeleted() ||
        C->getNumParams() < Args.size() ||
        C->getMinRequiredArguments() > Args.size())
      continue;
    Op O = callAt(Where);
    O.Callee = L.Table.idOf(C);
    O.Object = Object;
    ArgumentLowering(L).add(O, Args, C);
    // A parameter that is created from a moved object takes what that owns.
    for (unsigned I = 0; I < Args.size() && I < O.Args.size(); ++I) {
      const auto *Of = Args[I]->getType()->getAsCXXRecordDecl();
      if (!Args[I]->isXValue() || Args[I]->getType().isConstQualified() ||
          C->getParamDecl(I)->getType()->isReferenceType() ||
          !MoveLowering(L).owns(Of))
        continue;
      ExprId Taken = Exprs.temporary(Args[I]);
      L.Out.assign(Taken, Exprs.load(L.place(Args[I])), {});
      MoveLowering(L).move(Of, Taken, L.place(Args[I]), Where);
      O.Args[I].Value = Exprs.load(Taken);
    }
    L.Out.call(std::move(O));
    return true;
  }
  return false;
}

} // namespace cudagraph
