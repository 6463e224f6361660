//===- Preamble.cpp - Leading includes, parsed once -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is no preamble if the result could differ from that of a unit that
// parses everything itself. This is the case after an error, and if the headers
// leave a state that a precompiled header does not contain.
//
//===----------------------------------------------------------------------===//

#include "Preamble.h"
#include "ClangRun.h"
#include "FreshContext.h"
#include "MacroStack.h"
#include "NeedlessBody.h"
#include "ParseOnly.h"
#include "PrecompiledWriter.h"
#include "analysis/ir/Archive.h"
#include "analysis/lower/CommentMarkers.h"
#include "analysis/lower/FunctionTable.h"
#include "analysis/lower/SourceSites.h"
#include "analysis/lower/UnitContents.h"
#include "driver/support/ProcessMemory.h"
#include "support/OutputFile.h"
#include "versions/LLVMVersions.h"
#include "versions/PCHVersions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The same size as for a unit; see Frontend.cpp.
constexpr unsigned StackSize = 64u << 20;

struct Run {
  const PreambleSource &Source;
  const catalogue::Catalogue &Known;
  Preamble &Facts;
  raw_fd_stream &Out;
  RecordingDisk *Disk = nullptr;
  SkippedCode Skipped = {};
  MacroStack Macros = {};
};

/// Ends the run at the first error, because its result is unusable. The units
/// report the errors.
class StopAtError : public clang::DiagnosticConsumer {
public:
  explicit StopAtError(Run &R) : R(R) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    if (Level < clang::DiagnosticsEngine::Error)
      return;
    R.Facts.Why = "they do not parse";
    if (Info.hasSourceManager())
      R.Facts.Files = R.Disk->uses(Info.getSourceManager(), R.Source.Directory);
    CrashRecoveryContext::GetCurrent()->HandleExit(1);
  }

private:
  Run &R;
};

class Generator : public PrecompiledWriter {
public:
  Generator(clang::CompilerInstance &CI, Run &R)
      : PrecompiledWriter(CI, precompiledName(R.Source), R.Out), R(R),
        PP(CI.getPreprocessor()) {}

  void Initialize(clang::ASTContext &Context) override {
    prepareFreshContext(Context);
    const clang::SourceManager &SM = Context.getSourceManager();
    Own.emplace(SM, R.Source.Project);
    Needless.emplace(SM, *Own, R.Known);
  }

  bool shouldSkipFunctionBody(clang::Decl *D) override {
    return Needless->contains(D);
  }

  void HandleTranslationUnit(clang::ASTContext &Context) override {
    const clang::SourceManager &SM = Context.getSourceManager();
    Preamble &Facts = R.Facts;
    Facts.Files = R.Disk->uses(SM, R.Source.Directory);
    Facts.Why = obstacle(Context);
    if (!Facts.Why.empty())
      return;
    Facts.Nolint =
        SourceSites(SM, Context.getLangOpts(), /*KeepRaw=*/false).nolint(*Own);
    Facts.Skipped = R.Skipped.files(*Own);
    erase_if(Facts.Skipped,
             [&](const SkippedFile &F) { return F.Name == R.Source.Main; });
    Facts.SavedMacros = R.Macros.saved();
    Facts.Repeatable = isRepeatable(SM);
    Facts.Generators = Needless->seenGenerators();
    noteNames(SM);
    dropUncheckable();
    ContentsLog Log;
    {
      FunctionTable Functions(Context, /*Errors=*/nullptr, R.Known, &*Own);
      (void)collectContents(Functions, /*Stored=*/nullptr, &Log);
    }
    PrecompiledWriter::HandleTranslationUnit(Context);
    Facts.Usable = isComplete();
    if (Facts.Usable)
      Facts.Contents = numbered(Log, getWriter());
  }

private:
  /// The reason why units must parse the headers themselves, or empty.
  std::string obstacle(clang::ASTContext &Context) const {
    if (R.Macros.dependsOnUnit())
      return "they depend on the source that includes them";
    if (!sema().DeviceDeferredDiags.empty())
      return "errors in them depend on the called functions";
    if (!findCommentMarkers(Context.getSourceManager(), Context.getLangOpts())
             .empty())
      return "they have comments that mark a capture";
    return "";
  }

  /// Each unit would load all functions in which Clang looks for calls to
  /// functions with deferred errors. Functions without a body call nothing.
  void dropUncheckable() {
    dropDeferredChecks(sema(), [](clang::Decl *D) {
      auto *FD = dyn_cast<clang::FunctionDecl>(D);
      return FD && FD->hasSkippedBody() && !isa<clang::CXXConstructorDecl>(FD);
    });
  }

  /// True if each header that the source includes is one that Clang reads
  /// only once.
  bool isRepeatable(const clang::SourceManager &SM) const {
    for (unsigned I = 1, E = SM.local_sloc_entry_size(); I != E; ++I) {
      const clang::SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
      if (!Entry.isFile() ||
          SM.getFileID(Entry.getFile().getIncludeLoc()) != SM.getMainFileID())
        continue;
      clang::OptionalFileEntryRef File =
          Entry.getFile().getContentCache().OrigEntry;
      if (!File ||
          !PP.getHeaderSearchInfo().isFileMultipleIncludeGuarded(*File))
        return false;
    }
    return true;
  }

  /// Clang writes absolute paths without dots.
  void noteNames(const clang::SourceManager &SM) {
    for (auto It = SM.fileinfo_begin(); It != SM.fileinfo_end(); ++It) {
      StringRef Name = It->first.getName();
      SmallString<256> Path(Name);
      sys::path::make_absolute(R.Source.Directory, Path);
      sys::path::remove_dots(Path);
      if (Path != Name)
        R.Facts.Names.push_back({Path.str().str(), Name.str()});
    }
    llvm::sort(R.Facts.Names);
  }

  Run &R;
  clang::Preprocessor &PP;
  std::optional<ProjectCode> Own;
  std::optional<NeedlessBodies> Needless;
};

class Action : public clang::GeneratePCHAction {
public:
  explicit Action(Run &R) : R(R) {}

  bool BeginSourceFileAction(clang::CompilerInstance &CI) override {
    clang::Preprocessor &PP = CI.getPreprocessor();
    ignoreDebugPragmas(PP);
    R.Skipped.attach(PP);
    R.Macros.attach(PP);
    return GeneratePCHAction::BeginSourceFileAction(CI);
  }
  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &CI, StringRef) override {
    return std::make_unique<Generator>(CI, R);
  }

private:
  Run &R;
};

void run(Run &R) {
  auto Disk = makeIntrusiveRefCnt<RecordingDisk>();
  Disk->provide(R.Source.Main, R.Source.Text);
  R.Disk = Disk.get();
  StopAtError Errors(R);
  auto Adjust = [&](clang::CompilerInvocation &Invocation) {
    Invocation.getFrontendOpts().SkipFunctionBodies = true;
    // Templates are instantiated once, not in each unit.
    Invocation.getLangOpts().PCHInstantiateTemplates = true;
    parseOnly(Invocation, R.Source.Args);
  };
  (void)runClang(
      R.Source.Args, R.Source.Directory, Disk, Errors,
      [&] { return std::make_unique<Action>(R); }, Adjust);
}

template <typename A> void fields(A &Ar, Preamble &P) {
  Ar.flags(P.Usable, P.Repeatable, P.Generators);
  Ar.text(P.Why);
  Ar.num(P.Size);
  Ar.num(P.Hash);
  Ar.num(P.Number);
  Ar.list(P.Files, [&](FileUse &F) {
    Ar.text(F.Path);
    Ar.num(F.Hash);
  });
  Ar.list(P.Names, [&](std::pair<std::string, std::string> &Each) {
    Ar.text(Each.first);
    Ar.text(Each.second);
  });
  Ar.list(P.Contents, [&](StoredContext &C) {
    Ar.num(C.Id);
    Ar.list(C.Decls, [&](uint64_t &Each) { Ar.num(Each); });
  });
  Ar.list(P.SavedMacros, [&](std::string &Name) { Ar.text(Name); });
  Ar.list(P.Nolint, [&](NolintLines &File) {
    Ar.text(File.File);
    Ar.list(File.Lines, [&](std::pair<unsigned, std::string> &Line) {
      Ar.num(Line.first);
      Ar.text(Line.second);
    });
  });
  Ar.list(P.Skipped, [&](SkippedFile &File) {
    Ar.text(File.Name);
    Ar.list(File.Inclusions, [&](std::vector<SkippedFile::Range> &Ranges) {
      Ar.list(Ranges, [&](SkippedFile::Range &R) {
        Ar.num(R.first);
        Ar.num(R.second);
      });
    });
    Ar.list(File.Branches, [&](SkippedFile::Skipped &B) {
      Ar.text(B.Macro);
      Ar.flags(B.Defined, B.Branch.Otherwise);
      Ar.text(B.Branch.File);
      Ar.num(B.Branch.Line);
      Ar.num(B.Branch.EndLine);
      Ar.text(B.Branch.Condition);
      Ar.list(B.Branch.Names, [&](SkippedBranch::Calls &Each) {
        Ar.text(Each.Name);
        Ar.num(Each.Count);
        Ar.flags(Each.Qualified);
      });
    });
  });
}

} // namespace

std::string precompiledName(const PreambleSource &Source) {
  return Source.Main + ".pch";
}

/// Hashes the next \p Size bytes, which \p Read returns in parts; nothing if
/// there are fewer. The whole file would take much memory in addition to the
/// AST, as well as in each worker.
static std::optional<uint64_t>
hashOf(uint64_t Size, function_ref<ssize_t(char *, size_t)> Read) {
  SmallVector<char, 0> Part;
  Part.resize_for_overwrite(1 << 20);
  uint64_t Result = 0;
  while (Size) {
    size_t Wanted = std::min<uint64_t>(Size, Part.size()), Got = 0;
    while (Got < Wanted) {
      ssize_t More = Read(Part.data() + Got, Wanted - Got);
      if (More <= 0)
        return std::nullopt;
      Got += More;
    }
    Result = (Result ^ xxh3_64bits(StringRef(Part.data(), Wanted))) *
             0x9e3779b97f4a7c15;
    Size -= Wanted;
  }
  return Result;
}

bool isPrecompiled(sys::fs::file_t File, const Preamble &P) {
  sys::fs::file_status Status;
  if (sys::fs::status(File, Status) || Status.getSize() != P.Size)
    return false;
  return hashOf(P.Size, [&](char *Into, size_t Size) -> ssize_t {
           Expected<size_t> Got =
               sys::fs::readNativeFile(File, MutableArrayRef(Into, Size));
           if (Got)
             return *Got;
           consumeError(Got.takeError());
           return -1;
         }) == P.Hash;
}

/// Stores the size and the hash of the precompiled header in \p File; returns
/// false if it cannot be read.
static bool measure(raw_fd_stream &File, Preamble &P) {
  File.flush();
  P.Size = File.tell();
  File.seek(0);
  std::optional<uint64_t> Hash = hashOf(
      P.Size, [&](char *Into, size_t Size) { return File.read(Into, Size); });
  P.Hash = Hash.value_or(0);
  return Hash && !File.has_error();
}

std::optional<Preamble> buildPreamble(const PreambleSource &Source,
                                      const catalogue::Catalogue &Known,
                                      const std::string &Path) {
  std::optional<Preamble> Result;
  returnLargeBlocks();
  auto Build = [&](raw_fd_stream &Out) {
    Preamble &Facts = Result.emplace();
    Run R{Source, Known, Facts, Out};
    CrashRecoveryContext::Enable();
    CrashRecoveryContext Context;
    if (!Context.RunSafelyOnThread([&] { run(R); }, StackSize))
      Facts.Usable = false;
    CrashRecoveryContext::Disable();
    if (Facts.Usable)
      return measure(Out, Facts);
    if (Facts.Why.empty()) // a crash: another attempt may succeed
      Result.reset();
    return false;
  };
  if (errorToBool(support::writeOutputIf(Path, Build)))
    return std::nullopt;
  return Result;
}

std::string encodePreamble(const Preamble &P) {
  ArchiveWriter Ar;
  fields(Ar, const_cast<Preamble &>(P));
  return Ar.take();
}

bool decodePreamble(StringRef Bytes, Preamble &P) {
  ArchiveReader Ar(Bytes);
  fields(Ar, P);
  return !Ar.failed();
}

} // namespace cudagraph::driver
