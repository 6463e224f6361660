//===- FunctionTable.cpp - The functions of a translation unit ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Discovery and description of functions. Everything that depends on how a
// declaration looks (names, attributes, linkage) is decided here, once.
//
//===----------------------------------------------------------------------===//

#include "FunctionTable.h"
#include "LibraryShape.h"
#include "Lowering.h"
#include "ParseErrors.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <utility>

using namespace clang;

namespace cudagraph {

using catalogue::Role;

static std::string nameComponent(const NamedDecl *D) {
  if (const auto *C = dyn_cast<CXXConstructorDecl>(D))
    return C->getParent()->getNameAsString();
  if (const auto *C = dyn_cast<CXXDestructorDecl>(D))
    return "~" + C->getParent()->getNameAsString();
  if (const auto *R = dyn_cast<CXXRecordDecl>(D); R && R->isLambda())
    return "(lambda)";
  return D->getNameAsString();
}

std::string canonicalQualifiedName(const NamedDecl *D) {
  llvm::SmallVector<std::string, 4> Parts{nameComponent(D)};
  for (const DeclContext *DC = D->getDeclContext(); DC; DC = DC->getParent()) {
    if (const auto *NS = dyn_cast<NamespaceDecl>(DC)) {
      if (!NS->isInline() && !NS->isAnonymousNamespace())
        Parts.push_back(NS->getNameAsString());
    } else if (const auto *R = dyn_cast<RecordDecl>(DC)) {
      Parts.push_back(nameComponent(R));
    } else if (const auto *F = dyn_cast<FunctionDecl>(DC)) {
      Parts.push_back(nameComponent(F));
    }
  }
  std::string Result;
  for (const std::string &Part : llvm::reverse(Parts))
    Result += (Result.empty() ? "" : "::") + Part;
  return Result;
}

bool isInLibraryNamespace(const FunctionDecl *FD,
                          const catalogue::Catalogue &Known) {
  const DeclContext *Top = nullptr, *Second = nullptr;
  for (const DeclContext *DC = FD->getDeclContext();
       DC && !DC->isTranslationUnit(); DC = DC->getParent())
    if (isa<NamespaceDecl>(DC))
      Second = std::exchange(Top, DC);
  // C interfaces of such libraries.
  if (FD->isExternC() && FD->getDeclName().isIdentifier() &&
      Known.is(Role::LibraryFunction, FD->getName()))
    return true;
  const auto *Outer = dyn_cast_or_null<NamespaceDecl>(Top);
  if (!Outer || !Outer->getIdentifier())
    return false;
  if (Known.is(Role::LibraryNamespace, Outer->getName()))
    return true;
  const auto *Inner = dyn_cast_or_null<NamespaceDecl>(Second);
  return Inner && Inner->getIdentifier() &&
         Known.is(Role::LibraryNamespace,
                  (Outer->getName() + "::" + Inner->getName()).str());
}

bool isLibraryCode(const FunctionDecl *FD, const SourceManager &SM,
                   const catalogue::Catalogue &Known) {
  SourceLocation Loc = SM.getExpansionLoc(FD->getLocation());
  if (SM.isInSystemHeader(Loc))
    return true;
  return !SM.isInMainFile(Loc) && isInLibraryNamespace(FD, Known);
}

FunctionTable::FunctionTable(ASTContext &Ctx, const ParseErrors *Errors,
                             const catalogue::Catalogue &Known)
    : Ctx(Ctx), Errors(Errors), Names(Known) {
  static const ParseErrors None;
  if (!Errors)
    this->Errors = &None;
  collectMarkers();
}
FunctionTable::~FunctionTable() = default;

bool FunctionTable::hasErrors() const {
  return !Errors->empty() || Ctx.getDiagnostics().hasErrorOccurred();
}

FunctionId FunctionTable::idOf(const FunctionDecl *FD) {
  FD = FD->getCanonicalDecl();
  auto [It, New] = Ids.try_emplace(FD, Infos.size());
  if (!New)
    return It->second;
  FunctionId Id = It->second;
  Infos.emplace_back();
  Decls.push_back(FD);
  Graphs.emplace_back();
  Lowered.push_back(false);
  describe(FD, Infos.back());
  return Id;
}

namespace {
/// Looks for a call that seeds a generator with numbers that do not come from
/// memory.
class SeedFinder : public DynamicRecursiveASTVisitor {
public:
  explicit SeedFinder(LibraryNames &Names) : Names(Names) {}

  bool Found = false;
  bool VisitCallExpr(CallExpr *E) override {
    const FunctionDecl *FD = E->getDirectCallee();
    if (!FD || E->getNumArgs() < 4 || !Names.is(FD, Role::SeedsGenerator))
      return true;
    Found |= llvm::all_of(llvm::ArrayRef(E->getArgs(), 3), [](const Expr *A) {
      MemoryFinder F;
      F.TraverseStmt(const_cast<Expr *>(A));
      return !F.Found;
    });
    return true;
  }

private:
  LibraryNames &Names;
  using Expr = clang::Expr;
  struct MemoryFinder : DynamicRecursiveASTVisitor {
    bool Found = false;
    bool VisitArraySubscriptExpr(ArraySubscriptExpr *) override {
      return !(Found = true);
    }
    bool VisitUnaryOperator(UnaryOperator *E) override {
      Found |= E->getOpcode() == UO_Deref;
      return true;
    }
    bool VisitMemberExpr(MemberExpr *E) override {
      Found |= E->isArrow();
      return true;
    }
    bool VisitCallExpr(CallExpr *) override { return !(Found = true); }
    bool VisitDeclRefExpr(DeclRefExpr *E) override {
      const auto *VD = dyn_cast<VarDecl>(E->getDecl());
      if (!VD || (VD->getType().getNonReferenceType()->isRecordType() &&
                  !VD->hasGlobalStorage()))
        return !(Found = true); // a part of something else
      if (VD->isLocalVarDecl() && VD->hasInit() && ++Depth < 8)
        TraverseStmt(const_cast<Expr *>(VD->getInit()));
      return true;
    }
    unsigned Depth = 0;
  };
};
} // namespace

static std::string signatureOf(const FunctionDecl *FD, const std::string &Name,
                               const ASTContext &Ctx) {
  PrintingPolicy Policy(Ctx.getLangOpts());
  Policy.SuppressTagKeyword = true;
  std::string Result = Name + "(";
  for (const ParmVarDecl *P : FD->parameters()) {
    if (P != *FD->param_begin())
      Result += ", ";
    std::string T = P->getType().getCanonicalType().getAsString(Policy);
    for (const char *Space : {" *", " &"})
      for (size_t At = T.find(Space); At != std::string::npos;
           At = T.find(Space))
        T.erase(At, 1);
    Result += T;
  }
  return Result + ")";
}

/// The version that the header which declares \p FD gives itself, as a macro
/// whose value is written as a number; 0 for most.
unsigned FunctionTable::headerVersion(const FunctionDecl *FD) {
  if (!FD->getDeclName().isIdentifier() ||
      !Names.is(FD, Role::VersionedFunction))
    return 0;
  StringRef Macro =
      Names.catalogue().as(Role::VersionedFunction, canonicalQualifiedName(FD));
  const SourceManager &SM = Ctx.getSourceManager();
  FileID File = SM.getFileID(SM.getExpansionLoc(FD->getLocation()));
  auto [It, New] = HeaderVersions.try_emplace(File, 0);
  if (!New)
    return It->second;
  StringRef Rest = SM.getBufferDataOrNone(File).value_or("");
  while (!Rest.empty()) {
    StringRef Line;
    std::tie(Line, Rest) = Rest.split('\n');
    Line = Line.ltrim();
    if (!Line.consume_front("#"))
      continue;
    Line = Line.ltrim();
    if (!Line.consume_front("define"))
      continue;
    Line = Line.ltrim();
    if (Line.consume_front(Macro) &&
        !Line.ltrim().consumeInteger(10, It->second))
      break;
  }
  return It->second;
}

void FunctionTable::describe(const FunctionDecl *FD, FunctionInfo &Info) {
  const SourceManager &SM = Ctx.getSourceManager();
  Info.Name = canonicalQualifiedName(FD);
  Info.Signature = signatureOf(FD, Info.Name, Ctx);
  const FunctionDecl *Def = nullptr;
  Info.HasBody = FD->hasBody(Def) && Def;
  const FunctionDecl *Shown = Def ? Def : FD;
  Info.Where = {Shown->getLocation().getRawEncoding(),
                Shown->getLocation().getRawEncoding()};
  // What the compiler makes by itself does nothing that matters.
  Info.IsSystem = isLibraryCode(Shown, SM, Names.catalogue()) ||
                  (!Info.HasBody && FD->isDefaulted());
  Info.IsKernel = FD->hasAttr<CUDAGlobalAttr>();
  if (Info.IsKernel && Def && Def->hasBody() && !Def->isDependentContext()) {
    SeedFinder Finder(Names);
    Finder.TraverseStmt(Def->getBody());
    Info.SeedsGenerator = Finder.Found;
  }
  Info.IsDevice = Info.IsKernel || (FD->hasAttr<CUDADeviceAttr>() &&
                                    !FD->hasAttr<CUDAHostAttr>());
  Info.IsStatic =
      FD->getFormalLinkage() == Linkage::Internal || !FD->isExternallyVisible();
  Info.HeaderVersion = headerVersion(FD);
  Info.NoReturn = FD->isNoReturn();
  Info.IsConstexpr = FD->isConstexpr();
  if (FD->getNumParams())
    if (const CXXRecordDecl *RD = FD->getParamDecl(FD->getNumParams() - 1)
                                      ->getType()
                                      .getNonReferenceType()
                                      ->getAsCXXRecordDecl())
      Info.LastParam = canonicalQualifiedName(RD);
  if (const auto *M = dyn_cast<CXXMethodDecl>(FD)) {
    Info.Class = canonicalQualifiedName(M->getParent());
    // What a shared base does depends on whose it is.
    if (std::string Alias = Names.aliasOf(M->getParent()); !Alias.empty()) {
      bool Reads =
          isa<CXXConversionDecl>(M) && Names.isDeviceReference(M->getParent());
      Info.Name =
          Alias + "::" + (Reads ? "operator value_type" : nameComponent(M));
      Info.Class = std::move(Alias);
    }
    Info.IsConstructor = isa<CXXConstructorDecl>(M);
    Info.IsDestructor = isa<CXXDestructorDecl>(M);
    Info.IsLambda = M->getParent()->isLambda();
    for (const auto *A : M->getParent()->specific_attrs<AnnotateAttr>())
      Info.RegionScope |=
          A->getAnnotation() == "cudagraph::capture_region_scope";
  }
  QualType R = FD->getReturnType().getNonReferenceType().getCanonicalType();
  Info.ReturnsFlag = R->isBooleanType() || R->isEnumeralType();
  Info.ReturnsHandle = R->isPointerType() || R->isRecordType() ||
                       FD->getReturnType()->isReferenceType();
  for (const FunctionDecl *Redecl : FD->redecls())
    for (const auto *A : Redecl->specific_attrs<AnnotateAttr>()) {
      StringRef Text = A->getAnnotation();
      if (Text == "cudagraph::capture_region")
        Info.CaptureRegion = true;
      else if (Text == "cudagraph::capture_safe")
        Info.CaptureSafe = true;
      else if (Text == "cudagraph::allow")
        Info.Allowed = true;
      else if (Text.consume_front("cudagraph::capture_unsafe")) {
        Info.Unsafe = true;
        Text.consume_front(":");
        Info.UnsafeReason = Text.str();
        if (A->args_size())
          if (const auto *L = dyn_cast<clang::StringLiteral>(
                  (*A->args_begin())->IgnoreParenImpCasts()))
            Info.UnsafeReason = L->getString().str();
      }
    }
}

const FlowGraph *FunctionTable::graph(FunctionId Id) {
  if (Lowered[Id])
    return Graphs[Id].get();
  Lowered[Id] = true;
  const FunctionInfo &Info = Infos[Id];
  if (!Info.HasBody || Info.IsSystem || Info.IsDevice)
    return nullptr;
  const FunctionDecl *Def = nullptr;
  if (!Decls[Id]->hasBody(Def) || Def->isDependentContext())
    return nullptr;
  Graphs[Id] = lowerFunction(Def, *this);
  return Graphs[Id].get();
}

std::vector<FunctionId> FunctionTable::collect() {
  std::vector<FunctionId> Result;
  collectIn(Ctx.getTranslationUnitDecl(), Result);
  llvm::SmallDenseSet<FunctionId> Known;
  llvm::erase_if(Result, [&](FunctionId F) { return !Known.insert(F).second; });
  return Result;
}

void FunctionTable::collectIn(const DeclContext *DC,
                              std::vector<FunctionId> &Result) {
  for (const Decl *D : DC->decls())
    collectDecl(D, Result);
}

void FunctionTable::collectDecl(const Decl *D,
                                std::vector<FunctionId> &Result) {
  const SourceManager &SM = Ctx.getSourceManager();
  // Namespaces and linkage specifications may be reopened anywhere; all else
  // is judged by where it stands.
  if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(D)) {
    const auto *NS = dyn_cast<NamespaceDecl>(D);
    if (NS && SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())))
      return;
    // An editor looks at the main file, above headers that were compiled
    // before; what is in a library would be loaded anew after each edit.
    if (NS && NS->getDeclContext()->isTranslationUnit() &&
        NS->getIdentifier() &&
        Names.catalogue().is(Role::LibraryNamespace, NS->getName()) &&
        !SM.isInMainFile(NS->getLocation()) &&
        !llvm::is_contained(Ctx.getTraversalScope(),
                            Ctx.getTranslationUnitDecl()))
      return;
    return collectIn(cast<DeclContext>(D), Result);
  }
  if (const auto *FT = dyn_cast<FunctionTemplateDecl>(D)) {
    for (const FunctionDecl *Spec : FT->specializations())
      collectDecl(Spec, Result);
    return;
  }
  if (const auto *CT = dyn_cast<ClassTemplateDecl>(D)) {
    for (const auto *Spec : CT->specializations())
      collectDecl(Spec, Result);
    return;
  }
  if (D->isInvalidDecl() ||
      SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())))
    return;
  if (const auto *VD = dyn_cast<VarDecl>(D); VD && VD->hasInit() &&
                                             !VD->isConstexpr() &&
                                             !VD->getType()->isDependentType())
    Globals.push_back(VD);
  if (const auto *FD = dyn_cast<FunctionDecl>(D)) {
    const FunctionDecl *Def = nullptr;
    if (FD->hasBody(Def) && Def && !Def->isDependentContext())
      Result.push_back(idOf(Def));
  }
  if (const auto *M = dyn_cast<CXXMethodDecl>(D))
    for (const CXXMethodDecl *Base : M->overridden_methods()) {
      FunctionId Id = idOf(M), BaseId = idOf(Base);
      auto &Over = Infos[BaseId].Overrides;
      if (!llvm::is_contained(Over, Id))
        Over.push_back(Id);
    }
  if (const auto *RD = dyn_cast<CXXRecordDecl>(D))
    if (RD->isThisDeclarationADefinition() && !RD->isDependentContext())
      collectIn(RD, Result);
}

std::string FunctionTable::globalName(const VarDecl *VD) const {
  std::string Name = canonicalQualifiedName(VD);
  if (VD->isExternallyVisible())
    return Name;
  const SourceManager &SM = Ctx.getSourceManager();
  PresumedLoc P = SM.getPresumedLoc(SM.getFileLoc(VD->getLocation()),
                                    /*UseLineDirectives=*/false);
  std::string File = P.isValid() ? P.getFilename() : "";
  std::replace(File.begin(), File.end(), ' ', '_'); // see isSynthetic()
  return File + "::" + Name;
}

/// Adds an assignment for each function in \p Init.
void FunctionTable::storedFunctions(const clang::Expr *Init, ExprId Place,
                                    FlowGraph &G) {
  Init = Init->IgnoreImplicit()->IgnoreParenCasts()->IgnoreImplicit();
  auto Make = [&](Expr E) {
    G.Exprs.push_back(std::move(E));
    return static_cast<ExprId>(G.Exprs.size() - 1);
  };
  if (const auto *List = dyn_cast<InitListExpr>(Init)) {
    if (const InitListExpr *Semantic = List->getSemanticForm())
      List = Semantic;
    const RecordDecl *RD = List->getType()->getAsRecordDecl();
    if (!RD && !List->getType()->isArrayType())
      return;
    auto Field = RD ? RD->field_begin() : RecordDecl::field_iterator();
    // Base classes come first in the list, and are not followed.
    const auto *Class = dyn_cast_or_null<CXXRecordDecl>(RD);
    if (Class && Class->getNumBases())
      return;
    for (const clang::Expr *Each : List->inits()) {
      ExprId Part = Place;
      if (RD) {
        if (Field == RD->field_end())
          return;
        Part = Make({ExprKind::Field, Place, None, None, 0,
                     canonicalQualifiedName(*Field++)});
      }
      storedFunctions(Each, Part, G);
    }
    return;
  }
  if (const auto *UO = dyn_cast<UnaryOperator>(Init);
      UO && UO->getOpcode() == UO_AddrOf)
    Init = UO->getSubExpr()->IgnoreParenImpCasts();
  const auto *DRE = dyn_cast<DeclRefExpr>(Init);
  const auto *FD = DRE ? dyn_cast<FunctionDecl>(DRE->getDecl()) : nullptr;
  if (!FD || FD->isDependentContext())
    return;
  Op O;
  O.Place = Place;
  O.Value = Make({ExprKind::Function, None, None, None, idOf(FD), {}});
  O.ConstValue = true;
  G.Blocks.front().Ops.push_back(std::move(O));
}

FlowGraph FunctionTable::initializers() {
  FlowGraph G;
  G.Blocks.resize(1);
  for (const VarDecl *VD : Globals) {
    size_t Before = G.Exprs.size();
    size_t Ops = G.Blocks.front().Ops.size();
    G.Exprs.push_back({ExprKind::Global, None, None, None, 0, globalName(VD)});
    storedFunctions(VD->getInit(), Before, G);
    if (G.Blocks.front().Ops.size() == Ops)
      G.Exprs.resize(Before);
  }
  return G;
}

/// Recognises "cudagraph: begin-capture(stream)" and "cudagraph: end-capture"
/// in the text of a comment.
static bool parseMarker(StringRef Text, CommentMarker &M) {
  Text = Text.drop_front(2).ltrim("/*! \t");
  if (!Text.consume_front("cudagraph:"))
    return false;
  Text = Text.ltrim();
  if (Text.consume_front("begin-capture")) {
    M.Begin = true;
    Text = Text.ltrim();
    if (Text.consume_front("("))
      M.Stream = Text.take_front(Text.rfind(')')).trim().str();
    return true;
  }
  M.Begin = false;
  return Text.starts_with("end-capture");
}

void FunctionTable::collectMarkers() {
  const SourceManager &SM = Ctx.getSourceManager();
  for (unsigned I = 1, E = SM.local_sloc_entry_size(); I != E; ++I) {
    const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
    if (!Entry.isFile() ||
        SrcMgr::isSystem(Entry.getFile().getFileCharacteristic()))
      continue;
    FileID FID =
        SM.getFileID(SourceLocation::getFromRawEncoding(Entry.getOffset()));
    std::optional<StringRef> Buffer = SM.getBufferDataOrNone(FID);
    if (!Buffer || !Buffer->contains("cudagraph:"))
      continue;
    Lexer Lex(SM.getLocForStartOfFile(FID), Ctx.getLangOpts(), Buffer->begin(),
              Buffer->begin(), Buffer->end());
    Lex.SetCommentRetentionState(true);
    Token Tok;
    while (!Lex.LexFromRawLexer(Tok)) {
      if (!Tok.is(tok::comment))
        continue;
      CommentMarker M;
      M.Loc = Tok.getLocation();
      StringRef Text(SM.getCharacterData(M.Loc), Tok.getLength());
      if (parseMarker(Text, M))
        Markers.push_back(std::move(M));
    }
  }
}

} // namespace cudagraph
