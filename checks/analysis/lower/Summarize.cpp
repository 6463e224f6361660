//===- Summarize.cpp - From an AST to a summary ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers every function that user code defines, and what those mention, and
// resolves what only the source manager knows: places, texts, NOLINT lines.
//
//===----------------------------------------------------------------------===//

#include "Summarize.h"
#include "FunctionTable.h"
#include "GlobalVariables.h"
#include "LibraryCode.h"
#include "Registrations.h"
#include "UnitContents.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Index/USRGeneration.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

using namespace clang;

namespace cudagraph {
namespace {

/// Keeps messages on one line.
std::string onOneLine(StringRef Text) {
  std::string Result;
  for (char C : Text) {
    bool Space = C == ' ' || C == '\n' || C == '\t' || C == '\r';
    if (!Space)
      Result += C;
    else if (!Result.empty() && Result.back() != ' ')
      Result += ' ';
  }
  return Result;
}

uint64_t hashOfPlace(const Place &P) {
  return llvm::xxh3_64bits(
      (P.File + ":" + Twine(P.Line) + ":" + Twine(P.Column)).str());
}

class Summarizer {
public:
  Summarizer(ASTContext &Ctx, StringRef UnitId, bool KeepRaw,
             const ParseErrors *Errors, const catalogue::Catalogue &Known)
      : Ctx(Ctx), SM(Ctx.getSourceManager()), Table(Ctx, Errors, Known),
        UnitId(UnitId), KeepRaw(KeepRaw) {}

  UnitSummary run();

private:
  FunctionKey keyOf(FunctionId F);
  FunctionKey makeKey(FunctionId F);
  Site siteOf(Span S, bool WithText) const;
  CharSourceRange fileRange(SourceRange R) const {
    return Lexer::makeFileCharRange(CharSourceRange::getTokenRange(R), SM,
                                    Ctx.getLangOpts());
  }
  std::string textOf(SourceRange R, CharSourceRange InFile) const;
  Place placeOf(SourceLocation L) const;
  void addNolint(UnitSummary &Unit) const;
  void usePerThreadDefault();

  ASTContext &Ctx;
  const SourceManager &SM;
  FunctionTable Table;
  StringRef UnitId;
  bool KeepRaw, PerThread = false;
  llvm::DenseMap<FunctionId, FunctionKey> Keys;
  llvm::DenseMap<FunctionKey, FunctionId> Taken;
};

/// Two functions of one unit never share a key, whatever the USRs say.
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
    // Never looked into: those of one name and signature are one.
    Text = Info.Name;
    Text += Info.Signature;
    return llvm::xxh3_64bits(Text);
  }
  // Whatever namespace declares it.
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
    // Lambdas and local classes: their function, and the place in it.
    PresumedLoc P = SM.getPresumedLoc(SM.getFileLoc(FD->getLocation()), false);
    Text += std::to_string(keyOf(Table.idOf(Parent)));
    if (P.isValid())
      Text += (":" + Twine(P.getLine()) + ":" + Twine(P.getColumn())).str();
    return llvm::xxh3_64bits(Text);
  }
  if (!Named || !FD->isExternallyVisible() || Info.IsLambda) {
    // What a unit has for itself is known by where it stands: units that share
    // a header share its static functions, as far as these are the same.
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

std::string Summarizer::textOf(SourceRange S, CharSourceRange R) const {
  if (R.isInvalid()) {
    // Written inside a macro: as it stands there.
    SourceLocation B = SM.getSpellingLoc(S.getBegin());
    SourceLocation E = SM.getSpellingLoc(S.getEnd());
    if (B.isInvalid() || SM.getFileID(B) != SM.getFileID(E) ||
        SM.getFileOffset(E) < SM.getFileOffset(B))
      return {};
    R = Lexer::getAsCharRange(SourceRange(B, E), SM, Ctx.getLangOpts());
  }
  return onOneLine(Lexer::getSourceText(R, SM, Ctx.getLangOpts()));
}

Place Summarizer::placeOf(SourceLocation L) const {
  PresumedLoc P = SM.getPresumedLoc(L, /*UseLineDirectives=*/false);
  if (P.isInvalid())
    return {};
  return {P.getFilename(), P.getLine(), P.getColumn()};
}

Site Summarizer::siteOf(Span S, bool WithText) const {
  Site Result;
  Location &L = Result.Loc;
  auto Begin = SourceLocation::getFromRawEncoding(S.Begin);
  SourceRange Range(Begin, SourceLocation::getFromRawEncoding(S.End));
  if (Begin.isInvalid())
    return Result;
  if (KeepRaw)
    L.Raw = S.Begin;
  Result.InMacro = Begin.isMacroID();
  CharSourceRange InFile = fileRange(Range);
  if (WithText)
    Result.Text = textOf(Range, InFile);
  // Diagnostics are shown where the token stands in a file.
  SourceLocation At = SM.getFileLoc(Begin);
  PresumedLoc P = SM.getPresumedLoc(At, /*UseLineDirectives=*/false);
  if (P.isInvalid())
    return Result;
  L.File = P.getFilename();
  L.Line = L.EndLine = P.getLine();
  L.Column = P.getColumn();
  SourceLocation End;
  if (InFile.isValid() && InFile.getBegin() == At)
    End = InFile.getEnd();
  else
    End = At.getLocWithOffset(
        Lexer::MeasureTokenLength(At, SM, Ctx.getLangOpts()));
  PresumedLoc E = SM.getPresumedLoc(End, /*UseLineDirectives=*/false);
  if (E.isValid()) {
    L.EndLine = E.getLine();
    L.EndColumn = E.getColumn();
  }
  // The way that clang-tidy looks for NOLINT.
  for (SourceLocation Out = Begin; Result.InMacro;
       Out = SM.getImmediateExpansionRange(Out).getBegin()) {
    L.Written.push_back(placeOf(SM.getSpellingLoc(Out)));
    if (!Out.isMacroID())
      break;
  }
  return Result;
}

void Summarizer::addNolint(UnitSummary &Unit) const {
  for (unsigned I = 1, E = SM.local_sloc_entry_size(); I != E; ++I) {
    const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
    if (!Entry.isFile() ||
        SrcMgr::isSystem(Entry.getFile().getFileCharacteristic()))
      continue;
    auto Start = SourceLocation::getFromRawEncoding(Entry.getOffset());
    std::optional<StringRef> Buffer =
        SM.getBufferDataOrNone(SM.getFileID(Start));
    if (!Buffer || !Buffer->contains("NOLINT"))
      continue;
    NolintLines File;
    File.File = placeOf(Start).File;
    if (llvm::any_of(Unit.Nolint,
                     [&](const NolintLines &F) { return F.File == File.File; }))
      continue;
    unsigned Number = 1;
    for (StringRef Rest = *Buffer; !Rest.empty(); ++Number) {
      auto [Line, After] = Rest.split('\n');
      if (Line.contains("NOLINT"))
        File.Lines.push_back({Number, Line.rtrim('\r').str()});
      Rest = After;
    }
    File.Lines.push_back({Number, ""}); // how long the file is
    Unit.Nolint.push_back(std::move(File));
  }
}

/// CUDA_API_PER_THREAD_DEFAULT_STREAM renames the functions: the plain name is
/// then not declared.
void Summarizer::usePerThreadDefault() {
  PerThread = Ctx.getLangOpts().GPUDefaultStream ==
              LangOptions::GPUDefaultStreamKind::PerThread;
  auto Declares = [&](const std::string &Name) {
    return !Ctx.getTranslationUnitDecl()
                ->lookup(DeclarationName(&Ctx.Idents.get(Name)))
                .empty();
  };
  for (const catalogue::NamedRole *Each :
       Table.names().catalogue().names(catalogue::Role::PerThreadProbe))
    PerThread |=
        Declares(catalogue::perThreadName(Each->Name)) && !Declares(Each->Name);
}

/// The functions that \p G mentions.
template <typename Fn> void eachMentioned(const FlowGraph &G, Fn Visit) {
  for (const Expr &E : G.Exprs)
    if ((E.Kind == ExprKind::Function || E.Kind == ExprKind::Closure) &&
        static_cast<FunctionId>(E.N) != None)
      Visit(static_cast<FunctionId>(E.N));
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Callee != None)
        Visit(O.Callee);
}

UnitSummary Summarizer::run() {
  UnitSummary Unit;
  Unit.Id = UnitId.str();
  if (auto Main = SM.getFileEntryRefForID(SM.getMainFileID()))
    Unit.MainFile = Main->getName().str();
  usePerThreadDefault();

  const UnitContents Contents = collectContents(Table);
  const std::vector<FunctionId> &Collected = Contents.Functions;
  FlowGraph Initializers = lowerInitializers(Contents.Globals, Table);
  llvm::DenseSet<FunctionId> Seen(Collected.begin(), Collected.end());
  std::vector<FunctionId> All(Collected), Work;
  auto Reach = [&](FunctionId F) {
    if (Seen.insert(F).second)
      All.push_back(F);
  };
  eachMentioned(Initializers, Reach);
  Unit.Registrations = collectRegistrations(Table, Contents);
  for (const Registration &R : Unit.Registrations)
    if (R.Function != None)
      Reach(static_cast<FunctionId>(R.Function));
  for (size_t I = 0; I < All.size(); ++I) {
    if (const FlowGraph *G = Table.graph(All[I]))
      eachMentioned(*G, Reach);
    for (FunctionId Over : FunctionInfo(Table.info(All[I])).Overrides)
      Reach(Over);
  }
  llvm::DenseSet<FunctionId> Own(Collected.begin(), Collected.end());

  std::vector<std::pair<SummaryEntry, std::string>> Entries;
  auto Key = [&](FunctionId F) { return keyOf(F); };
  auto Where = [&](Span S, bool WithText) { return siteOf(S, WithText); };
  for (FunctionId F : All) {
    SummaryEntry E;
    FunctionInfo Info = Table.info(F);
    Info.PerThread = PerThread;
    const FlowGraph *G = Table.graph(F);
    if (const FunctionDecl *FD = G ? Table.decl(F) : nullptr)
      Info.Written = hashOfPlace(placeOf(SM.getFileLoc(FD->getLocation())));
    E.Key = keyOf(F);
    E.HasGraph = G;
    E.Collected = Own.contains(F);
    std::string Bytes = encodeFunction(Info, G, Key, Where);
    if (Bytes.size() > MaxFunctionBytes) {
      Unit.Failure = "'" + Info.Name + "' is too large to be analyzed";
      E.HasGraph = false;
      Bytes = encodeFunction(Info, nullptr, Key, Where);
    }
    Entries.push_back({E, std::move(Bytes)});
  }
  // Also of what nobody here calls: another unit may.
  for (FunctionId F = 0, End = Table.size(); F < End; ++F)
    for (FunctionId Over : FunctionInfo(Table.info(F)).Overrides)
      Unit.Overrides.push_back({keyOf(F), keyOf(Over)});
  std::vector<FunctionKey> Order;
  for (const auto &[E, Bytes] : Entries)
    Order.push_back(E.Key);
  if (Initializers.Blocks.front().Ops.size()) {
    SummaryEntry E;
    E.Key = llvm::xxh3_64bits(("initializers@" + UnitId).str());
    E.Initializers = E.HasGraph = true;
    FunctionInfo Info;
    Info.Name = Info.Signature = "(initializers)";
    Info.IsStatic = Info.HasBody = true;
    Entries.push_back({E, encodeFunction(Info, &Initializers, Key, Where)});
  }

  llvm::sort(Entries, [](const auto &A, const auto &B) {
    return A.first.Key < B.first.Key;
  });
  auto Storage = std::make_shared<std::string>();
  size_t Size = 0;
  for (const auto &[E, Bytes] : Entries)
    Size += Bytes.size();
  Storage->reserve(Size);
  for (auto &[E, Bytes] : Entries) {
    *Storage += Bytes;
    E.Bytes = StringRef(*Storage).take_back(Bytes.size());
    Unit.Functions.push_back(E);
  }
  Unit.Storage = Storage;
  for (FunctionKey K : Order)
    Unit.Order.push_back(
        llvm::lower_bound(
            Unit.Functions, K,
            [](const SummaryEntry &E, FunctionKey K) { return E.Key < K; }) -
        Unit.Functions.begin());
  llvm::sort(Unit.Overrides);
  Unit.Overrides.erase(llvm::unique(Unit.Overrides), Unit.Overrides.end());
  for (Registration &R : Unit.Registrations) {
    if (R.Function != None)
      R.Function = keyOf(static_cast<FunctionId>(R.Function));
    R.At = siteOf(R.Where, /*WithText=*/false);
    R.Where = {};
  }
  addNolint(Unit);
  return Unit;
}

} // namespace

UnitSummary summarizeUnit(ASTContext &Context, StringRef UnitId, bool KeepRaw,
                          const ParseErrors *Errors,
                          const catalogue::Catalogue &Known) {
  return Summarizer(Context, UnitId, KeepRaw, Errors, Known).run();
}

} // namespace cudagraph
