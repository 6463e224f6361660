//===- Toolchain.cpp - The CUDA toolkit and Clang's own headers -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Toolchain.h"
#include "driver/support/Errors.h"
#include "driver/support/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The directory of Clang's programs: of the LLVM used for the build, or of an
/// installed Clang of that version.
std::string findClangDir() {
  std::string Built = joinPath(CUDAGRAPH_LLVM_PREFIX, "bin");
  if (sys::fs::can_execute(joinPath(Built, "clang++")))
    return Built;
  if (auto Path = sys::findProgramByName("clang-" CUDAGRAPH_LLVM_MAJOR_STRING))
    if (std::string Dir(sys::path::parent_path(realPath(*Path)));
        sys::fs::can_execute(joinPath(Dir, "clang++")))
      return Dir;
  return "";
}

/// Returns the path with which \p Compiler can be run here. Only Clang of the
/// same version can read the builtin headers.
std::string runnableClang(StringRef Compiler, StringRef ClangDir) {
  StringRef Name =
      sys::path::filename(Compiler).rtrim("0123456789.").rtrim('-');
  if (ClangDir.empty() || !(Name == "clang" || Name == "clang++"))
    return Compiler.str();
  return joinPath(ClangDir, Name);
}

bool hasOption(ArrayRef<std::string> Args, StringRef Name) {
  return is_contained(Args, Name);
}

bool hasPrefix(ArrayRef<std::string> Args, StringRef Prefix) {
  return any_of(Args, [&](StringRef A) { return A.starts_with(Prefix); });
}

/// Adds \p Dir, unless the command was completed before and already has it.
void addSystemDir(ArrayRef<std::string> Given, const std::string &Dir,
                  std::vector<std::string> &Args) {
  for (size_t I = 0; I + 1 < Given.size(); ++I)
    if (Given[I] == "-isystem" && Given[I + 1] == Dir)
      return;
  Args.insert(Args.end(), {"-isystem", Dir});
}

/// The language of the last -x option, or empty.
StringRef languageOf(ArrayRef<std::string> Args) {
  StringRef Language;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef A = Args[I];
    if (A == "-x" && I + 1 < Args.size())
      Language = Args[I + 1];
    else if (A.consume_front("-x"))
      Language = A;
    else if (A.consume_front("--language="))
      Language = A;
  }
  return Language;
}

/// True if a C++ library exists in a directory that Clang searches.
bool hasLibrary() {
  for (StringRef Root : {"/usr", "/usr/local", CUDAGRAPH_LLVM_PREFIX})
    if (sys::fs::is_directory(joinPath(Root, "include/c++")))
      return true;
  std::error_code Ignored;
  for (sys::fs::directory_iterator I("/opt/rh", Ignored), End; I != End;
       I.increment(Ignored))
    if (sys::fs::is_directory(joinPath(I->path(), "root/usr/include/c++")))
      return true;
  return false;
}

} // namespace

/// Finds Clang's builtin headers: first those packaged with this program, in
/// its data or next to it, then those of the LLVM used for the build, and then
/// those of an installed Clang.
std::string findResourceDir(StringRef ProgramDir) {
  std::string Name =
      joinPath("lib", "clang", std::to_string(CUDAGRAPH_LLVM_MAJOR));
  std::string Own = joinPath(CUDAGRAPH_DATADIR, "clang",
                             std::to_string(CUDAGRAPH_LLVM_MAJOR));
  std::vector<std::string> Candidates = {joinPath(ProgramDir, "..", Own),
                                         joinPath(ProgramDir, "..", Name),
                                         joinPath(CUDAGRAPH_LLVM_PREFIX, Name)};
  for (StringRef Clang : {"clang-" CUDAGRAPH_LLVM_MAJOR_STRING, "clang"})
    if (auto Path = sys::findProgramByName(Clang))
      Candidates.push_back(
          joinPath(sys::path::parent_path(realPath(*Path)), "..", Name));
  for (const std::string &Dir : Candidates)
    if (sys::fs::exists(joinPath(Dir, "include", "stddef.h")))
      return realPath(Dir);
  return "";
}

bool usesMockToolkit(ArrayRef<std::string> Command) {
  return any_of(Command, [](StringRef Arg) {
    Arg.consume_front("-I") || Arg.consume_front("-isystem");
    Arg.consume_front("=");
    return Arg.starts_with("/") && isMockInclude(Arg);
  });
}

static std::string shareOf(StringRef Program) {
  return realPath(
      joinPath(sys::path::parent_path(Program), "..", CUDAGRAPH_DATADIR));
}

Expected<std::string> cmakeToolchainFile(StringRef Program) {
  std::string File = joinPath(shareOf(Program), "cuda", "toolchain.cmake");
  if (!sys::fs::exists(File))
    return makeError("there is no '" + File +
                     "': it is part of the package; install the whole package");
  return File;
}

CudaToolkit Toolchain::mockToolkit() const {
  CudaToolkit Result;
  Result.Mock = true;
  Result.Version = MockVersion ? MockVersion : CudaToolkit::MockVersion;
  Result.Root = joinPath(Share, "cuda");
  Result.Include = realPath(joinPath(Result.Root, "include"));
  return Result;
}

Expected<Toolchain> Toolchain::detect(const std::string &CudaPath,
                                      const std::string &Program,
                                      bool DefineNvcc, int MockVersion) {
  Toolchain Result;
  Result.DefineNvcc = DefineNvcc;
  Result.MockVersion = MockVersion;
  StringRef ProgramDir = sys::path::parent_path(Program);
  Result.ResourceDir = findResourceDir(ProgramDir);
  Result.ClangDir = findClangDir();
  Result.Share = shareOf(Program);
  // Clang's own omp.h is in a separate package.
  if (!sys::fs::exists(joinPath(Result.ResourceDir, "include/omp.h")))
    Result.OpenMPDir = realPath(joinPath(Result.Share, "openmp"));
  Result.HasLibrary = hasLibrary();

  bool Mock = CudaPath == "mock";
  if (!CudaPath.empty() && !Mock) {
    std::optional<CudaToolkit> Found = toolkitAt(CudaPath);
    if (!Found)
      return makeError("--cuda-path=" + CudaPath +
                       ": no CUDA toolkit in this directory "
                       "(include/cuda_runtime.h is missing)");
    Result.Cuda = *Found;
    Result.Cuda.Chosen = true;
    return Result;
  }
  if (!Mock)
    if (auto Found = findToolkit()) {
      Result.Cuda = *Found;
      return Result;
    }
  Result.Cuda = Result.mockToolkit();
  Result.Cuda.Chosen = Mock;
  return Result;
}

Expected<Toolchain::Completed>
Toolchain::complete(const Translation &T, StringRef File, Runner By) const {
  Completed Result;
  const std::vector<std::string> &Given = T.Args;
  StringRef Language = languageOf(Given);
  bool IsCuda = Language == "cuda" || Language == "cu" ||
                (Language.empty() && hasCudaExtension(File));
  std::vector<std::string> Front, Back;

  if (IsCuda) {
    // Clang would treat a .cuh as an input of the linker.
    if (Language.empty())
      Front = {"-x", "cuda"};
    if (!hasOption(Given, "--cuda-host-only") &&
        !hasOption(Given, "--cuda-device-only"))
      Back.push_back("--cuda-host-only");
    // The architectures of nvcc 13; the host sees them as __CUDA_ARCH_LIST__.
    if (!hasPrefix(Given, "--offload-arch") &&
        !hasPrefix(Given, "--cuda-gpu-arch"))
      Back.push_back("--offload-arch=sm_75");
  }

  // With -nocudainc, the command specifies the locations of its headers.
  if (!hasOption(Given, "-nocudainc") && !hasOption(Given, "-nogpuinc")) {
    CudaToolkit Toolkit = Cuda;
    if (!Cuda.Chosen)
      if (auto Own = toolkitOfNvcc(T.Nvcc))
        Toolkit = *Own;
    // The stand-in for nvcc is in the toolkit of the mock headers, which CMake
    // passes to units that nvcc does not compile.
    if (Toolkit.Mock ? !Cuda.Mock : !Cuda.Chosen && usesMockToolkit(Given)) {
      Toolkit = mockToolkit();
      Toolkit.Chosen = true;
    }
    for (StringRef Arg : Given)
      if (Arg.consume_front("--cuda-path="))
        if (auto Own = toolkitAt(Arg))
          Toolkit = *Own;
    if (!sys::fs::exists(joinPath(Toolkit.Include, "cuda_runtime.h")))
      return makeError("no CUDA toolkit found, and no mock headers in '" +
                       Toolkit.Include + "'; name a toolkit with --cuda-path");
    // The stand-in for nvcc marks each command.
    std::string Chooses = "-DCUDAGRAPH_MOCK_CUDA_VERSION=";
    if (Toolkit.Mock)
      for (StringRef Arg : Given)
        if (Arg.consume_front(Chooses) && !MockVersion)
          (void)Arg.getAsInteger(10, Toolkit.Version);
    if (Toolkit.Mock && MockVersion)
      Back.push_back(Chooses + std::to_string(MockVersion));
    Result.Toolkit = Toolkit.describe();
    Result.Version = Toolkit.Version;
    if (IsCuda && Toolkit.Mock) {
      // The version determines the form of a launch: without it, the form
      // before CUDA 9 is used.
      Back.insert(Back.end(),
                  {"-nocudainc", "-nocudalib", "--cuda-path=" + Toolkit.Root,
                   "-Xclang", "-target-sdk-version=12.9", "-include",
                   "cuda_runtime.h"});
    } else if (IsCuda) {
      if (!hasOption(Given, "-nocudalib"))
        Back.push_back("-nocudalib");
      std::string Prelude = joinPath(Share, "nvcc-prelude/nvcc_prelude.h");
      if (!hasOption(Given, Prelude) && sys::fs::exists(Prelude))
        Front.insert(Front.end(), {"-include", Prelude});
      // The values on which code compiled by nvcc may rely; __NVCC__ itself
      // changes CCCL, CUTLASS, and Eigen, so it is defined only on request.
      if (!DefineNvcc && !hasPrefix(Given, "-D__CUDACC_VER_MAJOR__="))
        for (auto [Macro, Value] :
             {std::pair("MAJOR", Toolkit.Version / 1000),
              std::pair("MINOR", Toolkit.Version % 1000 / 10),
              std::pair("BUILD", 0)})
          Front.push_back("-D__CUDACC_VER_" + std::string(Macro) +
                          "__=" + std::to_string(Value));
      if (!hasPrefix(Given, "--cuda-path="))
        Back.push_back("--cuda-path=" + Toolkit.Root);
    }
    if (!IsCuda || Toolkit.Mock)
      addSystemDir(Given, Toolkit.Include, Back);
    // The directory of Thrust, CUB, cuda/std, and cooperative groups since CUDA
    // 13.
    std::string Cccl = joinPath(Toolkit.Include, "cccl");
    if (!Toolkit.Mock && sys::fs::is_directory(Cccl))
      addSystemDir(Given, Cccl, Back);
    if (DefineNvcc && IsCuda)
      Back.insert(Back.end(), {"-D__NVCC__",
                               "-D__CUDACC_VER_MAJOR__=" +
                                   std::to_string(Toolkit.Version / 1000),
                               "-D__CUDACC_VER_MINOR__=" +
                                   std::to_string(Toolkit.Version % 1000 / 10),
                               "-D__CUDACC_VER_BUILD__=0"});
  }

  if (By == Runner::Us && !hasPrefix(Given, "-resource-dir")) {
    if (ResourceDir.empty())
      return makeError(
          "found no builtin headers of Clang " CUDAGRAPH_LLVM_MAJOR_STRING
          "; install clang-" CUDAGRAPH_LLVM_MAJOR_STRING
          " or name their directory with --extra-arg=-resource-dir=DIR");
    Back.push_back("-resource-dir=" + ResourceDir);
  }
  if (!OpenMPDir.empty() && hasPrefix(Given, "-fopenmp") &&
      !hasOption(Given, OpenMPDir))
    Back.insert(Back.end(), {"-idirafter", OpenMPDir});
  // These directories come last, so that a library that the command names takes
  // precedence.
  if (!HasLibrary) {
    for (StringRef Name : {"mock-std", "mock-c"})
      Back.insert(Back.end(), {"-idirafter", joinPath(Share, Name)});
    if (!Result.Toolkit.empty())
      Result.Toolkit += "; ";
    Result.Toolkit += "found no C++ library: using bundled declarations for "
                      "missing headers; libstdc++-dev provides all of them";
  }
  // Parses everything, without warnings and without stopping after twenty
  // errors.
  if (By == Runner::Us)
    Back.insert(Back.end(), {"-fsyntax-only", "-w", "-ferror-limit=0"});
  else if (!hasOption(Given, "-c"))
    Back.push_back("-c");
  if (IsCuda)
    Back.push_back("-Wno-unknown-cuda-version");
  Back.insert(Back.end(), {"-Wno-register", "-Wno-c++11-narrowing"});

  auto DashDash = find(Given, "--");
  std::string Program = runnableClang(Given.front(), ClangDir);
  // Clang reads a configuration file next to its program; the program of the
  // command may be in the repository.
  if (By == Runner::Us && sys::path::parent_path(Program) != ClangDir)
    Front.insert(Front.begin(), "--no-default-config");
  Result.Args.push_back(std::move(Program));
  append_range(Result.Args, Front);
  Result.Args.insert(Result.Args.end(), Given.begin() + 1, DashDash);
  append_range(Result.Args, Back);
  Result.Args.insert(Result.Args.end(), DashDash, Given.end());
  return Result;
}

} // namespace cudagraph::driver
