//===- SeedFinder.cpp - Kernels that seed generators ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SeedFinder.h.
//
//===----------------------------------------------------------------------===//

#include "SeedFinder.h"
#include "QualifiedName.h"
#include "versions/ClangVersions.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

using namespace clang;

namespace cudagraph {

using catalogue::Role;
using Source = SeedFinder::Source;

namespace {

/// The values assigned to the local variables of a function, in any order.
using Assignments =
    llvm::DenseMap<const VarDecl *, llvm::SmallVector<const clang::Expr *, 2>>;

class AssignmentCollector : public DynamicRecursiveASTVisitor {
public:
  explicit AssignmentCollector(Assignments &To) : To(To) {}

  bool VisitBinaryOperator(BinaryOperator *E) override {
    if (E->isAssignmentOp())
      if (const auto *Ref =
              dyn_cast<DeclRefExpr>(E->getLHS()->IgnoreParenImpCasts()))
        if (const auto *VD = dyn_cast<VarDecl>(Ref->getDecl()))
          To[VD].push_back(E->getRHS());
    return true;
  }

private:
  Assignments &To;
};

/// Finds the parameters from which the value of an expression is computed; if a
/// pointer, an object, or an unknown function is involved, memory determines
/// it.
class OriginFinder : public DynamicRecursiveASTVisitor {
public:
  /// \p Lenient: calls are ignored.
  OriginFinder(const FunctionDecl *In, const Assignments &Given, bool Lenient)
      : In(In), Given(Given), Lenient(Lenient) {}

  Source Params = 0;
  bool Memory = false;

  /// If set, an element of a constant array is a position, such as the row of a
  /// batch, unless the name of the array indicates that it advances a
  /// generator.
  const catalogue::Catalogue *Positions = nullptr;

  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) override {
    return !(Memory = !Positions || !isPosition(E));
  }
  bool VisitUnaryOperator(UnaryOperator *E) override {
    Memory |= E->getOpcode() == UO_Deref;
    return !Memory;
  }
  bool VisitMemberExpr(MemberExpr *E) override {
    Memory |= E->isArrow() && !isa<CXXThisExpr>(E->getBase());
    return !Memory;
  }
  bool VisitCXXThisExpr(CXXThisExpr *) override {
    Params |= Source(1) << SeedFinder::OfObject;
    return true;
  }
  // threadIdx.x
  bool TraversePseudoObjectExpr(PseudoObjectExpr *) override { return true; }
  bool TraverseCallExpr(CallExpr *E) override { return call(E); }
  bool TraverseCXXMemberCallExpr(CXXMemberCallExpr *E) override {
    return call(E);
  }
  bool TraverseCXXOperatorCallExpr(CXXOperatorCallExpr *E) override {
    return call(E);
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) override;

private:
  bool isPosition(const ArraySubscriptExpr *E) const {
    if (!E->getType().isConstQualified() || E->getIdx()->isValueDependent() ||
        E->getIdx()->isIntegerConstantExpr(In->getASTContext()))
      return false;
    const clang::Expr *Array = E->getBase()->IgnoreParenCasts();
    llvm::StringRef Name;
    if (const auto *Ref = dyn_cast<DeclRefExpr>(Array))
      Name = Ref->getDecl()->getName();
    else if (const auto *Member = dyn_cast<MemberExpr>(Array))
      Name = Member->getMemberDecl()->getName();
    Name = Name.rtrim('_');
    Name = Name.substr(Name.rfind('_') + 1); // of state_batch_indices
    return !Name.empty() && !Positions->is(Role::SeedMemory, Name.str());
  }

  /// The result of a function of numbers depends on them; a function of an
  /// object, or without arguments, such as a clock, may return anything.
  bool call(CallExpr *E) {
    if (Lenient)
      return true;
    if (!E->getDirectCallee() || isa<CXXMemberCallExpr>(E) ||
        !E->getNumArgs() ||
        llvm::any_of(E->arguments(), [](const clang::Expr *A) {
          return !A->getType()->isArithmeticType();
        }))
      return !(Memory = true);
    return llvm::all_of(E->arguments(),
                        [&](clang::Expr *A) { return TraverseStmt(A); });
  }

  const FunctionDecl *In;
  const Assignments &Given;
  bool Lenient;
  unsigned Depth = 0;
};

bool OriginFinder::VisitDeclRefExpr(DeclRefExpr *E) {
  const auto *VD = dyn_cast<VarDecl>(E->getDecl());
  if (!VD)
    return isa<EnumConstantDecl, NonTypeTemplateParmDecl>(E->getDecl()) ||
           !(Memory = true);
  if (const auto *P = dyn_cast<ParmVarDecl>(VD);
      P && P->getDeclContext() == In) {
    unsigned I = P->getFunctionScopeIndex();
    if (I >= SeedFinder::OfObject)
      return !(Memory = true);
    Params |= Source(1) << I;
  } else if (VD->hasGlobalStorage()) {
    return VD->getType().isConstQualified() || !(Memory = true);
  } else if (!VD->hasInit() && !Given.contains(VD)) {
    return !(Memory = true);
  }
  if (++Depth > 16)
    return !(Memory = true);
  if (VD->isLocalVarDecl() && VD->hasInit())
    TraverseStmt(const_cast<clang::Expr *>(VD->getInit()));
  if (auto It = Given.find(VD); It != Given.end())
    for (const clang::Expr *Each : It->second)
      TraverseStmt(const_cast<clang::Expr *>(Each));
  --Depth;
  return !Memory;
}

} // namespace

/// Searches one function for calls that seed generators.
class SeedVisitor : public DynamicRecursiveASTVisitor {
public:
  SeedVisitor(SeedFinder &Finder, const FunctionDecl *In, unsigned Depth)
      : Finder(Finder), In(In), Depth(Depth) {
    AssignmentCollector(Given).TraverseStmt(In->getBody());
  }

  llvm::SmallVector<Source, 1> Found;

  bool VisitCallExpr(CallExpr *E) override {
    const FunctionDecl *FD = E->getDirectCallee();
    if (!FD)
      return true;
    if (E->getNumArgs() >= 4 && Finder.Names.is(FD, Role::SeedsGenerator)) {
      note({E->getArgs(), 3}, 1);
      return true;
    }
    if (Finder.Names.catalogue().is(Role::DrawsFromSeed, canonicalName(FD))) {
      noteNumbers({E->getArgs(), E->getNumArgs()}, FD);
      return true;
    }
    pass(E, FD);
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) override {
    const CXXConstructorDecl *C = E->getConstructor();
    if (!C->isCopyOrMoveConstructor() && E->getNumArgs() &&
        Finder.Names.catalogue().is(Role::DrawsFromSeed,
                                    canonicalName(C->getParent())))
      noteNumbers({E->getArgs(), E->getNumArgs()});
    return true;
  }

private:
  std::optional<Source> originOf(const clang::Expr *E, bool Lenient = false) {
    OriginFinder F(In, Given, Lenient);
    F.TraverseStmt(const_cast<clang::Expr *>(E));
    return F.Memory ? std::nullopt : std::optional<Source>(F.Params);
  }

  /// The same for a number that may be a position.
  std::optional<Source> originOfPosition(const clang::Expr *E) {
    OriginFinder F(In, Given, /*Lenient=*/false);
    F.Positions = &Finder.Names.catalogue();
    F.TraverseStmt(const_cast<clang::Expr *>(E));
    return F.Memory ? std::nullopt : std::optional<Source>(F.Params);
  }

  /// Handles the seeding of a generator with \p Args; \p Sequence is the
  /// argument that distinguishes threads.
  void note(llvm::ArrayRef<const clang::Expr *> Args, unsigned Sequence) {
    Source All = 0;
    for (unsigned I = 0; I < Args.size(); ++I) {
      std::optional<Source> One = originOf(Args[I], I == Sequence);
      if (!One)
        return;
      All |= *One;
    }
    add(All);
  }

  /// The same, for the numbers among \p Args. If \p Of names the seed among its
  /// parameters, the others may be positions.
  void noteNumbers(llvm::ArrayRef<const clang::Expr *> Args,
                   const FunctionDecl *Of = nullptr) {
    auto IsSeed = [&](unsigned I) {
      return Of && I < Of->getNumParams() &&
             Finder.Names.catalogue().is(Role::SeedName,
                                         Of->getParamDecl(I)->getName().str());
    };
    bool Named = false;
    for (unsigned I = 0; I < Args.size(); ++I)
      Named |= IsSeed(I);
    Source All = 0;
    bool Any = false;
    for (unsigned I = 0; I < Args.size(); ++I) {
      if (!Args[I]->getType()->isIntegerType() || Args[I]->isGLValue())
        continue;
      std::optional<Source> One =
          Named && !IsSeed(I) ? originOfPosition(Args[I]) : originOf(Args[I]);
      if (!One)
        return;
      Any = true;
      All |= *One;
    }
    if (Any)
      add(All);
  }

  /// Examines \p E, a call to \p FD, which may seed generators from its
  /// arguments.
  void pass(const CallExpr *E, const FunctionDecl *FD) {
    const FunctionDecl *Def = nullptr;
    if (Depth >= 8 || !FD->hasBody(Def) || Def->isDependentContext() ||
        !(FD->hasAttr<CUDADeviceAttr>() || isa<CXXMethodDecl>(FD)))
      return;
    const auto *Member = dyn_cast<CXXMemberCallExpr>(E);
    const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E);
    const auto *Method = dyn_cast<CXXMethodDecl>(FD);
    bool Shifted = Operator && Method && !Method->isStatic();
    for (Source Each : Finder.sourcesOf(Def, Depth + 1)) {
      Source All = 0;
      bool Memory = false;
      auto Use = [&](const clang::Expr *From) {
        std::optional<Source> One = From ? originOf(From) : std::nullopt;
        Memory |= !One;
        All |= One.value_or(0);
      };
      for (unsigned I = 0; I < SeedFinder::OfObject && Each >> I; ++I)
        if (Each >> I & 1)
          Use(I + Shifted < E->getNumArgs() ? E->getArg(I + Shifted) : nullptr);
      if (Each >> SeedFinder::OfObject & 1)
        Use(Member    ? Member->getImplicitObjectArgument()
            : Shifted ? E->getArg(0)
                      : nullptr);
      if (!Memory)
        add(All);
    }
  }

  void add(Source S) {
    if (!llvm::is_contained(Found, S))
      Found.push_back(S);
  }

  SeedFinder &Finder;
  const FunctionDecl *In;
  unsigned Depth;
  Assignments Given;
};

const llvm::SmallVector<Source, 1> &SeedFinder::sourcesOf(const FunctionDecl *F,
                                                          unsigned Depth) {
  auto [It, New] = Known.try_emplace(F);
  if (!New)
    return It->second;
  SeedVisitor V(*this, F, Depth);
  V.TraverseStmt(F->getBody());
  return Known[F] = std::move(V.Found);
}

bool SeedFinder::seedsGenerator(const FunctionDecl *Kernel) {
  return !sourcesOf(Kernel, 0).empty();
}

} // namespace cudagraph
