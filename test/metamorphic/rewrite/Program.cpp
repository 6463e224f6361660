//===- Program.cpp - Adds the rest of a program to a unit -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting.h"
#include "versions/ClangVersions.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace cudagraph::rewrite;

namespace {

std::string qualified(const Unit &U, const NamedDecl *D) {
  PrintingPolicy Policy(U.Lang);
  Policy.SuppressUnwrittenScope = true;
  std::string Out;
  llvm::raw_string_ostream Stream(Out);
  D->printQualifiedName(Stream, Policy);
  return "::" + Out;
}

/// A call to \p F from anywhere, and its parameters.
struct Callable {
  const Function *F;
  std::vector<QualType> Types;
  std::string Object; ///< the class of a method
};

std::optional<Callable> callable(const Unit &U, const Function &F) {
  const FunctionDecl *D = F.Decl;
  if (F.Dependent || F.Lambda || D->isMain() || D->isVariadic() ||
      !D->getIdentifier() || D->getParentFunctionOrMethod() ||
      isa<CXXConstructorDecl, CXXDestructorDecl, CXXConversionDecl>(D) ||
      D->getFriendObjectKind() != Decl::FOK_None ||
      D->isFunctionTemplateSpecialization())
    return std::nullopt;
  Callable Found{&F, {}, ""};
  if (const auto *M = dyn_cast<CXXMethodDecl>(D)) {
    if (M->getAccess() != AS_public)
      return std::nullopt;
    const CXXRecordDecl *Class = M->getParent();
    if (!Class->getIdentifier() || Class->getParentFunctionOrMethod() ||
        isa<ClassTemplateSpecializationDecl>(Class))
      return std::nullopt;
    if (!M->isStatic())
      Found.Object = qualified(U, Class);
  }
  for (const ParmVarDecl *P : D->parameters()) {
    if (U.declare(P->getType(), "metaX").empty())
      return std::nullopt;
    Found.Types.push_back(P->getType());
  }
  return Found;
}

std::string callWith(const Unit &U, const Callable &C,
                     const std::vector<std::string> &Arguments) {
  std::string Out = C.Object.empty()
                        ? qualified(U, C.F->Decl)
                        : "metaObject." + C.F->Decl->getNameAsString();
  Out += "(";
  for (const std::string &Argument : Arguments)
    Out += (&Argument == &Arguments.front() ? "" : ", ") + Argument;
  return Out + ")";
}

/// A function that passes its own parameters to \p C.
std::string callerOf(const Unit &U, const Callable &C) {
  std::string Out = "void metaCaller(";
  if (!C.Object.empty())
    Out += C.Object + " &metaObject";
  std::vector<std::string> Arguments;
  for (QualType T : C.Types) {
    std::string Name = "metaP" + std::to_string(Arguments.size());
    Out += (Arguments.empty() && C.Object.empty() ? "" : ", ") +
           U.declare(T, Name);
    bool Moves = T->isRValueReferenceType() || T->isRecordType();
    Arguments.push_back(Moves ? "static_cast<" +
                                    U.declare(T.getNonReferenceType(), "") +
                                    " &&>(" + Name + ")"
                              : Name);
  }
  return Out + ") {\n  " + callWith(U, C, Arguments) + ";\n}\n";
}

/// A main() that calls all functions with values from elsewhere.
std::string mainOf(const Unit &U, bool External) {
  std::string Out = "template <class T> T metaAny();\nint main() {\n";
  bool Calls = false;
  for (const Function &F : U.functions()) {
    std::optional<Callable> C = callable(U, F);
    if (!C || (External && !F.Decl->isExternallyVisible()))
      continue;
    std::vector<std::string> Arguments;
    for (QualType T : C->Types)
      Arguments.push_back("metaAny<" + U.declare(T.getUnqualifiedType(), "") +
                          ">()");
    std::string Call = callWith(U, *C, Arguments);
    if (!C->Object.empty())
      Call = "metaAny<" + C->Object + " &>()" +
             Call.substr(sizeof("metaObject") - 1);
    Out += "  " + Call + ";\n";
    Calls = true;
  }
  return Calls ? Out + "}\n" : "";
}

bool hasMain(const Unit &U) {
  return llvm::any_of(U.functions(),
                      [](const Function &F) { return F.Decl->isMain(); });
}

unsigned endOf(const Unit &U) { return U.Old.size(); }

/// Creates edits that replace all definitions in the file except \p Kept by
/// declarations; none if a second unit cannot hold its contents.
class Stripper : public DynamicRecursiveASTVisitor {
public:
  Stripper(const Unit &U, const FunctionDecl *Kept) : U(U), Kept(Kept) {}
  std::vector<Edit> Edits;
  bool Fits = true;

  bool VisitFunctionDecl(FunctionDecl *F) override {
    if (!F->isThisDeclarationADefinition() || F->isInlined() ||
        F->isTemplated() || !F->isExternallyVisible() || F->isDefaulted() ||
        F->isDeleted() || F == Kept || isa<CXXDeductionGuideDecl>(F))
      return true;
    if (Edit *Gone = remove(F))
      Edits.push_back(*Gone);
    return true;
  }
  bool VisitVarDecl(VarDecl *V) override {
    if (!V->isFileVarDecl() ||
        !U.inMainFile(U.SM.getExpansionLoc(V->getLocation())) ||
        V->isThisDeclarationADefinition() == VarDecl::DeclarationOnly ||
        V->isConstexpr() || V->isInline() || V->isTemplated() ||
        V->getType().isConstQualified())
      return true;
    std::optional<Range> R = U.range(V->getSourceRange());
    // Two copies of an internal entity are two entities.
    if (!V->isExternallyVisible() || V->isStaticDataMember() || !R ||
        V->getType()->isUndeducedType()) {
      Fits = false;
      return true;
    }
    unsigned Name = U.SM.getFileOffset(V->getLocation());
    size_t End = U.Old.find(';', R->End);
    if (V->getInit() && V->getInitStyle() != VarDecl::CInit)
      R->End = Name + V->getName().size();
    else if (V->getInit())
      R->End = std::min<size_t>(U.Old.find('=', Name), R->End);
    if (!U.text({R->Begin, Name}).contains("extern"))
      Edits.push_back({{R->Begin, R->Begin}, Text("extern ")});
    Edits.push_back({{R->End, static_cast<unsigned>(End)}, Text()});
    Fits &= !U.text({R->Begin, static_cast<unsigned>(End)}).contains(",");
    return true;
  }

  /// An edit that turns the definition \p F into a declaration or removes it.
  Edit *remove(const FunctionDecl *F) {
    if (!U.inMainFile(U.SM.getExpansionLoc(F->getLocation())))
      return nullptr;
    std::optional<Range> Whole = U.range(F->getSourceRange());
    std::optional<Range> Body;
    if (F->getBody())
      Body = U.range(F->getBody()->getSourceRange());
    if (!Whole || !Body || F->getReturnType()->getContainedAutoType()) {
      Fits = false;
      return nullptr;
    }
    if (isa<CXXMethodDecl>(F))
      Gone = {*Whole, Text(";")};
    else
      Gone = {*Body, Text(";")};
    return &Gone;
  }

private:
  const Unit &U;
  const FunctionDecl *Kept;
  Edit Gone;
};

/// Whether \p U must remain a single unit: registrations and whole programs
/// cannot exist twice.
bool stands(const Unit &U) {
  return U.Old.contains("TORCH_LIBRARY") || U.Old.contains("PYBIND11") ||
         U.Old.contains("TVM_FFI") || U.Old.contains("XLA_FFI") || hasMain(U);
}

/// A second unit with declarations of this one's definitions and with \p Tail.
void link(const Unit &U, unsigned Offset, const std::string &Tail,
          Sites &Found) {
  Stripper Strip(U, nullptr);
  Strip.TraverseAST(U.Context);
  if (!Strip.Fits || stands(U))
    return;
  Strip.Edits.push_back({{endOf(U), endOf(U)}, Text("\n" + Tail)});
  Found.push_back({Offset, {}, Strip.Edits});
}

void insertEverywhere(const Unit &U, StringRef Helper, StringRef Inserted,
                      Sites &Found) {
  for (const Sequence &S : U.sequences())
    for (const Stmt *Each : S.Block->body()) {
      std::optional<Range> R = U.statement(Each);
      if (!R || isa<SwitchCase, NullStmt, LabelStmt>(Each))
        continue;
      // Keep the text on one line: comments may refer to the next line.
      unsigned At = U.prologue();
      Found.push_back(
          {R->Begin,
           {{{At, At}, Text(Helper)}, {{R->Begin, R->Begin}, Text(Inserted)}}});
    }
}

} // namespace

void cudagraph::rewrite::addCaller(const Unit &U, Sites &Found) {
  for (const Function &F : U.functions())
    if (std::optional<Callable> C = callable(U, F))
      Found.push_back(
          {U.SM.getFileOffset(U.SM.getExpansionLoc(F.Decl->getLocation())),
           {{{endOf(U), endOf(U)}, Text("\n" + callerOf(U, *C))}}});
}

void cudagraph::rewrite::addMain(const Unit &U, Sites &Found) {
  std::string Main = mainOf(U, false);
  if (!Main.empty() && !hasMain(U))
    Found.push_back({endOf(U), {{{endOf(U), endOf(U)}, Text("\n" + Main)}}});
}

void cudagraph::rewrite::linkCaller(const Unit &U, Sites &Found) {
  for (const Function &F : U.functions()) {
    std::optional<Callable> C = callable(U, F);
    if (C && F.Decl->isExternallyVisible())
      link(U, U.SM.getFileOffset(U.SM.getExpansionLoc(F.Decl->getLocation())),
           callerOf(U, *C), Found);
  }
}

void cudagraph::rewrite::linkMain(const Unit &U, Sites &Found) {
  std::string Main = mainOf(U, true);
  if (!Main.empty())
    link(U, endOf(U), Main, Found);
}

void cudagraph::rewrite::moveFunction(const Unit &U, Sites &Found) {
  if (stands(U))
    return;
  for (const Function &F : U.functions()) {
    if (F.Dependent || F.Lambda || F.Decl->isInlined() ||
        !F.Decl->isExternallyVisible())
      continue;
    Stripper Strip(U, F.Decl);
    Strip.TraverseAST(U.Context);
    Edit *Gone = Strip.remove(F.Decl);
    if (!Strip.Fits || !Gone)
      return;
    Found.push_back(
        {U.SM.getFileOffset(U.SM.getExpansionLoc(F.Decl->getLocation())),
         {*Gone},
         Strip.Edits});
  }
}

void cudagraph::rewrite::opaqueCall(const Unit &U, Sites &Found) {
  insertEverywhere(U, "void metaOpaque();\n", "metaOpaque(); ", Found);
}

void cudagraph::rewrite::opaqueAddress(const Unit &U, Sites &Found) {
  insertEverywhere(U, "void metaOpaque(int *p);\n",
                   "{ int metaValue = 0; metaOpaque(&metaValue); } ", Found);
}

void cudagraph::rewrite::opaqueValue(const Unit &U, Sites &Found) {
  insertEverywhere(U, "void metaOpaque(int n);\n", "metaOpaque(42); ", Found);
}
