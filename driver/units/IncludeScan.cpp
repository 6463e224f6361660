//===- IncludeScan.cpp - The includes of a unit, without parsing it -------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IncludeScan.h"
#include "ClangRun.h"
#include "analysis/ir/Archive.h"
#include "analysis/lower/ProjectCode.h"
#include "versions/ClangVersions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

namespace scan = clang::dependency_directives_scan;

/// The directives of each file, which a process searches for only once.
class Directives : public clang::DependencyDirectivesGetter {
public:
  explicit Directives(clang::FileManager &Files) : Files(Files) {}

  std::unique_ptr<DependencyDirectivesGetter>
  cloneFor(clang::FileManager &Other) override {
    return std::make_unique<Directives>(Other);
  }

  std::optional<ArrayRef<scan::Directive>>
  operator()(clang::FileEntryRef File) override {
    static auto *Known = new StringMap<std::unique_ptr<Scanned>>; // never freed
    auto Text = Files.getBufferForFile(File);
    if (!Text)
      return std::nullopt;
    // A file may differ from its state for the previous unit.
    std::string Key =
        (File.getName() + ":" + Twine(contentHash((*Text)->getBuffer()))).str();
    std::unique_ptr<Scanned> &Result = (*Known)[Key];
    if (!Result) {
      Result = std::make_unique<Scanned>();
      Result->Bad = clang::scanSourceForDependencyDirectives(
          (*Text)->getBuffer(), Result->Tokens, Result->All);
    }
    if (Result->Bad)
      return std::nullopt; // Clang reads the whole file
    return ArrayRef(Result->All);
  }

private:
  struct Scanned {
    SmallVector<scan::Token, 0> Tokens;
    SmallVector<scan::Directive, 0> All;
    bool Bad = false;
  };
  clang::FileManager &Files;
};

/// True for a header of CUDA, or of a library that uses CUDA. \p Below is its
/// path below the directory that it shares with the source.
bool isDeviceHeader(StringRef Below) {
  static const Regex Name(
      "^(cuda|cublas|cudnn|cufft|curand|cusolver|cusparse|cutensor|cufile|"
      "cupti|cudla|nccl|nvrtc|nvml|nvjpeg|nvshmem|nvtx|nvTools|npp|NvInfer|"
      "driver_types|vector_types|device_types|host_defines|mma\\.h|"
      "cooperative_groups|cutlass|cute_|hip_|rocblas|pybind11|dlpack)");
  static const StringRef Directories[] = {"torch",
                                          "ATen",
                                          "c10",
                                          "caffe2",
                                          "thrust",
                                          "cub",
                                          "cutlass",
                                          "cute",
                                          "cuda",
                                          "tvm",
                                          "xla",
                                          "pybind11",
                                          "nanobind",
                                          "cudagraph",
                                          "hip",
                                          "nvtx3",
                                          "cooperative_groups"};
  if (Name.match(sys::path::filename(Below)))
    return true;
  return any_of(
      make_range(sys::path::begin(Below), sys::path::end(Below)),
      [&](StringRef Part) { return is_contained(Directories, Part); });
}

/// \p Path without the directories that it shares with \p Source.
StringRef belowSharedDirectory(StringRef Path, StringRef Source) {
  size_t Shared = 0;
  for (size_t I = 0; I < Path.size() && I < Source.size(); ++I) {
    if (Path[I] != Source[I])
      break;
    if (Path[I] == '/')
      Shared = I + 1;
  }
  return Path.drop_front(Shared);
}

struct Run {
  UnitScan &Scan;
  StringRef Directory, Project;
  RecordingDisk *Disk = nullptr;
  bool Finished = false;
};

class Action : public clang::PreprocessOnlyAction {
public:
  explicit Action(Run &R) : R(R) {}

  void ExecuteAction() override {
    clang::CompilerInstance &CI = getCompilerInstance();
    Directives Found(CI.getFileManager());
    useDirectives(CI.getPreprocessor(), Found);
    PreprocessOnlyAction::ExecuteAction();
    for (const auto &[Text, Undefined] : CI.getPreprocessorOpts().Macros)
      R.Scan.Macros.push_back(Text);
    note(CI.getSourceManager());
    R.Finished = true;
  }

private:
  void note(const clang::SourceManager &SM) {
    R.Scan.Files = R.Disk->uses(SM, R.Directory);
    R.Scan.Plain = true;
    ProjectCode Own(SM, R.Project.str());
    std::string Main;
    for (unsigned I = 1, E = SM.local_sloc_entry_size(); I != E; ++I) {
      const clang::SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
      if (!Entry.isFile())
        continue;
      const clang::SrcMgr::ContentCache &Cache =
          Entry.getFile().getContentCache();
      if (!Cache.OrigEntry)
        continue;
      SmallString<256> Path(Cache.OrigEntry->getName());
      sys::path::make_absolute(R.Directory, Path);
      sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
      if (Main.empty())
        Main = Path.str().str();
      else if (isDeviceHeader(belowSharedDirectory(Path, Main)))
        R.Scan.Plain = false;
      auto Start = clang::SourceLocation::getFromRawEncoding(Entry.getOffset());
      if ((clang::SrcMgr::isSystem(Entry.getFile().getFileCharacteristic()) &&
           !Own.owns(Start)) ||
          any_of(R.Scan.Sources, [&](const FileUse &Known) {
            return Known.Path == Path.str();
          }))
        continue;
      auto Text = Cache.getBufferDataIfLoaded();
      if (Text)
        R.Scan.Sources.push_back({Path.str().str(), contentHash(*Text)});
    }
  }

  Run &R;
};

void run(const std::vector<std::string> &Args, Run &R) {
  auto Disk = makeIntrusiveRefCnt<RecordingDisk>();
  R.Disk = Disk.get();
  clang::DiagnosticConsumer Errors;
  auto Adjust = [](clang::CompilerInvocation &Invocation) {
    Invocation.getFrontendOpts().ProgramAction =
        clang::frontend::RunPreprocessorOnly;
  };
  if (runClang(
          Args, R.Directory, Disk, Errors,
          [&] { return std::make_unique<Action>(R); }, Adjust))
    return;
  // An include that was not found may be a CUDA header.
  if (!R.Finished || Errors.getNumErrors())
    R.Scan.Plain = false;
}

template <typename A> void fields(A &Ar, UnitScan &Scan) {
  Ar.flags(Scan.Plain);
  auto Use = [&](FileUse &F) {
    Ar.text(F.Path);
    Ar.num(F.Hash);
  };
  Ar.list(Scan.Files, Use);
  Ar.list(Scan.Sources, Use);
  Ar.list(Scan.Macros, [&](std::string &Text) { Ar.text(Text); });
}

} // namespace

UnitScan scanUnit(const std::vector<std::string> &Args,
                  const std::string &Directory, StringRef Project) {
  UnitScan Result;
  Run R{Result, Directory, Project};
  CrashRecoveryContext Context; // for this thread: recovery is not enabled
  Context.RunSafelyOnThread([&] { run(Args, R); }, 8u << 20);
  return Result;
}

std::string encodeScan(const UnitScan &Scan) {
  ArchiveWriter Ar;
  fields(Ar, const_cast<UnitScan &>(Scan));
  return Ar.take();
}

bool decodeScan(StringRef Bytes, UnitScan &Scan) {
  ArchiveReader Ar(Bytes);
  fields(Ar, Scan);
  return !Ar.failed();
}

} // namespace cudagraph::driver
