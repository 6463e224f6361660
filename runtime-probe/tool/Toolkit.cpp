//===- Toolkit.cpp - Finds the injected library and libcupti --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Toolkit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include <vector>

using namespace llvm;

namespace cudagraph::probe {
namespace {

/// "libcupti.so" in \p Directory, or the newest "libcupti.so.N".
std::string cuptiIn(StringRef Directory) {
  SmallString<128> Plain(Directory);
  sys::path::append(Plain, "libcupti.so");
  if (sys::fs::exists(Plain))
    return Plain.str().str();
  std::string Best;
  std::error_code EC;
  for (sys::fs::directory_iterator It(Directory, EC), End; !EC && It != End;
       It.increment(EC))
    if (sys::path::filename(It->path()).starts_with("libcupti.so.") &&
        It->path() > Best)
      Best = It->path();
  return Best;
}

std::string cuptiOf(StringRef Toolkit) {
  for (const char *Folder :
       {"lib64", "lib", "extras/CUPTI/lib64", "targets/x86_64-linux/lib",
        "targets/sbsa-linux/lib"}) {
    SmallString<128> Directory(Toolkit);
    sys::path::append(Directory, Folder);
    if (std::string Found = cuptiIn(Directory); !Found.empty())
      return Found;
  }
  return {};
}

} // namespace

std::string injectionLibrary(StringRef Program) {
  constexpr const char *Name = "libcudagraph_probe_inject.so";
  SmallString<128> Prefix(
      sys::path::parent_path(sys::path::parent_path(Program)));
  SmallString<128> Path;
  for (const char *Folder : {CUDAGRAPH_LIBDIR, "lib"}) {
    Path = Prefix;
    sys::path::append(Path, Folder, Name);
    if (sys::fs::exists(Path))
      break;
  }
  return Path.str().str();
}

std::string companionDirectory(StringRef Program) {
  SmallString<128> Path(
      sys::path::parent_path(sys::path::parent_path(Program)));
  sys::path::append(Path, CUDAGRAPH_DATADIR, "python");
  return Path.str().str();
}

std::string findCupti(StringRef CudaPath) {
  if (!CudaPath.empty())
    return cuptiOf(CudaPath);
  std::vector<std::string> Toolkits;
  for (const char *Name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::optional<std::string> Value = sys::Process::GetEnv(Name))
      Toolkits.push_back(*Value);
  if (ErrorOr<std::string> Nvcc = sys::findProgramByName("nvcc")) {
    SmallString<128> Real;
    if (!sys::fs::real_path(*Nvcc, Real))
      Toolkits.push_back(
          sys::path::parent_path(sys::path::parent_path(Real)).str());
  }
  Toolkits.push_back("/usr/local/cuda");
  for (const std::string &Toolkit : Toolkits)
    if (std::string Found = cuptiOf(Toolkit); !Found.empty())
      return Found;
  return {};
}

} // namespace cudagraph::probe
