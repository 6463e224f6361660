//===- Summarize.cpp - Summarizes an AST ----------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers the functions that user code defines and the functions that those
// mention. Resolves the facts that need the source manager: locations, texts,
// and NOLINT lines.
//
//===----------------------------------------------------------------------===//

#include "Summarize.h"
#include "FunctionTable.h"
#include "GlobalVariables.h"
#include "LibraryCode.h"
#include "Registrations.h"
#include "SourceSites.h"
#include "UnitContents.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Index/USRGeneration.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

using namespace clang;

namespace cudagraph {
namespace {

uint64_t hashOfPlace(const Place &P) {
  return llvm::xxh3_64bits(
      (P.File + ":" + Twine(P.Line) + ":" + Twine(P.Column)).str());
}

struct EncodedFunction {
  SummaryEntry Entry;
  std::string Bytes;
};

class Summarizer {
public:
  Summarizer(ASTContext &Ctx, StringRef UnitId, bool KeepRaw,
             const ParseErrors *Errors, const catalogue::Catalogue &Known,
             const ProjectCode *Own)
      : Ctx(Ctx), SM(Ctx.getSourceManager()),
        Sites(SM, Ctx.getLangOpts(), KeepRaw), Table(Ctx, Errors, Known, Own),
        UnitId(UnitId) {}

  UnitSummary run(StoredDecls *Stored);

private:
  FunctionKey keyOf(FunctionId F);
  FunctionKey makeKey(FunctionId F);
  bool usesPerThreadDefault();
  std::vector<FunctionId>
  reachedFrom(const UnitContents &Contents, const FlowGraph &Initializers,
              const std::vector<Registration> &Registrations);
  EncodedFunction encode(FunctionKey Key, const FunctionInfo &Info,
                         const FlowGraph *G);
  EncodedFunction encodeFunctionOf(FunctionId F, bool PerThread,
                                   std::string &Failure);
  EncodedFunction encodeInitializers(const FlowGraph &G);

  ASTContext &Ctx;
  const SourceManager &SM;
  const SourceSites Sites;
  FunctionTable Table;
  StringRef UnitId;
  llvm::DenseMap<FunctionId, FunctionKey> Keys;
  llvm::DenseMap<FunctionKey, FunctionId> Taken;
};

/// Two functions of one unit never share a key, even if their USRs are equal.
FunctionKey Summarizer::keyOf(FunctionId F) {
  if (auto It = Keys.find(F); It != Keys.end())
    return It->second;
  FunctionKey Key = makeKey(F);
  while (!Taken.try_emplace(Key, F).second || Key >= ~FunctionKey(1))
    Key = Key * 0x9E3779B97F4A7C15 + UnitId.size() + 1;
  Keys[F] = Key;
  return Key;
}

FunctionKey Summarizer::makeKey(FunctionId F) {
  const FunctionDecl *FD = Table.decl(F);
  const FunctionInfo &Info = Table.info(F);
  SmallString<256> Text;
  if (FD && Info.IsSystem &&
      isInLibraryNamespace(FD, Table.names().catalogue()) && !Table.graph(F)) {
    // Functions that are not entered: those with the same name and signature
    // count as one.
    Text = Info.Name;
    Text += Info.Signature;
    return llvm::xxh3_64bits(Text);
  }
  // In any namespace.
  if (FD && FD->isExternC() && FD->isExternallyVisible() &&
      !FD->hasAttr<OverloadableAttr>())
    return llvm::xxh3_64bits(("c:" + FD->getName()).str());
  bool Named = FD && !index::generateUSRForDecl(FD, Text);
  const auto *Parent =
      FD ? dyn_cast_or_null<FunctionDecl>(FD->getParentFunctionOrMethod())
         : nullptr;
  for (const DeclContext *DC = FD ? FD->getDeclContext() : nullptr;
       DC && !Parent; DC = DC->getParent())
    Parent = dyn_cast<FunctionDecl>(DC);
  if (Parent) {
    // For lambdas and local classes: the enclosing function, and the location
    // in it.
    PresumedLoc P = SM.getPresumedLoc(SM.getFileLoc(FD->getLocation()), false);
    Text += std::to_string(keyOf(Table.idOf(Parent)));
    if (P.isValid())
      Text += (":" + Twine(P.getLine()) + ":" + Twine(P.getColumn())).str();
    return llvm::xxh3_64bits(Text);
  }
  if (!Named || !FD->isExternallyVisible() || Info.IsLambda) {
    // A function that is private to a unit is identified by its location: units
    // that share a header share its static functions, as far as these are the
    // same.
    PresumedLoc P;
    if (FD)
      P = SM.getPresumedLoc(SM.getFileLoc(FD->getLocation()), false);
    if (P.isValid())
      Text += (Twine("@") + P.getFilename() + ":" + Twine(P.getLine()) + ":" +
               Twine(P.getColumn()))
                  .str();
    else
      Text += ("@" + UnitId).str();
  }
  return llvm::xxh3_64bits(Text);
}

/// True if stream 0 means the per-thread stream.
/// CUDA_API_PER_THREAD_DEFAULT_STREAM renames the functions, so the plain name
/// is not declared.
bool Summarizer::usesPerThreadDefault() {
  if (Ctx.getLangOpts().GPUDefaultStream ==
      LangOptions::GPUDefaultStreamKind::PerThread)
    return true;
  auto Declares = [&](const std::string &Name) {
    return !Ctx.getTranslationUnitDecl()
                ->lookup(DeclarationName(&Ctx.Idents.get(Name)))
                .empty();
  };
  return llvm::any_of(
      Table.names().catalogue().names(catalogue::Role::PerThreadProbe),
      [&](const catalogue::NamedRole *Each) {
        return Declares(catalogue::perThreadName(Each->Name)) &&
               !Declares(Each->Name);
      });
}

/// Visits the functions that \p G mentions.
template <typename Fn> void eachMentioned(const FlowGraph &G, Fn Visit) {
  for (const Expr &E : G.Exprs)
    if ((E.Kind == ExprKind::Function || E.Kind == ExprKind::Closure) &&
        static_cast<FunctionId>(E.N) != None)
      Visit(static_cast<FunctionId>(E.N));
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Callee != None)
        Visit(O.Callee);
  for (const std::vector<FunctionId> &Each : G.Handlers)
    for (FunctionId F : Each)
      Visit(F);
}

/// The functions of the summary: those of \p Contents, and the functions that
/// these and others mention.
std::vector<FunctionId>
Summarizer::reachedFrom(const UnitContents &Contents,
                        const FlowGraph &Initializers,
                        const std::vector<Registration> &Registrations) {
  std::vector<FunctionId> All = Contents.Functions;
  llvm::DenseSet<FunctionId> Seen(All.begin(), All.end());
  auto Reach = [&](FunctionId F) {
    if (Seen.insert(F).second)
      All.push_back(F);
  };
  eachMentioned(Initializers, Reach);
  for (const Registration &R : Registrations)
    if (R.Function != None)
      Reach(static_cast<FunctionId>(R.Function));
  for (size_t I = 0; I < All.size(); ++I) {
    if (const FlowGraph *G = Table.graph(All[I]))
      eachMentioned(*G, Reach);
    for (FunctionId Over : FunctionInfo(Table.info(All[I])).Overrides)
      Reach(Over);
  }
  return All;
}

EncodedFunction Summarizer::encode(FunctionKey Key, const FunctionInfo &Info,
                                   const FlowGraph *G) {
  EncodedFunction Result;
  Result.Entry.Key = Key;
  Result.Entry.HasGraph = G;
  Result.Bytes = encodeFunction(
      Info, G, [&](FunctionId F) { return keyOf(F); },
      [&](Span S, bool WithText) { return Sites.siteOf(S, WithText); });
  return Result;
}

/// If \p F is too large, sets \p Failure.
EncodedFunction Summarizer::encodeFunctionOf(FunctionId F, bool PerThread,
                                             std::string &Failure) {
  FunctionInfo Info = Table.info(F);
  Info.PerThread = PerThread;
  const FlowGraph *G = Table.graph(F);
  if (const FunctionDecl *FD = G ? Table.decl(F) : nullptr)
    Info.Written = hashOfPlace(Sites.placeOf(SM.getFileLoc(FD->getLocation())));
  FunctionKey Key = keyOf(F);
  EncodedFunction Result = encode(Key, Info, G);
  if (Result.Bytes.size() <= MaxFunctionBytes)
    return Result;
  Failure = "'" + Info.Name + "' is too large to be analyzed";
  return encode(Key, Info, nullptr);
}

EncodedFunction Summarizer::encodeInitializers(const FlowGraph &G) {
  FunctionInfo Info;
  Info.Name = Info.Signature = "(initializers)";
  Info.IsStatic = Info.HasBody = true;
  EncodedFunction Result =
      encode(llvm::xxh3_64bits(("initializers@" + UnitId).str()), Info, &G);
  Result.Entry.Initializers = true;
  return Result;
}

/// Stores \p Functions in \p Unit, sorted by their keys.
void store(std::vector<EncodedFunction> Functions, UnitSummary &Unit) {
  llvm::sort(Functions, [](const auto &A, const auto &B) {
    return A.Entry.Key < B.Entry.Key;
  });
  auto Storage = std::make_shared<std::string>();
  size_t Size = 0;
  for (const EncodedFunction &Each : Functions)
    Size += Each.Bytes.size();
  Storage->reserve(Size);
  for (EncodedFunction &Each : Functions) {
    *Storage += Each.Bytes;
    Each.Entry.Bytes = StringRef(*Storage).take_back(Each.Bytes.size());
    Unit.Functions.push_back(Each.Entry);
  }
  Unit.Storage = Storage;
}

UnitSummary Summarizer::run(StoredDecls *Stored) {
  UnitSummary Unit;
  Unit.Id = UnitId.str();
  if (auto Main = SM.getFileEntryRefForID(SM.getMainFileID()))
    Unit.MainFile = Main->getName().str();
  bool PerThread = usesPerThreadDefault();

  const UnitContents Contents = collectContents(Table, Stored);
  FlowGraph Initializers = lowerInitializers(Contents.Globals, Table);
  Unit.Registrations = collectRegistrations(Table, Contents);
  llvm::DenseSet<FunctionId> Own(Contents.Functions.begin(),
                                 Contents.Functions.end());
  std::vector<EncodedFunction> Functions;
  std::vector<FunctionKey> Order;
  for (FunctionId F : reachedFrom(Contents, Initializers, Unit.Registrations)) {
    Functions.push_back(encodeFunctionOf(F, PerThread, Unit.Failure));
    Functions.back().Entry.Collected = Own.contains(F);
    Order.push_back(Functions.back().Entry.Key);
  }
  // This includes functions without a caller here: another unit may call them.
  for (FunctionId F = 0, End = Table.size(); F < End; ++F)
    for (FunctionId Over : FunctionInfo(Table.info(F)).Overrides)
      Unit.Overrides.push_back({keyOf(F), keyOf(Over)});
  llvm::sort(Unit.Overrides);
  Unit.Overrides.erase(llvm::unique(Unit.Overrides), Unit.Overrides.end());
  if (Initializers.Blocks.front().Ops.size())
    Functions.push_back(encodeInitializers(Initializers));
  store(std::move(Functions), Unit);
  for (FunctionKey K : Order)
    Unit.Order.push_back(
        llvm::lower_bound(
            Unit.Functions, K,
            [](const SummaryEntry &E, FunctionKey K) { return E.Key < K; }) -
        Unit.Functions.begin());
  for (Registration &R : Unit.Registrations) {
    if (R.Function != None)
      R.Function = keyOf(static_cast<FunctionId>(R.Function));
    R.At = Sites.siteOf(R.Where, /*WithText=*/false);
    R.Where = {};
  }
  Unit.Nolint = Sites.nolint(Table.own());
  return Unit;
}

} // namespace

UnitSummary summarizeUnit(ASTContext &Context, StringRef UnitId, bool KeepRaw,
                          const ParseErrors *Errors,
                          const catalogue::Catalogue &Known,
                          const ProjectCode *Own, StoredDecls *Stored) {
  return Summarizer(Context, UnitId, KeepRaw, Errors, Known, Own).run(Stored);
}

} // namespace cudagraph
