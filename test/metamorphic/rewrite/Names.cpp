//===- Names.cpp - New names for all declarations of a file ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces each identifier that the file, but no header, declares: the file
// keeps its meaning. Names that have a meaning without a definition stay: those
// of functions that are never defined, which belong to libraries, and those in
// the namespace of a library.
//
//===----------------------------------------------------------------------===//

#include "Rewriting.h"
#include "versions/ClangVersions.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace cudagraph::rewrite;

namespace {

bool isLibrary(StringRef Namespace) {
  return llvm::StringSwitch<bool>(Namespace)
      .Cases({"std", "at", "c10", "torch", "thrust", "cub", "cuda"}, true)
      .Cases({"nvcuda", "caffe2", "tvm", "xla", "pybind11", "raft"}, true)
      .Cases({"rmm", "cudnn_frontend", "cutlass", "fmt", "spdlog", "absl"},
             true)
      .Default(false);
}

/// A name by which the catalogue may identify a library that a case declares
/// itself, or the type name of a pointer to such a function, as in CUDA's
/// headers.
bool isLibraryName(StringRef Name) {
  Name.consume_front("PFN_");
  for (StringRef Prefix : {"cuda", "CUDA", "cublas", "CUBLAS", "cudnn", "cufft",
                           "curand", "cusolver", "cusparse", "nccl", "NCCL"})
    if (Name.starts_with(Prefix))
      return true;
  return Name.size() > 2 && Name.starts_with("cu") && isUppercase(Name[2]);
}

class Collector : public DynamicRecursiveASTVisitor {
public:
  explicit Collector(const Unit &U) : U(U) {}
  llvm::StringSet<> Ours, Theirs;

  bool VisitNamedDecl(NamedDecl *D) override {
    const IdentifierInfo *Name = D->getIdentifier();
    if (!Name || D->isImplicit())
      return true;
    bool Here = U.inMainFile(U.SM.getExpansionLoc(D->getLocation()));
    // A parameter or local variable in a header is not visible elsewhere.
    if (!Here && (isa<ParmVarDecl, TemplateTypeParmDecl>(D) ||
                  D->getParentFunctionOrMethod()))
      return true;
    if (Here && !meansMore(D) && !U.SM.isMacroBodyExpansion(D->getLocation()))
      Ours.insert(Name->getName());
    else
      Theirs.insert(Name->getName());
    return true;
  }

private:
  static bool meansMore(const NamedDecl *D) {
    if (const auto *N = dyn_cast<NamespaceDecl>(D))
      if (isLibrary(N->getName()))
        return true;
    for (const DeclContext *C = D->getDeclContext(); C; C = C->getParent()) {
      const auto *N = dyn_cast<NamespaceDecl>(C);
      if (N && isLibrary(N->getName()))
        return true;
    }
    const auto *F = dyn_cast<FunctionDecl>(D);
    if (!F)
      return false;
    // Theirs contains the names of methods that a library's class also has.
    return F->isMain() || F->isExternC() ||
           (!isa<CXXMethodDecl>(F) && !F->isDefined() && !F->isTemplated() &&
            !F->hasAttr<CUDAGlobalAttr>());
  }

  const Unit &U;
};

} // namespace

void cudagraph::rewrite::rename(const Unit &U, Sites &Found) {
  Collector Names(U);
  Names.TraverseAST(U.Context);
  for (const auto &Macro : U.PP.macros()) {
    const MacroInfo *Info = U.PP.getMacroInfo(Macro.first);
    if (!Info)
      continue;
    bool Here = U.inMainFile(Info->getDefinitionLoc());
    (Here ? Names.Ours : Names.Theirs).insert(Macro.first->getName());
  }
  Site New;
  llvm::StringMap<std::string> Others;
  Lexer Raw(U.SM.getLocForStartOfFile(U.SM.getMainFileID()), U.Lang,
            U.Old.begin(), U.Old.begin(), U.Old.end());
  Token Current;
  bool Directive = false, Kept = false;
  while (!Raw.LexFromRawLexer(Current)) {
    if (Current.isAtStartOfLine())
      Directive = Kept = false;
    if (Current.is(tok::hash) && Current.isAtStartOfLine()) {
      Directive = true;
      continue;
    }
    if (!Current.is(tok::raw_identifier))
      continue;
    StringRef Name = Current.getRawIdentifier();
    // The word after a hash, and the name in a pragma or an include, stay.
    if (Directive) {
      Directive = false;
      Kept = Name == "include" || Name == "pragma" || Name == "error";
      continue;
    }
    if (Kept || !Names.Ours.count(Name) || Names.Theirs.count(Name) ||
        isLibraryName(Name))
      continue;
    std::string &Other = Others[Name];
    if (Other.empty())
      Other = "v" + std::to_string(Others.size());
    unsigned At = U.SM.getFileOffset(Current.getLocation());
    New.Edits.push_back(
        {{At, At + static_cast<unsigned>(Name.size())}, Text(Other)});
  }
  // A literal has no origin, so lines that begin with a name need one.
  for (Edit &E : New.Edits)
    E.New = Text().add(E.New.pieces()[0].Literal, E.Where.Begin);
  if (!New.Edits.empty())
    Found.push_back(New);
}
